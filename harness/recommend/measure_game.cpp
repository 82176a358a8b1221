// The process that `stowage recommend` starts to measure a game on some strategies, and the plan that it is given.
#include "harness/recommend/measure_game.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "harness/build/modules.hpp"
#include "harness/errors.hpp"
#include "harness/measure/frames.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/rounds.hpp"
#include "harness/measure/simulated/callgrind.hpp"
#include "harness/measure/simulated/pass.hpp"
#include "harness/measure/time.hpp"
#include "harness/plan/new_run.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"
#include "harness/system/json.hpp"
#include "harness/system/process.hpp"
#include "harness/system/progress.hpp"

namespace stowage::harness {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasuringPlan::Cells, entities, rates, shares, work, weight)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasuringPlan, out, strategies, modules, blocks, repetitions, min_time_s, budget_s,
                                   frames, frames_s, has_threads, systems_of, memory, simulated, simulation_budget_s)

namespace {

MeasuringPlan parse_plan(std::string_view text) {
  try {
    return nlohmann::json::parse(text).get<MeasuringPlan>();
  } catch (const nlohmann::json::exception& error) {
    throw UserError("what is to be measured is not as `stowage recommend` writes it: {}", error.what());
  }
}

Block block_of(const MeasuringPlan::Cells& cells, const std::vector<std::string>& strategies,
               const Catalogue& catalogue) {
  const WorkloadEntry& workload = catalogue.workloads().front();
  Block block{&workload, {}, {}};
  block.parameters.entities = cells.entities;
  block.parameters.values = {{"rates", cells.rates}, {"shares", cells.shares}, {"work", cells.work}};
  for (const StrategyEntry& strategy : catalogue.strategies()) {
    const bool is_wanted = std::ranges::find(strategies, strategy.name) != strategies.end();
    if (is_wanted && catalogue.supports(strategy.name, workload.card.name, block.parameters)) {
      block.strategies.push_back(&strategy);
    }
  }
  return block;
}

Selection selection_of(const MeasuringPlan& plan, const Catalogue& catalogue) {
  Selection selection;
  selection.preset = &find_preset("quick");
  selection.workloads = {&catalogue.workloads().front()};
  for (const MeasuringPlan::Cells& cells : plan.blocks) selection.entities.push_back(cells.entities);
  for (const StrategyEntry& strategy : catalogue.strategies()) selection.strategies.push_back(&strategy);
  return selection;
}

/// Notes the reason for each strategy that cannot take part, as passes do for cells.
void note_obstacles(Run& run, const MeasuringPlan& plan, const Catalogue& catalogue) {
  const WorkloadEntry& workload = catalogue.workloads().front();
  for (const MeasuringPlan::Cells& cells : plan.blocks) {
    const Block block = block_of(cells, {}, catalogue);
    for (const std::string& strategy : plan.strategies) {
      const std::string obstacle = catalogue.obstacle(strategy, workload.card.name, block.parameters);
      if (obstacle.empty()) continue;
      run.omissions.push_back(
          {"time", fmt::format("{}/{}/{}", workload.card.name, strategy, cells.parameters()), obstacle});
    }
  }
}

class GameMeasuring {
 public:
  GameMeasuring(const MeasuringPlan& plan, const Catalogue& catalogue)
      : plan_(plan),
        catalogue_(catalogue),
        progress_(terminal_or_nothing(), stderr_is_terminal()),
        bench_{catalogue, timer_, progress_, InterruptGuard::interrupted, steady_now_s},
        run_(new_run(options_of(selection_of(plan, catalogue), plan.repetitions, plan.min_time_s),
                     selection_of(plan, catalogue), std::string(measure_argument))) {
    for (const MeasuringPlan::Cells& cells : plan.blocks)
      blocks_.push_back(block_of(cells, plan.strategies, catalogue));
    note_obstacles(run_, plan, catalogue);
  }

  void measure() {
    time_blocks();
    if (plan_.frames > 0 && !run_.state.interrupted) time_frames();
    if (plan_.memory && !run_.state.interrupted) run_memory_pass(run_, {blocks_.front()}, bench_, not_yet);
    if (!plan_.simulated.empty() && !run_.state.interrupted) count_misses();
    progress_.stop();
    if (run_.state.interrupted) throw Interrupted("interrupted");
    make_directory(plan_.out);
    save_run(plan_.out, run_);
  }

 private:
  /// Progress is for people alone.
  [[nodiscard]] static std::ostream& terminal_or_nothing() {
    static std::ostream nothing(nullptr);
    return stderr_is_terminal() ? std::cerr : nothing;
  }
  /// Nothing is resumed, so only what is whole is written.
  static void not_yet(const Run&) {}

  /// Times each block within its share of the time.
  void time_blocks() {
    double weight = 0;
    for (const MeasuringPlan::Cells& cells : plan_.blocks) weight += cells.weight;
    std::size_t cells = 0;
    for (const Block& block : blocks_) cells += block.strategies.size();
    progress_.start(cells, 0);
    double left_s = plan_.budget_s;
    for (std::size_t i = 0; i < blocks_.size() && !run_.state.interrupted; ++i) {
      const double share = plan_.blocks[i].weight / weight;
      const double started_s = steady_now_s();
      const TimePlan time{.repetitions = plan_.repetitions,
                          .fewest_repetitions = std::min<std::size_t>(7, plan_.repetitions),
                          .min_time_ns = plan_.min_time_s * 1e9,
                          .budget_s = left_s * share,
                          .seed = order_seed(run_),
                          .builds_anew = false};  // there are other processes for that
      std::optional<BlockResult> result = measure_block(blocks_[i], time, bench_);
      run_.state.interrupted = !result;
      if (result && plan_.has_threads) forget_processor_time(*result);
      if (result) run_.blocks.push_back(*result);
      progress_.block_done(static_cast<double>(blocks_[i].strategies.size()));
      left_s -= steady_now_s() - started_s;
      weight -= plan_.blocks[i].weight;
    }
  }

  /// That of one thread does not contain its waiting for others, which is part of the frame.
  static void forget_processor_time(BlockResult& block) {
    for (CellResult& cell : block.cells) {
      for (Repetition& repetition : cell.repetitions) repetition.cpu_ns = 0;
    }
  }

  /// As many frames of each strategy, because longer series have worse frames. What interrupts a thread that waits for
  /// no other is not caused by the strategy.
  void time_frames() {
    const auto cells = static_cast<double>(std::max<std::size_t>(1, plan_.strategies.size()));
    const FramesPlan frames{.frames = plan_.frames,
                            .most_s_per_cell = plan_.frames_s / cells,
                            .seed = order_seed(run_),
                            .keeps_frames = true,
                            .systems_of = plan_.systems_of};
    run_frames_pass(run_, blocks_, frames, bench_, plan_.has_threads ? steady_now_ns : thread_now_ns, not_yet);
  }

  /// An answer can do without them, so a machine without the simulator is no error.
  void count_misses() {
    const CachePlan cache{.model = parse_cache_model("reference"), .budget_s = plan_.simulation_budget_s};
    const std::vector<Block> blocks{block_of(plan_.blocks.front(), plan_.simulated, catalogue_)};
    const Block& counted = blocks.front();
    try {
      CallgrindSimulator simulator(cache.model, std::min(counted.strategies.size(), processors()));
      run_.state.interrupted = !run_cache_pass(run_, blocks, cache, simulator, bench_, not_yet);
    } catch (const EnvironmentError& error) {
      for (const StrategyEntry* strategy : counted.strategies) {
        run_.omissions.push_back({"cache", counted.cell_name(*strategy), error.what()});
      }
    }
  }

  const MeasuringPlan& plan_;
  const Catalogue& catalogue_;
  SteadyTimer timer_;
  Progress progress_;
  InterruptGuard guard_;
  Bench bench_;
  Run run_;
  std::vector<Block> blocks_;
};

/// Has the game as its only workload, on the strategies of the plan.
Catalogue catalogue_of(const MeasuringPlan& plan) {
  Catalogue catalogue;
  for (const std::string& strategy : plan.strategies) {
    load_module(plan.modules.at(strategy), catalogue);
    catalogue.set_module(strategy, "", plan.modules.at(strategy));
  }
  return catalogue;
}

}  // namespace

std::string MeasuringPlan::Cells::parameters() const {
  return fmt::format("entities:{}/rates:{}/shares:{}/work:{}", entities, rates, shares, work);
}

MeasuringPlan::Cells MeasuringPlan::Cells::of_saves() const {
  constexpr double weight_of_saves = 0.3;
  Cells saves = *this;
  saves.work = "save";
  saves.weight *= weight_of_saves;
  return saves;
}

MeasuringPlan::Cells frame_cells(const Profile& profile) { return {.entities = profile.entities}; }
MeasuringPlan::Cells save_cells(const Profile& profile) { return frame_cells(profile).of_saves(); }

std::string to_text(const MeasuringPlan& plan) { return nlohmann::json(plan).dump(); }

void measure_game(std::string_view plan_text) {
  const MeasuringPlan plan = parse_plan(plan_text);
  const Catalogue catalogue = catalogue_of(plan);
  GameMeasuring(plan, catalogue).measure();
}

}  // namespace stowage::harness
