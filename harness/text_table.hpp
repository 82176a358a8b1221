#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stowage::harness {

using TextRow = std::vector<std::string>;

/// Aligns columns below their headings and wraps them at words: the last one so that no line is longer than
/// `page_width` characters, the others so that they leave it room.
[[nodiscard]] std::string text_table(const TextRow& headings, const std::vector<TextRow>& rows,
                                     std::size_t page_width = 100);

/// The same with one line for each row: what is too long ends with "...".
[[nodiscard]] std::string lines_table(const TextRow& headings, const std::vector<TextRow>& rows,
                                      std::size_t page_width = 100);

}  // namespace stowage::harness
