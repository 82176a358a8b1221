#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/measure/frames.hpp"
#include "harness/results/run.hpp"
#include "harness/schedule/block_runner.hpp"
#include "harness/schedule/run_blocks.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {

/// How many frames are timed of each cell: whole sequences until there are enough or the time is up. All
/// cells of a block get as many, those that their time suffices for together, because longer series have worse frames.
struct FramesPlan {
  std::size_t frames = 0;
  std::size_t fewest_frames = 1;  ///< however long they take
  double most_s_per_cell = 0;     ///< of frames; what is prepared between sequences may take twice as long beside
  std::uint64_t seed = 0;
  bool keeps_frames = false;  ///< in the run, beside the histogram
};

/// Times the frames of every verified cell of `run` that has frames and no such figures yet. The cells of a block take
/// turns, a sequence each, in an order that is shuffled anew in every round. The run is saved after each block; one
/// that was stopped half-way has no figures. A cell that throws gets an omission that says so. Sets
/// `run.state.interrupted` where `bench.stop` asked to stop.
void run_frames_pass(Run& run, const std::vector<Block>& blocks, const FramesPlan& plan, const Bench& bench,
                     const FrameClock& now_ns, const SaveRun& save);

}  // namespace stowage::harness
