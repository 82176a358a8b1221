// The C++ that is generated from a profile: components, schema, prefabs, systems, and the work of a world.
#include "harness/recommend/generate.hpp"

#include "harness/recommend/world.hpp"
#include "harness/text.hpp"
#include "tests/harness/recommend/synthetic_game.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using fake::game;
using Prefab = std::vector<std::size_t>;

TEST_CASE("components keep their sizes, and the user's types their names") {
  Profile profile = game();
  profile.components.push_back({.name = "health", .type = "game::Health", .header = "/games/health.hpp"});
  const std::string types = types_header(profile);
  CHECK_THAT(types, ContainsSubstring("#include \"/games/health.hpp\""));
  CHECK_THAT(types, ContainsSubstring("static_assert(std::is_default_constructible_v<game::Health>, \"the type of "
                                      "component 'health'"));
  const std::string text = game_header(profile);
  CHECK_THAT(text, ContainsSubstring("using C0 = stowage::workloads::game::Bytes<0, 12>;  // position"));
  CHECK_THAT(text, ContainsSubstring("using C2 = game::Health;  // health"));
  CHECK_THAT(text, ContainsSubstring("static constexpr std::size_t entities = 1000;"));
}

TEST_CASE("prefabs are the commonest sets, few of many independent components, and one that all entities contain") {
  Profile profile = game();
  profile.components = {{.name = "universal", .bytes = 4},
                        {.name = "most", .bytes = 4, .share = 0.9},
                        {.name = "few", .bytes = 4, .share = 0.01}};
  CHECK(prefabs_of(profile) == std::vector<Prefab>{{0, 1, 2}, {0, 1}, {0, 2}, {0}});
  profile.components[0].share = 0.5;
  for (const Prefab& prefab : prefabs_of(profile)) CHECK_FALSE(prefab.empty());
  profile.components.assign(1, {.name = "universal", .bytes = 4});
  for (int i = 0; i < 20; ++i) profile.components.push_back({.name = "c", .bytes = 4, .share = 0.5});
  const std::vector<Prefab> prefabs = prefabs_of(profile);
  CHECK(prefabs.size() == 5);
  CHECK(prefabs.back() == Prefab{0});
}

TEST_CASE("groups, systems, lookups and a hierarchy of a profile are in the header of its game") {
  Profile together = game();
  together.components = {{.name = "a", .bytes = 4, .share = 0.5, .together = "pair"},
                         {.name = "alone", .bytes = 4, .share = 0.25},
                         {.name = "b", .bytes = 4, .share = 0.5, .together = "pair"}};
  Profile changed = game();
  changed.components = {{.name = "health", .bytes = 4, .together = "vital"},
                        {.name = "bar", .bytes = 4, .together = "vital"}};
  changed.systems = {{.name = "draw", .reads = {0}, .writes = {1}, .changed_only = true}};
  Profile written = game();
  written.systems = {{.name = "s", .reads = {1}, .writes = {0}, .runs_per_frame = 0.5}};
  written.lookups = {{.reads = {1}, .writes = {}, .per_frame = 20, .order = LookupOrder::local}};
  Profile hot = game();
  hot.lookups = {{.reads = {1}, .writes = {}, .per_frame = 20, .hot_share = 0.1}};
  Profile beside = game();
  beside.threads = 4;
  beside.systems = {{.name = "a", .reads = {0}, .writes = {}}, {.name = "b", .writes = {1}, .parts = 3}};
  beside.lookups = {{.reads = {1}, .writes = {}, .per_frame = 20, .order = LookupOrder::space}};
  Profile tree = game();
  tree.hierarchy = ProfileHierarchy{.share = 0.5, .depth = 3, .fan_out = 4, .dirty_share = 0.25};
  const std::vector<std::pair<Profile, std::vector<std::string>>> headers{
      {together, {"stowage::Schema<stowage::Group<C0, C2>, C1>", "owners{{{0.5, 0}, {0.25, 1}, {0.5, 0}}}"}},
      {changed,
       {"stowage::Schema<stowage::Group<stowage::Changed<C0>, C1>>",
        "Systems = TypeList<Derivation<C0, TypeList<C1>>>"}},
      {written,
       {"Access<TypeList<C1>, TypeList<C0>>", "std::array<double, 1> runs_per_frame{{0.5}}",
        "std::array<LookupRate, 1> lookups{{{20, true}}}"}},
      {hot, {"lookups{{{20, false, 0.1}}}"}},
      {beside,
       {"InParts<Access<TypeList<>, TypeList<C1>>, 3>", "lookups{{{20, false, 1, true}}}",
        "static constexpr std::size_t threads = 4;", "std::array<std::size_t, 2> stages{{0, 0}}"}},
      {tree, {"using C2 = stowage::LocalTransform;", "stowage::Group<C2, C3>>", "Tree tree{true, 3, 4, 0.25}"}}};
  for (const auto& [profile, texts] : headers) {
    for (const std::string& text : texts) CHECK_THAT(game_header(profile), ContainsSubstring(text));
  }
}

TEST_CASE("kinds of work in a world are done with the systems and components that do most of them") {
  Profile profile = game();
  profile.components = {{.name = "all", .bytes = 4},
                        {.name = "most", .bytes = 4, .share = 0.9},
                        {.name = "tag", .bytes = 0},
                        {.name = "few", .bytes = 4, .share = 0.01}};
  profile.systems = {{.name = "reads all", .reads = {0}, .writes = {}},
                     {.name = "most", .reads = {0}, .writes = {1}},
                     {.name = "few", .reads = {}, .writes = {3}},
                     {.name = "joins", .reads = {0, 1}, .writes = {3}},
                     {.name = "derives", .reads = {0}, .writes = {1}, .changed_only = true}};
  const WorldPlan plan = plan_world(profile);
  CHECK(plan.dense == 1);
  CHECK(plan.sparse == 3);
  CHECK(plan.joined == 3);
  CHECK(plan.looked_up == Prefab{0, 1, 3});
  // Components that are together are there together: half of the entities, not a quarter.
  Profile together = profile;
  for (ProfileComponent& component : together.components) {
    component.share = 0.5;
    component.together = "all";
  }
  CHECK(entities_with(together, {0, 1}) == static_cast<double>(together.entities) / 2);
  profile.systems.clear();
  CHECK_FALSE(plan_world(profile).dense);
  CHECK_THAT(game_header(profile), ContainsSubstring("using Dense = void;"));
}

TEST_CASE("a world has the kinds of work that its profile has, and the name of what it says") {
  Profile profile = game();
  profile.systems.clear();
  CHECK(names_of(workloads_of_world(profile), [](const WorkloadEntry& entry) { return entry.card.name; }) ==
        std::vector<std::string>{"world.lookup", "world.frame", "world.spike"});
  const std::string name = world_name(profile);
  profile.name = "my \"game\": 2/3";  // a name stands in names of cells
  CHECK(world_name(profile).starts_with("my__game___2_3-"));
  profile.name = game().name;
  profile.budget.frame_ms = 3;  // what the world is stays as it was
  CHECK(world_name(profile) == name);
  profile.entities += 1;
  CHECK(world_name(profile) != name);
}

TEST_CASE("a package has modules of a world, and a build directory compiles them where the user's are") {
  Toolchain toolchain;
  toolchain.modules = "/usr/lib/stowage/modules";
  CHECK(world_build_plan(game(), toolchain, {}).prebuilt.empty());
  toolchain.modules_are_prebuilt = true;
  CHECK(world_build_plan(game(), toolchain, {}).prebuilt == "/usr/lib/stowage/modules/worlds/" + world_name(game()));
}

TEST_CASE("nothing that a profile says gets out of a comment or a string") {
  Profile profile = game();
  profile.name = "a \"game\"\n*/ int x;";
  profile.components[0].name = "posi\\\ntion";
  const std::string text = game_header(profile);
  CHECK_THAT(text, ContainsSubstring("title = \"a _game____ int x_\";"));
  CHECK_THAT(text, ContainsSubstring("// posi__tion\n"));
}

}  // namespace
}  // namespace stowage::harness
