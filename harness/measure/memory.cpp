// The memory pass: compares what memory() says of each cell with the allocator, and makes figures per entity.
#include "harness/measure/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string_view>
#include <thread>

#include "harness/results/metrics.hpp"
#include "harness/system/process.hpp"
#include "harness/verify/cells.hpp"

namespace stowage::harness {
namespace {

std::string disagreement(const MemoryBreakdown& said, const HeapUse& held, std::string_view when) {
  if (said.total_bytes() == held.live_bytes && said.allocations == held.live_blocks) return {};
  return fmt::format("memory() says {} bytes in {} blocks {}, the allocator says {} in {}", said.total_bytes(),
                     said.allocations, when, held.live_bytes, held.live_blocks);
}

}  // namespace

MemoryCount count_memory(MakeMeasurement make, const workloads::Parameters& parameters) {
  ThreadHeapTracker tracker;
  const std::unique_ptr<workloads::Measurement> measurement = make(parameters);
  tracker.leave_out(dynamic_cast<void*>(measurement.get()));  // it is the harness's
  measurement->prepare();
  measurement->run(1);
  MemoryCount count;
  count.entities = parameters.entities;
  count.held = tracker.use();
  count.said = measurement->memory();
  count.disagreement = disagreement(count.said, count.held, "after the pass");
  if (!measurement->destroy_all()) return count;
  const HeapUse emptied = tracker.use();
  count.bytes_emptied = emptied.live_bytes;
  if (count.disagreement.empty()) {
    count.disagreement = disagreement(measurement->memory(), emptied, "after everything was destroyed");
  }
  return count;
}

Counters memory_counters(const MemoryCount& count) {
  const auto per_entity = [&count](std::size_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(count.entities);
  };
  Counters counters{{"payload_bytes_per_entity", per_entity(count.said.payload_bytes)},
                    {"index_bytes_per_entity", per_entity(count.said.index_bytes)},
                    {"slack_bytes_per_entity", per_entity(count.said.slack_bytes)},
                    {"bytes_per_entity", per_entity(count.said.total_bytes())},
                    {"peak_bytes_per_entity", per_entity(count.held.peak_bytes)},
                    {"allocations", static_cast<double>(count.held.live_blocks)},
                    {"allocations_made", static_cast<double>(count.held.allocations)}};
  if (count.bytes_emptied) counters["bytes_per_entity_after_clear"] = per_entity(*count.bytes_emptied);
  if (usable_sizes_are_known) {
    counters["allocator_overhead_bytes_per_entity"] = per_entity(count.held.live_usable_bytes - count.held.live_bytes);
  }
  return counters;
}

namespace {

/// A cell to count, and what came of it.
struct MemoryJob {
  CellResult* cell = nullptr;
  const StrategyEntry* strategy = nullptr;  ///< null if the catalogue no longer has it
  MemoryCount counted = {};
  std::string reason_to_leave_out = {};
  bool done = false;
};

/// True if no other cell may be counted at the same time: EnTT and flecs count component types without a lock, and a
/// storage from elsewhere may do anything.
[[nodiscard]] bool is_alone(const MemoryJob& job) {
  return job.strategy != nullptr && !(job.strategy->storage_folder.empty() && job.strategy->lacks.empty());
}

[[nodiscard]] std::string reason_not_to_count(const MemoryJob& job) {
  if (job.strategy == nullptr) return {};
  const std::string why = job.strategy->reason_to_lack(Capability::memory_accounting);
  return why.empty() ? why : fmt::format("not offered: {}, because {}", name_of(Capability::memory_accounting), why);
}

/// The cells of `result` that have no such figures yet.
std::vector<MemoryJob> jobs_of(const Run& run, const Block& block, BlockResult& result) {
  std::vector<MemoryJob> jobs;
  for (CellResult& cell : result.cells) {
    if (!cell.error.empty() || cell.counters.contains("bytes_per_entity")) continue;
    if (is_left_out(run, memory_pass, result.cell_name(cell))) continue;
    const auto strategy = std::ranges::find(block.strategies, cell.strategy, &StrategyEntry::name);
    jobs.push_back({.cell = &cell, .strategy = strategy == block.strategies.end() ? nullptr : *strategy});
  }
  return jobs;
}

void count(const Block& block, const Bench& bench, MemoryJob& job) {
  if (bench.stop()) return;
  std::string& reason = job.reason_to_leave_out;
  reason = reason_not_to_count(job);
  if (reason.empty()) {
    reason = error_of([&] {
      const MakeMeasurement make = bench.catalogue.maker(job.cell->strategy, block.workload->card.name);
      job.counted = count_memory(make, block.parameters);
    });
  }
  if (reason.empty()) reason = job.counted.disagreement;
  job.done = true;
}

/// On all processors, since nothing is timed; then those that have to be alone.
void count_all(const Block& block, const Bench& bench, std::vector<MemoryJob>& jobs) {
  bench.progress.working_on(block.name(), "counting bytes");
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t index = next++; index < jobs.size(); index = next++) {
      if (!is_alone(jobs[index])) count(block, bench, jobs[index]);
    }
  };
  {
    std::vector<std::jthread> others(std::min(processors(), jobs.size()) - 1);
    for (std::jthread& other : others) other = std::jthread(work);
    work();
  }
  for (MemoryJob& job : jobs) {
    if (is_alone(job)) count(block, bench, job);
  }
}

/// Puts what was counted into `run`; the number of cells.
std::size_t take_over(Run& run, const BlockResult& result, const std::vector<MemoryJob>& jobs) {
  std::size_t cells = 0;
  for (const MemoryJob& job : jobs) {
    if (!job.done) continue;
    ++cells;
    if (job.reason_to_leave_out.empty()) {
      job.cell->counters.merge(memory_counters(job.counted));
    } else {
      run.omissions.push_back({std::string(memory_pass), result.cell_name(*job.cell), job.reason_to_leave_out});
    }
  }
  return cells;
}

}  // namespace

void run_memory_pass(Run& run, const std::vector<Block>& blocks, const Bench& bench, const SaveRun& save) {
  const PassRecord record{
      std::string(memory_pass),
      "counted",
      {{"by", "operator new"}, {"at", "after the preparation of a cell and one pass over its items"}}};
  const auto takes_part = [](const Block& block) { return !block.workload->repeats_memory; };
  add_figures(run, blocks, bench, record, save, takes_part, [&](const Block& block, BlockResult& result) {
    std::vector<MemoryJob> jobs = jobs_of(run, block, result);
    if (!jobs.empty()) count_all(block, bench, jobs);
    return BlockPassed{take_over(run, result, jobs), !bench.stop()};
  });
}

}  // namespace stowage::harness
