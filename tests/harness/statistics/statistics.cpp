// Intervals of medians and quantiles, what processes add to them, and the verdicts that follow.
#include "harness/statistics/estimates.hpp"

#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/build_info.hpp"
#include "harness/results/summary.hpp"
#include "harness/statistics/process_scatter.hpp"
#include "harness/statistics/standing.hpp"
#include "harness/system/files.hpp"
#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// Samples of which each is its own rank: 1, 2, ..., last.
std::vector<double> one_to(int last) {
  std::vector<double> samples(static_cast<std::size_t>(last));
  std::iota(samples.begin(), samples.end(), 1.0);
  return samples;
}

TEST_CASE("the median is the middle sample or the mean of two, with an interval from six samples on") {
  CHECK(median(std::vector<double>{3, 1, 2}) == 2);
  CHECK(median(std::vector<double>{4, 1, 3, 2}) == 2.5);
  CHECK(median(std::vector<double>{7}) == 7);
  CHECK_THROWS_AS(median(std::vector<double>{}), std::invalid_argument);
  CHECK_FALSE(estimate_median(one_to(1)).interval);
  CHECK_FALSE(estimate_median(one_to(5)).interval);
  CHECK(estimate_median(one_to(static_cast<int>(fewest_samples))).interval);
}

// The ranks are those of the textbooks' tables for the sign test at 5 %, two-sided.
TEST_CASE("the interval lies between the order statistics of the sign test") {
  const auto [samples, low, high] = GENERATE(table<int, double, double>(
      {{6, 1, 6}, {7, 1, 7}, {8, 1, 8}, {9, 2, 8}, {11, 2, 10}, {12, 3, 10}, {15, 4, 12}, {20, 6, 15}, {25, 8, 18}}));
  CAPTURE(samples);
  const Estimate estimate = estimate_median(one_to(samples));
  REQUIRE(estimate.interval);
  CHECK(estimate.interval->low == low);
  CHECK(estimate.interval->high == high);
}

TEST_CASE("one of several comparisons has the wider interval, at most the whole range") {
  const std::vector<double> samples = one_to(11);
  CHECK(estimate_median(samples).interval->low == 2);
  CHECK(estimate_median(samples, 4).interval->low == 2);  // 98.8 % of what is asked for
  CHECK(estimate_median(samples, 8).interval->low == 1);
  CHECK(estimate_median(one_to(7), 100).interval->low == 1);
  CHECK_FALSE(estimate_median(one_to(5), 100).interval);
}

TEST_CASE("the table for readers of results files gives the intervals that are stored") {
  const auto table = interval_samples(60, 9);
  REQUIRE(table.size() == 9);
  CHECK(std::vector<std::size_t>(table[0].begin(), table[0].begin() + 5) == std::vector<std::size_t>{6, 9, 12, 15, 17});
  for (int samples = static_cast<int>(fewest_samples); samples <= 60; ++samples) {
    for (std::size_t comparisons = 1; comparisons <= 9; ++comparisons) {
      CAPTURE(samples, comparisons);
      const auto may_be_cut =
          std::ranges::count_if(table[comparisons - 1], [&](auto least) { return static_cast<int>(least) <= samples; });
      CHECK(estimate_median(one_to(samples), comparisons).interval->low == std::max<long>(1, may_be_cut));
    }
  }
}

TEST_CASE("a quantile is the smallest sample that its share does not exceed, a p99 with interval from 368 on") {
  CHECK(estimate_quantile(one_to(100), 0.99).median == 99);
  CHECK(estimate_quantile(one_to(101), 0.99).median == 100);
  CHECK(estimate_quantile(std::vector<double>{3, 1, 2}, 0.99).median == 3);
  CHECK(estimate_quantile(std::vector<double>{3, 1, 2}, 0.5).median == 2);
  CHECK_THROWS_AS(estimate_quantile(std::vector<double>{}, 0.5), std::invalid_argument);
  CHECK_FALSE(estimate_quantile(one_to(367), 0.99).interval);
  REQUIRE(estimate_quantile(one_to(368), 0.99).interval);
  CHECK(estimate_quantile(one_to(368), 0.99).interval->high == 368);
}

TEST_CASE("of a median the interval is that of the sign test") {
  for (const int count : {9, 15, 20, 25}) {
    CAPTURE(count);
    const Estimate quantile = estimate_quantile(one_to(count), 0.5);
    REQUIRE(quantile.interval);
    CHECK(quantile.interval->low == estimate_median(one_to(count)).interval->low);
    CHECK(quantile.interval->high == estimate_median(one_to(count)).interval->high);
  }
}

// Uniform samples, whose p99 is known: of 1000 intervals at 95 % at most 50 miss it but for chance (4 sigma: 78).
TEST_CASE("the interval holds the quantile as often as it says") {
  std::mt19937_64 generator(1);
  int missed = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> samples(600);
    for (double& sample : samples) sample = static_cast<double>(generator() >> 11U) * 0x1p-53;
    const Estimate estimate = estimate_quantile(samples, 0.99);
    REQUIRE(estimate.interval);
    if (estimate.interval->low > 0.99 || estimate.interval->high < 0.99) ++missed;
  }
  CHECK(missed <= 78);
  CHECK(missed >= 10);  // nor is it as wide as to say nothing
}

const std::vector<double> drifting = {1, 2, 3, 4, 5, 6, 7};

std::vector<double> scaled(std::vector<double> samples, double factor) {
  for (double& sample : samples) sample *= factor;
  return samples;
}

TEST_CASE("ratios are taken round by round, so that drift cancels; a round that only one of the two has is left out") {
  for (const double ratio : ratios_per_round(scaled(drifting, 1.5), drifting)) CHECK(ratio == Approx(1.5));
  CHECK(ratios_per_round(drifting, {{1.0, 1.0}}) == std::vector<double>{1, 2});
  CHECK(ratios_per_round({}, drifting).empty());
}

// ---- standings

/// Which the tests of reports read, too.
nlohmann::json vectors(const char* of) {
  const std::filesystem::path file = std::filesystem::path(build_info::source_dir) / "tests/files/verdicts.json";
  return nlohmann::json::parse(system_text(file)).at(of);
}

TEST_CASE("a strategy is equal to the best, worse or open, in this order") {
  for (const nlohmann::json& vector : vectors("ratios")) {
    CAPTURE(vector.dump());
    Estimate ratio{1, std::nullopt};
    if (!vector.at("interval").is_null()) ratio.interval = Interval{vector["interval"][0], vector["interval"][1]};
    CHECK(name_of(standing_beside_best(ratio)) == vector.at("standing"));
  }
}

TEST_CASE("each strategy of a block is judged beside the best that it has now") {
  for (const nlohmann::json& vector : vectors("blocks")) {
    BlockResult block{"walk", "entities:1", {}};
    for (const auto& [strategy, times] : vector.at("times").items()) {
      CellResult& cell = block.cells.emplace_back(fake::cell(strategy, times.get<std::vector<double>>()));
      for (std::size_t i = 0; i < cell.repetitions.size(); ++i) {
        cell.repetitions[i].visit = vector.value("visits", std::vector<std::size_t>(i + 1)).at(i);
      }
    }
    RunScatter scatter{.visits = 3, .ratios = std::nullopt, .times = {}};
    if (vector.contains("scatter")) scatter.ratios = ProcessScatter{.deviation = vector["scatter"]};
    std::map<std::string, std::string> found;
    for (const CellSummary& summary : summarise(block, scatter)) found[summary.strategy()] = name_of(summary.standing);
    CAPTURE(vector.dump());
    CHECK(found == vector.at("standing").get<std::map<std::string, std::string>>());
  }
}

/// Normal draws that are the same with every standard library.
class Noise {
 public:
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(bits_() >> 11U) * 0x1p-53;
    return sum;
  }
  bool one_in(std::uint64_t count) { return bits_() % count == 0; }

 private:
  std::mt19937_64 bits_{1};
};

constexpr std::size_t strategies = 6;
constexpr std::size_t visits_of_a_look = 3;
constexpr std::size_t rounds_of_a_visit = 4;

/// One look more at a block whose strategies take `true_ns`. Each process moves each strategy by `between`, and each
/// repetition by `within`; one repetition of 20 was interrupted.
void look_at(BlockResult& block, const std::vector<double>& true_ns, double between, double within, std::size_t look,
             Noise& noise) {
  for (std::size_t visit = look * visits_of_a_look; visit < (look + 1) * visits_of_a_look; ++visit) {
    for (std::size_t strategy = 0; strategy < true_ns.size(); ++strategy) {
      const double of_process = between / std::numbers::sqrt2 * noise.normal();
      for (std::size_t round = 0; round < rounds_of_a_visit; ++round) {
        const double interrupted = noise.one_in(20) ? 0.3 : 0;
        const double ns = true_ns[strategy] * std::exp(of_process + within * noise.normal() + interrupted);
        block.cells[strategy].repetitions.push_back({.real_ns = ns * 1000, .cpu_ns = ns * 1000, .visit = visit});
      }
    }
  }
}

bool is_wrong(const CellSummary& summary, double true_ratio) {
  if (summary.standing == Standing::worse) return true_ratio <= 1;
  return summary.standing == Standing::equal && (true_ratio > equal_within || true_ratio < 1 / equal_within);
}

// Runs of 25 blocks, in which a strategy has an equal copy and some are a little slower; processes of some blocks
// differ ten times as much as those of others. A block that is decided is not looked at again, as in a run.
TEST_CASE("at every look verdicts of a block are rarely wrong, and intervals of equal copies contain 1",
          "[many_runs]") {
  constexpr int runs = 20;
  constexpr int blocks = 25;
  constexpr std::size_t looks = 4;
  const std::vector<double> true_ns{1, 1, 1.03, 1.06, 1.12, 1.5};
  REQUIRE(true_ns.size() == strategies);
  Noise noise;
  std::vector<int> wrong(looks);
  std::vector<int> contained(looks);
  int decided = 0;
  for (int trial = 0; trial < runs; ++trial) {
    Run run;
    run.state.visits = visits_of_a_look;
    std::vector<double> between(blocks);
    for (int index = 0; index < blocks; ++index) {
      between[index] = 0.01 * std::exp(0.7 * noise.normal());
      BlockResult& block = run.blocks.emplace_back(BlockResult{"walk", fmt::format("entities:{}", index + 1), {}});
      for (std::size_t i = 0; i < strategies; ++i) block.cells.push_back(fake::cell(fmt::format("s{}", i), {}));
    }
    std::vector<bool> is_open(blocks, true);
    for (std::size_t look = 0; look < looks; ++look) {
      for (int index = 0; index < blocks; ++index) {
        if (is_open[index]) look_at(run.blocks[index], true_ns, between[index], 0.02, look, noise);
      }
      const RunScatter scatter = scatter_of(run);
      for (int index = 0; index < blocks; ++index) {
        const std::vector<CellSummary> summaries = summarise(run.blocks[index], scatter);
        const auto best = static_cast<std::size_t>(
            std::ranges::find(summaries, Standing::best, &CellSummary::standing) - summaries.begin());
        bool has_wrong = false;
        is_open[index] = false;
        for (std::size_t i = 0; i < strategies; ++i) {
          has_wrong = has_wrong || is_wrong(summaries[i], true_ns[i] / true_ns[best]);
          is_open[index] = is_open[index] || summaries[i].standing == Standing::open;
        }
        wrong[look] += has_wrong ? 1 : 0;
        const Interval copy =
            *summarise({"walk", "entities:1", {run.blocks[index].cells[0], run.blocks[index].cells[1]}},
                       scatter)[best == 0 ? 1 : 0]
                 .ratio_to_best->interval;
        contained[look] += copy.low <= 1 && copy.high >= 1 ? 1 : 0;
        if (look + 1 == looks && !is_open[index]) ++decided;
      }
    }
  }
  for (std::size_t look = 0; look < looks; ++look) {
    CAPTURE(look, wrong[look], contained[look], decided);
    CHECK(wrong[look] <= runs * blocks / 100);
    CHECK(contained[look] >= 0.93 * runs * blocks);
  }
  CHECK(decided > runs * blocks / 4);  // nor are intervals as wide as to say nothing
}

// ---- what processes add

constexpr Estimate one{1, Interval{1, 1}};
constexpr ProcessScatter nothing{0, 0};

double reach(const Estimate& estimate) { return std::log(estimate.interval->high / estimate.median); }

TEST_CASE("without a prior a figure's own processes have Student's t with one degree of freedom less") {
  const std::vector<double> seen{std::exp(-0.1), 1, std::exp(0.1)};  // whose deviation is 0.1
  const Estimate estimate = across_processes(one, seen, nothing);
  CHECK(reach(estimate) == Approx(4.3027 * 0.1 / std::sqrt(3)).epsilon(1e-4));
  CHECK(estimate.interval->low == Approx(1 / estimate.interval->high));
  CHECK(reach(across_processes(one, std::vector<double>{1, 1}, nothing)) ==
        Approx(12.706 * smallest_run_scatter / std::sqrt(2)).epsilon(1e-4));
}

TEST_CASE("a single process is expected to scatter as unknown runs do") {
  const Estimate estimate = across_processes(one, std::vector<double>{1}, {});
  CHECK(reach(estimate) == Approx(2.5706 * largest_run_scatter).epsilon(1e-4));
}

TEST_CASE("the scatter of other figures counts with its degrees of freedom") {
  const std::vector<double> seen{std::exp(-0.1), 1, std::exp(0.1)};
  const double deviation = std::sqrt((5 * 0.02 * 0.02 + 2 * 0.1 * 0.1) / 7);
  const Estimate estimate = across_processes(one, seen, {0.02, 5});
  CHECK(reach(across_processes(one, std::vector<double>{1, 1, 1}, {0.02, 5})) < reach(estimate));
  CHECK(reach(estimate) == Approx(std::max(0.1, 2.3646 * deviation / std::sqrt(3))).epsilon(1e-4));
  CHECK(reach(across_processes(one, seen, {0.02, 5}, 10)) == Approx(4.0293 * deviation / std::sqrt(3)).epsilon(1e-4));
}

TEST_CASE("the variances of samples and processes add up; without an interval there is none") {
  const Estimate pooled{1, Interval{std::exp(-0.03), std::exp(0.04)}};
  const Estimate estimate = across_processes(pooled, std::vector<double>{1}, {0.01, 5});
  CHECK(std::log(estimate.interval->low) == Approx(-std::hypot(0.03, 2.5706 * 0.01)).epsilon(1e-4));
  CHECK(std::log(estimate.interval->high) == Approx(std::hypot(0.04, 2.5706 * 0.01)).epsilon(1e-4));
  CHECK_FALSE(across_processes({1, std::nullopt}, std::vector<double>{1}, {}).interval);
}

TEST_CASE("the usual scatter is that of the middle figure, and of two figures no small one") {
  const auto differing_by = [](double logarithms) {
    return std::vector<double>{1, std::exp(logarithms), std::exp(-logarithms)};
  };
  const auto usual = [](const std::vector<std::vector<double>>& figures) {
    return process_scatter_of(figures).deviation;
  };
  // the median of chi square with two degrees of freedom is 2 ln 2
  CHECK(usual({differing_by(0.01), differing_by(0.02), differing_by(0.5)}) == Approx(0.02 / std::sqrt(std::log(2))));
  CHECK(usual({differing_by(0.01), differing_by(0.01)}) == largest_run_scatter);
  CHECK(usual({differing_by(0.2), differing_by(0.2)}) > 0.2);
  CHECK(usual({{1}, {2}, {3}, {4}}) == largest_run_scatter);
}

TEST_CASE("a product is as uncertain as both together") {
  const Estimate left{2, Interval{2 * std::exp(-0.03), 2 * std::exp(0.03)}};
  const Estimate right{3, Interval{3 * std::exp(-0.04), 3 * std::exp(0.04)}};
  CHECK(product(left, right).median == 6);
  CHECK(reach(product(left, right)) == Approx(0.05));
  CHECK(product(one, right).interval->low == Approx(right.interval->low));
  CHECK_FALSE(product(left, {3, std::nullopt}).interval);
}

/// How many of 1000 times the interval of figures that processes alone move misses the true 1. `shared` moves all
/// figures of a process, `own` each of them.
template <class Expected>
int missed(std::size_t processes, std::size_t figures, double shared, double own, Expected expected) {
  Noise noise;
  int missed = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<std::vector<double>> all(figures, std::vector<double>(processes));
    for (std::size_t process = 0; process < processes; ++process) {
      const double of_process = shared * noise.normal();
      for (std::vector<double>& figure : all) figure[process] = std::exp(of_process + own * noise.normal());
    }
    const double middle = median(all.front());
    const Interval interval =
        *across_processes({middle, Interval{middle, middle}}, all.front(), expected(all)).interval;
    missed += interval.low > 1 || interval.high < 1 ? 1 : 0;
  }
  return missed;
}

// At 95 % at most 50 but for chance: 78 are four standard deviations more.
TEST_CASE("intervals hold the truth as often as they say, also of scatter that all figures share") {
  const auto expects_nothing = [](const auto&) { return nothing; };
  for (const double scatter : {0.005, 0.02, 0.1}) {
    CAPTURE(scatter);
    CHECK(missed(2, 1, 0, scatter, expects_nothing) < 78);
    CHECK(missed(3, 1, 0, scatter, expects_nothing) < 78);
    CHECK(missed(2, 8, 0, scatter, process_scatter_of) < 78);
    CHECK(missed(3, 8, 0, scatter, process_scatter_of) < 78);
  }
  CHECK(shared_scatter_of(std::vector<std::vector<double>>{{1, 1}, {2, 2}, {3, 3}}).deviation == largest_run_scatter);
  CHECK(missed(2, 8, 0.02, 0.01, shared_scatter_of) < 78);
  CHECK(missed(3, 8, 0.02, 0.01, shared_scatter_of) < 78);
  CHECK(missed(2, 8, 0.1, 0.01, shared_scatter_of) < 230);  // docs/recommend.md says one in five
}

}  // namespace
}  // namespace stowage::harness
