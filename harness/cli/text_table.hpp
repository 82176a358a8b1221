#pragma once

#include <string>
#include <vector>

namespace stowage::harness {

using TextRow = std::vector<std::string>;

/// Aligns columns below their headings; the last one is wrapped, so that no line is longer than 100 characters.
[[nodiscard]] std::string text_table(const TextRow& headings, const std::vector<TextRow>& rows);

}  // namespace stowage::harness
