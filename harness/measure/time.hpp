#pragma once

#include <boost/core/noncopyable.hpp>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/results/run.hpp"
#include "harness/system/progress.hpp"
#include "workloads/support/measurement.hpp"

namespace stowage::harness {

/// Notified when the measured region is entered and left. Tests use it to check where a destructor runs.
class RegionObserver : boost::noncopyable {
 public:
  virtual ~RegionObserver() = default;

  virtual void entered() = 0;
  virtual void left() = 0;
};

/// The stretch of code that a pass measures. Its two ends lie just outside the clock's, so that an observer is never
/// part of a figure; without one a region is two tests of a pointer.
class Region : boost::noncopyable {
 public:
  Region() {
    if (installed != nullptr) installed->entered();
  }
  ~Region() {
    if (installed != nullptr) installed->left();
  }

  /// Sets the observer of every region from now on and returns the former one; null for none.
  static RegionObserver* observe(RegionObserver* observer) noexcept { return std::exchange(installed, observer); }

 private:
  inline static RegionObserver* installed = nullptr;
};

/// The processor time of this thread: what interrupts it does not count.
[[nodiscard]] double thread_now_ns();

/// One repetition, and the time it took in all.
struct TimedRepetition {
  Repetition repetition;
  double elapsed_ns = 0;  ///< with warm-up and prepare(): what a time budget is charged
};

/// Times one repetition of a case. The rounds decide what is timed when; tests put a timer of known costs here.
class Timer : boost::noncopyable {
 public:
  virtual ~Timer() = default;

  /// `passes` passes (at least one) of `measurement`, which has been prepared once if it is repeatable; before that one
  /// untimed, if it `is_warmed` and repeatable. Passes on what the case throws.
  [[nodiscard]] virtual TimedRepetition time(const std::string& cell, workloads::Measurement& measurement,
                                             std::size_t passes, bool is_warmed = true) = 0;
};

/// The steady clock and the processor time of this thread, read as Google Benchmark reads them: once around all passes
/// of a repeatable case, else around each pass. A repeatable case is warmed by one untimed pass, because the repetition
/// before it belonged to another strategy and has taken the caches; any other case is prepared anew before each pass,
/// outside the clocks. Each repetition begins at another depth of the stack, by up to a page: where local variables lie
/// is chance, which one place for all repetitions would hide.
class SteadyTimer final : public Timer {
 public:
  /// From `verbosity` 2 on, each repetition is logged to stderr: Google Benchmark's --v.
  explicit SteadyTimer(int verbosity = 0) : verbosity_(verbosity) {}

  [[nodiscard]] TimedRepetition time(const std::string& cell, workloads::Measurement& measurement, std::size_t passes,
                                     bool is_warmed = true) override;

 private:
  int verbosity_;
  std::mt19937_64 generator_;
};

/// How many passes make one repetition of a case, and what such a repetition costs.
struct Calibration {
  std::size_t passes = 1;
  double elapsed_ns = 0;  ///< with warm-up and prepare()
};

/// Finds the number of passes that takes about `min_time_ns`. A pass that needs a long prepare() is repeated less, so
/// that a repetition costs no more than a few times `min_time_ns` in all. At least one pass. A good `guess` saves time.
[[nodiscard]] Calibration calibrate(Timer& timer, const std::string& cell, workloads::Measurement& measurement,
                                    double min_time_ns, std::size_t guess = 1);

/// The same case with a `share` of its passes, at least one.
[[nodiscard]] Calibration shortened(const Calibration& calibration, double share);

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
