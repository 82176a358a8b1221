// Noise of `stowage doctor`: what ratios of equal cells decide, which blocks are measured for it, and slowed copies.
#include "harness/doctor/noise.hpp"

#include <cmath>

#include "harness/doctor/calibration.hpp"
#include "harness/doctor/examine.hpp"
#include "harness/system/files.hpp"
#include "harness/text.hpp"
#include "harness/verify/cells.hpp"
#include "tests/harness/fake_bench.hpp"
#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness::doctor {
namespace {

/// `ratios` round by round, on a machine that gets slower all the time.
BlockResult twins_that_differ_by(const std::vector<double>& ratios) {
  std::vector<double> one;
  std::vector<double> other;
  for (std::size_t round = 0; round < ratios.size(); ++round) {
    other.push_back(100.0 * static_cast<double>(round + 1));
    one.push_back(other.back() * ratios[round]);
  }
  return {.workload = "walk",
          .parameters = "entities:16384/via:each",
          .cells = {fake::cell("fast", one, 1), fake::cell("fast", other, 1)}};
}

NoiseFloor floor_of(const std::vector<double>& ratios) {
  return noise_floor_of("standard", {twins_that_differ_by(ratios)});
}

const std::vector<double> tight = {0.99, 0.995, 1, 1, 1, 1.005, 1.01};
const std::vector<double> apart = {1.02, 1.02, 1.03, 1.03, 1.03, 1.03, 1.04};
const std::vector<double> wide = {0.5, 0.9, 1, 1, 1, 1.1, 1.5};

TEST_CASE("noise is how far the ratio of equal cells may be from 1, however narrow its interval is, in the noisiest") {
  const NoiseFloor floor = floor_of(tight);
  REQUIRE(floor.cells.size() == 1);
  CHECK(floor.cells[0].name == "walk/fast/entities:16384/via:each");
  CHECK(floor.cells[0].ratio.median == Approx(1));
  CHECK(holds_one(floor.cells[0]));
  CHECK(width(floor.cells[0]) == Approx(0.02));
  CHECK(untold_difference(floor) == Approx(0.01));
  const NoiseFloor false_difference = floor_of(apart);
  CHECK_FALSE(holds_one(false_difference.cells[0]));
  CHECK(width(false_difference.cells[0]) == Approx(0.02));
  CHECK(untold_difference(false_difference) == Approx(0.04));
  const NoiseFloor both = noise_floor_of("standard", {twins_that_differ_by(tight), twins_that_differ_by(wide)});
  CHECK(untold_difference(both) == Approx(0.5));
}

TEST_CASE("noise that is too large to rank by decides the verdict") {
  CHECK(judge_noise({floor_of(wide), floor_of(tight)}).fitness == Fitness::ok);
  const Check check = judge_noise({floor_of(tight), floor_of(wide)});
  CHECK(check.fitness == Fitness::poor);
  CHECK(check.decides);
  CHECK_THAT(check.found, ContainsSubstring("50.0 %"));
}

TEST_CASE("a cell that fails, and rounds too few for an interval, give no noise floor") {
  BlockResult block = twins_that_differ_by(tight);
  block.cells[1].error = "threw: no room";
  const NoiseFloor floor = noise_floor_of("standard", {block});
  CHECK(std::isinf(untold_difference(floor)));
  const Check check = judge_noise({floor});
  CHECK(check.decides);
  CHECK_THAT(check.found, ContainsSubstring("no room"));
  CHECK(std::isinf(untold_difference(floor_of({1, 1, 1}))));
  CHECK(judge_noise({floor_of({1, 1, 1})}).decides);
}

TEST_CASE("a binary without cells has nothing to measure") {
  CHECK(noise_blocks(Catalogue{}).empty());
  for (const std::vector<NoiseFloor>& nothing : {std::vector<NoiseFloor>{}, {noise_floor_of("standard", {})}}) {
    CHECK(judge_noise(nothing).fitness == Fitness::missing);
    CHECK(judge_noise(nothing).decides);
  }
}

TEST_CASE("each block is one strategy twice or, if there is one, with its equal copy, in workloads of its own") {
  Catalogue catalogue = fake::make();
  const bool has_copy = GENERATE(false, true);
  if (has_copy) catalogue.add_copy("fast", "fast+0%");
  const std::vector<Block> blocks = noise_blocks(catalogue);
  REQUIRE(blocks.size() == 3);
  for (const Block& block : blocks) {
    CHECK(names_of(block.strategies, &StrategyEntry::name) ==
          std::vector<std::string>{"fast", has_copy ? "fast+0%" : "fast"});
    CHECK(block.parameters.entities == 16 * 1024);
  }
  CHECK(blocks[0].workload->card.name != blocks[1].workload->card.name);
}

TEST_CASE("the twins take turns in every round, with the precision of quick and then of standard") {
  fake::FakeBench bench;
  const auto floors = measure_noise(noise_blocks(bench.catalogue), bench.bench());
  REQUIRE(floors);
  REQUIRE(floors->size() == 2);
  CHECK(floors->front().preset == "quick");
  CHECK(floors->back().preset == "standard");
  for (const NoiseFloor& floor : *floors) {
    CHECK(floor.cells.size() == 3);
    CHECK(untold_difference(floor) == 0);  // the timer says the same of every pass
    for (const NoisyCell& cell : floor.cells) CHECK(holds_one(cell));
  }
  std::map<std::string, std::size_t> timed;
  for (const auto& call : bench.timer.timed) ++timed[call.cell];
  for (const auto& [cell, times] : timed) CHECK(times >= 2 * (11 + 15));
  // an interrupted examination has no noise floor
  bench.timer.timed.clear();
  bench.timer.after_each = [&bench] { bench.stopped = bench.timer.timed.size() > 20; };
  CHECK_FALSE(measure_noise(noise_blocks(bench.catalogue), bench.bench()));
}

TEST_CASE("a program without strategies needs no memory to run all of them") {
  const fake::FakeBench bench;
  CHECK(memory_need_of_standard(bench.catalogue));
  CHECK_FALSE(memory_need_of_standard(Catalogue{}));
}

// ---- calibration: copies that are slower on purpose

TEST_CASE("a copy is named by the share that it is slower") {
  CHECK(copy_name("indirection_map", 5) == "indirection_map+5%");
  CHECK(slowdown_of("indirection_map+5%") == 5);
  CHECK(slowdown_of("hash_index.flat_map+10%") == 10);
  CHECK_FALSE(slowdown_of("indirection_map"));
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
  CHECK(wait_busily(1000) >= 1000);
}

TEST_CASE("a copy has the cells of its strategy, also those that come later, on entities of its own") {
  fake::FakeBench fake;
  fake.catalogue.add_copy("fast", "fast+0%");
  fake.catalogue.add_copy("none", "none+0%");
  CHECK_FALSE(fake.catalogue.knows("none+0%"));
  fake.catalogue.add_cell("fast", "later", fake.catalogue.maker("fast", "walk"));
  CHECK(fake.catalogue.maker("fast+0%", "later") == fake.catalogue.maker("fast", "walk"));
  static std::vector<std::size_t> made;
  made.clear();
  fake.catalogue.add_cell("fast", "walk", [](const workloads::Parameters& parameters) {
    made.push_back(parameters.copy);
    return fake::make().maker("fast", "walk")(parameters);
  });
  for (const Block& block : fake.blocks("fast,fast+0%", "walk", "1k")) {
    CHECK(block.strategies.size() == 3);
    for (const CellCheck& check : verify_block(block, fake.catalogue, [] { return false; })) CHECK(check.error.empty());
  }
  CHECK(std::ranges::count(made, 0) == 1);
  CHECK(std::ranges::count(made, 1) == 1);
}

TEST_CASE("a run without its copies has everything else") {
  fake::FakeBench fake;
  fake.catalogue.add_copy("fast", "fast+5%");
  Run run;
  run.options.strategies = {"reference", "fast", "fast+5%"};
  run.blocks = empty_results(fake.blocks("fast,fast+5%", "walk", "1k"));
  run = without_copies(std::move(run));
  CHECK(run.options.strategies == std::vector<std::string>{"reference", "fast"});
  for (const BlockResult& block : run.blocks) CHECK(block.cells.size() == 2);
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
      R"({"format": 3, "observations": [], "facts": {"host": "bench", "processor": "Example CPU 9000", "processors": "2",
                             "compiler": "GNU 12.2.0", "compiler flags": "-O3", "version": "0.1.0"},
                   "sentences": {"recommend": "99 of 100 picks."}})");
  CHECK(quoted_rates(directory.path(), "recommend", here()) == "99 of 100 picks.");
  CHECK(quoted_rates(directory.path(), "compare", here()).empty());
  Environment elsewhere = here();
  elsewhere.build.version = "0.2.0";
  CHECK(quoted_rates(directory.path(), "recommend", elsewhere).empty());
  for (const char* damaged :
       {"{", R"({"format": 3, "observations": [], "facts": {}, "sentences": {"recommend": 5}})"}) {
    replace_file(directory.path() / "calibration.json", damaged);
    CHECK(quoted_rates(directory.path(), "recommend", here()).empty());
  }
}

}  // namespace
}  // namespace stowage::harness::doctor
