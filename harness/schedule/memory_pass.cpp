#include "harness/schedule/memory_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "harness/measure/memory.hpp"
#include "harness/results/metrics.hpp"
#include "harness/schedule/case.hpp"

namespace stowage::harness {
namespace {

class MemoryPass {
 public:
  MemoryPass(Run& run, const Bench& bench) : run_(run), bench_(bench) {}

  void count(const Block& block, BlockResult& result) {
    for (CellResult& cell : result.cells) {
      if (bench_.stop()) return;
      if (!lacks_figures(result, cell)) continue;
      bench_.progress.working_on(result.cell_name(cell), "counting bytes");
      count(block, result, cell);
      ++cells_;
    }
  }

  [[nodiscard]] std::size_t cells() const noexcept { return cells_; }

 private:
  [[nodiscard]] bool lacks_figures(const BlockResult& block, const CellResult& cell) const {
    if (!cell.error.empty() || cell.counters.contains("bytes_per_entity")) return false;
    const std::string name = block.cell_name(cell);
    return std::ranges::none_of(run_.omissions, [&name](const Omission& omission) {
      return omission.pass == memory_pass && omission.cell == name;
    });
  }

  void count(const Block& block, const BlockResult& result, CellResult& cell) {
    const MakeMeasurement make = bench_.catalogue.maker(cell.strategy, block.workload->card.name);
    MemoryCount counted;
    std::string reason = reason_not_to_count(block, cell);
    if (reason.empty()) reason = error_of([&] { counted = count_memory(make, block.parameters); });
    if (reason.empty()) reason = counted.disagreement;
    if (reason.empty()) {
      cell.counters.merge(memory_counters(counted));
    } else {
      run_.omissions.push_back({std::string(memory_pass), result.cell_name(cell), reason});
    }
  }

  [[nodiscard]] static std::string reason_not_to_count(const Block& block, const CellResult& cell) {
    const auto taking_part = std::ranges::find(block.strategies, cell.strategy, &StrategyEntry::name);
    if (taking_part == block.strategies.end()) return {};
    const std::string why = (*taking_part)->reason_to_lack(Capability::memory_accounting);
    return why.empty() ? why : fmt::format("not offered: {}, because {}", name_of(Capability::memory_accounting), why);
  }

  Run& run_;
  const Bench& bench_;
  std::size_t cells_ = 0;
};

void note_source(Run& run) {
  const auto is_noted = std::ranges::find(run.passes, memory_pass, &PassRecord::pass) != run.passes.end();
  if (is_noted) return;
  run.passes.push_back(
      {std::string(memory_pass),
       "counted",
       {{"by", "operator new"}, {"at", "after the preparation of a cell and one pass over its items"}}});
}

}  // namespace

void run_memory_pass(Run& run, const std::vector<Block>& blocks, const Bench& bench, const SaveRun& save) {
  const double started_s = bench.now_s();
  const double wall_before_s = run.state.wall_s;
  MemoryPass pass(run, bench);
  for (const Block& block : blocks) {
    const auto result = std::ranges::find(run.blocks, block.name(), &BlockResult::name);
    if (result == run.blocks.end()) continue;
    const std::size_t cells_before = pass.cells();
    pass.count(block, *result);
    run.state.interrupted = bench.stop();
    run.state.wall_s = wall_before_s + bench.now_s() - started_s;
    if (pass.cells() > cells_before) {
      note_source(run);
      save(run);
    }
    if (run.state.interrupted) break;
  }
  bench.progress.stop();
  if (pass.cells() == 0) return;
  bench.progress.log(fmt::format("memory pass: {} cells in {:.1f} s", pass.cells(), bench.now_s() - started_s));
}

}  // namespace stowage::harness
