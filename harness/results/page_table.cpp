#include "harness/results/page_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <string_view>

namespace stowage::harness {
namespace {

constexpr std::size_t column_gap = 2;

/// Number of characters, not of bytes: "±" is one.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

/// The heading's and every row's beginning, all equally wide.
std::vector<std::string> left_aligned(const PageColumn& labels) {
  const std::size_t width = std::ranges::max(labels | std::views::transform(width_of));
  std::vector<std::string> lines;
  for (const std::string& label : labels) lines.push_back(label + std::string(width - width_of(label), ' '));
  return lines;
}

std::vector<std::string> with_column(std::vector<std::string> lines, const PageColumn& column) {
  const std::size_t width = std::ranges::max(column | std::views::transform(width_of));
  for (std::size_t line = 0; line < lines.size(); ++line) {
    lines[line] += std::string(column_gap + width - width_of(column[line]), ' ') + column[line];
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) { return fmt::format("{}\n", fmt::join(lines, "\n")); }

}  // namespace

std::string page_table(const PageColumn& labels, const std::vector<PageColumn>& columns, std::size_t width) {
  std::string text;
  std::vector<std::string> lines = left_aligned(labels);
  for (const PageColumn& column : columns) {
    const std::vector<std::string> wider = with_column(lines, column);
    const bool fits = width_of(wider.front()) <= width;
    if (!fits) text += joined(lines);
    lines = fits ? wider : with_column(left_aligned(labels), column);
  }
  return text + joined(lines);
}

}  // namespace stowage::harness
