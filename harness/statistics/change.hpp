#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/statistics/median.hpp"

/// Whether a figure changed between two runs that were not interleaved.
///
/// Both sides are medians of logarithms, whose difference is the logarithm of a ratio. Two things make it uncertain:
///  - within each run, how its repetitions scatter: the distribution-free standard error of a median, from the distance
///    of two order statistics and the exact binomial probability between them (Price and Bonett 2001; for ratios of
///    medians Bonett and Price 2002), which outliers on one side do not move;
///  - between the runs, what one process has for all of its repetitions and the next has not: where its memory lies,
///    whether pages are huge. Repetitions cannot tell (Kalibera and Jones 2013), but the other cells can: most are
///    expected not to have changed, so the scatter between runs is what their changes typically exceed their errors by.
/// Both are added as variances, and a change is held against Student's t with Welch's degrees of freedom. Few degrees
/// are given to the scatter between runs, because some cells jump much further than most.
///
/// Thousands of cells are judged together, so the false discovery rate is controlled (Benjamini and Hochberg 1995): of
/// all changes that are called significant, 5 % are expected not to be any.
namespace stowage::harness {

/// The share of the changes called significant that may be none.
inline constexpr double false_discovery_rate = 0.05;
/// However well the cells agree, two processes are not expected to agree better than this. Of logarithms, as all here.
inline constexpr double smallest_run_scatter = 0.01;
/// Where the cells differ by more than this, they have changed: so much is not put down to chance. Also what is assumed
/// where there are fewer cells than fewest_cells_for_scatter, too few to ask.
inline constexpr double largest_run_scatter = 0.03;
inline constexpr std::size_t fewest_cells_for_scatter = 10;
/// Degrees of freedom of the scatter between runs. With 5, a cell that jumps by five times the typical scatter is no
/// rarity.
inline constexpr double freedom_of_run_scatter = 5;

/// A median of logarithms with its standard error.
struct LogMedian {
  double value = 0;
  double error = 0;
  double freedom = 0;  ///< degrees of it
};

/// Of positive `samples`, at least fewest_samples of them; none where there are fewer. O(n log n).
[[nodiscard]] std::optional<LogMedian> log_median(std::span<const double> samples);

/// What changed from one run to the other: a difference of logarithms.
struct LogChange {
  LogMedian before;
  LogMedian after;

  [[nodiscard]] double value() const { return after.value - before.value; }
  /// The variance that the repetitions account for.
  [[nodiscard]] double variance() const { return before.error * before.error + after.error * after.error; }
};

/// The typical scatter between the two runs, from all their cells: what makes the median of the squared standardised
/// changes that of a standard normal; within the two limits above. Robust while less than half of the cells changed.
[[nodiscard]] double run_scatter_of(std::span<const LogChange> changes);

/// The probability of a difference of `distance` logarithms or more, either way, where nothing but chance is at work.
/// The scatter is positive, or the repetitions have some: certainty has no distribution.
[[nodiscard]] double chance_of(double distance, const LogChange& change, double run_scatter);

/// Where the ratio after / before lies, at 95 %, for this one change by itself.
[[nodiscard]] Interval ratio_interval(const LogChange& change, double run_scatter);

/// Which of the hypotheses with these probabilities are discoveries at false_discovery_rate, in their order
/// (Benjamini and Hochberg's step-up procedure). O(n log n).
[[nodiscard]] std::vector<bool> discoveries(std::span<const double> chances);

}  // namespace stowage::harness
