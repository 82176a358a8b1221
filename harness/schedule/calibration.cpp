#include "harness/schedule/calibration.hpp"

#include <algorithm>
#include <cmath>

namespace stowage::harness {
namespace {

/// How much longer than what it measures a repetition may be, because of prepare().
constexpr double largest_overhead = 4;
/// A trial of this share of the wanted time predicts the rest well enough.
constexpr double enough_to_predict = 0.2;
/// A first trial is slowed by cold caches and page faults; one step never trusts it further than this.
constexpr double largest_step = 64;
/// Where passes take no time at all, more of them would not either.
constexpr std::size_t most_passes = 1'000'000'000;

std::size_t scaled(std::size_t passes, double factor) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(static_cast<double>(passes) * factor)));
}

}  // namespace

Calibration shortened(const Calibration& calibration, double share) {
  const std::size_t passes = scaled(calibration.passes, share);
  return {passes, calibration.elapsed_ns * static_cast<double>(passes) / static_cast<double>(calibration.passes)};
}

Calibration calibrate(Timer& timer, const std::string& cell, workloads::Measurement& measurement, double min_time_ns) {
  for (std::size_t passes = 1;;) {
    const TimedRepetition trial = timer.time(cell, measurement, passes);
    const double real_ns = std::max(1.0, trial.repetition.real_ns * static_cast<double>(passes));
    const double wanted = min_time_ns / real_ns;
    const double affordable = largest_overhead * min_time_ns / std::max(1.0, trial.elapsed_ns);
    const double factor = std::min(wanted, affordable);
    if (factor <= 1 / enough_to_predict || passes >= most_passes) {
      return shortened({passes, trial.elapsed_ns}, std::min(factor, 1 / enough_to_predict));
    }
    passes = scaled(passes, std::min(factor, largest_step));
  }
}

}  // namespace stowage::harness
