#include <stowage/archetype_sections.hpp>
#include <stowage/indirection_map.hpp>

#include "tests/serialize/scene.hpp"
#include "tests/support/catch.hpp"

namespace stowage::serialize_test {

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
