#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/measure/rounds.hpp"
#include "harness/plan/selection.hpp"
#include "harness/results/run.hpp"
#include "harness/system/lock.hpp"

namespace stowage::harness {

/// Google Benchmark's flags, honoured by our rounds in its place.
struct BenchmarkFlags {
  std::optional<std::string> filter;
  std::optional<double> min_time_s;
  std::optional<std::size_t> repetitions;
  int verbosity = 0;
};

/// Reads what came after `--`. Throws UserError for a flag that Google Benchmark does not have, and for one that says
/// how to run or report what our rounds run and report.
[[nodiscard]] BenchmarkFlags parse_benchmark_flags(const std::vector<std::string>& flags);

/// What the user asked of `stowage run`.
struct RunRequest {
  SelectionRequest selection;
  BenchmarkFlags benchmark;
  std::optional<std::string> out;
  std::optional<std::string> resume;
  std::optional<std::size_t> layouts;
  std::optional<double> until_decided_minutes;  ///< to go on after the preset's time
  std::optional<std::size_t> copied;            ///< of a calibration: which strategy, counted round, has copies
  std::string command;                          ///< the line that was typed
};

/// A run that is ready to go on: new, or read from the directory that is resumed.
struct PlannedRun {
  std::filesystem::path directory;
  std::optional<Lock> lock;  ///< of the directory: no other command writes there meanwhile; a visit apart has none
  Run run;
  std::vector<Block> blocks;
  TimePlan time;
  std::optional<std::string> world = {};  ///< the profile that was named
};

/// Compiles and loads what the selection needs, and makes the directory.
/// Throws UserError if the request makes no sense, if `--out` has results already, if another process writes there, and
/// if `--resume` has results of other options, of another build or of another machine, or of storages or `--cells` that
/// the user does not name again.
[[nodiscard]] PlannedRun plan_run(RunRequest request, const CommandContext& context);

/// What a process that makes one visit for the one that has the lock of `directory` needs.
/// Its storages were checked.
[[nodiscard]] PlannedRun plan_visit(RunRequest request, const CommandContext& context);

}  // namespace stowage::harness
