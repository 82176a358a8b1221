#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/compare/run_comparison.hpp"

/// What the forms of a comparison that people read have in common.
namespace stowage::harness {

/// 1.102 -> "+10.2%"
[[nodiscard]] std::string percent_text(double ratio);

/// "+8.1 to +12.3%", or "no interval"
[[nodiscard]] std::string interval_text(const std::optional<Interval>& interval);

/// "slower"
[[nodiscard]] std::string_view name_of(Verdict verdict);

/// What --fail-above found, or that it was not exceeded; empty where it was not asked for.
[[nodiscard]] std::string excess_text(const std::optional<Excess>& excess);

/// How many cells became what: "3 of 432 cells slower, 1 faster, 423 unchanged, 5 undecided".
[[nodiscard]] std::string time_headline(const TimeComparison& time);

/// How many counts of how many differ.
[[nodiscard]] std::string counts_headline(const ExactComparison& counts);

/// What a reader must know before the figures: cells that only one side has, what failed, absolute times, a machine
/// that was busy, passes that cannot be compared. One sentence each.
[[nodiscard]] std::vector<std::string> notes_of(const RunComparison& comparison);

/// The cells whose time changed significantly, slowed down most first.
[[nodiscard]] std::vector<const CellTimeChange*> significant_cells(const TimeComparison& time);

/// Counts that have a growth: what the tables show.
[[nodiscard]] std::vector<const ExactChange*> shown_counts(const ExactComparison& counts);

}  // namespace stowage::harness
