#include <fstream>

#include "harness/build_info.hpp"
#include "harness/catalogue.hpp"
#include "harness/recommend/answer_directory.hpp"
#include "harness/recommend/decide.hpp"
#include "harness/recommend/measure_game.hpp"
#include "tests/support/catch.hpp"

// Games whose answers are known before anything is measured, and what was measured of them once (scripts/checks/
// known-answers): whether the decision finds what must come out of it. Nothing is timed here.

namespace stowage::harness {
namespace {

struct KnownGame {
  Profile profile;
  MeasuredGame measured;
};

/// Of a line that known_answers.py has written. A process that counted no bytes has 0.
CellResult read_cell(std::istream& words) {
  CellResult cell{.strategy = {}, .items = 1, .repetitions = {}, .error = {}, .counters = {}};
  double bytes = 0;
  words >> cell.strategy >> bytes;
  if (bytes > 0) cell.counters["bytes_per_entity"] = bytes;
  for (Repetition round{.iterations = 1}; words >> round.real_ns >> round.cpu_ns;) cell.repetitions.push_back(round);
  return cell;
}

KnownGame known_game(const std::string& name) {
  const std::string file = std::string(build_info::source_dir) + "/tests/harness/recommend/known/" + name;
  KnownGame game{read_profile(file + ".toml"), {}};
  std::map<std::string, Run> runs;
  std::ifstream cells(file + ".cells");
  for (std::string line; std::getline(cells, line);) {
    std::istringstream words(line);
    std::string process;
    words >> process;
    std::vector<BlockResult>& blocks = runs[process].blocks;
    if (blocks.empty())
      blocks = {{.workload = "game", .parameters = frame_cells(game.profile).parameters(), .cells = {}}};
    blocks[0].cells.push_back(read_cell(words));
  }
  for (const auto& [process, run] : runs) {
    MeasuredGame& of = game.measured;
    (process.starts_with(of_game)     ? of.processes
     : process.starts_with(of_search) ? of.search
                                      : of.confirmed)
        .push_back(run);
  }
  REQUIRE(game.measured.processes.size() == 3);
  return game;
}

Answer answer_of(const KnownGame& game) { return decide(game.profile, game.measured, Catalogue()); }

const RankedStrategy& ranked(const Answer& answer, const std::string& strategy) {
  return *std::ranges::find(answer.ranking, strategy, &RankedStrategy::strategy);
}

std::string family_of(const std::string& strategy) { return strategy.substr(0, strategy.find('.')); }

std::set<std::string> families_of_leaders(const Answer& answer) {
  std::set<std::string> families{family_of(answer.winner)};
  for (const std::string& tied : answer.tied) families.insert(family_of(tied));
  return families;
}

TEST_CASE("if all entities have everything and there are only loops, a strategy without lookups wins") {
  const Answer answer = answer_of(known_game("universal"));
  for (const std::string& family : families_of_leaders(answer)) {
    CAPTURE(family);
    CHECK((family == "sparse_direct" || family == "archetype_sections"));
  }
  for (const char* one : {"naive_objects", "object_indices", "offset_table", "indirection_map", "hash_index"}) {
    CAPTURE(one);
    CHECK(ranked(answer, one).ratio_to_winner.interval->low > 1.5);
  }
}

TEST_CASE("if one entity in a hundred has it and memory is short, a hash table of the owners wins") {
  KnownGame game = known_game("rare");
  const Answer answer = answer_of(game);
  CHECK(family_of(answer.winner) == "hash_index");
  for (const RankedStrategy& one : answer.ranking) {
    CAPTURE(one.strategy);
    CHECK(one.broken_budgets.empty() == (family_of(one.strategy) == "hash_index"));
  }
  game.profile.budget = {};  // with room for a map of all entities a lookup reads an array
  CHECK(family_of(answer_of(game).winner) != "hash_index");
}

TEST_CASE("if components are added and removed, strategies that keep whole sets together are far behind") {
  const Answer answer = answer_of(known_game("changing"));
  CHECK(answer.tied.empty());  // three processes tell a fifth
  CHECK(families_of_leaders(answer).count("archetype_sections") == 0);
  CHECK(families_of_leaders(answer).count("naive_objects") == 0);
  CHECK(ranked(answer, "archetype_sections").ratio_to_winner.interval->low > 2);
  CHECK(ranked(answer, "archetype_sections.fixed_32k").ratio_to_winner.interval->low > 2);
}

TEST_CASE("what changes goes apart from tables that loops read") {
  const Answer answer = answer_of(known_game("placed"));
  REQUIRE(answer.placements);
  CHECK(answer.placements->is_confirmed);
  CHECK(answer.placements->name == "hybrid+burning=sparse");
  CHECK(answer.placements->gain->interval->high < 0.7);
  REQUIRE(answer.reasons.size() > 1);
  CHECK_THAT(answer.reasons[1], ContainsSubstring("better still is hybrid with burning sparse: 0.4"));
  for (const PlacedComponent& placed : answer.placements->components) {
    CAPTURE(placed.component);
    CHECK(placed.place == (placed.component == "burning" ? "sparse" : "table"));
    REQUIRE(placed.instead_ratio);
    CHECK(placed.instead_ratio->interval->low > 1);
  }
}

TEST_CASE("the same results have the same answer, whatever the order of the processes but the first") {
  KnownGame game = known_game("changing");
  const Answer answer = answer_of(game);
  std::swap(game.measured.processes[1], game.measured.processes[2]);
  const Answer again = answer_of(game);
  CHECK(again.winner == answer.winner);
  REQUIRE(again.ranking.size() == answer.ranking.size());
  for (std::size_t i = 0; i < answer.ranking.size(); ++i) {
    CHECK(again.ranking[i].strategy == answer.ranking[i].strategy);
    CHECK(again.ranking[i].frame_ns.median == Approx(answer.ranking[i].frame_ns.median));
  }
}

}  // namespace
}  // namespace stowage::harness
