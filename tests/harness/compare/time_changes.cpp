#include "harness/compare/time_changes.hpp"

#include <algorithm>

#include "tests/harness/compare/synthetic.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// Keeps the files that the comparison points into.
struct Compared {
  Compared(MeasuredFile a, MeasuredFile b)
      : before(std::move(a)), after(std::move(b)), pairs(pair_cells(before, after)), time(compare_times(pairs.both)) {}

  [[nodiscard]] const CellTimeChange& cell(const std::string& name) const {
    return *std::ranges::find(time.cells, name, [](const CellTimeChange& change) { return change.pair->name(); });
  }
  [[nodiscard]] const StrategyTimeChange& strategy(const std::string& name) const {
    return *std::ranges::find(time.strategies, name, &StrategyTimeChange::strategy);
  }

  MeasuredFile before;
  MeasuredFile after;
  CellPairs pairs;
  TimeComparison time;
};

std::size_t significant(const TimeComparison& time) {
  return time.count(Verdict::slower) + time.count(Verdict::faster);
}

/// Of the strategies that are not alpha.
std::size_t changed_others(const TimeComparison& time) {
  return static_cast<std::size_t>(std::ranges::count_if(time.strategies, [](const StrategyTimeChange& change) {
    return change.strategy != "alpha" && (change.verdict == Verdict::slower || change.verdict == Verdict::faster);
  }));
}

fake::RunShape with_slow_alpha(double factor) {
  fake::RunShape shape;
  shape.factor = [factor](const std::string& strategy, std::size_t) { return strategy == "alpha" ? factor : 1.0; };
  return shape;
}

constexpr std::uint64_t seeds = 40;

TEST_CASE("a run compared with itself has not changed at all") {
  const MeasuredFile run = fake::run_of({}, 1);
  const Compared same(run, run);
  CHECK(significant(same.time) == 0);
  CHECK(same.time.count(Verdict::undecided) == 0);
  for (const CellTimeChange& change : same.time.cells) CHECK(change.ratio == 1);
  for (const StrategyTimeChange& change : same.time.strategies) CHECK(change.verdict == Verdict::unchanged);
}

TEST_CASE("of two runs of the same, at most 5 % of the cells differ, whatever the processes had for themselves",
          "[many_runs]") {
  const double run_scatter = GENERATE(0.0, 0.01, 0.02, 0.03);
  const std::size_t rounds = GENERATE(std::size_t{7}, std::size_t{11}, std::size_t{15});
  CAPTURE(run_scatter, rounds);
  fake::RunShape shape;
  shape.run_scatter = run_scatter;
  shape.rounds = rounds;
  std::size_t false_cells = 0;
  std::size_t cells = 0;
  std::size_t runs_with_false_strategies = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Compared compared(fake::run_of(shape, 2 * seed), fake::run_of(shape, 2 * seed + 1));
    CHECK(significant(compared.time) <= compared.time.cells.size() / 20);
    false_cells += significant(compared.time);
    cells += compared.time.cells.size();
    runs_with_false_strategies += changed_others(compared.time) > 0 ? 1 : 0;
  }
  CHECK(false_cells <= cells / 200);
  CHECK(runs_with_false_strategies <= seeds / 20);
}

TEST_CASE("a strategy that became 10 % slower is found in every pair of runs, and hardly anybody else") {
  std::size_t found = 0;
  std::size_t false_cells = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Compared compared(fake::run_of({}, 2 * seed), fake::run_of(with_slow_alpha(1.1), 2 * seed + 1));
    const StrategyTimeChange& alpha = compared.strategy("alpha");
    CHECK(alpha.verdict == Verdict::slower);
    CHECK(alpha.interval->low < 1.1);
    CHECK(alpha.interval->high > 1.1);
    CHECK(compared.time.strategies.front().strategy == "alpha");
    found += alpha.slower;
    false_cells += significant(compared.time) - alpha.slower;
    CHECK(changed_others(compared.time) == 0);
  }
  CHECK(found >= seeds * fake::RunShape().blocks / 2);
  CHECK(false_cells <= found / 10);
}

TEST_CASE("one that became 10 % faster is found likewise") {
  const Compared compared(fake::run_of({}, 4), fake::run_of(with_slow_alpha(1 / 1.1), 5));
  CHECK(compared.strategy("alpha").verdict == Verdict::faster);
  CHECK(compared.strategy("alpha").slower == 0);
  CHECK(compared.time.strategies.back().strategy == "alpha");
}

TEST_CASE("what all strategies share is seen although most cells changed") {
  fake::RunShape slower;
  slower.factor = [](const std::string&, std::size_t) { return 1.1; };
  const Compared compared(fake::run_of({}, 6), fake::run_of(slower, 7));
  for (const StrategyTimeChange& change : compared.time.strategies) CHECK(change.verdict == Verdict::slower);
}

TEST_CASE("a block that moved as one is its reference's doing, not that of each strategy") {
  fake::RunShape moved;
  moved.factor = [](const std::string&, std::size_t block) { return block == 3 ? 4.0 : 1.0; };
  const Compared compared(fake::run_of({}, 8), fake::run_of(moved, 9));
  CHECK(significant(compared.time) == 0);
  CHECK(compared.cell("walk/alpha/entities:1027").ratio > 3);
}

TEST_CASE("a strategy alone with its reference can be told, because there is nobody else to ask") {
  fake::RunShape before;
  before.strategies = {"alpha"};
  fake::RunShape after = with_slow_alpha(1.25);
  after.strategies = {"alpha"};
  const Compared compared(fake::run_of(before, 10), fake::run_of(after, 11));
  CHECK(compared.time.count(Verdict::slower) > fake::RunShape().blocks / 2);
  CHECK(compared.strategy("alpha").verdict == Verdict::slower);
}

TEST_CASE("rounds in which somebody else had the processor do not count") {
  MeasuredFile before = fake::run_of({}, 12);
  MeasuredFile after = fake::run_of({}, 13);
  MeasuredCell& alpha = after.cells[1];
  REQUIRE(alpha.name == "walk/alpha/entities:1024");
  for (std::size_t round = 0; round < 3; ++round) {
    alpha.rounds[round].real_ns *= 6;
    alpha.rounds[round].ratio = 6 * *alpha.rounds[round].ratio;
  }
  SECTION("where enough others are left") {
    const Compared compared(before, after);
    CHECK(compared.cell(alpha.name).verdict == Verdict::unchanged);
    CHECK(compared.cell(alpha.name).ratio == Approx(1).margin(0.1));
  }
  SECTION("and where not, nothing is decided, whose ever the rounds were") {
    after.cells[0].rounds[5].real_ns *= 6;
    const Compared compared(before, after);
    const CellTimeChange& change = compared.cell(alpha.name);
    CHECK(change.verdict == Verdict::undecided);
    CHECK_FALSE(change.interval);
    CHECK(change.reason == "the processor was taken away in too many rounds");
    CHECK(compared.time.cells.back().pair->name() == alpha.name);
  }
}

TEST_CASE("threads that wait for each other took that long") {
  MeasuredFile before = fake::run_of({}, 12);
  MeasuredFile after = fake::run_of({}, 13);
  for (MeasuredFile* file : {&before, &after}) {
    for (MeasuredCell& cell : file->cells) cell.name += "/threads:2";
  }
  MeasuredCell& alpha = after.cells[1];
  for (MeasuredRound& round : alpha.rounds) {
    round.real_ns *= 6;
    round.ratio = 6 * *round.ratio;
  }
  CHECK(Compared(before, after).cell(alpha.name).verdict == Verdict::slower);
}

TEST_CASE("without repetitions a figure is compared and never significant") {
  fake::RunShape single;
  single.rounds = GENERATE(std::size_t{1}, fewest_samples - 1);
  fake::RunShape slow = with_slow_alpha(50);
  slow.rounds = single.rounds;
  const Compared compared(fake::run_of(single, 14), fake::run_of(slow, 15));
  CHECK(compared.time.count(Verdict::undecided) == compared.time.cells.size());
  CHECK(compared.cell("walk/alpha/entities:1024").ratio > 30);
  CHECK(compared.cell("walk/alpha/entities:1024").reason == "fewer than 6 repetitions");
  CHECK(compared.strategy("alpha").verdict == Verdict::undecided);
}

TEST_CASE("what has no ratios is compared in absolute time, and its strategies are not") {
  MeasuredFile before = fake::run_of({}, 16);
  MeasuredFile after = fake::run_of(with_slow_alpha(2), 17);
  for (MeasuredCell& cell : before.cells) {
    for (MeasuredRound& round : cell.rounds) round.ratio.reset();
  }
  const Compared compared(before, after);
  const CellTimeChange& alpha = compared.cell("walk/alpha/entities:1024");
  CHECK_FALSE(alpha.is_of_ratios);
  CHECK(alpha.before == Approx(150).epsilon(0.1));
  CHECK(alpha.verdict == Verdict::slower);
  CHECK(compared.strategy("alpha").verdict == Verdict::undecided);
  CHECK(compared.cell("walk/reference/entities:1024").verdict == Verdict::unchanged);
}

TEST_CASE("how the references themselves moved is told, because no ratio shows it") {
  const MeasuredFile before = fake::run_of({}, 18);
  MeasuredFile after = before;
  for (MeasuredCell& cell : after.cells) {
    for (MeasuredRound& round : cell.rounds) round.real_ns *= 1.5;
  }
  for (MeasuredCell& cell : after.cells) {
    for (MeasuredRound& round : cell.rounds) round.cpu_ns = round.real_ns;
  }
  const Compared compared(before, after);
  CHECK(significant(compared.time) == 0);
  REQUIRE(compared.time.references);
  CHECK(compared.time.references->median == Approx(1.5));
}

TEST_CASE("too few cells to tell of a strategy are said to be") {
  fake::RunShape few;
  few.blocks = 8;  // the whole range of eight holds the median at 99.2 %; of eight strategies each needs 99.4 %
  const Compared compared(fake::run_of(few, 20), fake::run_of(few, 21));
  for (const StrategyTimeChange& change : compared.time.strategies) CHECK(change.verdict == Verdict::undecided);
}

}  // namespace
}  // namespace stowage::harness
