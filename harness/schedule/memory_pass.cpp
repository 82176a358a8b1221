#include "harness/schedule/memory_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "harness/measure/memory.hpp"
#include "harness/measure/system/processors.hpp"
#include "harness/results/metrics.hpp"
#include "harness/schedule/case.hpp"

namespace stowage::harness {
namespace {

/// A cell to count, and what came of it.
struct MemoryJob {
  CellResult* cell = nullptr;
  const StrategyEntry* strategy = nullptr;  ///< none where the catalogue has it no more
  MemoryCount counted = {};
  std::string reason_to_leave_out = {};
  bool done = false;
};

/// Whether cells of it may be counted while others are: what holds its types may count these without a lock, as EnTT
/// and flecs do, and what comes from elsewhere may do anything.
[[nodiscard]] bool is_alone(const MemoryJob& job) {
  return job.strategy != nullptr && !(job.strategy->storage_folder.empty() && job.strategy->lacks.empty());
}

class MemoryPass {
 public:
  MemoryPass(Run& run, const Bench& bench) : run_(run), bench_(bench) {}

  /// On all processors, since nothing is timed.
  void count(const Block& block, BlockResult& result) {
    std::vector<MemoryJob> jobs = jobs_of(block, result);
    if (jobs.empty()) return;
    bench_.progress.working_on(block.name(), "counting bytes");
    count_together(block, jobs);
    for (MemoryJob& job : jobs) {
      if (is_alone(job)) count(block, job);
    }
    for (MemoryJob& job : jobs) take(result, job);
  }

  [[nodiscard]] std::size_t cells() const noexcept { return cells_; }

 private:
  [[nodiscard]] std::vector<MemoryJob> jobs_of(const Block& block, BlockResult& result) const {
    std::vector<MemoryJob> jobs;
    for (CellResult& cell : result.cells) {
      if (!lacks_figures(result, cell)) continue;
      const auto strategy = std::ranges::find(block.strategies, cell.strategy, &StrategyEntry::name);
      jobs.push_back({.cell = &cell, .strategy = strategy == block.strategies.end() ? nullptr : *strategy});
    }
    return jobs;
  }

  [[nodiscard]] bool lacks_figures(const BlockResult& block, const CellResult& cell) const {
    if (!cell.error.empty() || cell.counters.contains("bytes_per_entity")) return false;
    const std::string name = block.cell_name(cell);
    return std::ranges::none_of(run_.omissions, [&name](const Omission& omission) {
      return omission.pass == memory_pass && omission.cell == name;
    });
  }

  void count_together(const Block& block, std::vector<MemoryJob>& jobs) const {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t index = next++; index < jobs.size(); index = next++) {
        if (!is_alone(jobs[index])) count(block, jobs[index]);
      }
    };
    std::vector<std::jthread> others(std::min(processors(), jobs.size()) - 1);
    for (std::jthread& other : others) other = std::jthread(work);
    work();
  }

  void count(const Block& block, MemoryJob& job) const {
    if (bench_.stop()) return;
    std::string& reason = job.reason_to_leave_out;
    reason = reason_not_to_count(job);
    if (reason.empty()) {
      reason = error_of([&] {
        const MakeMeasurement make = bench_.catalogue.maker(job.cell->strategy, block.workload->card.name);
        job.counted = count_memory(make, block.parameters);
      });
    }
    if (reason.empty()) reason = job.counted.disagreement;
    job.done = true;
  }

  void take(const BlockResult& result, const MemoryJob& job) {
    if (!job.done) return;
    ++cells_;
    if (job.reason_to_leave_out.empty()) {
      job.cell->counters.merge(memory_counters(job.counted));
    } else {
      run_.omissions.push_back({std::string(memory_pass), result.cell_name(*job.cell), job.reason_to_leave_out});
    }
  }

  [[nodiscard]] static std::string reason_not_to_count(const MemoryJob& job) {
    if (job.strategy == nullptr) return {};
    const std::string why = job.strategy->reason_to_lack(Capability::memory_accounting);
    return why.empty() ? why : fmt::format("not offered: {}, because {}", name_of(Capability::memory_accounting), why);
  }

  Run& run_;
  const Bench& bench_;
  std::size_t cells_ = 0;
};

void note_memory_source(Run& run) {
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
  std::size_t cells = 0;
  for (const BlockResult& block : run.blocks) cells += block.cells.size();
  bench.progress.start(cells, 0, memory_pass);
  for (const Block& block : blocks) {
    const auto result = std::ranges::find(run.blocks, block.name(), &BlockResult::name);
    if (result == run.blocks.end()) continue;
    const std::size_t cells_before = pass.cells();
    pass.count(block, *result);
    bench.progress.block_done(result->cells.size());
    run.state.interrupted = bench.stop();
    run.state.wall_s = wall_before_s + bench.now_s() - started_s;
    if (pass.cells() > cells_before) {
      note_memory_source(run);
      save(run);
    }
    if (run.state.interrupted) break;
  }
  bench.progress.stop();
}

}  // namespace stowage::harness
