#pragma once

#include <cstddef>
#include <string>

#include "harness/results/run.hpp"
#include "workloads/contract/measurement.hpp"

namespace stowage::harness {

/// One repetition, and what it cost us to get it.
struct TimedRepetition {
  Repetition repetition;
  double elapsed_ns = 0;  ///< with warm-up and prepare(): what a time budget is charged
};

/// Times one repetition of a case. The scheduler decides what is timed when; tests put a timer of known costs here.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  virtual ~Timer() = default;

  /// `passes` passes of `measurement`, which has been prepared once when it is repeatable. An exception that the case
  /// throws comes out of here.
  [[nodiscard]] virtual TimedRepetition time(const std::string& cell, workloads::Measurement& measurement,
                                             std::size_t passes) = 0;
};

/// Google Benchmark's loop, clocks and arithmetic. A repeatable case gets one untimed pass first, because the
/// repetition before it belonged to another strategy and has taken the caches; any other case is prepared anew before
/// each pass, outside the clock.
class BenchmarkTimer final : public Timer {
 public:
  [[nodiscard]] TimedRepetition time(const std::string& cell, workloads::Measurement& measurement,
                                     std::size_t passes) override;
};

}  // namespace stowage::harness
