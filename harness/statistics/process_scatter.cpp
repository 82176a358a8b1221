#include "harness/statistics/process_scatter.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace stowage::harness {
namespace {

/// The sum of the squared distances of the logarithms from their mean.
double squares_around_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  const double mean = sum / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) {
    const double distance = std::log(value) - mean;
    squares += distance * distance;
  }
  return squares;
}

/// How far the ends of an interval are from its median, as logarithms.
Interval reach_of(const Estimate& estimate) {
  return {std::log(estimate.median / estimate.interval->low), std::log(estimate.interval->high / estimate.median)};
}

Estimate with_reach(double median, const Interval& one, const Interval& other) {
  return {median, Interval{median * std::exp(-std::hypot(one.low, other.low)),
                           median * std::exp(std::hypot(one.high, other.high))}};
}

}  // namespace

ProcessScatter process_scatter_of(std::span<const std::vector<double>> figures) {
  std::vector<double> variances;  // as if each were the median of those that chance makes of its own
  for (const std::vector<double>& of_processes : figures) {
    if (of_processes.size() < 2) continue;
    const boost::math::chi_squared_distribution<double> by_chance(static_cast<double>(of_processes.size() - 1));
    variances.push_back(squares_around_mean(of_processes) / boost::math::median(by_chance));
  }
  if (variances.empty()) return {};
  const double usual = std::sqrt(median(variances));
  return {variances.size() < fewest_figures_for_scatter ? std::max(usual, largest_run_scatter) : usual};
}

ProcessScatter shared_scatter_of(std::span<const std::vector<double>> figures) {
  return {std::max(process_scatter_of(figures).deviation, largest_run_scatter)};
}

Estimate across_processes(const Estimate& pooled, std::span<const double> of_processes, const ProcessScatter& expected,
                          std::size_t comparisons) {
  if (!pooled.interval) return pooled;
  const auto processes = static_cast<double>(of_processes.size());
  const double freedom = expected.freedom + processes - 1;
  const double variance =
      (expected.freedom * expected.deviation * expected.deviation + squares_around_mean(of_processes)) / freedom;
  const double error = std::max(std::sqrt(variance), smallest_run_scatter) / std::sqrt(processes);
  const boost::math::students_t_distribution<double> by_chance(freedom);
  const double tail = (1 - confidence) / 2 / static_cast<double>(comparisons);
  const double reach = error * boost::math::quantile(boost::math::complement(by_chance, tail));
  Estimate estimate = with_reach(pooled.median, reach_of(pooled), {reach, reach});
  if (of_processes.size() > most_processes_included) return estimate;
  const auto [least, most] = std::ranges::minmax(of_processes);
  estimate.interval->low = std::min(estimate.interval->low, least);
  estimate.interval->high = std::max(estimate.interval->high, most);
  return estimate;
}

Estimate product(const Estimate& left, const Estimate& right) {
  const double median = left.median * right.median;
  if (!left.interval || !right.interval) return {median, std::nullopt};
  return with_reach(median, reach_of(left), reach_of(right));
}

}  // namespace stowage::harness
