#pragma once

#include <cstddef>
#include <string_view>

#include "harness/statistics/estimates.hpp"

namespace stowage::harness {

/// What a strategy is beside the best of its block. Readers in Python judge by the same rule what spans runs or blocks
/// (reports/stowage_report/data/estimates.py); tests/files/verdicts.json has the cases that both pass.
enum class Standing {
  best,          ///< the lowest cost of the block
  equal,         ///< its cost is certainly that of the best, but for 5 %
  worse,         ///< certainly costs more than the best
  open,          ///< neither is certain
  hand_written,  ///< there for comparison: not ranked
  failed,        ///< not verified, so not measured
};

/// Costs that differ by no more than this factor are equal: a reader may take either.
inline constexpr double equal_within = 1.05;

/// Of a strategy that is not the best, by the interval of its ratio to that: equal if it lies within 1/1.05 and 1.05,
/// else worse if it lies above 1, else open, as is a ratio without an interval. It holds for that best alone: if
/// another strategy becomes the best, judge anew. O(1).
[[nodiscard]] inline Standing standing_beside_best(const Estimate& ratio_to_best) {
  if (!ratio_to_best.interval) return Standing::open;
  const auto [low, high] = *ratio_to_best.interval;
  if (low >= 1 / equal_within && high <= equal_within) return Standing::equal;
  return low > 1 ? Standing::worse : Standing::open;
}

/// How many comparisons share the 5 % that may be wrong when a block with so many `rivals` of its best is judged after
/// `looks` looks at its figures. Look k may spend 2 % / (k (k + 1)), so that all looks together, however many there
/// will be, spend at most 2 % in a block.
[[nodiscard]] constexpr std::size_t judged_together(std::size_t rivals, std::size_t looks) {
  return 5 * rivals * (looks * (looks + 1) / 2);
}

/// Whether it may be the best: best, equal or open.
[[nodiscard]] constexpr bool may_be_best(Standing standing) {
  return standing <= Standing::open && standing != Standing::worse;
}

/// Whether a cost is certainly less than the one that `ratio` relates it to. Without an interval nothing is.
[[nodiscard]] inline bool is_certainly_faster(const Estimate& ratio) {
  return ratio.interval && ratio.interval->high < 1;
}

/// As results files have it: `best`, `equal`, `worse`, `open`, `hand-written`, `failed`.
[[nodiscard]] constexpr std::string_view name_of(Standing standing) {
  constexpr std::string_view names[] = {"best", "equal", "worse", "open", "hand-written", "failed"};
  return names[static_cast<int>(standing)];
}

}  // namespace stowage::harness
