// Several components of one type per entity: the chain of each owner holds through removals, moves and failures.
#include <stowage/multi_instance/multi_instance_pool.hpp>

#include <stowage/contract/errors.hpp>

#include "tests/support/catch.hpp"

namespace stowage {
namespace {

using Pool = MultiInstancePool<int>;

Entity owner(EntityIndex index, std::uint32_t generation = 0) { return Entity(index, generation); }

template <class C>
std::vector<C> chain(const MultiInstancePool<C>& pool, Entity entity) {
  std::vector<C> instances;
  pool.for_each_of(entity, [&](const C& instance) { instances.push_back(instance); });
  return instances;
}

TEST_CASE("multi instance: an owner without instances, or an earlier life of its index, has no chain") {
  Pool pool;
  pool.add(owner(3, 1), 5);
  CHECK(pool.first(owner(0)) == Pool::none);
  CHECK(pool.first(owner(100)) == Pool::none);
  CHECK(pool.first(owner(3, 0)) == Pool::none);
  CHECK(pool.remove_all(owner(3, 0)) == 0);
  CHECK(pool.remove_all(owner(3, 1)) == 1);
  pool.add(owner(3, 2), 6);
  CHECK(chain(pool, owner(3, 2)) == std::vector{6});
  CHECK(pool.first(owner(3, 1)) == Pool::none);
}

TEST_CASE("multi instance: random work agrees with a map of lists, in which the last comes first") {
  Pool pool;
  std::map<EntityIndex, std::vector<int>> model;
  std::mt19937_64 random(20'140'908);
  for (int i = 0; i < 20'000; ++i) {
    const auto index = static_cast<EntityIndex>(random() % 50);
    std::vector<int>& list = model[index];
    const std::uint64_t what = random() % 10;
    if (what < 6) {
      pool.add(owner(index), i);
      list.insert(list.begin(), i);
    } else if (what < 9 && !list.empty()) {
      const std::size_t place = random() % list.size();
      Pool::Row row = pool.first(owner(index));
      for (std::size_t step = 0; step < place; ++step) row = pool.next(row);
      CHECK(pool[row] == list[place]);
      CHECK(pool.owner(row) == owner(index));
      pool.remove(row);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
    } else if (what == 9 && random() % 4 == 0) {
      CHECK(pool.remove_all(owner(index)) == list.size());
      list.clear();
    }
  }
  std::size_t instances = 0;
  for (const auto& [index, list] : model) {
    CHECK(chain(pool, owner(index)) == list);
    CHECK(pool.count(owner(index)) == list.size());
    instances += list.size();
  }
  CHECK(pool.size() == instances);
  std::size_t visited = 0;
  std::as_const(pool).each([&](Entity entity, const int& value) {
    CHECK(std::ranges::count(model[entity.index()], value) == 1);
    ++visited;
  });
  CHECK(visited == instances);
}

struct ThrowsOnDemand {
  explicit ThrowsOnDemand(bool throws) {
    if (throws) throw std::runtime_error("no");
  }
};

TEST_CASE(
    "multi instance: a constructor that throws leaves everything as it was; instances may only be movable, and end "
    "once") {
  MultiInstancePool<ThrowsOnDemand> pool;
  pool.add(owner(1), false);
  CHECK_THROWS_AS(pool.add(owner(1), true), std::runtime_error);
  CHECK_THROWS_AS(pool.add(owner(5), true), std::runtime_error);
  CHECK(pool.size() == 1);
  CHECK(pool.count(owner(1)) == 1);
  CHECK(pool.first(owner(5)) == MultiInstancePool<ThrowsOnDemand>::none);
  MultiInstancePool<std::unique_ptr<int>> movable;
  for (int i = 0; i < 3; ++i) movable.add(owner(0), std::make_unique<int>(i));
  movable.remove(0);
  CHECK(*movable[movable.first(owner(0))] == 2);
  movable.clear();
  CHECK(movable.size() == 0);
  CHECK(movable.first(owner(0)) == movable.none);
}

TEST_CASE("multi instance: an instance may be a bool, and is changed in place") {
  MultiInstancePool<bool> pool;
  pool.add(owner(0), false);
  pool.for_each_of(owner(0), [](bool& instance) { instance = !instance; });
  CHECK(chain(pool, owner(0)) == std::vector{true});
  pool.each([](Entity, bool& instance) { instance = !instance; });
  CHECK_FALSE(pool[0]);
}

TEST_CASE("multi instance: every byte is accounted for") {
  Pool pool;
  pool.reserve(10, 4);
  pool.add(owner(1), 1);
  const MemoryBreakdown memory = pool.memory();
  CHECK(memory.payload_bytes == 4);
  CHECK(memory.index_bytes == 8 + 4 + 2 * 8);
  CHECK(memory.slack_bytes == 3 * (4 + 8 + 4) + 8 * 8);
  CHECK(memory.allocations == 4);
}

/// Counts the links that are read: rows are numbers, and this one tells when it is compared or used as one.
struct WatchedRow {
  static inline std::size_t reads = 0;

  WatchedRow() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): stands in for an integer
  constexpr WatchedRow(std::size_t number) noexcept : value(static_cast<std::uint32_t>(number)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr operator std::size_t() const noexcept {
    if (!std::is_constant_evaluated()) ++reads;
    return value;
  }

  std::uint32_t value = 0;
};

TEST_CASE("multi instance: removal walks no chain, neither its own nor that of the row that moves") {
  for (const std::size_t length : {10, 1'000, 50'000}) {
    MultiInstancePool<int, Entity, WatchedRow> pool;
    for (std::size_t i = 0; i < length; ++i) pool.add(owner(0), 0);  // row 0 is the end of the chain
    for (std::size_t i = 0; i < length; ++i) pool.add(owner(1), 1);  // whose last row is its head
    std::size_t most = 0;
    while (pool.size() != 0) {
      WatchedRow::reads = 0;
      pool.remove(pool.size() / 2);  // the far end of one chain, then the middle of it
      most = std::max(most, WatchedRow::reads);
      if (pool.size() == 0) break;
      WatchedRow::reads = 0;
      pool.remove(std::size_t{0});
      most = std::max(most, WatchedRow::reads);
    }
    CHECK(most < 40);
  }
}

TEST_CASE("multi instance: the number that means no row is given to none") {
  MultiInstancePool<int, Entity, std::uint8_t> pool;
  for (int i = 0; i < 255; ++i) pool.add(owner(static_cast<EntityIndex>(i % 7)), i);
  CHECK_THROWS_AS(pool.add(owner(3), 255), RowsExhausted);
  CHECK_THROWS_AS(pool.add(owner(100), 255), RowsExhausted);
  CHECK(pool.size() == 255);
  CHECK(pool.count(owner(3)) == 36);
  CHECK(pool.first(owner(100)) == pool.none);
  pool.remove(17);
  CHECK(pool[pool.add(owner(100), 256)] == 256);
}

}  // namespace
}  // namespace stowage
