#include "harness/cli/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <iostream>
#include <string>

#include "harness/measure/clock.hpp"
#include "harness/measure/system/terminal.hpp"
#include "harness/results/metrics.hpp"
#include "harness/schedule/interrupt.hpp"

namespace stowage::harness {
namespace {

PassRecord record_of(const CachePlan& plan, const CallgrindSimulator& simulator) {
  PassRecord record{.pass = std::string(cache_pass),
                    .source = "simulated",
                    .details = {{"model", plan.model.name},
                                {"l1i", plan.model.l1i.text()},
                                {"l1d", plan.model.l1d.text()},
                                {"ll", plan.model.ll.text()},
                                {"caches", plan.cold ? "cold" : "warm"},
                                {"valgrind", simulator.valgrind_version()},
                                {"flags", simulator.build().flags},
                                {"limits", std::string(simulation_limits)}}};
  if (!plan.model.roundings.empty()) {
    record.details["rounded"] = fmt::format("{}", fmt::join(plan.model.roundings, "; "));
  }
  return record;
}

}  // namespace

bool simulate(Run& run, const std::vector<Block>& blocks, const CachePlan& plan, CallgrindSimulator& simulator,
              const SaveRun& save) {
  std::erase_if(run.passes, [](const PassRecord& record) { return record.pass == cache_pass; });
  run.passes.push_back(record_of(plan, simulator));
  Progress progress(std::cerr, stderr_is_terminal());
  return run_cache_pass(run, blocks, plan, {simulator, progress, InterruptGuard::interrupted, steady_now_s}, save);
}

}  // namespace stowage::harness
