#include "harness/measure/pass.hpp"

#include "harness/verify/cells.hpp"

namespace stowage::harness {

std::vector<BlockResult> empty_results(const std::vector<Block>& blocks, workloads::Lines lines) {
  std::vector<BlockResult> results;
  for (const Block& block : blocks) {
    BlockResult& result = results.emplace_back();
    result.workload = block.workload->card.name;
    result.parameters = block.parameters.name();
    for (const StrategyEntry* strategy : block.strategies) {
      result.cells.push_back({.strategy = strategy->name, .counters = floor_counters(block, lines)});
    }
  }
  return results;
}

void add_figures(Run& run, const std::vector<Block>& blocks, const Bench& bench, const PassRecord& record,
                 const SaveRun& save, const std::function<bool(const Block&)>& takes_part,
                 const std::function<BlockPassed(const Block&, BlockResult&)>& measure) {
  std::vector<std::pair<const Block*, BlockResult*>> to_do;
  std::size_t cells = 0;
  for (const Block& block : blocks) {
    BlockResult* const result = takes_part(block) ? find_block(run, block.name()) : nullptr;
    if (result == nullptr) continue;
    to_do.emplace_back(&block, result);
    cells += result->cells.size();
  }
  const double started_s = bench.now_s();
  const double wall_before_s = run.state.wall_s;
  bench.progress.start(cells, 0, record.pass);
  for (const auto& [block, result] : to_do) {
    const BlockPassed passed = measure(*block, *result);
    run.state.interrupted = !passed.complete;
    run.state.wall_s = wall_before_s + bench.now_s() - started_s;
    bench.progress.block_done(static_cast<double>(result->cells.size()));
    const bool is_recorded = std::ranges::find(run.passes, record.pass, &PassRecord::pass) != run.passes.end();
    if (passed.cells > 0 && !is_recorded) run.passes.push_back(record);
    if (passed.cells > 0 || run.state.interrupted) save(run);
    if (run.state.interrupted) break;
  }
  bench.progress.stop();
}

}  // namespace stowage::harness
