#include "harness/doctor/calibration.hpp"

#include "harness/system/files.hpp"
#include "harness/verify/cells.hpp"
#include "tests/harness/fake_bench.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness::doctor {
namespace {

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
