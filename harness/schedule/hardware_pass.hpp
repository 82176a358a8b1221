#pragma once

#include <cstddef>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/measure/hardware/hardware.hpp"
#include "harness/measure/time.hpp"
#include "harness/results/run.hpp"
#include "harness/schedule/progress.hpp"
#include "harness/schedule/verification.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {

/// How precisely the hardware pass counts. A repetition is long enough for events that take turns to have several.
struct HardwarePlan {
  std::size_t repetitions = 5;
  double min_time_ns = 50e6;  ///< of one repetition
};

/// What the pass works with; tests replace the timer and the counters.
struct HardwareBench {
  const Catalogue& catalogue;
  Timer& timer;
  HardwareCounters& counters;
  Progress& progress;
  StopRequest stop;
};

/// Verifies the cells of `blocks`, counts the good ones one after the other, and adds the figures and the record of the
/// pass to `run`, whose blocks are these without figures. False where `bench.stop` asked to stop.
[[nodiscard]] bool run_hardware_pass(Run& run, const std::vector<Block>& blocks, const HardwarePlan& plan,
                                     const HardwareBench& bench);

}  // namespace stowage::harness
