#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/cell_pairs.hpp"

namespace stowage::harness {

/// A counted figure that is not what it was. Of exact counts any difference is one.
struct ExactChange {
  const CellPair* pair = nullptr;
  std::string_view figure;  ///< its name in metrics.hpp
  double before = 0;
  double after = 0;
  /// (after - before) / before. Where that was less than a miss in 16 items, a byte, a block or an instruction,
  /// relative to so much, because a second miss in a thousand look-ups is no doubling. None of a figure that is part of
  /// another one, or need not be small.
  std::optional<double> growth;
};

struct ExactComparison {
  std::vector<ExactChange> changes;       ///< grouped by figure, those that have a growth first; grown most first
  std::vector<std::string> not_compared;  ///< what the files have and why it says nothing
  std::size_t cells = 0;                  ///< that have something to compare
  std::size_t figures = 0;                ///< of all cells together
  std::size_t only_one_has = 0;           ///< figures of cells in both files that one of them lacks
};

/// Compares what the simulator and the allocator counted, and the floors. Not the simulator's figures where the caches
/// differ, not hardware counters and what the C library rounds up, which are no exact figures, and nothing where the
/// seeds differ: other inputs are other work. The pairs must outlive the result.
[[nodiscard]] ExactComparison compare_counts(const MeasuredFile& before, const MeasuredFile& after,
                                             const std::vector<CellPair>& pairs);

}  // namespace stowage::harness
