// Indices beside lookup: the events and bytes of their growth, the most rows that they can number, their pages, and
// when joins look up.
#include <unistd.h>

#include <array>
#include <fstream>
#include <vector>

#include <stowage/archetype_sections.hpp>
#include <stowage/archetype_sections_interleaved.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/hash_index.hpp>
#include <stowage/hash_index_list_in_array.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/interleaved_pairs.hpp>
#include <stowage/naive_objects.hpp>
#include <stowage/object_indices.hpp>
#include <stowage/offset_table.hpp>
#include <stowage/parts/loop.hpp>
#include <stowage/parts/room.hpp>
#include <stowage/sparse_direct.hpp>
#include <stowage/sparse_direct_bitset.hpp>

#include "tests/support/catch.hpp"
#include "tests/support/counting_new.hpp"
#include "workloads/support/components.hpp"
#include "workloads/support/random.hpp"

namespace stowage {
namespace {

using workloads::Acceleration;
using workloads::Mass;
using workloads::PointMassSchema;
using workloads::Position;
using workloads::Velocity;

template <class Storage>
auto create_point_mass(Storage& storage) {
  return storage.create(Mass{}, Position{}, Velocity{}, Acceleration{});
}

// ---- the map of the first pool in the registry

TEST_CASE("the registry indexes the first pool if indices need not wait, and takes no second map for it") {
  using Waiting = EntityRegistry<Entity, 1>;
  IndirectionMap<PointMassSchema> homed;
  IndirectionMap<PointMassSchema, Waiting> beside;
  for (int i = 0; i < 1000; ++i) {
    create_point_mass(homed);
    create_point_mass(beside);
  }
  CHECK(homed.memory().index_bytes == 1000 * (8 + 4));       // registry and map; owner
  CHECK(beside.memory().index_bytes == 1000 * (4 + 8 + 4));  // generation, map, owner
}

// ---- events

TEST_CASE("rows, registry and a map beside it count each growth of theirs") {
  const auto grow = [](auto storage, std::uint64_t growths) {
    for (int i = 0; i < 16; ++i) create_point_mass(*storage);
    CHECK(storage->events() == StorageEvents{});  // memory where there was none is no growth
    create_point_mass(*storage);
    CHECK(storage->events() == StorageEvents{.growths = growths});
  };
  grow(std::make_unique<IndirectionMap<PointMassSchema>>(), 2);
  grow(std::make_unique<IndirectionMap<PointMassSchema, EntityRegistry<Entity, 1>>>(), 3);
}

TEST_CASE("a hash table that is built anew is counted, and what is reserved is never given back") {
  HashIndex<PointMassSchema> storage;
  storage.reserve<Mass, Position, Velocity, Acceleration>(1000);
  CHECK(storage.events() == StorageEvents{});
  std::vector<Entity> out(20);
  const std::vector<Position> positions(20);
  for (int i = 0; i < 50; ++i) {
    create_point_mass(storage);
    storage.create(out, positions);
  }
  CHECK(storage.events().rehashes == 6);  // the table of Position alone, which was not reserved: 2048 slots
  for (int i = 0; i < 950; ++i) create_point_mass(storage);
  CHECK(storage.events().rehashes == 6);
}

TEMPLATE_TEST_CASE("a small hash table is copied into the room of a large one", "", HashIndex<PointMassSchema>,
                   HashIndexListInArray<PointMassSchema>) {
  TestType storage;
  storage.template reserve<Mass, Position, Velocity, Acceleration>(1000);
  TestType small;
  const Entity entity = create_point_mass(small);
  storage.copy_from(small);
  CHECK(storage.template find<Mass>(entity) != nullptr);
  for (int i = 1; i < 1000; ++i) create_point_mass(storage);
  CHECK(storage.events() == StorageEvents{});
  storage.copy_from(TestType());
  CHECK(storage.template find<Mass>(entity) == nullptr);
}

struct MovableOnly {
  explicit MovableOnly(int number) : value(number) {}
  MovableOnly(MovableOnly&&) = default;
  MovableOnly& operator=(MovableOnly&&) = default;
  MovableOnly(const MovableOnly&) = delete;

  int value;
};
static_assert(std::is_trivially_copyable_v<MovableOnly>);

TEMPLATE_TEST_CASE("bytes that may only be moved are a component", "", (IndirectionMap<Schema<MovableOnly>>),
                   (ArchetypeSections<Schema<MovableOnly>>), (SparseDirect<Schema<MovableOnly>>),
                   (NaiveObjects<Schema<MovableOnly>>), (ArchetypeSectionsInterleaved<Schema<MovableOnly>>),
                   (InterleavedPairs<Schema<Group<MovableOnly, int>>>)) {
  TestType storage;
  const auto entity = storage.create(MovableOnly(7));
  const auto other = storage.create();
  storage.template emplace<MovableOnly>(other, MovableOnly(8));
  storage.destroy(entity);
  CHECK(storage.template find<MovableOnly>(other)->value == 8);
  std::array<MovableOnly, 2> given{MovableOnly(9), MovableOnly(10)};
  std::array<Entity, 2> many{};
  storage.create(std::span(many), std::span(given));
  TestType copy;
  copy.copy_from(storage);
  CHECK(copy.template find<MovableOnly>(many[1])->value == 10);
}

/// A table against a map in which the same is done. Few indices, of three runs that meet in every small table.
TEMPLATE_TEST_CASE("a table finds what is in it and nothing else, however many entities meet", "",
                   parts::LinearTable<parts::FibonacciHash>, parts::LinearTable<parts::MixedHash>,
                   parts::LinearTable<parts::IdentityHash>, parts::ListInArray) {
  TestType table;
  std::map<EntityIndex, std::pair<std::uint32_t, parts::RowNumber>> known;
  workloads::Random random(3);
  std::size_t mistakes = 0;
  for (std::uint32_t step = 0; step < 60'000; ++step) {
    const auto index = static_cast<EntityIndex>(random.below(3) * 65'536 + random.below(500));
    const Entity entity(index, static_cast<std::uint32_t>(random.below(2)));
    const auto found = known.find(index);
    const bool is_known = found != known.end();
    const bool is_this = is_known && found->second.first == entity.generation();
    const parts::RowNumber row = is_this ? found->second.second : parts::no_row;
    switch (random.below(4)) {
      case 0:
        if (is_known) break;
        table.insert(entity, step);
        known[index] = {entity.generation(), step};
        break;
      case 1:
        mistakes += table.take(entity) != row ? 1 : 0;
        if (is_this) known.erase(found);
        break;
      case 2:
        if (is_known) table.assign(index, found->second.second = step);
        break;
      default:
        mistakes += table.find(entity) != row ? 1 : 0;
        mistakes += table.row_at(index) != (is_known ? found->second.second : parts::no_row) ? 1 : 0;
    }
    mistakes += table.size() != known.size() ? 1 : 0;
    if (step % 20'000 != 19'999) continue;
    table.clear();
    known.clear();
  }
  CHECK(mistakes == 0);
}

TEST_CASE("a linear table has room for what was reserved, if hardly any, and is never built anew for other entities") {
  using Table = parts::LinearTable<parts::FibonacciHash>;
  for (std::size_t count = 1; count < 10; ++count) {
    Table table;
    table.reserve(count);
    for (EntityIndex index = 0; index < 64; ++index) REQUIRE(table.find(Entity(index, 0)) == parts::no_row);
    for (EntityIndex index = 0; index < count; ++index) table.insert(Entity(7 * index, 0), index);
    for (EntityIndex index = 0; index < count; ++index) REQUIRE(table.find(Entity(7 * index, 0)) == index);
    CHECK(table.events() == StorageEvents{});
  }
  Table table;
  table.reserve(100);
  for (EntityIndex index = 0; index < 100'000; ++index) {
    table.insert(Entity(index, 0), index);
    if (index >= 100 - 1) REQUIRE(table.take(Entity(index - (100 - 1), 0)) == index - (100 - 1));
  }
  CHECK(table.events() == StorageEvents{});
}

// ---- room

TEST_CASE("room never grows beyond what the index can number") {
  using Room = parts::GrowingRoom<100>;
  CHECK(Room::grown(0, 1) == 16);
  CHECK(Room::grown(64, 65) == 100);
  CHECK(Room::grown(64, 100) == 100);
  CHECK_THROWS_AS(Room::grown(100, 101), RowsExhausted);
  CHECK(Room::reserved(100) == 100);
  CHECK_THROWS_AS(Room::reserved(101), RowsExhausted);
  CHECK_THROWS_WITH(Room::reserved(101), ContainsSubstring("100"));
}

/// The most rows of a 16-bit offset table and of a fixed capacity. fill() makes as many whole point masses.
constexpr std::size_t full = 65'535;
template <class Storage>
std::vector<Entity> fill(Storage& storage) {
  std::vector<Entity> entities(full);
  std::vector<Mass> masses(full);
  for (std::size_t i = 0; i < full; ++i) masses[i].value = static_cast<float>(i);
  const std::vector<Position> positions(full);
  const std::vector<Velocity> velocities(full);
  const std::vector<Acceleration> accelerations(full);
  storage.create(entities, masses, positions, velocities, accelerations);
  return entities;
}

template <class Storage>
void expect_everybody(const Storage& storage, const std::vector<Entity>& entities) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const Mass* const mass = storage.template find<Mass>(entities[i]);
    wrong += mass == nullptr || mass->value != static_cast<float>(i) ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(storage.template count<Mass>() == entities.size());
}

/// Every way to ask for a row too many throws `Exhausted` and changes nothing; a row that has gone makes room for one.
template <class Exhausted, class Storage>
void expect_full(Storage& storage) {
  std::vector<Entity> entities = fill(storage);
  const Entity outsider = storage.create();
  storage.template emplace<Mass>(outsider);
  storage.template emplace<Position>(outsider);
  storage.template emplace<Velocity>(outsider);
  const std::size_t size = storage.size();
  const MemoryBreakdown memory = storage.memory();
  CHECK_THROWS_AS(create_point_mass(storage), Exhausted);
  CHECK_THROWS_AS(storage.template emplace<Acceleration>(outsider), Exhausted);  // completes a group
  std::array<Entity, 2> two;
  CHECK_THROWS_AS(storage.create(two, std::array<Mass, 2>{}, std::array<Position, 2>{}, std::array<Velocity, 2>{},
                                 std::array<Acceleration, 2>{}),
                  Exhausted);
  CHECK(storage.size() == size);
  CHECK(storage.memory() == memory);
  CHECK(storage.template count<Acceleration>() == full);
  storage.destroy(outsider);
  expect_everybody(storage, entities);
  storage.destroy(entities.back());
  entities.back() = storage.create(Mass{static_cast<float>(full - 1)}, Position{}, Velocity{}, Acceleration{});
  expect_everybody(storage, entities);
  CHECK_THROWS_AS(create_point_mass(storage), Exhausted);
}

TEST_CASE("the 65,536th row is refused by an offset table of 16 bits and by a fixed capacity; nothing has changed") {
  using Storage = OffsetTable16<PointMassSchema>;
  static_assert(Storage::row_limit == full);
  Storage storage;
  CHECK_THROWS_AS(storage.reserve(full + 1), RowsExhausted);
  expect_full<RowsExhausted>(storage);
  HashIndexFixedCapacity<PointMassSchema> fixed;
  expect_full<CapacityExhausted>(fixed);
}

TEST_CASE("an offset table takes 2 or 4 bytes for every pool, beside the generation, and pads to no power of two") {
  OffsetTable<PointMassSchema> wide;
  OffsetTable16<PointMassSchema> narrow;
  constexpr std::size_t count = 1024;
  for (std::size_t i = 0; i < count; ++i) {
    create_point_mass(wide);
    create_point_mass(narrow);
  }
  const auto all_but_records = [&](std::size_t bytes) { return bytes - count * (4 + 4); };  // registry, owners
  CHECK(all_but_records(wide.memory().index_bytes) == count * (4 + 4));  // the number of one pool of five says a row
  CHECK(all_but_records(narrow.memory().index_bytes) == count * (4 + 2));
  CHECK(wide.memory().total_bytes() - narrow.memory().total_bytes() == count * (24 - 16));
}

// ---- fixed capacity

TEST_CASE("a storage of fixed capacity has all of it from the first row on, and neither moves a row nor rehashes") {
  HashIndexFixedCapacity<PointMassSchema> storage;
  const Entity first = create_point_mass(storage);
  const Mass* const place = storage.find<Mass>(first);
  for (int life = 0; life < 3; ++life) {
    std::vector<Entity> others;
    while (storage.size() < full) others.push_back(create_point_mass(storage));
    CHECK(storage.find<Mass>(first) == place);
    for (const Entity entity : others) storage.destroy(entity);
  }
  CHECK(storage.events().rehashes == 0);
  EntityRegistry<> registry;
  for (std::size_t i = 0; i < full; ++i) static_cast<void>(registry.create());
  CHECK(storage.events().growths >= registry.events().growths);
  CHECK(storage.events().growths <= registry.events().growths + 20);  // and the queue of freed indices
}

TEST_CASE("a fixed capacity is a parameter, and a full pool says how many rows it has") {
  HashIndexFixedCapacity<PointMassSchema, EntityRegistry<>, 1000> storage;
  for (int i = 0; i < 1000; ++i) create_point_mass(storage);
  CHECK_THROWS_WITH(create_point_mass(storage), ContainsSubstring("1000"));
  CHECK(storage.size() == 1000);
  HashIndexFixedCapacity<PointMassSchema> larger;
  create_point_mass(larger);
  CHECK(storage.memory().total_bytes() * 50 < larger.memory().total_bytes());
}

TEST_CASE("only reserve() raises a fixed capacity, whenever it comes") {
  HashIndexFixedCapacity<PointMassSchema> storage;
  storage.reserve(100);
  std::vector<Entity> entities = fill(storage);
  CHECK_THROWS_AS(create_point_mass(storage), CapacityExhausted);
  storage.reserve<Mass, Position, Velocity, Acceleration>(full + 2);
  CHECK(storage.events().growths >= 1);
  for (int i = 0; i < 2; ++i) {
    const auto mass = static_cast<float>(entities.size());
    entities.push_back(storage.create(Mass{mass}, Position{}, Velocity{}, Acceleration{}));
  }
  CHECK_THROWS_WITH(create_point_mass(storage), ContainsSubstring("65537"));
  expect_everybody(storage, entities);
}

// ---- pages

TEST_CASE("a page of the map exists where an index has had a row, and one that does not costs a pointer") {
  IndirectionMapPaged<PointMassSchema> storage;
  std::vector<Entity> entities;
  for (int i = 0; i < 40'000; ++i) entities.push_back(storage.create());
  CHECK(storage.events().sections == 0);
  storage.emplace<Mass>(entities[39'999]);  // in the tenth page
  CHECK(storage.events().sections == 1);
  CHECK(storage.find<Mass>(entities[3]) == nullptr);
  storage.emplace<Mass>(entities[8'191]);
  storage.emplace<Mass>(entities[4'096]);
  CHECK(storage.events().sections == 2);
  const std::size_t before = storage.memory().total_bytes();
  storage.emplace<Mass>(entities[8'192]);
  CHECK(storage.memory().total_bytes() == before + std::size_t{4096} * 8);
  storage.clear();
  CHECK(storage.events().sections == 3);
  for (const Entity entity : entities) REQUIRE(storage.find<Mass>(entity) == nullptr);
}

// ---- objects

TEST_CASE("an entity has its object as long as it lives, whatever components it has") {
  ObjectIndices<PointMassSchema> storage;
  storage.reserve(10);
  const std::size_t blocks = testing::heap().live_blocks;
  const Entity first = storage.create();
  create_point_mass(storage);
  CHECK(testing::heap().live_blocks == blocks + 2);
  storage.destroy(first);
  CHECK(testing::heap().live_blocks == blocks + 2);  // the queue of freed indices came
  storage.clear();
  CHECK(testing::heap().live_blocks == blocks + 1);
}

TEMPLATE_TEST_CASE("a loop in which all objects end visits no more of them", "", NaiveObjects<PointMassSchema>,
                   NaiveObjectsInlineFields<PointMassSchema>) {
  TestType storage;
  for (int i = 0; i < 3; ++i) create_point_mass(storage);
  std::size_t visits = 0;
  storage.template each<Mass>([&](Mass&) {
    ++visits;
    storage.clear();
  });
  CHECK(visits == 1);
  CHECK(storage.size() == 0);
}

// ---- what an entity with 40 bytes of components in one group may cost, registry included, as operator new counts it

template <class Storage>
std::size_t live_bytes_of(std::size_t count, bool reserved) {
  const std::size_t before = testing::heap().live_bytes;
  Storage storage;
  if (reserved) storage.reserve(count);
  for (std::size_t i = 0; i < count; ++i) storage.create(Mass{}, Position{}, Velocity{}, Acceleration{});
  return testing::heap().live_bytes - before;
}

TEMPLATE_TEST_CASE("a storage keeps its budget of bytes per entity", "", IndirectionMap<PointMassSchema>,
                   ArchetypeSections<PointMassSchema>) {
  for (const std::size_t count : {1, 100, 1024, 16'384, 100'000}) {
    INFO(count << " entities in reserved room");
    CHECK(live_bytes_of<TestType>(count, true) <= 56 * count + 8'192);
  }
  // right after a growth step is where the most is unused
  for (const std::size_t count : {16'384, 16'385, 20'000, 21'298, 25'000, 40'000, 60'000, 100'000}) {
    INFO(count << " entities grown one by one");
    CHECK(live_bytes_of<TestType>(count, false) <= 80 * count + 65'536);
  }
}

TEST_CASE("sections of fixed size take 32 KiB each, filled with rows to the last full vector") {
  using Storage = ArchetypeSectionsFixed32k<PointMassSchema>;
  Storage storage;
  storage.reserve(100'000);
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 5'000; ++i) storage.create(Mass{}, Position{}, Velocity{}, Acceleration{});
  storage.each_block<const Mass>([&](std::span<const Mass> masses) { sizes.push_back(masses.size()); });
  REQUIRE(sizes.size() >= 7);
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    CHECK(sizes[i] % 16 == 0);
    CHECK(sizes[i] * 44 <= 32'768);
    CHECK(sizes[i] * 44 > 30'720);
  }
}

/// Of this process, in pages that it has touched; nothing where the system does not say it.
std::optional<std::size_t> resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  if (!(file >> all >> resident)) return std::nullopt;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

struct Large {
  std::array<char, 4096> bytes;
};

TEMPLATE_TEST_CASE("direct rows that grow touch no page of a component that no entity has", "",
                   (SparseDirect<Schema<Mass, Large>>), (SparseDirectBitset<Schema<Mass, Large>>)) {
  const std::optional<std::size_t> before = resident_bytes();
  if (!before) {
    WARN("not tested: the system does not say how much memory is resident");
    return;
  }
  TestType storage;
  for (std::size_t i = 0; i < 5'000; ++i) storage.create(Mass{});
  CHECK(storage.memory().total_bytes() > 5'000 * sizeof(Large));
  CHECK(*resident_bytes() < *before + 12'000'000);  // the sanitizers' account of 23 MB takes a part of that
}

// ---- joins

TEST_CASE("a join looks up as far as the next row to visit before its function sees the one before it") {
  constexpr std::array<EntityIndex, 4> owners{5, 6, 7, 6};
  std::array<int, 8> components{};
  std::vector<EntityIndex> looked_up;
  std::vector<std::size_t> lookups_before;
  const auto in_row = [&](std::size_t row, EntityIndex) { return &components[row]; };
  const auto by_owner = [&](std::size_t, EntityIndex owner) {
    looked_up.push_back(owner);
    return owner == 6 ? nullptr : &components[owner];
  };
  auto visit = [&](EntityIndex owner, int* here, int* there) {
    CHECK(there == &components[owner]);
    CHECK(here == &components[owner - 5]);
    lookups_before.push_back(looked_up.size());
  };
  const auto join = [&](parts::RowRange rows) {
    looked_up.clear();
    lookups_before.clear();
    parts::join_rows<int, int>(rows, owners.data(), visit, in_row, parts::ByLookup{by_owner});
  };
  join({0, 4});
  CHECK(looked_up == std::vector<EntityIndex>{5, 6, 7, 6});
  CHECK(lookups_before == std::vector<std::size_t>{3, 4});
  join({1, 2});  // a slice of a row that is refused
  CHECK(looked_up == std::vector<EntityIndex>{6});
  CHECK(lookups_before.empty());
  join({4, 4});
  CHECK(looked_up.empty());
}

}  // namespace
}  // namespace stowage
