#pragma once

// Checks of the strong guarantee: if a constructor or an allocation throws, nothing has changed, and a retry works.
#include <new>

#include "tests/conformance/components.hpp"

namespace stowage::conformance {

/// A storage in which the next creation has to grow most arrays: 16 entities are where the first growth step ends, and
/// 128 a later one.
template <class Roster>
void fill_to_capacity(Roster& roster, std::uint32_t of_each_kind) {
  for (std::uint32_t i = 0; i < of_each_kind; ++i) create_assorted(roster, i);
  for (std::uint32_t i = 0; i < of_each_kind; ++i) create_partial(roster, i);
}

/// The number of the entity that fill_to_capacity() created last.
template <class Roster>
[[nodiscard]] std::uint32_t number_of_last(const Roster& roster) {
  return static_cast<std::uint32_t>(roster.created() / 2 - 1);
}

template <class Storage>
using RosterOperation = void (*)(Roster<Storage>&);

/// Lets the storage construct the component, because made_of() would throw before the storage is asked for anything.
template <class Storage>
void emplace_fragile(Roster<Storage>& roster, std::size_t ordinal, std::uint32_t number) {
  roster.storage.template emplace<Fragile>(roster[ordinal], number);
  roster.template note_component<Fragile>(ordinal, number);
}

/// Whatever fails during `operation`, by `refuse(nth, operation)` each thing in turn: nothing has changed, and the
/// operation works when it is tried again. The number of failures. `wrong` says what is wrong if components are left.
template <class Storage, class Refuse>
std::size_t survive(RosterOperation<Storage> prepare, RosterOperation<Storage> operation, std::uint32_t of_each_kind,
                    const char* wrong, Refuse refuse) {
  for (std::size_t nth = 1;; ++nth) {
    Roster<Storage> roster;
    fill_to_capacity(roster, of_each_kind);
    prepare(roster);
    const std::ptrdiff_t living = Fragile::living;
    const testing::Refusal refusal = refuse(nth, [&] { operation(roster); });
    roster.check();
    if (refusal.threw) {
      require(Fragile::living == living, wrong);
      operation(roster);
      roster.check();
    }
    if (!refusal.happened) return nth - 1;
  }
}

template <class Storage>
void nothing(Roster<Storage>&) {}

// ---- constructors that throw

/// For every construction of a Fragile during `operation`.
template <class Storage>
void survive_throwing_constructors(RosterOperation<Storage> operation) {
  const auto refuse = [](std::size_t nth, auto&& construct) {
    try {
      const Fragile::Fuse fuse(nth);
      construct();
    } catch (const Injected&) {
      return testing::Refusal{.threw = true, .happened = true};
    }
    return testing::Refusal{};
  };
  const char* const wrong = "a constructor that throws leaves components behind, or takes some along";
  require(survive<Storage>(nothing, operation, 16, wrong, refuse) != 0,
          "the operation under test constructs no Fragile");
}

template <template <class> class Strategy>
void creation_survives_throwing_constructors() {
  using Storage = Strategy<World>;
  survive_throwing_constructors<Storage>([](Roster<Storage>& roster) { create_assorted(roster, 7); });
  survive_throwing_constructors<Storage>([](Roster<Storage>& roster) {
    const auto [name, fragile] = roster.storage.template find<Name, Fragile>(roster[20]);
    roster.template note<Name, Fragile>(roster.storage.create(*name, *fragile), 4);
  });
}

template <template <class> class Strategy>
void bulk_creation_survives_throwing_constructors() {
  using Storage = Strategy<World>;
  survive_throwing_constructors<Storage>(
      [](Roster<Storage>& roster) { roster.template create_many<Position, Fragile, Wide>(5, 70); });
  if constexpr (DerivedForms<Strategy<ProbeSchema>>) {
    survive_throwing_constructors<Storage>([](Roster<Storage>& roster) {
      std::array<typename Storage::entity_type, 3> handles;
      roster.storage.create_copies(handles, made_of<Position>(4), made_of<Fragile>(4), made_of<Wide>(4));
      for (const auto handle : handles) roster.template note<Position, Fragile, Wide>(handle, 4);
    });
  }
}

template <template <class> class Strategy>
void emplace_survives_throwing_constructors() {
  using Storage = Strategy<World>;
  const auto emplace_anew = [](Roster<Storage>& roster) {  // completes a group
    const std::size_t entity = create_whole_group(roster, 1);
    roster.template remove<Fragile>(entity);
    emplace_fragile(roster, entity, 2);
  };
  const auto replace = [](Roster<Storage>& roster) { emplace_fragile(roster, 3, 99); };
  survive_throwing_constructors<Storage>(emplace_anew);
  survive_throwing_constructors<Storage>(replace);
}

// ---- allocations that fail

/// For every allocation that `operation` makes.
template <class Storage>
void survive_shortage(RosterOperation<Storage> prepare, RosterOperation<Storage> operation) {
  const char* const wrong = "an allocation that fails leaves components behind, or takes some along";
  for (const std::uint32_t of_each_kind : {16u, 128u}) {
    if (of_each_kind > 16 && is_brief()) return;
    for (const testing::Shortage shortage : {testing::Shortage::passing, testing::Shortage::lasting}) {
      survive<Storage>(prepare, operation, of_each_kind, wrong, [shortage](std::size_t nth, auto&& allocate) {
        return testing::refuse(nth, shortage, allocate);
      });
    }
  }
}

template <template <class> class Strategy>
void creation_survives_a_shortage() {
  using Storage = Strategy<World>;
  survive_shortage<Storage>(
      nothing, [](Roster<Storage>& roster) { static_cast<void>(roster.template note<>(roster.storage.create(), 0)); });
  survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) { create_assorted(roster, 7); });
  survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) {
    const std::size_t last = roster.created() - 1;
    const auto [name, fragile] = roster.storage.template find<Name, Fragile>(roster[last]);
    roster.template note<Name, Fragile>(roster.storage.create(*name, *fragile), number_of_last(roster));
  });
}

template <template <class> class Strategy>
void bulk_creation_survives_a_shortage() {
  using Storage = Strategy<World>;
  survive_shortage<Storage>(
      nothing, [](Roster<Storage>& roster) { roster.template create_many<Position, Fragile, Wide>(5, 70); });
}

template <template <class> class Strategy>
void emplace_survives_a_shortage() {
  using Storage = Strategy<World>;
  survive_shortage<Storage>(  // a component set that is new
      nothing, [](Roster<Storage>& roster) { roster.template emplace<Half>(20, 5); });
  survive_shortage<Storage>(  // completes a group
      [](Roster<Storage>& roster) { roster.template remove<Fragile>(create_whole_group(roster, 50)); },
      [](Roster<Storage>& roster) { emplace_fragile(roster, roster.created() - 1, 60); });
  survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) {  // replaces by a copy, which allocates
    const Name& other = *roster.storage.template find<Name>(roster[roster.created() - 1]);
    roster.storage.template emplace<Name>(roster[3], other);
    roster.template note_component<Name>(3, number_of_last(roster));
  });
}

template <template <class> class Strategy>
void remove_survives_a_shortage() {
  using Storage = Strategy<World>;
  survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) { roster.template remove<Fragile>(3); });
  survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) { roster.template remove<Name>(30); });
  if constexpr (DerivedForms<Strategy<ProbeSchema>>) {
    survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) { roster.template clear<Fragile>(); });
  }
}

template <template <class> class Strategy>
void destruction_never_fails() {
  using Storage = Strategy<World>;
  survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) {
    try {
      for (std::size_t i = 0; i < roster.created(); i += 2) roster.destroy(i);
      roster.clear();
    } catch (const std::bad_alloc&) {
      require(false, "destroy() or clear() needs memory that it may not get");
    }
  });
}

template <template <class> class Strategy>
void reserve_survives_a_shortage() {
  using Storage = Strategy<World>;
  // entities afterwards, because room that is only believed in must not be used
  survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) {
    roster.storage.reserve(200);
    create_assorted(roster, 7);
  });
  survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) {
    roster.storage.template reserve<Name, Fragile>(100);
    create_partial(roster, 7);
  });
}

template <template <class> class Strategy>
void a_first_loop_survives_a_shortage() {
  using Storage = Strategy<World>;
  survive_shortage<Storage>(nothing, [](Roster<Storage>& roster) {
    std::size_t visits = 0;
    roster.storage.template each<const Wide, const Unique>([&](const Wide&, const Unique&) { ++visits; });
    require(visits == roster.template holders<Wide, Unique>(), "a loop leaves out entities after a shortage");
  });
}

template <template <class> class Strategy>
inline constexpr std::array exception_checks{
    STOWAGE_CHECK(creation_survives_throwing_constructors, strong_guarantee),
    STOWAGE_CHECK(bulk_creation_survives_throwing_constructors, strong_guarantee, bulk_creation),
    STOWAGE_CHECK(emplace_survives_throwing_constructors, strong_guarantee, structural_change),
    STOWAGE_CHECK(creation_survives_a_shortage, strong_guarantee),
    STOWAGE_CHECK(bulk_creation_survives_a_shortage, strong_guarantee, bulk_creation),
    STOWAGE_CHECK(emplace_survives_a_shortage, strong_guarantee, structural_change),
    STOWAGE_CHECK(remove_survives_a_shortage, strong_guarantee, structural_change),
    STOWAGE_CHECK(destruction_never_fails, strong_guarantee),
    STOWAGE_CHECK(reserve_survives_a_shortage, strong_guarantee, reservation),
    STOWAGE_CHECK(a_first_loop_survives_a_shortage, strong_guarantee),
};

}  // namespace stowage::conformance
