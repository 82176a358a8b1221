#pragma once

#include <string>
#include <string_view>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// The figures of the cache pass for a terminal: one table for each workload and combination of its parameters, sizes
/// side by side, the strategy with the fewest misses first, the floor above them. At most 100 columns wide. Cells that
/// failed are listed below the tables.
[[nodiscard]] std::string cache_tables_text(const Run& run);

/// A line for each reason why the pass left cells out, with their number.
[[nodiscard]] std::string omissions_text(const Run& run, std::string_view pass);

}  // namespace stowage::harness
