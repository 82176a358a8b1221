// The time pass: verifies, calibrates and times the cells of each block in shuffled rounds, visit by visit.
#include "harness/measure/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "harness/measure/memory/heap.hpp"
#include "harness/results/summary.hpp"
#include "harness/verify/cells.hpp"

namespace stowage::harness {
namespace {

/// If time is short, repetitions are shortened no further than this: a shorter one would say too little.
constexpr double shortest_share = 0.25;

/// If building all cases anew takes no more than this share of measuring them, it is done before each round. The heap
/// places a case by chance, and measuring one place in all rounds would hide that.
constexpr double cheap_to_build = 1;

/// A pass that takes so long touches more than the caches keep.
constexpr double long_pass_ns = 15e6;

/// The sizes of gaps in the heap, up to a page.
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
  /// `before` has the former visits; null if there are none.
  BlockRunner(const Block& block, const TimePlan& plan, const Bench& bench, std::size_t visit,
              const BlockResult* before)
      : block_(block), plan_(plan), bench_(bench), before_(before), visit_(visit) {
    result_.workload = block.workload->card.name;
    result_.parameters = block.parameters.name();
  }

  /// Makes every cell, in a random order: the first one built gets the memory that the heap hands out first. What is
  /// verified is what is measured. False if it was stopped.
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
      VerifiedCase verified = verify_case(block_, strategy, bench_.catalogue, layout(), verified_now());
      checks[index] = std::move(verified.check);
      live_.push_back({index, block_.cell_name(strategy), checks[index], std::move(verified.measurement), {}});
    }
    build_s_ = bench_.now_s() - before_s;
    compare(checks);
    take_over(checks);
    leave_world();
    return true;
  }

  /// What it takes to verify is its own, unless blocks share a population, which the first of them makes for all.
  [[nodiscard]] double verified_s() const noexcept { return block_.workload->population == nullptr ? build_s_ : 0; }

  /// Call verify() first. Its own time counts against the budget, if there is one.
  std::optional<BlockResult> measure(std::optional<double> budget_s) {
    if (plan_.repetitions == 0) {
      leave_world();
      return std::move(result_);
    }
    if (plan_.by_google_benchmark) return measure_by_google_benchmark();
    const double started_s = bench_.now_s();
    if (!calibrate_cells()) return std::nullopt;
    if (budget_s) *budget_s -= verified_s() + bench_.now_s() - started_s;
    const std::size_t rounds = fit_into_budget(budget_s);
    for (std::size_t round = 0; round < rounds; ++round) {
      if (round != 0 && builds_anew_ && !build_anew()) return std::nullopt;
      shuffle(live_, generator_);
      if (!measure_round(round, rounds)) return std::nullopt;
    }
    leave_world();
    return std::move(result_);
  }

 private:
  /// Prepares cases that share a population once more, so that the next cases find it as they expect.
  void leave_world() {
    if (block_.workload->population == nullptr) return;
    for (LiveCell& cell : live_) {
      result_.cells[cell.index].error = error_of([&] { cell.measurement->prepare(); });
    }
    drop_failed();
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
      VerifiedCase verified = verify_case(block_, *cell.check.strategy, bench_.catalogue, layout(), verified_now());
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

  /// Moves what is built next to another place of its page.
  void move_heap() { gap_ = std::make_unique<char[]>(heap_step_bytes * (1 + below(generator_, heap_steps))); }

  void take_over(const std::vector<CellCheck>& checks) {
    for (const CellCheck& check : checks) {
      result_.cells.push_back({.strategy = check.strategy->name,
                               .items = check.items,
                               .error = check.error,
                               .counters = check.error.empty() ? floor_counters(block_) : Counters{},
                               .checksum = check.checksum});
    }
    drop_failed();
  }

  bool calibrate_cells() {
    const bool are_long = passes_are_long();
    for (LiveCell& cell : live_) {
      if (bench_.stop()) return false;
      bench_.progress.working_on(cell.name, "calibrating");
      const Repetition* const last = last_repetition(cell);
      result_.cells[cell.index].error = error_of([&] {
        cell.measurement->prepare();
        cell.calibration = are_long ? Calibration{1, last->real_ns}
                                    : calibrate(bench_.timer, cell.name, *cell.measurement, plan_.min_time_ns,
                                                last == nullptr ? 1 : last->iterations);
      });
    }
    drop_failed();
    return true;
  }

  /// The last one of this visit, or else of earlier visits; null if there is none.
  [[nodiscard]] const Repetition* last_repetition(const LiveCell& cell) const {
    const auto last = [&](const BlockResult& block) {
      const std::vector<Repetition>& repetitions = block.cells[cell.index].repetitions;
      return repetitions.empty() ? nullptr : &repetitions.back();
    };
    const Repetition* const found = last(result_);
    return found != nullptr || before_ == nullptr ? found : last(*before_);
  }

  /// True if the passes of all cells are long, so that all are treated alike. Another pass, to warm the caches or to
  /// calibrate, would take as long and change nothing. Only for repeatable cases: the time of others lacks their
  /// preparation.
  [[nodiscard]] bool passes_are_long() const {
    return std::ranges::all_of(live_, [this](const LiveCell& cell) {
      const Repetition* const last = last_repetition(cell);
      return last != nullptr && last->iterations == 1 && last->real_ns >= long_pass_ns &&
             cell.measurement->repeatable();
    });
  }

  /// The layout of the cases that are alive now. References have only one.
  [[nodiscard]] std::size_t layout() const { return (visit_ + builds_) % plan_.layouts; }

  /// The first visit finds a result that drifts. Later ones make one pass: frames of a large world take as long to
  /// verify as to measure.
  [[nodiscard]] std::size_t verified_now() const noexcept { return visit_ == 0 ? verified_passes : 1; }

  /// What a round takes, without building.
  [[nodiscard]] double measuring_s() const {
    return std::accumulate(live_.begin(), live_.end(), 0.0,
                           [](double sum, const LiveCell& cell) { return sum + cell.calibration.elapsed_ns / 1e9; });
  }
  [[nodiscard]] bool is_cheap_to_build() const {
    return plan_.builds_anew && block_.workload->population == nullptr && build_s_ <= cheap_to_build * measuring_s();
  }

  /// Returns the number of rounds; shortens the repetitions if even the fewest rounds would take too long.
  std::size_t fit_into_budget(std::optional<double> budget_s) {
    builds_anew_ = is_cheap_to_build();
    if (!budget_s || live_.empty()) return plan_.repetitions;
    const double left_s = std::max(0.0, *budget_s);
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
    const bool is_warmed = !passes_are_long();
    for (LiveCell& cell : live_) {
      if (bench_.stop()) return false;
      bench_.progress.working_on(cell.name, fmt::format("round {} of {}", round + 1, rounds));
      CellResult& result = result_.cells[cell.index];
      result.error = error_of([&] {
        result.repetitions.push_back(
            bench_.timer.time(cell.name, *cell.measurement, cell.calibration.passes, is_warmed).repetition);
        result.repetitions.back().layout = layout();
        result.repetitions.back().visit = visit_;
      });
    }
    drop_failed();
    bench_.progress.block_progressed(static_cast<double>(result_.cells.size() * (round + 1)) /
                                     static_cast<double>(rounds * plan_.visits));
    return true;
  }

  std::optional<BlockResult> measure_by_google_benchmark() {
    bench_.progress.working_on(block_.name(), "Google Benchmark");
    std::vector<GoogleTimed> timed;
    for (const LiveCell& cell : live_) timed.push_back({cell.name, cell.measurement.get()});
    time_by_google_benchmark(timed, plan_.repetitions, plan_.min_time_ns / 1e9, bench_.stop);
    if (bench_.stop()) return std::nullopt;
    for (std::size_t i = 0; i < timed.size(); ++i) {
      CellResult& result = result_.cells[live_[i].index];
      result.error = std::move(timed[i].error);
      result.repetitions = std::move(timed[i].repetitions);
      for (Repetition& repetition : result.repetitions) repetition.visit = visit_;
    }
    drop_failed();
    bench_.progress.block_progressed(static_cast<double>(result_.cells.size()) / static_cast<double>(plan_.visits));
    leave_world();
    return std::move(result_);
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
  double build_s_ = 0;  // of all cases, with their verified passes
  bool builds_anew_ = false;
  std::size_t builds_ = 0;  // after the first
  std::unique_ptr<char[]> gap_;
  std::mt19937_64 generator_ = generator_for(plan_.seed + visit_, block_.name());
  BlockResult result_;
  std::vector<LiveCell> live_;
};

/// The run as it was after the first `looks` looks.
Run after_looks(const Run& run, std::size_t looks) {
  Run before;
  before.state.visits = run.state.visits;
  before.blocks = run.blocks;
  for (BlockResult& block : before.blocks) {
    for (CellResult& cell : block.cells) {
      std::erase_if(cell.repetitions,
                    [&](const Repetition& repetition) { return repetition.visit >= looks * run.state.visits; });
    }
  }
  return before;
}

/// The names of the blocks in which some strategy is open.
std::set<std::string> open_blocks(const Run& run) {
  const RunScatter scatter = scatter_of(run);
  std::set<std::string> names;
  for (const BlockResult& block : run.blocks) {
    const std::vector<CellSummary> summaries = summarise(block, scatter);
    const bool is_open = std::ranges::find(summaries, Standing::open, &CellSummary::standing) != summaries.end();
    if (is_open) names.insert(block.name());
  }
  return names;
}

/// The blocks that lack this visit. In a further look, only those in which a strategy was open after the look before.
std::vector<const Block*> blocks_to_visit(const Run& run, const std::vector<Block>& blocks, std::size_t visit) {
  const std::size_t look = visit / run.state.visits;
  const std::set<std::string> open = look == 0 ? std::set<std::string>() : open_blocks(after_looks(run, look));
  std::vector<const Block*> to_do;
  for (const Block& block : blocks) {
    const BlockResult* const result = find_block(run, block.name());
    const bool is_done = result != nullptr && visit < visits_done(*result);
    if (!is_done && (look == 0 || open.contains(block.name()))) to_do.push_back(&block);
  }
  // those of one population together
  std::ranges::stable_sort(to_do, {},
                           [](const Block* block) { return block->workload->population_of(block->parameters); });
  return to_do;
}

std::size_t cells_of(const std::vector<const Block*>& blocks) {
  return std::accumulate(blocks.begin(), blocks.end(), std::size_t{0},
                         [](std::size_t sum, const Block* block) { return sum + block->strategies.size(); });
}

/// The part of `visit` if `whole` is divided among all visits as evenly as whole numbers allow.
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

/// While one lives, the cases of these blocks have one population for each strategy.
class Sharing : boost::noncopyable {
 public:
  Sharing(std::span<const Block* const> blocks, const Catalogue& catalogue) {
    if (blocks.front()->workload->population == nullptr) return;
    std::set<std::string> names;
    for (const Block* block : blocks) {
      for (const StrategyEntry* strategy : block->strategies) names.insert(strategy->name);
    }
    for (const std::string& name : names) {
      const SharedPopulations populations = catalogue.populations(name);
      if (populations.share == nullptr) continue;
      populations.share();
      shared_.push_back(populations);
    }
  }
  ~Sharing() {
    for (const SharedPopulations& populations : shared_) populations.part();
  }

 private:
  std::vector<SharedPopulations> shared_;
};

/// The first blocks that share a population and have the same strategies: all of these do the same kinds of work before
/// each block, the faster ones more often. The first block alone if it shares none.
std::span<const Block* const> of_one_population(std::span<const Block* const> blocks) {
  const auto name = [](const Block& block) { return block.workload->population_of(block.parameters); };
  if (blocks.front()->workload->population == nullptr) return blocks.first(1);
  const auto end = std::ranges::find_if(blocks, [&](const Block* block) {
    return name(*block) != name(*blocks[0]) || block->strategies != blocks[0]->strategies;
  });
  return blocks.first(static_cast<std::size_t>(end - blocks.begin()));
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

std::optional<BlockResult> measure_block(const Block& block, const TimePlan& plan, const Bench& bench) {
  keep_freed_pages();
  BlockRunner runner(block, plan, bench, 0, nullptr);
  return runner.verify() ? runner.measure(plan.budget_s) : std::nullopt;
}

void run_visit(Run& run, const std::vector<Block>& blocks, const TimePlan& plan, std::size_t visit,
               std::optional<double> budget_s, const Bench& bench, const SaveRun& save) {
  const double started_s = bench.now_s();
  const RunState before = run.state;
  const std::size_t visits = run.state.visits;
  const std::vector<const Block*> to_do = blocks_to_visit(run, blocks, visit);
  const bool is_first_look = visit < visits;
  // in a first look one progress bar spans all visits; in a further look each visit has its own
  const double share = is_first_look ? 1 / static_cast<double>(visits) : 1;
  const auto cells = static_cast<double>(is_first_look ? harness::cells_of(blocks) : cells_of(to_do));
  const double left = share * static_cast<double>(cells_of(to_do)) +
                      (is_first_look ? share * cells * static_cast<double>(visits - 1 - visit) : 0);
  bench.progress.start(static_cast<std::size_t>(cells), cells - left);
  keep_freed_pages();
  TimePlan part = plan;
  part.visits = is_first_look ? visits : 1;
  if (is_first_look) part.repetitions = part_of(plan.repetitions, visit, visits);
  part.fewest_repetitions = std::max<std::size_t>(1, part_of(plan.fewest_repetitions, visit % visits, visits));
  // All blocks of a population are verified before any is measured: it is the same for every strategy until then.
  for (std::span<const Block* const> left_to_do = to_do; !left_to_do.empty() && !run.state.interrupted;) {
    const std::span<const Block* const> group = of_one_population(left_to_do);
    const Sharing sharing(group, bench.catalogue);
    std::vector<std::unique_ptr<BlockRunner>> runners;
    for (const Block* block : group) {
      runners.push_back(std::make_unique<BlockRunner>(*block, part, bench, visit, find_block(run, block->name())));
    }
    for (const bool is_first : {true, false}) {
      for (std::size_t index = 0; index < group.size() && !run.state.interrupted; ++index) {
        if (group[index]->workload->is_verified_first != is_first) continue;
        run.state.interrupted = !runners[index]->verify();
      }
    }
    for (std::size_t index = 0; index < runners.size() && !run.state.interrupted; ++index) {
      const double elapsed_s = bench.now_s() - started_s - runners[index]->verified_s();
      std::optional<BlockResult> result =
          runners[index]->measure(share_of(budget_s, elapsed_s, left_to_do.size() - index));
      runners[index].reset();
      run.state.interrupted = !result;
      const double spent_s = bench.now_s() - started_s;
      run.state.wall_s = before.wall_s + spent_s;
      if (before.time_pass_s) run.state.time_pass_s = *before.time_pass_s + spent_s;
      if (result) {
        add_visit(run, std::move(*result));
        bench.progress.block_done(share * static_cast<double>(group[index]->strategies.size()));
        save(run);
      }
    }
    if (run.state.interrupted) save(run);
    left_to_do = left_to_do.subspan(group.size());
  }
  bench.progress.stop();
}

void run_blocks(Run& run, const std::vector<Block>& blocks, const TimePlan& plan, const Bench& bench,
                const SaveRun& save, const VisitApart& apart) {
  run.state.blocks_planned = blocks.size();
  run.state.visits = std::clamp<std::size_t>(plan.repetitions, 1, std::max(plan.visits, plan.layouts));
  run.state.interrupted = false;
  save(run);
  const std::size_t visits = run.state.visits;
  const double allowed_s = std::accumulate(plan.more_looks_s.begin(), plan.more_looks_s.end(), 0.0);
  double looked_s = 0;  // in further looks
  double last_s = 0;    // in the last of them, and so about what another would take
  for (std::size_t look = 0; look <= plan.more_looks_s.size(); ++look) {
    if (looked_s + last_s > allowed_s) return;
    const double started_s = bench.now_s();
    const std::optional<double> budget_s = look == 0 ? plan.budget_s : std::optional(plan.more_looks_s[look - 1]);
    for (std::size_t visit = look * visits; visit < (look + 1) * visits; ++visit) {
      if (blocks_to_visit(run, blocks, visit).empty()) continue;
      const std::optional<double> left_s = share_of(budget_s, bench.now_s() - started_s, (look + 1) * visits - visit);
      if (apart) {
        apart(run, visit, left_s);
      } else {
        if (visit > 0) give_back_freed_pages();
        run_visit(run, blocks, plan, visit, left_s, bench, save);
      }
      if (run.state.interrupted) return;
    }
    if (look == 0) continue;
    last_s = bench.now_s() - started_s;
    looked_s += last_s;
  }
}

}  // namespace stowage::harness
