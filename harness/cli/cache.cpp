
#include <CLI/App.hpp>
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/measure/hardware/counters.hpp"
#include "harness/measure/simulated/pass.hpp"
#include "harness/measure/time.hpp"
#include "harness/plan/new_run.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/json.hpp"
#include "harness/results/metrics.hpp"
#include "harness/results/summary.hpp"
#include "harness/system/cores.hpp"
#include "harness/system/process.hpp"
#include "harness/system/progress.hpp"
#include "harness/verify/cells.hpp"

namespace stowage::harness {
namespace {

constexpr std::int64_t most_jobs = 256;

struct CacheOptions {
  SelectionRequest selection;
  std::string source = "auto";
  std::optional<std::string> model;
  bool cold = false;
  bool force = false;
  std::string format = "table";
  std::int64_t jobs = static_cast<std::int64_t>(processors());  // signed, so that -1 is refused as it was typed
};

bool asks_for_simulation(const CacheOptions& options) { return options.model || options.cold || options.force; }

void check(const CacheOptions& options) {
  if (options.jobs < 1 || options.jobs > most_jobs) {
    throw UserError("--jobs {}: give a number of cells from 1 to {}", options.jobs, most_jobs);
  }
  if (options.source == "hardware" && asks_for_simulation(options)) {
    throw UserError("--model, --cold and --force are for the simulator; leave them out or give --source simulated");
  }
}

/// True if hardware counters are asked for, or if the choice is automatic and this machine has them.
bool takes_hardware(const CacheOptions& options) {
  if (options.source == "simulated" || asks_for_simulation(options)) return false;
  const std::string obstacle = obstacle_to_counting();
  if (obstacle.empty()) return true;
  if (options.source == "hardware") throw EnvironmentError("no hardware counters: " + obstacle);
  say("no hardware counters, so caches are simulated: {}", obstacle);
  return false;
}

/// What was left out has no entry.
void drop_cells_without_figures(Run& run) {
  for (BlockResult& block : run.blocks) {
    std::erase_if(block.cells, [](const CellResult& cell) { return cell.error.empty() && cell.items == 0; });
  }
  std::erase_if(run.blocks, [](const BlockResult& block) { return block.cells.empty(); });
}

/// False if it was interrupted, as below.
bool simulate_cells(Run& run, const std::vector<Block>& blocks, const CacheModel& model, const CacheOptions& options,
                    const Bench& bench) {
  const CachePlan plan{.model = model, .cold = options.cold, .takes_any_size = options.force};
  CallgrindSimulator simulator(plan.model,
                               std::min(static_cast<std::size_t>(options.jobs), cells_to_simulate(run, blocks)));
  run.environment.build = simulator.build();
  return simulate(run, blocks, plan, simulator, bench, [](const Run&) {});
}

bool count_cells(Run& run, const std::vector<Block>& blocks, const Bench& bench) {
  const std::unique_ptr<EventSource> events = system_events();
  HardwareCounters counters(*events);
  return run_hardware_pass(run, blocks, {}, counters, bench);
}

void cache(CacheOptions& options, const CommandContext& context) {
  check(options);
  const CacheModel model = parse_cache_model(options.model.value_or("reference"));
  const Catalogue& catalogue = context.catalogue;
  add_checked_storages(options.selection, context);
  const Selection selection = resolve(options.selection, catalogue);
  if (options.format == "table") static_cast<void>(find_python(text_tool()));  // before anything is compiled
  add_cells(selection, context);
  const std::vector<Block> blocks = expand(selection, catalogue);
  say_left_out(selection, blocks, catalogue);
  const bool hardware = takes_hardware(options);
  if (hardware) pin_to_cpus("");
  Run run = new_run(options_of(selection), selection, "");
  run.line_bytes = hardware ? host_line_bytes() : model.is_tlb() ? 0 : model.l1d.line_bytes;
  run.blocks = empty_results(blocks, {run.line_bytes});
  const InterruptGuard guard;
  SteadyTimer timer;
  Progress progress(std::cerr, stderr_is_terminal());
  const Bench bench{catalogue, timer, progress, InterruptGuard::interrupted, steady_now_s};
  const bool complete = hardware ? count_cells(run, blocks, bench) : simulate_cells(run, blocks, model, options, bench);
  drop_cells_without_figures(run);
  if (complete && options.format == "json") {
    std::cout << (hardware ? to_json_text(run) : to_exact_json_text(run)) << std::flush;
  } else if (options.format == "table") {
    print_unsaved(run);
  }
  std::cerr << omissions_text(run, cache_pass);
  if (!complete) throw Interrupted("interrupted before every cell was done");
  if (const std::size_t failed = failed_cells_of(run); failed > 0) {
    std::cerr << failures_text(run);
    throw NegativeAnswer("{} cell{} failed verification, without figures: see above", failed, failed == 1 ? "" : "s");
  }
}

}  // namespace

void add_cache_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand("cache", "Counts the cache misses of the selected cells, beside their floor");
  const auto options = std::make_shared<CacheOptions>();
  add_selection_options(*command, options->selection);
  add_choice_option(*command, "--source", options->source, {"auto", "simulated", "hardware"},
                    "auto (the default: hardware if its counters are plausible), simulated or hardware");
  command->add_option("--model", options->model,
                      "The simulated caches: reference (the default), apple-m1, zen2, cortex-a53, host, sizes such as "
                      "L1=48k:12,LL=2M:16,line=64, or tlb and tlb-2M for the misses of the TLB");
  command->add_flag("--cold", options->cold, "Starts each cell with empty caches instead of warm ones");
  command->add_flag("--force", options->force, "Simulates a cell however long that takes");
  add_choice_option(*command, "--format", options->format, {"table", "json"}, "table (the default) or json");
  command->add_option("--jobs", options->jobs, "Cells that are simulated together; one for each processor by default");
  set_action(*command, context, [options, &context] { cache(*options, context); });
}

}  // namespace stowage::harness
