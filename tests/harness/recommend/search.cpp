// The search for placements on made-up processes: how designs are named, what is tried next, what is confirmed.
#include "harness/recommend/search.hpp"

#include "harness/recommend/answer_directory.hpp"
#include "harness/recommend/decide.hpp"
#include "harness/recommend/generate.hpp"
#include "harness/recommend/ranking.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"
#include "harness/text.hpp"
#include "tests/harness/recommend/synthetic_game.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using fake::FrameSamples;
using fake::process;
using Names = std::vector<std::string>;

/// Bodies that all have, a state that few have and that changes, and one that may keep its bytes.
Profile battle() {
  Profile profile = fake::game();
  profile.components = {{.name = "position", .bytes = 12, .together = "motion"},
                        {.name = "velocity", .bytes = 12, .together = "motion"},
                        {.name = "health", .bytes = 8},
                        {.name = "burning", .bytes = 8, .share = 0.02},
                        {.name = "frozen", .bytes = 4, .share = 0.1, .toggled_per_frame = 5}};
  profile.systems = {{.name = "move", .reads = {1}, .writes = {0}, .runs_per_frame = 1},
                     {.name = "burn", .reads = {3}, .writes = {2}, .runs_per_frame = 1},
                     {.name = "aim", .reads = {0, 2}, .writes = {}, .runs_per_frame = 1}};
  profile.changes = {{.component = 4, .per_frame = 5}, {.component = 3, .per_frame = 20}};
  return profile;
}

bool has(const Names& names, const std::string& name) { return std::ranges::find(names, name) != names.end(); }

const PlacedComponent& placed(const Placements& placements, const std::string& component) {
  return *std::ranges::find(placements.components, component, &PlacedComponent::component);
}

/// A game that `winner` wins, and what was tried then.
struct Measured {
  Profile profile = battle();
  MeasuredGame game;

  explicit Measured(const std::string& winner, const std::vector<FrameSamples>& tried = {}) {
    const Run run = process({{winner, 100}, {"naive_objects", 200}, {"hash_index", 300}, {"offset_table", 400}});
    game.processes = {run, run, run};
    if (!tried.empty()) game.search = {process(tried)};
  }
  [[nodiscard]] Placements placements() const { return *decide(profile, game, Catalogue()).placements; }
  [[nodiscard]] Names next() const {
    const Search search = search_of(profile, rank_game(profile, game.processes), game.search);
    return names_of(next_designs(search, profile), [&](const Design& design) { return name_of(design, profile); });
  }
};

TEST_CASE("a design has a name that says what differs, and is found by it") {
  const Profile profile = battle();
  Design design = default_design("hybrid", profile);
  CHECK(name_of(design, profile) == "hybrid");
  CHECK(difference_text(design, profile).empty());
  design.places[3] = Place::sparse;
  design.places[4] = Place::usual;
  CHECK(name_of(design, profile) == "hybrid+burning=sparse+frozen=table");
  CHECK(difference_text(design, profile) == "burning sparse, frozen added and removed");
  CHECK(design_named(name_of(design, profile), profile) == design);
  design = default_design("indirection_map", profile);
  design.together[2] = "motion";
  CHECK(name_of(design, profile) == "indirection_map+health=with.motion");
  CHECK(design_named(name_of(design, profile), profile) == design);
  CHECK_FALSE(design_named("hybrid+gone=sparse", profile));
  CHECK_FALSE(design_named("hybrid+burning=elsewhere", profile));
}

TEST_CASE("a design is a schema of its own, without enable bits if the game saves") {
  Profile profile = battle();
  CHECK_THAT(game_header(profile),
             ContainsSubstring("stowage::Schema<stowage::Group<C0, C1>, C2, C3, stowage::Toggled<C4>>"));
  const Recipe hybrid{.name = "hybrid", .header = "h.hpp", .template_name = "Hybrid", .source = {}, .summary = {}};
  Design design = default_design("hybrid", profile);
  CHECK(strategy_source(recipe_of(design, profile, hybrid)) == strategy_source(hybrid));
  design.places[3] = Place::sparse;
  const std::string source = strategy_source(recipe_of(design, profile, hybrid));
  CHECK_THAT(source, ContainsSubstring("stowage::Schema<stowage::Group<C0, C1>, C2, stowage::Sparse<C3>"));
  CHECK_THAT(source, ContainsSubstring("\"hybrid+burning=sparse\""));
  profile.saves_per_minute = 1;
  CHECK_THAT(game_header(profile), !ContainsSubstring("Toggled"));
}

TEST_CASE("from tables, what changes is tried apart first, groups from pools, and faster steps together") {
  const Names from_tables = Measured("archetype_sections").next();
  CHECK(from_tables == Names{"hybrid+burning=sparse+frozen=sparse", "hybrid+burning=sparse", "hybrid+frozen=sparse",
                             "hybrid+health=sparse"});
  const Names from_pools = Measured("indirection_map").next();
  CHECK(has(from_pools, "indirection_map+health=with.motion"));
  CHECK(has(from_pools, "indirection_map+position=alone+velocity=alone"));
  CHECK_FALSE(has(from_pools, "indirection_map+burning=with.health+health=with.health"));  // it changes
  CHECK(has(Measured("archetype_sections.enable_bits").next(), "archetype_sections.enable_bits+frozen=table"));
  const Measured two_faster("archetype_sections", {{"archetype_sections", 100},
                                                   {"hybrid+burning=sparse", 80},
                                                   {"hybrid+frozen=sparse", 90},
                                                   {"hybrid+health=sparse", 200}});
  CHECK(two_faster.next().front() == "hybrid+burning=sparse+frozen=sparse");
}

TEST_CASE("a design of another kind than the winner says what it takes as a whole") {
  const Measured measured("sparse_direct", {{"sparse_direct", 100}, {"hybrid+burning=sparse+frozen=sparse", 130}});
  const Placements placements = measured.placements();
  CHECK(placements.name == "sparse_direct");
  CHECK(placements.other_kind == "hybrid with burning sparse, frozen sparse");
  CHECK(placements.other_ratio->median == Approx(1.3));
  CHECK_FALSE(placed(placements, "burning").instead_ratio);
}

TEST_CASE("what is certainly faster is kept, what is not stays, and nothing is tried twice") {
  Measured measured("archetype_sections", {{"archetype_sections", 100},
                                           {"hybrid+burning=sparse+frozen=sparse", 90},
                                           {"hybrid+burning=sparse", 80},
                                           {"hybrid+frozen=sparse", 110},
                                           {"hybrid+health=sparse", 100}});
  const Run confirmed = process({{"archetype_sections", 100}, {"hybrid+burning=sparse", 80}});
  measured.game.confirmed = {confirmed, confirmed};
  const Answer answer = decide(measured.profile, measured.game, Catalogue());
  CHECK_THAT(answer.reasons.at(1), ContainsSubstring("better still is hybrid with burning sparse: 0.8"));
  const Placements placements = *answer.placements;
  CHECK(placements.is_confirmed);
  CHECK(placements.strategy == "hybrid");
  CHECK(placements.gain->median == Approx(0.8));
  CHECK(placements.gain->interval->high < 1);
  CHECK(placed(placements, "burning").place == "sparse");
  CHECK(placed(placements, "burning").instead == "table");
  CHECK(placed(placements, "burning").instead_ratio->median == Approx(1.25));
  CHECK(placed(placements, "frozen").place == "table");
  CHECK(placed(placements, "frozen").instead == "sparse");
  CHECK(placed(placements, "frozen").instead_ratio->median == Approx(1.1));
  CHECK(placed(placements, "position").instead.empty());  // it is of a group
  REQUIRE(placements.schema.size() == 4);
  CHECK(placements.schema[0].mark == "Group");
  CHECK(placements.schema[2].mark == "Sparse");
  CHECK(measured.next().empty());  // all of them have been answered
}

TEST_CASE("a design that does not compile, or fails, is offered once") {
  const Measured measured("archetype_sections");
  const Search search = search_of(measured.profile, rank_game(measured.profile, measured.game.processes), {});
  std::vector<Design> offered;
  for (std::vector<Design> next; !(next = next_designs(search, measured.profile, offered)).empty();) {
    REQUIRE(std::ranges::find(offered, next.front()) == offered.end());
    offered.push_back(next.front());  // and no process says anything of it
  }
  CHECK(offered.size() == 4);
}

TEST_CASE("if what was found is not faster again, or breaks a budget, the winner stays as it is") {
  Measured measured("archetype_sections", {{"archetype_sections", 100}, {"hybrid+burning=sparse", 80}});
  const Run tied = process({{"archetype_sections", 100}, {"hybrid+burning=sparse", 100}});
  measured.game.confirmed = {tied, tied};
  CHECK_FALSE(measured.placements().is_confirmed);
  CHECK(measured.placements().strategy == "archetype_sections");
  CHECK(measured.placements().tried == "hybrid+burning=sparse");
  const Run large = process({{"archetype_sections", 100, 0.01, 100}, {"hybrid+burning=sparse", 80, 0.01, 200}});
  measured.game.confirmed = {large, large};
  CHECK(measured.placements().is_confirmed);
  measured.profile.budget.memory_bytes = 150 * 1000;
  CHECK_FALSE(measured.placements().is_confirmed);
  for (Run* const run : {&measured.game.confirmed[0], &measured.game.confirmed[1]}) {
    for (CellResult& cell : run->blocks[0].cells) cell.frames_ns.clear();  // so that a budget of both is broken
  }
  measured.profile.budget.worst_frame_ms = 1000;
  CHECK_FALSE(measured.placements().is_confirmed);
}

TEST_CASE("without a search there is no answer for components, and with one that found nothing the winner's") {
  const Measured untried("archetype_sections");
  CHECK_FALSE(decide(untried.profile, untried.game, Catalogue()).placements);
  const Placements placements =
      Measured("archetype_sections", {{"archetype_sections", 100}, {"hybrid+burning=sparse", 100}}).placements();
  CHECK(placements.strategy == "archetype_sections");
  CHECK_FALSE(placements.gain);
  CHECK(placed(placements, "burning").instead_ratio->interval->low <= 1);
}

TEST_CASE("what each process measured is known by what it has kept") {
  const Profile profile = battle();
  const TemporaryDirectory directory;
  note_game(profile, directory.path());
  const Run frames = process({{"archetype_sections", 100}, {"hybrid", 110}});
  const Run counted = process({{"archetype_sections", 100, 0.01, 100, {{"instructions_per_item", 5e6}}}});
  const auto save = [&directory](const Run& run, std::size_t number, std::string_view kind) {
    const std::filesystem::path place = process_directory(directory.path(), number, kind);
    make_directory(place);
    save_run(place, run);
  };
  save(frames, 1, of_game);
  save(counted, 2, of_game);
  save(frames, 3, of_search);
  save(frames, 4, of_confirmation);
  const MeasuredGame measured = read_measured_game(profile, directory.path());
  CHECK(measured.processes.size() == 1);
  CHECK(measured.counted.has_value());
  CHECK_FALSE(measured.other_games.has_value());
  CHECK(measured.search.size() == 1);
  CHECK(measured.confirmed.size() == 1);
  remove_earlier_results(directory.path());
  CHECK(process_directories(directory.path(), of_search).empty());
}

}  // namespace
}  // namespace stowage::harness
