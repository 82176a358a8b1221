#include "harness/statistics/comparison.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace stowage::harness {

std::vector<double> ratios_per_round(std::span<const double> samples, std::span<const double> baseline) {
  std::vector<double> ratios;
  std::ranges::transform(samples, baseline, std::back_inserter(ratios), std::divides<>{});
  return ratios;
}

bool is_tie(const Estimate& ratio_to_best) { return !ratio_to_best.interval || ratio_to_best.interval->low <= 1; }

}  // namespace stowage::harness
