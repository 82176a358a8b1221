#pragma once

#include <optional>
#include <string>

#include "harness/results/run.hpp"

namespace stowage::harness::adopt {

/// What a stored run has to say for and against a strategy, in lines: time and misses for one
/// item of each main workload beside the hand-written reference and the floor, where and how they were measured, and
/// the command that measures again. Nothing if the run has not measured the strategy. `commit` is that of the header; a
/// run of another commit is marked.
[[nodiscard]] std::optional<std::string> evidence_text(const Run& run, const std::string& strategy,
                                                       const std::string& commit);

/// The command that measures such figures.
[[nodiscard]] std::string command_for_evidence(const std::string& strategy, const std::string& preset);

}  // namespace stowage::harness::adopt
