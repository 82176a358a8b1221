#include "harness/schedule/calibration.hpp"

#include "tests/harness/fake_bench.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

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

TEST_CASE("a pass that is longer than that is run once") {
  const Calibration calibration = CalibratedCase(1e9, 0)();
  CHECK(calibration.passes == 1);
  CHECK(calibration.elapsed_ns == 1e9);
}

TEST_CASE("a long prepare() limits the number of passes") {
  const Calibration calibration = CalibratedCase(1000, 1e6)();
  CHECK(calibration.passes >= 1);
  CHECK(calibration.elapsed_ns <= 10 * four_ms);
  CHECK(CalibratedCase(1000, 1e9)().passes == 1);
}

TEST_CASE("passes that take no time at all do not calibrate for ever") {
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
