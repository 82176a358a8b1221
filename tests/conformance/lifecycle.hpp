#pragma once

// Checks of creation and destruction, one by one and in bulk, and that the handles of the dead are refused.
#include <set>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/memory.hpp>

#include "tests/conformance/components.hpp"

namespace stowage::conformance {

template <template <class> class Strategy>
void creation_gives_distinct_living_entities() {
  Roster<Strategy<World>> roster;
  std::set<std::uint64_t> words;
  for (std::uint32_t i = 0; i < 40; ++i) words.insert(roster[roster.template create<>()].word());
  require(words.size() == 40, "two living entities have the same handle");
  require(!words.contains(typename Strategy<World>::entity_type{}.word()), "the null handle was given out");
  roster.check();
}

template <template <class> class Strategy>
void creation_takes_components() {
  Roster<Strategy<World>> roster;
  create_whole_group(roster, 1);
  create_partial(roster, 2);
  create_assorted(roster, 3);
  create_second_group(roster, 4);
  roster.template create<Frozen>(5);
  roster.check();
  const auto position = made_of<Position>(7);
  auto name = made_of<Name>(8);
  const std::size_t copied = roster.template note<Position>(roster.storage.create(position, name), 7);
  roster.template note_component<Name>(copied, 8);
  require(number_of(name) == 8, "create() took the contents of an lvalue");
  roster.check();
}

template <template <class> class Strategy>
void bulk_creation_takes_one_of_each_column() {
  Roster<Strategy<World>> roster;
  for (const std::size_t count : {0, 1, 2, 15, 16, 17, 70, 3}) {
    const auto number = static_cast<std::uint32_t>(roster.created());
    roster.template create_many<Position, Fragile, Wide>(count, number);
    roster.template create_many<Large, Frozen, Position>(count, number);
    roster.template create_many<Frozen>(count, number);
    roster.check();
  }
}

/// Handles and columns in any contiguous range, no column, and copies of the same components.
template <template <class> class Strategy>
void bulk_creation_takes_any_range() {
  if constexpr (DerivedForms<Strategy<ProbeSchema>>) {
    Roster<Strategy<World>> roster;
    std::vector<typename Strategy<World>::entity_type> handles(40);
    const auto note_all = [&]<class... Cs>(TypeList<Cs...>, std::uint32_t number) {
      for (const auto handle : handles) roster.template note<Cs...>(handle, number);
    };
    std::vector<Position> positions(handles.size(), made_of<Position>(7));
    const std::vector<Fragile> fragiles(handles.size(), made_of<Fragile>(7));
    std::array<Wide, 40> wides;
    wides.fill(made_of<Wide>(7));
    roster.storage.create(handles, std::span(positions), fragiles, wides);
    note_all(TypeList<Position, Fragile, Wide>{}, 7);
    roster.storage.create(handles);
    note_all(TypeList<>{}, 0);
    roster.storage.create_copies(std::span(handles), made_of<Large>(8), made_of<Frozen>(8), made_of<Position>(8));
    note_all(TypeList<Large, Frozen, Position>{}, 8);
    handles.clear();
    roster.storage.create_copies(handles, made_of<Frozen>(9));
    roster.check();
    require((roster.storage.template contains<Large, Position>(roster[80])),
            "contains() of several components is wrong");
    require(!(roster.storage.template contains<Large, Wide>(roster[80])), "contains() of several components is wrong");
  }
}

/// Destroys entities here and there, until so many are left.
template <class RosterType>
void thin_out(RosterType& roster, std::size_t left) {
  for (const std::size_t ordinal : shuffled(roster.created())) {
    if (roster.living() > left && roster.entry(ordinal).alive) roster.destroy(ordinal);
  }
}

/// Populations of many sections, with holes that a bulk creation fills: the first time may take room to remember them,
/// the second takes none.
template <template <class> class Strategy>
void bulk_creation_of_thousands_fills_holes() {
  using Storage = Strategy<Plain>;
  Roster<Storage> roster;
  roster.template create_many<Position, Velocity, Team>(5000, 1);
  [[maybe_unused]] std::size_t held_bytes = 0;
  for (const bool first : {true, false}) {
    thin_out(roster, 2500);
    roster.check();
    roster.template create_many<Position, Velocity, Team>(2500, 5);
    if constexpr (offers<Storage, memory_accounting>) {
      const std::size_t now = roster.storage.memory().total_bytes();
      require(first || now == held_bytes, "as many as have gone come in bulk, and do not find their room");
      held_bytes = now;
    }
  }
  thin_out(roster, 2500);
  roster.template create_many<Position, Velocity, Team>(9000, 9);
  roster.check();
}

template <template <class> class Strategy>
void destruction_ends_a_life() {
  Roster<Strategy<World>> roster;
  const std::size_t first = create_assorted(roster, 1);
  const std::size_t second = create_assorted(roster, 2);
  const std::size_t third = create_assorted(roster, 3);
  roster.destroy(second);
  require(!roster.storage.destroy(roster[second]), "destroy() of a dead entity said yes");
  roster.check();
  roster.destroy(first);
  roster.check();
  roster.destroy(third);
  roster.check();
}

template <template <class> class Strategy>
void a_list_of_entities_is_destroyed() {
  Roster<Strategy<World>> roster;
  for (std::uint32_t seed = 0; seed < 40; ++seed) create_assorted(roster, seed);
  roster.destroy(4);
  std::vector<typename Strategy<World>::entity_type> doomed;
  for (std::size_t i = 36; i > 0; i -= 4) doomed.push_back(roster[i]);  // of which 4 is dead
  require(destroy_all(roster.storage, doomed) == 8, "destroy_all() does not say how many of the list were alive");
  for (std::size_t i = 36; i > 4; i -= 4) roster.forget(i);
  roster.check();
}

template <template <class> class Strategy>
void a_dead_handle_is_refused() {
  using Storage = Strategy<World>;
  Roster<Storage> roster;
  const std::size_t dead = create_assorted(roster, 1);
  create_partial(roster, 2);
  roster.destroy(dead);
  const typename Storage::entity_type null;
  const typename Storage::entity_type beyond(1'000'000, 0);
  for (const auto handle : {roster[dead], null, beyond}) {
    require(!roster.storage.alive(handle), "alive() says yes to a handle without an entity");
    require(!roster.storage.destroy(handle), "destroy() accepted a handle without an entity");
    require(!roster.storage.template remove<Position>(handle), "remove() accepted a handle without an entity");
    require(!roster.storage.template contains<Frozen>(handle), "contains() accepted a handle without an entity");
    require(roster.storage.template find<Unique>(handle) == nullptr, "find() accepted a handle without an entity");
    require_throws<DeadEntity>([&] { roster.storage.template emplace<Position>(handle, 1u, 2u, 3u); },
                               "emplace() on a handle without an entity did not throw DeadEntity");
    require_throws<DeadEntity>([&] { roster.storage.template emplace<Name>(handle, "name"); },
                               "emplace() on a handle without an entity did not throw DeadEntity");
    roster.check();
  }
}

/// The handle of the dead stays dead when its index belongs to another entity, whatever that one has.
template <template <class> class Strategy>
void a_stale_handle_is_not_its_successor() {
  Roster<Strategy<World>> roster;
  for (std::uint32_t round = 0; round < 6; ++round) {
    for (std::uint32_t i = 0; i < 5; ++i) create_whole_group(roster, round * 10 + i);
    for (std::uint32_t i = 0; i < 5; ++i) create_partial(roster, round * 10 + i);
    roster.check();
    for (std::size_t ordinal = 0; ordinal < roster.created(); ++ordinal) {
      if (roster.entry(ordinal).alive && ordinal % 3 != 0) roster.destroy(ordinal);
    }
    roster.check();
    for (std::size_t ordinal = 0; ordinal < roster.created(); ++ordinal) {
      if (!roster.entry(ordinal).alive)
        require(!roster.storage.destroy(roster[ordinal]), "a stale handle was accepted");
    }
    roster.check();
  }
}

template <template <class> class Strategy>
void clear_ends_every_life() {
  Roster<Strategy<World>> roster;
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < 40; ++i) {
      create_assorted(roster, i);
      create_partial(roster, i);
      roster.template create<>();
    }
    for (std::size_t i = 1; i < 40; i += 7) roster.destroy(std::size_t{round} * 120 + i);
    roster.clear();
    require(roster.storage.size() == 0, "clear() left entities alive");
    roster.check();
  }
  require(Fragile::living == 0, "clear() left components alive");
}

template <template <class> class Strategy>
inline constexpr std::array lifecycle_checks{
    STOWAGE_CHECK(creation_gives_distinct_living_entities),
    STOWAGE_CHECK(creation_takes_components),
    STOWAGE_CHECK(bulk_creation_takes_one_of_each_column, bulk_creation),
    STOWAGE_CHECK(bulk_creation_takes_any_range, bulk_creation),
    STOWAGE_CHECK(bulk_creation_of_thousands_fills_holes, bulk_creation),
    STOWAGE_CHECK(destruction_ends_a_life),
    STOWAGE_CHECK(a_list_of_entities_is_destroyed),
    STOWAGE_CHECK(a_dead_handle_is_refused, structural_change),
    STOWAGE_CHECK(a_stale_handle_is_not_its_successor),
    STOWAGE_CHECK(clear_ends_every_life),
};

}  // namespace stowage::conformance
