#include <stowage/indirection_map_paired.hpp>

#include "tests/support/catch.hpp"
#include "workloads/support/random.hpp"

// Where rows are: complete groups first, in the same order in every pool of the group.
namespace stowage {
namespace {

struct A {
  std::uint32_t number;
};
struct B {
  std::uint32_t number;
};
struct C {
  std::uint32_t number;
};
struct D {
  std::uint32_t number;
};
using Components = Schema<Group<A, B, C>, D>;
using Storage = IndirectionMapPaired<Components>;

template <class S, class Component>
concept HasRowsOf = requires(S storage) { storage.template row_count<Component>(); };
static_assert(HasRowsOf<Storage, D>);
static_assert(!HasRowsOf<Storage, A>, "the order of a grouped component is not the program's to change");

template <class Component>
std::span<const Component> rows_of(Storage& storage) {
  std::span<const Component> rows;
  storage.each_block<const Component>([&](std::span<const Component> block) { rows = block; });
  return rows;
}

/// How many entities have A, B and C, and whether their rows are the first of each pool, in the same order.
void check_pairs(Storage& storage, const std::vector<Entity>& entities) {
  std::size_t complete = 0;
  for (const Entity entity : entities) {
    complete += storage.contains<A>(entity) && storage.contains<B>(entity) && storage.contains<C>(entity) ? 1 : 0;
  }
  const auto a = rows_of<A>(storage);
  const auto b = rows_of<B>(storage);
  const auto c = rows_of<C>(storage);
  std::size_t shown = 0;
  storage.each_block<const A, const B, const C>(
      [&](std::span<const A> as, std::span<const B> bs, std::span<const C> cs) {
        CHECK((as.data() == a.data() && bs.data() == b.data() && cs.data() == c.data()));
        shown += as.size();
      });
  REQUIRE(shown == complete);
  for (const Entity entity : entities) {
    const auto [found_a, found_b, found_c] = storage.find<A, B, C>(entity);
    if (found_a == nullptr || found_b == nullptr || found_c == nullptr) continue;
    const std::ptrdiff_t row = found_a - a.data();
    REQUIRE(row < static_cast<std::ptrdiff_t>(complete));
    REQUIRE(found_b - b.data() == row);
    REQUIRE(found_c - c.data() == row);
  }
}

TEST_CASE("complete groups come first and in one order, whatever entities gain and lose, one by one or many at once") {
  Storage storage;
  std::vector<Entity> entities;
  workloads::Random random(11);
  const auto toggle = [&]<class Component>(TypeList<Component>, Entity entity, std::uint32_t number) {
    if (!storage.remove<Component>(entity)) storage.emplace<Component>(entity, number);
  };
  for (std::uint32_t step = 0; step < 2'000; ++step) {
    const std::uint64_t kind = random.below(8);
    if (entities.size() < 3 || kind == 0) {
      entities.push_back(storage.create(A{step}, B{step}, C{step}));
    } else if (kind == 1) {
      entities.push_back(storage.create(B{step}, D{step}));
    } else if (step % 200 == 100) {
      entities.resize(entities.size() + 100);
      storage.create_copies(std::span(entities).last(100), A{step}, B{step}, C{step});
    } else if (kind == 2) {
      const std::size_t place = random.below(entities.size());
      storage.destroy(entities[place]);
      entities[place] = entities.back();
      entities.pop_back();
    } else {
      const Entity entity = entities[random.below(entities.size())];
      if (kind == 3) toggle(TypeList<C>{}, entity, step);
      if (kind == 4 || kind == 5) toggle(TypeList<A>{}, entity, step);
      if (kind >= 6) toggle(TypeList<B>{}, entity, step);
    }
    if (step % 50 == 49) check_pairs(storage, entities);
  }
}

}  // namespace
}  // namespace stowage
