#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "harness/compare/formats.hpp"
#include "harness/compare/wording.hpp"
#include "harness/statistics/change.hpp"
#include "harness/text_table.hpp"

namespace stowage::harness {
namespace {

/// A table that is longer is not read; JSON has the rest.
constexpr std::size_t rows_on_screen = 20;
/// What is left of a line beside the figures of a change.
constexpr std::size_t name_width = 68;

/// A name that is too long for its column may be broken after a slash.
std::string breakable(std::string name) {
  const std::size_t slash = name.size() > name_width ? name.rfind('/', name_width - 1) : std::string::npos;
  if (slash != std::string::npos) name.insert(slash + 1, 1, ' ');
  return name;
}

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    result += "  " + text.substr(begin, end - begin);
    begin = end;
  }
  return result;
}

/// The first rows of a table, and how many there are beside them.
std::string table_text(const TextRow& headings, std::vector<TextRow> rows, std::string_view what) {
  if (rows.empty()) return "";
  const std::size_t all = rows.size();
  rows.resize(std::min(all, rows_on_screen));
  const std::string rest =
      all > rows_on_screen ? fmt::format("... and {} {} more; --format json has all\n", all - rows_on_screen, what) : "";
  return text_table(headings, rows) + rest;
}

std::string context_text(const RunComparison& comparison) {
  std::string text =
      fmt::format("before  {}\nafter   {}\n\n", comparison.before.path.string(), comparison.after.path.string());
  if (comparison.differences.empty())
    return text + "Nothing that the files say of machine, build and options differs.\n";
  std::vector<TextRow> rows;
  for (const auto& [what, before, after] : comparison.differences) rows.push_back({what, before, after});
  return text + text_table({"DIFFERS", "BEFORE", "AFTER"}, rows);
}

/// Wrapped, each with a mark in front.
std::string notes_text(const RunComparison& comparison) {
  std::string text;
  for (const std::string& note : notes_of(comparison)) text += text_table({"!", note}, {});
  return text;
}

std::string cells_text(const TimeComparison& time) {
  std::vector<TextRow> rows;
  for (const CellTimeChange* change : significant_cells(time)) {
    rows.push_back({percent_text(change->ratio), interval_text(change->interval), breakable(change->pair->name())});
  }
  return table_text({"CHANGE", "95 % INTERVAL", "CELL"}, rows, "cells");
}

std::string strategies_text(const TimeComparison& time) {
  std::vector<TextRow> rows;
  for (const StrategyTimeChange& change : time.strategies) {
    rows.push_back({change.strategy, change.interval ? percent_text(change.ratio) : "", interval_text(change.interval),
                    std::string(name_of(change.verdict)),
                    fmt::format("{} slower, {} faster of {}", change.slower, change.faster, change.cells)});
  }
  if (rows.empty()) return "";
  return fmt::format("\n{}", text_table({"STRATEGY", "MEDIAN", "95 % INTERVAL", "", "CELLS"}, rows));
}

std::string counts_text(const ExactComparison& counts) {
  std::vector<const ExactChange*> shown = shown_counts(counts);
  std::string text;
  for (std::size_t begin = 0; begin < shown.size();) {
    const std::string_view figure = shown[begin]->figure;
    std::vector<TextRow> rows;
    for (; begin < shown.size() && shown[begin]->figure == figure; ++begin) {
      const ExactChange& change = *shown[begin];
      rows.push_back({percent_text(1 + *change.growth), fmt::format("{:.5g}", change.before),
                      fmt::format("{:.5g}", change.after), breakable(change.pair->name())});
    }
    text += fmt::format("{}\n", figure) + indented(table_text({"CHANGE", "BEFORE", "AFTER", "CELL"}, rows, "cells"));
  }
  const std::size_t parts = counts.changes.size() - shown.size();
  if (parts > 0) text += fmt::format("{} differences in what these are made of: --format json has them\n", parts);
  return text;
}

std::string legend(const RunComparison& comparison) {
  if (comparison.time.cells.empty()) return "";
  return fmt::format(
      "\nTimes are compared as ratios to the reference of the same rounds, where there are any. A cell is\n"
      "slower or faster where that is certain beside a scatter between the runs of {:.1f}%; of those named,\n"
      "5 % may be none. A strategy is, where the median over its cells is certain to differ by more than\n"
      "{:g}%. To settle one cell, repeat both runs with --cells.\n",
      100 * comparison.time.run_scatter, 100 * smallest_run_scatter);
}

}  // namespace

std::string comparison_text(const RunComparison& comparison, const std::optional<Excess>& excess) {
  std::string text = context_text(comparison) + notes_text(comparison);
  text += fmt::format("\nTime: {}\n", time_headline(comparison.time)) + cells_text(comparison.time) +
          strategies_text(comparison.time);
  text += fmt::format("\nCounts: {}\n", counts_headline(comparison.counts)) + counts_text(comparison.counts);
  text += legend(comparison);
  const std::string verdict = excess_text(excess);
  return verdict.empty() ? text : text + "\n" + verdict + "\n";
}

}  // namespace stowage::harness
