#include <stowage/record/entt_look.hpp>

#include <filesystem>

#include "tests/support/catch.hpp"

namespace stowage {
namespace {

struct Position {
  float x, y;
};
struct Burning {};
struct Parent {
  entt::entity entity;
};

/// The profile is written nowhere: what is looked at is what was seen.
const record::Options unwritten{.file = std::filesystem::temp_directory_path() / "no directory" / "game.toml",
                                .overhead = 1};

const record::Component& component(const record::Observations& seen, const std::string& name) {
  for (const record::Component& component : seen.components) {
    if (component.symbol.ends_with(name)) return component;
  }
  FAIL(name << " was not seen");
  return seen.components.front();
}

TEST_CASE("a recorder sees the entities, components, changes and parents of a registry of EnTT") {
  entt::registry registry;
  const entt::entity root = registry.create();
  registry.emplace<Position>(root);
  for (int count = 0; count < 9; ++count) {
    const entt::entity child = registry.create();
    registry.emplace<Position>(child);
    registry.emplace<Parent>(child, root);
  }
  const auto parent_of = [&](entt::entity entity) {
    const auto* const parent = registry.try_get<Parent>(entity);
    return parent == nullptr ? entt::entity(entt::null) : parent->entity;
  };
  record::Recorder recorder(unwritten, record::entt_registry(registry, parent_of));
  recorder.system("move", record::writes<Position>);
  recorder.frame();
  registry.emplace<Burning>(root);
  registry.destroy(registry.view<Parent>().front());
  recorder.frame();

  const record::Observations& seen = recorder.seen();
  CHECK(seen.storage == "entt");
  CHECK(seen.least_entities == 9);
  CHECK(seen.most_entities == 10);
  CHECK(seen.created == 0);
  CHECK(seen.destroyed == 1);
  CHECK(component(seen, "Burning").gained == 1);
  CHECK(component(seen, "Burning").is_size_known);  // EnTT stores nothing of an empty type
  CHECK_FALSE(component(seen, "Parent").is_size_known);
  CHECK(component(seen, "Position").bytes == sizeof(Position));  // the system said so
  CHECK(seen.children == 9 + 8);
  CHECK(seen.levels == 2);
  CHECK(seen.kinds.size() == 4);  // of the root and of its children, with and without Burning
}

TEST_CASE("each pool of a registry of EnTT is a component, by the name that it was told or by its id") {
  using namespace entt::literals;
  entt::registry registry;
  auto& enemy = registry.storage<void>("enemy"_hs);
  auto& frozen = registry.storage<void>("frozen"_hs);
  auto& previous = registry.storage<Position>("previous"_hs);
  auto& next = registry.storage<Position>(17);
  auto& homonym = registry.storage<Position>("Position"_hs);
  for (int count = 0; count < 20; ++count) {
    const entt::entity entity = registry.create();
    registry.emplace<Position>(entity);
    registry.emplace<entt::tag<"new"_hs>>(entity);
    if (count % 4 == 0) enemy.emplace(entity);
    if (count % 10 == 0) frozen.emplace(entity);
    if (count < 9) previous.emplace(entity);
    if (count < 8) next.emplace(entity);
    if (count < 7) homonym.emplace(entity);
  }
  record::Recorder recorder(unwritten, record::entt_registry(registry));
  recorder.components<Position, record::Named<"enemy">, record::Named<"previous", Position>>();
  recorder.system("thaw", record::reads<record::Named<"frozen">>);
  recorder.frame();
  frozen.erase(*frozen.begin());
  recorder.frame();

  const record::Observations& seen = recorder.seen();
  CHECK(seen.components.size() == 7);
  const auto check = [&](const std::string& name, std::size_t bytes, std::uint64_t owners) {
    const record::Component& its = component(seen, name);
    CAPTURE(name);
    CHECK((its.is_size_known && its.bytes == bytes));
    std::uint64_t count = 0;
    for (const auto& [kind, figures] : seen.kinds) {
      if (kind.set.test(static_cast<std::size_t>(&its - seen.components.data()))) count += figures.entities;
    }
    CHECK(count == owners);
  };
  check("enemy", 0, 2 * 5);
  check("frozen", 0, 2 + 1);
  check("previous", sizeof(Position), 2 * 9);
  check("Position_11", sizeof(Position), 2 * 8);
  check("Position", sizeof(Position), 2 * 20);
  CHECK(component(seen, "frozen").lost == 1);
  CHECK(component(seen, "Position_11").is_unnamed);
  CHECK_FALSE(component(seen, "previous").is_unnamed);
  CHECK_THAT(record::profile_of(seen), ContainsSubstring("record::Named<"));
  CHECK(
      seen.systems.at(0).use.reads.test(static_cast<std::size_t>(&component(seen, "frozen") - seen.components.data())));
}

}  // namespace
}  // namespace stowage
