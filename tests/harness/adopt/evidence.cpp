#include "harness/adopt/evidence.hpp"

#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness::adopt {
namespace {

/// Lookups of two strategies at three sizes; misses were counted at the two smaller ones.
Run run_of_lookups() {
  Run run = fake::sample_run();
  run.blocks.clear();
  run.environment.build.commit = "c0ffee";
  run.passes = {{"cache", "simulated", {{"valgrind", "3.19.0"}, {"l1d", "48 KiB"}, {"ll", "2 MiB"}}}};
  for (const char* entities : {"1024", "16384", "262144"}) {
    BlockResult block{.workload = "lookup", .parameters = std::string("entities:") + entities, .cells = {}};
    block.parameters += "/components:4";
    block.cells = {fake::cell("reference", {2, 2, 2, 2, 2, 2}), fake::cell("fast", {3, 3, 3, 3, 3, 3}),
                   fake::failed_cell("wrong", "checksum differs")};
    block.cells[1].counters["floor_lines_per_item"] = 1.625;
    if (block.parameters != "entities:262144/components:4") block.cells[1].counters["l1d_misses_per_item"] = 4.75;
    run.blocks.push_back(block);
  }
  return run;
}

TEST_CASE("figures are shown beside reference and floor, at the largest sizes that matter") {
  const std::string text = evidence_text(run_of_lookups(), "fast", "c0ffee").value();
  CHECK_THAT(text, ContainsSubstring("lookup components:4   16k  3.00   1.50  1.50 to 1.50  4.75   -   1.62      -"));
  CHECK_THAT(text, ContainsSubstring("lookup components:4  256k  3.00   1.50  1.50 to 1.50     -   -   1.62      -"));
  CHECK_THAT(text, !ContainsSubstring("  1k  "));
}

TEST_CASE("the header states where its figures come from, and the command to repeat them") {
  const std::string text = evidence_text(run_of_lookups(), "fast", "c0ffee").value();
  for (const char* said : {"2026-11-20T19:00:00+01:00", "A processor", "L1 48 KiB", "a compiler", "Valgrind 3.19.0",
                           "Again: stowage run --preset quick --strategies fast --workloads point_mass,join,lookup"}) {
    CHECK_THAT(text, ContainsSubstring(said));
  }
  CHECK_THAT(text, !ContainsSubstring("a host"));
  CHECK_THAT(text, !ContainsSubstring("measure again"));
}

TEST_CASE("figures of another commit are marked") {
  CHECK_THAT(evidence_text(run_of_lookups(), "fast", "decade").value(),
             ContainsSubstring("The run is of stowage c0ffee, this header of decade"));
}

TEST_CASE("without a verified cell of a main workload there is no evidence") {
  CHECK_FALSE(evidence_text(run_of_lookups(), "plodder", "c0ffee").has_value());
  CHECK_FALSE(evidence_text(run_of_lookups(), "wrong", "c0ffee").has_value());
  CHECK_FALSE(evidence_text(fake::sample_run(), "fast", "c0ffee").has_value());
}

}  // namespace
}  // namespace stowage::harness::adopt
