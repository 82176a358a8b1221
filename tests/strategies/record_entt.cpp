#include <entt/entt.hpp>

#include <stowage/record.hpp>

#include <filesystem>
#include <string>

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
  record::Recorder recorder(
      {.file = std::filesystem::temp_directory_path() / "no directory" / "game.toml", .overhead = 1},
      record::entt_registry(registry, parent_of));
  recorder.system("move", record::writes<Position>);
  recorder.frame();
  registry.emplace<Burning>(root);
  registry.destroy(registry.view<Parent>().front());
  recorder.frame();

  const record::Observations& seen = recorder.seen();
  CHECK(seen.least_entities == 9);
  CHECK(seen.most_entities == 10);
  CHECK(seen.created == 0);
  CHECK(seen.destroyed == 1);
  CHECK(component(seen, "Burning").gained == 1);
  CHECK_FALSE(component(seen, "Burning").is_size_known);
  CHECK(component(seen, "Position").bytes == sizeof(Position));  // the system said so
  CHECK(seen.children == 9 + 8);
  CHECK(seen.parents == 2);
  CHECK(seen.levels == 2);
  CHECK(seen.sets.size() == 3);
}

}  // namespace
}  // namespace stowage
