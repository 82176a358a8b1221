#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace stowage::harness {

/// How sure every printed interval is.
inline constexpr double confidence = 0.95;
/// With fewer samples than this, not even the whole range of them holds the median with that confidence.
inline constexpr std::size_t fewest_samples = 6;

struct Interval {
  double low = 0;
  double high = 0;
};

/// A median or another quantile, and where the true one lies; no interval if there are too few samples to say.
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
/// If this is one of several `comparisons` that are judged together, each gets its share of the 5 % that may be wrong
/// (Bonferroni), so that they hold together with that confidence; if there are too few samples for so small a share,
/// the interval is their whole range.
[[nodiscard]] Estimate estimate_median(std::span<const double> samples, std::size_t comparisons = 1);

/// The rule of these intervals as a table, for readers of results files: at [c - 1][k] the fewest samples of which k
/// may be cut off at each end if c comparisons are judged together; 6, 9, 12, 15, 17, ... of one. For up to so many of
/// both.
[[nodiscard]] std::vector<std::vector<std::size_t>> interval_samples(std::size_t most_samples,
                                                                     std::size_t most_comparisons);

/// The smallest sample that a `share` of them does not exceed, and where the quantile of what they were drawn from
/// lies: distribution-free between two order statistics, as of a median, because the number of samples below it is
/// binomial(n, share). No interval if not even the longest sample is certainly beyond it: for 99 % that takes 368
/// samples. There must be at least one sample, and `share` is above 0 and below 1. O(n log n).
[[nodiscard]] Estimate estimate_quantile(std::span<const double> samples, double share);

/// `samples[i] / baseline[i]`: both were measured in round i, so that whatever slowed the machine in that round slowed
/// both and cancels. Rounds that only one of them has are left out.
[[nodiscard]] std::vector<double> ratios_per_round(std::span<const double> samples, std::span<const double> baseline);

}  // namespace stowage::harness
