#include "harness/statistics/estimates.hpp"

#include <numeric>

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

TEST_CASE("one outlier moves neither the median nor the interval") {
  std::vector<double> samples = one_to(11);
  samples.back() = 1e9;
  const Estimate estimate = estimate_median(samples);
  CHECK(estimate.median == 6);
  CHECK(estimate.interval->high == 10);
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

}  // namespace
}  // namespace stowage::harness
