#pragma once

#include <cstddef>
#include <vector>

#include "harness/measure/hardware/counters.hpp"
#include "harness/measure/pass.hpp"

namespace stowage::harness {

/// How precisely the hardware pass counts. A repetition is long enough for events that take turns to have several.
struct HardwarePlan {
  std::size_t repetitions = 5;
  double min_time_ns = 50e6;  ///< of one repetition
};

/// Verifies the cells of `blocks`, counts the good ones one after the other, and adds the figures and the record of the
/// pass to `run`, whose blocks are these without figures. False if `bench.stop` asked to stop.
[[nodiscard]] bool run_hardware_pass(Run& run, const std::vector<Block>& blocks, const HardwarePlan& plan,
                                     HardwareCounters& counters, const Bench& bench);

}  // namespace stowage::harness
