#include <stowage/commands/commands.hpp>

#include STOWAGE_PEER_HEADER
#include "tests/strategies/shown_changes.hpp"
#include "tests/support/catch.hpp"
#include "workloads/support/changes.hpp"

// What conformance, which knows of ticks alone, cannot see: a loop over what has changed misses nothing, and leaves out
// chunks at rest.
namespace stowage {
namespace {

using Storage = peers::STOWAGE_PEER<Schema<Group<Changed<Position>, Mass>, Tag>>;

static_assert(workloads::ShowsChangesOnce<Storage, Position> && !workloads::ShowsChangesOnce<Storage, Mass>);

TEST_CASE("A peer shows once what has changed, and the chunk around it") {
  constexpr std::uint32_t count = 10'000;
  Storage storage;
  std::vector<Storage::entity_type> handles;
  for (std::uint32_t i = 0; i < count; ++i) handles.push_back(storage.create(Position{i}, Mass{i}));
  CHECK(changed(storage).size() == count);
  CHECK(changed(storage).empty());

  (void)storage.find<const Position, Mass>(handles[7]);
  storage.each<const Position, Mass>([](const Position&, Mass& mass) { ++mass.number; });
  CHECK(changed(storage).empty());

  const std::function<void()> writes[] = {
      [&] { storage.find<Position>(handles[7])->number = count; },
      [&] { storage.emplace<Position>(handles[7], count); },
      [&] { storage.emplace<Tag>(handles[7]); },
      [&] { storage.remove<Tag>(handles[7]); },
      [&] { storage.create(Position{count}, Mass{}); },
  };
  for (const auto& write : writes) {
    write();
    const auto numbers = changed(storage);
    CHECK(numbers.contains(count));
    CHECK(numbers.size() < count);
    CHECK(changed(storage).empty());
  }
  storage.each<Position>([](Position& at) { ++at.number; });
  CHECK(changed(storage).size() == count + 1);
  storage.each<Mass, Optional<Position>>([](Mass&, Position* at) { ++at->number; });
  CHECK(changed(storage).size() == count + 1);
  CHECK(changed(storage).empty());
}

TEST_CASE("an entity has what it is created with, whatever became of the one before it") {
  Storage storage;
  auto last = storage.create(Position{0}, Mass{0});
  const std::function<void()> changes[] = {
      [] {},
      [&] { storage.emplace<Tag>(last); },
      [&] { storage.remove<Mass>(last); },
      [&] { storage.destroy(last); },
      [&] {
        storage.destroy(last);
        for (int i = 0; i < 3000; ++i) storage.destroy(storage.create(Tag{}));  // its index is another's
      },
      [&] { storage.clear(); },
  };
  CHECK(changed(storage).size() == 1);
  std::uint32_t number = 0;
  for (const auto& change : changes) {
    change();
    (void)changed(storage);
    ++number;
    last = storage.create(Position{number}, Mass{number});
    CHECK(storage.find<const Position>(last)->number == number);
    CHECK(storage.find<const Mass>(last)->number == number);
    CHECK_FALSE(storage.contains<Tag>(last));
    CHECK(changed(storage).contains(number));
    CHECK(changed(storage).empty());
  }
}

TEST_CASE("commands leave of an entity what the last of them say") {
  Storage storage;
  Commands<Storage> commands;
  const auto changing = storage.create(Position{1}, Tag{});
  const auto replaced = storage.create(Position{2}, Mass{2});
  const auto ended = storage.create(Position{3});
  commands.emplace<Mass>(changing, 10u);
  commands.remove<Position>(changing);
  commands.remove<Tag>(changing);
  commands.emplace<Position>(replaced, 20u);
  commands.remove<Mass>(replaced);
  commands.emplace<Mass>(replaced, 21u);
  commands.emplace<Tag>(replaced);
  commands.emplace<Mass>(ended, 30u);
  commands.emplace<Tag>(ended);
  const auto made = commands.create(Position{40}, Mass{41});
  commands.emplace<Tag>(made);
  storage.destroy(ended);
  const auto outcome = commands.apply(storage);
  CHECK(outcome.skipped == 2);

  CHECK_FALSE(storage.contains<Position>(changing));
  CHECK_FALSE(storage.contains<Tag>(changing));
  CHECK(storage.find<const Mass>(changing)->number == 10);
  CHECK(storage.contains<Tag>(replaced));
  CHECK(storage.find<const Position>(replaced)->number == 20);
  CHECK(storage.find<const Mass>(replaced)->number == 21);
  const auto entity = commands.created(made);
  CHECK(storage.contains<Tag>(entity));
  CHECK(storage.find<const Position>(entity)->number == 40);
  CHECK(storage.find<const Mass>(entity)->number == 41);
  CHECK(changed(storage).size() == 2);
  CHECK(storage.size() == 3);
}

}  // namespace
}  // namespace stowage
