#include "harness/compare/run_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "harness/errors.hpp"

namespace stowage::harness {
namespace {

std::string or_not_said(const std::string& value) { return value.empty() ? "not said" : value; }

std::vector<ContextDifference> differences_of(const MeasuredFile& before, const MeasuredFile& after) {
  std::vector<ContextDifference> differences;
  const auto compare = [&](const std::string& what) {
    const std::string a = before.fact(what);
    const std::string b = after.fact(what);
    if (a != b) differences.push_back({what, or_not_said(a), or_not_said(b)});
  };
  for (const ContextFact& fact : before.facts) compare(fact.what);
  for (const ContextFact& fact : after.facts) {
    if (before.fact(fact.what).empty()) compare(fact.what);
  }
  return differences;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

RunComparison::RunComparison(MeasuredFile a, MeasuredFile b)
    : before(std::move(a)),
      after(std::move(b)),
      differences(differences_of(before, after)),
      pairs(pair_cells(before, after)),
      time(compare_times(pairs.both)),
      counts(compare_counts(before, after, pairs.both)) {}

bool Excess::any() const { return !cells.empty() || !strategies.empty() || !counts.empty() || !failures.empty(); }

std::string Excess::summary() const {
  std::vector<std::string> parts;
  if (!strategies.empty()) parts.push_back(counted(strategies.size(), "strategy in time", "strategies in time"));
  if (!cells.empty()) parts.push_back(counted(cells.size(), "cell in time", "cells in time"));
  if (!counts.empty()) parts.push_back(counted(counts.size(), "count", "counts"));
  if (!failures.empty()) parts.push_back(counted(failures.size(), "cell that fails now", "cells that fail now"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Excess excess_of(const RunComparison& comparison, double limit) {
  Excess excess{.limit = limit, .strategies = {}, .cells = {}, .counts = {}, .failures = comparison.pairs.failed_after};
  const auto is_too_slow = [limit](const TimeChange& change) {
    return change.verdict == Verdict::slower && change.ratio > 1 + limit;
  };
  const bool are_evidence = comparison.time.strategies.empty() || !comparison.time.is_beyond_chance;
  for (const CellTimeChange& change : comparison.time.cells) {
    if (are_evidence && is_too_slow(change)) excess.cells.push_back(&change);
  }
  for (const StrategyTimeChange& change : comparison.time.strategies) {
    if (is_too_slow(change)) excess.strategies.push_back(&change);
  }
  for (const ExactChange& change : comparison.counts.changes) {
    if (change.growth && *change.growth > limit) excess.counts.push_back(&change);
  }
  return excess;
}

double parse_limit(std::string_view text) {
  double percent = 0;
  const char* const end = text.data() + text.size();
  const bool begins_with_digit = !text.empty() && text.front() >= '0' && text.front() <= '9';
  const auto [rest, error] = std::from_chars(text.data(), end, percent, std::chars_format::fixed);
  const bool is_percent = begins_with_digit && error == std::errc{} && std::string_view(rest, end) == "%";
  if (!is_percent) {
    throw UserError(fmt::format("--fail-above '{}' is no limit; give a number and the sign %, as in 5% or 2.5%", text));
  }
  return percent / 100;
}

}  // namespace stowage::harness
