#include "harness/results/tables.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("one table for each workload: the floor, then the best first, ties marked, failures last and named") {
  CHECK(tables_text(fake::sample_run()) ==
        "walk via:each: ns per entity, × floor\n"
        "                                1k               16k \n"
        "reference (floor)    1.00 ±0% 1.00     1.00 ±0% 1.00 \n"
        "fast                 2.00 ±0% 2.00*    2.00 ±0% 2.00*\n"
        "twin                2.10 ±10% 2.10?   2.10 ±10% 2.10?\n"
        "plodder              6.00 ±0% 6.00     6.00 ±0% 6.00 \n"
        "wrong                        ERROR             ERROR \n"
        "\n"
        "±: the 95 % interval   × floor: relative to the reference, in the same rounds\n"
        "× code: relative to hand-written code that keeps the storage contract, `reference.store` or that of\n"
        "the family or of the world, such as `reference.sections`; near 1.00 is as good as code gets\n"
        "* best of its column   = equal to it, within 5 %   ? open: neither equal nor worse for certain\n"
        "\n"
        "memory footprint at 16k entities: bytes per entity, the most over a workload's parameters\n"
        "         walk\n"
        "plodder  56.0\n"
        "ERROR walk/wrong/entities:1024/via:each: checksum 0x1 differs from 0x2 of reference\n"
        "ERROR walk/wrong/entities:16384/via:each: checksum 0x1 differs from 0x2 of reference\n");
}

TEST_CASE("a table with a contract floor has the ratio to that too, and the floors first") {
  Run run = fake::sample_run();
  run.blocks.resize(1);
  run.blocks[0].cells.push_back(fake::cell("reference.store", {4, 4, 4, 4, 4, 4, 4}));
  const std::string text = tables_text(run);
  CAPTURE(text);
  CHECK(
      text.starts_with("walk via:each: ns per entity, × floor, × code\n"
                       "                                     1k \n"
                       "reference (floor)    1.00 ±0% 1.00 0.25 \n"
                       "reference.store      4.00 ±0% 4.00 1.00 \n"
                       "fast                 2.00 ±0% 2.00 0.50*\n"));
}

TEST_CASE("no line is wider than 100 characters, whatever the sizes and names") {
  Run run = fake::sample_run();
  run.blocks.clear();
  for (const char* entities : {"1024", "16384", "262144", "1048576", "4194304"}) {
    run.blocks.push_back({"walk",
                          "entities:" + std::string(entities),
                          {fake::cell("reference", {100, 100, 100, 100, 100, 100}),
                           fake::cell("archetype_sections.fixed_32k", {1e5, 2e5, 3e5, 1e5, 2e5, 3e5})}});
  }
  std::istringstream lines(tables_text(run));
  for (std::string line; std::getline(lines, line);) {
    const auto continuation_bytes = std::ranges::count_if(line, [](char byte) { return (byte & 0xC0) == 0x80; });
    CHECK(line.size() - static_cast<std::size_t>(continuation_bytes) <= 100);
  }
  CHECK_THAT(tables_text(run), ContainsSubstring("4M"));
}

TEST_CASE("a strategy that is not in a block has a dash there") {
  Run run = fake::sample_run();
  std::erase_if(run.blocks[0].cells, [](const CellResult& result) { return result.strategy == "twin"; });
  CHECK_THAT(tables_text(run), ContainsSubstring("- "));
}

TEST_CASE("a run without blocks has no tables") {
  Run run = fake::sample_run();
  run.blocks.clear();
  CHECK(tables_text(run).empty());
}

Run framed_run() {
  Run run = fake::sample_run();
  run.blocks.resize(1);
  std::vector<CellResult>& cells = run.blocks[0].cells;
  cells[0].counters = {{"frames", 1000}, {"frame_p50_ns", 900}, {"frame_max_ns", 30'000}};
  for (const std::size_t of : {1, 3}) {
    cells[of].counters = {{"frames", 1000}, {"frame_p50_ns", 1000}, {"frame_p99_ns", 2000}, {"frame_max_ns", 4000}};
    for (const char* what : {"growths", "rehashes", "sections", "collected_rows"}) {
      cells[of].counters[std::string("worst_frame_") + what] = 0;
    }
  }
  cells[1].counters["frame_p999_ns"] = 3000;
  cells[1].counters["frame_max_ns"] = 20e6;
  cells[1].counters["worst_frame_growths"] = 2;
  cells[1].counters["worst_frame_sections"] = 1;
  return run;
}

TEST_CASE("frames are a table of their own, the best worst frame first and the floor before") {
  CHECK(frames_text(framed_run()) ==
        "\nwalk via:each at 1k entities: us per frame, of 1000 frames each\n"
        "                    p50   p99  p99.9  worst           in the worst\n"
        "reference (floor)  0.90     -      -   30.0                      -\n"
        "fast               1.00  2.00      -   4.00                nothing\n"
        "plodder            1.00  2.00   3.00  20000  2 growths, 1 sections\n");
}

TEST_CASE("a table of unequal series says so, because longer ones have worse frames") {
  Run run = framed_run();
  run.blocks[0].cells[1].counters["frames"] = 100;
  CHECK_THAT(frames_text(run), ContainsSubstring("us per frame, of 100 to 1000 frames\n"));
}

TEST_CASE("a run without frames has no such table, and one that left cells out says so") {
  Run run = fake::sample_run();
  CHECK(frames_text(run).empty());
  run.omissions.push_back({"frames", "walk/twin/entities:1024/via:each", "threw: the hold is full"});
  CHECK(frames_text(run) == "no frames of walk/twin/entities:1024/via:each: threw: the hold is full\n");
}

CellResult counted(const std::string& strategy, double bytes_per_entity) {
  CellResult result = fake::cell(strategy, {});
  result.counters["bytes_per_entity"] = bytes_per_entity;
  return result;
}

Run counted_run() {
  Run run;
  run.blocks = {{"walk", "entities:1024/via:each", {counted("reference", 40), counted("fast", 56)}},
                {"walk", "entities:1024/via:find", {counted("reference", 40), counted("fast", 61)}},
                {"walk", "entities:4096/via:each", {counted("reference", 40), counted("fast", 57)}},
                {"build", "entities:1024", {counted("fast", 60.25)}}};
  return run;
}

TEST_CASE("bytes are compared at the largest size of all workloads, by the most that a strategy holds") {
  CHECK(memory_text(counted_run()) ==
        "\nmemory footprint at 1k entities: bytes per entity, the most over a workload's parameters\n"
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
  run.blocks.push_back({"far", "entities:65536", {counted("fast", 70)}});
  CHECK_THAT(memory_text(run), ContainsSubstring("at 1k entities"));
  CHECK_THAT(memory_text(run), ContainsSubstring("\nnot counted at this size: far\n"));
}

TEST_CASE("if nothing was counted there is no table") {
  Run run = counted_run();
  run.blocks.clear();
  CHECK(memory_text(run).empty());
}

}  // namespace
}  // namespace stowage::harness
