#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace stowage::harness {

/// Google Benchmark's flags that our scheduler honours in its place.
struct BenchmarkFlags {
  std::optional<std::string> filter;
  std::optional<double> min_time_s;
  std::optional<std::size_t> repetitions;
};

/// Reads what came after `--` and hands Google Benchmark what is its own. Throws UserError for a flag that it does not
/// know, and for one that says how to run or report what our scheduler runs and reports.
[[nodiscard]] BenchmarkFlags parse_benchmark_flags(const std::vector<std::string>& flags);

}  // namespace stowage::harness
