#pragma once

// Checks of copy_from(): the copy is the same world with the same handles. A storage without it is not checked.
#include <new>
#include <random>

#include <stowage/contract/storage.hpp>

#include "tests/conformance/memory.hpp"

namespace stowage::conformance {

/// Bytes of every kind: grouped, alone, sparse, over-aligned, without any, and some that can be off.
using Copied = Schema<Group<Position, Velocity>, Sparse<Toggled<Team>>, Toggled<Large>, Wide, Sparse<Frozen>>;

}  // namespace stowage::conformance

template <>
struct stowage::workloads::verify::Audited<stowage::conformance::Copied> {
  using rows = each_alone<conformance::Copied::components>;
  using blocks = TypeList<TypeList<Position, conformance::Velocity>, TypeList<Large, conformance::Wide>>;
  using filtered =
      TypeList<TypeList<const Position, Without<Large>>, TypeList<const Large, Optional<const conformance::Team>>>;
};

namespace stowage::conformance {

// No lambda, in which clang 14 compiles what is discarded.
template <class C, class RosterType>
void switch_if_it_can(RosterType& roster, std::size_t ordinal, bool on) {
  if constexpr (workloads::verify::toggles<decltype(roster.storage), C>) {
    roster.storage.template set_enabled<C>(roster[ordinal], on);
    roster.template note_enabled<C>(ordinal, on);
  }
}

/// Makes one random change: entities are created or destroyed, components added, replaced, removed or switched.
template <class RosterType>
void change_anything(RosterType& roster, std::mt19937& engine) {
  const auto value = static_cast<std::uint32_t>(engine() % 200);
  const auto on_any = [&](auto&& change) {
    if (roster.living() != 0) change(roster.nth_living(engine() % roster.living()));
  };
  const auto flip = [&]<class C>(TypeList<C>) {
    on_any([&](std::size_t ordinal) {
      const bool has = roster.entry(ordinal).numbers[RosterType::template id<C>].has_value();
      if (has && value % 2 == 0) return roster.template remove<C>(ordinal);
      roster.template emplace<C>(ordinal, value);
      switch_if_it_can<C>(roster, ordinal, value % 3 == 0);
    });
  };
  switch (engine() % 12) {
    case 0:
      roster.template create<Position, Velocity, Wide>(value);
      return;
    case 1:
      roster.template create<Team, Large>(value);
      return;
    case 2:
      roster.template create_many<Position, Large>(value % 40, value);
      return;
    case 3:
      roster.template create<>();
      return;
    case 4:
      return flip(TypeList<Position>{});
    case 5:
      return flip(TypeList<Velocity>{});
    case 6:
      return flip(TypeList<Team>{});
    case 7:
      return flip(TypeList<Large>{});
    case 8:
      return flip(TypeList<Frozen>{});
    default:
      for (std::uint32_t i = 0; i < value % 6; ++i) on_any([&](std::size_t ordinal) { roster.destroy(ordinal); });
  }
}

/// The next entities have the same handles and the same neighbours in loops.
template <class RosterType>
void require_same_future(RosterType& roster, RosterType& copy) {
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::size_t mine = roster.template create<Position, Large>(i);
    const std::size_t theirs = copy.template create<Position, Large>(i);
    require(roster[mine] == copy[theirs], "a copy hands out other handles than its original");
    if (i % 2 == 0) continue;
    roster.destroy(mine);
    copy.destroy(theirs);
  }
  const auto order_of = [](auto& storage) {
    std::vector<std::uint64_t> order;
    storage.template each<const Position>([&](auto entity, const Position&) { order.push_back(entity.word()); });
    storage.template each<const Large>([&](auto entity, const Large&) { order.push_back(entity.word()); });
    return order;
  };
  require(order_of(roster.storage) == order_of(copy.storage), "loops over a copy visit in another order");
}

/// A world that changes at random, with copies of three of its past states, one of which it becomes again at times.
template <template <class> class Strategy>
void a_copy_is_the_same_world() {
  using Storage = Strategy<Copied>;
  if constexpr (CopyableStorage<Storage>) {
    Roster<Storage> world;
    std::array<Roster<Storage>, 3> past;
    std::mt19937 engine(11);
    for (std::size_t round = 0; round < 120; ++round) {
      Roster<Storage>& frame = past[round % past.size()];
      frame.copy_from(world);
      if (round % 7 == 0) frame.check();
      if (round % 20 == 0) require_same_future(world, frame);
      if (round % 20 == 0) frame.copy_from(world);
      const std::size_t changes = round % 30 == 29 ? 400 : 20;
      for (std::size_t i = 0; i < changes; ++i) change_anything(world, engine);
      if (round % 41 == 40) world.clear();
      if (engine() % 3 == 0) {
        Roster<Storage>& earlier = past[engine() % past.size()];
        std::vector<typename Storage::entity_type> later;
        for (std::size_t i = 0; i < world.created(); ++i) {
          if (!earlier.knows(world[i])) later.push_back(world[i]);
        }
        world.copy_from(earlier);
        for (const auto entity : later) {
          require(!world.storage.alive(entity), "an entity that was created after the copy is alive in it");
        }
        world.check();
        require_same_future(earlier, world);
      }
    }
    for (Roster<Storage>& frame : past) {
      frame.check();
      frame.check_filters();
      for (std::size_t i = 0; i < 50; ++i) change_anything(frame, engine);
      frame.check();
    }
  }
}

/// Every byte of a copy is accounted for, and it takes none of what it held before from the heap again.
template <template <class> class Strategy>
void a_copy_uses_the_memory_it_has() {
  using Storage = Strategy<Copied>;
  if constexpr (CopyableStorage<Storage>) {
    Roster<Storage> world;
    std::mt19937 engine(12);
    for (std::size_t i = 0; i < 300; ++i) change_anything(world, engine);
    Accounted<Storage> copy;
    for (std::size_t round = 0; round < 4; ++round) {
      const std::uint64_t held = testing::heap().allocations;
      copy->copy_from(world.storage);
      require(round == 0 || testing::heap().allocations == held, "the same is copied again, and takes memory");
      copy.check(world.storage.memory().payload_bytes);
    }
  }
}

/// If there is no memory for a copy, what was there is gone, and the copy can be made later.
template <template <class> class Strategy>
void a_copy_survives_a_shortage() {
  using Storage = Strategy<Copied>;
  if constexpr (CopyableStorage<Storage>) {
    Roster<Storage> world;
    std::mt19937 engine(13);
    for (std::size_t i = 0; i < 200; ++i) change_anything(world, engine);
    for (std::size_t nth = 1;; ++nth) {
      Roster<Storage> copy;
      for (std::size_t i = 0; i < 20; ++i) change_anything(copy, engine);
      const testing::Refusal refusal =
          testing::refuse(nth, testing::Shortage::lasting, [&] { copy.storage.copy_from(world.storage); });
      if (refusal.threw) {
        copy.forget_all();
        copy.check();
      }
      copy.copy_from(world);
      copy.check();
      for (std::size_t i = 0; i < 20; ++i) change_anything(copy, engine);
      copy.check();
      if (!refusal.happened) return;
    }
  }
}

template <template <class> class Strategy>
inline constexpr std::array copy_checks{
    STOWAGE_CHECK(a_copy_is_the_same_world, bulk_creation, structural_change),
    STOWAGE_CHECK(a_copy_uses_the_memory_it_has, memory_accounting, bulk_creation, structural_change),
    STOWAGE_CHECK(a_copy_survives_a_shortage, strong_guarantee, bulk_creation, structural_change),
};

}  // namespace stowage::conformance
