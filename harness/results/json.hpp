#pragma once

#include <string>
#include <string_view>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// Reads what to_json_text wrote. Throws UserError that begins with `where` when `text` is not JSON, ends too early, is
/// of another program or another format, or lacks something.
[[nodiscard]] Run parse_run(std::string_view text, std::string_view where);

/// The text of results.json: Google Benchmark's schema, with our figures as counters of each cell's `median`.
[[nodiscard]] std::string to_json_text(const Run& run);

/// The same schema for figures that are exact, which the simulator's are: without whatever says when, where and how
/// fast they were made, so that the same binary gives the same bytes.
[[nodiscard]] std::string to_exact_json_text(const Run& run);

}  // namespace stowage::harness
