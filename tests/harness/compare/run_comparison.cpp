#include "harness/compare/run_comparison.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/compare/formats.hpp"
#include "harness/errors.hpp"
#include "tests/harness/compare/synthetic.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

fake::RunShape with_slow_alpha() {
  fake::RunShape shape;
  shape.factor = [](const std::string& strategy, std::size_t) { return strategy == "alpha" ? 1.1 : 1.0; };
  return shape;
}

MeasuredFile with_facts(MeasuredFile file, std::vector<ContextFact> facts) {
  file.facts = std::move(facts);
  return file;
}

/// alpha is 10 % slower, one cell has twice the instructions, one failed, one came.
RunComparison sample() {
  MeasuredFile before = with_facts(fake::run_of({}, 1), {{"commit", "1234"}, {"seed", "1"}});
  MeasuredFile after = with_facts(fake::run_of(with_slow_alpha(), 2), {{"commit", "5678"}, {"seed", "1"}});
  for (MeasuredFile* file : {&before, &after}) {
    file->exact_passes["cache"] = "the same";
    file->cells[2].figures["instructions_per_item"] = file == &before ? 20 : 40;
  }
  after.cells[3].error = "checksum differs";
  after.cells.push_back({.name = "jump/" + std::string(60, 'x') + "/entities:1024/way:up",
                         .rounds = {fake::round_of(1)},
                         .median_ns = std::nullopt,
                         .figures = {},
                         .error = {}});
  return {std::move(before), std::move(after)};
}

TEST_CASE("what differs around the figures is told in both values") {
  const RunComparison comparison(with_facts(fake::run_of({}, 1), {{"host", "a"}, {"commit", "1"}, {"seed", "1"}}),
                                 with_facts(fake::run_of({}, 2), {{"host", "a"}, {"commit", "2"}, {"preset", "full"}}));
  REQUIRE(comparison.differences.size() == 3);
  CHECK(comparison.differences[0].what == "commit");
  CHECK(comparison.differences[0].after == "2");
  CHECK(comparison.differences[1].after == "not said");
  CHECK(comparison.differences[2].before == "not said");
}

TEST_CASE("a limit is exceeded by what is certainly worse by more, and by nothing else") {
  const RunComparison comparison = sample();
  const Excess five = excess_of(comparison, 0.05);
  CHECK(five.strategies.size() == 1);
  CHECK_FALSE(five.cells.empty());
  CHECK(five.counts.size() == 1);
  REQUIRE(five.failures.size() == 1);
  CHECK_THAT(five.summary(),
             ContainsSubstring("1 strategy in time, ") && ContainsSubstring("1 count, 1 cell that fails"));
  const Excess double_and_more = excess_of(comparison, 1);
  CHECK(double_and_more.strategies.empty());
  CHECK(double_and_more.cells.empty());
  CHECK(double_and_more.counts.empty());
}

TEST_CASE("what became better exceeds no limit") {
  MeasuredFile before = fake::run_of(with_slow_alpha(), 3);
  MeasuredFile after = fake::run_of({}, 4);
  before.cells[2].figures["floor_lines_per_item"] = 1;
  after.cells[2].figures["floor_lines_per_item"] = 2;  // and what need not be small may grow
  const RunComparison comparison(std::move(before), std::move(after));
  CHECK(comparison.counts.changes.size() == 1);
  CHECK_FALSE(excess_of(comparison, 0).any());
}

TEST_CASE("where the machine was too busy to tell, strategies exceed a limit and single cells do not") {
  fake::RunShape busy;
  busy.run_scatter = 0.3;
  const RunComparison comparison(fake::run_of(busy, 8), fake::run_of(busy, 9));
  REQUIRE(comparison.time.is_beyond_chance);
  CHECK(comparison.time.count(Verdict::slower) > 0);
  CHECK_FALSE(excess_of(comparison, 0.05).any());
  CHECK_THAT(comparison_text(comparison, std::nullopt), ContainsSubstring("the machine was busy"));
  fake::RunShape slow = busy;
  slow.factor = [](const std::string&, std::size_t) { return 3.0; };
  const RunComparison slower(fake::run_of(busy, 8), fake::run_of(slow, 9));
  CHECK(excess_of(slower, 0.05).strategies.size() == busy.strategies.size());
}

TEST_CASE("a run exceeds nothing beside itself") {
  const RunComparison same(fake::run_of({}, 5), fake::run_of({}, 5));
  CHECK_FALSE(excess_of(same, 0).any());
  CHECK_THAT(comparison_text(same, excess_of(same, 0)), ContainsSubstring("--fail-above 0% is not exceeded"));
  CHECK_THAT(comparison_markdown(same, std::nullopt), ContainsSubstring("no significant change"));
}

TEST_CASE("a limit is a number and the sign") {
  CHECK(parse_limit("5%") == Approx(0.05));
  CHECK(parse_limit("2.5%") == Approx(0.025));
  CHECK(parse_limit("0%") == 0);
  CHECK(parse_limit("150%") == Approx(1.5));
  const auto wrong = GENERATE(as<std::string>{}, "", "%", "5", "0.05", "-5%", "+5%", "5 %", " 5%", "5%%", "5%x", "nan%",
                              "inf%", "1e1%", "five%", ".5%", "5,5%");
  CAPTURE(wrong);
  CHECK_THROWS_AS(parse_limit(wrong), UserError);
}

TEST_CASE("the table names the worst first and fits a terminal") {
  const RunComparison comparison = sample();
  const std::string text = comparison_text(comparison, excess_of(comparison, 0.05));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  CHECK(text.find("commit") < text.find("walk/alpha"));
  CHECK_THAT(text, ContainsSubstring("1 cell only after:"));
  CHECK_THAT(text, ContainsSubstring("1 cell failed after, and not before: walk/gamma/entities:1024"));
  CHECK_THAT(text, ContainsSubstring("+100.0%  20      40     walk/beta/entities:1024"));
  CHECK_THAT(text, ContainsSubstring("--fail-above 5% is exceeded"));
}

TEST_CASE("markdown shows little and folds the rest, and names cannot break it") {
  MeasuredFile before = fake::run_of({}, 6);
  before.facts = {{"processor", "A | B <script>"}};
  const RunComparison comparison(std::move(before), fake::run_of(with_slow_alpha(), 7));
  const std::string text = comparison_markdown(comparison, std::nullopt);
  CHECK(text.starts_with("### stowage: changes"));
  CHECK_THAT(text, ContainsSubstring("A \\| B \\<script\\>"));
  const std::size_t fold = text.find("<details>");
  REQUIRE(fold != std::string::npos);
  CHECK(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(fold), '\n') < 20);
}

TEST_CASE("json has every cell, and keys only for what is known") {
  const RunComparison comparison = sample();
  const nlohmann::json json = nlohmann::json::parse(comparison_json(comparison, excess_of(comparison, 0.05)));
  CHECK(json.at("time").at("cells").size() == comparison.time.cells.size());
  CHECK(json.at("time").at("strategies").at(0).at("strategy") == "alpha");
  CHECK(json.at("counts").at("changes").at(0).at("growth") == 1);
  CHECK(json.at("only_after").size() == 1);
  CHECK(json.at("fail_above").at("exceeded") == true);
  CHECK(json.at("fail_above").at("failures").at(0) == "walk/gamma/entities:1024");
  for (const nlohmann::json& cell : json.at("time").at("cells")) {
    CHECK(cell.contains("p") == (cell.at("verdict") != "undecided"));
    CHECK(cell.contains("ratio_low") == cell.contains("p"));
    CHECK(cell.contains("reason") != cell.contains("p"));
  }
  CHECK_FALSE(nlohmann::json::parse(comparison_json(comparison, std::nullopt)).contains("fail_above"));
}

}  // namespace
}  // namespace stowage::harness
