#pragma once

#include <vector>

#include "harness/results/run.hpp"
#include "harness/schedule/block_runner.hpp"
#include "harness/schedule/run_blocks.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {

/// Counts the bytes of every verified cell of `run` that has no such figures yet, and saves the run after each of its
/// blocks. A cell whose memory() contradicts the allocator, or that throws, gets an omission that says so. Sets
/// `run.state.interrupted` where `bench.stop` asked to stop.
void run_memory_pass(Run& run, const std::vector<Block>& blocks, const Bench& bench, const SaveRun& save);

}  // namespace stowage::harness
