#include "harness/measure/hardware/pass.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "harness/results/metrics.hpp"
#include "harness/verify/cells.hpp"

namespace stowage::harness {
namespace {

/// Metric and reason of a doubt, with the cells it befell.
using DoubtedCells = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

std::string events_text(const HardwareCounters& counters) {
  std::vector<std::string> texts;
  for (const auto& [metric, event] : counters.events()) texts.push_back(fmt::format("{} by {}", metric, event));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string refusals_text(const HardwareCounters& counters) {
  std::vector<std::string> texts;
  for (const Doubt& doubt : counters.refused()) texts.push_back(fmt::format("{}: {}", doubt.metric, doubt.reason));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string doubts_text(const DoubtedCells& doubts) {
  std::vector<std::string> texts;
  for (const auto& [doubt, cells] : doubts) {
    const std::string where = cells.size() == 1 ? cells.front() : fmt::format("{} cells", cells.size());
    texts.push_back(fmt::format("{} of {}: {}", doubt.first, where, doubt.second));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

PassRecord record_of(const HardwareCounters& counters, const HardwarePlan& plan, const DoubtedCells& doubts) {
  PassRecord record{.pass = std::string(cache_pass),
                    .source = "hardware",
                    .details = {{"counted", "in user space, warm; the task clock in the kernel too"},
                                {"events", events_text(counters)},
                                {"repetitions", fmt::format("median of {}", plan.repetitions)}}};
  if (!counters.refused().empty()) record.details["not counted"] = refusals_text(counters);
  if (!doubts.empty()) record.details["not believed"] = doubts_text(doubts);
  return record;
}

class HardwarePass {
 public:
  HardwarePass(Run& run, const HardwarePlan& plan, HardwareCounters& counters, const Bench& bench)
      : run_(run), plan_(plan), counters_(counters), bench_(bench) {}

  /// False if it was stopped.
  bool count(const Block& block, BlockResult& result) {
    const std::string reason = block.workload->reason_not_to_count(block.parameters);
    const std::vector<CellCheck> checks = verify_block(block, bench_.catalogue, bench_.stop);
    for (std::size_t i = 0; i < checks.size(); ++i) {
      if (bench_.stop()) return false;
      CellResult& cell = result.cells[i];
      cell.error = checks[i].error;
      if (cell.error.empty() && !reason.empty()) {
        run_.omissions.push_back({std::string(cache_pass), block.cell_name(*checks[i].strategy), reason});
      } else if (cell.error.empty()) {
        cell.error = error_of([&] { count(block, *checks[i].strategy, cell); });
      }
      if (cell.error.empty()) cell.items = checks[i].items;
    }
    bench_.progress.block_done(static_cast<double>(checks.size()));
    return checks.size() == block.strategies.size();
  }

  [[nodiscard]] const DoubtedCells& doubts() const noexcept { return doubts_; }

 private:
  void count(const Block& block, const StrategyEntry& strategy, CellResult& cell) {
    const std::string name = block.cell_name(strategy);
    bench_.progress.working_on(name, "counting");
    const std::unique_ptr<workloads::Measurement> measurement = make_case(block, strategy, bench_.catalogue);
    measurement->prepare();
    const Calibration calibration = calibrate(bench_.timer, name, *measurement, plan_.min_time_ns);
    HardwareFigures figures = counters_.count(*measurement, calibration.passes, plan_.repetitions);
    cell.counters.merge(figures.counters);
    for (Doubt& doubt : figures.doubts) {
      doubts_[{std::move(doubt.metric), std::move(doubt.reason)}].push_back(name);
    }
  }

  Run& run_;
  const HardwarePlan& plan_;
  HardwareCounters& counters_;
  const Bench& bench_;
  DoubtedCells doubts_;
};

}  // namespace

bool run_hardware_pass(Run& run, const std::vector<Block>& blocks, const HardwarePlan& plan, HardwareCounters& counters,
                       const Bench& bench) {
  HardwarePass pass(run, plan, counters, bench);
  bench.progress.start(cells_of(blocks), 0, cache_pass);
  bool complete = true;
  for (std::size_t i = 0; complete && i < blocks.size(); ++i) complete = pass.count(blocks[i], run.blocks[i]);
  bench.progress.stop();
  run.passes.push_back(record_of(counters, plan, pass.doubts()));
  return complete;
}

}  // namespace stowage::harness
