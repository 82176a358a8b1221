#include "harness/results/measured_file.hpp"

#include <filesystem>

#include "harness/errors.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/results/write.hpp"
#include "harness/system/files.hpp"
#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// Whose message has all of `words`.
void check_refused(const std::string& text, const std::string& words) {
  CAPTURE(text);
  try {
    static_cast<void>(parse_measured_file(text, "some.json"));
    FAIL("nothing was thrown");
  } catch (const UserError& error) {
    CHECK_THAT(error.what(), ContainsSubstring("some.json") && ContainsSubstring(words));
  }
}

MeasuredFile parse_entries(const std::string& entries) {
  return parse_measured_file(R"({"context": {"num_cpus": 2}, "benchmarks": [)" + entries + "]}", "some.json");
}

TEST_CASE("a run of ours is read with rounds, ratios, counters and what they depend on") {
  const MeasuredFile file = parse_measured_file(to_json_text(fake::sample_run()), "some.json");
  CHECK(file.is_of_stowage);
  CHECK(file.fact("processor") == "A processor");
  CHECK(file.fact("seed") == "20140908");
  CHECK(file.fact("no such thing").empty());
  CHECK(file.exact_passes.contains("cache"));
  REQUIRE(file.cells.size() == 10);
  const MeasuredCell& plodder = file.cells[1];
  CHECK(plodder.name == "walk/plodder/entities:1024/via:each");
  REQUIRE(plodder.rounds.size() == 7);
  CHECK(plodder.rounds[0].real_ns == 6000);
  CHECK(plodder.rounds[0].cpu_ns == 6000);
  CHECK(*plodder.rounds[0].ratio == 6);
  CHECK(plodder.figures.at("bytes_per_entity") == 56);
  CHECK_FALSE(plodder.figures.contains("ns_per_item"));
  CHECK_THAT(file.cells[4].error, ContainsSubstring("checksum"));
}

TEST_CASE("exact json has counters, and neither a machine nor times") {
  const MeasuredFile file = parse_measured_file(to_exact_json_text(fake::sample_run()), "some.json");
  CHECK(file.is_of_stowage);
  CHECK(file.fact("host").empty());
  CHECK(file.cells[1].figures.at("l1d_misses_per_item") == 0.5625);
}

TEST_CASE("files of other programs are read in their unit, with or without repetitions") {
  const MeasuredFile file = parse_entries(R"(
      {"name": "a/repeats:2", "run_name": "a", "run_type": "iteration", "real_time": 2, "cpu_time": 1, "time_unit": "us"},
      {"name": "a/repeats:2", "run_name": "a", "run_type": "iteration", "real_time": 3, "cpu_time": 1, "time_unit": "us"},
      {"name": "a_mean", "run_name": "a", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 9, "cpu_time": 1},
      {"name": "b_median", "run_name": "b", "run_type": "aggregate", "aggregate_name": "median", "real_time": 5},
      {"name": "b_BigO", "run_name": "b", "run_type": "aggregate", "aggregate_name": "BigO", "real_coefficient": 5},
      {"name": "old", "real_time": 7, "cpu_time": 7, "time_unit": "ns"},
      {"name": "bad", "run_name": "bad", "run_type": "iteration", "error_occurred": true, "error_message": "no"},
      {"name": "new", "run_name": "new", "run_type": "iteration", "skipped": "ERROR", "skip_message": "no"})");
  CHECK_FALSE(file.is_of_stowage);
  REQUIRE(file.cells.size() == 5);
  CHECK(file.cells[0].rounds.size() == 2);
  CHECK(file.cells[0].rounds[1].real_ns == 3000);
  CHECK_FALSE(file.cells[0].rounds[1].ratio);
  CHECK(file.cells[1].rounds.empty());
  CHECK(*file.cells[1].median_ns == 5);
  CHECK(file.cells[2].rounds.at(0).real_ns == 7);
  CHECK(file.cells[3].error == "no");
  CHECK(file.cells[4].error == "no");
}

TEST_CASE("what cannot be read is refused by name and place") {
  check_refused("", "is not JSON, see line 1, column 1");
  check_refused("{\n  \"context\": oh", "is not JSON, see line 2, column 14");
  check_refused("{\"context\": {", "is truncated");
  check_refused("[]", "no `context`");
  check_refused(R"({"context": {}})", "no `benchmarks`");
  check_refused(R"({"context": 5, "benchmarks": []})", "is damaged");
  check_refused(R"({"context": {}, "benchmarks": []})", "nothing was measured");
  check_refused(R"({"context": {}, "benchmarks": [7]})", "entry 1 of `benchmarks` has no `name`");
  check_refused(R"({"context": {}, "benchmarks": [{"name": "a", "real_time": "1"}]})",
                "('a') has no number `real_time`");
  check_refused(R"({"context": {}, "benchmarks": [{"name": "a", "real_time": 1, "cpu_time": 1, "time_unit": "h"}]})",
                "`time_unit` 'h'");
  check_refused(R"({"context": {}, "benchmarks": [{"name": 5}]})", "is damaged");
  check_refused(R"({"context": {"stowage": {"passes": [{}]}}, "benchmarks": []})", "is damaged");
}

TEST_CASE("a path is a directory of a run, or a file; of one that is neither the nearest is named") {
  const TemporaryDirectory directory;
  std::filesystem::create_directories(directory.path() / "first");
  save_run(directory.path() / "first", fake::sample_run());
  CHECK(load_measured_file(directory.path() / "first").cells.size() == 10);
  CHECK(load_measured_file(directory.path() / "first" / "results.json").cells.size() == 10);
  for (const char* wrong : {"frist", "frist/"}) {
    try {
      static_cast<void>(load_measured_file(directory.path() / wrong));
      FAIL("nothing was thrown");
    } catch (const UserError& error) {
      CHECK_THAT(error.what(), ContainsSubstring("did you mean '" + (directory.path() / "first").string() + "'?"));
    }
  }
  CHECK_THROWS_AS(load_measured_file(directory.path() / "first" / "report"), UserError);
  CHECK_THROWS_AS(load_measured_file(""), UserError);
}

}  // namespace
}  // namespace stowage::harness
