#pragma once

#include <cstddef>
#include <span>

#include "harness/statistics/median.hpp"

namespace stowage::harness {

/// The smallest sample that a `share` of them does not exceed, and where the quantile of what they were drawn from
/// lies: distribution-free between two order statistics, as of a median, because the number of samples below it is
/// binomial(n, share). No interval where not even the longest sample is certainly beyond it: for 99 % that takes 368
/// samples. There must be at least one sample, and `share` is above 0 and below 1. O(n log n).
[[nodiscard]] Estimate estimate_quantile(std::span<const double> samples, double share);

}  // namespace stowage::harness
