#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/compare/formats.hpp"
#include "harness/compare/wording.hpp"

namespace stowage::harness {
namespace {

/// More than these are folded away.
constexpr std::size_t rows_in_a_comment = 10;

using Row = std::vector<std::string>;

/// A bar ends a cell, and whatever looks like markup is; both come from names and paths that anybody may choose.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char character : text) {
    if (character == '\n') {
      result += ' ';
      continue;
    }
    if (std::string_view("\\|`*_<>[]").find(character) != std::string_view::npos) result += '\\';
    result += character;
  }
  return result;
}

std::string line_of(const Row& row) {
  std::string line = "|";
  for (const std::string& cell : row) line += " " + cell + " |";
  return line + "\n";
}

std::string table_of(const Row& headings, const std::vector<Row>& rows) {
  std::string text = line_of(headings) + line_of(Row(headings.size(), "---"));
  for (const Row& row : rows) text += line_of(row);
  return text + "\n";
}

std::string folded(std::string_view summary, const std::string& content) {
  return fmt::format("<details><summary>{}</summary>\n\n{}</details>\n\n", summary, content);
}

/// The first rows in sight, all of them folded where there are more.
std::string short_table(const Row& headings, std::vector<Row> rows, std::string_view what) {
  if (rows.empty()) return "";
  const std::string all = table_of(headings, rows);
  if (rows.size() <= rows_in_a_comment) return all;
  const std::string summary = fmt::format("all {} {}", rows.size(), what);
  rows.resize(rows_in_a_comment);
  return table_of(headings, rows) + folded(summary, all);
}

std::string verdict_of(const RunComparison& comparison, const std::optional<Excess>& excess) {
  if (excess) return excess->any() ? "### stowage: slower or larger\n\n" : "### stowage: not exceeded\n\n";
  const bool is_calm = significant_cells(comparison.time).empty() && comparison.counts.changes.empty();
  return is_calm ? "### stowage: no significant change\n\n" : "### stowage: changes\n\n";
}

std::string context_of(const RunComparison& comparison) {
  std::string text = fmt::format("before: {}  \nafter: {}\n\n", escaped(comparison.before.path.string()),
                                 escaped(comparison.after.path.string()));
  std::vector<Row> rows;
  for (const auto& [what, before, after] : comparison.differences) {
    rows.push_back({escaped(what), escaped(before), escaped(after)});
  }
  return rows.empty() ? text : text + table_of({"differs", "before", "after"}, rows);
}

std::string times_of(const TimeComparison& time) {
  std::vector<Row> rows;
  for (const CellTimeChange* change : significant_cells(time)) {
    rows.push_back({percent_text(change->ratio), interval_text(change->interval), escaped(change->pair->name())});
  }
  return short_table({"time", "95 % interval", "cell"}, rows, "cells whose time changed");
}

std::string strategies_of(const TimeComparison& time) {
  std::vector<Row> rows;
  for (const StrategyTimeChange& change : time.strategies) {
    rows.push_back({escaped(change.strategy), percent_text(change.ratio), interval_text(change.interval),
                    std::string(name_of(change.verdict)), std::to_string(change.slower), std::to_string(change.faster),
                    std::to_string(change.cells)});
  }
  if (rows.empty()) return "";
  return folded("strategies: median over their cells",
                table_of({"strategy", "median", "95 % interval", "", "slower", "faster", "cells"}, rows));
}

std::string counts_of(const ExactComparison& counts) {
  std::vector<Row> rows;
  for (const ExactChange* change : shown_counts(counts)) {
    rows.push_back({percent_text(1 + *change->growth), escaped(change->figure), fmt::format("{:.6g}", change->before),
                    fmt::format("{:.6g}", change->after), escaped(change->pair->name())});
  }
  return short_table({"count", "of", "before", "after", "cell"}, rows, "counts that differ");
}

}  // namespace

std::string comparison_markdown(const RunComparison& comparison, const std::optional<Excess>& excess) {
  std::string text = verdict_of(comparison, excess);
  if (excess) text += excess_text(excess) + "\n\n";
  text += fmt::format("**Time**: {}  \n**Counts**: {}\n\n", time_headline(comparison.time),
                      counts_headline(comparison.counts));
  text += times_of(comparison.time) + counts_of(comparison.counts) + strategies_of(comparison.time);
  std::string notes;
  for (const std::string& note : notes_of(comparison)) notes += "- " + escaped(note) + "\n";
  return text + folded("what was compared", context_of(comparison) + notes + "\n");
}

}  // namespace stowage::harness
