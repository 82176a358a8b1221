// The hand-written stores, which are contract floors, keep the promises of a storage: handles, components and bytes.
#include <iterator>
#include <numeric>

#include <stowage/contract/storage.hpp>

#include "tests/support/catch.hpp"
#include "workloads/floors/array.hpp"
#include "workloads/floors/direct_store.hpp"
#include "workloads/floors/packed_store.hpp"
#include "workloads/floors/pool_store.hpp"
#include "workloads/floors/section_store.hpp"

namespace stowage::workloads {
namespace {

using Packed = PackedStore<int, double>;
using Reusing = PackedReusing<int, double>;
using Rows = InterleavedStore<int, double>;
using Pools = PoolStore<int, double>;
using Direct = DirectStore<int, double>;
using Together = DirectReusing<int, double>;
template <template <class...> class Layout>
using InSections = SectionRows<1, Layout, Types<int>, Types<int, double>>;
using Sections = InSections<ColumnRows>;
using RowSections = InSections<StructRows>;

template <class Store>
concept ChangesComponents = requires(Store& store, Entity entity) { store.template remove<double>(entity); };

/// What an entity of a store has: a number, and a half more than it.
struct Known {
  int whole;
  bool has_half;
};

TEMPLATE_TEST_CASE("a hand-written store has what its entities were given, and nothing for a stale handle", "", Packed,
                   Reusing, Rows, Pools, Together, Direct, Sections, RowSections) {
  TestType store;
  std::map<Entity, Known> living;
  std::vector<Entity> dead;
  std::mt19937_64 random(1);
  const auto any = [&] { return std::next(living.begin(), static_cast<std::ptrdiff_t>(random() % living.size())); };
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t what = living.empty() ? 0 : random() % 20;
    if (what < 6) {
      living.emplace(store.create(i, i + 0.5), Known{i, true});
    } else if (what < 10) {
      const auto victim = any();
      CHECK(store.destroy(victim->first));
      dead.push_back(victim->first);
      living.erase(victim);
    } else if constexpr (ChangesComponents<TestType>) {
      if (what == 10) living.emplace(store.create(i), Known{i, false});
      auto& [entity, known] = *any();
      if (what % 2 == 0) {
        CHECK(store.template emplace<double>(entity, known.whole + 0.5) == known.whole + 0.5);
      } else {
        CHECK(store.template remove<double>(entity) == known.has_half);
      }
      known.has_half = what % 2 == 0;
    }
  }
  REQUIRE(store.size() == living.size());
  for (const Entity entity : dead) {
    CHECK_FALSE(store.alive(entity));
    CHECK_FALSE(store.destroy(entity));
    CHECK(store.template find<int>(entity) == nullptr);
    CHECK(std::get<0>(store.template find<int, double>(entity)) == nullptr);
    if constexpr (ChangesComponents<TestType>) {
      CHECK_FALSE(store.template remove<double>(entity));
      CHECK_THROWS_AS(store.template emplace<double>(entity, 0.25), std::out_of_range);
    }
  }
  std::size_t with_half = 0;
  for (const auto& [entity, known] : living) {
    const int* const whole = store.template find<int>(entity);
    const double* const half = store.template find<double>(entity);
    REQUIRE((whole != nullptr && (half != nullptr) == known.has_half));
    CHECK(*whole == known.whole);
    if (!known.has_half) continue;
    ++with_half;
    CHECK(*half == known.whole + 0.5);
    CHECK(store.template find<int, double>(entity) == std::tuple(whole, half));
  }
  std::size_t visited = 0;
  store.template each<const double, const int>([&](double half, int whole) {
    CHECK(half == whole + 0.5);
    ++visited;
  });
  CHECK(visited == with_half);
  if constexpr (ChangesComponents<TestType>) {
    CHECK(store.template count<double>() == with_half);
    CHECK(store.template count<int>() == living.size());
  }
}

TEMPLATE_TEST_CASE("all changes of an entity in a hand-written store of sections are made with one move of its row", "",
                   Sections, RowSections) {
  TestType store;
  std::vector<Entity> entities;
  for (int i = 0; i < 5; ++i) entities.push_back(store.create(i, i + 0.5));
  CHECK(store.change(entities[1], Types<double>{}, 11));
  CHECK(store.change(entities[2], Types<>{}, 12, 12.5));
  CHECK(store.change(entities[1], Types<>{}, 1.25));
  CHECK(store.change(entities[0], Types<double>{}));
  const auto value_of = [&](int i) { return store.template find<int, double>(entities[static_cast<std::size_t>(i)]); };
  CHECK(*std::get<0>(value_of(1)) == 11);
  CHECK(*std::get<1>(value_of(1)) == 1.25);
  CHECK(*std::get<0>(value_of(2)) == 12);
  CHECK(*std::get<1>(value_of(2)) == 12.5);
  CHECK(*store.template find<int>(entities[0]) == 0);
  CHECK(store.template find<double>(entities[0]) == nullptr);
  for (int i = 3; i < 5; ++i) CHECK(*std::get<1>(value_of(i)) == i + 0.5);
  CHECK(store.template count<double>() == 4);
  store.destroy(entities[3]);
  CHECK_FALSE(store.change(entities[3], Types<double>{}));
}

TEST_CASE("entities of a list change in a hand-written store of sections as they do one after the other") {
  Sections together, apart;
  std::vector<Entity> list;
  std::vector<double> halves;
  for (int i = 0; i < 200; ++i) {
    const auto create = [i](Sections& store) { return i % 7 == 0 ? store.create(i, -1.0) : store.create(i); };
    const Entity entity = create(together);
    REQUIRE(create(apart) == entity);
    if (i % 11 == 0) continue;
    list.push_back(entity);
    halves.push_back(i + 0.5);
    if (i % 50 == 49) CHECK((together.destroy(entity) && apart.destroy(entity)));
  }
  const auto expect_the_same = [&] {
    for (const Entity entity : list) {
      const auto [whole, half] = together.find<int, double>(entity);
      const auto [other_whole, other_half] = apart.find<int, double>(entity);
      REQUIRE((half != nullptr) == (other_half != nullptr));
      if (half != nullptr) CHECK((*half == *other_half && *whole == *other_whole));
      const int* const alone = together.find<int>(entity);
      if (alone != nullptr) CHECK(*alone == *apart.find<int>(entity));
    }
    CHECK(together.count<double>() == apart.count<double>());
  };
  CHECK(emplace_all<double>(together, std::span<const Entity>(list), std::span<const double>(halves)) ==
        list.size() - 3);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (apart.alive(list[i])) apart.emplace<double>(list[i], halves[i]);
  }
  expect_the_same();
  std::size_t removed = 0;
  const auto some = std::span<const Entity>(list).subspan(20, 100);
  for (const Entity entity : some) removed += apart.remove<double>(entity) ? 1 : 0;
  CHECK(remove_all<double>(together, some) == removed);
  CHECK(remove_all<double>(together, some) == 0);
  expect_the_same();
}

TEMPLATE_TEST_CASE("many entities of a hand-written store are made at once, in free slots and new ones", "", Packed,
                   Rows, Direct, Together, Sections, RowSections) {
  TestType store;
  std::vector<Entity> handles;
  for (int i = 0; i < 10; ++i) handles.push_back(store.create(i, 0.0));
  store.destroy(handles[3]);
  store.destroy(handles[7]);
  const std::vector<int> wholes{20, 21, 22, 23};
  const std::vector<double> halves{20.5, 21.5, 22.5, 23.5};
  std::vector<Entity> made(4);
  store.create(std::span(made), std::span<const int>(wholes), std::span<const double>(halves));
  CHECK(store.size() == 12);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const auto [whole, half] = store.template find<int, double>(made[i]);
    REQUIRE(whole != nullptr);
    CHECK(*whole == wholes[i]);
    CHECK(*half == halves[i]);
    CHECK(store.destroy(made[i]));
  }
  CHECK_FALSE(store.alive(handles[3]));
  store.end_all();
  CHECK(store.size() == 0);
  CHECK_FALSE(store.alive(handles[0]));
  std::vector<int> many(100);
  std::iota(many.begin(), many.end(), 0);
  const std::vector<double> none(100);
  std::vector<Entity> again(100);
  store.create(std::span(again), std::span<const int>(many), std::span<const double>(none));
  for (const Entity gone : handles) CHECK_FALSE(store.alive(gone));
  for (const Entity gone : made) CHECK_FALSE(store.alive(gone));
  for (std::size_t i = 0; i < again.size(); ++i) CHECK(*store.template find<int>(again[i]) == many[i]);
  int visited = 0;
  store.template each<const int>([&](int whole) { CHECK(whole == visited++); });
  CHECK(visited == 100);
}

TEST_CASE("a packed store that was emptied gives its slots out with their next generation") {
  Packed store;
  store.reserve<int, double>(3);
  const Entity first = store.create(1, 1.0);
  static_cast<void>(store.create(2, 2.0));
  store.destroy(first);
  const Entity again = store.create(3, 3.0);
  CHECK(again.index() == first.index());
  CHECK(again != first);
  const MemoryBreakdown memory = store.memory();
  CHECK(memory.payload_bytes == 2 * 12);
  CHECK(memory.index_bytes == 2 * 12);
  // room for a third slot and row, and what is left of two lines behind three slots' numbers
  // and three ints
  CHECK(memory.slack_bytes == 8 + (4 + 12) + 2 * (64 - 12));
  CHECK(memory.allocations == 2);
  store.end_all();
  CHECK(store.create(4, 4.0).index() == first.index());
}

// malloc aligns to 16 bytes, so that of a few arrays one would be off for certain.
TEST_CASE("what a hand-written reference stores starts on a cache line, as the columns of the strategies do") {
  const auto is_on_a_line = [](const void* place) { return reinterpret_cast<std::uintptr_t>(place) % 64 == 0; };
  std::vector<StoredArray<int>> arrays;
  for (std::size_t size = 1; size < 1000; size += 37) {
    arrays.emplace_back(size, 0);
    CHECK(is_on_a_line(arrays.back().data()));
  }
  Packed store;
  const Entity first = store.create(1, 1.0);
  for (int i = 0; i < 2000; ++i) static_cast<void>(store.create(i, i));
  const auto [whole, half] = store.find<int, double>(first);
  CHECK(is_on_a_line(whole));
  CHECK(is_on_a_line(half));
}

}  // namespace
}  // namespace stowage::workloads
