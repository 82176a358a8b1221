#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/cell_pairs.hpp"
#include "harness/statistics/median.hpp"

namespace stowage::harness {

enum class Verdict {
  slower,
  faster,
  unchanged,  ///< or by too little for these two runs to tell
  undecided,  ///< there is no interval
};

/// What became of the time of one cell, or of all cells of a strategy.
struct TimeChange {
  double ratio = 1;                  ///< after / before; of a strategy the median over its cells
  std::optional<Interval> interval;  ///< at 95 %
  Verdict verdict = Verdict::undecided;
};

struct CellTimeChange : TimeChange {
  const CellPair* pair = nullptr;
  bool is_of_ratios = false;  ///< of the ratios to the reference within each run, else of absolute times
  double before = 0;          ///< that ratio, or nanoseconds
  double after = 0;
  std::optional<double>
      chance;          ///< the probability of such a change where there is none, before all are judged together
  std::string reason;  ///< why it is undecided
};

struct StrategyTimeChange : TimeChange {
  std::string strategy;
  std::size_t cells = 0;
  std::size_t slower = 0;  ///< of these cells
  std::size_t faster = 0;
  std::size_t undecided = 0;
};

struct TimeComparison {
  std::vector<CellTimeChange> cells;           ///< slowed down most first; the undecided last
  std::vector<StrategyTimeChange> strategies;  ///< slowed down most first; none where the files have no strategies
  double run_scatter = 0;                      ///< see statistics/change.hpp
  /// The cells differ by more than is put down to chance: most of them changed, or the machine was busy. Single cells
  /// are no evidence then; the median over those of a strategy still is.
  bool is_beyond_chance = false;
  /// How many times as long the references took, absolutely: the machine's state, which cancels in ratios, or a change
  /// of theirs, which does not. None where there are no references, or too few.
  std::optional<Estimate> references;

  [[nodiscard]] std::size_t count(Verdict verdict) const;
};

/// Compares the times of `pairs`. The method:
///  - Where both sides have ratios to the reference, these are compared: absolute times of two runs differ by what else
///    the machine did. A round in which the processor was taken away from the cell or from its reference (real time
///    above processor time) is left out; where fewer than fewest_samples are left, nothing is decided.
///  - The medians' logarithms are compared as statistics/change.hpp says.
///  - The reference may be what changed. So a cell has changed only where it did both against the reference and against
///    the others of its block, reference included: the larger of the two probabilities counts (an
///    intersection-union test), and a block that moved as one is left to the next step.
///  - A strategy has changed where the median of its cells' ratios did by more than smallest_run_scatter, by the
///  interval
///    between order statistics, the strategies judged together (Bonferroni). Of ratios to the reference alone, so that
///    what all strategies share is seen here.
/// The pairs must outlive the result.
[[nodiscard]] TimeComparison compare_times(const std::vector<CellPair>& pairs);

}  // namespace stowage::harness
