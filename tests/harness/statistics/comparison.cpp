#include "harness/statistics/comparison.hpp"

#include <vector>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

const std::vector<double> drifting = {1, 2, 3, 4, 5, 6, 7};

std::vector<double> scaled(std::vector<double> samples, double factor) {
  for (double& sample : samples) sample *= factor;
  return samples;
}

TEST_CASE("ratios are taken round by round, so that drift cancels") {
  for (const double ratio : ratios_per_round(scaled(drifting, 1.5), drifting)) CHECK(ratio == Approx(1.5));
}

TEST_CASE("a round that only one of the two has is left out") {
  CHECK(ratios_per_round(drifting, {{1.0, 1.0}}) == std::vector<double>{1, 2});
  CHECK(ratios_per_round({}, drifting).empty());
}

TEST_CASE("a strategy is tied with the best when the interval of their ratio reaches down to 1") {
  CHECK(is_tie({1.02, Interval{0.99, 1.05}}));
  CHECK(is_tie({1.02, Interval{1.0, 1.05}}));
  CHECK_FALSE(is_tie({1.02, Interval{1.01, 1.05}}));
}

TEST_CASE("what has no interval cannot be told apart") { CHECK(is_tie({5.0, std::nullopt})); }

}  // namespace
}  // namespace stowage::harness
