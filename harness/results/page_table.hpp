#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stowage::harness {

/// A heading and a text for every row below it.
using PageColumn = std::vector<std::string>;

/// Right-aligned columns beside labels; in several parts below each other where they are wider than `width` characters.
[[nodiscard]] std::string page_table(const PageColumn& labels, const std::vector<PageColumn>& columns,
                                     std::size_t width = 100);

}  // namespace stowage::harness
