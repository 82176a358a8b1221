#include "harness/statistics/median.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <stdexcept>
#include <vector>

namespace stowage::harness {
namespace {

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// The largest number of samples that may be cut off at each end: both tails together keep below `error`.
/// None where even the extremes are not far enough apart.
std::optional<std::size_t> samples_outside(std::size_t samples, double error) {
  const boost::math::binomial_distribution<double> below_median(static_cast<double>(samples), 0.5);
  std::optional<std::size_t> outside;
  for (std::size_t cut = 0; cut < samples; ++cut) {
    if (2 * boost::math::cdf(below_median, static_cast<double>(cut)) > error) break;
    outside = cut;
  }
  return outside;
}

std::vector<double> sorted_copy(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("the median of no samples");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

double median(std::span<const double> samples) { return median_of_sorted(sorted_copy(samples)); }

Estimate estimate_median(std::span<const double> samples, std::size_t comparisons) {
  const std::vector<double> sorted = sorted_copy(samples);
  Estimate estimate{median_of_sorted(sorted), std::nullopt};
  if (sorted.size() < fewest_samples) return estimate;
  const double error = (1 - confidence) / static_cast<double>(comparisons);
  const std::size_t outside = samples_outside(sorted.size(), error).value_or(0);
  estimate.interval = Interval{sorted[outside], sorted[sorted.size() - 1 - outside]};
  return estimate;
}

}  // namespace stowage::harness
