#include "harness/statistics/quantile.hpp"

#include <random>
#include <stdexcept>
#include <vector>

#include "tests/harness/statistics/one_to.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("a quantile is the smallest sample that its share does not exceed, in any order") {
  CHECK(estimate_quantile(one_to(100), 0.99).median == 99);
  CHECK(estimate_quantile(one_to(101), 0.99).median == 100);
  CHECK(estimate_quantile(std::vector<double>{3, 1, 2}, 0.99).median == 3);
  CHECK(estimate_quantile(std::vector<double>{3, 1, 2}, 0.5).median == 2);
  CHECK_THROWS_AS(estimate_quantile(std::vector<double>{}, 0.5), std::invalid_argument);
}

TEST_CASE("the p99 of fewer than 368 samples may lie beyond all of them, so it has no interval") {
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

}  // namespace
}  // namespace stowage::harness
