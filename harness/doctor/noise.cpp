// The noise floor of `stowage doctor`: measures equal cells as two strategies; by how much they differ is noise.
#include "harness/doctor/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "harness/doctor/calibration.hpp"
#include "harness/errors.hpp"
#include "harness/plan/preset.hpp"

namespace stowage::harness::doctor {
namespace {

constexpr std::size_t in_the_cache = 16 * 1024;
constexpr std::size_t out_of_the_cache = 256 * 1024;
/// The number of workloads that are taken if the catalogue has no world.
constexpr std::size_t most_other_workloads = 3;
/// Decides the order of rounds, and nothing else.
constexpr std::uint64_t order_seed = 1;
/// The time limit for each precision. A usual machine takes less.
constexpr double most_s_per_preset = 6;
/// What `compare --fail-above 5%` and the closest ranks of a table ask for.
constexpr double largest_untold_difference = 0.05;

struct Wanted {
  std::string_view workload;
  std::size_t entities;
};
constexpr Wanted wanted_cells[] = {{"world.iterate_dense", in_the_cache},
                                   {"world.lookup", in_the_cache},
                                   {"world.lookup", out_of_the_cache},
                                   {"world.churn", in_the_cache},
                                   {"world.spike", in_the_cache}};

/// A block of `entities` in which some strategy is measured beside the hand-written loops: that strategy and its equal
/// copy, or itself twice.
std::optional<Block> twin_block(const WorkloadEntry& workload, std::size_t entities, const Catalogue& catalogue) {
  SelectionRequest request;
  request.workloads = std::string(workload.card.name);
  request.entities = std::to_string(entities);
  std::vector<Block> blocks;
  try {
    blocks = expand(resolve(request, catalogue), catalogue);
  } catch (const UserError&) {  // no such size of it
    return std::nullopt;
  }
  for (Block& block : blocks) {
    std::erase_if(block.strategies,
                  [](const StrategyEntry* strategy) { return strategy->is_company() || strategy->is_yardstick(); });
    if (block.strategies.empty()) continue;
    const auto plainest = std::ranges::find(block.strategies, "indirection_map", &StrategyEntry::name);
    const StrategyEntry* strategy = plainest != block.strategies.end() ? *plainest : block.strategies.front();
    const StrategyEntry* const copy = catalogue.find(copy_name(strategy->name, 0));
    block.strategies = {strategy, copy != nullptr ? copy : strategy};
    return block;
  }
  return std::nullopt;
}

std::vector<double> times_of(const CellResult& cell) {
  std::vector<double> times;
  std::ranges::transform(cell.repetitions, std::back_inserter(times), &Repetition::real_ns);
  return times;
}

NoisyCell noisy_cell_of(const BlockResult& block) {
  NoisyCell noisy{.name = block.cell_name(block.cells.at(0))};
  for (const CellResult& cell : block.cells) {
    if (noisy.error.empty()) noisy.error = cell.error;
  }
  if (!noisy.error.empty()) return noisy;
  noisy.ratio = estimate_median(ratios_per_round(times_of(block.cells.at(0)), times_of(block.cells.at(1))));
  return noisy;
}

/// How far the interval reaches from 1.
double reach(const NoisyCell& cell) {
  if (!cell.error.empty() || !cell.ratio.interval) return std::numeric_limits<double>::infinity();
  return std::max(cell.ratio.interval->high - 1, 1 - cell.ratio.interval->low);
}

}  // namespace

bool holds_one(const NoisyCell& cell) {
  return !cell.ratio.interval || (cell.ratio.interval->low <= 1 && cell.ratio.interval->high >= 1);
}

double width(const NoisyCell& cell) {
  if (!cell.ratio.interval) return std::numeric_limits<double>::infinity();
  return cell.ratio.interval->high - cell.ratio.interval->low;
}

double untold_difference(const NoiseFloor& floor) {
  double widest = 0;
  for (const NoisyCell& cell : floor.cells) widest = std::max(widest, reach(cell));
  return widest;
}

std::vector<Block> noise_blocks(const Catalogue& catalogue) {
  std::vector<Block> blocks;
  const auto add = [&](const WorkloadEntry& workload, std::size_t entities) {
    if (std::optional<Block> block = twin_block(workload, entities, catalogue)) blocks.push_back(*block);
  };
  for (const Wanted& wanted : wanted_cells) {
    for (const WorkloadEntry& workload : catalogue.workloads()) {
      if (workload.card.name == wanted.workload) add(workload, wanted.entities);
    }
  }
  if (!blocks.empty()) return blocks;
  for (const WorkloadEntry& workload : catalogue.workloads()) {
    if (blocks.size() < most_other_workloads) add(workload, in_the_cache);
  }
  return blocks;
}

std::vector<std::string> noise_units(const Catalogue& catalogue) {
  std::vector<std::string> units;
  for (const WorkloadEntry& workload : catalogue.workloads()) {
    const bool is_wanted =
        std::ranges::find(wanted_cells, workload.card.name, &Wanted::workload) != std::end(wanted_cells);
    if (is_wanted) return {workload.unit};
    if (units.size() < most_other_workloads) units.push_back(workload.unit);
  }
  return units;
}

NoiseFloor noise_floor_of(const std::string& preset, const std::vector<BlockResult>& blocks) {
  NoiseFloor floor{preset, {}};
  std::ranges::transform(blocks, std::back_inserter(floor.cells), noisy_cell_of);
  return floor;
}

std::optional<std::vector<NoiseFloor>> measure_noise(const std::vector<Block>& blocks, const Bench& bench) {
  std::vector<NoiseFloor> floors;
  for (const char* name : {"quick", "standard"}) {
    Run run;
    TimePlan plan = time_plan_of(find_preset(name), order_seed);
    plan.budget_s = most_s_per_preset;
    run_blocks(run, blocks, plan, bench, [](const Run&) {});
    if (run.state.interrupted) return std::nullopt;
    floors.push_back(noise_floor_of(name, run.blocks));
  }
  return floors;
}

Check judge_noise(const std::vector<NoiseFloor>& floors) {
  if (floors.empty() || floors.back().cells.empty()) {
    return missing("noise", "this binary has no cell to measure",
                   "build one with a strategy and a workload: `./scripts/build release stowage`");
  }
  const NoiseFloor& floor = floors.back();
  for (const NoisyCell& cell : floor.cells) {
    if (cell.error.empty()) continue;
    return poor("noise", fmt::format("{}: {}", cell.name, cell.error),
                "`stowage verify` shows what is wrong with this binary", true);
  }
  const double untold = untold_difference(floor);
  std::string found =
      fmt::format("equal cells come out up to {:.1f} % apart with the precision of {}", 100 * untold, floor.preset);
  if (untold <= largest_untold_difference) return ok("noise", std::move(found));
  return poor(
      "noise", std::move(found),
      fmt::format("more than {:.0f} % is too much to rank by: mend what is poor above, then run `stowage doctor` again",
                  100 * largest_untold_difference),
      true);
}

}  // namespace stowage::harness::doctor
