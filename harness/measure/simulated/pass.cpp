// The cache pass: which cells are simulated, in which order and how long, and what is written of each.
#include "harness/measure/simulated/pass.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "harness/results/metrics.hpp"
#include "harness/results/summary.hpp"
#include "harness/text.hpp"
#include "harness/verify/cells.hpp"

namespace stowage::harness {
namespace {

/// How fast the simulator is on an ordinary machine. A constant, because what is too large must not depend on the
/// machine: the same command gives the same cells everywhere.
constexpr double instructions_per_second = 50e6;
/// The set-up, the pass that warms up, and the measured pass.
constexpr double stages = 3;
/// Assumed for a cell of which nothing is known yet.
constexpr double usual_instructions_per_entity = 300;
constexpr double longest_cell_s = 300;
/// With fewer entities a first-level cache holds most of what a workload touches, whatever the layout. With more, a
/// cell takes so long that the same cell with fewer entities should tell first how long.
constexpr std::size_t least_telling_entities = 16 * 1024;
constexpr std::size_t most_telling_entities = 64 * 1024;
constexpr std::chrono::milliseconds patience{200};

struct CacheJob {
  std::size_t block = 0;
  const StrategyEntry* strategy = nullptr;
  std::size_t entities = 0;
  std::string module = {};
  int turn = 0;  ///< cells of an earlier turn come first
  /// What cells of all sizes have in common.
  std::tuple<std::string_view, std::string, std::string> family;
};

/// What is known of a block whose cells are under way.
struct BlockInWork {
  std::size_t jobs_left = 0;
  std::vector<CellCheck> checks;
  std::map<std::string, Counters> counters;  ///< by strategy
};

bool is_simulated(const CellResult& cell) { return cell.counters.contains("instructions_per_item"); }

std::string values_of(const workloads::Parameters& parameters) {
  workloads::Parameters without_size = parameters;
  without_size.entities = 0;
  return without_size.name();
}

/// True if `quick` has all parameter values of this block.
bool has_quick_values(const Block& block) {
  return std::ranges::equal(block.workload->axes, block.parameters.values,
                            [](const workloads::Axis& axis, const workloads::Parameter& parameter) {
                              return std::ranges::find(axis.quick_values, parameter.value) != axis.quick_values.end();
                            });
}

/// The names of open cells and of the best cell of their block: equal counts show that two of them do the same work.
std::set<std::string> undecided_cells(const Run& run) {
  std::set<std::string> names;
  const RunScatter scatter = scatter_of(run);
  for (const BlockResult& block : run.blocks) {
    const std::vector<CellSummary> cells = summarise(block, scatter);
    if (std::ranges::find(cells, Standing::open, &CellSummary::standing) == cells.end()) continue;
    for (const CellSummary& cell : cells) {
      const bool is_near_the_top = cell.standing == Standing::open || cell.standing == Standing::best;
      if (is_near_the_top) names.insert(block.cell_name(*cell.cell));
    }
  }
  return names;
}

/// First come cells at the smallest telling size (or at the smallest, if none tells): undecided cells, then blocks of
/// `quick`, then all base forms, then variants. Other sizes follow. So if time is short, every workload has figures.
/// Within a turn the cells of a strategy are together, because the simulator takes as long to load a module as to
/// simulate many cells. Small cells come first, and tell how long large ones take.
void sort(std::vector<CacheJob>& jobs, const Run& run, const std::vector<Block>& blocks) {
  const std::set<std::string> undecided = undecided_cells(run);
  std::map<std::string_view, std::set<std::size_t>> sizes;
  for (const Block& block : blocks) sizes[block.workload->card.name].insert(block.parameters.entities);
  const auto tells = [&sizes](const Block& block) {
    const std::set<std::size_t>& all = sizes.at(block.workload->card.name);
    const auto telling = all.lower_bound(least_telling_entities);
    const bool has_one = telling != all.end() && *telling <= most_telling_entities;
    return block.parameters.entities == (has_one ? *telling : *all.begin());
  };
  for (CacheJob& job : jobs) {
    const Block& block = blocks[job.block];
    job.turn = !tells(block) ? 3 : has_quick_values(block) ? 0 : job.strategy->is_variant() ? 2 : 1;
    if (tells(block) && undecided.contains(block.cell_name(*job.strategy))) job.turn = -1;
  }
  std::ranges::stable_sort(
      jobs, {}, [](const CacheJob& job) { return std::tuple(job.turn, std::string_view(job.module), job.entities); });
}

std::vector<CacheJob> jobs_of(const Run& run, const std::vector<Block>& blocks) {
  std::vector<CacheJob> jobs;
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    const Block& block = blocks[index];
    for (const StrategyEntry* strategy : block.strategies) {
      const CellResult* const cell = find_cell(find_block(run, block.name()), strategy->name);
      if (cell == nullptr || !cell->error.empty() || is_simulated(*cell)) continue;
      if (is_left_out(run, cache_pass, block.cell_name(*strategy))) continue;
      jobs.push_back({index,
                      strategy,
                      block.parameters.entities,
                      block.module_of(*strategy),
                      0,
                      {block.workload->card.name, strategy->name, values_of(block.parameters)}});
    }
  }
  sort(jobs, run, blocks);
  return jobs;
}

class CachePass {
 public:
  CachePass(Run& run, const std::vector<Block>& blocks, const CachePlan& plan, Simulator& simulator, const Bench& bench,
            const SaveRun& save)
      : run_(run),
        blocks_(blocks),
        plan_(plan),
        simulator_(simulator),
        bench_(bench),
        save_(save),
        jobs_(jobs_of(run, blocks)) {
    for (const CacheJob& job : jobs_) ++in_work_[job.block].jobs_left;
    for (std::size_t job = 0; job < jobs_.size(); ++job) waiting_.push_back(job);
  }

  bool run() {
    const double started_s = bench_.now_s();
    bench_.progress.start(jobs_.size(), 0, "cache");
    while (!waiting_.empty() || !running_.empty()) {
      if (bench_.stop()) break;
      while (running_.size() < simulator_.workers() && start_one(bench_.now_s() - started_s)) {
      }
      if (running_.empty()) continue;  // whatever waited was left out
      if (const std::optional<Simulator::Finished> finished = simulator_.next(patience)) take(*finished);
    }
    bench_.progress.stop();
    return waiting_.empty() && running_.empty();
  }

 private:
  [[nodiscard]] std::string name_of(const CacheJob& job) const { return blocks_[job.block].cell_name(*job.strategy); }

  /// Starts the first cell that waits for nothing, or leaves it out. False if there is none.
  bool start_one(double elapsed_s) {
    // The same cell with fewer entities says how long this one takes.
    const auto has_smaller_one_running = [this](std::size_t waiting) {
      return std::ranges::any_of(running_,
                                 [&](std::size_t running) { return jobs_[running].family == jobs_[waiting].family; });
    };
    const auto first = std::ranges::find_if_not(waiting_, has_smaller_one_running);
    if (first == waiting_.end()) return false;
    const auto next = nearest_to(first, has_smaller_one_running);
    const std::size_t ticket = *next;
    waiting_.erase(next);
    const CacheJob& job = jobs_[ticket];
    const std::string reason = reason_against(job, elapsed_s);
    if (!reason.empty()) {
      run_.omissions.push_back({std::string(cache_pass), name_of(job), reason});
      finish(job);
      return true;
    }
    const Block& block = blocks_[job.block];
    bench_.progress.working_on(name_of(job), "simulating");
    simulator_.start(ticket, {.workload = std::string(block.workload->card.name),
                              .strategy = job.strategy->name,
                              .module = job.module,
                              .parameters = block.parameters,
                              .cold = plan_.cold});
    running_.push_back(ticket);
    return true;
  }

  /// The cell of the same turn as `first` that costs least to begin: one whose module is loaded, or else one whose
  /// module no other process has loaded.
  template <class Waits>
  [[nodiscard]] std::vector<std::size_t>::iterator nearest_to(std::vector<std::size_t>::iterator first,
                                                              const Waits& has_to_wait) {
    const auto cost = [this](std::size_t ticket) {
      const std::string& module = jobs_[ticket].module;
      if (simulator_.is_ready_for(module)) return 0;
      const auto has_it = [&](std::size_t running) { return jobs_[running].module == module; };
      return std::ranges::any_of(running_, has_it) ? 2 : 1;
    };
    auto nearest = first;
    for (auto at = first; at != waiting_.end() && jobs_[*at].turn == jobs_[*first].turn; ++at) {
      if (cost(*at) < cost(*nearest) && !has_to_wait(*at)) nearest = at;
      if (cost(*nearest) == 0) break;
    }
    return nearest;
  }

  /// Why this cell is left out; empty if it is not.
  [[nodiscard]] std::string reason_against(const CacheJob& job, double elapsed_s) const {
    const Block& block = blocks_[job.block];
    if (std::string reason = block.reason_not_to_count(*job.strategy); !reason.empty()) return reason;
    if (plan_.most_entities && job.entities > *plan_.most_entities) {
      return fmt::format("more than {} entities, see `stowage cache`", entities_text(*plan_.most_entities));
    }
    const double seconds = estimate_s(job);
    if (!plan_.takes_any_size && seconds > longest_cell_s) {
      return fmt::format("it would take about {}, see `stowage cache --force`", rough_duration(seconds));
    }
    if (plan_.budget_s && elapsed_s + seconds > *plan_.budget_s) {
      return fmt::format("no time left in the {} of this pass, see `stowage cache`", rough_duration(*plan_.budget_s));
    }
    return {};
  }

  [[nodiscard]] double estimate_s(const CacheJob& job) const {
    const auto known = instructions_per_entity_.find(job.family);
    const double per_entity = known == instructions_per_entity_.end() ? usual_instructions_per_entity : known->second;
    return static_cast<double>(job.entities) * per_entity * stages / instructions_per_second;
  }

  void take(const Simulator::Finished& finished) {
    std::erase(running_, finished.ticket);
    const CacheJob& job = jobs_[finished.ticket];
    CellCheck check{job.strategy, finished.simulation.items, finished.simulation.checksum, finished.error};
    if (check.error.empty() && check.items == 0) check.error = "did nothing: it has no items";
    BlockInWork& block = in_work_[job.block];
    if (check.error.empty()) {
      const workloads::Floor floor = blocks_[job.block].workload->floor(blocks_[job.block].parameters, {});
      Counters counters = cache_counters(finished.simulation, plan_.model,
                                         floor.bytes_per_item > 0 ? std::optional(floor.bytes_per_item) : std::nullopt,
                                         job.strategy->storage_folder);
      instructions_per_entity_[job.family] =
          counters.at("instructions_per_item") * static_cast<double>(check.items) / static_cast<double>(job.entities);
      block.counters[job.strategy->name] = std::move(counters);
    }
    block.checks.push_back(std::move(check));
    finish(job);
  }

  void finish(const CacheJob& job) {
    bench_.progress.block_done(1);
    BlockInWork& block = in_work_[job.block];
    if (--block.jobs_left > 0) return;
    record(blocks_[job.block], block);
    // Cells are done in any order; what is written of them is not to depend on it.
    std::ranges::stable_sort(run_.omissions, {},
                             [](const Omission& omission) { return std::tie(omission.pass, omission.cell); });
    in_work_.erase(job.block);
    save_(run_);
  }

  void record(const Block& block, BlockInWork& in_work) {
    compare(in_work.checks);
    BlockResult* const result = find_block(run_, block.name());
    for (const CellCheck& check : in_work.checks) {
      CellResult& cell = *find_cell(result, check.strategy->name);
      if (check.error.empty()) {
        cell.items = check.items;
        cell.counters.merge(in_work.counters.at(cell.strategy));
      } else if (cell.repetitions.empty()) {
        cell.error = check.error;
      } else {
        run_.omissions.push_back({std::string(cache_pass), block.cell_name(*check.strategy), check.error});
      }
    }
  }

  Run& run_;
  const std::vector<Block>& blocks_;
  const CachePlan& plan_;
  Simulator& simulator_;
  const Bench& bench_;
  const SaveRun& save_;
  std::vector<CacheJob> jobs_;
  std::vector<std::size_t> waiting_;
  std::vector<std::size_t> running_;
  std::map<std::size_t, BlockInWork> in_work_;
  std::map<decltype(CacheJob::family), double> instructions_per_entity_;  ///< of the largest that is done
};

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
                                {"limits", std::string(plan.model.is_tlb() ? tlb_limits : simulation_limits)}}};
  if (!plan.model.roundings.empty()) {
    record.details["rounded"] = fmt::format("{}", fmt::join(plan.model.roundings, "; "));
  }
  return record;
}

}  // namespace

std::size_t cells_to_simulate(const Run& run, const std::vector<Block>& blocks) { return jobs_of(run, blocks).size(); }

bool run_cache_pass(Run& run, const std::vector<Block>& blocks, const CachePlan& plan, Simulator& simulator,
                    const Bench& bench, const SaveRun& save) {
  return CachePass(run, blocks, plan, simulator, bench, save).run();
}

bool simulate(Run& run, const std::vector<Block>& blocks, const CachePlan& plan, CallgrindSimulator& simulator,
              const Bench& bench, const SaveRun& save) {
  std::erase_if(run.passes, [](const PassRecord& record) { return record.pass == cache_pass; });
  run.passes.push_back(record_of(plan, simulator));
  return run_cache_pass(run, blocks, plan, simulator, bench, save);
}

}  // namespace stowage::harness
