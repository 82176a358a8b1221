// Broken preconditions outside of storages: each is an assertion, which finds everything as it was.
#include "tests/support/throwing_assert.hpp"

#include <stowage/commands/commands.hpp>
#include <stowage/contract/notifying_registry.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/hierarchy/forms/levels.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/multi_instance/multi_instance_pool.hpp>

#include "tests/support/catch.hpp"

namespace stowage {
namespace {

using testing::AssertionFired;

TEST_CASE("no command is written to a buffer whose commands are being made") {
  using Storage = IndirectionMap<Schema<int>, NotifyingRegistry<>>;
  Storage storage;
  Commands<Storage> commands;
  bool refused = false;
  const auto listener = [&](Entity dying) {
    try {
      commands.remove<int>(dying);
    } catch (const AssertionFired&) {
      refused = true;
    }
  };
  storage.on_destroy(listener);
  commands.destroy(storage.create(1));
  commands.apply(storage);
  CHECK(refused);
  commands.destroy(storage.create(2));
  CHECK(commands.size() == 1);
}

TEST_CASE("an entity that a batch creates gets no commands of another one") {
  using Storage = IndirectionMap<Schema<int>>;
  Storage storage;
  Commands<Storage> commands;
  const auto first = commands.create();
  const auto second = commands.create();
  commands.apply(storage);
  CHECK_THROWS_AS(commands.emplace<int>(first, 1), AssertionFired);  // would create or change what it names by chance
  CHECK(commands.size() == 0);
  commands.emplace<int>(commands.create(), 2);
  CHECK_THROWS_AS(commands.destroy(second), AssertionFired);
  CHECK(commands.apply(storage).made == 2);
}

TEST_CASE("an owner whose index has instances of an earlier life gets none") {
  MultiInstancePool<int> pool;
  pool.add(Entity(3, 1), 5);
  CHECK_THROWS_AS(pool.add(Entity(3, 2), 6), AssertionFired);
  CHECK(pool.size() == 1);
  CHECK(pool.remove_all(Entity(3, 1)) == 1);
}

TEST_CASE("a chunk of a level has a node") {
  LevelHierarchy nodes;
  nodes.add(Entity(0, 0));
  CHECK_THROWS_AS(nodes.update(0, [](std::size_t, ChunkWork) {}), AssertionFired);
}

TEST_CASE("a registry is no copy of itself") {
  QueuedRegistry registry;
  CHECK_THROWS_AS(registry.copy_from(registry), AssertionFired);
}

}  // namespace
}  // namespace stowage
