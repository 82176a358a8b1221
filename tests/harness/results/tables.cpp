#include "harness/results/tables.hpp"

#include <algorithm>
#include <sstream>
#include <string>

#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("one table for each workload: the floor, then the best first, ties marked, failures last and named") {
  CHECK(tables_text(fake::sample_run()) ==
        "walk via:each: ns per entity\n"
        "                                1k               16k \n"
        "reference (floor)    1.00 ±0% 1.00     1.00 ±0% 1.00 \n"
        "fast                 2.00 ±0% 2.00*    2.00 ±0% 2.00*\n"
        "twin                2.10 ±10% 2.10=   2.10 ±10% 2.10=\n"
        "plodder              6.00 ±0% 6.00     6.00 ±0% 6.00 \n"
        "wrong                        ERROR             ERROR \n"
        "\n"
        "± is the 95 % interval; then the ratio to the reference, measured in the same rounds\n"
        "* best of its column   = tied with it: the interval of their ratio includes 1\n"
        "\n"
        "bytes held per entity at 16k entities, the most over a workload's parameters\n"
        "         walk\n"
        "plodder  56.0\n"
        "ERROR walk/wrong/entities:1024/via:each: checksum 0x1 differs from 0x2 of reference\n"
        "ERROR walk/wrong/entities:16384/via:each: checksum 0x1 differs from 0x2 of reference\n");
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

}  // namespace
}  // namespace stowage::harness
