// Change ticks: they move with their rows, sections at rest are skipped, and copies count as written. The random
// operations (workloads/verify/random_work.hpp) compare which entities have changed.
#include <stowage/archetype_sections.hpp>
#include <stowage/archetype_sections_changed.hpp>
#include <stowage/contract/changes.hpp>
#include <stowage/contract/component_columns.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/indirection_map_changed.hpp>

#include "tests/strategies/shown_changes.hpp"
#include "tests/support/catch.hpp"

namespace stowage {
namespace changed_test {

using Scene = Schema<Group<Changed<Position>, Mass>, Changed<Tag>>;
using PerRow = IndirectionMapChanged<Scene>;
using PerSection = ArchetypeSectionsChanged<Scene>;

/// The numbers of the positions that have changed.
template <class Storage>
std::set<std::uint32_t> numbers_since(const Storage& storage, Tick since) {
  std::set<std::uint32_t> numbers;
  storage.template each_changed<const Position>(since, [&](const Position& at) { numbers.insert(at.number); });
  return numbers;
}

TEST_CASE("ticks may wrap around, and what is very old changes once more") {
  CHECK(has_changed(7, 7));
  CHECK(has_changed(8, 7));
  CHECK_FALSE(has_changed(6, 7));
  CHECK(has_changed(3, 0xffff'fff0));
  CHECK_FALSE(has_changed(0xffff'fff0, 3));
  CHECK(has_changed(1, 0x8000'0002));
  CHECK(later(3, 0xffff'fff0) == 3);
}

/// Whatever a loop has seen before, other values may be there.
TEMPLATE_TEST_CASE("all that copy_from() brings counts as written", "", PerRow, PerSection) {
  TestType from, to;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    from.create(Position{i}, Mass{i});
    to.create(Position{i + 5000}, Mass{i});
  }
  const Tick since = to.next_tick();
  CHECK(numbers_since(to, since).empty());
  to.copy_from(from);
  CHECK(numbers_since(to, since).size() == 1000);
  CHECK(numbers_since(to, to.next_tick()).empty());
}

TEST_CASE("without a mark nothing is recorded, and nothing held for it") {
  IndirectionMapChanged<Schema<Group<Position, Mass>>> pools;
  IndirectionMap<Schema<Group<Position, Mass>>> plain_pools;
  ArchetypeSectionsChanged<Schema<Group<Position, Mass>>> sections;
  ArchetypeSectionsFixed16k<Schema<Group<Position, Mass>>> plain_sections;
  const auto fill = [](auto& storage) {
    for (std::uint32_t i = 0; i < 1000; ++i) storage.create(Position{i}, Mass{i});
    return storage.memory();
  };
  CHECK(fill(pools) == fill(plain_pools));
  CHECK(fill(sections) == fill(plain_sections));
  STATIC_REQUIRE_FALSE(RecordsChanges<decltype(pools), Position>);
  STATIC_REQUIRE_FALSE(RecordsChanges<decltype(sections), Position>);
  STATIC_REQUIRE_FALSE(RecordsChanges<IndirectionMap<Scene>, Position>);
  STATIC_REQUIRE_FALSE(RecordsChanges<PerRow, Mass>);
  STATIC_REQUIRE(RecordsChanges<PerRow, Tag>);
  STATIC_REQUIRE(RecordsChanges<PerSection, Position>);
}

TEST_CASE("per row: a tick takes 4 bytes of index, and goes along with its row") {
  PerRow storage;
  IndirectionMap<Scene> plain;
  std::vector<Entity> entities;
  for (std::uint32_t i = 0; i < 300; ++i) {
    entities.push_back(storage.create(Position{i}, Mass{i}));
    plain.create(Position{i}, Mass{i});
  }
  CHECK(storage.memory().index_bytes == plain.memory().index_bytes + 300 * sizeof(Tick));
  const Tick first = storage.next_tick();
  CHECK(numbers_since(storage, first).empty());
  storage.find<Position>(entities[299])->number = 1299;
  static_cast<void>(storage.find<const Position>(entities[1]));
  static_cast<void>(storage.find<Mass>(entities[2]));
  storage.destroy(entities[0]);              // 299 moves into the hole
  storage.remove<Mass>(entities[299]);       // and to a pool of its own
  storage.emplace<Mass>(entities[299], 7u);  // and back
  CHECK(numbers_since(storage, first) == std::set<std::uint32_t>{1299});
  const std::array order{entities[50], entities[299], entities[1]};
  storage.order_rows<Position>(std::span(order));
  CHECK(numbers_since(storage, first) == std::set<std::uint32_t>{1299});
}

TEST_CASE("per row: an order of rows keeps their ticks") {
  IndirectionMapChanged<Schema<Changed<Position>>> storage;
  std::vector<Entity> entities;
  for (std::uint32_t i = 0; i < 100; ++i) entities.push_back(storage.create(Position{i}));
  const Tick first = storage.next_tick();
  storage.component_of_row<Position>(40).number = 1040;
  storage.move_item<Position>(40, 3);
  storage.move_item<Position>(0, 99);
  storage.remove_ordered<Position>(entities[1]);
  CHECK(numbers_since(storage, first) == std::set<std::uint32_t>{1040});
}

TEMPLATE_TEST_CASE("what comes in columns has changed, tags as well", "", PerRow, PerSection) {
  TestType storage;
  const Tick first = storage.next_tick();
  std::vector<Position> positions(100, Position{5});
  std::vector<Entity> out(100);
  ComponentColumns<Scene> columns(100);
  columns.add<Position>(std::span(positions));
  columns.add<Tag>();
  storage.create(std::span(out), columns);
  CHECK(numbers_since(storage, first) == std::set<std::uint32_t>{5});
  std::size_t tagged = 0;
  storage.template each_changed<const Tag>(first, [&](const Tag&) { ++tagged; });
  CHECK(tagged == 100);
  tagged = 0;
  storage.template each_changed<const Tag>(storage.next_tick(), [&](const Tag&) { ++tagged; });
  CHECK(tagged == 0);
}

TEST_CASE("per section: one look leaves out a section that rests, and one write wakes no other") {
  PerSection storage;
  std::vector<Entity> entities;
  for (std::uint32_t i = 0; i < 10'000; ++i) entities.push_back(storage.create(Position{i}, Mass{i}));
  const Tick first = storage.next_tick();
  CHECK(numbers_since(storage, first).empty());
  static_cast<void>(storage.find<const Position>(entities[5000]));
  storage.each<const Position, Mass>([](const Position&, Mass&) {});
  CHECK(numbers_since(storage, first).empty());
  static_cast<void>(storage.find<Position>(entities[5000]));
  const std::set<std::uint32_t> woken = numbers_since(storage, first);
  CHECK(woken.contains(5000));
  CHECK(woken.size() <= 16 * 1024 / (3 * sizeof(std::uint32_t)));
  CHECK(*woken.rbegin() - *woken.begin() + 1 == woken.size());  // a section
}

}  // namespace changed_test
}  // namespace stowage
