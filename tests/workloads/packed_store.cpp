#include "workloads/contract/packed_store.hpp"

#include <map>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

namespace stowage::workloads {
namespace {

using Store = PackedStore<int, double>;

TEST_CASE("whoever is created is found until it is destroyed") {
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
  CHECK(memory.slack_bytes == 12 + 12);
  CHECK(memory.allocations == 4);
}

}  // namespace
}  // namespace stowage::workloads
