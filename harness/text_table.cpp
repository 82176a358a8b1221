#include "harness/text_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <sstream>
#include <string_view>

namespace stowage::harness {
namespace {

constexpr std::string_view ellipsis = " ...";
constexpr std::size_t column_gap = 2;
constexpr std::size_t narrowest_last_column = 20;
constexpr std::size_t widest_other_column = 40;

std::vector<std::size_t> widths_of(const TextRow& headings, const std::vector<TextRow>& rows, std::size_t page_width) {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < headings.size(); ++column) {
    std::size_t width = headings[column].size();
    for (const TextRow& row : rows) width = std::max(width, row[column].size());
    widths.push_back(std::min(width, widest_other_column));
  }
  const std::size_t others = std::accumulate(widths.begin(), widths.end() - 1, (widths.size() - 1) * column_gap);
  widths.back() = std::max(narrowest_last_column, page_width - std::min(others, page_width));
  return widths;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (line.empty()) {
      line = word;
    } else if (line.size() + 1 + word.size() <= width) {
      line += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::string row_text(const TextRow& row, const std::vector<std::size_t>& widths) {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 0;
  for (std::size_t column = 0; column < row.size(); ++column) {
    cells.push_back(wrapped(row[column], widths[column]));
    height = std::max(height, cells.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string part = line < cells[column].size() ? cells[column][line] : "";
      text += column + 1 < row.size() ? fmt::format("{:<{}}", part, widths[column] + column_gap) : part + "\n";
    }
  }
  return text;
}

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

std::string text_table(const TextRow& headings, const std::vector<TextRow>& rows, std::size_t page_width) {
  const std::vector<std::size_t> widths = widths_of(headings, rows, page_width);
  std::string text = row_text(headings, widths);
  for (const TextRow& row : rows) text += row_text(row, widths);
  return text;
}

std::string lines_table(const TextRow& headings, const std::vector<TextRow>& rows, std::size_t page_width) {
  const std::vector<std::size_t> widths = widths_of(headings, rows, page_width);
  std::vector<TextRow> shortened = rows;
  for (TextRow& row : shortened) {
    std::string& last = row.back();
    const std::vector<std::string> lines = wrapped(last, widths.back());
    if (lines.size() > 1) last = wrapped(last, widths.back() - ellipsis.size()).front() + std::string(ellipsis);
  }
  return text_table(headings, shortened, page_width);
}

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
