#pragma once

// Checks of loops: each() and each_block() visit what find() finds, also nested, const, filtered or left by exceptions.
#include <thread>

#include <stowage/contract/changes.hpp>
#include <stowage/contract/query.hpp>

#include "tests/conformance/components.hpp"

namespace stowage::conformance {

template <template <class> class Strategy>
void each_visits_all_that_match_once() {
  Roster<Strategy<World>> roster;
  roster.check();  // still empty
  populate(roster, 120);
  roster.check();
  for (std::size_t i = 0; i < roster.created(); i += 4) roster.destroy(i);
  roster.check();
  for (std::size_t i = 1; i < roster.created(); i += 4) roster.template remove<Fragile>(i);
  roster.check();
}

template <template <class> class Strategy>
void filters_admit_what_they_say() {
  Roster<Strategy<World>> roster;
  roster.check_filters();  // still empty
  populate(roster, 120);
  roster.check_filters();
  for (std::size_t i = 0; i < roster.created(); i += 4) roster.destroy(i);
  roster.check_filters();
}

/// If the storage records changes: what was written since a tick is found, wherever it is now.
template <template <class> class Strategy>
void changes_are_recorded() {
  using Storage = Strategy<World>;
  if constexpr (RecordsChanges<Storage, Position>) {
    Roster<Storage> roster;
    const auto check = [&](Tick since) {
      roster.template check_changed<Position>(since);
      roster.template check_changed<Large, Optional<const Position>>(since);
      roster.template check_changed<Unique, const Fragile, Without<Frozen>>(since);
    };
    populate(roster, 120);
    check(0);
    roster.next_tick();
    check(roster.storage.tick());
    for (std::size_t i = 0; i < roster.created(); i += 3) {
      roster.template check_found<Position>(roster.storage, i);
      roster.template note_writes<Position>(i);
    }
    check(roster.storage.tick());
    for (std::size_t i = 0; i < roster.created(); i += 5) roster.destroy(i);
    for (std::size_t i = 1; i < roster.created(); i += 5) roster.template remove<Fragile>(i);
    check(roster.storage.tick());
    roster.next_tick();
    for (std::size_t i = 1; i < roster.created(); i += 5) roster.template emplace<Fragile>(i, 6);
    for (std::size_t i = 2; i < roster.created(); i += 5) roster.template emplace<Large>(i, 7);
    check(roster.storage.tick());
    check(roster.storage.tick() - 1);
    roster.next_tick();
    roster.storage.template each<Position, const Large>(
        [&](typename Storage::entity_type entity, const Position&, const Large&) {
          roster.template note_writes<Position>(roster.ordinal_of(entity));
        });
    check(roster.storage.tick());
  }
}

/// If fn can be called both with and without a handle, it is called without.
template <template <class> class Strategy>
void each_calls_every_form_of_function() {
  Roster<Strategy<World>> roster;
  populate(roster, 3);
  std::size_t with_handle = 0;
  std::size_t generic = 0;
  using Storage = Strategy<World>;
  roster.storage.template each<Position, const Fragile>(
      [&](typename Storage::entity_type entity, typename Storage::template reference<Position> position,
          typename Storage::template reference<const Fragile> fragile) {
        require(roster.storage.template find<Position>(entity) == &position,
                "each() and find() disagree on an address");
        require(roster.storage.template find<Fragile>(entity) == &fragile, "each() and find() disagree on an address");
        ++with_handle;
      });
  roster.storage.template each<Position, const Fragile>([&](auto&&... arguments) {
    static_assert(sizeof...(arguments) == 2);
    ++generic;
  });
  require(with_handle == roster.template holders<Position, Fragile>(), "each() with a handle leaves an entity out");
  require(generic == with_handle, "each() visits differently without a handle");
}

template <template <class> class Strategy>
void changes_made_by_loops_are_found() {
  Roster<Strategy<World>> roster;
  populate(roster, 40);
  const auto note_more = [&]<class C, class... Beside>(TypeList<C, Beside...>, std::uint32_t more) {
    for (std::size_t i = 0; i < roster.created(); ++i) {
      const auto number = roster.entry(i).numbers[roster.template id<C>];
      const bool is_shown = number && (roster.entry(i).numbers[roster.template id<Beside>] && ...);
      if (is_shown) roster.template note_component<C>(i, *number + more);
    }
  };
  roster.storage.template each<Position, const Name>(
      [](Position& position, const Name&) { position = made_of<Position>(position.number + 1000); });
  note_more(TypeList<Position, Name>{}, 1000);
  if constexpr (offers<Strategy<World>, block_iteration>) {
    roster.storage.template each_block<Half>([](const auto& halves) {
      for (std::size_t i = 0; i < halves.size(); ++i) halves[i].number += 2000;
    });
    note_more(TypeList<Half>{}, 2000);
  }
  roster.check();
}

template <template <class> class Strategy>
void loops_may_be_nested() {
  Roster<Strategy<World>> roster;
  populate(roster, 4);
  std::size_t pairs = 0;
  roster.storage.template each<const Position>([&](const Position& outer) {
    const std::uint32_t before = number_of(outer);
    roster.storage.template each<const Name, const Fragile>([&](const Name&, const Fragile&) { ++pairs; });
    require(number_of(outer) == before, "a nested loop moved the rows of the outer one");
  });
  require(pairs == roster.template holders<Position>() * roster.template holders<Name, Fragile>(),
          "a nested loop leaves entities out");
}

/// Every loop there is over a const storage shows the same rows with the same owners, also to threads that all ask for
/// a list of components that no loop has asked for before.
template <template <class> class Strategy>
void a_const_storage_shows_the_same() {
  using Storage = Strategy<World>;
  Roster<Storage> roster;
  populate(roster, 40);
  for (std::size_t i = 0; i < roster.created(); i += 3) roster.destroy(i);
  const Storage& fixed = roster.storage;
  struct Seen {
    std::size_t rows = 0;
    std::size_t rows_in_blocks = 0;
    bool owners_agree = true;
  };
  const auto look = [&](Seen& seen) {
    fixed.template each<const Position, const Fragile>(
        [&](typename Storage::entity_type entity, typename Storage::template reference<const Position> position,
            typename Storage::template reference<const Fragile>) {
          ++seen.rows;
          seen.owners_agree &= fixed.template find<Position>(entity) == &position;
        });
    if constexpr (offers<Storage, block_iteration>) {
      fixed.template each_block<const Position, const Fragile>(
          [&](const typename Storage::block_entities& entities, const auto& positions, const auto&) {
            seen.rows_in_blocks += positions.size();
            seen.owners_agree &= entities.size() == positions.size();
            for (std::size_t i = 0; i < positions.size(); ++i) {
              seen.owners_agree &= entities.index(i) == entities[i].index();
              seen.owners_agree &= fixed.template find<Position>(entities[i]) == &positions[i];
            }
          });
    }
  };
  std::array<Seen, 3> seen;
  std::thread first([&] { look(seen[0]); });
  std::thread second([&] { look(seen[1]); });
  look(seen[2]);
  first.join();
  second.join();
  for (const Seen& by_one : seen) {
    require(by_one.owners_agree, "a loop over a const storage names other owners than find()");
    const std::size_t holders = roster.template holders<Position, Fragile>();
    require(by_one.rows == holders, "a const storage shows other rows");
    require(!offers<Storage, block_iteration> || by_one.rows_in_blocks == holders,
            "a const storage shows other blocks");
  }
}

/// A function may leave a loop by throwing; the storage goes on as if the loop had ended.
template <template <class> class Strategy>
void a_loop_may_be_left_by_an_exception() {
  Roster<Strategy<World>> roster;
  populate(roster, 4);
  require_throws<Injected>([&] { roster.storage.template each<Position>([](Position&) { throw Injected(); }); },
                           "an exception of the function did not leave each()");
  create_whole_group(roster, 1);
  if constexpr (offers<Strategy<World>, block_iteration>) {
    const auto fail = [](const auto&) { throw Injected(); };
    require_throws<Injected>([&] { roster.storage.template each_block<Position>(fail); },
                             "an exception of the function did not leave each_block()");
    create_whole_group(roster, 2);
  }
  roster.destroy(0);
  roster.check();
}

template <template <class> class Strategy>
void each_allocates_only_when_a_list_is_new() {
  Roster<Strategy<World>> roster;
  populate(roster, 50);
  std::size_t visits = 0;
  const auto loop = [&] {
    roster.storage.template each<const Position>([&](const Position&) { ++visits; });
    roster.storage.template each<Wide, const Large>([&](Wide&, const Large&) { ++visits; });
    if constexpr (offers<Strategy<World>, block_iteration>) {
      roster.storage.template each_block<const Name, const Fragile>([&](const auto&, const auto&) { ++visits; });
    }
  };
  loop();
  const std::size_t before = testing::heap().allocations;
  loop();
  require(testing::heap().allocations == before, "each() allocates again for a list that it knows");
  create_whole_group(roster, 1);  // of a set that is known
  const std::size_t created = testing::heap().allocations;
  loop();
  require(testing::heap().allocations == created, "each() allocates again although no component set is new");
  require(visits != 0, "each() visits no entity");
}

template <template <class> class Strategy>
inline constexpr std::array iteration_checks{
    STOWAGE_CHECK(each_visits_all_that_match_once, structural_change),
    STOWAGE_CHECK(filters_admit_what_they_say, filters),
    STOWAGE_CHECK(changes_are_recorded, structural_change, filters),
    STOWAGE_CHECK(each_calls_every_form_of_function),
    STOWAGE_CHECK(changes_made_by_loops_are_found),
    STOWAGE_CHECK(a_const_storage_shows_the_same, const_iteration),
    STOWAGE_CHECK(loops_may_be_nested),
    STOWAGE_CHECK(a_loop_may_be_left_by_an_exception),
    STOWAGE_CHECK(each_allocates_only_when_a_list_is_new),
};

}  // namespace stowage::conformance
