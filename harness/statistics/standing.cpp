#include "harness/statistics/standing.hpp"

namespace stowage::harness {

Standing standing_beside_best(const Estimate& ratio_to_best) {
  if (!ratio_to_best.interval) return Standing::open;
  const auto [low, high] = *ratio_to_best.interval;
  if (low >= 1 / equal_within && high <= equal_within) return Standing::equal;
  return low > 1 ? Standing::worse : Standing::open;
}

bool is_certainly_faster(const Estimate& ratio) { return ratio.interval && ratio.interval->high < 1; }

std::string_view name_of(Standing standing) {
  constexpr std::string_view names[] = {"best", "equal", "worse", "open", "hand-written", "failed"};
  return names[static_cast<int>(standing)];
}

}  // namespace stowage::harness
