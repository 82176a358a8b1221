#include "harness/compare/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "harness/statistics/change.hpp"

namespace stowage::harness {
namespace {

constexpr std::size_t most_names = 3;

/// "12 cells are only in before: a, b, c, ...", or nothing.
void add_names(std::vector<std::string>& notes, const std::vector<const MeasuredCell*>& cells, std::string_view what) {
  if (cells.empty()) return;
  std::string note = fmt::format("{} {} {}:", cells.size(), cells.size() == 1 ? "cell" : "cells", what);
  for (std::size_t index = 0; index < std::min(cells.size(), most_names); ++index) {
    note += fmt::format("{} {}", index == 0 ? "" : ",", cells[index]->name);
  }
  notes.push_back(cells.size() > most_names ? note + ", ..." : note);
}

void add_undecided(std::vector<std::string>& notes, const TimeComparison& time) {
  std::vector<std::string> reasons;
  for (const CellTimeChange& change : time.cells) {
    if (change.reason.empty() || std::ranges::find(reasons, change.reason) != reasons.end()) continue;
    reasons.push_back(change.reason);
    const auto count = std::ranges::count(time.cells, change.reason, &CellTimeChange::reason);
    notes.push_back(fmt::format("{} of {} cells are undecided in time: {}", count, time.cells.size(), change.reason));
  }
}

void add_basis(std::vector<std::string>& notes, const TimeComparison& time) {
  const auto of_ratios = std::ranges::count(time.cells, true, &CellTimeChange::is_of_ratios);
  const auto absolute = static_cast<std::ptrdiff_t>(time.cells.size()) - of_ratios;
  if (absolute == 0) return;
  notes.push_back(fmt::format(
      "absolute times are compared for {} of {} cells, which have no ratio to a reference in both: what else "
      "the machine did shows in them",
      absolute, time.cells.size()));
}

void add_references(std::vector<std::string>& notes, const TimeComparison& time) {
  if (!time.references || std::abs(time.references->median - 1) < smallest_run_scatter) return;
  notes.push_back(
      fmt::format("the references' own times changed by {} ({}): the machine, which cancels in ratios, or they",
                  percent_text(time.references->median), interval_text(time.references->interval)));
}

}  // namespace

std::string percent_text(double ratio) { return fmt::format("{:+.1f}%", 100 * (ratio - 1)); }

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "no interval";
  return fmt::format("{:+.1f} to {:+.1f}%", 100 * (interval->low - 1), 100 * (interval->high - 1));
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::slower:
      return "slower";
    case Verdict::faster:
      return "faster";
    case Verdict::unchanged:
      return "unchanged";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

std::string excess_text(const std::optional<Excess>& excess) {
  if (!excess) return "";
  const std::string limit = fmt::format("--fail-above {:g}%", 100 * excess->limit);
  return excess->any() ? fmt::format("{} is exceeded: {}", limit, excess->summary()) : limit + " is not exceeded";
}

std::string time_headline(const TimeComparison& time) {
  if (time.cells.empty()) return "no cell has a time in both";
  return fmt::format("{} of {} cells slower, {} faster, {} unchanged, {} undecided", time.count(Verdict::slower),
                     time.cells.size(), time.count(Verdict::faster), time.count(Verdict::unchanged),
                     time.count(Verdict::undecided));
}

std::string counts_headline(const ExactComparison& counts) {
  if (counts.figures == 0) return "none to compare";
  if (counts.changes.empty()) return fmt::format("all {} of {} cells are equal", counts.figures, counts.cells);
  return fmt::format("{} of {} differ, over {} cells", counts.changes.size(), counts.figures, counts.cells);
}

std::vector<std::string> notes_of(const RunComparison& comparison) {
  std::vector<std::string> notes;
  const CellPairs& pairs = comparison.pairs;
  if (pairs.both.empty()) notes.emplace_back("no cell was measured in both");
  add_names(notes, pairs.failed_after, "failed after, and not before");
  add_names(notes, pairs.failed_before, "failed before");
  add_names(notes, pairs.only_before, "only before");
  add_names(notes, pairs.only_after, "only after");
  add_basis(notes, comparison.time);
  add_undecided(notes, comparison.time);
  if (comparison.time.is_beyond_chance) {
    notes.push_back(fmt::format(
        "cells typically differ by more than {:g}%: most of them changed, or the machine was busy; trust the "
        "medians of strategies, not single cells",
        100 * largest_run_scatter));
  }
  add_references(notes, comparison.time);
  std::ranges::copy(comparison.counts.not_compared, std::back_inserter(notes));
  if (comparison.counts.only_one_has > 0) {
    notes.push_back(fmt::format("{} counts of cells in both are in one of them only", comparison.counts.only_one_has));
  }
  return notes;
}

std::vector<const CellTimeChange*> significant_cells(const TimeComparison& time) {
  std::vector<const CellTimeChange*> cells;
  for (const CellTimeChange& change : time.cells) {
    if (change.verdict == Verdict::slower || change.verdict == Verdict::faster) cells.push_back(&change);
  }
  return cells;
}

std::vector<const ExactChange*> shown_counts(const ExactComparison& counts) {
  std::vector<const ExactChange*> shown;
  for (const ExactChange& change : counts.changes) {
    if (change.growth) shown.push_back(&change);
  }
  return shown;
}

}  // namespace stowage::harness
