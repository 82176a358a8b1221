#include "harness/schedule/progress.hpp"

#include <sstream>
#include <string>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

TEST_CASE("where nobody watches, each block gets one line when it is done") {
  std::ostringstream out;
  Progress progress(out, false);
  progress.start(12, 4);
  progress.working_on("join/fast/entities:1024", "round 1 of 7");
  CHECK(out.str().empty());
  progress.block_done(4);
  progress.log("join/entities:1024");
  CHECK(out.str() == "[8/12 cells] join/entities:1024\n");
}

TEST_CASE("on a terminal one line is rewritten, and taken away at the end") {
  std::ostringstream out;
  Progress progress(out, true);
  progress.start(12, 4);
  progress.working_on("join/fast/entities:1024", "round 1 of 7");
  progress.block_done(4);
  progress.log("join/entities:1024");
  progress.stop();
  CHECK(out.str() == "\r\x1b[K4/12 cells  join/fast/entities:1024 (round 1 of 7)\r\x1b[K");
}

TEST_CASE("time left is told once there is something to tell it from") {
  std::ostringstream out;
  Progress progress(out, true);
  progress.start(12, 0);
  progress.block_progressed(4);
  progress.working_on("join/fast/entities:1024", "round 1 of 7");
  CHECK_THAT(out.str(), ContainsSubstring("0/12 cells, 0:00 left  join"));
}

TEST_CASE("the line never wraps") {
  std::ostringstream out;
  Progress progress(out, true);
  progress.start(1, 0);
  progress.working_on(std::string(200, 'x'), "round 1 of 7");
  CHECK(out.str().size() <= 79 + std::string("\r\x1b[K").size());
}

}  // namespace
}  // namespace stowage::harness
