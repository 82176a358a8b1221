// Broken preconditions outside of storages: each is an assertion, which finds everything as it was.
#include "tests/support/throwing_assert.hpp"

#include <stowage/commands/commands.hpp>
#include <stowage/contract/notifying_registry.hpp>
#include <stowage/indirection_map.hpp>

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

}  // namespace
}  // namespace stowage
