#include "harness/statistics/median.hpp"

#include <stdexcept>
#include <vector>

#include "tests/harness/statistics/one_to.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("the median is the middle sample, or the mean of the middle two, in any order") {
  CHECK(median(std::vector<double>{3, 1, 2}) == 2);
  CHECK(median(std::vector<double>{4, 1, 3, 2}) == 2.5);
  CHECK(median(std::vector<double>{7}) == 7);
  CHECK_THROWS_AS(median(std::vector<double>{}), std::invalid_argument);
}

TEST_CASE("fewer than six samples have no interval at 95 %") {
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

}  // namespace
}  // namespace stowage::harness
