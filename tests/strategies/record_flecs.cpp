#include <stowage/record/flecs_look.hpp>

#include <filesystem>

#include "tests/support/catch.hpp"

namespace stowage {
namespace {

struct Position {
  float x, y;
};
struct Velocity {
  float x, y;
};
struct Frozen {};
struct Stunned {
  float seconds;
};

/// The profile is written nowhere: what is looked at is what was seen.
const record::Options unwritten{.file = std::filesystem::temp_directory_path() / "no directory" / "game.toml",
                                .overhead = 1};

TEST_CASE("a recorder sees the entities, components, changes, parents and systems of a world of flecs") {
  ecs_world_t* const world = ecs_init();
  ECS_COMPONENT(world, Position);
  ECS_COMPONENT(world, Velocity);
  ECS_COMPONENT(world, Stunned);
  ECS_TAG(world, Frozen);
  ecs_add_id(world, ecs_id(Stunned), EcsCanToggle);
  ecs_system_desc_t move{};
  ecs_entity_desc_t named{};
  named.name = "move";
  move.entity = ecs_entity_init(world, &named);
  ecs_add_pair(world, move.entity, EcsDependsOn, EcsOnUpdate);
  ecs_add_id(world, move.entity, EcsOnUpdate);
  move.query.terms[0].id = ecs_id(Position);
  move.query.terms[1].id = ecs_id(Velocity);
  move.query.terms[1].inout = EcsIn;
  move.query.terms[2].id = Frozen;
  move.query.terms[2].oper = EcsNot;
  move.callback = [](ecs_iter_t*) {};
  ecs_system_init(world, &move);

  const ecs_entity_t prefab = ecs_new_w_id(world, EcsPrefab);
  ecs_add_id(world, prefab, ecs_id(Position));
  const ecs_entity_t root = ecs_new_w_id(world, ecs_id(Position));
  ecs_entity_t child = 0;
  for (int count = 0; count < 9; ++count) {
    child = ecs_new_w_pair(world, EcsChildOf, root);
    ecs_add_id(world, child, ecs_id(Position));
    ecs_add_id(world, child, ecs_id(Velocity));
  }
  ecs_add_id(world, root, ecs_id(Stunned));
  {
    record::Recorder recorder(unwritten, record::flecs_world(world));
    ecs_progress(world, 1.0f / 60);
    recorder.frame();
    ecs_delete(world, child);
    ecs_enable_id(world, root, ecs_id(Stunned), false);
    ecs_progress(world, 1.0f / 60);
    recorder.frame();

    const record::Observations& seen = recorder.seen();
    const auto number_of = [&](const std::string& symbol) {
      const auto found = std::ranges::find(seen.components, symbol, &record::Component::symbol);
      REQUIRE(found != seen.components.end());
      return static_cast<std::size_t>(found - seen.components.begin());
    };
    const std::size_t position = number_of("Position");
    CHECK(seen.least_entities == 9);  // the prefab is none
    CHECK(seen.most_entities == 10);
    CHECK(seen.destroyed == 1);
    CHECK(seen.children == 9 + 8);
    CHECK(seen.levels == 2);
    CHECK(seen.components[position].bytes == sizeof(Position));
    CHECK(seen.components[number_of("Stunned")].is_state);
    CHECK(seen.components[number_of("Stunned")].lost == 1);
    const auto system = std::ranges::find(seen.systems, "move", &record::System::name);
    REQUIRE(system != seen.systems.end());
    CHECK(seen.storage == "flecs");
    CHECK(system->runs == 2);
    CHECK(system->timed_frames == 1);
    CHECK(system->timed_s > 0);
    CHECK(system->use.writes == record::Set().set(position));
    CHECK(system->use.reads == record::Set().set(number_of("Velocity")));
    CHECK(system->use.without == record::Set().set(number_of("Frozen")));
  }
  ecs_fini(world);
}

TEST_CASE("tags and pairs of flecs are components of their own, even if they share a name") {
  ecs_world_t* const world = ecs_init();
  const auto named = [&](const char* name, ecs_entity_t parent) {
    ecs_entity_desc_t description{};
    description.name = name;
    description.parent = parent;
    return ecs_entity_init(world, &description);
  };
  const ecs_entity_t player_frozen = named("frozen", named("player", 0));
  const ecs_entity_t enemy_frozen = named("frozen", named("enemy", 0));
  const ecs_entity_t faction = named("faction", 0);
  const ecs_entity_t red = named("red", 0);
  const ecs_entity_t blue = named("blue", 0);
  const ecs_entity_t owner = named("owner", 0);  // no kind, because they are of the game
  const ecs_entity_t rival = named("rival", 0);
  ecs_add_id(world, owner, player_frozen);
  ecs_add_id(world, rival, enemy_frozen);
  for (int count = 0; count < 12; ++count) {
    const ecs_entity_t entity = ecs_new_w_id(world, count < 5 ? player_frozen : enemy_frozen);
    ecs_add_pair(world, entity, faction, count < 8 ? red : blue);
    if (count % 2 == 0) ecs_add_pair(world, entity, faction, count < 6 ? owner : rival);
  }
  {
    record::Recorder recorder(unwritten, record::flecs_world(world));
    recorder.frame();
    const record::Observations& seen = recorder.seen();
    const auto owners_of = [&](const std::string& symbol) {
      std::vector<std::uint64_t> owners;
      for (std::size_t number = 0; number < seen.components.size(); ++number) {
        if (seen.components[number].symbol != symbol) continue;
        owners.push_back(0);
        for (const auto& [kind, figures] : seen.kinds) owners.back() += kind.set.test(number) ? figures.entities : 0;
      }
      std::ranges::sort(owners);
      return owners;
    };
    CHECK(owners_of("frozen") == std::vector<std::uint64_t>{6, 8});
    CHECK(owners_of("faction-red") == std::vector<std::uint64_t>{8});
    CHECK(owners_of("faction-blue") == std::vector<std::uint64_t>{4});
    CHECK(owners_of("faction") == std::vector<std::uint64_t>{6});
    CHECK(seen.components.size() == 5);
  }
  ecs_fini(world);
}

}  // namespace
}  // namespace stowage
