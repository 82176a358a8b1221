// Registries: in which order indices come back, when a generation returns, what bytes they take, and their limits.
#include <deque>
#include <limits>

#include <boost/version.hpp>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/notifying_registry.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/parts/index/homed.hpp>
#include <stowage/parts/sections/form.hpp>
#if BOOST_VERSION >= 108100
#include <stowage/contract/hash_set_registry.hpp>
#endif

#include "tests/support/catch.hpp"
#include "tests/support/counting_new.hpp"

namespace stowage {
namespace {

// ---- handles

static_assert(Entity::max_entities == std::numeric_limits<std::uint32_t>::max());
static_assert(Entity30::max_entities == 4'194'303);
static_assert(sizeof(Entity) == 8 && sizeof(Entity30) == 4);
static_assert(Entity(7, 9).index() == 7 && Entity(7, 9).generation() == 9);
static_assert(Entity30::from_word(Entity30(4'194'303, 255).word()) == Entity30(4'194'303, 255));
static_assert(Entity{}.is_null() && Entity30{}.is_null() && !Entity30(4'194'303, 255).is_null());
static_assert(BasicEntity<std::uint8_t, 5, 3>::max_entities == 31, "the last index is the null handle's");

// ---- queue

TEST_CASE("the index queue is first in, first out, whatever its ring is grown and wrapped through") {
  parts::IndexQueue queue;
  std::deque<EntityIndex> model;
  for (EntityIndex i = 0; i < 5000; ++i) {
    queue.push_back(i);
    model.push_back(i);
    if (i % 3 == 2) {
      REQUIRE(queue.pop() == model.front());
      model.pop_front();
    }
    if (i % 500 == 499) {
      for (std::size_t k = 0; k < model.size(); ++k) REQUIRE(queue[k] == model[k]);
    }
  }
  CHECK(queue.size() == model.size());
  while (queue.size() != 0) {
    REQUIRE(queue.pop() == model.front());
    model.pop_front();
  }
  CHECK(model.empty());
}

TEST_CASE("an array that cannot be so long is refused before anything is taken from the heap") {
  parts::GrowingArray<std::uint64_t> array;
  array.append(1);
  const std::size_t capacity = array.capacity();
  for (const std::size_t count : {std::size_t{1} << 62, SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / 8 + 2}) {
    CHECK_THROWS_AS(array.reserve(count), std::length_error);
    CHECK_THROWS_AS(array.extend(count, 0), std::length_error);
  }
  CHECK(array.capacity() == capacity);
  CHECK(array.size() == 1);
  CHECK_THROWS_AS(EntityRegistry<>().reserve(std::size_t{1} << 62), std::length_error);
  CHECK_THROWS_AS(NotifyingRegistry<>().reserve(SIZE_MAX), std::length_error);
}

// ---- registry with a queue

TEST_CASE("with one entity at a time a handle returns after exactly 256 x 1024 destructions") {
  QueuedRegistry registry;
  const Entity30 first = registry.create();
  std::size_t destructions = 0;
  Entity30 current = first;
  do {
    registry.destroy(current);
    ++destructions;
    current = registry.create();
  } while (current != first);
  CHECK(destructions == 262'144);  // 256 x 1024
}

/// 63 indices of which 16 wait.
using SmallRegistry = EntityRegistry<BasicEntity<std::uint32_t, 6, 4>, 16>;

TEST_CASE("creating many gives the same entities as creating them one by one") {
  for (const std::size_t count : {0, 1, 5, 20, 40, 63}) {
    SmallRegistry single;
    SmallRegistry bulk;
    for (SmallRegistry* registry : {&single, &bulk}) {
      std::vector<SmallRegistry::entity_type> some;
      for (int i = 0; i < 30; ++i) some.push_back(registry->create());
      for (const auto entity : some) registry->destroy(entity);
    }
    std::vector<SmallRegistry::entity_type> together(count);
    bulk.create(std::span(together));
    for (const auto entity : together) REQUIRE(entity == single.create());
    CHECK(bulk.size() == count);
    std::vector<SmallRegistry::entity_type> too_many(64 - count);
    CHECK_THROWS_AS(bulk.create(std::span(too_many)), IndexExhausted);
    CHECK(bulk.size() == count);
  }
}

TEST_CASE("clear() ends every life, and freed indices go on waiting in their order") {
  SmallRegistry registry;
  std::vector<SmallRegistry::entity_type> living;
  for (int i = 0; i < 20; ++i) living.push_back(registry.create());
  registry.destroy(living[7]);
  registry.destroy(living[3]);
  registry.clear();
  CHECK(registry.size() == 0);
  for (const auto entity : living) CHECK_FALSE(registry.alive(entity));
  CHECK(registry.create().index() == 7);
  CHECK(registry.create().index() == 3);
  CHECK(registry.create().index() == 0);
}

// ---- registry without one

template <class Location>
using Chained = EntityRegistry<Entity, 0, Location>;

/// Freed indices are in a list, or in the slots that wait.
TEMPLATE_TEST_CASE("without a queue the index freed last is used again first, and clear() starts from the first", "",
                   EntityRegistry<>, Chained<parts::HomeRow>, Chained<parts::WideLocation>,
                   Chained<parts::CompactLocation>) {
  std::vector<Entity> living;
  living.reserve(10);
  const harness::HeapUse none = testing::heap();
  TestType registry;
  for (int i = 0; i < 10; ++i) living.push_back(registry.create());
  const std::size_t before = testing::heap().allocations;
  for (const std::size_t dead : {5, 2, 9}) CHECK(registry.destroy(living[dead]));
  CHECK_FALSE(registry.destroy(living[2]));
  CHECK((testing::heap().allocations == before || std::is_same_v<TestType, EntityRegistry<>>));
  CHECK(registry.memory().total_bytes() == testing::heap().live_bytes - none.live_bytes);
  for (const std::size_t dead : {5, 2, 9}) CHECK_FALSE(registry.alive(living[dead]));
  TestType copy;
  copy.copy_from(registry);
  for (TestType* same : {&registry, &copy}) {
    CHECK(same->create() == Entity(9, 1));
    std::vector<Entity> more(3);
    CHECK_FALSE(same->create(std::span(more)).consecutive);
    CHECK(more == std::vector{Entity(2, 1), Entity(5, 1), Entity(10, 0)});
    CHECK(same->size() == 11);
  }
  registry.clear();
  for (const Entity entity : living) CHECK_FALSE(registry.alive(entity));
  CHECK(registry.create() == Entity(0, 1));
  CHECK(registry.create() == Entity(1, 1));
  CHECK(registry.create() == Entity(2, 2));
}

TEMPLATE_TEST_CASE("what was created after a copy is dead in it, while its index waits and afterwards", "",
                   EntityRegistry<>, Chained<parts::HomeRow>, QueuedRegistry) {
  using EntityType = typename TestType::entity_type;
  TestType registry;
  std::vector<EntityType> first(1100);
  registry.create(std::span(first));
  for (const EntityType entity : first) registry.destroy(entity);
  TestType past;
  past.copy_from(registry);
  const EntityType later = registry.create();
  registry.copy_from(past);
  CHECK_FALSE(registry.alive(later));
  CHECK_FALSE(registry.destroy(later));
  CHECK(registry.create() == later);
  registry.copy_from(past);
  registry.clear();
  CHECK_FALSE(registry.alive(later));
  CHECK(registry.size() == 0);
}

TEST_CASE("a registry spends one life per index, and nothing more in reserved room") {
  QueuedRegistry small;
  small.reserve(100'000);
  EntityRegistry<> wide;
  wide.reserve(100'000);
  const std::size_t before = testing::heap().allocations;
  for (int i = 0; i < 100'000; ++i) {
    static_cast<void>(small.create());
    static_cast<void>(wide.create());
  }
  CHECK(testing::heap().allocations == before);
  CHECK(small.memory().total_bytes() == 2 * (100'000 + 1023));  // as many may wait beside them
  CHECK(wide.memory().total_bytes() == 400'000);
}

TEST_CASE("a registry with listeners reserves for the indices that wait, too") {
  NotifyingRegistry<QueuedRegistry> registry;
  registry.reserve(1000);
  std::vector<Entity30> entities(1000);
  registry.create(std::span(entities));
  for (const Entity30 entity : entities) registry.destroy(entity);  // all of them wait
  const std::uint64_t growths = registry.events().growths;
  registry.create(std::span(entities));
  CHECK(registry.events().growths == growths);
}

#if BOOST_VERSION >= 108100
// ---- the rival

TEST_CASE("a hash-set registry never gives out 0 or an id that is alive, and says when none is left") {
  HashSetRegistry<std::uint8_t> registry;
  std::set<std::uint8_t> living;
  for (int i = 0; i < 255; ++i) living.insert(registry.create());
  CHECK(living.size() == 255);
  CHECK_FALSE(living.contains(0));
  CHECK_THROWS_AS(registry.create(), IndexExhausted);
  CHECK(registry.size() == 255);
  CHECK(registry.destroy(77));
  CHECK_FALSE(registry.destroy(77));
  CHECK_FALSE(registry.alive(77));
  CHECK(registry.create() == 77);
  registry.clear();
  CHECK(registry.size() == 0);
  CHECK_FALSE(registry.alive(1));
  const std::uint8_t first = registry.create();
  registry.destroy(first);
  for (int i = 1; i < 255; ++i) REQUIRE(registry.create() != first);  // a freed id comes after all others
  CHECK(registry.create() == first);
}

TEST_CASE("a hash-set registry accounts for every byte, and spends nothing on the dead but room") {
  const std::size_t before = testing::heap().live_bytes;
  HashSetRegistry<> registry;
  CHECK(registry.memory() == MemoryBreakdown{});
  std::vector<std::uint32_t> living;
  for (int i = 0; i < 1000; ++i) living.push_back(registry.create());
  for (std::size_t i = 0; i < 400; ++i) registry.destroy(living[i]);
  const std::size_t held = testing::heap().live_bytes - before - living.capacity() * sizeof(std::uint32_t);
  CHECK(registry.memory().total_bytes() == held);
  CHECK(registry.memory().index_bytes == 600 * sizeof(std::uint32_t));
  CHECK(registry.memory().allocations == 1);
}
#endif

}  // namespace
}  // namespace stowage
