#pragma once

#include <string>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// "join", "via:each/order:same" -> "join via:each order:same": what a table is called.
[[nodiscard]] std::string table_title(const std::string& workload, std::string values);

/// Three significant digits, as many as a timing ever has, and no more decimals than wanted.
[[nodiscard]] std::string three_digits(double value, int most_decimals);

/// What an item of the workload is, as its card says.
[[nodiscard]] std::string item_of(const Run& run, const std::string& workload);

/// A line for each cell that failed.
[[nodiscard]] std::string failures_text(const Run& run);

}  // namespace stowage::harness
