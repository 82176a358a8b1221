#pragma once

#include <string_view>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// Reads what to_json_text wrote. Throws UserError that begins with `where` when `text` is not JSON, ends too early, is
/// of another program or another format, or lacks something.
[[nodiscard]] Run parse_run(std::string_view text, std::string_view where);

}  // namespace stowage::harness
