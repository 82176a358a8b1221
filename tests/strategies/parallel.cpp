// How a loop is divided among threads, and what else threads may do at once. Conformance tests the parts of all loops.
#include "tests/support/throwing_assert.hpp"

#include <atomic>
#include <thread>

#include <stowage/archetype_sections.hpp>
#include <stowage/archetype_sections_free_list.hpp>
#include <stowage/commands/commands.hpp>
#include <stowage/hierarchy/hierarchy.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/naive_objects.hpp>
#include <stowage/parallel/each_divided.hpp>
#include <stowage/sparse_direct.hpp>

#include "tests/support/catch.hpp"

// The thread sanitizer does not see how the oneTBB library synchronises, because that is not compiled with it, and
// would report races that are none. Under it, threads of our own work through the same chunks.
#if defined(__SANITIZE_THREAD__)
#define STOWAGE_WITHOUT_TBB
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define STOWAGE_WITHOUT_TBB
#endif
#endif
#ifndef STOWAGE_WITHOUT_TBB
#include <stowage/parallel/each_parallel.hpp>
#endif

namespace stowage {
namespace {

struct Position {
  std::uint32_t visits;
};
struct Velocity {
  std::uint32_t number;
};
struct Rare {};
struct Odd {};

using Scene = Schema<Group<Position, Velocity>, Rare, Odd>;
using Nodes = Schema<Group<LocalTransform, WorldTransform>, Group<Position, Velocity>>;

/// Every second chunk by another thread.
void by_two_threads(std::size_t chunks, ChunkWork work) {
  const auto every_second = [=](std::size_t first) {
    for (; first < chunks; first += 2) work(first, first + 1);
  };
  std::thread other(every_second, 1);
  every_second(0);
  other.join();
}

/// In the order that is least like each().
void backwards(std::size_t chunks, ChunkWork work) {
  while (chunks-- != 0) work(chunks, chunks + 1);
}

/// Four component sets, all with Position and Velocity, and some holes.
template <class Storage>
void populate(Storage& storage, std::uint32_t count) {
  std::vector<typename Storage::entity_type> entities;
  for (std::uint32_t i = 0; i < count; ++i) {
    entities.push_back(storage.create(Position{0}, Velocity{i}));
    if (i % 2 == 0) storage.template emplace<Rare>(entities.back());
    if (i % 3 == 0) storage.template emplace<Odd>(entities.back());
  }
  for (std::uint32_t i = 0; i < count; i += 5) storage.destroy(entities[i]);
}

template <class Storage>
void require_visits(const Storage& storage, std::uint32_t visits) {
  std::size_t rows = 0;
  storage.template each<const Position>([&](const Position& position) {
    REQUIRE(position.visits == visits);
    ++rows;
  });
  REQUIRE(rows == storage.size());
}

constexpr auto visit = [](Position& position, const Velocity&) { ++position.visits; };

TEMPLATE_TEST_CASE("every entity is visited once, however a loop is divided and whatever threads work through it", "",
                   NaiveObjects<Scene>, SparseDirect<Scene>, IndirectionMap<Scene>, ArchetypeSections<Scene>,
                   ArchetypeSectionsFixed4k<Scene>, ArchetypeSectionsFreeList<Scene>) {
  TestType storage;
  populate(storage, 5000);
  std::uint32_t visits = 0;
  for (const std::size_t grain : {std::size_t{1}, std::size_t{100}, std::size_t{4096}, ~std::size_t{0}}) {
    each_divided<Position, const Velocity>(storage, grain, visit, &by_two_threads);
    require_visits(storage, ++visits);
    each_divided<Position, const Velocity>(storage, grain, visit, &backwards);
    require_visits(storage, ++visits);
  }
}

TEMPLATE_TEST_CASE("threads write commands while they share a loop, and one of them applies all", "",
                   IndirectionMap<Scene>, ArchetypeSections<Scene>, SparseDirect<Scene>) {
  TestType storage;
  populate(storage, 3000);
  const std::size_t before = storage.size();
  std::size_t end = 0;
  storage.template each<const Velocity>([&](const Velocity& velocity) { end += velocity.number % 10 == 0 ? 1 : 0; });
  REQUIRE(storage.template count<Odd>() != 0);
  std::array<Commands<TestType>, 2> commands;
  const TestType& fixed = storage;
  const std::size_t half = fixed.template loop_steps<const Velocity>() / 2;
  const auto write = [&](std::size_t first, std::size_t end, Commands<TestType>& to) {
    fixed.template each_step<const Velocity>(first, end,
                                             [&](typename TestType::entity_type entity, const Velocity& velocity) {
                                               if (velocity.number % 10 == 0) {
                                                 to.destroy(entity);
                                               } else {
                                                 to.template remove<Odd>(entity);
                                                 to.template emplace<Rare>(entity);
                                                 to.template emplace<Position>(entity, velocity.number);
                                               }
                                             });
  };
  std::thread other([&] { write(half, 2 * half + 1, commands[1]); });
  write(0, half, commands[0]);
  other.join();
  std::size_t made = 0;
  for (auto& of_thread : commands) made += of_thread.apply(storage).made;
  CHECK(made == end + 3 * (before - end));
  CHECK(storage.size() == before - end);
  CHECK(storage.template count<Odd>() == 0);
  CHECK(storage.template count<Rare>() == storage.size());
  storage.template each<const Position, const Velocity>([](const Position& position, const Velocity& velocity) {
    if (position.visits != velocity.number) FAIL("a command was lost");
  });
}

/// Each entity below the one made after it, so that rows have to be put in order.
TEMPLATE_TEST_CASE("the hierarchy is updated on one thread while another loops over other components", "",
                   NaiveObjects<Nodes>, IndirectionMap<Nodes>, ArchetypeSections<Nodes>,
                   ArchetypeSectionsFreeList<Nodes>, SparseDirect<Nodes>) {
  constexpr std::uint32_t count = 2000, loops = 50;
  TestType storage;
  Hierarchy<TestType> hierarchy(storage);
  std::vector<typename TestType::entity_type> nodes;
  for (std::uint32_t i = 0; i < count; ++i) {
    Matrix shift(1.0f);
    shift[3].x = 1;
    nodes.push_back(storage.create(LocalTransform{shift}, WorldTransform{}, Position{0}, Velocity{i}));
    hierarchy.add(nodes.back());
    if (i % 4 != 0) hierarchy.attach(nodes[i - 1], nodes[i]);
  }
  for (std::uint32_t frame = 1; frame <= 3; ++frame) {
    hierarchy.settle();
    std::thread systems([&] {
      for (std::uint32_t i = 0; i < loops; ++i) {
        storage.template each<Position, const Velocity>([](Position& p, const Velocity& v) { p.visits += v.number; });
      }
    });
    hierarchy.touch_all();
    hierarchy.update();
    systems.join();
    bool agrees = true;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto [world, position] = storage.template find<const WorldTransform, const Position>(nodes[i]);
      agrees = agrees && world->matrix[3].x == static_cast<float>(4 - i % 4);
      agrees = agrees && position->visits == frame * loops * i;
    }
    REQUIRE(agrees);
  }
}

TEST_CASE("batches of commands, one after the other, need no more memory than the largest") {
  IndirectionMap<Scene> storage;
  const auto kept = storage.create(Position{0}, Velocity{0});
  Commands<IndirectionMap<Scene>> commands;
  std::size_t held = 0;
  for (std::uint32_t batch = 0; batch < 100; ++batch) {
    commands.emplace<Velocity>(kept, batch);
    const auto created = commands.create(Position{batch});
    CHECK(commands.apply(storage).made == 3);
    storage.destroy(commands.created(created));
    if (batch == 1) held = commands.memory().total_bytes();
  }
  CHECK(commands.memory().total_bytes() == held);
}

struct Uncopied {
  Uncopied() = default;
  Uncopied(const Uncopied&) { throw std::bad_alloc(); }
  Uncopied(Uncopied&&) noexcept = default;
  Uncopied& operator=(Uncopied&&) noexcept = default;
};

TEST_CASE("a creation that throws is no command, and a component may be a bool") {
  using Storage = ArchetypeSections<Schema<bool, Uncopied>>;
  Storage storage;
  Commands<Storage> commands;
  const Uncopied uncopied;
  CHECK_THROWS_AS(commands.create(true, uncopied), std::bad_alloc);
  CHECK(commands.size() == 0);
  const auto created = commands.create(true);
  commands.remove<Uncopied>(created);
  commands.apply(storage);
  CHECK(storage.size() == 1);
  CHECK(*storage.find<bool>(commands.created(created)));
}

template <class Storage>
std::size_t chunks_of(Storage& storage, std::size_t grain) {
  std::size_t chunks = 0;
  each_divided<Position, const Velocity>(storage, grain, visit, [&](std::size_t count, ChunkWork) { chunks = count; });
  return chunks;
}

TEST_CASE("large arrays are split, and small sections become one chunk") {
  IndirectionMap<Scene> packed;
  for (std::uint32_t i = 0; i < 1000; ++i) packed.create(Position{0}, Velocity{i});
  CHECK(chunks_of(packed, 100) == 8);  // of 128 rows each
  CHECK(chunks_of(packed, 1) == 16);
  CHECK(chunks_of(packed, 5000) == 1);

  ArchetypeSectionsFixed4k<Scene> thin;
  const std::size_t capacity = [&] {
    for (std::uint32_t i = 0; i < 8; ++i) thin.create(Position{0}, Velocity{i});
    return thin.loop_steps<Position>();
  }();
  thin.create(Position{0}, Velocity{8}, Rare{});
  thin.create(Position{0}, Velocity{9}, Odd{});
  CHECK(chunks_of(thin, 4 * capacity) == 1);  // three sections
  CHECK(chunks_of(thin, capacity) >= 3);
}

TEST_CASE("a storage without rows is not divided, and a grain of no rows is refused") {
  IndirectionMap<Scene> storage;
  static_cast<void>(storage.create(Rare{}));
  each_divided<Position, const Velocity>(storage, 64, visit,
                                         [](std::size_t, ChunkWork) { FAIL("there is no entity"); });
  storage.create(Position{0}, Velocity{0});
  CHECK_THROWS_AS((each_divided<Position, const Velocity>(storage, 0, visit, &backwards)), testing::AssertionFired);
}

#ifndef STOWAGE_WITHOUT_TBB

TEMPLATE_TEST_CASE("each_parallel visits every entity once", "", NaiveObjects<Scene>, IndirectionMap<Scene>,
                   ArchetypeSectionsFixed4k<Scene>) {
  TestType storage;
  each_parallel<Position, const Velocity>(storage, 64, [](Position&, const Velocity&) { FAIL("there is no entity"); });
  populate(storage, 20'000);
  std::atomic<std::size_t> rows = 0;
  each_parallel<Position, const Velocity>(storage, 64, visit);
  const TestType& fixed = storage;
  each_parallel<const Position>(fixed, 64, [&](typename TestType::entity_type entity, const Position& position) {
    rows += fixed.template find<Position>(entity) == &position && position.visits == 1 ? 1 : 0;
  });
  CHECK(rows == storage.size());
}

TEST_CASE("an exception of a function leaves each_parallel, and the storage may be changed again") {
  IndirectionMap<Scene> storage;
  populate(storage, 20'000);
  const auto fail_at_some = [](Position&, const Velocity& velocity) {
    if (velocity.number % 4000 == 3999) throw std::runtime_error("as told to");
  };
  CHECK_THROWS_AS((each_parallel<Position, const Velocity>(storage, 64, fail_at_some)), std::runtime_error);
  CHECK_NOTHROW(storage.create(Position{0}, Velocity{0}));
  const auto create = [&](Position&, const Velocity&) { static_cast<void>(storage.create()); };
  CHECK_THROWS_AS((each_parallel<Position, const Velocity>(storage, 64, create)), testing::AssertionFired);
}

TEST_CASE("each_parallel may be nested, and no thread leaves a row half done for another of the outer loop") {
  IndirectionMap<Scene> storage;
  for (std::uint32_t i = 0; i < 256; ++i) storage.create(Position{0}, Velocity{i});
  static thread_local int depth = 0;
  std::atomic<int> deepest = 0;
  std::atomic<std::size_t> pairs = 0;
  const IndirectionMap<Scene>& fixed = storage;
  each_parallel<Position>(storage, 64, [&](Position& position) {
    if (++depth > deepest) deepest = depth;
    each_parallel<const Velocity>(fixed, 64, [&](const Velocity&) { ++pairs; });
    ++position.visits;
    --depth;
  });
  CHECK(pairs == 256 * 256);
  CHECK(deepest == 1);
  require_visits(storage, 1);
}

#endif

}  // namespace
}  // namespace stowage
