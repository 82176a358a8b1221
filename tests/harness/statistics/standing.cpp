#include "harness/statistics/standing.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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
      block.cells.push_back(fake::cell(strategy, times.get<std::vector<double>>()));
    }
    std::map<std::string, std::string> found;
    for (const CellSummary& summary : summarise(block)) found[summary.strategy()] = name_of(summary.standing);
    CAPTURE(vector.dump());
    CHECK(found == vector.at("standing").get<std::map<std::string, std::string>>());
  }
}

}  // namespace
}  // namespace stowage::harness
