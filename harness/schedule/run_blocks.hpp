#pragma once

#include <functional>
#include <vector>

#include "harness/results/run.hpp"
#include "harness/schedule/block_runner.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {

/// Puts a run on disk.
using SaveRun = std::function<void(const Run&)>;

/// Measures the blocks that `run` does not have yet and appends each as soon as it is done, handing the run to `save`
/// before the first and after every one. Sets `run.state.interrupted` where `bench.stop` asked to stop.
void run_blocks(Run& run, const std::vector<Block>& blocks, const TimePlan& plan, const Bench& bench,
                const SaveRun& save);

}  // namespace stowage::harness
