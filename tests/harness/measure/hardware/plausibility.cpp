#include "harness/measure/hardware/plausibility.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

Counters plausible() {
  return {{"cycles_per_item", 40},     {"instructions_per_item", 80}, {"branch_misses_per_item", 0.5},
          {"l1d_misses_per_item", 4},  {"ll_misses_per_item", 1},     {"dtlb_misses_per_item", 0.25},
          {"page_faults_per_item", 0}, {"task_clock_ns_per_item", 12}};
}

std::vector<std::string> doubted(Counters counters) {
  std::vector<std::string> names;
  const std::size_t before = counters.size();
  for (const Doubt& doubt : remove_unbelievable(counters)) names.push_back(doubt.metric);
  std::ranges::sort(names);
  CHECK(counters.size() + names.size() == before);
  for (const std::string& name : names) CHECK_FALSE(counters.contains(name));
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("figures that agree are left alone") {
  CHECK(doubted(plausible()).empty());
  CHECK(doubted({}).empty());
  CHECK(doubted({{"ll_misses_per_item", 1.0}}).empty());
}

TEST_CASE("of two figures that contradict each other neither is believed") {
  Counters counters = plausible();
  SECTION("last level above the first") {
    counters["ll_misses_per_item"] = 4.5;
    CHECK(doubted(counters) == Names{"l1d_misses_per_item", "ll_misses_per_item"});
  }
  SECTION("more instructions than cycles can hold") {
    counters["cycles_per_item"] = 4;
    CHECK(doubted(counters) == Names{"cycles_per_item", "instructions_per_item"});
  }
  SECTION("branches that were never executed") {
    counters["branch_misses_per_item"] = 81;
    CHECK(doubted(counters) == Names{"branch_misses_per_item", "instructions_per_item"});
  }
}

TEST_CASE("a counter that stays at zero is dead, and contradicts none that lives") {
  Counters counters = plausible();
  counters["l1d_misses_per_item"] = 0;
  CHECK(doubted(counters) == Names{"l1d_misses_per_item"});
  counters["dtlb_misses_per_item"] = 0;
  CHECK(doubted(counters) == Names{"dtlb_misses_per_item", "l1d_misses_per_item"});
}

TEST_CASE("vector instructions work on several items, but not on any number") {
  CHECK(doubted({{"instructions_per_item", 0.5}}).empty());
  CHECK(doubted({{"instructions_per_item", 0.01}}) == Names{"instructions_per_item"});
}

}  // namespace
}  // namespace stowage::harness
