// Ranks the strategies of a game: takes samples of all processes, judges budgets, and chooses the winner.
#include "harness/recommend/ranking.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "harness/results/metrics.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

/// A repetition that took this much longer than the processor worked on it had to wait.
constexpr double waited_ratio = 1.05;

bool had_to_wait(const Repetition& repetition) {
  return repetition.cpu_ns > 0 && repetition.real_ns > waited_ratio * repetition.cpu_ns;
}

/// The time of an item in each repetition.
std::vector<double> rounds_of(const CellResult& cell) {
  std::vector<double> rounds;
  for (const Repetition& repetition : cell.repetitions) {
    const double ns = had_to_wait(repetition) ? repetition.cpu_ns : repetition.real_ns;
    rounds.push_back(ns / static_cast<double>(cell.items));
  }
  return rounds;
}

std::vector<double> pooled(const std::vector<std::vector<double>>& processes) {
  std::vector<double> all;
  for (const std::vector<double>& samples : processes) all.insert(all.end(), samples.begin(), samples.end());
  return all;
}

/// Adds a save to each round, so that an interval knows how saves vary; their median if a process has none.
void add_saves(GameSamples& samples, const std::vector<std::vector<double>>& saves_ns, double saves_per_frame) {
  const std::vector<double> all = pooled(saves_ns);
  if (all.empty()) return;
  samples.save_ns = median(all);
  for (std::size_t process = 0; process < samples.rounds_ns.size(); ++process) {
    const std::vector<double>& saves = saves_ns[process];
    std::vector<double>& rounds = samples.rounds_ns[process];
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      rounds[round] += saves_per_frame * (saves.empty() ? *samples.save_ns : saves[round % saves.size()]);
    }
  }
}

/// The median of each process that has samples.
std::vector<double> medians_of(const std::vector<std::vector<double>>& processes) {
  std::vector<double> medians;
  for (const std::vector<double>& samples : processes) {
    if (!samples.empty()) medians.push_back(median(samples));
  }
  return medians;
}

/// The ratios of each process, as far as both took part in it.
std::vector<std::vector<double>> ratios_of(const GameSamples& samples, const GameSamples& baseline) {
  std::vector<std::vector<double>> ratios;
  for (std::size_t process = 0; process < samples.rounds_ns.size(); ++process) {
    ratios.push_back(ratios_per_round(samples.rounds_ns[process], baseline.rounds_ns[process]));
  }
  return ratios;
}

}  // namespace

std::size_t GameSamples::processes() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(rounds_ns, [](const std::vector<double>& process) { return !process.empty(); }));
}

GameBlocks blocks_of(const Profile& profile, const MeasuringPlan::Cells& cells) {
  if (profile.saves_per_minute == 0) return {.frame_parameters = cells.parameters()};
  return {cells.parameters(), cells.of_saves().parameters(), profile.saves_per_minute / 60 / profile.frames_per_second};
}

const BlockResult* find_frames(const Run& run, const std::string& parameters) {
  const auto found = std::ranges::find(run.blocks, parameters, &BlockResult::parameters);
  return found == run.blocks.end() ? nullptr : &*found;
}

const CellResult* find_cell(const Run& run, const std::string& parameters, const std::string& strategy) {
  return find_cell(find_frames(run, parameters), strategy);
}

std::optional<double> find_counter(const CellResult& cell, const std::string& name) {
  const auto found = cell.counters.find(name);
  return found == cell.counters.end() ? std::nullopt : std::optional(found->second);
}

GameSamples samples_of(const std::string& strategy, const std::vector<Run>& processes, const GameBlocks& blocks) {
  GameSamples samples{.strategy = strategy};
  std::vector<std::vector<double>> saves_ns;
  for (const Run& run : processes) {
    const CellResult* frame = find_cell(run, blocks.frame_parameters, strategy);
    const CellResult* save =
        blocks.save_parameters.empty() ? nullptr : find_cell(run, blocks.save_parameters, strategy);
    for (const CellResult* cell : {frame, save}) {
      if (cell != nullptr && samples.error.empty()) samples.error = cell->error;
    }
    samples.rounds_ns.push_back(frame == nullptr ? std::vector<double>() : rounds_of(*frame));
    samples.frames_ns.push_back(frame == nullptr ? std::vector<double>() : frame->frames_ns);
    saves_ns.push_back(save == nullptr ? std::vector<double>() : rounds_of(*save));
  }
  const bool was_measured = !samples.rounds_ns.empty() && !samples.rounds_ns.front().empty();
  if (samples.error.empty() && !was_measured) samples.error = "it was not measured";
  add_saves(samples, saves_ns, blocks.saves_per_frame);
  return samples;
}

Estimate times_as_long(const GameSamples& samples, const GameSamples& baseline, std::size_t comparisons,
                       const ProcessScatter& scatter) {
  if (&samples == &baseline) return {1, Interval{1, 1}};
  const std::vector<std::vector<double>> ratios = ratios_of(samples, baseline);
  return across_processes(estimate_median(pooled(ratios), comparisons), medians_of(ratios), scatter, comparisons);
}

std::size_t fastest_of(const std::vector<GameSamples>& all) {
  std::size_t most = 0;
  for (const GameSamples& samples : all) most = std::max(most, samples.processes());
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].processes() == most) asked.push_back(i);
  }
  std::size_t fastest =
      *std::ranges::min_element(asked, {}, [&](std::size_t i) { return median(pooled(all[i].rounds_ns)); });
  for (std::size_t turn = 0; turn < asked.size(); ++turn) {
    const auto against = [&](std::size_t i) { return times_as_long(all[i], all[fastest], 1).median; };
    const std::size_t next = *std::ranges::min_element(asked, {}, against);
    if (against(next) >= 1) break;
    fastest = next;
  }
  return fastest;
}

namespace {

/// The median over the rounds of all processes, with an interval that knows how these differ: repetitions of one
/// process share where its memory lies.
Estimate estimate_rounds(const std::vector<std::vector<double>>& processes, const ProcessScatter& scatter) {
  return across_processes(estimate_median(pooled(processes)), medians_of(processes), scatter);
}

/// By how much processes usually differ in how many times as long as `baseline` a strategy takes.
ProcessScatter scatter_against(const GameSamples& baseline, const std::vector<GameSamples>& all) {
  std::vector<std::vector<double>> figures;
  for (const GameSamples& samples : all) {
    if (&samples != &baseline) figures.push_back(medians_of(ratios_of(samples, baseline)));
  }
  return process_scatter_of(figures);
}

/// The share of the repetitions that had to wait.
double waiting_share(const std::vector<Run>& processes, const std::string& parameters) {
  double waited = 0;
  double all = 0;
  for (const Run& run : processes) {
    const BlockResult* block = find_frames(run, parameters);
    if (block == nullptr) continue;
    for (const CellResult& cell : block->cells) {
      all += static_cast<double>(cell.repetitions.size());
      waited += static_cast<double>(std::ranges::count_if(cell.repetitions, had_to_wait));
    }
  }
  return all > 0 ? waited / all : 0;
}

/// A p99 of fewer frames would be the worst of them.
constexpr std::size_t fewest_for_p99 = 100;

/// The number of frames that every strategy has in every process in which it took part.
std::size_t common_frames(const std::vector<GameSamples>& all) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const GameSamples& samples : all) {
    for (const std::vector<double>& frames : samples.frames_ns) {
      if (!frames.empty()) least = std::min(least, frames.size());
    }
  }
  return least == std::numeric_limits<std::size_t>::max() ? 0 : least;
}

/// The p99 of the first `frames` frames of each process.
std::vector<double> p99_of_processes(const GameSamples& samples, std::size_t frames) {
  std::vector<double> p99;
  for (const std::vector<double>& process : samples.frames_ns) {
    if (!process.empty()) p99.push_back(estimate_quantile(std::span(process).first(frames), 0.99).median);
  }
  return p99;
}

/// The mean of the two middle values would contain half of an interruption of one process.
double lower_median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[(values.size() - 1) / 2];
}

class Ranking {
 public:
  Ranking(const Profile& profile, const std::vector<Run>& processes)
      : profile_(profile), processes_(processes), blocks_(blocks_of(profile, {.entities = profile.entities})) {
    answer_.profile = profile.name;
    answer_.entities = profile.entities;
    answer_.budget = profile.budget;
    answer_.processes = processes.size();
    if (processes.empty()) return;
    const Environment& environment = processes.front().environment;
    answer_.commit = environment.build.commit;
    answer_.compiler = environment.build.compiler;
    answer_.processor = environment.machine.cpu_model;
  }

  Answer rank() {
    collect();
    for (const Run& run : processes_) {
      for (const Omission& omission : run.omissions) note(omission);
    }
    answer_.waiting_share = waiting_share(processes_, blocks_.frame_parameters);
    if (samples_.empty()) return std::move(answer_);
    answer_.frames_per_process = common_frames(samples_);
    const GameSamples& fastest = samples_[fastest_of(samples_)];
    answer_.scatter = scatter_against(fastest, samples_);
    note_shared_scatter();
    for (const GameSamples& samples : samples_) answer_.ranking.push_back(figures_of(samples, fastest));
    choose();
    put_in_order();
    return std::move(answer_);
  }

 private:
  /// By how much processes usually differ in the time of a frame.
  void note_shared_scatter() {
    std::vector<std::vector<double>> rounds;
    std::vector<std::vector<double>> p99;
    for (const GameSamples& samples : samples_) {
      rounds.push_back(medians_of(samples.rounds_ns));
      p99.push_back(p99_of_processes(samples, answer_.frames_per_process));
    }
    rounds_scatter_ = shared_scatter_of(rounds);
    p99_scatter_ = shared_scatter_of(p99);
  }

  void collect() {
    const BlockResult* first = processes_.empty() ? nullptr : find_frames(processes_.front(), blocks_.frame_parameters);
    if (first == nullptr) return;
    for (const CellResult& cell : first->cells) {
      GameSamples samples = samples_of(cell.strategy, processes_, blocks_);
      if (samples.error.empty()) {
        samples_.push_back(std::move(samples));
      } else {
        answer_.not_ranked.push_back({samples.strategy, samples.error});
      }
    }
  }

  /// A strategy that could not be timed is not ranked; what another pass could not tell of a strategy is left out.
  void note(const Omission& omission) {
    const std::vector<std::string> names = split_list(omission.cell, '/');
    const std::string& strategy = names.size() > 2 ? names[1] : omission.cell;
    if (omission.pass == time_pass) {
      const bool known =
          std::ranges::find(answer_.not_ranked, strategy, &NotRanked::strategy) != answer_.not_ranked.end();
      if (!known) answer_.not_ranked.push_back({strategy, omission.reason});
    } else {
      answer_.left_out.push_back(omission.pass + " of " + strategy + ": " + omission.reason);
    }
  }

  [[nodiscard]] RankedStrategy figures_of(const GameSamples& samples, const GameSamples& fastest) const {
    RankedStrategy ranked;
    ranked.strategy = samples.strategy;
    ranked.processes = samples.processes();
    ranked.save_ns = samples.save_ns;
    ranked.frame_ns = product(times_as_long(samples, fastest, 1, answer_.scatter),
                              estimate_rounds(fastest.rounds_ns, rounds_scatter_));
    add_frames(ranked, samples);
    ranked.bytes_per_entity = over_processes(samples.strategy, "bytes_per_entity");
    for (const Metric& metric : metrics) {
      if (metric.pass != parts_pass) continue;
      const std::string name(metric.name);
      if (const std::optional<double> ns = over_processes(samples.strategy, name)) ranked.parts[name] = *ns;
    }
    if (samples.save_ns) ranked.parts["frame_saves_ns"] = *samples.save_ns * blocks_.saves_per_frame;
    ranked.broken_budgets = broken_by(ranked);
    return ranked;
  }

  static void set_median(Estimate& estimate, double median) {
    estimate.median = median;
    if (!estimate.interval) return;
    estimate.interval->low = std::min(estimate.interval->low, median);
    estimate.interval->high = std::max(estimate.interval->high, median);
  }

  void add_frames(RankedStrategy& ranked, const GameSamples& samples) const {
    std::vector<double> all;
    std::vector<double> worst;
    for (const std::vector<double>& frames : samples.frames_ns) {
      if (frames.empty()) continue;
      const std::span<const double> counted = std::span(frames).first(answer_.frames_per_process);
      all.insert(all.end(), counted.begin(), counted.end());
      worst.push_back(*std::ranges::max_element(counted));
    }
    if (worst.empty()) return;
    if (all.size() >= fewest_for_p99) {
      const std::vector<double> p99 = p99_of_processes(samples, answer_.frames_per_process);
      ranked.frame_p99_ns = across_processes(estimate_quantile(all, 0.99), p99, p99_scatter_);
    }
    // If one process had most of the long frames, the p99 of all of them is beyond the usual worst of one.
    ranked.frame_worst_ns = std::max(lower_median(worst), ranked.frame_p99_ns ? ranked.frame_p99_ns->median : 0.0);
    if (samples.save_ns) {
      ranked.frame_worst_ns = std::max(*ranked.frame_worst_ns, ranked.frame_ns.median + *samples.save_ns);
    }
  }

  [[nodiscard]] std::optional<double> over_processes(const std::string& strategy, const std::string& counter) const {
    std::vector<double> values;
    for (const Run& run : processes_) {
      const CellResult* cell = find_cell(run, blocks_.frame_parameters, strategy);
      const std::optional<double> value = cell == nullptr ? std::nullopt : find_counter(*cell, counter);
      if (value) values.push_back(*value);
    }
    return values.empty() ? std::nullopt : std::optional(median(values));
  }

  /// A figure that could not be measured keeps no budget.
  [[nodiscard]] std::vector<std::string> broken_by(const RankedStrategy& ranked) const {
    constexpr double ns_per_ms = 1e6;
    constexpr double unknown = std::numeric_limits<double>::infinity();
    const ProfileBudget& budget = profile_.budget;
    std::vector<std::string> broken;
    if (budget.frame_ms && ranked.frame_ns.median > *budget.frame_ms * ns_per_ms) broken.emplace_back("frame_ms");
    if (budget.worst_frame_ms && ranked.frame_worst_ns.value_or(unknown) > *budget.worst_frame_ms * ns_per_ms) {
      broken.emplace_back("worst_frame_ms");
    }
    const double bytes = ranked.bytes_per_entity.value_or(unknown) * static_cast<double>(profile_.entities);
    if (budget.memory_bytes && bytes > static_cast<double>(*budget.memory_bytes)) broken.emplace_back("memory");
    return broken;
  }

  /// Judges all that may win beside the best, and finds the winner among those that are close to it.
  void choose() {
    std::vector<RankedStrategy*> able = able_to_win();
    const RankedStrategy& best =
        **std::ranges::min_element(able, {}, [](const auto* one) { return one->frame_ns.median; });
    const std::size_t rivals = std::max<std::size_t>(1, able.size() - 1);
    for (RankedStrategy* ranked : able) {
      ranked->standing = ranked == &best
                             ? Standing::best
                             : standing_beside_best(times_as_long(samples(ranked->strategy), samples(best.strategy),
                                                                  rivals, answer_.scatter));
    }
    std::erase_if(able, [&](const RankedStrategy* ranked) { return !ranked->is_close_to(best); });
    const auto bytes = [](const RankedStrategy* ranked) {
      return ranked->bytes_per_entity.value_or(std::numeric_limits<double>::infinity());
    };
    const RankedStrategy& winner = **std::ranges::min_element(able, {}, bytes);
    answer_.winner = winner.strategy;
    const double winner_ns = winner.frame_ns.median;
    for (RankedStrategy& ranked : answer_.ranking) {
      ranked.ratio_to_winner =
          times_as_long(samples(ranked.strategy), samples(answer_.winner), rivals, answer_.scatter);
      set_median(ranked.ratio_to_winner, ranked.frame_ns.median / winner_ns);
    }
  }

  /// The strategies that keep all budgets, or all strategies if none does, in the order of the list. Leaves out those
  /// that were too slow for further processes, unless they are faster than all that are left.
  [[nodiscard]] std::vector<RankedStrategy*> able_to_win() {
    std::vector<RankedStrategy*> able;
    for (RankedStrategy& ranked : answer_.ranking) able.push_back(&ranked);
    const auto breaks_one = [](const RankedStrategy* ranked) { return !ranked->broken_budgets.empty(); };
    if (!std::ranges::all_of(able, breaks_one)) std::erase_if(able, breaks_one);
    const auto processes_of = [](const RankedStrategy* ranked) { return ranked->processes; };
    const std::size_t most = processes_of(*std::ranges::max_element(able, {}, processes_of));
    double fastest_ns = std::numeric_limits<double>::infinity();
    for (const RankedStrategy* ranked : able) {
      if (ranked->processes == most) fastest_ns = std::min(fastest_ns, ranked->frame_ns.median);
    }
    std::erase_if(able, [&](const RankedStrategy* ranked) {
      return ranked->processes < most && ranked->frame_ns.median >= fastest_ns;
    });
    return able;
  }

  void put_in_order() {
    std::ranges::stable_sort(answer_.ranking, [&](const RankedStrategy& left, const RankedStrategy& right) {
      const auto rank = [&](const RankedStrategy& ranked) {
        return ranked.strategy == answer_.winner ? 0 : ranked.may_be_best() ? 1 : ranked.broken_budgets.empty() ? 2 : 3;
      };
      return rank(left) != rank(right) ? rank(left) < rank(right) : left.frame_ns.median < right.frame_ns.median;
    });
    for (const RankedStrategy& ranked : answer_.ranking) {
      if (ranked.may_be_best() && ranked.strategy != answer_.winner) answer_.tied.push_back(ranked.strategy);
    }
  }

  [[nodiscard]] const GameSamples& samples(const std::string& strategy) const {
    return *std::ranges::find(samples_, strategy, &GameSamples::strategy);
  }

  const Profile& profile_;
  const std::vector<Run>& processes_;
  GameBlocks blocks_;
  std::vector<GameSamples> samples_;
  ProcessScatter rounds_scatter_;
  ProcessScatter p99_scatter_;
  Answer answer_;
};

}  // namespace

Answer rank_game(const Profile& profile, const std::vector<Run>& processes) {
  return Ranking(profile, processes).rank();
}

}  // namespace stowage::harness
