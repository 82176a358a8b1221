#include "harness/system/progress.hpp"

#include <chrono>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using namespace std::chrono_literals;

TEST_CASE("anywhere but on a terminal, progress is a line every ten seconds at most, with the time left") {
  std::ostringstream out;
  Progress::Clock::time_point now{};
  Progress progress(out, false, [&now] { return now; });
  progress.start(12, 4);
  progress.working_on("join/fast/entities:1024", "round 1 of 7");
  CHECK(out.str().empty());
  now += 10s;
  progress.block_done(4);
  progress.working_on("join/fast/entities:2048", "round 2 of 7");
  CHECK(out.str() == "time pass: 8/12 cells, 0:10 left  join/fast/entities:2048 (round 2 of 7)\n");
  now += 9s;
  progress.working_on("join/fast/entities:4096", "round 1 of 7");
  progress.stop();
  CHECK(std::ranges::count(out.str(), '\n') == 1);
}

TEST_CASE("on a terminal one line is rewritten, and taken away at the end") {
  std::ostringstream out;
  Progress progress(out, true);
  progress.start(12, 4, "memory");
  progress.working_on("join/fast/entities:1024", "round 1 of 7");
  progress.block_done(4);
  progress.stop();
  CHECK(out.str() == "\r\x1b[Kmemory pass: 4/12 cells  join/fast/entities:1024 (round 1 of 7)\r\x1b[K");
}

TEST_CASE("a terminal is written to a few times a second at most") {
  std::ostringstream out;
  Progress::Clock::time_point now{};
  Progress progress(out, true, [&now] { return now; });
  progress.start(12, 0);
  for (int call = 0; call < 100; ++call, now += 10ms) progress.working_on("join/fast/entities:1024", "verifying");
  CHECK(std::ranges::count(out.str(), '\r') == 4);
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
