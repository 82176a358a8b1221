#include "peers/flecs.hpp"
#include "tests/support/catch.hpp"

// What conformance cannot see of flecs, which has no account of its memory: what it asks the system for.
namespace stowage {
namespace {

struct A {
  std::uint32_t number;
};
struct B {
  std::uint32_t number;
};
struct Tag {};
using Storage = peers::Flecs<Schema<Group<A, B>, Tag>>;

std::int64_t allocations() { return ecs_os_api_malloc_count + ecs_os_api_calloc_count + ecs_os_api_realloc_count; }

constexpr std::uint32_t count = 3000;

void create_one_by_one(Storage& storage) {
  for (std::uint32_t i = 0; i < count; ++i) storage.create(A{i}, B{i});
}
void create_in_bulk(Storage& storage) {
  static const std::vector<A> as(count);
  static const std::vector<B> bs(count);
  std::vector<Storage::entity_type> handles(count);
  storage.create(std::span(handles), std::span<const A>(as), std::span<const B>(bs));
}
void create_by_components(Storage& storage) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto entity = storage.create();
    storage.emplace<A>(entity, i);
    storage.emplace<Tag>(entity);
  }
}

TEST_CASE("an emptied flecs has room for as many entities as it held") {
  const auto create = GENERATE(&create_one_by_one, &create_in_bulk, &create_by_components);
  const std::int64_t without = allocations();
  Storage storage;
  create(storage);
  REQUIRE(allocations() > without);
  storage.clear();
  CHECK(storage.size() == 0);
  const std::int64_t before = allocations();
  create(storage);
  CHECK(allocations() == before);
  CHECK(storage.size() == count);
  CHECK(storage.count<A>() == count);
}

}  // namespace
}  // namespace stowage
