#include "harness/doctor/calibration.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/errors.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"
#include "tests/harness/fake_bench.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness::doctor {
namespace {

using StrategyNames = std::vector<std::string>;

TEST_CASE("a copy is named by the share that it is slower") {
  CHECK(copy_name("indirection_map", 5) == "indirection_map+5%");
  CHECK(slowdown_of("indirection_map+5%") == 5);
  CHECK(slowdown_of("hash_index.flat_map+10%") == 10);
  CHECK(slowdown_of("indirection_map") == 0);
  CHECK(slowdown_of("indirection_map+0%") == 0);
}

TEST_CASE("a slowed cell takes that share longer, and others take what they take") {
  fake::FakeBench fake;
  std::vector<double> waits;
  SlowedTimer timer(fake.timer, [&](double ns) {
    waits.push_back(ns);
    return ns + 1;  // a clock is never exact
  });
  const auto measurement = fake.catalogue.maker("fast", "walk")({});
  measurement->prepare();
  const TimedRepetition plain = timer.time("walk/fast/entities:1024", *measurement, 10);
  CHECK(plain.repetition.real_ns == 1000);
  CHECK(waits.empty());
  const TimedRepetition slowed = timer.time("walk/fast+5%/entities:1024", *measurement, 10);
  REQUIRE(waits.size() == 1);
  CHECK(waits.front() == Approx(500));
  CHECK(slowed.repetition.real_ns == Approx(1050.1));
  CHECK(slowed.repetition.cpu_ns == Approx(1050.1));
  CHECK(slowed.elapsed_ns == Approx(plain.elapsed_ns + 501));
}

TEST_CASE("a busy wait is at least as long as asked for") { CHECK(wait_busily(1000) >= 1000); }

StrategyNames strategies_in(const std::filesystem::path& directory) {
  const Run run = load_run(directory);
  StrategyNames names;
  for (const CellResult& cell : run.blocks.at(0).cells) names.push_back(cell.strategy);
  CHECK(std::ranges::is_permutation(names, run.options.strategies));
  return names;
}

CalibrationRequest request_for(const std::filesystem::path& directory, const StrategyNames& strategies) {
  return {.directory = directory, .preset = "quick", .strategies = strategies, .workloads = "walk", .seed = 1};
}

TEST_CASE("a calibration's run is stored without its copies, and they beside it") {
  const TemporaryDirectory directory;
  const fake::FakeBench fake;
  make_calibration_run(request_for(directory.path(), {"fast", "twin"}), fake.bench());
  CHECK(strategies_in(directory.path()) == StrategyNames{"reference", "fast", "twin"});
  CHECK(strategies_in(directory.path() / "copies") ==
        StrategyNames{"reference", "fast", "fast+0%", "fast+2%", "fast+3%", "fast+5%", "fast+10%"});
}

TEST_CASE("a strategy alone has an equal copy only, and larger sizes") {
  const TemporaryDirectory directory;
  const fake::FakeBench fake;
  make_calibration_run(request_for(directory.path(), {"fast"}), fake.bench());
  CHECK(strategies_in(directory.path() / "copies") == StrategyNames{"reference", "fast", "fast+0%"});
  CHECK(std::ranges::count(load_run(directory.path()).options.entities, 1U << 20U) == 1);
}

TEST_CASE("an interrupted run of a calibration leaves no files") {
  const TemporaryDirectory directory;
  fake::FakeBench fake;
  fake.stopped = true;
  CHECK_THROWS_AS(make_calibration_run(request_for(directory.path(), {"fast"}), fake.bench()), Interrupted);
  CHECK_FALSE(holds_results(directory.path()));
}

Environment here() {
  Environment environment;
  environment.host.host_name = "bench";
  environment.host.num_cpus = 2;
  environment.machine.cpu_model = "Example CPU 9000";
  environment.build = {.version = "0.1.0", .compiler = "GNU 12.2.0", .flags = "-O3", .commit = "0123abc"};
  return environment;
}

TEST_CASE("the rates of this machine are quoted, and those of another or of none are not") {
  const TemporaryDirectory directory;
  CHECK(quoted_rates(directory.path(), "recommend", here()).empty());
  replace_file(
      directory.path() / "calibration.json",
      R"({"format": 2, "observations": [], "facts": {"host": "bench", "processor": "Example CPU 9000", "processors": "2",
                             "compiler": "GNU 12.2.0", "compiler flags": "-O3", "version": "0.1.0"},
                   "sentences": {"recommend": "99 of 100 picks."}})");
  CHECK(quoted_rates(directory.path(), "recommend", here()) == "99 of 100 picks.");
  CHECK(quoted_rates(directory.path(), "compare", here()).empty());
  Environment elsewhere = here();
  elsewhere.build.version = "0.2.0";
  CHECK(quoted_rates(directory.path(), "recommend", elsewhere).empty());
  for (const char* damaged :
       {"{", R"({"format": 2, "observations": [], "facts": {}, "sentences": {"recommend": 5}})"}) {
    replace_file(directory.path() / "calibration.json", damaged);
    CHECK(quoted_rates(directory.path(), "recommend", here()).empty());
  }
}

}  // namespace
}  // namespace stowage::harness::doctor
