#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <stowage/contract/changes.hpp>
#include <stowage/contract/schema.hpp>

#include "peers/flecs.hpp"
#include "tests/support/catch.hpp"
#include "workloads/support/changes.hpp"

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

TEMPLATE_TEST_CASE("an emptied flecs has no entities but those of its queries", "", Storage,
                   (peers::FlecsSparse<Schema<Group<A, B>, Tag, std::uint64_t>>)) {
  TestType storage;
  std::size_t visited = 0;
  const auto visit = [&] { storage.template each<const A>([&](const A&) { ++visited; }); };
  visit();
  for (int round = 0; round < 2; ++round) {
    std::vector<typename TestType::entity_type> handles;
    for (std::uint32_t i = 0; i < 3; ++i) {
      handles.push_back(storage.create());
      handles.push_back(storage.create(A{i}, B{i}));
      handles.push_back(storage.create(Tag{}));
      if constexpr (TestType::schema_type::template contains<std::uint64_t>) {
        handles.push_back(storage.create(std::uint64_t{i}));
        handles.push_back(storage.create(A{i}, std::uint64_t{i}));
      }
    }
    storage.clear();
    for (const auto handle : handles) CHECK_FALSE(storage.alive(handle));
    CHECK(storage.template count<A>() == 0);
    visit();
    CHECK(visited == 0);
  }
  storage.create(A{1});
  visit();
  CHECK(visited == 1);
}

TEST_CASE("steps of a loop of flecs go through all tables, and are numbered anew after a change") {
  Storage storage;
  for (std::uint32_t i = 0; i < 100; ++i) {
    storage.create(A{i});
    storage.create(A{i}, B{i}, Tag{});
  }
  for (const std::size_t entities : {200, 300}) {
    const std::size_t steps = storage.loop_steps<A>();
    CHECK(steps == entities);
    std::size_t visited = 0;
    for (std::size_t first = 0; first < steps; first += 7) {
      storage.each_step<A>(first, std::min(first + 7, steps), [&](A&) { ++visited; });
    }
    CHECK(visited == entities);
    CHECK(storage.loop_steps<const A, const Tag>() == 100);
    for (std::uint32_t i = 0; i < 100; ++i) storage.create(A{i}, B{i});
  }
}

using Watched = Schema<Group<Changed<A>, B>, Tag>;

TEST_CASE("flecs shows a loop the tables that were written since it last ran") {
  using Storage = peers::Flecs<Watched>;
  static_assert(workloads::ShowsChangesOnce<Storage, A> && !workloads::ShowsChangesOnce<Storage, B>);
  Storage storage;
  std::vector<Storage::entity_type> plain;
  std::vector<Storage::entity_type> tagged;
  for (std::uint32_t i = 0; i < 3; ++i) plain.push_back(storage.create(A{i}, B{i}));
  for (std::uint32_t i = 0; i < 2; ++i) tagged.push_back(storage.create(A{i}, B{i}, Tag{}));
  const auto visited = [&storage] {
    std::vector<Storage::entity_type> entities;
    storage.each_changed<const A, B>([&](Storage::entity_type entity, const A& a, B& b) {
      b.number = a.number;
      entities.push_back(entity);
    });
    return entities;
  };
  CHECK(visited().size() == 5);  // the first time
  CHECK(visited().empty());

  storage.find<A>(plain[1])->number = 7;
  CHECK(visited() == plain);
  CHECK(storage.find<const B>(plain[1])->number == 7);
  const auto [a, b, tag] = storage.find<A, const B, const Tag>(tagged[1]);
  CHECK((a->number == 1 && b->number == 1 && tag != nullptr));
  CHECK(std::get<const Tag*>(storage.find<const A, const Tag>(plain[0])) == nullptr);
  CHECK(visited() == tagged);
  storage.each<A, const Tag>([](A& a, const Tag&) { ++a.number; });
  CHECK(visited() == tagged);
  storage.emplace<A>(tagged[0], 8u);
  CHECK(visited() == tagged);
  storage.defer([&](Storage::Deferred& deferred) { deferred.emplace<A>(plain[0], 9u); });
  CHECK(visited() == plain);
  plain.push_back(storage.create(A{4}, B{4}));
  CHECK(visited() == plain);
  CHECK(visited().empty());

  // what is read, or is not A
  CHECK(std::as_const(storage).find<A>(plain[0])->number == 9);
  storage.find<B>(plain[0])->number = 0;
  storage.each<const A, B>([](const A&, B& b) { b.number = 0; });
  CHECK(visited().empty());

  std::size_t others = 0;  // another loop has seen nothing yet
  storage.each_changed<const A>([&](const A&) { ++others; });
  CHECK(others == 6);
}

TEST_CASE("flecs.sparse detects no changes of components in sparse sets") {
  using Storage = peers::FlecsSparse<Schema<Group<Changed<A>, B>, Changed<Tag>, Changed<std::uint64_t>>>;
  CHECK(workloads::ShowsChangesOnce<Storage, A>);
  CHECK_FALSE(workloads::ShowsChangesOnce<Storage, Tag>);
  CHECK_FALSE(workloads::ShowsChangesOnce<Storage, std::uint64_t>);
}

}  // namespace
}  // namespace stowage
