#include "harness/results/frames_table.hpp"

#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

Run framed_run() {
  Run run = fake::sample_run();
  run.blocks.resize(1);
  run.blocks[0].cells[0].counters = {{"frames", 1000}, {"frame_p50_ns", 900}, {"frame_max_ns", 30'000}};
  run.blocks[0].cells[1].counters = {{"frames", 1000},
                                     {"frame_p50_ns", 1000},
                                     {"frame_p99_ns", 2000},
                                     {"frame_p999_ns", 3000},
                                     {"frame_max_ns", 20e6},
                                     {"worst_frame_growths", 2},
                                     {"worst_frame_rehashes", 0},
                                     {"worst_frame_sections", 1},
                                     {"worst_frame_collected_rows", 0}};
  run.blocks[0].cells[3].counters = {{"frames", 1000},
                                     {"frame_p50_ns", 1000},
                                     {"frame_p99_ns", 2000},
                                     {"frame_max_ns", 4000},
                                     {"worst_frame_growths", 0},
                                     {"worst_frame_rehashes", 0},
                                     {"worst_frame_sections", 0},
                                     {"worst_frame_collected_rows", 0}};
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

}  // namespace
}  // namespace stowage::harness
