#include "harness/schedule/run_blocks.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace stowage::harness {
namespace {

std::vector<const Block*> blocks_to_do(const Run& run, const std::vector<Block>& blocks) {
  std::vector<const Block*> to_do;
  for (const Block& block : blocks) {
    const bool is_done = std::ranges::find(run.blocks, block.name(), &BlockResult::name) != run.blocks.end();
    if (!is_done) to_do.push_back(&block);
  }
  return to_do;
}

std::size_t cells_of(const std::vector<const Block*>& blocks) {
  std::size_t cells = 0;
  for (const Block* block : blocks) cells += block->strategies.size();
  return cells;
}

std::size_t cells_of(const Run& run) {
  std::size_t cells = 0;
  for (const BlockResult& block : run.blocks) cells += block.cells.size();
  return cells;
}

/// An equal share of what is left for each block that is left: what a small block does not use goes to the larger ones.
std::optional<double> share_of(const std::optional<double>& budget_s, double elapsed_s, std::size_t blocks_left) {
  if (!budget_s) return std::nullopt;
  return (*budget_s - elapsed_s) / static_cast<double>(blocks_left);
}

}  // namespace

void run_blocks(Run& run, const std::vector<Block>& blocks, const TimePlan& plan, const Bench& bench,
                const SaveRun& save) {
  const std::vector<const Block*> to_do = blocks_to_do(run, blocks);
  const double started_s = bench.now_s();
  const double wall_before_s = run.state.wall_s;
  run.state.blocks_planned = blocks.size();
  run.state.interrupted = false;
  bench.progress.start(cells_of(to_do) + cells_of(run), cells_of(run));
  save(run);
  for (std::size_t index = 0; index < to_do.size() && !run.state.interrupted; ++index) {
    TimePlan block_plan = plan;
    block_plan.budget_s = share_of(plan.budget_s, bench.now_s() - started_s, to_do.size() - index);
    const std::optional<BlockResult> result = measure_block(*to_do[index], block_plan, bench);
    run.state.interrupted = !result;
    run.state.wall_s = wall_before_s + bench.now_s() - started_s;
    if (result) {
      run.blocks.push_back(*result);
      bench.progress.block_done(result->cells.size());
    }
    save(run);
  }
  bench.progress.stop();
}

}  // namespace stowage::harness
