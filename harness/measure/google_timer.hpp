#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/results/run.hpp"
#include "harness/system/progress.hpp"
#include "workloads/support/measurement.hpp"

namespace stowage::harness {

/// A verified case that Google Benchmark is to time, and what came out.
struct GoogleTimed {
  std::string name;
  workloads::Measurement* measurement;
  std::vector<Repetition> repetitions = {};
  std::string error = {};  ///< what the case threw
};

/// Registers `cases` with Google Benchmark and lets its runner time them: it calibrates, and orders the repetitions of
/// all cases at random. One iteration is one pass. A repetition begins with an untimed pass if the case is repeatable;
/// else each pass is prepared with the clock paused. No repetition begins after `stop` returned true.
void time_by_google_benchmark(std::vector<GoogleTimed>& cases, std::size_t repetitions, double min_time_s,
                              const StopRequest& stop);

}  // namespace stowage::harness
