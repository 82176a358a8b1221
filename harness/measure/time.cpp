#include "harness/measure/time.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>
#include <vector>

#include "harness/measure/region.hpp"

namespace stowage::harness {
namespace {

using Clock = std::chrono::steady_clock;

/// Keeps what Google Benchmark measured and prints nothing: tables and files are made from whole blocks.
class CollectingReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override { runs_.insert(runs_.end(), runs.begin(), runs.end()); }

  /// The only run there was. Google Benchmark's "adjusted" times depend on a display unit; the sums do not.
  [[nodiscard]] Repetition repetition() const {
    const Run& run = runs_.at(0);
    const auto per_iteration_ns = [&run](double total_s) {
      return total_s * 1e9 / static_cast<double>(run.iterations);
    };
    return {.real_ns = per_iteration_ns(run.real_accumulated_time),
            .cpu_ns = per_iteration_ns(run.cpu_accumulated_time),
            .iterations = static_cast<std::size_t>(run.iterations)};
  }

 private:
  std::vector<Run> runs_;
};

void run_repeatable(benchmark::State& state, workloads::Measurement& measurement) {
  measurement.run(1);
  const Region region;
  while (state.KeepRunningBatch(state.max_iterations)) {
    measurement.run(static_cast<std::size_t>(state.max_iterations));
  }
}

/// The CPU clock is paused around prepare(), the real time is our own: neither contains it.
void run_prepared(benchmark::State& state, workloads::Measurement& measurement) {
  while (state.KeepRunning()) {
    state.PauseTiming();
    measurement.prepare();
    state.ResumeTiming();
    const Region region;
    const Clock::time_point start = Clock::now();
    measurement.run(1);
    const Clock::time_point stop = Clock::now();
    state.SetIterationTime(std::chrono::duration<double>(stop - start).count());
  }
}

/// Google Benchmark's frames do not survive an exception, so it is carried around them.
class GuardedCase {
 public:
  explicit GuardedCase(workloads::Measurement& measurement) : measurement_(measurement) {}

  void operator()(benchmark::State& state) noexcept {
    try {
      if (measurement_.repeatable()) {
        run_repeatable(state, measurement_);
      } else {
        run_prepared(state, measurement_);
      }
    } catch (...) {
      failure_ = std::current_exception();
      state.SkipWithError("the case threw");
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  workloads::Measurement& measurement_;
  std::exception_ptr failure_;
};

}  // namespace

TimedRepetition BenchmarkTimer::time(const std::string& cell, workloads::Measurement& measurement, std::size_t passes) {
  const Clock::time_point start = Clock::now();
  GuardedCase guarded(measurement);
  auto* benchmark = benchmark::RegisterBenchmark(cell.c_str(), [&guarded](benchmark::State& state) { guarded(state); });
  benchmark->Iterations(static_cast<benchmark::IterationCount>(passes))->Repetitions(1);
  if (measurement.repeatable()) {
    benchmark->UseRealTime();
  } else {
    benchmark->UseManualTime();
  }
  CollectingReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter, "all");
  benchmark::ClearRegisteredBenchmarks();
  guarded.rethrow();
  return {reporter.repetition(), std::chrono::duration<double, std::nano>(Clock::now() - start).count()};
}

}  // namespace stowage::harness
