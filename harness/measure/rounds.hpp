#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/measure/pass.hpp"
#include "harness/plan/preset.hpp"

namespace stowage::harness {

/// How precisely a block is measured.
struct TimePlan {
  std::size_t repetitions = 0;         ///< 0: blocks are verified, and nothing is timed
  std::size_t fewest_repetitions = 0;  ///< if the budget is too short for all
  double min_time_ns = 0;              ///< of one repetition
  std::optional<double> budget_s;      ///< of the first look; none: no limit
  /// Of each further look: so much time goes to as many visits again, of the blocks in which something is open. To make
  /// their cases takes time, too: the first begins in any case, another only if it is likely to end within all this
  /// time.
  std::vector<double> more_looks_s = {};
  std::uint64_t seed = 0;
  std::size_t visits = 1;            ///< to each block, with equal parts of its repetitions
  bool builds_anew = true;           ///< the cases of a block before each round, if that is cheap
  std::size_t layouts = 1;           ///< of the strategies' code: another one each time that the cases are built
  bool by_google_benchmark = false;  ///< its runner times the cells, and there are no rounds and no budget
};

/// As precise as `preset`, within its time.
[[nodiscard]] TimePlan time_plan_of(const Preset& preset, std::uint64_t seed);

/// Verifies the cells of `block`, then times the good ones in interleaved rounds: in every round each of them once, in
/// an order that is shuffled anew. If that is cheap, all are built and verified anew before each round. None if
/// `bench.stop` asked to stop: half a visit is no result.
[[nodiscard]] std::optional<BlockResult> measure_block(const Block& block, const TimePlan& plan, const Bench& bench);

/// A visit to blocks in another process, which has `budget_s` for all of them: it takes `run` as it is, and leaves
/// there what it measured.
using VisitApart = std::function<void(Run& run, std::size_t visit, std::optional<double> budget_s)>;

/// The time pass: visits all blocks in turn, as often as the plan says, or as there are layouts. A visit builds all
/// cases in other pages of memory, at another time, and in a process of its own if there is `apart`. So chance that
/// lasts, such as a page that lies badly or a busy minute, does not strike all repetitions of a cell, and shows in
/// their scatter. Then come the further looks of the plan. What is open at a look depends on what was measured up to
/// the look before, so a run that is resumed goes on as if it had not ended.
///
/// Leaves out what `run` has already. Hands the run to `save` before the first visit to a block and after every one.
/// Sets `run.state.interrupted` if `bench.stop` asked to stop.
void run_blocks(Run& run, const std::vector<Block>& blocks, const TimePlan& plan, const Bench& bench,
                const SaveRun& save, const VisitApart& apart = nullptr);

/// One visit of that, to the blocks that need it, with a time budget for all of them.
void run_visit(Run& run, const std::vector<Block>& blocks, const TimePlan& plan, std::size_t visit,
               std::optional<double> budget_s, const Bench& bench, const SaveRun& save);

}  // namespace stowage::harness
