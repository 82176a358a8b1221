// Helpers for text: lists, numbers with units, the nearest name to a typo, shell quoting, and escapes for terminals.
#include "harness/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <numeric>
#include <span>
#include <sstream>
#include <utility>

namespace stowage::harness {
namespace {

constexpr std::uint64_t kilo = 1024;
constexpr std::uint64_t mega = kilo * kilo;
constexpr std::uint64_t giga = kilo * mega;

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr Unit count_units[] = {{"k", kilo}, {"K", kilo}, {"M", mega}, {"m", mega}};
constexpr Unit byte_units[] = {{"kB", kilo},  {"KB", kilo}, {"KiB", kilo}, {"MB", mega},
                               {"MiB", mega}, {"GB", giga}, {"GiB", giga}, {"B", 1}};

/// Takes the first of `units` that `text` ends with off it.
std::uint64_t take_unit(std::string_view& text, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    return unit.factor;
  }
  return 1;
}

std::optional<std::uint64_t> parse_times(std::string_view text, std::uint64_t factor) {
  const std::optional<std::uint64_t> number = parse_number(text);
  if (!number || *number > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
  return *number * factor;
}

}  // namespace

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<std::uint64_t> parse_count(std::string_view text) {
  const std::uint64_t factor = take_unit(text, count_units);
  return parse_times(text, factor);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  const std::uint64_t factor = take_unit(text, byte_units);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return parse_times(text, factor);
}

std::string entities_text(std::uint64_t entities) {
  if (entities >= mega && entities % mega == 0) return fmt::format("{}M", entities / mega);
  if (entities >= kilo && entities % kilo == 0) return fmt::format("{}k", entities / kilo);
  return fmt::to_string(entities);
}

std::uint64_t digest_of(std::string_view text, std::uint64_t seed) noexcept {
  std::uint64_t digest = 0xcbf29ce484222325U ^ seed;
  for (const char character : text) digest = (digest ^ static_cast<unsigned char>(character)) * 0x100000001b3U;
  return digest;
}

std::string cpp_name_of(std::string name) {
  std::ranges::replace_if(name, [](char letter) { return std::isalnum(static_cast<unsigned char>(letter)) == 0; }, '_');
  return name;
}

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last(to.size() + 1);
  std::vector<std::size_t> last(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      const bool swapped = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row.back();
}

std::string suggestion(std::string_view wrong, const std::vector<std::string>& names, std::string_view otherwise) {
  const auto distance = [wrong](const std::string& name) { return edit_distance(wrong, name); };
  const auto nearest = std::ranges::min_element(names, {}, distance);
  // Beyond a third of the letters a name is another word, not a slip.
  const std::size_t largest_slip = std::max<std::size_t>(1, wrong.size() / 3);
  if (nearest == names.end() || distance(*nearest) > largest_slip) return fmt::format("; {}", otherwise);
  return fmt::format("; did you mean '{}'?", *nearest);
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') quoted += "'\\'";  // ends the quotation, and has an apostrophe outside of it
    quoted += letter;
  }
  return quoted + "'";
}

std::string shell_path(const std::filesystem::path& path) {
  const std::string text = path.string();
  return shell_word(text.starts_with('-') ? "./" + text : text);
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::optional<std::vector<std::string>> parse_shell_line(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char letter = line[at];
    if (quote == '\0' && (letter == ' ' || letter == '\t' || letter == '\n')) {
      in_word = false;
      continue;
    }
    if (!std::exchange(in_word, true)) words.emplace_back();
    if (letter == quote) {
      quote = '\0';
    } else if (quote == '\0' && (letter == '\'' || letter == '"')) {
      quote = letter;
    } else if (letter == '\\' && quote != '\'') {
      if (++at == line.size()) return std::nullopt;
      words.back() += line[at];
    } else {
      words.back() += letter;
    }
  }
  return quote == '\0' ? std::optional(std::move(words)) : std::nullopt;
}

std::string on_terminal(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : '\0');
    const bool begins_c1 = byte == 0xc2 && next >= 0x80 && next < 0xa0;  // U+0080 to U+009F in UTF-8
    if (begins_c1) {
      shown += fmt::format("\\x{:02x}", next);
      ++at;
    } else if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += text[at];
    }
  }
  return shown;
}

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
