#include "harness/results/cache_tables.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

CellResult cell(const std::string& strategy, double instructions, double l1d, double ll) {
  CellResult result = fake::cell(strategy, {});
  result.counters = {{"floor_lines_per_item", 0.5625},
                     {"instructions_per_item", instructions},
                     {"l1d_misses_per_item", l1d},
                     {"ll_misses_per_item", ll}};
  return result;
}

Run cache_run() {
  Run run = fake::sample_run();
  run.blocks = {{"walk",
                 "entities:1024/via:each",
                 {cell("reference", 3.375, 0, 0), cell("heap", 33, 2.8, 0), cell("packed", 3, 0, 0)}},
                {"walk",
                 "entities:16384/via:each",
                 {cell("reference", 3.375, 0.5625, 0), cell("heap", 1033, 2.8, 0.031), cell("packed", 2.875, 0.5625, 0),
                  fake::failed_cell("wrong", "threw: no")}}};
  run.blocks[1].cells[2].counters["line_use_share"] = 1;
  return run;
}

TEST_CASE("one table for each workload: the floor, the reference, then the fewest misses first") {
  CHECK(cache_tables_text(cache_run()) ==
        "walk via:each: per entity\n"
        "                                1k                      16k\n"
        "            instr   L1d    LL  use   instr   L1d    LL  use\n"
        "floor             0.562                    0.562           \n"
        "reference    3.38     0     0    -    3.38 0.562     0    -\n"
        "packed       3.00     0     0    -    2.88 0.562     0 1.00\n"
        "heap         33.0  2.80     0    -    1033  2.80 0.031    -\n"
        "wrong                            -                    ERROR\n"
        "\n"
        "instr: instructions   L1d, LL: data misses of the first and of the last level\n"
        "use: share of the fetched lines' bytes that the work needs\n"
        "floor: the least lines that any layout must fetch while nothing is cached yet\n"
        "ERROR walk/wrong/entities:16384/via:each: threw: no\n");
}

TEST_CASE("no line of figures is wider than 100 characters, whatever the sizes and names") {
  Run run = cache_run();
  run.blocks.clear();
  for (const char* entities : {"1024", "16384", "262144", "1048576", "4194304"}) {
    run.blocks.push_back({"walk",
                          "entities:" + std::string(entities),
                          {cell("reference", 1, 1, 1), cell("archetype_sections.fixed_32k", 12345, 12.5, 12.5)}});
  }
  std::istringstream lines(cache_tables_text(run));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
  CHECK_THAT(cache_tables_text(run), ContainsSubstring("4M"));
}

TEST_CASE("omissions are listed by reason") {
  Run run = cache_run();
  run.omissions = {{"cache", "a/b/entities:1", "too long"},
                   {"cache", "c/d/entities:1", "too long"},
                   {"cache", "e/f/entities:1", "threw: no"},
                   {"memory", "g/h/entities:1", "too long"}};
  CHECK(omissions_text(run, "cache") ==
        "stowage: e/f/entities:1 left out of the cache pass: threw: no\n"
        "stowage: 2 cells left out of the cache pass: too long\n");
}

}  // namespace
}  // namespace stowage::harness
