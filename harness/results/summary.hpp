#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/run.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/statistics/process_scatter.hpp"
#include "harness/statistics/standing.hpp"

namespace stowage::harness {

/// How the figures of a run scatter between its visits, each of which has a process of its own.
struct RunScatter {
  std::size_t visits = 1;                     ///< between two looks at a block
  std::optional<ProcessScatter> ratios = {};  ///< none if no block has several visits
  ProcessScatter times = {};
};

/// From all cells of `run` together: three processes alone say little about one of them. O(n log n).
[[nodiscard]] RunScatter scatter_of(const Run& run);

/// The figures that follow from a cell's repetitions and from those of the others in its block.
struct CellSummary {
  const CellResult* cell = nullptr;  ///< into the block that was summarised
  Standing standing = Standing::failed;
  std::vector<double> ns_per_item = {};         ///< for each repetition: real time divided by items; empty if it failed
  std::vector<double> ratio_to_reference = {};  ///< for each round; empty if the block has no (verified) reference
  const CellResult* contract_floor = nullptr;   ///< of its kind of storage; null if the block has no hand-written row
  std::vector<double> ratio_to_contract = {};   ///< the same relative to that; empty if it is not verified
  Estimate ns = {};  ///< of ns_per_item; its interval holds between visits if there are several
  std::optional<Estimate> to_reference = {};  ///< of ratio_to_reference
  std::optional<Estimate> to_contract = {};   ///< of ratio_to_contract
  /// How many times as long as the best, judged together with all its rivals; of the best itself 1 without an interval.
  /// None if the cell failed, or if the block has nothing to choose.
  std::optional<Estimate> ratio_to_best = {};

  [[nodiscard]] const std::string& strategy() const { return cell->strategy; }
};

/// What cells of a block are ordered by: the median ratio to the reference or, if the block has none, the median
/// time. Of a cell that was measured.
[[nodiscard]] double cost(const CellSummary& summary);

/// One summary for each cell of `block`, in its order. Intervals of cells with one visit, and without `scatter` all,
/// cover the repetitions alone.
[[nodiscard]] std::vector<CellSummary> summarise(const BlockResult& block, const RunScatter& scatter = {});

/// Of all blocks.
[[nodiscard]] std::size_t failed_cells_of(const Run& run);

/// A line for each reason why the pass left cells out, with their number.
[[nodiscard]] std::string omissions_text(const Run& run, std::string_view pass);

/// A line for each cell that failed.
[[nodiscard]] std::string failures_text(const Run& run);

}  // namespace stowage::harness
