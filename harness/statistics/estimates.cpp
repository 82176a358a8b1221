#include "harness/statistics/estimates.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <functional>
#include <iterator>
#include <stdexcept>

namespace stowage::harness {
namespace {

using Binomial = boost::math::binomial_distribution<double>;
/// Whose quantiles are the smallest numbers that come up to a probability.
using RoundedUp =
    boost::math::policies::policy<boost::math::policies::discrete_quantile<boost::math::policies::integer_round_up>>;

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/// The probability that the true median is not between the samples left after `cut` of them are cut off at each end.
double missed_share(std::size_t cut, std::size_t samples) {
  const Binomial below_median(static_cast<double>(samples), 0.5);
  return 2 * boost::math::cdf(below_median, static_cast<double>(cut));
}

/// How much of that one of several comparisons may have.
double allowed_share(std::size_t comparisons) { return (1 - confidence) / static_cast<double>(comparisons); }

std::vector<double> sorted_copy(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("an estimate from no samples");
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
  std::size_t outside = 0;
  while (missed_share(outside + 1, sorted.size()) <= allowed_share(comparisons)) ++outside;
  estimate.interval = Interval{sorted[outside], sorted[sorted.size() - 1 - outside]};
  return estimate;
}

std::vector<std::vector<std::size_t>> interval_samples(std::size_t most_samples, std::size_t most_comparisons) {
  std::vector<std::vector<std::size_t>> fewest(most_comparisons);
  for (std::size_t samples = fewest_samples; samples <= most_samples; ++samples) {
    std::size_t cut = 0;
    double missed = missed_share(cut, samples);
    for (std::size_t comparisons = 1; comparisons <= most_comparisons; ++comparisons) {
      std::vector<std::size_t>& row = fewest[comparisons - 1];
      if (row.size() != cut) missed = missed_share(cut = row.size(), samples);  // alike in most rows: it takes a while
      if (missed <= allowed_share(comparisons)) row.push_back(samples);
    }
  }
  return fewest;
}

Estimate estimate_quantile(std::span<const double> samples, double share) {
  const std::vector<double> sorted = sorted_copy(samples);
  const auto count = static_cast<double>(sorted.size());
  const auto rank = static_cast<std::size_t>(std::ceil(share * count));
  Estimate estimate{sorted[std::max<std::size_t>(1, rank) - 1], std::nullopt};
  // A tail of 2.5 % each: fewer than `low` samples, or `high` and more, are below the quantile.
  constexpr double tail = (1 - confidence) / 2;
  const boost::math::binomial_distribution<double, RoundedUp> below(count, share);
  const auto low = static_cast<std::size_t>(boost::math::quantile(below, tail));
  const auto high = static_cast<std::size_t>(boost::math::quantile(below, 1 - tail));
  if (low == 0 || high >= sorted.size()) return estimate;
  estimate.interval = Interval{sorted[low - 1], sorted[high]};
  return estimate;
}

std::vector<double> ratios_per_round(std::span<const double> samples, std::span<const double> baseline) {
  std::vector<double> ratios;
  std::ranges::transform(samples, baseline, std::back_inserter(ratios), std::divides<>{});
  return ratios;
}

}  // namespace stowage::harness
