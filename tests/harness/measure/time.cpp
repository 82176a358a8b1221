// The timer and its calibration: what is inside the measured region, and how many passes make a repetition.
#include "harness/measure/time.hpp"

#include <chrono>
#include <ctime>

#include "tests/harness/fake_bench.hpp"
#include "tests/harness/fake_case.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// Notes whether the clock may be running.
class RegionProbe final : public RegionObserver {
 public:
  RegionProbe() : former_(Region::observe(this)) {}
  RegionProbe(const RegionProbe&) = delete;
  RegionProbe& operator=(const RegionProbe&) = delete;
  ~RegionProbe() override { Region::observe(former_); }

  void entered() override {
    inside = true;
    ++times_entered;
  }
  void left() override { inside = false; }

  bool inside = false;
  int times_entered = 0;

 private:
  RegionObserver* former_;
};

/// Keeps the order of what was called: p for prepare(), r for a pass inside the region, w for one outside of it.
class RecordingMeasurement final : public fake::Case {
 public:
  RecordingMeasurement(const RegionProbe& probe, bool repeatable) : Case(repeatable), probe_(probe) {}

  void prepare() override { calls += probe_.inside ? 'P' : 'p'; }
  void run(std::size_t passes) override {
    if (throws) throw std::runtime_error("overboard");
    calls.append(passes, probe_.inside ? 'r' : 'w');
  }

  std::string calls;
  bool throws = false;

 private:
  const RegionProbe& probe_;
};

TEST_CASE("a repeatable case has one untimed pass, then all in one region; any other is prepared before each pass") {
  const RegionProbe probe;
  SteadyTimer timer;
  RecordingMeasurement repeatable(probe, true);
  CHECK(timer.time("cell", repeatable, 5).repetition.iterations == 5);
  CHECK(repeatable.calls == "wrrrrr");
  CHECK(probe.times_entered == 1);
  static_cast<void>(timer.time("cell", repeatable, 2, false));
  CHECK(repeatable.calls == "wrrrrrrr");
  RecordingMeasurement prepared(probe, false);
  CHECK(timer.time("cell", prepared, 3).repetition.iterations == 3);
  CHECK(prepared.calls == "prprpr");
  CHECK(probe.times_entered == 1 + 1 + 3);
}

/// A pass of it goes on until both clocks have moved, however coarse they are.
class WorkingMeasurement final : public fake::Case {
 public:
  using Case::Case;
  void run(std::size_t passes) override {
    for (std::size_t pass = 0; pass < passes; ++pass) {
      const auto real = std::chrono::steady_clock::now();
      const std::clock_t cpu = std::clock();
      while (std::chrono::steady_clock::now() == real || std::clock() == cpu) {
      }
    }
  }
};

TEST_CASE("a repetition has times, and its cost is no less than they are") {
  WorkingMeasurement measurement(GENERATE(true, false));
  SteadyTimer timer;
  const TimedRepetition timed = timer.time("cell", measurement, 100);
  CHECK(timed.repetition.real_ns > 0);
  CHECK(timed.repetition.cpu_ns > 0);
  CHECK(timed.elapsed_ns >= timed.repetition.real_ns * 100);
}

TEST_CASE("an exception of the case comes out, and the next case is timed as ever") {
  const RegionProbe probe;
  const bool repeatable = GENERATE(true, false);
  RecordingMeasurement measurement(probe, repeatable);
  SteadyTimer timer;
  measurement.throws = true;
  CHECK_THROWS_WITH(timer.time("cell", measurement, 5), "overboard");
  CHECK_FALSE(probe.inside);
  measurement.throws = false;
  CHECK(timer.time("cell", measurement, 5).repetition.iterations == 5);
}

constexpr double four_ms = 4e6;

class CalibratedCase {
 public:
  CalibratedCase(double pass_ns, double prepare_ns) {
    bench_.timer.pass_ns = [pass_ns](const std::string&) { return pass_ns; };
    bench_.timer.prepare_ns = prepare_ns;
  }

  Calibration operator()() {
    const auto measurement = bench_.catalogue.maker("fast", "walk")({.entities = 1, .values = {}});
    return calibrate(bench_.timer, "cell", *measurement, four_ms);
  }

  [[nodiscard]] std::size_t trials() const { return bench_.timer.timed.size(); }

 private:
  fake::FakeBench bench_;
};

TEST_CASE("a repetition takes about the wanted time") {
  const double pass_ns = GENERATE(1.0, 20.0, 1000.0, 300'000.0);
  const Calibration calibration = CalibratedCase(pass_ns, 0)();
  CHECK(static_cast<double>(calibration.passes) * pass_ns == Approx(four_ms).epsilon(0.05));
  CHECK(calibration.elapsed_ns == Approx(four_ms).epsilon(0.05));
}

TEST_CASE("long passes run once, a long prepare() limits passes, and so do passes that take no time at all") {
  const Calibration once = CalibratedCase(1e9, 0)();
  CHECK(once.passes == 1);
  CHECK(once.elapsed_ns == 1e9);
  const Calibration prepared = CalibratedCase(1000, 1e6)();
  CHECK(prepared.passes >= 1);
  CHECK(prepared.elapsed_ns <= 10 * four_ms);
  CHECK(CalibratedCase(1000, 1e9)().passes == 1);
  CalibratedCase calibrated(0, 0);
  CHECK(calibrated().passes > 1);
  CHECK(calibrated.trials() < 20);
}

TEST_CASE("a shortened repetition has at least one pass") {
  CHECK(shortened({100, 1000}, 0.25).passes == 25);
  CHECK(shortened({100, 1000}, 0.25).elapsed_ns == Approx(250));
  CHECK(shortened({2, 1000}, 0.01).passes == 1);
}

}  // namespace
}  // namespace stowage::harness
