#pragma once

#include <string>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// The results for a terminal: one table for each workload and combination of its parameters, sizes side by side, the
/// best strategy first, with a mark for what is equal to it or open. At most 100 columns wide. Frames and bytes have
/// tables of their own; cells that failed are listed below them.
[[nodiscard]] std::string tables_text(const Run& run);

/// Its part on frames: for each block with frames the quantiles of their times, the worst one and what the storage did
/// in it beside its work, and a line for each cell that the frames pass left out. Empty if the pass has nothing to say.
[[nodiscard]] std::string frames_text(const Run& run);

/// Its part on memory: the bytes that every strategy holds for an entity, in one table at the size that most workloads
/// have, which workloads have not, and the cells that the memory pass left out. Empty if it has not run.
[[nodiscard]] std::string memory_text(const Run& run);

}  // namespace stowage::harness
