// What conformance cannot see of sections: which of them there are, which entities move when they are defragmented,
// what comes of their memory, and where their numbers end.
#include "tests/support/throwing_assert.hpp"

#include <numeric>
#include <unordered_map>

#include <stowage/archetype_sections.hpp>
#include <stowage/archetype_sections_arena.hpp>
#include <stowage/archetype_sections_dynamic.hpp>
#include <stowage/archetype_sections_free_list.hpp>
#include <stowage/commands/commands.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/registry.hpp>

#include "tests/conformance/components.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/counting_new.hpp"
#include "workloads/support/random.hpp"

namespace stowage {
namespace {

using conformance::Fragile;
using conformance::Frozen;
using conformance::Large;
using conformance::made_of;
using conformance::Name;
using conformance::Plain;
using conformance::Position;
using conformance::Roster;
using conformance::Team;
using conformance::Velocity;
using conformance::Wide;
using conformance::World;

template <class SchemaType>
using Packed = ArchetypeSectionsFixed4k<SchemaType>;
template <class SchemaType>
using WithHoles = ArchetypeSectionsFreeList<SchemaType, EntityRegistry<>, parts::FreeListForm<4 * 1024>>;
template <class SchemaType>
using InArenas = ArchetypeSections<SchemaType, EntityRegistry<>, parts::ArenaForm<4 * 1024>>;
/// Entities remember a place of 16 + 16 bits.
template <class SchemaType, class Form>
using Compact = ArchetypeSections<SchemaType, EntityRegistry<>, parts::CompactForm<Form>>;

/// Sections that have a row with Position, as far as each_block() can tell them apart.
template <class Storage>
std::size_t pages_with_rows(Storage& storage) {
  std::set<std::uintptr_t> pages;
  storage.template each_block<const Position>([&](std::span<const Position> rows) {
    for (const Position& row : rows) pages.insert(reinterpret_cast<std::uintptr_t>(&row) / 4096);
  });
  return pages.size();
}

template <class Storage>
std::size_t total_bytes(const Storage& storage) {
  return storage.memory().total_bytes();
}

/// Of a population of several sets as many die at random as leave `survivors` in a hundred.
template <class Roster>
void live_through_a_spike(Roster& roster, std::size_t survivors) {
  workloads::Random random(survivors);
  const std::size_t first = roster.created();
  for (std::uint32_t i = 0; i < 3000; ++i) {
    if (i % 3 == 0) {
      roster.template create<Position, Fragile, Wide>(i);
    } else if (i % 3 == 1) {
      roster.template create<Position, Name>(i);
    } else {
      roster.template create<>();
    }
  }
  for (std::size_t i = first; i < roster.created(); ++i) {
    if (random.below(100) >= survivors) roster.destroy(i);
  }
}

/// Until nothing is left to gain, a little at a time. Returns the number of rows moved.
template <class Storage>
std::size_t defragment_by_steps(Roster<Storage>& roster, std::size_t budget) {
  std::size_t moved = 0;
  for (std::size_t step = budget; step == budget; moved += step) {
    step = roster.storage.defragment(budget);
    CHECK(step <= budget);
    roster.check();
  }
  return moved;
}

TEMPLATE_TEST_CASE("defragment() changes nothing that a program observes but where things are", "", Packed<World>,
                   WithHoles<World>, InArenas<World>, (Compact<World, parts::FixedForm<4 * 1024>>)) {
  for (const std::size_t survivors : {0, 1, 10, 50, 90, 100}) {
    INFO(survivors << " of 100 survive");
    Roster<TestType> roster;
    live_through_a_spike(roster, survivors);
    for (std::size_t i = 0; i < roster.created(); i += 5) {
      if (roster.entry(i).alive) roster.template emplace<Name>(i, 7);
    }
    defragment_by_steps(roster, 60);
    CHECK(roster.storage.defragment(1'000'000) == 0);
    live_through_a_spike(roster, 70);
    roster.storage.defragment(1'000'000);
    roster.check();
  }
  CHECK(Fragile::living == 0);
}

/// 12 + 4 + 1 bytes and an owner a row: 192 of them are 4032 bytes.
constexpr std::size_t rows_of_a_page = 4096 / 21;

template <class Storage>
std::vector<typename Storage::entity_type> thinned_out(Storage& storage, std::size_t count, std::size_t keep_each) {
  std::vector<typename Storage::entity_type> handles, kept;
  for (std::uint32_t i = 0; i < count; ++i) {
    handles.push_back(storage.create(made_of<Position>(i), made_of<Velocity>(i), made_of<Team>(i)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (i % keep_each == 0) kept.push_back(handles[i]);
    if (i % keep_each != 0) storage.destroy(handles[i]);
  }
  return kept;
}

TEMPLATE_TEST_CASE("with enough budget at most one partly filled section of a set remains", "", Packed<Plain>,
                   WithHoles<Plain>, InArenas<Plain>) {
  const std::size_t keep_each = GENERATE(2, 3, 10, 100);
  INFO("of which one row in " << keep_each << " survives");
  TestType storage;
  const auto kept = thinned_out(storage, 10'000, keep_each);
  const std::size_t before = pages_with_rows(storage);
  const std::size_t held = total_bytes(storage);
  storage.defragment(kept.size());
  // two pages a section if it does not begin on one; the last of them may be in part empty
  CHECK(pages_with_rows(storage) <= 2 * (kept.size() / (rows_of_a_page - 20) + 1));
  CHECK(pages_with_rows(storage) < before);
  CHECK(total_bytes(storage) < held);
  std::vector<std::size_t> sizes;
  storage.template each_block<const Position>([&](std::span<const Position> rows) { sizes.push_back(rows.size()); });
  const std::size_t largest = std::ranges::max(sizes);
  CHECK(std::ranges::count(sizes, largest) + 1 >= std::ssize(sizes));
  CHECK(sizes.size() == (kept.size() + largest - 1) / largest);
}

TEMPLATE_TEST_CASE("defragment() gives the memory of empty sections back to the heap", "", Packed<Plain>,
                   WithHoles<Plain>, InArenas<Plain>) {
  const std::size_t before = testing::heap().live_bytes;
  TestType storage;
  auto handles = thinned_out(storage, 20'000, 1);
  for (std::size_t i = 100; i < handles.size(); ++i) storage.destroy(handles[i]);
  CHECK(pages_with_rows(storage) != 0);  // remembers the query, which takes some bytes
  const std::size_t spike = total_bytes(storage);
  storage.defragment(1000);
  const std::size_t now = total_bytes(storage);
  CHECK(now + 19'000 * 21 < spike);  // rows of 21 bytes with their owners
  CHECK(testing::heap().live_bytes == before + now + handles.capacity() * sizeof(handles[0]));
  for (std::size_t i = 0; i < 100; ++i) storage.destroy(handles[i]);
  storage.defragment(0);
  CHECK(storage.memory().payload_bytes == 0);
  CHECK(pages_with_rows(storage) == 0);
  CHECK(total_bytes(storage) < now);
  thinned_out(storage, 20'000, 1);  // numbers that were given back are used again
  CHECK(total_bytes(storage) <= spike);
}

TEST_CASE("the emptiest section is emptied first, and a budget is kept to the row") {
  Packed<Plain> storage;
  std::vector<Entity> handles;
  for (std::uint32_t i = 0; i < 2000; ++i) handles.push_back(storage.create(made_of<Position>(i), made_of<Team>(i)));
  std::vector<std::size_t> sizes;
  const auto look = [&] {
    sizes.clear();
    storage.each_block<const Position>([&](std::span<const Position> rows) { sizes.push_back(rows.size()); });
  };
  look();
  REQUIRE(sizes.size() > 5);
  const std::size_t full = sizes[0];
  for (std::size_t i = 0; i < full - 7; ++i) storage.destroy(handles[i]);              // 7 left in the first
  for (std::size_t i = full; i < full + full / 2; ++i) storage.destroy(handles[i]);    // half of the second
  for (std::size_t i = 2 * full; i < 2 * full + 20; ++i) storage.destroy(handles[i]);  // all but 20 of the third
  CHECK(storage.defragment(5) == 5);
  look();
  CHECK(sizes[0] == 2);
  CHECK(sizes[1] == full - full / 2);
  CHECK(sizes[2] == full - 15);
  CHECK(storage.defragment(2) == 2);
  look();
  CHECK(sizes[0] == full - full / 2);
  CHECK(sizes[1] == full - 13);
}

TEST_CASE("defragment() is refused inside a loop") {
  Packed<Plain> storage;
  storage.create(made_of<Position>(1));
  const auto defragment = [&] { storage.each<Position>([&](const Position&) { storage.defragment(1); }); };
  CHECK_THROWS_AS(defragment(), testing::AssertionFired);
}

TEST_CASE("newcomers take the holes of rows that stay") {
  WithHoles<Plain> storage;
  std::vector<Entity> handles;
  for (std::uint32_t i = 0; i < 1000; ++i)
    handles.push_back(storage.create(made_of<Position>(i), made_of<Velocity>(i)));
  std::set<const Position*> holes;
  for (std::size_t i = 0; i < 1000; i += 7) {
    holes.insert(storage.find<Position>(handles[i]));
    storage.destroy(handles[i]);
  }
  const std::size_t held = total_bytes(storage);
  std::vector<Entity> bulk(holes.size() / 2);
  const std::vector<Position> positions(bulk.size());
  const std::vector<Velocity> velocities(bulk.size());
  storage.create(std::span(bulk), std::span<const Position>(positions), std::span<const Velocity>(velocities));
  for (const Entity entity : bulk) CHECK(holes.erase(storage.find<Position>(entity)) == 1);
  while (!holes.empty()) {
    const Entity entity = storage.create(made_of<Position>(1), made_of<Velocity>(1));
    REQUIRE(holes.erase(storage.find<Position>(entity)) == 1);
  }
  CHECK(total_bytes(storage) == held);
}

TEST_CASE("sections of one set lie next to each other in an arena") {
  InArenas<Plain> storage;
  storage.create(made_of<Position>(0), made_of<Team>(0));  // another set in between
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    storage.create(made_of<Position>(i), made_of<Velocity>(i));
    if (i % 100 == 0) storage.create(made_of<Position>(i), made_of<Team>(i));
  }
  std::vector<std::uintptr_t> starts;
  storage.each_block<const Velocity>(
      [&](std::span<const Velocity> rows) { starts.push_back(reinterpret_cast<std::uintptr_t>(rows.data())); });
  REQUIRE(starts.size() > 64);
  std::size_t neighbours = 0;
  for (std::size_t i = 1; i < starts.size(); ++i) neighbours += starts[i] - starts[i - 1] == 4096 ? 1 : 0;
  CHECK(neighbours + 8 >= starts.size());  // chunks of 1, 2, 4, 8, 16, 32, 64, 64 ...
}

/// Chunks of 16 sections.
template <class SchemaType>
struct ShortChunksForm : parts::FixedForm<4 * 1024> {
  using memory = parts::SetArena<16 * 4096>;
};
using InShortChunks = ArchetypeSections<Plain, EntityRegistry<>, ShortChunksForm<Plain>>;

/// A storage with chunks of 1, 2, 4, 8, 16, 16 ... sections.
struct Chunked {
  Chunked() {
    storage.create(made_of<Position>(0), made_of<Velocity>(0), made_of<Team>(0));
    others_ = storage.memory().allocations - 1;
  }
  [[nodiscard]] std::size_t chunks_held() const { return storage.memory().allocations - others_; }
  /// Of so many entities a random tenth is left.
  std::vector<Entity> despawned(std::uint32_t count) {
    std::vector<Entity> handles;
    for (std::uint32_t i = 0; i < count; ++i) {
      handles.push_back(storage.create(made_of<Position>(i), made_of<Velocity>(i), made_of<Team>(i)));
    }
    workloads::Random random(17);
    std::erase_if(handles, [&](Entity handle) { return random.below(10) != 0 && storage.destroy(handle); });
    return handles;
  }

  InShortChunks storage;

 private:
  std::size_t others_;
};

TEST_CASE("what is left in an arena goes to as few chunks as can hold it") {
  Chunked chunked;
  InShortChunks& storage = chunked.storage;
  const std::vector<Entity> kept = chunked.despawned(100'000);
  const std::size_t before = chunked.chunks_held();
  CHECK(before >= 100'000 / (rows_of_a_page - 3) / 16);
  SECTION("all at once") { storage.defragment(kept.size()); }
  SECTION("a little at a time") {
    while (storage.defragment(370) == 370) {
    }
  }
  // those of 1, 2, 4 and 8 sections may by chance be the fullest, and the last one need not be full
  const std::size_t sections = storage.size() / (rows_of_a_page - 20) + 1;
  CHECK(chunked.chunks_held() <= sections / 16 + 1 + 4);
  CHECK(chunked.chunks_held() * 3 < before);
  for (const Entity entity : kept) REQUIRE(storage.find<Position>(entity) != nullptr);
  const std::vector<Entity> more = chunked.despawned(20'000);  // positions of chunks that are gone are used again
  CHECK(storage.size() == kept.size() + 1 + more.size());
}

TEST_CASE("a chunk that is being emptied is gone on with, and goes back as soon as its last section is empty") {
  Chunked chunked;
  chunked.despawned(20'000);
  std::size_t held = chunked.chunks_held();
  std::size_t moved = 0;
  std::size_t longest = 0;
  for (std::size_t step = 10; step == 10;) {
    step = chunked.storage.defragment(10);
    moved += step;
    if (chunked.chunks_held() == held) continue;
    CHECK(chunked.chunks_held() < held);
    held = chunked.chunks_held();
    longest = std::max(longest, moved);
    moved = 0;
  }
  // a tenth of the 16 sections of 176 rows that a chunk has, and what is by chance more of them in it
  CHECK(longest < 400);
}

// ---- the ends of numbers

template <class Storage, class... Cs>
void expect_the_last_place_at(std::size_t last) {
  Storage storage;
  const Entity other = storage.create();
  std::vector<Entity> handles(last);
  const std::tuple columns(std::vector<Cs>(last, made_of<Cs>(1))...);
  storage.create(std::span(handles), std::span<const Cs>(std::get<std::vector<Cs>>(columns))...);
  CHECK_THROWS_AS(storage.create(made_of<Cs>(2)...), PlaceExhausted);
  CHECK(storage.size() == last + 1);
  CHECK_THROWS_AS(
      storage.create(std::span(handles).first(1), std::span<const Cs>(std::get<std::vector<Cs>>(columns)).first(1)...),
      PlaceExhausted);
  CHECK(storage.size() == last + 1);
  CHECK(storage.alive(other));
  CHECK(storage.destroy(handles[last / 2]));
  const Entity late = storage.create(made_of<Cs>(3)...);
  CHECK((number_of(*storage.template find<Cs>(late)) + ...) == 3 * sizeof...(Cs));
  CHECK((number_of(*storage.template find<Cs>(handles[last - 1])) + ...) == sizeof...(Cs));
}

TEST_CASE("the 65,537th row of a section, and the 65,537th section, are refused if entities remember 16 + 16 bits") {
  SECTION("a row") { expect_the_last_place_at<Compact<Plain, parts::GrowingForm>, Velocity>(65'536); }
  // one for the entity without components, which the test adds, and 65,535 of a single row
  SECTION("a section") { expect_the_last_place_at<Compact<World, parts::FixedForm<64>>, Large>(65'535); }
}

TEST_CASE("a place of 16 + 16 bits takes 4 bytes less of each entity") {
  constexpr std::size_t count = 10'000;
  const auto index_bytes = []<class Storage>(std::type_identity<Storage>) {
    Storage storage;
    storage.template reserve<Position, Velocity>(count);
    for (std::uint32_t i = 0; i < count; ++i) storage.create(made_of<Position>(i), made_of<Velocity>(i));
    return storage.memory().index_bytes;
  };
  const std::size_t wide = index_bytes(std::type_identity<ArchetypeSectionsFixed32k<Plain>>{});
  const std::size_t compact = index_bytes(std::type_identity<Compact<Plain, parts::FixedForm<32 * 1024>>>{});
  CHECK(wide - compact == 4 * count);
}

// ---- events

TEST_CASE("sections that grow are counted, and so are sections that are added") {
  ArchetypeSections<Plain> growing;
  Packed<Plain> fixed;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    growing.create(made_of<Position>(i));
    fixed.create(made_of<Position>(i));
  }
  CHECK(growing.events().sections == 1);
  CHECK(growing.events().growths >= 6);  // 16 to 1024
  CHECK(fixed.events().sections == 4);   // of 256 rows of 16 bytes
  const StorageEvents before = growing.events();
  growing.clear();
  for (std::uint32_t i = 0; i < 1000; ++i) growing.create(made_of<Position>(i));
  CHECK(growing.events() == before);
}

// ---- many types: components are not asked for one by one

template <std::size_t I>
struct Part {
  std::shared_ptr<std::size_t> value;
};
template <std::size_t... Is>
Schema<Part<Is>..., Frozen> schema_of_parts(std::index_sequence<Is...>);
/// A type of its own, whose name is short.
struct ManyParts : decltype(schema_of_parts(std::make_index_sequence<40>{})){};

TEMPLATE_TEST_CASE("rows of a schema of many types move with all that they have", "", ArchetypeSections<ManyParts>,
                   WithHoles<ManyParts>) {
  const auto made = [](std::size_t value) { return std::make_shared<std::size_t>(value); };
  std::vector<std::weak_ptr<std::size_t>> ended;
  TestType storage;
  std::vector<Entity> entities;
  for (std::size_t i = 0; i < 300; ++i) {
    entities.push_back(storage.create(Part<0>{made(i)}, Part<33>{made(i + 1000)}, Part<39>{made(i + 2000)}));
    if (i % 3 == 0) storage.template emplace<Frozen>(entities[i]);
    if (i % 2 == 0) storage.template emplace<Part<37>>(entities[i], made(i + 3000));
  }
  for (std::size_t i = 0; i < 300; i += 5) {
    ended.push_back(storage.template find<Part<33>>(entities[i])->value);
    CHECK(storage.template remove<Part<33>>(entities[i]));
  }
  for (std::size_t i = 1; i < 300; i += 4) {
    ended.push_back(storage.template find<Part<39>>(entities[i])->value);
    CHECK(storage.destroy(entities[i]));
  }
  for (const auto& value : ended) CHECK(value.expired());
  for (std::size_t i = 0; i < 300; ++i) {
    if (i % 4 == 1) continue;
    CAPTURE(i);
    CHECK(*storage.template find<Part<0>>(entities[i])->value == i);
    CHECK(*storage.template find<Part<39>>(entities[i])->value == i + 2000);
    CHECK((storage.template find<Part<33>>(entities[i]) == nullptr) == (i % 5 == 0));
    if (i % 2 == 0) CHECK(*storage.template find<Part<37>>(entities[i])->value == i + 3000);
    CHECK((storage.template find<Frozen>(entities[i]) != nullptr) == (i % 3 == 0));
  }
}

TEMPLATE_TEST_CASE("a set that is elsewhere in the world that is copied has no sections left over", "",
                   (ArchetypeSections<Schema<Position, Plain, Large>>),
                   (ArchetypeSectionsFixed4k<Schema<Position, Plain, Large>>)) {
  TestType world;
  static_cast<void>(world.create(Position{}));
  static_cast<void>(world.create(Plain{}));
  for (int i = 0; i < 20; ++i) static_cast<void>(world.create(Large{}));
  TestType other;
  const auto known = other.create(Large{});
  world.copy_from(other);
  for (int i = 0; i < 40; ++i) static_cast<void>(world.create(Large{}));
  std::size_t visited = 0;
  world.template each<const Large>([&](const Large&) { ++visited; });
  CHECK(visited == 41);
  CHECK(world.template count<Large>() == 41);
  CHECK(world.template count<Position>() == 0);
  CHECK(world.destroy(known));
  CHECK(world.template count<Large>() == 40);
  CHECK(world.create(Position{}).index() == known.index());
  CHECK(world.template count<Position>() == 1);
}

struct Number {
  std::uint32_t number;
};

TEMPLATE_TEST_CASE("a copy is visited in the order of what was copied, whichever sets were there before", "",
                   (ArchetypeSections<Schema<Number, Velocity>>), (ArchetypeSectionsFreeList<Schema<Number, Velocity>>),
                   (ArchetypeSectionsDynamic<Schema<Number, Velocity>>)) {
  TestType copy, other;
  static_cast<void>(copy.create(Number{1}, Velocity{}));
  static_cast<void>(copy.create(Number{2}));
  static_cast<void>(other.create(Number{10}));
  static_cast<void>(other.create(Number{11}, Velocity{}));
  const auto visited = [](TestType& storage) {
    std::vector<std::uint32_t> numbers;
    storage.template each<const Number>([&](const Number& at) { numbers.push_back(at.number); });
    return numbers;
  };
  copy.copy_from(other);
  CHECK(visited(copy) == visited(other));
  CHECK(copy.template count<Velocity>() == 1);
  copy.copy_from(TestType());
  CHECK(visited(copy).empty());
}

TEMPLATE_TEST_CASE("sets that come after a copy was made come in the same order, and its events go on", "",
                   (ArchetypeSections<Schema<Number, Velocity>>), (ArchetypeSectionsFreeList<Schema<Number, Velocity>>),
                   (ArchetypeSectionsDynamic<Schema<Number, Velocity>>)) {
  TestType past, world;
  static_cast<void>(past.create(Velocity{}));
  world.copy_from(past);
  static_cast<void>(world.create(Number{1}));
  static_cast<void>(world.create(Number{2}, Velocity{}));
  const StorageEvents before = world.events();
  world.copy_from(past);
  CHECK(world.events().growths >= before.growths);
  for (TestType* const storage : {&past, &world}) {
    static_cast<void>(storage->create(Number{2}, Velocity{}));
    static_cast<void>(storage->create(Number{1}));
    std::vector<std::uint32_t> numbers;
    storage->template each<const Number>([&](const Number& at) { numbers.push_back(at.number); });
    CHECK(numbers == std::vector<std::uint32_t>{2, 1});
  }
}

TEST_CASE("if there is no memory for a command, those before it are made, and those behind it are lost") {
  using Storage = ArchetypeSections<Schema<Number>>;
  constexpr std::uint32_t count = 3000;
  for (const auto order : {Commands<Storage>::Order::summed_up, Commands<Storage>::Order::one_by_one}) {
    for (std::size_t nth = 1;; ++nth) {
      Storage storage;
      Commands<Storage> commands;
      for (std::uint32_t i = 0; i < count; ++i) commands.create(Number{i});
      const testing::Refusal refusal =
          testing::refuse(nth, testing::Shortage::lasting, [&] { commands.apply(storage, order); });
      std::vector<std::uint32_t> made;
      storage.each<const Number>([&](const Number& at) { made.push_back(at.number); });
      std::vector<std::uint32_t> first(made.size());
      std::iota(first.begin(), first.end(), 0);
      CHECK(made == first);
      CHECK(storage.size() - made.size() <= (order == Commands<Storage>::Order::one_by_one ? 1 : 0));  // still empty
      CHECK(commands.size() == 0);
      CHECK(refusal.threw == (made.size() < count));
      if (!refusal.happened) break;
    }
  }
}

/// Like the adapter of gaia-ecs: a new entity gets its components by change(), which may fail.
struct WithoutColumns : ArchetypeSections<Schema<Number>> {
  [[nodiscard]] Entity create() { return ArchetypeSections::create(); }
  static bool change(Entity, const ComponentChanges<Schema<Number>>&) { throw std::bad_alloc(); }
};

TEST_CASE("an entity that commands cannot give its components is not created") {
  WithoutColumns storage;
  Commands<WithoutColumns> commands;
  commands.create(Number{1});
  CHECK_THROWS_AS(commands.apply(storage), std::bad_alloc);
  CHECK(storage.size() == 0);
}

TEST_CASE("columns of another length than the list of handles are found by assertions") {
  ArchetypeSections<Schema<Number>> storage;
  std::vector<Entity> two(2);
  CHECK_THROWS_AS(storage.create(std::span(two), ComponentColumns<Schema<Number>>(1)), testing::AssertionFired);
}

TEST_CASE("a command that there was no memory to record is not applied") {
  ArchetypeSections<Schema<Number>> storage;
  std::vector<Entity> entities;
  for (std::uint32_t i = 0; i < 1000; ++i) entities.push_back(storage.create(Number{i}));
  Commands<ArchetypeSections<Schema<Number>>> commands;
  for (std::size_t i = 0; i < 3; ++i) commands.destroy(entities[i]);  // there is room for a fourth, and notes of three
  CHECK(testing::refuse(1, testing::Shortage::passing, [&] { commands.destroy(entities[999]); }).threw);
  CHECK(commands.size() == 3);
  commands.apply(storage);
  CHECK(storage.alive(entities[999]));
  CHECK_FALSE(storage.alive(entities[2]));
}

}  // namespace
}  // namespace stowage
