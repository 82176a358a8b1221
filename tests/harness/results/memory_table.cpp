#include "harness/results/memory_table.hpp"

#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

CellResult cell(const std::string& strategy, double bytes_per_entity) {
  return {.strategy = strategy,
          .items = 1000,
          .repetitions = {},
          .error = {},
          .counters = {{"bytes_per_entity", bytes_per_entity}}};
}

Run counted_run() {
  Run run;
  run.blocks = {{"walk", "entities:1024/via:each", {cell("reference", 40), cell("fast", 56)}},
                {"walk", "entities:1024/via:find", {cell("reference", 40), cell("fast", 61)}},
                {"walk", "entities:4096/via:each", {cell("reference", 40), cell("fast", 57)}},
                {"build", "entities:1024", {cell("fast", 60.25)}}};
  return run;
}

TEST_CASE("bytes are compared at the largest size of all workloads, by the most that a strategy holds") {
  CHECK(memory_text(counted_run()) ==
        "\nbytes held per entity at 1k entities, the most over a workload's parameters\n"
        "                   walk  build\n"
        "reference (floor)  40.0      -\n"
        "fast               61.0   60.2\n");
}

TEST_CASE("a cell that was left out is named with the reason") {
  Run run = counted_run();
  run.omissions = {{"cache", "walk/fast/entities:1024", "another pass"},
                   {"memory", "build/fast/entities:1024", "lies"}};
  CHECK_THAT(memory_text(run), ContainsSubstring("\nno bytes of build/fast/entities:1024: lies\n"));
  run.omissions.push_back({.pass = "memory", .cell = "walk/fast/entities:1024", .reason = "lies"});
  CHECK_THAT(memory_text(run), ContainsSubstring("no bytes of 2 cells, build/fast/entities:1024 among them: lies\n"));
  CHECK_THAT(memory_text(run), !ContainsSubstring("another pass"));
}

TEST_CASE("a workload without the commonest size is named below the table") {
  Run run = counted_run();
  run.blocks.push_back({"far", "entities:65536", {cell("fast", 70)}});
  CHECK_THAT(memory_text(run), ContainsSubstring("at 1k entities"));
  CHECK_THAT(memory_text(run), ContainsSubstring("\nnot counted at this size: far\n"));
}

TEST_CASE("where nothing was counted there is no table") {
  Run run = counted_run();
  run.blocks.clear();
  CHECK(memory_text(run).empty());
}

}  // namespace
}  // namespace stowage::harness
