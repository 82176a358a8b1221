#include "workloads/support/packed_store.hpp"

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"
#include "workloads/support/stored_array.hpp"

namespace stowage::workloads {
namespace {

using Store = PackedStore<int, double>;

TEST_CASE("an entity is found from its creation until it is destroyed") {
  Store store;
  std::map<Entity, int> living;
  std::vector<Entity> dead;
  std::mt19937_64 random(1);
  for (int i = 0; i < 5000; ++i) {
    if (living.empty() || random() % 5 < 3) {
      living.emplace(store.create(i, i + 0.5), i);
    } else {
      const auto victim = std::next(living.begin(), static_cast<std::ptrdiff_t>(random() % living.size()));
      CHECK(store.destroy(victim->first));
      dead.push_back(victim->first);
      living.erase(victim);
    }
  }
  REQUIRE(store.size() == living.size());
  for (const auto& [entity, value] : living) {
    const auto [whole, half] = store.find<int, double>(entity);
    REQUIRE(whole != nullptr);
    CHECK(*whole == value);
    CHECK(*half == value + 0.5);
  }
  store.end_all();
  CHECK(store.size() == 0);
  for (const auto& [entity, value] : living) dead.push_back(entity);
  store.create(7, 7.5);
  for (const Entity entity : dead) {
    CHECK_FALSE(store.alive(entity));
    CHECK_FALSE(store.destroy(entity));
    CHECK(std::get<0>(store.find<int, double>(entity)) == nullptr);
  }
}

TEST_CASE("all are visited, and slots are given out again") {
  Store store;
  store.reserve<int, double>(3);
  const Entity first = store.create(1, 1.0);
  static_cast<void>(store.create(2, 2.0));
  store.destroy(first);
  const Entity again = store.create(3, 3.0);
  CHECK(again.index() == first.index());
  CHECK(again != first);
  int sum = 0;
  store.each<const int>([&](int value) { sum += value; });
  CHECK(sum == 5);
  const MemoryBreakdown memory = store.memory();
  CHECK(memory.payload_bytes == 2 * 12);
  CHECK(memory.index_bytes == 2 * 12);
  // room for a third slot and row, and what is left of two lines behind three slots' numbers and three ints
  CHECK(memory.slack_bytes == 8 + (4 + 12) + 2 * (64 - 12));
  CHECK(memory.allocations == 2);
}

// malloc aligns to 16 bytes, so that of a few arrays one would be off for certain.
TEST_CASE("what a hand-written reference stores starts on a cache line, as the columns of the strategies do") {
  const auto is_on_a_line = [](const void* place) { return reinterpret_cast<std::uintptr_t>(place) % 64 == 0; };
  std::vector<StoredArray<int>> arrays;
  for (std::size_t size = 1; size < 1000; size += 37) {
    arrays.emplace_back(size, 0);
    CHECK(is_on_a_line(arrays.back().data()));
  }
  Store store;
  const Entity first = store.create(1, 1.0);
  for (int i = 0; i < 2000; ++i) static_cast<void>(store.create(i, i));
  const auto [whole, half] = store.find<int, double>(first);
  CHECK(is_on_a_line(whole));
  CHECK(is_on_a_line(half));
}

}  // namespace
}  // namespace stowage::workloads
