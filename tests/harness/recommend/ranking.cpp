// Rankings of made-up processes: winners, ties, budgets, intervals, worst frames, saves, other games, and reasons.
#include "harness/recommend/ranking.hpp"

#include <fstream>

#include "harness/build_info.hpp"
#include "harness/catalogue.hpp"
#include "harness/recommend/answer_directory.hpp"
#include "harness/recommend/decide.hpp"
#include "harness/recommend/measure_game.hpp"
#include "harness/text.hpp"
#include "tests/harness/recommend/synthetic_game.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using fake::frame_block;
using fake::FrameSamples;
using fake::game;
using fake::process;
using fake::save_block;
using Names = std::vector<std::string>;

Answer rank(const std::vector<Run>& processes, const Profile& profile = game()) {
  return rank_game(profile, processes);
}

/// It saves once a second, which is every 60th frame.
Profile saving_game() {
  Profile profile = game();
  profile.saves_per_minute = 60;
  return profile;
}

/// What one process saw of such a game.
Run process_with_saves(const std::vector<FrameSamples>& frames, const std::vector<FrameSamples>& saves) {
  Run run = process(frames);
  run.blocks.push_back(process(saves, save_block).blocks.front());
  return run;
}

Names order_of(const Answer& answer) { return names_of(answer.ranking, &RankedStrategy::strategy); }

const RankedStrategy& ranked(const Answer& answer, const std::string& strategy) {
  return *std::ranges::find(answer.ranking, strategy, &RankedStrategy::strategy);
}

std::string all_reasons(Answer answer) {
  add_reasons(answer);
  std::string text;
  for (const std::string& reason : answer.reasons) text += reason + "\n";
  return text;
}

/// The same in three processes, with strategies that are far behind: figures enough for certainty.
Answer rank_thrice(const std::vector<FrameSamples>& samples) {
  std::vector<FrameSamples> all = samples;
  for (const char* name : {"far", "farther", "farthest"}) all.push_back({name, 300, 0.001, 500});
  const Run run = process(all);
  return rank({run, run, run});
}

TEST_CASE("of strategies with equal times the one with the fewest bytes wins") {
  const Answer answer =
      rank_thrice({{"large", 100, 0.001, 200}, {"small", 101, -0.001, 120}, {"worse", 150, 0.001, 10}});
  CHECK(answer.winner == "small");
  CHECK(answer.tied == Names{"large"});
  CHECK(order_of(answer) == Names{"small", "large", "worse", "far", "farther", "farthest"});
  CHECK(ranked(answer, "large").standing == Standing::best);
  CHECK(ranked(answer, "small").standing == Standing::equal);
  CHECK(ranked(answer, "worse").standing == Standing::worse);
  CHECK_THAT(all_reasons(answer), ContainsSubstring("within 5 %") && ContainsSubstring("120 per entity"));
  // and of those that are equal in bytes as well the first of the list
  CHECK(rank_thrice({{"second", 100, -0.01}, {"first", 101, 0.01}}).winner == "second");
  const Answer equal = rank_thrice({{"first", 101, 0.01}, {"second", 100, -0.01}});
  CHECK(equal.winner == "first");
  CHECK(ranked(equal, "first").ratio_to_winner.median == 1);
  REQUIRE(ranked(equal, "second").ratio_to_winner.interval);  // by which it was judged
  CHECK(ranked(equal, "second").ratio_to_winner.interval->low <= 1);
  CHECK(ranked(equal, "second").ratio_to_winner.interval->high >= 1);
}

TEST_CASE("an open strategy wins for its bytes only if it takes no more than 5 % longer") {
  const auto open = [](double us) { return rank({process({{"large", 100, 0.5, 200}, {"small", us, -0.5, 120}})}); };
  CHECK(open(104).winner == "small");
  CHECK(open(120).winner == "large");
  CHECK(open(120).tied == Names{"small"});
  CHECK(ranked(open(120), "small").standing == Standing::open);
  CHECK_THAT(all_reasons(open(104)), ContainsSubstring("within 5 %") && ContainsSubstring("120 per entity"));
  CHECK_THAT(all_reasons(open(120)), ContainsSubstring("open: small") && !ContainsSubstring("fewest bytes"));
}

TEST_CASE("what processes disagree about, the winner or the margin, is open, in whatever order they come") {
  const Run one = process({{"left", 100, 0.001}, {"right", 110, 0.001}});
  const Run other = process({{"left", 110, 0.001}, {"right", 100, 0.001}});
  CHECK(rank({one, one, one}).tied.empty());
  const Answer middle = rank({one, other, one});
  const Answer last = rank({one, one, other});
  CHECK(middle.tied.size() == 1);
  CHECK(last.tied == middle.tied);
  CHECK(last.ranking.front().frame_ns.median == Approx(middle.ranking.front().frame_ns.median));
  // In all three `right` is slower, by 2 to 8 %: that three agree is what chance does once in four times.
  const auto slower = [](double by_percent) {
    return process({{"left", 100, 0.001}, {"right", 100 + by_percent, 0.001}});
  };
  CHECK(rank({slower(2), slower(8), slower(3)}).tied == Names{"right"});
  CHECK(rank({slower(12), slower(18), slower(13)}).tied.empty());
}

TEST_CASE("the winner need not be the fastest, and all are judged beside the fastest") {
  const Answer answer =
      rank_thrice({{"fastest", 100, 0.001, 300}, {"winner", 101, 0.001, 100}, {"third", 102, 0.001, 200}});
  CHECK(answer.winner == "winner");
  CHECK_THAT(all_reasons(answer), ContainsSubstring("the fastest, fastest, takes 100 us") &&
                                      ContainsSubstring("any of fastest, winner, third (equal"));
  CHECK_THAT(all_reasons(rank_thrice({{"winner", 100, 0.001, 100}, {"other", 101, 0.001, 200}})),
             ContainsSubstring("winner takes 100 us a frame; any of winner, other"));
}

// Four per cent more than the fastest, two more than the winner: certainly slower than the one alone.
TEST_CASE("the next strategy is certainly slower than the winner, and not than the fastest alone") {
  const Run run = process({{"fastest", 100, 0.0001, 300},
                           {"winner", 102, 0.0001, 100},
                           {"between", 104.2, 0.0001, 100},
                           {"far", 120, 0.0001, 100}});
  const Answer answer = rank({run, run, run});
  CHECK(answer.winner == "winner");
  CHECK(ranked(answer, "between").standing == Standing::worse);
  CHECK_THAT(all_reasons(answer), ContainsSubstring("certainly slower is far"));
}

TEST_CASE("a strategy that takes part in the first process only may not win, however noisy it was") {
  const Run first = process({{"fast", 100, 0.5}, {"far", 180, -0.5, 10}});
  CHECK(rank({first}).tied.size() == 1);
  const Answer without_far = rank({first, process({{"fast", 100}})});
  CHECK(order_of(without_far) == Names{"fast", "far"});
  CHECK(without_far.tied.empty());
  CHECK_THAT(all_reasons(without_far), !ContainsSubstring("certainly less") && ContainsSubstring("far"));
}

TEST_CASE("a strategy that was out of reach wins if a new budget rules out all that were faster") {
  Profile profile = game();
  profile.budget.memory_bytes = 150'000;
  const FrameSamples fast{"fast", 100, 0.01, 200};
  const FrameSamples present{"present", 300};
  const Run first = process({fast, {"far", 180}, present});
  const Run later = process({fast, present});
  const Answer answer = rank({first, later, later}, profile);
  CHECK(answer.winner == "far");
  CHECK(order_of(answer) == Names{"far", "present", "fast"});
  CHECK(ranked(answer, "present").standing == Standing::worse);
}

TEST_CASE("a strategy that breaks a budget comes after all that keep theirs") {
  Profile profile = game();
  profile.budget.memory_bytes = 150'000;
  const Run run = process({{"large", 100, 0.01, 200}, {"small", 150, 0.01, 100}, {"smaller", 160, 0.01, 90}});
  const Answer answer = rank({run, run, run}, profile);
  CHECK(answer.winner == "small");
  CHECK(order_of(answer) == Names{"small", "smaller", "large"});
  CHECK(ranked(answer, "large").broken_budgets == Names{"memory"});
  CHECK_FALSE(ranked(answer, "large").standing);
  CHECK_THAT(all_reasons(answer),
             ContainsSubstring("small takes 150 us") && ContainsSubstring("that keeps the budgets"));
  CHECK_THAT(all_reasons(answer), ContainsSubstring("large (100 us, breaks memory)"));
}

TEST_CASE("each budget is compared with its own figure, and if no strategy keeps them the fastest wins") {
  Profile profile = game();
  profile.budget.frame_ms = 0.1;
  profile.budget.worst_frame_ms = 0.2;
  const Answer answer = rank(
      {process({{"usual", 101, 0, 1, {}, 150}, {"worst", 99, 0, 1, {}, 201}, {"good", 99.9, 0, 1, {}, 199}})}, profile);
  CHECK(ranked(answer, "usual").broken_budgets == Names{"frame_ms"});
  CHECK(ranked(answer, "worst").broken_budgets == Names{"worst_frame_ms"});
  CHECK(ranked(answer, "good").broken_budgets.empty());
  CHECK(answer.winner == "good");
  const Answer broken = rank({process({{"fast", 101}, {"slow", 200}})}, profile);
  CHECK(broken.winner == "fast");
  CHECK_THAT(all_reasons(broken), ContainsSubstring("fast breaks frame_ms"));
}

TEST_CASE("a budget is not kept if its figure was not measured") {
  Profile profile = game();
  Run run = process({{"unknown", 100}, {"known", 150}});
  run.blocks[0].cells[0].counters.clear();
  run.blocks[0].cells[0].frames_ns.clear();
  CHECK(rank({run}, profile).winner == "unknown");
  profile.budget.memory_bytes = 150'000;
  profile.budget.worst_frame_ms = 10;
  const Answer answer = rank({run}, profile);
  CHECK(answer.winner == "known");
  CHECK(ranked(answer, "unknown").broken_budgets == Names{"worst_frame_ms", "memory"});
}

// By its own median `far`, which was measured in the one process that was not slowed, would come before `farther`.
TEST_CASE("order, ratio and time are one statistic, whichever processes a strategy took part in") {
  const Run first = process({{"fast", 100}, {"left", 121}, {"near", 120}, {"far", 165}, {"farther", 170}});
  const Run slower = process({{"fast", 130}, {"left", 150}, {"near", 160}, {"farther", 210}});
  const Answer answer = rank({first, slower, slower});
  CHECK(answer.winner == "fast");
  double before = 1;
  for (const RankedStrategy& one : answer.ranking) {
    CAPTURE(one.strategy);
    CHECK(one.ratio_to_winner.median >= before);
    CHECK(one.frame_ns.median == Approx(one.ratio_to_winner.median * answer.ranking.front().frame_ns.median));
    CHECK(one.frame_ns.interval->low <= one.frame_ns.median);
    CHECK(one.frame_ns.interval->high >= one.frame_ns.median);
    before = one.ratio_to_winner.median;
  }
  CHECK(order_of(answer) == Names{"fast", "left", "near", "farther", "far"});
  CHECK(ranked(answer, "far").ratio_to_winner.median == Approx(1.65));
}

TEST_CASE("the worst frame is of equally many frames for each strategy") {
  Run run = process({{"short", 100, 0.01, 100, {}, 130}, {"long", 101, 0.01, 100, {}, 130}});
  run.blocks[0].cells[1].frames_ns.push_back(9e6);  // a frame that the other one had no chance to have
  const Answer answer = rank({run});
  CHECK(answer.frames_per_process == 144);
  REQUIRE(ranked(answer, "long").frame_worst_ns);
  CHECK(*ranked(answer, "long").frame_worst_ns == Approx(130e3));
}

TEST_CASE("a p99 takes a hundred frames, and its interval more than three processes of a hundred") {
  Run run = process({{"only", 100}});
  REQUIRE(rank({run}).ranking.front().frame_p99_ns);
  CHECK(rank({run}).ranking.front().frame_p99_ns->median == Approx(120e3));
  CHECK_FALSE(rank({run}).ranking.front().frame_p99_ns->interval);
  REQUIRE(rank({run, run, run}).ranking.front().frame_p99_ns->interval);
  CHECK(rank({run, run, run}).ranking.front().frame_p99_ns->interval->high == Approx(150e3).epsilon(0.01));
  run.blocks[0].cells[0].frames_ns.resize(48);
  CHECK_FALSE(rank({run}).ranking.front().frame_p99_ns);
  CHECK(rank({run, run, run}).ranking.front().frame_p99_ns);
}

TEST_CASE("the worst frame is no better than the p99, though one process had all the long ones") {
  Run slow = process({{"only", 100}});
  std::fill(slow.blocks[0].cells[0].frames_ns.begin(), slow.blocks[0].cells[0].frames_ns.begin() + 20, 900e3);
  const Run usual = process({{"only", 100}});
  const RankedStrategy only = rank({slow, usual, usual}).ranking.front();
  REQUIRE(only.frame_p99_ns);
  CHECK(only.frame_p99_ns->median == Approx(900e3));
  CHECK(*only.frame_worst_ns == Approx(900e3));
}

TEST_CASE("a p99 that processes do not agree upon is not known to the frame") {
  Run slow = process({{"only", 100}});
  for (double& ns : slow.blocks[0].cells[0].frames_ns) ns *= 1.1;
  const Run usual = process({{"only", 100}});
  const auto high = [](const std::vector<Run>& processes) {
    return rank(processes).ranking.front().frame_p99_ns->interval->high;
  };
  CHECK(high({slow, usual, usual}) > 1.1 * high({usual, usual, usual}));
}

TEST_CASE("one worst frame of one process is not the strategy's") {
  const Run interrupted = process({{"only", 100, 0.01, 100, {}, 9000}});
  CHECK(rank({interrupted, process({{"only", 100}})}).ranking.front().frame_worst_ns == Approx(150e3));
  std::vector<Run> processes;
  for (const double worst_us : {150.0, 9000.0, 160.0}) {
    processes.push_back(process({{"only", 100, 0.01, 100, {}, worst_us}}));
  }
  CHECK(rank(processes).ranking.front().frame_worst_ns == Approx(160e3));
}

TEST_CASE("a repetition that had to wait counts with the processor's time, and the answer says so") {
  Run run = process({{"fast", 100}, {"slow", 200}});
  for (CellResult& cell : run.blocks[0].cells) {
    for (std::size_t i = 0; i < 4; ++i) cell.repetitions[i].real_ns *= cell.strategy == "fast" ? 40 : 1;
  }
  const Answer answer = rank({run});
  CHECK(answer.winner == "fast");
  CHECK(answer.tied.empty());
  CHECK(ranked(answer, "fast").frame_ns.interval->high < 110e3);
  CHECK(answer.waiting_share == Approx(4.0 / 18));
  CHECK_THAT(all_reasons(answer), ContainsSubstring("busy: 22 %"));
  CHECK_THAT(all_reasons(rank({process({{"fast", 100}})})), !ContainsSubstring("busy"));
  // of threads that wait for each other there is none
  for (Repetition& repetition : run.blocks[0].cells[0].repetitions) repetition.cpu_ns = 0;
  CHECK(rank({run}).waiting_share == 0);
  CHECK(ranked(rank({run}), "fast").frame_ns.interval->high > 1e6);
}

TEST_CASE("saves count as often as there are some, and are in the worst frame") {
  const Answer answer =
      rank({process_with_saves({{"saver", 100, 0}, {"gatherer", 99, 0}}, {{"saver", 600, 0}, {"gatherer", 6000, 0}})},
           saving_game());
  CHECK(answer.winner == "saver");
  CHECK(ranked(answer, "saver").frame_ns.median == Approx(110e3));
  CHECK(ranked(answer, "gatherer").frame_ns.median == Approx(199e3));
  CHECK(ranked(answer, "gatherer").frame_worst_ns == Approx(6199e3));
  CHECK(ranked(answer, "saver").parts.at("frame_saves_ns") == Approx(10e3));
  CHECK_THAT(all_reasons(answer), ContainsSubstring("with a save in it, took 710 us"));
}

TEST_CASE("the interval of a frame includes the variation of saves") {
  const Answer answer = rank(
      {process_with_saves({{"steady", 100, 0}, {"unsteady", 99, 0}}, {{"steady", 6000, 0}, {"unsteady", 6000, 0.5}})},
      saving_game());
  CHECK(ranked(answer, "unsteady").frame_ns.median == Approx(199e3));
  CHECK(ranked(answer, "unsteady").frame_ns.interval->low == Approx(149e3).epsilon(0.03));
  CHECK(ranked(answer, "unsteady").frame_ns.interval->high == Approx(249e3).epsilon(0.03));
  CHECK(ranked(answer, "steady").may_be_best());
}

TEST_CASE("a strategy that failed anywhere is not ranked, with the reason") {
  Run run = process({{"good", 100}});
  run.blocks[0].cells.push_back(fake::failed_cell("wrong", "checksum 0x1 differs from 0x2 of most strategies"));
  run.omissions = {{"time", "game/narrow/" + frame_block, "it has at most 500 rows of a component"},
                   {"memory", "game/good/" + frame_block, "memory() says 1 byte"}};
  const Answer answer = rank({run});
  CHECK(order_of(answer) == Names{"good"});
  REQUIRE(answer.not_ranked.size() == 2);
  CHECK(answer.not_ranked[0].strategy == "wrong");
  CHECK(answer.not_ranked[1].reason == "it has at most 500 rows of a component");
  CHECK(answer.left_out == Names{"memory of good: memory() says 1 byte"});
}

TEST_CASE("the reasons say in which part of the frame the winner wins, and where it loses") {
  const Answer answer = rank({process(
      {{"winner", 100, 0.01, 1, {{"frame_systems_ns", 50e3}, {"frame_lookups_ns", 40e3}, {"frame_changes_ns", 10e3}}},
       {"next", 200, 0.01, 1, {{"frame_systems_ns", 62e3}, {"frame_lookups_ns", 138e3}, {"frame_changes_ns", 0}}}})});
  const std::string reasons = all_reasons(answer);
  CHECK_THAT(reasons, ContainsSubstring("next with 200 us (2.00 times)"));
  CHECK_THAT(reasons, ContainsSubstring("saves 98.0 us in lookups, 12.0 us in systems"));
  CHECK_THAT(reasons, ContainsSubstring("loses 10.0 us in changes"));
  CHECK_THAT(reasons, ContainsSubstring("50 % systems, 40 % lookups, 10 % changes"));
}

TEST_CASE("a variation changes the winner only if that is certainly slower than another") {
  Answer answer = rank({process({{"winner", 100}, {"other", 120}})});
  Run run;
  const std::vector<GameVariation> variations{{"as it was", {.entities = 1}},
                                              {"twice the churn", {.entities = 2}},
                                              {"half the shares", {.entities = 3}},
                                              {"none", {.entities = 4}}};
  for (const std::size_t i : {0, 1, 2}) {
    const double winner_us = std::vector<double>{100, 120.5, 240}[i];
    run.blocks.push_back(
        process({{"winner", winner_us, -0.01}, {"other", 120, 0.01}}, variations[i].cells.parameters()).blocks.front());
  }
  add_variations(answer, run, game(), variations);
  REQUIRE(answer.variations.size() == 3);
  CHECK(answer.variations[0].winner == "winner");
  CHECK_FALSE(answer.variations[0].changes_the_winner);
  CHECK(answer.variations[1].winner == "other");
  CHECK(answer.variations[1].tied == Names{"winner"});
  CHECK_FALSE(answer.variations[1].changes_the_winner);
  CHECK(answer.variations[2].changes_the_winner);
  CHECK(answer.variations[2].former_winner_ratio == Approx(2));
  CHECK_THAT(all_reasons(answer), ContainsSubstring("half the shares") && ContainsSubstring("winner takes 2.00 times"));
  answer.variations.pop_back();
  CHECK_THAT(all_reasons(answer),
             !ContainsSubstring("same strategy") && ContainsSubstring("other with twice the churn"));
}

TEST_CASE("a strategy that breaks a budget that the winner keeps does not win another game") {
  Profile profile = game();
  profile.budget.memory_bytes = 150'000;
  Answer answer =
      rank({process({{"large", 50, 0.01, 200}, {"winner", 100, 0.01, 100}, {"other", 120, 0.01, 100}})}, profile);
  CHECK(competitors(answer) == Names{"winner", "other"});
  const GameVariation twice{"twice the entities", {.entities = 2}};
  const Run others = process({{"winner", 100}, {"other", 120}, {"large", 50}}, twice.cells.parameters());
  add_variations(answer, others, game(), {twice});
  REQUIRE(answer.variations.size() == 1);
  CHECK(answer.variations[0].winner == "winner");
}

// Without saves `gatherer` is faster in every game; with them it is slower in the game itself and in one of two others.
TEST_CASE("another game saves as often as the game itself") {
  const Profile profile = saving_game();
  const Run run = process_with_saves({{"saver", 100}, {"gatherer", 80}}, {{"saver", 600}, {"gatherer", 6000}});
  Answer answer = rank({run, run, run}, profile);
  REQUIRE(answer.winner == "saver");
  const std::vector<GameVariation> variations{
      {"half the entities", {.entities = 2}}, {"twice the churn", {.entities = 3}}, {"unsaved", {.entities = 4}}};
  const auto measured = [&](std::size_t variation, double saver_us, double gatherer_us, bool saves) {
    const MeasuringPlan::Cells cells = variations[variation].cells;
    return process({{"saver", saver_us}, {"gatherer", gatherer_us}}, (saves ? cells.of_saves() : cells).parameters())
        .blocks.front();
  };
  Run others;
  others.blocks = {measured(0, 50, 40, false), measured(0, 300, 3000, true), measured(1, 200, 100, false),
                   measured(1, 600, 600, true), measured(2, 50, 40, false)};
  add_variations(answer, others, profile, variations);
  REQUIRE(answer.variations.size() == 2);
  CHECK(answer.variations[0].winner == "saver");
  CHECK_FALSE(answer.variations[0].changes_the_winner);
  CHECK(answer.variations[1].winner == "gatherer");
  CHECK(answer.variations[1].changes_the_winner);
  CHECK(answer.variations[1].former_winner_ratio == Approx(210.0 / 110));
  CHECK(answer.left_out == Names{"unsaved: its saves were not measured"});
}

TEST_CASE("one process makes no other game's winner certain by less than processes differ") {
  const Run run = process({{"winner", 100, 0.001, 10}, {"other", 101, 0.001}});
  Answer answer = rank({run, run, run});
  REQUIRE(answer.winner == "winner");
  const GameVariation twice{"twice the entities", {.entities = 2}};
  for (const double other_us : {97.0, 80.0}) {
    const Run others = process({{"winner", 100, 0.001}, {"other", other_us, 0.001}}, twice.cells.parameters());
    add_variations(answer, others, game(), {twice});
  }
  REQUIRE(answer.variations.size() == 2);
  CHECK(answer.variations[0].tied == Names{"winner"});
  CHECK(answer.variations[1].changes_the_winner);
}

TEST_CASE("misses are put beside the strategies that were counted") {
  Run counted = process({{"counted", 100}});
  counted.blocks[0].cells[0].counters = {{"l1d_misses_per_item", 900}, {"ll_misses_per_item", 12}};
  MeasuredGame measured{
      .processes = {process({{"counted", 100}, {"not", 120}})}, .other_games = {}, .counted = counted};
  const Answer answer = decide(game(), measured, Catalogue());
  CHECK(ranked(answer, "counted").l1d_misses == 900);
  CHECK_FALSE(ranked(answer, "not").l1d_misses);
}

// ---- games whose answers are known, and what was measured of them once (scripts/checks/known-answers)

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

}  // namespace
}  // namespace stowage::harness
