#include "harness/statistics/process_scatter.hpp"

#include <cmath>
#include <numbers>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

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

/// Normal draws that are the same with every standard library.
class Dice {
 public:
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

 private:
  /// In (0, 1).
  double uniform() { return (static_cast<double>(bits_() >> 12U) + 0.5) / static_cast<double>(1ULL << 52U); }

  std::mt19937_64 bits_{1};
};

/// How many of 1000 times the interval of figures that processes alone move misses the true 1. `shared` moves all
/// figures of a process, `own` each of them.
template <class Expected>
int missed(std::size_t processes, std::size_t figures, double shared, double own, Expected expected) {
  Dice dice;
  int missed = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<std::vector<double>> all(figures, std::vector<double>(processes));
    for (std::size_t process = 0; process < processes; ++process) {
      const double of_process = shared * dice.normal();
      for (std::vector<double>& figure : all) figure[process] = std::exp(of_process + own * dice.normal());
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
