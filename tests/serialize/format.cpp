#include <stowage/archetype_sections.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/naive_objects.hpp>
#include <stowage/sparse_direct.hpp>

#include "tests/serialize/scene.hpp"
#include "tests/support/catch.hpp"

// The bytes that docs/serialization.md draws: they may change with the version of the format, and only then.
namespace stowage::serialize_test {
namespace {

std::string text_at(const Bytes& file, std::size_t at, std::size_t count) {
  return {reinterpret_cast<const char*>(file.data()) + at, count};
}

/// Of every byte, gaps and checksums too.
std::uint64_t digest(const Bytes& file) { return serialize::checksum_of(file.data(), file.size()); }

template <class Word>
using Narrow = BasicEntity<Word, sizeof(Word) * 6, sizeof(Word) * 2>;
template <class Handle>
struct Link {
  Handle entity;
};

}  // namespace
}  // namespace stowage::serialize_test

template <class Handle>
struct stowage::ComponentFormat<stowage::serialize_test::Link<Handle>> {
  static constexpr std::string_view name = "link";
  static constexpr auto references = std::tuple{&serialize_test::Link<Handle>::entity};
};

namespace stowage::serialize_test {

TEST_CASE("a file begins with its header and its directory") {
  IndirectionMap<Scene> storage;
  storage.create(Health{258});
  storage.create(Health{7});
  const Bytes file = saved(storage);
  CHECK(text_at(file, 0, 8) == "\x89STOW\r\n\x1a");
  CHECK(number_at<std::uint32_t>(file, 8) == 1);  // version of the format
  CHECK(number_at<std::uint64_t>(file, 16) == file.size());
  CHECK(number_at<std::uint32_t>(file, 24) == 2);    // entities
  CHECK(number_at<std::uint64_t>(file, 40) == 168);  // 5 x 16, names of 8 to 8, a table, a column
  CHECK(text_at(file, 80, 8) == "position");
  const Map map = map_of(file);
  REQUIRE(map.sections.size() == 2);
  CHECK(map.sections[0].start == 256);  // entities
  CHECK(number_at<std::uint32_t>(file, 256) == 0);
  CHECK(number_at<std::uint32_t>(file, 260) == 1);
  CHECK(map.sections[1].start == 320);  // Health
  CHECK(number_at<std::uint32_t>(file, 320) == 258);
  CHECK(number_at<std::uint32_t>(file, 324) == 7);
  CHECK(file.size() == 384);
}

TEST_CASE("what was written stays the same byte by byte") {
  CHECK(digest(sample<IndirectionMap<Scene>>()) == 0xfb1cc14caba81d80);
  CHECK(digest(sample<ArchetypeSections<Scene>>()) == 0x1c0edea0278bef12);
}

/// Rows that lie one by one are shown with owners that are gathered for a moment: two tables may get the same memory.
TEMPLATE_TEST_CASE("as many rows of two components are not taken for rows of the same entities", "",
                   SparseDirect<Scene>, NaiveObjects<Scene>, IndirectionMap<Scene>) {
  TestType storage;
  static_cast<void>(storage.create(Health{1}, Position{}));
  static_cast<void>(storage.create(Health{2}));
  static_cast<void>(storage.create(Position{}));
  TestType again;
  load(again, saved(storage));
  std::size_t both = 0;
  again.template each<const Health, const Position>([&](const Health&, const Position&) { ++both; });
  CHECK(again.template count<Health>() == 2);
  CHECK(again.template count<Position>() == 2);
  CHECK(both == 1);
}

TEST_CASE("rows that lie together are in a file once") {
  // pools in the same order share their places, and no list says so
  IndirectionMap<Scene> pools;
  ArchetypeSections<Scene> sections;
  for (std::uint32_t i = 0; i < 1'000; ++i) {
    pools.create(Position{1, 2}, Parent{}, Health{i});
    sections.create(Position{1, 2}, Parent{}, Health{i});
  }
  constexpr std::size_t rows = 1'000 * (4 + 8 + 8 + 4);
  CHECK(saved(pools).size() < rows + 600);
  CHECK(saved(sections).size() < rows + 600);
}

TEST_CASE("the compiler's name of a component has all of its arguments") {
  CHECK(serialize::type_name<std::pair<int[3], float>>() != serialize::type_name<std::pair<int[3], double>>());
  CHECK(serialize::type_name<std::pair<int[3], float>>().ends_with("float>"));
}

TEST_CASE("a text whose length does not fit is refused before any of it is written") {
  ByteBuffer buffer;
  const std::string_view text("no so many characters are read", std::size_t{1} << 32);
  CHECK_THROWS_AS(ByteWriter(buffer, nullptr).write(text), std::length_error);
  CHECK(buffer.size() == 0);
}

// ---- what save() and load() are asked for, and what they report

TEST_CASE("references to dead or unsaved entities become null, others go to the new entities") {
  IndirectionMap<Scene> storage;
  const auto entities = fill(storage);
  storage.emplace<Parent>(entities[3], Entity{});
  const Entity stranger = storage.create();
  const Entity orphan = storage.create(Parent{stranger});
  storage.destroy(entities[0]);

  const std::vector selection{entities[1], orphan, entities[3], orphan};  // one of them twice
  ByteBuffer file;
  save(storage, selection, file);
  const auto report = load(storage, file.bytes());
  CHECK(report.entities.size() == 3);
  std::size_t nulls = 0;
  for (const Entity entity : report.entities) nulls += storage.find<Parent>(entity)->entity.is_null() ? 1 : 0;
  CHECK(nulls == 3);
  CHECK_THROWS_AS(save(storage, entities, file), DeadEntity);
}

TEMPLATE_TEST_CASE("references of any width are found again", "", Narrow<std::uint8_t>, Narrow<std::uint16_t>) {
  using Links = SparseDirect<Schema<Link<TestType>>, EntityRegistry<TestType>>;
  Links storage;
  const TestType first = storage.create(Link<TestType>{});
  for (int i = 0; i < 4; ++i) storage.create(Link<TestType>{first});
  Links other;
  const auto report = load(other, saved(storage));
  REQUIRE(report.entities.size() == 5);
  std::size_t linked = 0;
  other.template each<const Link<TestType>>(
      [&](const Link<TestType>& link) { linked += link.entity == report.entities.front() ? 1 : 0; });
  CHECK(linked == 4);
}

TEST_CASE("a report that is used again says what was loaded last, in the memory that it has") {
  IndirectionMap<Scene> storage;
  fill(storage);
  const Bytes large = saved(storage);
  const Bytes small = saved(IndirectionMap<Scene>());
  LoadReport<Entity> report;
  load(storage, large, report);
  const EntityIndex* const indices = report.saved_indices.data();
  CHECK(report.entities.size() == 4);
  load(storage, small, report);
  CHECK(report.entities.empty());
  CHECK(report.saved_indices.empty());
  load(storage, large, report);
  CHECK(report.entities.size() == 4);
  CHECK(report.saved_indices.data() == indices);
  CHECK(storage.size() == 12);
}

TEST_CASE("References::kept keeps handles of living and dead entities") {
  IndirectionMap<Scene> storage;
  const auto entities = fill(storage);
  storage.destroy(entities[0]);
  ByteBuffer file;
  save(storage, file, {.references = References::kept});
  IndirectionMap<Scene> other;
  const auto report = load(other, file.bytes());
  std::size_t kept = 0;
  other.each<const Parent>([&](const Parent& parent) { kept += parent.entity == entities[0] ? 1 : 0; });
  CHECK(kept == 2);
}

TEST_CASE("components that a program does not know are left out and named") {
  IndirectionMap<Scene> storage;
  fill(storage);
  const Bytes file = saved(storage);
  using Smaller = Schema<Position, Hidden>;
  ArchetypeSections<Smaller> other;
  const auto report = load(other, file);
  CHECK(other.size() == 4);
  CHECK(other.count<Position>() == 2);
  CHECK(other.count<Hidden>() == 1);
  REQUIRE(report.skipped.size() == 3);
  CHECK(report.skipped[0].name == "parent");
  CHECK(report.skipped[0].entities == 3);
  CHECK(report.skipped[1].name == "name");
  CHECK(report.skipped[2].name == "health");
  CHECK(report.skipped[2].version == 2);
  struct Stranger {
    int value;
  };
  IndirectionMap<Schema<Stranger>> nothing;
  CHECK(load(nothing, file).skipped.size() == 5);
  CHECK(nothing.size() == 4);
}

TEST_CASE("a file may lie anywhere in memory") {
  const Bytes file = sample<IndirectionMap<Scene>>();
  for (std::size_t offset = 0; offset < 9; ++offset) {
    Bytes moved(file.size() + offset);
    std::copy(file.begin(), file.end(), moved.begin() + static_cast<std::ptrdiff_t>(offset));
    IndirectionMap<Scene> storage;
    CHECK(load(storage, std::span(moved).subspan(offset)).entities.size() == 4);
  }
}

}  // namespace stowage::serialize_test
