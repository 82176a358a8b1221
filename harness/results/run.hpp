#pragma once

// A run in memory, as results.json holds it: options, state, blocks, cells and repetitions.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stowage/contract/lines.hpp>

#include "harness/system/environment.hpp"

namespace stowage::harness {

/// One timed repetition of one cell. Times are per iteration: one pass over the workload's items.
struct Repetition {
  double real_ns = 0;
  double cpu_ns = 0;  ///< of the calling thread; 0 if it does not tell how long the work took
  std::size_t iterations = 0;
  std::size_t layout = 0;  ///< of the strategy's code
  std::size_t visit = 0;   ///< of the run; before a further look, a block that is decided gets none
};

/// Figures of a cell that are not times, by their names in metrics.hpp: one for each cell, not one for each repetition.
/// What does not apply to a cell is absent, never 0.
using Counters = std::map<std::string, double>;

/// What was measured of one strategy in one block: repetitions, or the reason why there are none.
struct CellResult {
  std::string strategy;
  std::uint64_t items = 0;                   ///< in one pass
  std::vector<Repetition> repetitions = {};  ///< the n-th of every cell of a block belongs to the block's n-th round
  std::string error = {};                    ///< empty if the cell was verified and measured
  Counters counters = {};                    ///< of the other passes
  std::vector<std::uint64_t> frame_histogram = {};  ///< see measure/frames.hpp; empty if there are no frames
  std::vector<double> frames_ns = {};               ///< one by one in their order, if a pass keeps them
  std::vector<double> systems_ns = {};              ///< of each system of a game, the mean of its frames; likewise
  std::optional<std::uint64_t> checksum = {};       ///< of the result of its work; files of older versions have none
};

/// One workload with one parameter set: what is interleaved together and written to disk together.
struct BlockResult {
  std::string workload;
  std::string parameters;  ///< `entities:16384/via:each`
  std::vector<CellResult> cells = {};
  std::string host = {};  ///< that measured it; empty if all of the run is from one

  [[nodiscard]] std::string name() const { return workload + "/" + parameters; }
  [[nodiscard]] std::string cell_name(const CellResult& cell) const {
    return workload + "/" + cell.strategy + "/" + parameters;
  }
};

/// What times the cells of a run: our rounds, or Google Benchmark's runner.
inline constexpr std::string_view our_timer = "rounds";
inline constexpr std::string_view google_timer = "google-benchmark";

/// What was asked for. A run is resumed only by the same options.
struct RunOptions {
  std::string preset;
  std::uint64_t seed = 0;
  std::vector<std::string> strategies = {};
  std::vector<std::string> storages = {};  ///< of the user, as FILE:TYPE
  std::string world = {};  ///< the name and the hash of the profile that was measured in; empty for the workloads' own
  std::vector<std::string> workloads = {};
  std::vector<std::size_t> entities = {};
  std::string shard = {};   ///< `2/4`
  std::string filter = {};  ///< regular expression over cell names; empty for all
  std::size_t repetitions = 0;
  double min_time_s = 0;
  std::string precision = {};  ///< what the preset gives up, in one sentence
  std::size_t layouts = 1;     ///< of each strategy's code
  std::string timer = std::string(our_timer);
  std::string cpus = {};  ///< that the user named, as a list or a kind; empty if none

  friend bool operator==(const RunOptions&, const RunOptions&) = default;
};

/// How far the run came.
struct RunState {
  std::size_t blocks_planned = 0;
  std::size_t visits = 1;  ///< of the time pass to each block in a look
  bool interrupted = false;
  double wall_s = 0;
  std::optional<double> time_pass_s = 0.0;  ///< of wall_s; files of older versions do not have it
  std::string command = {};
  std::optional<double> other_programs = std::nullopt;  ///< processors that they kept busy during the time pass
  std::optional<double> yardstick_ms = std::nullopt;    ///< of the fixed loop of recorders (record/yardstick.hpp)
  std::string doctor = {};  ///< the verdict of `stowage doctor` on the machine during the time pass; empty if unknown
};

/// The worse of two verdicts of doctor on parts of a run. An unknown verdict is no worse than any other.
[[nodiscard]] inline const std::string& worse_verdict(const std::string& one, const std::string& other) {
  const auto badness = [](std::string_view verdict) {
    const bool could_be_better = verdict.find("could be better") != std::string_view::npos;
    return verdict.empty() ? 0 : verdict.starts_with("not ") ? 3 : could_be_better ? 2 : 1;
  };
  return badness(other) > badness(one) ? other : one;
}

/// How one pass beside the time pass came to its figures: which caches were simulated, by what, within which limits.
struct PassRecord {
  std::string pass;    ///< as in metrics.hpp: `cache`, `memory`
  std::string source;  ///< `simulated`, `hardware`, `counted`
  std::map<std::string, std::string> details = {};
};

/// A cell that a pass did not take, and why.
struct Omission {
  std::string pass;
  std::string cell;
  std::string reason;
};

/// What the report prints of the strategies and workloads of a run, so that it needs no binary.
struct StrategyRecord {
  std::string name;
  std::string family;
  std::string source;
  std::string summary;
  std::optional<std::map<std::string, bool>> semantics;
  std::string form = "ours";                            ///< `exact` as its source has it, `near`, `tuned` or `ours`
  std::map<std::string, std::string> lacks = {};        ///< parts of the contract, and why
  std::map<std::string, std::string> not_offered = {};  ///< workloads in which it has no cells, or not all, and why
};

struct WorkloadRecord {
  std::string name;
  std::string item;
  std::string setup;
  std::string measured;
  std::string checksum;
  std::string favours;
  std::string disadvantages;
  std::string floor;
};

/// Everything that results.json holds. Medians, intervals and ratios are not here: they follow from the repetitions.
struct Run {
  Environment environment;
  RunOptions options;
  RunState state = {};
  std::vector<StrategyRecord> strategy_cards = {};
  std::vector<WorkloadRecord> workload_cards = {};
  std::vector<PassRecord> passes = {};  ///< beside the time pass
  std::vector<Omission> omissions = {};
  std::vector<BlockResult> blocks = {};
  std::size_t line_bytes = cache_line_bytes;  ///< of the lines that its floors count; 0 if there are no floors
};

/// The block of that name; null if `run`, constant or not, has none.
template <class AnyRun>
[[nodiscard]] auto* find_block(AnyRun& run, const std::string& name) {
  const auto found = std::ranges::find(run.blocks, name, &BlockResult::name);
  return found == run.blocks.end() ? nullptr : &*found;
}

/// The cell of that strategy; null if `block` is null or has none.
template <class AnyBlock>
[[nodiscard]] auto* find_cell(AnyBlock* block, const std::string& strategy) {
  decltype(&block->cells[0]) cell = nullptr;
  if (block == nullptr) return cell;
  const auto found = std::ranges::find(block->cells, strategy, &CellResult::strategy);
  if (found != block->cells.end()) cell = &*found;
  return cell;
}

/// The number of the last visit to `block`, counted from 1. If all cells failed, no further visit is needed.
[[nodiscard]] inline std::size_t visits_done(const BlockResult& block) {
  std::size_t visits = 0;
  for (const CellResult& cell : block.cells) {
    if (!cell.repetitions.empty()) visits = std::max(visits, cell.repetitions.back().visit + 1);
  }
  return visits == 0 ? std::numeric_limits<std::size_t>::max() : visits;
}

/// The last look at `block`, counted from 1, which was begun at least. A look has `visits` visits.
[[nodiscard]] inline std::size_t looks_at(const BlockResult& block, std::size_t visits) {
  const std::size_t done = visits_done(block);
  return done == std::numeric_limits<std::size_t>::max() ? 1 : (done + visits - 1) / visits;
}

/// How often all that was open was looked at, at least once: the last look counts if no block lacks a part of its
/// visits.
[[nodiscard]] inline std::size_t whole_looks_at(const Run& run) {
  std::size_t looks = 1;
  for (const BlockResult& block : run.blocks) looks = std::max(looks, looks_at(block, run.state.visits));
  const bool is_whole = std::ranges::none_of(run.blocks, [&](const BlockResult& block) {
    return looks_at(block, run.state.visits) == looks && visits_done(block) < looks * run.state.visits;
  });
  return is_whole ? looks : std::max<std::size_t>(1, looks - 1);
}

[[nodiscard]] inline std::size_t blocks_done(const Run& run) {
  return static_cast<std::size_t>(std::ranges::count_if(
      run.blocks, [&](const BlockResult& block) { return visits_done(block) >= run.state.visits; }));
}

}  // namespace stowage::harness
