#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/results/run.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/statistics/standing.hpp"

namespace stowage::harness {

/// The figures that follow from a cell's repetitions and from those of the others in its block.
struct CellSummary {
  const CellResult* cell = nullptr;  ///< into the block that was summarised
  Standing standing = Standing::failed;
  std::vector<double> ns_per_item;             ///< for each repetition: real time divided by items; empty if it failed
  std::vector<double> ratio_to_reference;      ///< for each round; empty if the block has no (verified) reference
  const CellResult* contract_floor = nullptr;  ///< of its kind of storage; null if the block has no hand-written row
  std::vector<double> ratio_to_contract;       ///< the same relative to that; empty if it is not verified
  /// How many times as long as the best, judged together with all its rivals; of the best itself 1 without an interval.
  /// None if the cell failed, or if the block has nothing to choose.
  std::optional<Estimate> ratio_to_best;

  [[nodiscard]] const std::string& strategy() const { return cell->strategy; }
};

/// What cells of a block are ordered by: the median ratio to the reference or, if the block has none, the median
/// time. Of a cell that was measured.
[[nodiscard]] double cost(const CellSummary& summary);

/// One summary for each cell of `block`, in its order.
[[nodiscard]] std::vector<CellSummary> summarise(const BlockResult& block);

/// Of all blocks.
[[nodiscard]] std::size_t failed_cells_of(const Run& run);

}  // namespace stowage::harness
