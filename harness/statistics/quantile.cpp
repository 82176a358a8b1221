#include "harness/statistics/quantile.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace stowage::harness {

Estimate estimate_quantile(std::span<const double> samples, double share) {
  if (samples.empty()) throw std::invalid_argument("a quantile of no samples");
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const std::size_t count = sorted.size();
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(count)));
  Estimate estimate{sorted[std::max<std::size_t>(1, rank) - 1], std::nullopt};
  // A tail of 2.5 % each: fewer than `low` samples, or `high` and more, are below the quantile.
  constexpr double tail = (1 - confidence) / 2;
  const boost::math::binomial_distribution<double> below(static_cast<double>(count), share);
  const auto at_most = [&](std::size_t number) { return boost::math::cdf(below, static_cast<double>(number)); };
  std::size_t low = 0;
  while (low < count && at_most(low) <= tail) ++low;
  std::size_t high = low;
  while (high < count && 1 - at_most(high) > tail) ++high;
  if (low == 0 || high >= count) return estimate;
  estimate.interval = Interval{sorted[low - 1], sorted[high]};
  return estimate;
}

}  // namespace stowage::harness
