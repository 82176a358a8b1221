#pragma once

#include <cstddef>
#include <string>

#include "harness/measure/time.hpp"

namespace stowage::harness {

/// How many passes make one repetition of a case, and what such a repetition costs.
struct Calibration {
  std::size_t passes = 1;
  double elapsed_ns = 0;  ///< with warm-up and prepare()
};

/// Finds the number of passes that takes about `min_time_ns`. A pass that needs a long prepare() is repeated less, so
/// that a repetition costs no more than a few times `min_time_ns` in all. At least one pass.
[[nodiscard]] Calibration calibrate(Timer& timer, const std::string& cell, workloads::Measurement& measurement,
                                    double min_time_ns);

/// The same case with a `share` of its passes, at least one.
[[nodiscard]] Calibration shortened(const Calibration& calibration, double share);

}  // namespace stowage::harness
