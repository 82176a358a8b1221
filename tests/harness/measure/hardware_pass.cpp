#include "harness/measure/hardware/counters.hpp"

#include "tests/harness/fake_bench.hpp"
#include "tests/harness/measure/fake_events.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

/// Ten passes a repetition, by the fake timer.
constexpr HardwarePlan plan{.repetitions = 3, .min_time_ns = 10'000};

class Pass {
 public:
  Pass(const std::string& strategies, const std::string& workloads)
      : blocks_(fake_.blocks(strategies, workloads, "1k")) {
    events.passes_each_time = 10;
    run.blocks = empty_results(blocks_);
  }

  bool count() {
    HardwareCounters counters(events);
    fake_.stopped = stopped;
    return run_hardware_pass(run, blocks_, plan, counters, fake_.bench());
  }

  [[nodiscard]] const CellResult& cell(const std::string& strategy) const {
    return *std::ranges::find(run.blocks.front().cells, strategy, &CellResult::strategy);
  }

  /// The first block's workload says that it cannot be counted.
  void refuse(std::string (*why)(const workloads::Parameters&)) {
    refusing_ = *blocks_[0].workload;
    refusing_.why_uncounted = why;
    blocks_[0].workload = &refusing_;
  }

  fake::EventsOfAll events;
  Run run;
  bool stopped = false;

 private:
  fake::FakeBench fake_;
  std::vector<Block> blocks_;
  WorkloadEntry refusing_;
};

TEST_CASE("every good cell is counted, and the record says by what") {
  Pass pass("reference,fast,wrong", "walk");
  pass.events.share = {{"CYCLES", 0.5}};
  REQUIRE(pass.count());
  const CellResult& fast = pass.cell("fast");
  CHECK(fast.items > 0);
  CHECK(fast.counters.at("counted_time_share") == 0.5);
  CHECK(fast.counters.at("instructions_per_item") == Approx(8000.0 / static_cast<double>(fast.items)));
  CHECK_THAT(pass.cell("wrong").error, ContainsSubstring("checksum"));
  CHECK_FALSE(pass.cell("wrong").counters.contains("instructions_per_item"));
  REQUIRE(pass.run.passes.size() == 1);
  CHECK(pass.run.passes.front().source == "hardware");
  CHECK_THAT(pass.run.passes.front().details.at("events"),
             ContainsSubstring("l1d_misses_per_item by L1-DCACHE-LOAD-MISSES"));
  CHECK_FALSE(pass.run.passes.front().details.contains("not counted"));
  CHECK_FALSE(pass.run.passes.front().details.contains("not believed"));
  CHECK(pass.events.open_handles == 0);
}

TEST_CASE("cells that a workload declares uncountable are verified, and left out with the reason") {
  Pass pass("reference,fast,wrong", "walk");
  pass.refuse([](const workloads::Parameters&) { return std::string("it is a crowd"); });
  REQUIRE(pass.count());
  CHECK_FALSE(pass.cell("fast").counters.contains("instructions_per_item"));
  CHECK(pass.cell("fast").items > 0);
  CHECK_THAT(pass.cell("wrong").error, ContainsSubstring("checksum"));
  REQUIRE(pass.run.omissions.size() == 2);
  CHECK(pass.run.omissions[1].cell == "walk/fast/entities:1024/via:each");
  CHECK(pass.run.omissions[1].reason == "it is a crowd");
}

TEST_CASE("figures that are not given are named, with the reason") {
  Pass pass("reference,fast", "walk");
  pass.events.per_pass.erase("DTLB-LOAD-MISSES");
  pass.events.per_pass["LLC-LOAD-MISSES"] = 500;
  REQUIRE(pass.count());
  const auto& details = pass.run.passes.front().details;
  CHECK_THAT(details.at("not counted"), ContainsSubstring("dtlb_misses_per_item: this processor"));
  CHECK_THAT(details.at("not believed"),
             ContainsSubstring("ll_misses_per_item of 2 cells: more last-level than L1d misses"));
  CHECK_FALSE(pass.cell("fast").counters.contains("ll_misses_per_item"));
}

TEST_CASE("the pass stops between two cells") {
  Pass pass("reference,fast", "walk");
  pass.stopped = true;
  CHECK_FALSE(pass.count());
  CHECK_FALSE(pass.cell("fast").counters.contains("instructions_per_item"));
}

}  // namespace
}  // namespace stowage::harness
