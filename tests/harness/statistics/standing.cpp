#include "harness/statistics/standing.hpp"

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "harness/results/summary.hpp"
#include "tests/file_vectors.hpp"
#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

nlohmann::json vectors(const char* of) { return nlohmann::json::parse(verdict_vectors_text).at(of); }

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

}  // namespace
}  // namespace stowage::harness
