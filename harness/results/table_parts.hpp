#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/results/run.hpp"

// What commands print of results; tables of a run are Python's.

namespace stowage::harness {

/// A heading and a text for every row below it.
using PageColumn = std::vector<std::string>;

/// Right-aligned columns beside labels; in several parts below each other if they are wider than `width` characters.
[[nodiscard]] std::string page_table(const PageColumn& labels, const std::vector<PageColumn>& columns,
                                     std::size_t width = 100);

/// "join", "via:each/order:same" -> "join via:each order:same": what a table is called.
[[nodiscard]] std::string table_title(const std::string& workload, std::string values);

/// Three significant digits, as many as a timing ever has, and no more decimals than wanted.
[[nodiscard]] std::string three_digits(double value, int most_decimals);

/// A line for each reason why the pass left cells out, with their number.
[[nodiscard]] std::string omissions_text(const Run& run, std::string_view pass);

/// A line for each cell that failed.
[[nodiscard]] std::string failures_text(const Run& run);

}  // namespace stowage::harness
