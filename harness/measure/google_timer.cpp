// `run --timer google-benchmark`: cells timed by Google Benchmark's runner, as a second opinion on our rounds.
#include <benchmark/benchmark.h>

#include <array>

#include "harness/measure/time.hpp"
#include "harness/verify/cells.hpp"

namespace stowage::harness {
namespace {

void time_case(benchmark::State& state, GoogleTimed& timed, const StopRequest& stop) {
  if (stop() || !timed.error.empty()) {
    state.SkipWithError("stopped");
    return;
  }
  workloads::Measurement& measurement = *timed.measurement;
  timed.error = error_of([&] {
    measurement.prepare();
    if (measurement.repeatable()) {
      measurement.run(1);
      for ([[maybe_unused]] const auto iteration : state) measurement.run(1);
      return;
    }
    for ([[maybe_unused]] const auto iteration : state) {
      measurement.run(1);
      state.PauseTiming();
      measurement.prepare();
      state.ResumeTiming();
    }
  });
  if (!timed.error.empty()) state.SkipWithError(timed.error.c_str());
}

/// Takes the repetitions as they are reported, and prints nothing.
class Collector final : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(std::vector<GoogleTimed>& cases) : cases_(cases) {}

  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0) continue;
      const auto passes = static_cast<double>(run.iterations);
      cases_[static_cast<std::size_t>(run.family_index)].repetitions.push_back(
          {.real_ns = run.real_accumulated_time * 1e9 / passes,
           .cpu_ns = run.cpu_accumulated_time * 1e9 / passes,
           .iterations = static_cast<std::size_t>(run.iterations)});
    }
  }

 private:
  std::vector<GoogleTimed>& cases_;
};

}  // namespace

void time_by_google_benchmark(std::vector<GoogleTimed>& cases, std::size_t repetitions, double min_time_s,
                              const StopRequest& stop) {
  std::array<char*, 2> arguments{const_cast<char*>("stowage"),
                                 const_cast<char*>("--benchmark_enable_random_interleaving=true")};
  int count = arguments.size();
  benchmark::Initialize(&count, arguments.data());
  benchmark::ClearRegisteredBenchmarks();
  for (GoogleTimed& timed : cases) {
    benchmark::RegisterBenchmark(timed.name.c_str(), [&](benchmark::State& state) { time_case(state, timed, stop); })
        ->UseRealTime()
        ->MinTime(min_time_s)
        ->Repetitions(static_cast<int>(repetitions));
  }
  Collector collector(cases);
  if (!cases.empty()) benchmark::RunSpecifiedBenchmarks(&collector);
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace stowage::harness
