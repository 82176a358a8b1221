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
  BlockRunner(const Block& block, const TimePlan& plan, const Bench& bench, const BlockResult* before)
      : block_(block),
        plan_(plan),
        bench_(bench),
        before_(before),
        visit_(before == nullptr ? 0 : visits_done(*before)),
        started_s_(bench.now_s()) {
    result_.workload = block.workload->card.name;
    result_.parameters = block.parameters.name();
  }

  std::optional<BlockResult> run() {
    if (!verify() || !calibrate_cells()) return std::nullopt;
    const std::size_t rounds = fit_into_budget();
    for (std::size_t round = 0; round < rounds; ++round) {
      if (round != 0 && builds_anew_ && !build_anew()) return std::nullopt;
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
                               .counters = check.error.empty() ? floor_counters(block_) : Counters{},
                               .checksum = check.checksum});
    }
    drop_failed();
  }

  bool calibrate_cells() {
    for (LiveCell& cell : live_) {
      if (bench_.stop()) return false;
      bench_.progress.working_on(cell.name, "calibrating");
      result_.cells[cell.index].error = error_of([&] {
        cell.measurement->prepare();
        cell.calibration =
            calibrate(bench_.timer, cell.name, *cell.measurement, plan_.min_time_ns, passes_before(cell.index));
      });
    }
    drop_failed();
    return true;
  }

  /// In a repetition of the former visit; 1 if there was none.
  [[nodiscard]] std::size_t passes_before(std::size_t index) const {
    return before_ == nullptr || before_->cells[index].repetitions.empty()
               ? 1
               : before_->cells[index].repetitions.back().iterations;
  }

  /// Of the cases that are alive now. Those of the program itself, the references, have one layout.
  [[nodiscard]] std::size_t layout() const { return plan_.first_layout + (visit_ + builds_) % plan_.layouts; }

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
    const double left_s = std::max(0.0, *plan_.budget_s - (bench_.now_s() - started_s_));
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
        result.repetitions.back().visit = visit_;
      });
    }
    drop_failed();
    bench_.progress.block_progressed(static_cast<double>(result_.cells.size() * (round + 1)) /
                                     static_cast<double>(rounds * plan_.visits));
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
  const BlockResult* before_;
  std::size_t visit_;
  double started_s_;
  double build_s_ = 0;  // of all cases, with their verified passes
  bool builds_anew_ = false;
  std::size_t builds_ = 0;  // after the first
  std::unique_ptr<char[]> gap_;
  std::mt19937_64 generator_ = generator_for(plan_.seed + visit_, block_.name());
  BlockResult result_;
  std::vector<LiveCell> live_;
};

/// One visit to one block.
struct Visit {
  const Block* block = nullptr;
  std::size_t number = 0;
};

std::vector<Visit> visits_to_do(const Run& run, const std::vector<Block>& blocks) {
  std::vector<Visit> to_do;
  for (std::size_t visit = 0; visit < run.state.visits; ++visit) {
    for (const Block& block : blocks) {
      const BlockResult* const result = find_block(run, block.name());
      if (result == nullptr || visit >= visits_done(*result)) to_do.push_back({&block, visit});
    }
  }
  return to_do;
}

/// Part `visit` of what is divided among all visits as evenly as whole numbers can be.
std::size_t part_of(std::size_t whole, std::size_t visit, std::size_t visits) {
  return whole * (visit + 1) / visits - whole * visit / visits;
}

/// An equal share of what is left for each visit that is left: what a small block does not use goes to the larger ones.
std::optional<double> share_of(const std::optional<double>& budget_s, double elapsed_s, std::size_t visits_left) {
  if (!budget_s) return std::nullopt;
  return (*budget_s - elapsed_s) / static_cast<double>(visits_left);
}

/// A cell that failed in one visit has failed.
void add_visit(Run& run, BlockResult visit) {
  BlockResult* const block = find_block(run, visit.name());
  if (block == nullptr) {
    run.blocks.push_back(std::move(visit));
    return;
  }
  for (std::size_t index = 0; index < block->cells.size(); ++index) {
    CellResult& cell = block->cells[index];
    CellResult& found = visit.cells.at(index);
    if (found.error.empty() && found.items != cell.items) found.error = "did other work when it was built anew";
    if (cell.error.empty()) cell.error = found.error;
    if (cell.error.empty()) {
      cell.repetitions.insert(cell.repetitions.end(), found.repetitions.begin(), found.repetitions.end());
    } else {
      cell.repetitions.clear();
      cell.counters.clear();
    }
  }
}

}  // namespace

TimePlan time_plan_of(const Preset& preset, std::uint64_t seed) {
  return {.repetitions = preset.repetitions,
          .fewest_repetitions = preset.fewest_repetitions,
          .min_time_ns = preset.min_time_s * 1e9,
          .budget_s = preset.budget_s,
          .seed = seed,
          .visits = preset.visits};
}

std::optional<BlockResult> measure_block(const Block& block, const TimePlan& plan, const Bench& bench,
                                         const BlockResult* before) {
  keep_freed_pages();
  return BlockRunner(block, plan, bench, before).run();
}

void run_blocks(Run& run, const std::vector<Block>& blocks, const TimePlan& plan, const Bench& bench,
                const SaveRun& save) {
  const double started_s = bench.now_s();
  const double wall_before_s = run.state.wall_s;
  run.state.blocks_planned = blocks.size();
  run.state.visits = std::min(std::max(plan.visits, plan.layouts), plan.repetitions);
  run.state.interrupted = false;
  const std::vector<Visit> to_do = visits_to_do(run, blocks);
  const auto cells_in = [&](const Block& block) {
    return static_cast<double>(block.strategies.size()) / static_cast<double>(run.state.visits);
  };
  const double left = std::accumulate(to_do.begin(), to_do.end(), 0.0,
                                      [&](double sum, const Visit& visit) { return sum + cells_in(*visit.block); });
  bench.progress.start(cells_of(blocks), static_cast<double>(cells_of(blocks)) - left);
  save(run);
  for (std::size_t index = 0; index < to_do.size() && !run.state.interrupted; ++index) {
    const auto [block, visit] = to_do[index];
    if (index > 0 && visit != to_do[index - 1].number) give_back_freed_pages();
    TimePlan part = plan;
    part.visits = run.state.visits;
    part.repetitions = part_of(plan.repetitions, visit, run.state.visits);
    part.fewest_repetitions = std::max<std::size_t>(1, part_of(plan.fewest_repetitions, visit, run.state.visits));
    part.budget_s = share_of(plan.budget_s, bench.now_s() - started_s, to_do.size() - index);
    std::optional<BlockResult> result = measure_block(*block, part, bench, find_block(run, block->name()));
    run.state.interrupted = !result;
    run.state.wall_s = wall_before_s + bench.now_s() - started_s;
    if (result) {
      add_visit(run, std::move(*result));
      bench.progress.block_done(cells_in(*block));
    }
    save(run);
  }
  bench.progress.stop();
}

}  // namespace stowage::harness
