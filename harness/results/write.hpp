#pragma once

#include <string>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// The text of results.json: Google Benchmark's schema, with our figures as counters of each cell's `median`.
[[nodiscard]] std::string to_json_text(const Run& run);

}  // namespace stowage::harness
