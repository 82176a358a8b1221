#pragma once

#include <string>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// The text of results.json: Google Benchmark's schema, with our figures as counters of each cell's `median`.
[[nodiscard]] std::string to_json_text(const Run& run);

/// The same schema for figures that are exact, which the simulator's are: without whatever says when, where and how
/// fast they were made, so that the same binary gives the same bytes.
[[nodiscard]] std::string to_exact_json_text(const Run& run);

}  // namespace stowage::harness
