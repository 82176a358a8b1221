#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace stowage::harness {

/// How sure every printed interval is.
inline constexpr double confidence = 0.95;
/// With fewer samples than this, not even the whole range of them holds the median with that confidence.
inline constexpr std::size_t fewest_samples = 6;

struct Interval {
  double low = 0;
  double high = 0;
};

/// A median, and where the true one lies; no interval where there are fewer than `fewest_samples`.
struct Estimate {
  double median = 0;
  std::optional<Interval> interval;
};

/// The middle sample, or the mean of the two in the middle. There must be at least one.
[[nodiscard]] double median(std::span<const double> samples);

/// The median with a distribution-free interval between two order statistics. The number of samples below the true
/// median is binomial(n, 1/2) whatever the samples' distribution; the narrowest symmetric pair that covers at least
/// `confidence` of it is taken, so the interval is never too optimistic, however skewed timings are.
///
/// Where this is one of several `comparisons` that are judged together, each gets its share of the 5 % that may be
/// wrong (Bonferroni), so that they hold together with that confidence; where there are too few samples for so small a
/// share, the interval is their whole range.
[[nodiscard]] Estimate estimate_median(std::span<const double> samples, std::size_t comparisons = 1);

}  // namespace stowage::harness
