#pragma once

// Checks of the semantics card: a promise that is given is kept, and one that is not given can be seen to break. What a
// strategy refuses by an assertion counts as broken: throwing_assert.hpp makes it an exception.
#include <exception>
#include <thread>

#include <stowage/contract/errors.hpp>
#include <stowage/contract/semantics.hpp>

#include "tests/conformance/components.hpp"
#include "tests/support/throwing_assert.hpp"

namespace stowage::conformance {

/// An attempt to break a promise finds that it `holds`, or not, as the card says.
template <template <class> class Strategy, Promise SemanticsCard::* on_card, bool (*holds)()>
void hold_to_card() {
  const Promise& promise = Strategy<Plain>::semantics.*on_card;
  if (promise.kept) {
    require(holds(), "a promise of the semantics card is broken");
    require(promise.reason.empty(), "a promise that is kept needs no reason");
  } else {
    require(!holds(), "the semantics card denies what nothing could break");
    require(!promise.reason.empty(), "a promise that is not given needs a reason");
  }
}

template <class Roster>
std::size_t create_plain(Roster& roster) {
  return roster.template create<Position, Velocity, Team>(static_cast<std::uint32_t>(roster.created()));
}

// ---- pointer stability

/// Where the components of some entities are, and whether they are still there.
template <class Storage>
class Whereabouts {
 public:
  Whereabouts(Roster<Storage>& roster, std::size_t step) : roster_(roster) {
    for (std::size_t i = 0; i < roster.created(); i += step) places_.push_back({i, place_of(i)});
  }
  [[nodiscard]] bool unchanged() {
    return std::ranges::all_of(places_, [this](const auto& known) { return place_of(known.first) == known.second; });
  }

 private:
  template <class C>
  using Pointer = typename Storage::template pointer<const C>;
  using Place = std::tuple<Pointer<Position>, Pointer<Velocity>, Pointer<Team>>;

  [[nodiscard]] Place place_of(std::size_t ordinal) {
    return roster_.storage.template find<Position, Velocity, Team>(roster_[ordinal]);
  }

  Roster<Storage>& roster_;
  std::vector<std::pair<std::size_t, Place>> places_;
};

template <template <class> class Strategy>
[[nodiscard]] bool pointers_survive_insertion() {
  Roster<Strategy<Plain>> roster;
  for (int i = 0; i < 40; ++i) create_plain(roster);
  for (std::uint32_t i = 0; i < 40; ++i) roster.template create<Position>(i);  // a part of a group
  Whereabouts even(roster, 2);
  for (int i = 0; i < 3000; ++i) create_plain(roster);
  roster.template create_many<Position, Velocity, Team>(3000, 1);
  Whereabouts of_all(roster, 2);
  for (std::size_t i = 1; i < 40; i += 2) roster.template emplace<Frozen>(i);
  for (std::size_t i = 41; i < 80; i += 2) roster.template emplace<Velocity>(i);  // completes the group
  for (std::uint32_t i = 0; i < 100; ++i) roster.template emplace<Team>(roster.template create<>(), i);
  return even.unchanged() && of_all.unchanged();
}

template <template <class> class Strategy>
[[nodiscard]] bool pointers_survive_erasure() {
  Roster<Strategy<Plain>> roster;
  for (int i = 0; i < 3000; ++i) create_plain(roster);
  Whereabouts even(roster, 2);
  for (std::size_t i = 1; i < 1500; i += 2) roster.destroy(i);
  for (std::size_t i = 1501; i < 3000; i += 2) roster.template remove<Team>(i);
  for (std::size_t i = 1501; i < 3000; i += 2) roster.template remove<Position>(i);
  return even.unchanged();
}

// ---- order

/// Whether entities with equal components are visited in the order of creation.
template <class Storage>
[[nodiscard]] bool visits_in_order(Roster<Storage>& roster) {
  bool in_order = true;
  std::size_t next_plain = 0;
  std::size_t next_other = 0;
  roster.storage.template each<const Position>([&](typename Storage::entity_type entity, const Position&) {
    const std::size_t ordinal = roster.ordinal_of(entity);
    const bool plain = roster.entry(ordinal).numbers[Roster<Storage>::template id<Velocity>].has_value();
    std::size_t& next = plain ? next_plain : next_other;
    in_order = in_order && ordinal >= next;
    next = ordinal + 1;
  });
  return in_order;
}

/// One by one, in bulk, both mixed; growing, in reserved room, in room that clear() left; among entities of another
/// set, and after others were destroyed.
template <template <class> class Strategy>
[[nodiscard]] bool creation_order_is_kept() {
  bool in_order = true;
  for (const std::size_t reserved : {std::size_t{0}, std::size_t{9000}}) {
    Roster<Strategy<Plain>> roster;
    roster.storage.template reserve<Position, Velocity, Team>(reserved);
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 2500; ++i) create_plain(roster);
      in_order = in_order && visits_in_order(roster);
      roster.template create_many<Position, Velocity, Team>(3000, 1);
      for (std::uint32_t i = 0; i < 1500; ++i) {
        roster.template create<Position, Team>(i);
        create_plain(roster);
      }
      in_order = in_order && visits_in_order(roster);
      roster.clear();
      std::vector<std::size_t> others;
      for (std::uint32_t i = 0; i < 100; ++i) others.push_back(roster.template create<Team>(i));
      for (const std::size_t other : others) roster.destroy(other);
    }
  }
  return in_order;
}

// ---- structural change inside each()

/// Thrown out of a loop whose rows are no longer where it looks for them.
class RowsMoved : public std::exception {};

/// Visits `count` entities, calling `act(roster, ordinal)` for each while the loop is under way. True if the rows
/// stayed in place, every living entity was visited once, no dead one was, and the storage shows what it should.
template <class Storage, class Act>
[[nodiscard]] bool loop_survives(std::size_t count, Act&& act) {
  Roster<Storage> roster;
  while (roster.created() < count) create_plain(roster);
  std::vector<int> visits(count, 0);
  bool saw_the_dead = false;
  try {
    using Reference = typename Storage::template reference<Position>;
    roster.storage.template each<Position>([&](typename Storage::entity_type entity, Reference position) {
      if (!roster.storage.alive(entity) || !roster.knows(entity)) {
        saw_the_dead = true;
        return;
      }
      const std::size_t ordinal = roster.ordinal_of(entity);
      if (ordinal >= count) return;  // created by `act`: may be visited or not
      ++visits[ordinal];
      act(roster, ordinal);
      const auto now = roster.storage.template find<Position>(entity);
      if (now != nullptr && now != &position) throw RowsMoved();
    });
  } catch (const testing::AssertionFired&) {
    return false;
  } catch (const RowsMoved&) {
    return false;
  }
  roster.check();
  for (std::size_t i = 0; i < count; ++i) {
    // one destroyed by another's visit need not have had its own
    if (visits[i] > 1 || (visits[i] == 0 && roster.entry(i).alive)) return false;
  }
  return !saw_the_dead;
}

template <template <class> class Strategy>
[[nodiscard]] bool loops_survive_creation() {
  using Storage = Strategy<Plain>;
  return loop_survives<Storage>(16, [](Roster<Storage>& roster, std::size_t) {
    for (int i = 0; i < 400; ++i) create_plain(roster);
  });
}

/// An entity created in a loop may be visited or not, and a loop that creates one for each visit ends all the same.
template <template <class> class Strategy>
void creating_in_a_loop_reaches_its_end() {
  using Storage = Strategy<Plain>;
  if constexpr (Storage::semantics.create_while_iterating.kept) {
    constexpr std::size_t most = 3000;  // of which there are several sections, each of which may be walked to its end
    for (const std::size_t count : {std::size_t{1}, most}) {
      Roster<Storage> roster;
      while (roster.created() < count) create_plain(roster);
      std::size_t visits = 0;
      roster.storage.template each<const Position>([&](const Position&) {
        require(++visits <= 4 * most, "a loop that creates an entity for each visit does not end");
        create_plain(roster);
      });
      require(visits >= count, "a loop in which entities are created leaves some out");
      roster.check();
    }
  }
}

template <template <class> class Strategy>
[[nodiscard]] bool loops_survive_destruction() {
  using Storage = Strategy<Plain>;
  return loop_survives<Storage>(300, [](Roster<Storage>& roster, std::size_t ordinal) {
    if (ordinal % 3 != 0) roster.destroy(ordinal);
  });
}

template <template <class> class Strategy>
[[nodiscard]] bool loops_survive_destruction_of_others() {
  using Storage = Strategy<Plain>;
  return loop_survives<Storage>(300, [](Roster<Storage>& roster, std::size_t ordinal) {
    const std::size_t other = ordinal % 2 == 0 ? 299 - ordinal : (ordinal + 4) % 300;
    if (other != ordinal && roster.entry(other).alive) roster.destroy(other);
  });
}

template <template <class> class Strategy>
[[nodiscard]] bool loops_survive_other_components() {
  using Storage = Strategy<Plain>;
  return loop_survives<Storage>(300, [](Roster<Storage>& roster, std::size_t ordinal) {
    roster.template emplace<Frozen>(ordinal);
    roster.template remove<Team>(ordinal);
    roster.template remove<Velocity>(ordinal);
    if (ordinal % 2 == 0) roster.template emplace<Velocity>(ordinal, 7);
    if (ordinal % 3 == 0) roster.template remove<Position>(ordinal);
  });
}

// ---- destruction and threads

template <template <class> class Strategy>
[[nodiscard]] bool destruction_is_immediate() {
  Roster<Strategy<World>> roster;
  for (std::uint32_t i = 0; i < 10; ++i) create_assorted(roster, i);
  roster.destroy(4);
  roster.template remove<Fragile>(6);
  roster.destroy(9);
  return Fragile::living == 7;
}

/// No row is in two blocks, and two threads may write to different blocks (the thread sanitizer watches).
template <class Storage>
void visit_blocks_by_two_threads() {
  Roster<Storage> roster;
  for (int i = 0; i < 4000; ++i) create_plain(roster);
  for (std::size_t i = 0; i < 4000; i += 3) roster.template remove<Velocity>(i);
  using Pointer = typename Storage::template pointer<Position>;
  std::vector<Pointer> rows;
  roster.storage.template each_block<Position>([&](const auto& positions) {
    for (std::size_t i = 0; i < positions.size(); ++i) rows.push_back(&positions[i]);
  });
  std::vector<Pointer> distinct(rows);
  std::ranges::sort(distinct);
  require(std::ranges::adjacent_find(distinct) == distinct.end(), "a row is in two blocks");
  const auto move_half = [&](std::size_t first) {
    for (std::size_t i = first; i < rows.size(); i += 2) *rows[i] = made_of<Position>(rows[i]->number + 1);
  };
  std::thread other(move_half, 1);
  move_half(0);
  other.join();
  for (std::uint32_t i = 0; i < 4000; ++i) roster.template note_component<Position>(i, i + 1);
  roster.check();
}

/// The steps of a loop, cut anywhere, visit the entities that each() visits, by two threads too. None may change the
/// structure, not even if each() allows it.
template <class Storage>
void visit_steps_by_two_threads() {
  using Handle = typename Storage::entity_type;
  Roster<Storage> roster;
  for (int i = 0; i < 2000; ++i) create_plain(roster);
  for (std::size_t i = 0; i < 2000; i += 3) roster.template remove<Velocity>(i);
  for (std::size_t i = 0; i < 2000; i += 7) roster.destroy(i);
  Storage& storage = roster.storage;
  bool destroys = false;
  const auto work = [&](Handle entity, Position& position, const Velocity&) {
    position = made_of<Position>(position.number + 1);
    if (destroys) storage.destroy(entity);
  };
  const std::size_t steps = storage.template loop_steps<Position, const Velocity>();
  const auto visit_every_other = [&](std::size_t first, std::size_t end) {
    for (; first < end; first += 2 * 61) {
      storage.template each_step<Position, const Velocity>(first, std::min(first + 61, end), work);
    }
  };
  std::thread other(visit_every_other, 0, steps);
  visit_every_other(61, steps);
  other.join();
  for (std::size_t i = 0; i < roster.created(); ++i) {
    const auto& numbers = roster.entry(i).numbers;
    if (!numbers[Roster<Storage>::template id<Velocity>]) continue;
    roster.template note_component<Position>(i, numbers[Roster<Storage>::template id<Position>].value_or(0) + 1);
  }
  roster.check();
  destroys = true;
  require_throws<testing::AssertionFired>([&] { storage.template each_step<Position, const Velocity>(0, steps, work); },
                                          "each_step() lets its function destroy");
}

/// More entities than any storage has room for unasked, as far as its index can number them.
template <template <class> class Strategy>
[[nodiscard]] bool creation_finds_room() {
  using Storage = Strategy<Plain>;
  std::size_t count = 70'000;
  if constexpr (requires { Storage::row_limit; }) count = std::min(count, Storage::row_limit);
  std::vector<typename Storage::entity_type> handles(count / 2);
  const std::vector<Position> positions(handles.size());
  Storage storage;
  try {
    storage.create(std::span(handles), std::span<const Position>(positions));
    while (storage.size() < count) storage.create(Position{});
  } catch (const CapacityExhausted&) {
    return false;
  }
  return storage.template count<Position>() == count;
}

/// One entity at a time, as often as it takes 8 bits of generation and 1024 indices that wait, or 16 bits, to come
/// round.
template <template <class> class Strategy>
[[nodiscard]] bool handles_never_return() {
  Strategy<Plain> storage;
  const auto first = storage.create();
  auto last = first;
  for (int destroyed = 0; destroyed < 256 * 1024; ++destroyed) {
    storage.destroy(last);
    last = storage.create();
    if (last == first) return false;
  }
  return true;
}

/// That rows cannot be visited by threads has no witness that fails for certain: a reason has to do.
template <template <class> class Strategy>
void card_parallel_rows() {
  constexpr Promise promise = Strategy<Plain>::semantics.parallel_rows;
  if constexpr (promise.kept) {
    if constexpr (offers<Strategy<Plain>, Capability::block_iteration>) {
      visit_blocks_by_two_threads<Strategy<Plain>>();
    }
    visit_steps_by_two_threads<Strategy<Plain>>();
  } else {
    require(!promise.reason.empty(), "a promise that is not given needs a reason");
  }
}

/// The check card_`promise`, which asks whether `holds` and then what the card says.
#define STOWAGE_CARD_CHECK(promise, holds, ...) \
  STOWAGE_CHECK_BY((hold_to_card<Strategy, &SemanticsCard::promise, holds<Strategy>>), card_##promise, __VA_ARGS__)

template <template <class> class Strategy>
inline constexpr std::array semantics_checks{
    STOWAGE_CARD_CHECK(pointer_stability_on_insert, pointers_survive_insertion, bulk_creation, structural_change),
    STOWAGE_CARD_CHECK(pointer_stability_on_erase, pointers_survive_erasure, structural_change),
    STOWAGE_CARD_CHECK(creation_order, creation_order_is_kept, bulk_creation, reservation),
    STOWAGE_CARD_CHECK(create_while_iterating, loops_survive_creation),
    STOWAGE_CHECK(creating_in_a_loop_reaches_its_end),
    STOWAGE_CARD_CHECK(destroy_current_while_iterating, loops_survive_destruction),
    STOWAGE_CARD_CHECK(destroy_others_while_iterating, loops_survive_destruction_of_others),
    STOWAGE_CARD_CHECK(change_components_while_iterating, loops_survive_other_components, structural_change),
    STOWAGE_CARD_CHECK(immediate_destruction, destruction_is_immediate, structural_change),
    STOWAGE_CHECK(card_parallel_rows, structural_change),
    STOWAGE_CARD_CHECK(growth, creation_finds_room, bulk_creation),
    STOWAGE_CARD_CHECK(handles_stay_stale, handles_never_return),
};

}  // namespace stowage::conformance
