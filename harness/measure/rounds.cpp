#include "harness/measure/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/memory/heap.hpp"
#include "harness/verify/cells.hpp"

namespace stowage::harness {
namespace {

/// If time is short, repetitions are shortened no further than this: a shorter one would say too little.
constexpr double shortest_share = 0.25;

/// If building all cases anew takes no more than this share of measuring them, it is done before each round. The
/// address that the heap gives a case is chance, which measuring the same place in all rounds would hide.
constexpr double cheap_to_build = 1;

/// Of gaps in the heap: up to a page.
constexpr std::size_t heap_step_bytes = 16;
constexpr std::size_t heap_steps = 255;

/// A verified cell with its case.
struct LiveCell {
  std::size_t index = 0;  ///< in BlockResult::cells
  std::string name;
  CellCheck check;
  std::unique_ptr<workloads::Measurement> measurement;
  Calibration calibration;
};

class BlockRunner {
 public:
  BlockRunner(const Block& block, const TimePlan& plan, const Bench& bench)
      : block_(block), plan_(plan), bench_(bench), started_s_(bench.now_s()) {
    result_.workload = block.workload->card.name;
    result_.parameters = block.parameters.name();
  }

  std::optional<BlockResult> run() {
    if (!verify() || !calibrate_cells()) return std::nullopt;
    const std::size_t rounds = fit_into_budget();
    for (std::size_t round = 0; round < rounds; ++round) {
      if (round != 0 && round % rounds_per_build(rounds) == 0 && !build_anew()) return std::nullopt;
      shuffle(live_, generator_);
      if (!measure_round(round, rounds)) return std::nullopt;
    }
    return std::move(result_);
  }

 private:
  /// Makes every cell, in a random order: the first one built gets the memory that the heap hands out first. What is
  /// verified is what is measured.
  bool verify() {
    const double before_s = bench_.now_s();
    move_heap();
    std::vector<std::size_t> order(block_.strategies.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, generator_);
    std::vector<CellCheck> checks(order.size());
    for (const std::size_t index : order) {
      if (bench_.stop()) return false;
      const StrategyEntry& strategy = *block_.strategies[index];
      bench_.progress.working_on(block_.cell_name(strategy), "verifying");
      VerifiedCase verified = verify_case(block_, strategy, bench_.catalogue, layout());
      checks[index] = std::move(verified.check);
      live_.push_back({index, block_.cell_name(strategy), checks[index], std::move(verified.measurement), {}});
    }
    build_s_ = bench_.now_s() - before_s;
    compare(checks);
    take_over(checks);
    return true;
  }

  /// In the order of the last round. All of them are gone before the first is made, so that each may get the memory of
  /// another.
  bool build_anew() {
    for (LiveCell& cell : live_) cell.measurement.reset();
    ++builds_;
    move_heap();
    for (LiveCell& cell : live_) {
      if (bench_.stop()) return false;
      bench_.progress.working_on(cell.name, "building anew");
      VerifiedCase verified = verify_case(block_, *cell.check.strategy, bench_.catalogue, layout());
      std::string& error = result_.cells[cell.index].error;
      error = verified.check.error;
      if (error.empty() && verified.check.outcome() != cell.check.outcome()) {
        error = "did other work when it was built anew";
      }
      if (!error.empty()) continue;
      cell.measurement = std::move(verified.measurement);
      if (cell.measurement->repeatable()) error = error_of([&] { cell.measurement->prepare(); });
    }
    drop_failed();
    return true;
  }

  /// What is built next begins at another place of a page.
  void move_heap() { gap_ = std::make_unique<char[]>(heap_step_bytes * (1 + below(generator_, heap_steps))); }

  void take_over(const std::vector<CellCheck>& checks) {
    for (const CellCheck& check : checks) {
      result_.cells.push_back({.strategy = check.strategy->name,
                               .items = check.items,
                               .repetitions = {},
                               .error = check.error,
                               .counters = check.error.empty() ? floor_counters(block_) : Counters{}});
    }
    drop_failed();
  }

  bool calibrate_cells() {
    for (LiveCell& cell : live_) {
      if (bench_.stop()) return false;
      bench_.progress.working_on(cell.name, "calibrating");
      result_.cells[cell.index].error = error_of([&] {
        cell.measurement->prepare();
        cell.calibration = calibrate(bench_.timer, cell.name, *cell.measurement, plan_.min_time_ns);
      });
    }
    drop_failed();
    return true;
  }

  /// Of the cases that are alive now. Those of the program itself, the references, have one layout.
  [[nodiscard]] std::size_t layout() const { return plan_.first_layout + builds_ % plan_.layouts; }

  /// One if building is cheap; else so many that each layout is measured.
  [[nodiscard]] std::size_t rounds_per_build(std::size_t rounds) const {
    return builds_anew_ ? 1 : (rounds + plan_.layouts - 1) / plan_.layouts;
  }

  /// What a round takes, without building.
  [[nodiscard]] double measuring_s() const {
    return std::accumulate(live_.begin(), live_.end(), 0.0,
                           [](double sum, const LiveCell& cell) { return sum + cell.calibration.elapsed_ns / 1e9; });
  }
  [[nodiscard]] bool is_cheap_to_build() const {
    return plan_.builds_anew && build_s_ <= cheap_to_build * measuring_s();
  }

  /// Returns the number of rounds; shortens the repetitions if even the fewest rounds would take too long.
  std::size_t fit_into_budget() {
    builds_anew_ = is_cheap_to_build();
    if (!plan_.budget_s || live_.empty()) return plan_.repetitions;
    const double other_layouts_s = builds_anew_ ? 0 : build_s_ * static_cast<double>(plan_.layouts - 1);
    const double left_s = std::max(0.0, *plan_.budget_s - (bench_.now_s() - started_s_) - other_layouts_s);
    const double building_s = builds_anew_ ? build_s_ : 0;
    const double affordable = left_s / (measuring_s() + building_s);
    const auto fewest = static_cast<double>(plan_.fewest_repetitions);
    if (affordable < fewest) {
      const double share = std::max(shortest_share, (left_s / fewest - building_s) / measuring_s());
      for (LiveCell& cell : live_) cell.calibration = shortened(cell.calibration, share);
      builds_anew_ = is_cheap_to_build();
    }
    return static_cast<std::size_t>(std::clamp(affordable, fewest, static_cast<double>(plan_.repetitions)));
  }

  bool measure_round(std::size_t round, std::size_t rounds) {
    for (LiveCell& cell : live_) {
      if (bench_.stop()) return false;
      bench_.progress.working_on(cell.name, fmt::format("round {} of {}", round + 1, rounds));
      CellResult& result = result_.cells[cell.index];
      result.error = error_of([&] {
        result.repetitions.push_back(
            bench_.timer.time(cell.name, *cell.measurement, cell.calibration.passes).repetition);
        result.repetitions.back().layout = layout();
      });
    }
    drop_failed();
    bench_.progress.block_progressed(static_cast<double>(result_.cells.size() * (round + 1)) /
                                     static_cast<double>(rounds));
    return true;
  }

  void drop_failed() {
    std::erase_if(live_, [this](const LiveCell& cell) { return !result_.cells[cell.index].error.empty(); });
    for (CellResult& cell : result_.cells) {
      if (cell.error.empty()) continue;
      cell.repetitions.clear();
      cell.counters.clear();
    }
  }

  const Block& block_;
  const TimePlan& plan_;
  const Bench& bench_;
  double started_s_;
  double build_s_ = 0;  // of all cases, with their verified passes
  bool builds_anew_ = false;
  std::size_t builds_ = 0;  // after the first
  std::unique_ptr<char[]> gap_;
  std::mt19937_64 generator_ = generator_for(plan_.seed, block_.name());
  BlockResult result_;
  std::vector<LiveCell> live_;
};

std::vector<Block> blocks_to_do(const Run& run, std::vector<Block> blocks) {
  std::erase_if(blocks, [&run](const Block& block) { return find_block(run, block.name()) != nullptr; });
  return blocks;
}

std::size_t cells_done(const Run& run) {
  return std::accumulate(run.blocks.begin(), run.blocks.end(), std::size_t{0},
                         [](std::size_t sum, const BlockResult& block) { return sum + block.cells.size(); });
}

/// An equal share of what is left for each block that is left: what a small block does not use goes to the larger ones.
std::optional<double> share_of(const std::optional<double>& budget_s, double elapsed_s, std::size_t blocks_left) {
  if (!budget_s) return std::nullopt;
  return (*budget_s - elapsed_s) / static_cast<double>(blocks_left);
}

}  // namespace

std::optional<BlockResult> measure_block(const Block& block, const TimePlan& plan, const Bench& bench) {
  keep_freed_pages();
  return BlockRunner(block, plan, bench).run();
}

void run_blocks(Run& run, const std::vector<Block>& blocks, const TimePlan& plan, const Bench& bench,
                const SaveRun& save) {
  const std::vector<Block> to_do = blocks_to_do(run, blocks);
  const double started_s = bench.now_s();
  const double wall_before_s = run.state.wall_s;
  run.state.blocks_planned = blocks.size();
  run.state.interrupted = false;
  bench.progress.start(cells_of(to_do) + cells_done(run), cells_done(run));
  save(run);
  for (std::size_t index = 0; index < to_do.size() && !run.state.interrupted; ++index) {
    TimePlan block_plan = plan;
    block_plan.budget_s = share_of(plan.budget_s, bench.now_s() - started_s, to_do.size() - index);
    const std::optional<BlockResult> result = measure_block(to_do[index], block_plan, bench);
    run.state.interrupted = !result;
    run.state.wall_s = wall_before_s + bench.now_s() - started_s;
    if (result) {
      run.blocks.push_back(*result);
      bench.progress.block_done(result->cells.size());
    }
    save(run);
  }
  bench.progress.stop();
}

}  // namespace stowage::harness
