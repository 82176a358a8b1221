#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/cell_pairs.hpp"
#include "harness/compare/exact_changes.hpp"
#include "harness/compare/time_changes.hpp"
#include "harness/results/measured_file.hpp"

namespace stowage::harness {

/// Something that figures depend on and that differs between two runs.
struct ContextDifference {
  std::string what;
  std::string before;  ///< "not said" where the file lacks it
  std::string after;
};

/// What became of a run. Neither copied nor moved, because its parts point at each other.
struct RunComparison {
  RunComparison(MeasuredFile a, MeasuredFile b);
  RunComparison(const RunComparison&) = delete;
  RunComparison& operator=(const RunComparison&) = delete;
  ~RunComparison() = default;

  const MeasuredFile before;
  const MeasuredFile after;
  const std::vector<ContextDifference> differences;
  const CellPairs pairs;
  const TimeComparison time;
  const ExactComparison counts;
};

/// What `--fail-above` looks for: what certainly became worse, and by more than `limit`.
struct Excess {
  double limit = 0;                                   ///< 0.05: 5 %
  std::vector<const StrategyTimeChange*> strategies;  ///< significantly slower, and by more than the limit
  std::vector<const CellTimeChange*> cells;           ///< likewise, where single cells are evidence
  std::vector<const ExactChange*> counts;             ///< grown by more than the limit
  std::vector<const MeasuredCell*> failures;          ///< of what was measured before

  [[nodiscard]] bool any() const;
  /// "1 strategy in time, 12 cells in time, 3 counts"
  [[nodiscard]] std::string summary() const;
};

/// Points into `comparison`.
[[nodiscard]] Excess excess_of(const RunComparison& comparison, double limit);

/// "5%" is 0.05. Nothing but a number, a decimal point in it or not, and the sign: what "5" and "0.05" mean is
/// anybody's guess. Throws UserError for anything else.
[[nodiscard]] double parse_limit(std::string_view text);

}  // namespace stowage::harness
