#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace stowage::harness {

/// The parsed `text`. Throws UserError that begins with `where` and names line and column where it is not JSON, and
/// says so where it ends too early; `otherwise` is what would be right.
[[nodiscard]] nlohmann::json parse_json(std::string_view text, std::string_view where, std::string_view otherwise);

/// What the library says is wrong with the content of a file, without the prefix it puts before it.
[[nodiscard]] std::string_view message_of(const nlohmann::json::exception& error);

}  // namespace stowage::harness
