#pragma once

// Checks of memory(): every byte is accounted for, reserved room is used, and an emptied storage keeps what it holds.
#include <cstring>
#include <random>

#include <stowage/contract/events.hpp>
#include <stowage/contract/memory.hpp>

#include "tests/conformance/components.hpp"

#ifdef __SANITIZE_ADDRESS__  // first, because a library may define __has_feature for compilers that have none
#define STOWAGE_TESTS_HAS_ASAN 1
#elif defined(__has_feature)
#define STOWAGE_TESTS_HAS_ASAN __has_feature(address_sanitizer)
#else
#define STOWAGE_TESTS_HAS_ASAN 0
#endif
#if STOWAGE_TESTS_HAS_ASAN && __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) static_cast<void>(address)
#define ASAN_UNPOISON_MEMORY_REGION(address, size) static_cast<void>(address)
#endif

namespace stowage::conformance {

/// What a storage takes from the heap between its construction and now, by the count of operator new.
template <class Storage>
class Accounted {
 public:
  [[nodiscard]] Storage* operator->() { return &storage_; }

  /// memory() is what the heap says, to the byte and to the block. Nothing else may have been allocated in between.
  void check(std::size_t payload_bytes, const char* file = __builtin_FILE(), int line = __builtin_LINE()) const {
    const harness::HeapUse now = testing::heap();
    const MemoryBreakdown memory = storage_.memory();
    require(memory.total_bytes() == now.live_bytes - before_.live_bytes,
            "memory() is not what the storage has taken from the heap", file, line);
    require(memory.allocations == now.live_blocks - before_.live_blocks,
            "memory() counts other blocks than the storage has taken from the heap", file, line);
    check_usable_sizes(memory, now.live_usable_bytes - before_.live_usable_bytes, file, line);
    require(memory.payload_bytes == payload_bytes, "payload is not the size of all living components", file, line);
    require(memory.slack_bytes <= memory.total_bytes() && memory.index_bytes <= memory.total_bytes(),
            "memory() counts more than all of it as one part", file, line);
  }

 private:
  /// What the C library really set aside has room for what was asked for, and for little more: blocks of their own
  /// pages are rounded up to whole ones. The sanitizers' blocks are exactly as large as asked for.
  static void check_usable_sizes(const MemoryBreakdown& memory, std::size_t usable_bytes, const char* file, int line) {
    if (!harness::usable_sizes_are_known) return;
    constexpr std::size_t most_rounding = STOWAGE_TESTS_HAS_ASAN ? 0 : 2 * 4096;
    require(memory.total_bytes() <= usable_bytes, "memory() says more than the C library has set aside", file, line);
    require(usable_bytes - memory.total_bytes() <= memory.allocations * most_rounding,
            "the C library has set aside more than memory() says", file, line);
  }

  harness::HeapUse before_ = testing::heap();
  Storage storage_;  // after the heap was asked
};

/// Through every state that a storage goes through: empty, reserved, filled, with holes, with moved groups, emptied.
template <template <class> class Strategy>
void memory_adds_up_to_the_byte() {
  using Storage = Strategy<World>;
  std::vector<typename Storage::entity_type> handles(3000);
  const std::vector<Position> positions(1000, made_of<Position>(1));
  const std::vector<Half> halves(1000, made_of<Half>(2));
  constexpr std::size_t bulk_row = sizeof(Position) + sizeof(Half);
  constexpr std::size_t row = sizeof(Position) + sizeof(Fragile) + sizeof(Wide);
  Accounted<Storage> storage;
  storage.check(0);
  storage->reserve(100);
  storage->template reserve<Position, Half>(10);
  storage.check(0);
  storage->create(std::span(handles).first(1000), std::span<const Position>(positions), std::span<const Half>(halves));
  storage.check(1000 * bulk_row);
  for (std::size_t i = 1000; i < 3000; ++i) {
    handles[i] = storage->create(made_of<Position>(1), made_of<Fragile>(2), made_of<Wide>(3));
    if (i % 100 == 0) storage.check(1000 * bulk_row + (i - 999) * row);
  }
  for (std::size_t i = 0; i < 3000; i += 3) storage->destroy(handles[i]);
  const std::size_t filled = 666 * bulk_row + 1334 * row;
  storage.check(filled);
  for (std::size_t i = 1; i < 600; i += 3) {
    storage->template emplace<Wide>(handles[i], made_of<Wide>(4));
    storage->template emplace<Large>(handles[i + 1], made_of<Large>(4));
  }
  storage.check(filled + 200 * (sizeof(Wide) + sizeof(Large)));
  for (std::size_t i = 1; i < 600; i += 3) storage->template remove<Position>(handles[i]);
  storage.check(filled + 200 * (sizeof(Wide) + sizeof(Large)) - 200 * sizeof(Position));
  storage->template each<const Position>([](const Position&) {});
  storage->template each<const Wide, const Position>([](const Wide&, const Position&) {});
  storage.check(filled + 200 * (sizeof(Wide) + sizeof(Large)) - 200 * sizeof(Position));
  storage->clear();
  storage.check(0);
}

/// Through many generations: entities of other sets replace destroyed ones, components are added and removed, and
/// the emptied storage is filled again.
template <template <class> class Strategy>
void memory_adds_up_through_churn() {
  using Storage = Strategy<World>;
  constexpr std::size_t count = 400;
  constexpr std::size_t narrow = sizeof(Position) + sizeof(Half);
  constexpr std::size_t wide = sizeof(Position) + sizeof(Fragile) + sizeof(Wide);
  std::vector<typename Storage::entity_type> handles(count);
  std::vector<std::size_t> held(count, 0);
  Accounted<Storage> storage;
  std::mt19937_64 engine(count);
  std::size_t payload = 0;
  const auto replace = [&](std::size_t place, bool by_narrow) {
    storage->destroy(handles[place]);
    handles[place] = by_narrow ? storage->create(made_of<Position>(1), made_of<Half>(2))
                               : storage->create(made_of<Position>(1), made_of<Fragile>(2), made_of<Wide>(3));
    payload += (by_narrow ? narrow : wide) - held[place];
    held[place] = by_narrow ? narrow : wide;
  };
  const auto toggle = [&](std::size_t place) {
    if (!storage->alive(handles[place])) return;
    const bool had = storage->template remove<Large>(handles[place]);
    if (!had) storage->template emplace<Large>(handles[place], made_of<Large>(4));
    held[place] += had ? 0 - sizeof(Large) : sizeof(Large);
    payload += had ? 0 - sizeof(Large) : sizeof(Large);
  };
  for (int life = 0; life < 3; ++life) {
    for (int step = 0; step < 2000; ++step) {
      const std::size_t place = engine() % count;
      if (const std::uint64_t kind = engine() % 3; kind == 0) {
        toggle(place);
      } else {
        replace(place, kind == 1);
      }
      if (step % 50 == 0) storage.check(payload);
    }
    storage.check(payload);
    storage->clear();
    storage.check(payload = 0);
    held.assign(count, 0);
  }
}

template <template <class> class Strategy>
void destruction_gives_everything_back() {
  const std::size_t before = testing::heap().live_bytes;
  {
    Roster<Strategy<World>> roster;
    for (std::uint32_t i = 0; i < 100; ++i) {
      create_assorted(roster, i);
      create_second_group(roster, i);
    }
    for (std::size_t i = 0; i < 200; i += 3) roster.destroy(i);
  }
  require(testing::heap().live_bytes == before, "a destroyed storage keeps memory");
  require(Fragile::living == 0, "components outlive their storage");
}

template <template <class> class Strategy>
void tags_take_no_room() {
  Strategy<World> storage;
  std::vector<typename Strategy<World>::entity_type> handles;
  handles.reserve(100);
  for (std::uint32_t i = 0; i < 100; ++i) handles.push_back(storage.create(made_of<Position>(i)));
  const std::size_t without = storage.memory().payload_bytes;
  for (const auto handle : handles) storage.template emplace<Frozen>(handle);
  require(storage.memory().payload_bytes == without, "tags count as payload");
}

// ---- room in advance

/// Creates `count` entities with all of Cs and returns how often that allocated.
template <class Storage, class... Cs>
[[nodiscard]] std::size_t allocations_of_creating(Storage& storage, std::size_t count) {
  const std::size_t before = testing::heap().allocations;
  for (std::size_t i = 0; i < count; ++i) storage.create(made_of<Cs>(static_cast<std::uint32_t>(i))...);
  return testing::heap().allocations - before;
}

/// Not even once if the component set is new.
template <template <class> class Strategy>
void creation_in_reserved_room_does_not_allocate() {
  constexpr std::size_t count = 3000;
  Strategy<Plain> all;
  all.reserve(count);
  require(allocations_of_creating<Strategy<Plain>, Position, Velocity, Team, Frozen>(all, count) == 0,
          "creation allocates in spite of reserve(n)");
  Strategy<Plain> some;
  some.template reserve<Team, Position>(count);
  require(allocations_of_creating<Strategy<Plain>, Position, Team>(some, count) == 0,
          "creation allocates in spite of reserve<Cs...>(n)");
  std::vector<typename Strategy<Plain>::entity_type> handles(count);
  const std::vector<Position> positions(count);
  const std::vector<Velocity> velocities(count);
  Strategy<Plain> bulk;
  bulk.template reserve<Position, Velocity>(count);
  const std::size_t before = testing::heap().allocations;
  bulk.create(std::span(handles), std::span<const Position>(positions), std::span<const Velocity>(velocities));
  require(testing::heap().allocations == before, "bulk creation allocates in spite of reserve<Cs...>(n)");
}

/// Creates 3000 entities and returns what that took beside the work asked for.
template <class Storage>
[[nodiscard]] StorageEvents events_of_creating(std::size_t reserved) {
  Storage storage;
  storage.template reserve<Position, Velocity, Team>(reserved);
  const StorageEvents before = storage.events();
  static_cast<void>(allocations_of_creating<Storage, Position, Velocity, Team>(storage, 3000));
  return storage.events() - before;
}

/// What grows is counted, and nothing is if there is room.
template <template <class> class Strategy>
void events_tell_of_growth() {
  using Storage = Strategy<Plain>;
  if constexpr (requires(const Storage& storage) { storage.events(); }) {
    require(Storage().events() == StorageEvents{}, "a new storage has events to tell of");
    require(events_of_creating<Storage>(0) != StorageEvents{}, "a storage grows and its events() do not tell");
    require(events_of_creating<Storage>(3000) == StorageEvents{}, "events() tell of growth in reserved room");
  }
}

/// reserve() of nothing and of less than there is, with the memory that it must not give back.
template <class RosterType>
void reserve_less_than_there_is(RosterType& roster) {
  using Storage = decltype(RosterType::storage);
  const auto held_bytes = [&]() -> std::size_t {
    if constexpr (offers<Storage, memory_accounting>) return roster.storage.memory().total_bytes();
    return 0;
  };
  const std::size_t before = held_bytes();
  roster.storage.reserve(0);
  roster.storage.template reserve<Name>(0);
  roster.storage.template reserve<Position, Fragile, Wide>(0);
  require(held_bytes() >= before, "reserve(0) gave memory back");
  roster.storage.reserve(1);
  roster.storage.template reserve<Position, Fragile, Wide>(3);
  require(held_bytes() >= before, "reserve() of less than there is gave memory back");
  roster.check();
}

/// reserve() of nothing, of less than there is, and of no room at all in a new storage change nothing.
template <template <class> class Strategy>
void reserve_never_shrinks() {
  Roster<Strategy<World>> roster;
  roster.storage.reserve(0);
  roster.storage.template reserve<Name>(0);
  roster.storage.template reserve<Position, Fragile, Wide>(0);
  roster.check();
  create_whole_group(roster, 1);
  create_assorted(roster, 2);
  populate(roster, 20);
  reserve_less_than_there_is(roster);
  roster.storage.reserve(500);
  roster.check();
  reserve_less_than_there_is(roster);
  populate(roster, 20);
  roster.clear();
  reserve_less_than_there_is(roster);
  populate(roster, 20);
  roster.check();
}

/// Generations of so few bits come round so soon that freed indices wait: after clear() all of them do, in a queue that
/// has to have room for them, and new entities get other ones first.
template <template <class> class Strategy>
void clear_keeps_memory() {
  constexpr bool indices_wait = Strategy<Plain>::entity_type::generation_bits <= 8;
  constexpr std::size_t count = 3000;
  Strategy<Plain> storage;
  static_cast<void>(allocations_of_creating<Strategy<Plain>, Position, Velocity, Team>(storage, count));
  const std::size_t held = storage.memory().total_bytes();
  storage.clear();
  const std::size_t kept = storage.memory().total_bytes();
  require(kept == held || (indices_wait && kept > held), "clear() gave memory back, or took some");
  const std::size_t allocations = allocations_of_creating<Strategy<Plain>, Position, Velocity, Team>(storage, count);
  require(allocations == 0 || indices_wait, "creation after clear() allocates although the memory was kept");
}

/// Under the address sanitizer the components are made untouchable while clear() runs. Elsewhere their bytes show what
/// is written to them, if the storage still holds them. Nothing can tell if a component has no address.
template <template <class> class Strategy>
void clear_does_not_visit_trivial_components() {
  if constexpr (std::is_pointer_v<typename Strategy<Plain>::template pointer<const Position>>) {
    Strategy<Plain> storage;
    static_cast<void>(allocations_of_creating<Strategy<Plain>, Position, Velocity, Team>(storage, 3000));
    std::vector<const Position*> positions;
    std::vector<Position> before;
    storage.template each<const Position>([&](const Position& position) {
      positions.push_back(&position);
      before.push_back(position);
    });
    const auto held = [&]() -> std::size_t {
      if constexpr (offers<Strategy<Plain>, memory_accounting>) return storage.memory().total_bytes();
      return 0;
    };
    const std::size_t held_before = held();
    for (const Position* const position : positions) ASAN_POISON_MEMORY_REGION(position, sizeof(Position));
    storage.clear();
    for (const Position* const position : positions) ASAN_UNPOISON_MEMORY_REGION(position, sizeof(Position));
    if (held_before == 0 || held() != held_before) return;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      require(std::memcmp(positions[i], &before[i], sizeof(Position)) == 0, "clear() writes to components");
    }
  }
}

template <template <class> class Strategy>
inline constexpr std::array memory_checks{
    STOWAGE_CHECK(memory_adds_up_to_the_byte, memory_accounting, bulk_creation, reservation, structural_change),
    STOWAGE_CHECK(memory_adds_up_through_churn, memory_accounting, structural_change),
    STOWAGE_CHECK(destruction_gives_everything_back),
    STOWAGE_CHECK(reserve_never_shrinks, reservation),
    STOWAGE_CHECK(events_tell_of_growth, reservation),
};

/// What a storage that asks the heap for every component (`naive_objects`) does not keep.
template <template <class> class Strategy>
inline constexpr std::array packed_memory_checks{
    STOWAGE_CHECK(tags_take_no_room, memory_accounting, structural_change),
    STOWAGE_CHECK(clear_does_not_visit_trivial_components),
};

/// What a storage that asks the heap for an object or a node per entity does not keep: the one exception from the
/// contract.
template <template <class> class Strategy>
inline constexpr std::array reserved_memory_checks{
    STOWAGE_CHECK(creation_in_reserved_room_does_not_allocate, reservation, bulk_creation),
    STOWAGE_CHECK(clear_keeps_memory, memory_accounting),
};

}  // namespace stowage::conformance
