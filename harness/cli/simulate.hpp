#pragma once

#include <vector>

#include "harness/measure/simulated/callgrind.hpp"
#include "harness/results/run.hpp"
#include "harness/schedule/cache_pass.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {

/// The cache pass of `run` by `simulator`, with its record and with progress on stderr; see run_cache_pass. Needs an
/// InterruptGuard.
[[nodiscard]] bool simulate(Run& run, const std::vector<Block>& blocks, const CachePlan& plan,
                            CallgrindSimulator& simulator, const SaveRun& save);

}  // namespace stowage::harness
