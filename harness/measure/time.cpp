#include "harness/measure/time.hpp"

#if __has_include(<alloca.h>)
#include <alloca.h>
#else
#include <malloc.h>  // of Windows
#endif
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iostream>

#include "harness/random_order.hpp"

namespace stowage::harness {
namespace {

using Clock = std::chrono::steady_clock;

double ns_between(Clock::time_point start, Clock::time_point stop) {
  return std::chrono::duration<double, std::nano>(stop - start).count();
}

struct Cost {
  double real_ns = 0;
  double cpu_ns = 0;
};

constexpr std::size_t stack_step_bytes = 16;
constexpr std::size_t stack_steps = 256;

/// Calls `work` further down the stack.
template <class Work>
[[gnu::noinline]] auto call_below(std::size_t bytes, const Work& work) {
  void* const gap = alloca(bytes + 1);
  asm volatile("" : : "r"(gap) : "memory");  // the compiler must not leave it out
  return work();
}

/// The processor's clock is read outside of the real one, because reading it is a call of the system.
Cost time_passes(workloads::Measurement& measurement, std::size_t passes) {
  const Region region;
  const double cpu_start_ns = thread_now_ns();
  const Clock::time_point start = Clock::now();
  measurement.run(passes);
  const Clock::time_point stop = Clock::now();
  return {ns_between(start, stop), thread_now_ns() - cpu_start_ns};
}

Cost time_repeatable(workloads::Measurement& measurement, std::size_t passes, bool is_warmed) {
  if (is_warmed) measurement.run(1);
  return time_passes(measurement, passes);
}

Cost time_prepared(workloads::Measurement& measurement, std::size_t passes) {
  Cost sum;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    measurement.prepare();
    const Cost cost = time_passes(measurement, 1);
    sum.real_ns += cost.real_ns;
    sum.cpu_ns += cost.cpu_ns;
  }
  return sum;
}

}  // namespace

double thread_now_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

TimedRepetition SteadyTimer::time(const std::string& cell, workloads::Measurement& measurement, std::size_t passes,
                                  bool is_warmed) {
  if (verbosity_ >= 2) std::clog << fmt::format("-- LOG(2): Running {} for {}\n", cell, passes);
  const Clock::time_point start = Clock::now();
  const Cost cost = call_below(stack_step_bytes * below(generator_, stack_steps), [&] {
    return measurement.repeatable() ? time_repeatable(measurement, passes, is_warmed)
                                    : time_prepared(measurement, passes);
  });
  const auto count = static_cast<double>(passes);
  return {.repetition = {.real_ns = cost.real_ns / count, .cpu_ns = cost.cpu_ns / count, .iterations = passes},
          .elapsed_ns = ns_between(start, Clock::now())};
}

namespace {

/// How much longer than what it measures a repetition may be, because of prepare().
constexpr double largest_overhead = 4;
/// A trial of this share of the wanted time predicts the rest well enough.
constexpr double enough_to_predict = 0.2;
/// A first trial is slowed by cold caches and page faults; one step never trusts it further than this.
constexpr double largest_step = 64;
/// If passes take no time at all, more of them would not either.
constexpr std::size_t most_passes = 1'000'000'000;

std::size_t scaled(std::size_t passes, double factor) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(static_cast<double>(passes) * factor)));
}

}  // namespace

Calibration shortened(const Calibration& calibration, double share) {
  const std::size_t passes = scaled(calibration.passes, share);
  return {passes, calibration.elapsed_ns * static_cast<double>(passes) / static_cast<double>(calibration.passes)};
}

Calibration calibrate(Timer& timer, const std::string& cell, workloads::Measurement& measurement, double min_time_ns,
                      std::size_t guess) {
  for (std::size_t passes = guess;;) {
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
