#include "harness/results/table_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
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

std::string table_title(const std::string& workload, std::string values) {
  std::ranges::replace(values, '/', ' ');
  return fmt::format("{}{}{}", workload, values.empty() ? "" : " ", values);
}

std::string three_digits(double value, int most_decimals) {
  const int magnitude = value > 0 ? static_cast<int>(std::floor(std::log10(value))) : 0;
  return fmt::format("{:.{}f}", value, std::clamp(2 - magnitude, 0, most_decimals));
}

std::string omissions_text(const Run& run, std::string_view pass) {
  std::map<std::string, std::vector<std::string>> cells_by_reason;
  for (const Omission& omission : run.omissions) {
    if (omission.pass == pass) cells_by_reason[omission.reason].push_back(omission.cell);
  }
  std::string text;
  for (const auto& [reason, cells] : cells_by_reason) {
    const std::string which = cells.size() == 1 ? cells.front() : fmt::format("{} cells", cells.size());
    text += fmt::format("stowage: {} left out of the {} pass: {}\n", which, pass, reason);
  }
  return text;
}

std::string failures_text(const Run& run) {
  std::string text;
  for (const BlockResult& block : run.blocks) {
    for (const CellResult& cell : block.cells) {
      if (!cell.error.empty()) text += fmt::format("ERROR {}: {}\n", block.cell_name(cell), cell.error);
    }
  }
  return text;
}

}  // namespace stowage::harness
