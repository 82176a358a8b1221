#pragma once

#include <string>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// The results for a terminal: one table for each workload and combination of its parameters, sizes side by side, the
/// best strategy first, ties marked. At most 100 columns wide. Frames and bytes
/// have tables of their own; cells that failed are listed below them.
[[nodiscard]] std::string tables_text(const Run& run);

}  // namespace stowage::harness
