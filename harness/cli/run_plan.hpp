#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/benchmark_flags.hpp"
#include "harness/cli/commands.hpp"
#include "harness/results/run.hpp"
#include "harness/schedule/block_runner.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {

/// What the user asked of `stowage run`.
struct RunRequest {
  SelectionRequest selection;
  BenchmarkFlags benchmark;
  std::optional<std::string> out;
  std::optional<std::string> resume;
  std::string command;  ///< the line that was typed
};

/// A run that is ready to go on: new, or read from the directory that is resumed.
struct PlannedRun {
  std::filesystem::path directory;
  Run run;
  std::vector<Block> blocks;
  TimePlan time;
};

/// What a run of `selection` is recorded to have been asked for.
[[nodiscard]] RunOptions options_of(const Selection& selection, const BenchmarkFlags& flags);

/// A run of that on this machine, without results.
[[nodiscard]] Run new_run(const RunOptions& options, const Selection& selection, std::string command);

/// Throws UserError where the request makes no sense, where `--out` has results already, and where `--resume` has
/// results of other options, of another build or of another machine.
/// Compiles and loads what the selection needs.
[[nodiscard]] PlannedRun plan_run(RunRequest request, const CommandContext& context);

}  // namespace stowage::harness
