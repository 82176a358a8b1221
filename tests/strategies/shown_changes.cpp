#include STOWAGE_PEER_HEADER
#include "tests/support/catch.hpp"
#include "workloads/support/changes.hpp"

// What conformance, which knows of ticks alone, cannot see: a loop over what has changed misses nothing, and leaves out
// chunks at rest.
namespace stowage {
namespace {

struct Position {
  std::uint32_t number;
};
struct Mass {
  std::uint32_t number;
};
struct Tag {};
using Storage = peers::STOWAGE_PEER<Schema<Group<Changed<Position>, Mass>, Tag>>;

static_assert(workloads::ShowsChangesOnce<Storage, Position> && !workloads::ShowsChangesOnce<Storage, Mass>);

/// The numbers of the positions in chunks that have changed.
std::multiset<std::uint32_t> changed(Storage& storage) {
  std::multiset<std::uint32_t> numbers;
  storage.each_changed<const Position, Mass>([&](const Position& at, Mass& mass) {
    numbers.insert(at.number);
    ++mass.number;
  });
  return numbers;
}

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

}  // namespace
}  // namespace stowage
