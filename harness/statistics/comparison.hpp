#pragma once

#include <span>
#include <vector>

#include "harness/statistics/median.hpp"

namespace stowage::harness {

/// `samples[i] / baseline[i]`: both were measured in round i, so that whatever slowed the machine in that round slowed
/// both and cancels. Rounds that only one of them has are left out.
[[nodiscard]] std::vector<double> ratios_per_round(std::span<const double> samples, std::span<const double> baseline);

/// A tie: the data do not exclude that `ratio_to_best` is 1 or less.
[[nodiscard]] bool is_tie(const Estimate& ratio_to_best);

}  // namespace stowage::harness
