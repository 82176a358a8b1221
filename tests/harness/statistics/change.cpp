#include "harness/statistics/change.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/harness/compare/synthetic.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

constexpr LogMedian one_percent_known_well{.value = 0, .error = 0.01, .freedom = 1e6};

LogChange change_of(double value) {
  LogChange change{one_percent_known_well, one_percent_known_well};
  change.after.value = value;
  return change;
}

std::vector<double> drawn(fake::Dice& dice, std::size_t count, double scale, double skew) {
  std::vector<double> samples;
  for (std::size_t index = 0; index < count; ++index) {
    const double noise = dice.normal();
    samples.push_back(std::exp(scale * (noise + skew * noise * noise)));
  }
  return samples;
}

TEST_CASE("fewer samples than have an interval have no standard error") {
  CHECK_FALSE(log_median(std::vector<double>(fewest_samples - 1, 1.0)));
  CHECK(log_median(std::vector<double>(fewest_samples, 1.0)));
}

// Of 9 samples the second and the eighth are beyond the median with probability 10 / 512 each: 2.0630 standard errors.
TEST_CASE("the standard error of the median comes from two order statistics and the binomial between them") {
  std::vector<double> samples;
  for (int index = 1; index <= 9; ++index) samples.push_back(std::exp(index));
  const std::optional<LogMedian> estimate = log_median(samples);
  REQUIRE(estimate);
  CHECK(estimate->value == Approx(5));
  CHECK(estimate->error == Approx((8 - 2) / (2 * 2.0630)).epsilon(1e-3));
  CHECK(estimate->freedom == 8);
}

TEST_CASE("one outlier does not move it") {
  std::vector<double> samples = {1.0, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08};
  const LogMedian calm = *log_median(samples);
  samples.back() = 100;
  CHECK(log_median(samples)->error == calm.error);
  CHECK(log_median(samples)->value == calm.value);
}

TEST_CASE("of two samples of the same, at most one in twenty differs at 5 %, whatever their shape") {
  const std::size_t count = GENERATE(std::size_t{7}, std::size_t{9}, std::size_t{15}, std::size_t{30});
  const double skew = GENERATE(0.0, 0.5);
  CAPTURE(count, skew);
  fake::Dice dice(20'140'908);
  constexpr int trials = 4000;
  int small = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const LogChange change{*log_median(drawn(dice, count, 0.05, skew)), *log_median(drawn(dice, count, 0.05, skew))};
    small += chance_of(change.value(), change, 0) < 0.05 ? 1 : 0;
  }
  CHECK(small <= trials * 0.06);   // three standard errors of such a share are 0.0103
  CHECK(small >= trials * 0.005);  // and it is not blind
}

TEST_CASE("what 1.96 standard errors are known well enough is a chance of 5 %, both ways, and its interval ends at 1") {
  const double distance = 1.959964 * std::sqrt(2) * 0.01;
  CHECK(chance_of(distance, change_of(distance), 0) == Approx(0.05).epsilon(1e-3));
  CHECK(chance_of(-distance, change_of(-distance), 0) == Approx(0.05).epsilon(1e-3));
  const Interval interval = ratio_interval(change_of(distance), 0);
  CHECK(interval.low == Approx(1).epsilon(1e-4));
  CHECK(interval.high == Approx(std::exp(2 * distance)).epsilon(1e-4));
}

TEST_CASE("scatter between the runs widens an interval") {
  const Interval alone = ratio_interval(change_of(0.1), 0);
  const Interval together = ratio_interval(change_of(0.1), 0.02);
  CHECK(together.low < alone.low);
  CHECK(together.high > alone.high);
  CHECK(chance_of(0.1, change_of(0.1), 0.02) > chance_of(0.1, change_of(0.1), 0));
}

TEST_CASE("no scatter in the repetitions is no certainty about the run") {
  const LogMedian certain{.value = 0, .error = 0, .freedom = 8};
  CHECK(chance_of(0.01, {certain, certain}, smallest_run_scatter) > 0.3);
  CHECK(chance_of(0.5, {certain, certain}, smallest_run_scatter) < 1e-6);
}

TEST_CASE("the scatter between runs is found from the cells, although a third of them changed") {
  fake::Dice dice(7);
  std::vector<LogChange> changes;
  for (int cell = 0; cell < 3000; ++cell) {
    changes.push_back(change_of(std::hypot(0.02, std::sqrt(2) * 0.01) * dice.normal()));
  }
  CHECK(run_scatter_of(changes) == Approx(0.02).epsilon(0.1));
  for (std::size_t cell = 0; cell < changes.size(); cell += 3) changes[cell].after.value += 1;
  CHECK(run_scatter_of(changes) <= largest_run_scatter);
}

TEST_CASE("it stays within its limits, and is the largest where there are too few cells to ask") {
  CHECK(run_scatter_of(std::vector<LogChange>(100, change_of(0))) == smallest_run_scatter);
  CHECK(run_scatter_of(std::vector<LogChange>(100, change_of(0.7))) == largest_run_scatter);
  CHECK(run_scatter_of(std::vector<LogChange>(fewest_cells_for_scatter - 1, change_of(0))) == largest_run_scatter);
  CHECK(run_scatter_of({}) == largest_run_scatter);
}

// The example of Benjamini and Hochberg's paper, section 3.2: Bonferroni finds three of these 15, their procedure four.
TEST_CASE("the false discovery rate is that of the step-up procedure, in any order") {
  const std::vector<double> sorted = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                                      0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
  const std::vector<bool> found = discoveries(sorted);
  CHECK(std::count(found.begin(), found.end(), true) == 4);
  const std::vector<double> mixed = {0.5719, 0.0095, 1.0,    0.0001, 0.0459, 0.0298, 0.0019, 0.7590,
                                     0.0201, 0.3240, 0.4262, 0.0344, 0.0004, 0.6528, 0.0278};
  const std::vector<bool> found_mixed = discoveries(mixed);
  for (std::size_t index = 0; index < mixed.size(); ++index) CHECK(found_mixed[index] == (mixed[index] < 0.01));
}

// The second alone would not be small enough for its rank; the third is for its own.
TEST_CASE("a chance counts where one of a higher rank does") {
  CHECK(discoveries(std::vector<double>{0.04, 0.045, 0.049}) == std::vector<bool>{true, true, true});
}

TEST_CASE("nothing is found among chances of 1, or among none") {
  CHECK(discoveries({}).empty());
  CHECK(discoveries(std::vector<double>(3, 1.0)) == std::vector<bool>(3, false));
}

}  // namespace
}  // namespace stowage::harness
