#include "harness/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
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

}  // namespace stowage::harness
