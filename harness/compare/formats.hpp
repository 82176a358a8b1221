#pragma once

#include <optional>
#include <string>

#include "harness/compare/run_comparison.hpp"

namespace stowage::harness {

/// For a terminal of 100 columns: what differs around the figures, significant changes of time with the worst first, a
/// line for each strategy, counts that differ, and what the words mean.
[[nodiscard]] std::string comparison_text(const RunComparison& comparison, const std::optional<Excess>& excess);

/// For a pull request: the verdict and a short table, everything else folded.
[[nodiscard]] std::string comparison_markdown(const RunComparison& comparison, const std::optional<Excess>& excess);

/// For programs: all cells and all counts that differ; docs/results.md has the keys.
[[nodiscard]] std::string comparison_json(const RunComparison& comparison, const std::optional<Excess>& excess);

}  // namespace stowage::harness
