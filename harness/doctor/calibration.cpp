#include "harness/doctor/calibration.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "harness/doctor/examine.hpp"
#include "harness/errors.hpp"
#include "harness/measure/rounds.hpp"
#include "harness/plan/new_run.hpp"
#include "harness/plan/selection.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/document.hpp"
#include "harness/system/files.hpp"
#include "harness/system/json.hpp"
#include "harness/text.hpp"

namespace stowage::harness::doctor {
namespace {

/// Of calibrations by the verdicts of today; reports/stowage_report/calibrate/store.py writes it.
constexpr int calibration_format = 2;

using Clock = std::chrono::steady_clock;

constexpr const char* entities_of_pairs = "1k,16k,256k";
constexpr const char* entities_of_one_strategy = "1k,16k,256k,1M";
/// All of the other workloads, and one order of `join`: with all of its orders the others would hardly count.
constexpr const char* cells_of_pairs = "^[^j]|/order:unrelated";

/// The share of a preset's time for so many cells, of those that it has.
std::optional<double> budget_of(const Preset& preset, std::size_t cells, const Catalogue& catalogue) {
  if (!preset.budget_s) return std::nullopt;
  SelectionRequest all;
  all.preset = std::string(preset.name);
  const std::size_t cells_of_preset = cells_of(expand(resolve(all, catalogue), catalogue));
  return *preset.budget_s * static_cast<double>(cells) / static_cast<double>(cells_of_preset);
}

bool is_copy(const std::string& strategy) { return strategy.ends_with('%'); }

/// The run as if it had only those strategies.
Run part_of(Run run, const std::function<bool(const std::string&)>& takes) {
  std::erase_if(run.options.strategies, std::not_fn(takes));
  std::erase_if(run.strategy_cards, [&](const StrategyRecord& card) { return !takes(card.name); });
  for (BlockResult& block : run.blocks) {
    std::erase_if(block.cells, [&](const CellResult& cell) { return !takes(cell.strategy); });
  }
  return run;
}

}  // namespace

std::string copy_name(std::string_view strategy, int percent) { return fmt::format("{}+{}%", strategy, percent); }

int slowdown_of(std::string_view strategy) {
  const std::size_t plus = strategy.rfind('+');
  if (plus == std::string_view::npos || !strategy.ends_with('%')) return 0;
  return parse_number<int>(strategy.substr(plus + 1, strategy.size() - plus - 2)).value_or(0);
}

double wait_busily(double ns) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    const double passed = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    if (passed >= ns) return passed;
  }
}

TimedRepetition SlowedTimer::time(const std::string& cell, workloads::Measurement& measurement, std::size_t passes,
                                  bool is_warmed) {
  TimedRepetition timed = timer_.time(cell, measurement, passes, is_warmed);
  const double share = slowdown_of(split_list(cell, '/').at(1)) / 100.0;
  if (share == 0) return timed;
  const auto count = static_cast<double>(passes);
  const double waited_ns = wait_(share * timed.repetition.real_ns * count);
  timed.repetition.real_ns += waited_ns / count;
  timed.repetition.cpu_ns += waited_ns / count;
  timed.elapsed_ns += waited_ns;
  return timed;
}

void make_calibration_run(const CalibrationRequest& request, const Bench& bench) {
  const std::string& original = request.strategies.front();
  const bool is_alone = request.strategies.size() == 1;
  Catalogue copied = bench.catalogue;
  std::vector<std::string> names = request.strategies;
  for (const int percent : slowdowns) {
    if (is_alone && percent > 0) break;
    names.push_back(copy_name(original, percent));
    copied.add_copy(original, names.back());
  }
  SelectionRequest wanted;
  wanted.preset = request.preset;
  wanted.strategies = fmt::format("{}", fmt::join(names, ","));
  wanted.workloads = request.workloads;
  wanted.filter = cells_of_pairs;
  wanted.entities = is_alone ? entities_of_one_strategy : entities_of_pairs;
  const Selection selection = resolve(wanted, copied);
  const std::vector<Block> blocks = expand(selection, copied);
  Run run = new_run(options_of(selection), selection, "stowage doctor --calibrate");
  const Preset& preset = *selection.preset;
  TimePlan plan = time_plan_of(preset, request.seed);
  plan.budget_s = budget_of(preset, cells_of(blocks), bench.catalogue);
  plan.layouts = request.layouts;
  plan.first_layout = request.first_layout;
  SlowedTimer timer(bench.timer);
  const Bench slowed{copied, timer, bench.progress, bench.stop, bench.now_s};
  time_blocks(run, blocks, plan, slowed, [](const Run&) {});
  if (run.state.interrupted) throw Interrupted("interrupted");
  make_directory(request.directory / "copies");
  save_run(request.directory / "copies", part_of(run, [&](const std::string& strategy) {
             return strategy == "reference" || strategy == original || is_copy(strategy);
           }));
  save_run(request.directory, part_of(run, std::not_fn(is_copy)));
}

std::string quoted_rates(const std::filesystem::path& directory, const std::string& command,
                         const Environment& environment) {
  const nlohmann::json facts{{"host", environment.host.host_name},
                             {"processor", environment.machine.cpu_model},
                             {"processors", fmt::to_string(environment.host.num_cpus)},
                             {"compiler", environment.build.compiler},
                             {"compiler flags", environment.build.flags},
                             {"version", environment.build.version}};
  try {
    const std::string file = (directory / "calibration.json").string();
    const nlohmann::json document = read_document(read_text_file(file, {}), "calibration", file, "remove it");
    const bool is_current = document.at("format") == calibration_format && document.at("facts") == facts;
    return is_current ? document.at("sentences").value(command, "") : "";
  } catch (const UserError&) {  // one that is not there or damaged says nothing
    return "";
  }
}

}  // namespace stowage::harness::doctor
