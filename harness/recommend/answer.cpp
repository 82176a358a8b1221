#include "harness/recommend/answer.hpp"

#include <algorithm>
#include <limits>

#include "harness/results/metrics.hpp"
#include "harness/statistics/comparison.hpp"

namespace stowage::harness {
namespace {

const BlockResult* block_of(const Run& run, const std::string& parameters) {
  const auto found = std::ranges::find(run.blocks, parameters, &BlockResult::parameters);
  return found == run.blocks.end() ? nullptr : &*found;
}
const CellResult* cell_of(const Run& run, const std::string& parameters, const std::string& strategy) {
  const BlockResult* block = block_of(run, parameters);
  if (block == nullptr) return nullptr;
  const auto found = std::ranges::find(block->cells, strategy, &CellResult::strategy);
  return found == block->cells.end() ? nullptr : &*found;
}

std::optional<double> counter_of(const CellResult& cell, const std::string& name) {
  const auto found = cell.counters.find(name);
  return found == cell.counters.end() ? std::nullopt : std::optional(found->second);
}

/// A repetition that took this much longer than the processor worked on it had to wait.
constexpr double waited_ratio = 1.05;

bool had_to_wait(const Repetition& repetition) {
  return repetition.cpu_ns > 0 && repetition.real_ns > waited_ratio * repetition.cpu_ns;
}

std::vector<double> ns_per_item(const CellResult& cell) {
  std::vector<double> samples;
  for (const Repetition& repetition : cell.repetitions) {
    const double ns = had_to_wait(repetition) ? repetition.cpu_ns : repetition.real_ns;
    samples.push_back(ns / static_cast<double>(cell.items));
  }
  return samples;
}

double waiting_share_of(const std::vector<Run>& processes, const std::string& parameters) {
  double waited = 0;
  double all = 0;
  for (const Run& run : processes) {
    const BlockResult* block = block_of(run, parameters);
    if (block == nullptr) continue;
    for (const CellResult& cell : block->cells) {
      all += static_cast<double>(cell.repetitions.size());
      waited += static_cast<double>(std::ranges::count_if(cell.repetitions, had_to_wait));
    }
  }
  return all > 0 ? waited / all : 0;
}

/// What was measured of one strategy, process by process; empty samples where it did not take part.
struct Samples {
  std::string strategy;
  std::vector<std::vector<double>> frame_ns;
  std::optional<double> save_ns;
  std::string error;
};

std::vector<double> pooled(const std::vector<std::vector<double>>& processes) {
  std::vector<double> all;
  for (const std::vector<double>& samples : processes) all.insert(all.end(), samples.begin(), samples.end());
  return all;
}

/// Over all processes, and wide enough for what each of them says.
Estimate estimate_over(const std::vector<std::vector<double>>& processes, std::size_t comparisons) {
  Estimate estimate = estimate_median(pooled(processes), comparisons);
  for (const std::vector<double>& samples : processes) {
    if (samples.empty() || !estimate.interval) continue;
    const double of_process = median(samples);
    estimate.interval->low = std::min(estimate.interval->low, of_process);
    estimate.interval->high = std::max(estimate.interval->high, of_process);
  }
  return estimate;
}

/// Whether it was measured in all processes, and not found too slow in the first.
bool stayed(const Samples& samples) {
  return std::ranges::none_of(samples.frame_ns, [](const std::vector<double>& process) { return process.empty(); });
}

Estimate ratio_of(const Samples& samples, const Samples& baseline, std::size_t comparisons) {
  std::vector<std::vector<double>> ratios;
  for (std::size_t process = 0; process < samples.frame_ns.size(); ++process) {
    ratios.push_back(ratios_per_round(samples.frame_ns[process], baseline.frame_ns[process]));
  }
  return estimate_over(ratios, comparisons);
}

class Ranking {
 public:
  Ranking(const Profile& profile, const std::vector<Run>& processes, const std::string& frame_parameters,
          const std::string& save_parameters)
      : profile_(profile), processes_(processes), frame_(frame_parameters), save_(save_parameters) {
    answer_.profile = profile.name;
    answer_.entities = profile.entities;
    answer_.budget = profile.budget;
  }

  Answer rank() {
    collect();
    for (const Samples& samples : samples_) answer_.ranking.push_back(figures_of(samples));
    for (const Run& run : processes_) {
      for (const Omission& omission : run.omissions) note(omission);
    }
    if (!answer_.ranking.empty()) choose();
    answer_.waiting_share = waiting_share_of(processes_, frame_);
    return std::move(answer_);
  }

 private:
  void collect() {
    const BlockResult* first = processes_.empty() ? nullptr : block_of(processes_.front(), frame_);
    if (first == nullptr) return;
    for (const CellResult& cell : first->cells) {
      Samples samples = samples_of(cell.strategy);
      if (samples.error.empty()) {
        samples_.push_back(std::move(samples));
      } else {
        answer_.not_ranked.push_back({samples.strategy, samples.error});
      }
    }
  }

  [[nodiscard]] Samples samples_of(const std::string& strategy) const {
    Samples samples{strategy, {}, std::nullopt, {}};
    std::vector<double> saves;
    std::vector<std::vector<double>> save_ns;
    for (const Run& run : processes_) {
      const CellResult* frame = cell_of(run, frame_, strategy);
      const CellResult* save = save_.empty() ? nullptr : cell_of(run, save_, strategy);
      for (const CellResult* cell : {frame, save}) {
        if (cell != nullptr && samples.error.empty()) samples.error = cell->error;
      }
      samples.frame_ns.push_back(frame == nullptr ? std::vector<double>() : ns_per_item(*frame));
      save_ns.push_back(save == nullptr ? std::vector<double>() : ns_per_item(*save));
      if (!save_ns.back().empty()) saves.push_back(median(save_ns.back()));
    }
    if (samples.error.empty() && pooled(samples.frame_ns).empty()) samples.error = "it was not measured";
    if (!saves.empty()) samples.save_ns = median(saves);
    add_saves(samples, save_ns);
    return samples;
  }

  /// To each round that of the saves, so that an interval knows how these vary; the median where a process has none.
  void add_saves(Samples& samples, const std::vector<std::vector<double>>& save_ns) const {
    if (!samples.save_ns) return;
    for (std::size_t process = 0; process < samples.frame_ns.size(); ++process) {
      const std::vector<double>& saves = save_ns[process];
      std::vector<double>& frames = samples.frame_ns[process];
      for (std::size_t round = 0; round < frames.size(); ++round) {
        const double save = saves.empty() ? *samples.save_ns : saves[round % saves.size()];
        frames[round] += save * saves_per_frame(profile_);
      }
    }
  }

  [[nodiscard]] RankedStrategy figures_of(const Samples& samples) const {
    RankedStrategy ranked;
    ranked.strategy = samples.strategy;
    ranked.frame_ns = estimate_over(samples.frame_ns, 1);
    ranked.save_ns = samples.save_ns;
    const auto over_processes = [&](const std::string& name) -> std::optional<double> {
      std::vector<double> values;
      for (const Run& run : processes_) {
        const CellResult* cell = cell_of(run, frame_, samples.strategy);
        const std::optional<double> value = cell == nullptr ? std::nullopt : counter_of(*cell, name);
        if (value) values.push_back(*value);
      }
      return values.empty() ? std::nullopt : std::optional(median(values));
    };
    ranked.bytes_per_entity = over_processes("bytes_per_entity");
    const std::optional<double> worst_ns = over_processes("frame_max_ns");
    ranked.frame_worst_ns = worst_ns.value_or(ranked.frame_ns.median);
    ranked.frame_p99_ns = over_processes("frame_p99_ns").value_or(ranked.frame_worst_ns);
    if (samples.save_ns) {
      ranked.frame_worst_ns = std::max(ranked.frame_worst_ns, ranked.frame_ns.median + *samples.save_ns);
    }
    for (const Metric& metric : metrics) {
      if (metric.pass != parts_pass) continue;
      const std::string name(metric.name);
      if (const std::optional<double> ns = over_processes(name)) ranked.parts[name] = *ns;
    }
    if (samples.save_ns) ranked.parts["frame_saves_ns"] = *samples.save_ns * saves_per_frame(profile_);
    ranked.broken_budgets = broken_by(ranked, worst_ns.has_value());
    return ranked;
  }

  /// What could not be measured keeps no budget.
  [[nodiscard]] std::vector<std::string> broken_by(const RankedStrategy& ranked, bool has_worst) const {
    constexpr double ns_per_ms = 1e6;
    const ProfileBudget& budget = profile_.budget;
    std::vector<std::string> broken;
    if (budget.frame_ms && ranked.frame_ns.median > *budget.frame_ms * ns_per_ms) broken.emplace_back("frame_ms");
    if (budget.worst_frame_ms && (!has_worst || ranked.frame_worst_ns > *budget.worst_frame_ms * ns_per_ms)) {
      broken.emplace_back("worst_frame_ms");
    }
    const double bytes = ranked.bytes_per_entity.value_or(std::numeric_limits<double>::infinity()) *
                         static_cast<double>(profile_.entities);
    if (budget.memory_bytes && bytes > static_cast<double>(*budget.memory_bytes)) broken.emplace_back("memory");
    return broken;
  }

  /// What a strategy cannot do at all; what a pass could not tell of one that was ranked is left out.
  void note(const Omission& omission) {
    const std::size_t first = omission.cell.find('/');
    const std::size_t second = omission.cell.find('/', first + 1);
    const std::string strategy =
        second == std::string::npos ? omission.cell : omission.cell.substr(first + 1, second - first - 1);
    if (omission.pass == time_pass) {
      const bool known =
          std::ranges::find(answer_.not_ranked, strategy, &NotRanked::strategy) != answer_.not_ranked.end();
      if (!known) answer_.not_ranked.push_back({strategy, omission.reason});
    } else {
      answer_.left_out.push_back(omission.pass + " of " + strategy + ": " + omission.reason);
    }
  }

  void choose() {
    const auto keeps_more = [](const RankedStrategy& left, const RankedStrategy& right) {
      if (left.broken_budgets.empty() != right.broken_budgets.empty()) return left.broken_budgets.empty();
      return left.frame_ns.median < right.frame_ns.median;
    };
    const std::string best = std::ranges::min_element(answer_.ranking, keeps_more)->strategy;
    const bool all_break = !find(best).broken_budgets.empty();
    const auto rivals = static_cast<std::size_t>(
        std::ranges::count_if(samples_, [&](const Samples& one) { return one.strategy != best && stayed(one); }));
    std::vector<std::string> tied;  // in the order of the list
    for (RankedStrategy& ranked : answer_.ranking) {
      const bool can_win = (all_break || ranked.broken_budgets.empty()) && stayed(samples(ranked.strategy));
      const bool is_best = ranked.strategy == best;
      if (is_best ||
          (can_win && is_tie(ratio_of(samples(ranked.strategy), samples(best), std::max<std::size_t>(1, rivals))))) {
        tied.push_back(ranked.strategy);
      }
    }
    const auto bytes = [this](const std::string& name) {
      return find(name).bytes_per_entity.value_or(std::numeric_limits<double>::infinity());
    };
    answer_.winner = *std::ranges::min_element(tied, {}, bytes);
    for (RankedStrategy& ranked : answer_.ranking) {
      ranked.is_tied = std::ranges::find(tied, ranked.strategy) != tied.end();
      ranked.ratio_to_winner = ratio_of(samples(ranked.strategy), samples(answer_.winner), 1);
    }
    std::ranges::stable_sort(answer_.ranking, [&](const RankedStrategy& left, const RankedStrategy& right) {
      const auto rank = [&](const RankedStrategy& ranked) {
        return ranked.strategy == answer_.winner ? 0 : ranked.is_tied ? 1 : ranked.broken_budgets.empty() ? 2 : 3;
      };
      return rank(left) != rank(right) ? rank(left) < rank(right) : left.frame_ns.median < right.frame_ns.median;
    });
    for (const RankedStrategy& ranked : answer_.ranking) {
      if (ranked.is_tied && ranked.strategy != answer_.winner) answer_.tied.push_back(ranked.strategy);
    }
  }

  [[nodiscard]] const RankedStrategy& find(const std::string& strategy) const {
    return *std::ranges::find(answer_.ranking, strategy, &RankedStrategy::strategy);
  }
  [[nodiscard]] const Samples& samples(const std::string& strategy) const {
    return *std::ranges::find(samples_, strategy, &Samples::strategy);
  }

  const Profile& profile_;
  const std::vector<Run>& processes_;
  const std::string& frame_;
  const std::string& save_;
  std::vector<Samples> samples_;
  Answer answer_;
};

}  // namespace

double saves_per_frame(const Profile& profile) { return profile.saves_per_minute / 60 / profile.frames_per_second; }

Answer rank_processes(const Profile& profile, const std::vector<Run>& processes, const std::string& frame_parameters,
                      const std::string& save_parameters) {
  return Ranking(profile, processes, frame_parameters, save_parameters).rank();
}

void add_misses(Answer& answer, const Run& counted, const std::string& frame_parameters) {
  for (RankedStrategy& ranked : answer.ranking) {
    const CellResult* cell = cell_of(counted, frame_parameters, ranked.strategy);
    if (cell == nullptr) continue;
    ranked.l1d_misses = counter_of(*cell, "l1d_misses_per_item");
    ranked.ll_misses = counter_of(*cell, "ll_misses_per_item");
    ranked.instructions = counter_of(*cell, "instructions_per_item");
  }
}

std::vector<std::string> competitors(const Answer& answer) {
  std::vector<std::string> names;
  for (const RankedStrategy& ranked : answer.ranking) {
    if (ranked.broken_budgets.empty() || !answer.ranking.front().broken_budgets.empty()) {
      names.push_back(ranked.strategy);
    }
  }
  return names;
}

void add_variations(Answer& answer, const Run& run, const std::vector<VariationCells>& cells) {
  const std::vector<std::string> able = competitors(answer);
  for (const VariationCells& variation : cells) {
    std::vector<Samples> measured;
    if (const BlockResult* block = block_of(run, variation.parameters)) {
      for (const CellResult& cell : block->cells) {
        const bool may_win = std::ranges::find(able, cell.strategy) != able.end();
        if (may_win && cell.error.empty() && !cell.repetitions.empty()) {
          measured.push_back({cell.strategy, {ns_per_item(cell)}, std::nullopt, {}});
        }
      }
    }
    const auto former = std::ranges::find(measured, answer.winner, &Samples::strategy);
    if (former == measured.end() || measured.size() < 2) continue;
    const Samples& best = *std::ranges::min_element(
        measured, {}, [](const Samples& samples) { return median(samples.frame_ns.front()); });
    Variation result{variation.what, best.strategy, {}, false, ratio_of(*former, best, 1).median};
    result.changes_the_winner = best.strategy != answer.winner;
    for (const Samples& samples : measured) {
      if (&samples == &best || !is_tie(ratio_of(samples, best, measured.size() - 1))) continue;
      result.tied.push_back(samples.strategy);
      if (samples.strategy == answer.winner) result.changes_the_winner = false;
    }
    answer.variations.push_back(std::move(result));
  }
}

}  // namespace stowage::harness
