// Whether a change of storage is worth it: the bound, the first line of the answer, and what recordings cannot tell.
#include "harness/recommend/worth.hpp"

#include "harness/catalogue.hpp"
#include "harness/recommend/decide.hpp"
#include "harness/recommend/ranking.hpp"
#include "tests/harness/recommend/synthetic_game.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

/// A game in `pools`, whose frame took `frame_ms` on a machine as fast as this.
Profile recorded_game(double frame_ms) {
  Profile profile = fake::game();
  profile.recorded = {.storage = "pools", .storage_line = 4, .frame_ms = frame_ms, .yardstick_ms = 4};
  return profile;
}

/// Three processes, in which the system of the first strategy takes 80 us.
MeasuredGame measured_as(const std::vector<fake::FrameSamples>& strategies, std::optional<double> yardstick_ms = 4) {
  Run run = fake::process(strategies);
  run.blocks.front().cells.front().systems_ns = {80e3};
  run.state.yardstick_ms = yardstick_ms;
  MeasuredGame game;
  game.processes = {run, run, run};
  return game;
}
/// The pools take 100 us a frame, and the tables 50 us.
MeasuredGame measured(double tables_us = 50, std::optional<double> yardstick_ms = 4) {
  return measured_as({{"pools", 100, 0.01, 200}, {"tables", tables_us, 0.01, 100}}, yardstick_ms);
}

Answer answer_to(const Profile& profile, const MeasuredGame& game = measured()) {
  return decide(profile, game, Catalogue());
}

TEST_CASE("a game of which storage is a small part is not worth changing, and a game of which it is most may be") {
  const Answer small = answer_to(recorded_game(100 / 0.03 / 1000));
  CHECK_THAT(small.reasons.at(0), ContainsSubstring("not worth changing for speed: of a recorded frame of 3.33 ms, "
                                                    "100 us (3.0 %) is the work of pools, so no design can save more"));
  CHECK(small.reasons.at(1) == "a change for other reasons may bring 100 instead of 200 bytes per entity (tables)");
  CHECK(small.worth->storage_share.median == Approx(0.03));
  const Answer large = answer_to(recorded_game(100 / 0.6 / 1000));
  CHECK_THAT(large.reasons.at(0), StartsWith("of a recorded frame of 167 us, 100 us (60 %) is the work of pools; "
                                             "tables saves 4"));
  CHECK(large.worth->saving_share.median == Approx(0.3));
  REQUIRE(large.worth->saving_share.interval);
  CHECK(large.worth->saving_share.interval->low < 0.3);
  CHECK(large.worth->saving_share.interval->high > 0.3);
  CHECK(large.worth->saving_share.interval->high <= large.worth->storage_share.interval->high);
  const Answer slower_here = answer_to(recorded_game(0.04));  // than in the game, whose whole frame was shorter
  CHECK_THAT(slower_here.reasons.at(0), EndsWith("; there is no bound below 100 %"));
  CHECK(slower_here.worth->saving_share.median == 1);
}

TEST_CASE("a change is not worth it either if no design is faster than what the game has, or hardly one") {
  const Answer best = answer_to(recorded_game(0.2), measured(150));
  CHECK_THAT(best.reasons.at(0), StartsWith("not worth changing for speed"));
  CHECK_THAT(best.reasons.at(0), EndsWith("and no design measured here is faster"));
  const Answer little = answer_to(recorded_game(1), measured(90));
  CHECK_THAT(little.reasons.at(0), StartsWith("not worth changing for speed"));
  CHECK_THAT(little.reasons.at(0), ContainsSubstring("and tables saves "));
}

TEST_CASE("a design that was found and confirmed counts as the best") {
  const Profile profile = recorded_game(0.2);
  Answer answer = rank_game(profile, measured().processes);
  Placements& found = answer.placements.emplace();
  found.name = "tables+a";
  found.is_confirmed = true;
  found.gain = Estimate{0.5, Interval{0.5, 0.5}};
  const std::optional<Worth> worth = worth_of(profile, answer, measured().processes);
  REQUIRE(worth);
  CHECK(worth->best == "tables+a");
  CHECK(worth->saving_share.median == Approx(0.375));
}

TEST_CASE("a recording of another machine gives shares and no milliseconds") {
  Profile profile = recorded_game(1);
  profile.recorded.yardstick_ms = 8;  // that machine is half as fast, so storage took 200 us there
  const Answer answer = answer_to(profile);
  CHECK(answer.worth->storage_share.median == Approx(0.2));
  CHECK_THAT(answer.reasons.at(0),
             StartsWith("of a frame of 1.00 ms, recorded where a fixed loop takes 2.00 times as long, 20 % is the work "
                        "of pools; tables saves "));
  CHECK_THAT(answer.reasons.at(0), !ContainsSubstring(" us"));
}

TEST_CASE("each system has the share of its recorded time that is storage, the longest first") {
  Profile profile = recorded_game(1);
  profile.systems.push_back(profile.systems.front());
  profile.systems.front().ms = 0.16;
  MeasuredGame game = measured();
  Answer answer = answer_to(profile, game);
  REQUIRE(answer.worth->systems.size() == 1);
  CHECK(answer.worth->systems.front().system == "move");
  CHECK(answer.worth->systems.front().share == Approx(0.5));
  CHECK(answer.worth->untimed_systems == 1);
  profile.systems.back().ms = 0.2;
  for (Run& run : game.processes) run.blocks.front().cells.front().systems_ns.push_back(300e3);
  answer = answer_to(profile, game);
  CHECK(answer.worth->systems.front().share == Approx(1.5));
  CHECK(answer.worth->untimed_systems == 0);
}

TEST_CASE("what a recording cannot tell is said") {
  const auto first_line = [](const Profile& profile, const MeasuredGame& game = measured()) {
    return answer_to(profile, game).reasons.at(0);
  };
  const std::string cannot = "cannot say whether another storage is worth it for speed: ";
  Profile profile = recorded_game(1);
  profile.recorded.is_debug_build = true;
  profile.recorded.debug_build_line = 7;
  CHECK(first_line(profile) == cannot + "game.toml:7: the times are of a debug build; record an optimised build");
  profile = recorded_game(1);
  profile.recorded.yardstick_ms.reset();
  CHECK(first_line(profile) == cannot + "game.toml has no 'yardstick_ms'; the recorder writes it");
  CHECK(first_line(recorded_game(1), measured(50, std::nullopt)) ==
        cannot + "the fixed loop of the recorder was not timed here; repeat the command");
  profile = recorded_game(1);
  profile.recorded.storage = "objects";
  CHECK(first_line(profile) == cannot + "naive_objects was not measured; name it with --strategies");
  profile.recorded.storage = "";
  CHECK_FALSE(answer_to(profile).worth);
  profile = recorded_game(1);
  profile.recorded.frame_ms.reset();
  CHECK_FALSE(answer_to(profile).worth);
}

TEST_CASE(
    "a library that is not installed is measured as what is nearest to it, which bounds it only if it is as fast") {
  Profile profile = recorded_game(100 / 0.03 / 1000);
  profile.recorded.storage = "entt";
  const std::string first = answer_to(profile, measured_as({{"indirection_map", 100}, {"tables", 50}})).reasons.at(0);
  CHECK_THAT(first, ContainsSubstring("is the work of entt, measured as indirection_map, so no design can save more"));
  const std::string condition = "not worth changing for speed, if entt is no slower than indirection_map: ";
  CHECK_THAT(first, StartsWith(condition));
  profile = recorded_game(0.1);  // half of it, and nothing is faster
  profile.recorded.storage = "entt";
  CHECK_THAT(answer_to(profile, measured_as({{"indirection_map", 50}, {"tables", 100}})).reasons.at(0),
             StartsWith(condition));
  CHECK(stand_in_for("entt", {"entt", "indirection_map"}) == "entt");
  CHECK(stand_in_for("entt", {"indirection_map"}) == "indirection_map");
  CHECK(stand_in_for("flecs", {}) == "archetype_sections");
  CHECK(stand_in_for("enttt", {"entt"}).empty());
}

}  // namespace
}  // namespace stowage::harness
