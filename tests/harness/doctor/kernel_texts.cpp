#include "harness/doctor/kernel_texts.hpp"

#include <string>

#include "tests/support/catch.hpp"

namespace stowage::harness::doctor {
namespace {

/// Of a virtual machine with two processors.
const std::string stored_stat =
    "cpu  630525 90 53257 269654 1569 7 302 1271 40 5\n"
    "cpu0 258456 75 24205 194069 582 0 13 656 0 0\n"
    "cpu1 372069 14 29051 75585 987 0 288 614 0 0\n"
    "intr 2357551 0 0\n";

const std::string stored_meminfo =
    "MemTotal:       24684084 kB\n"
    "MemFree:        22562968 kB\n"
    "MemAvailable:   23071308 kB\n"
    "SwapCached:            0 kB\n"
    "SwapTotal:       2097148 kB\n"
    "SwapFree:        2095100 kB\n";

TEST_CASE("work is what programs and the kernel did; waiting, guests counted twice and steal are none") {
  CHECK(parse_ticks(stored_stat) == ProcessorTicks{.busy = 630525 + 90 + 53257 + 7 + 302, .stolen = 1271});
}

TEST_CASE("a kernel that does not know of steal yet has none") {
  CHECK(parse_ticks("cpu  100 1 20 3000\ncpu0 100 1 20 3000\n") == ProcessorTicks{.busy = 121, .stolen = 0});
}

TEST_CASE("what is no /proc/stat says nothing") {
  for (const char* text : {"", "cpu", "cpu  1 2 3\n", "cpu0 1 2 3 4\n", "intr 1 2 3 4 5 6 7 8\n", "cpu  a b c d\n"}) {
    CHECK_FALSE(parse_ticks(text));
  }
}

TEST_CASE("memory is what can be had, and swap what is used of it") {
  CHECK(parse_memory(stored_meminfo) ==
        MemoryState{.available_bytes = 23071308ULL * 1024, .swap_used_bytes = 2048ULL * 1024});
  CHECK(parse_memory("MemAvailable: 8 kB\n") == MemoryState{.available_bytes = 8192, .swap_used_bytes = 0});
  CHECK_FALSE(parse_memory("MemTotal: 24684084 kB\n"));
  CHECK_FALSE(parse_memory(""));
}

TEST_CASE("a switch is on, off or not told") {
  CHECK(parse_switch("1\n") == true);
  CHECK(parse_switch("0") == false);
  for (const char* text : {"", "2", "notsupported", "10"}) CHECK_FALSE(parse_switch(text).has_value());
}

TEST_CASE("what was busy and not ours was others', in processors") {
  // 400 ticks of 100 a second are 4 s, of which 3.5 are ours, in 5 s
  const Company company =
      company_between({.busy = 1000, .stolen = 50}, {.busy = 1400, .stolen = 150}, {.wall_s = 5, .own_s = 3.5});
  CHECK(company.processors == Approx(0.1));
  CHECK(company.stolen_share == Approx(0.2));
}

TEST_CASE("coarse ticks and counters that go backwards make nobody's work negative") {
  CHECK(company_between({.busy = 100}, {.busy = 140}, {.wall_s = 1, .own_s = 0.5}) == Company{});
  CHECK(company_between({.busy = 100, .stolen = 9}, {.busy = 90, .stolen = 3}, {.wall_s = 1, .own_s = 0}) == Company{});
  CHECK(company_between({}, {}, {.wall_s = 0, .own_s = 0}) == Company{});
}

}  // namespace
}  // namespace stowage::harness::doctor
