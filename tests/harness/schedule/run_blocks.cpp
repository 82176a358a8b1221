#include "harness/schedule/run_blocks.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/harness/fake_bench.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

constexpr TimePlan plan{
    .repetitions = 7, .fewest_repetitions = 7, .min_time_ns = 1e6, .budget_s = std::nullopt, .seed = 1};

/// Counts the blocks of every version of the run that reaches the disk.
struct Disk {
  std::vector<std::size_t> blocks_saved;
  std::size_t room_for = 100;

  void operator()(const Run& run) {
    if (run.blocks.size() > room_for) throw std::runtime_error("disk full");
    blocks_saved.push_back(run.blocks.size());
  }
};

TEST_CASE("the run is on disk before the first block and after every one") {
  fake::FakeBench bench;
  Disk disk;
  Run run;
  run_blocks(run, bench.blocks("fast", "walk", "1k,2k,4k"), plan, bench.bench(), std::ref(disk));
  CHECK(disk.blocks_saved == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(run.state.blocks_planned == 3);
  CHECK_FALSE(run.state.interrupted);
}

TEST_CASE("an interrupted run keeps its complete blocks and goes on where it stopped") {
  fake::FakeBench bench;
  const std::vector<Block> blocks = bench.blocks("fast", "walk", "1k,2k,4k");
  Disk disk;
  Run run;
  bench.timer.after_each = [&] { bench.stopped = run.blocks.size() == 1; };
  run_blocks(run, blocks, plan, bench.bench(), std::ref(disk));
  CHECK(run.state.interrupted);
  REQUIRE(run.blocks.size() == 1);
  CHECK(run.blocks[0].name() == blocks[0].name());

  bench.timer.after_each = nullptr;
  bench.stopped = false;
  bench.timer.timed.clear();
  run_blocks(run, blocks, plan, bench.bench(), std::ref(disk));
  CHECK_FALSE(run.state.interrupted);
  CHECK(run.blocks.size() == 3);
  for (const auto& call : bench.timer.timed) CHECK(call.cell.find("entities:1024") == std::string::npos);
}

TEST_CASE("when the disk is full, what was measured is still in memory") {
  fake::FakeBench bench;
  Disk disk{{}, 1};
  Run run;
  CHECK_THROWS(run_blocks(run, bench.blocks("fast", "walk", "1k,2k,4k"), plan, bench.bench(), std::ref(disk)));
  CHECK(run.blocks.size() == 2);
}

TEST_CASE("a budget is kept, whatever the blocks cost") {
  fake::FakeBench bench;
  bench.timer.pass_ns = [](const std::string& cell) {
    return cell.find("entities:4096") == std::string::npos ? 1e3 : 1e8;
  };
  TimePlan budgeted = plan;
  budgeted.repetitions = 1000;
  budgeted.budget_s = 6;
  Disk disk;
  Run run;
  run_blocks(run, bench.blocks("fast", "walk", "1k,2k,4k"), budgeted, bench.bench(), std::ref(disk));
  CHECK(bench.timer.now_s <= 6.5);
  for (const BlockResult& block : run.blocks) CHECK(block.cells[0].repetitions.size() >= plan.fewest_repetitions);
  CHECK(run.blocks[0].cells[0].repetitions.size() > 100);
}

}  // namespace
}  // namespace stowage::harness
