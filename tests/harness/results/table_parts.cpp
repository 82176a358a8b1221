#include "harness/results/table_parts.hpp"

#include "tests/harness/sample_run.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("columns that are too wide for the page go below, with the labels again") {
  const PageColumn labels = {"", "fast", "±"};
  CHECK(page_table(labels, {{"a", "1", "22"}, {"b", "-", "3"}}, 13) ==
        "       a  b\n"
        "fast   1  -\n"
        "±     22  3\n");
  CHECK(page_table(labels, {{"a", "1", "22"}, {"b", "-", "3"}}, 10) ==
        "       a\n"
        "fast   1\n"
        "±     22\n"
        "      b\n"
        "fast  -\n"
        "±     3\n");
}

TEST_CASE("what a pass left out is listed by reason, and each cell that failed by name") {
  Run run = fake::sample_run();
  run.omissions = {{"cache", "a/b/entities:1", "too long"},
                   {"cache", "c/d/entities:1", "too long"},
                   {"cache", "e/f/entities:1", "threw: no"},
                   {"memory", "g/h/entities:1", "too long"}};
  CHECK(omissions_text(run, "cache") ==
        "stowage: e/f/entities:1 left out of the cache pass: threw: no\n"
        "stowage: 2 cells left out of the cache pass: too long\n");
  CHECK_THAT(failures_text(run), ContainsSubstring("ERROR walk/wrong/entities:1024/via:each: checksum 0x1 differs"));
}

}  // namespace
}  // namespace stowage::harness
