#include "harness/compare/time_changes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <unordered_map>

#include "harness/results/names.hpp"
#include "harness/statistics/change.hpp"

namespace stowage::harness {
namespace {

/// A repetition takes less than this share longer than its processor time where nobody else is on the processor.
constexpr double largest_wait = 0.02;

using References = std::unordered_map<std::string, const CellPair*>;  // by block

bool was_taken_away(const MeasuredRound& round) {
  return round.cpu_ns > 0 && round.real_ns > (1 + largest_wait) * round.cpu_ns;
}

/// Threads wait for each other, which is theirs to answer for.
bool has_threads(const CellPair& pair) { return pair.block.find("/threads:") != std::string::npos; }

std::vector<double> times_of(const MeasuredCell& cell) {
  std::vector<double> times;
  std::ranges::transform(cell.rounds, std::back_inserter(times), &MeasuredRound::real_ns);
  if (times.empty() && cell.median_ns) times.push_back(*cell.median_ns);
  return times;
}

bool has_ratios(const MeasuredCell& cell) {
  return !cell.rounds.empty() &&
         std::ranges::all_of(cell.rounds, [](const MeasuredRound& round) { return round.ratio && *round.ratio > 0; });
}

/// The ratios of the rounds that nobody disturbed.
std::vector<double> ratios_of(const MeasuredCell& cell, const MeasuredCell* reference) {
  std::vector<double> ratios;
  for (std::size_t index = 0; index < cell.rounds.size(); ++index) {
    const MeasuredRound& round = cell.rounds[index];
    const bool has_partner = reference != nullptr && index < reference->rounds.size();
    if (was_taken_away(round) || (has_partner && was_taken_away(reference->rounds[index]))) continue;
    ratios.push_back(*round.ratio);
  }
  return ratios;
}

struct CellSamples {
  std::vector<double> before;
  std::vector<double> after;
  bool are_ratios = false;
  bool are_disturbed = false;  ///< ratios were left out, and too few remained
};

bool enough(const CellSamples& samples) { return std::min(samples.before.size(), samples.after.size()) >= fewest_samples; }

CellSamples all_ratios(const CellPair& pair) {
  CellSamples samples{.before = {}, .after = {}, .are_ratios = true};
  const auto ratio = [](const MeasuredRound& round) { return *round.ratio; };
  std::ranges::transform(pair.before->rounds, std::back_inserter(samples.before), ratio);
  std::ranges::transform(pair.after->rounds, std::back_inserter(samples.after), ratio);
  return samples;
}

/// Where too few rounds were left alone, all of them: their medians are shown, though nothing follows from them.
CellSamples samples_of(const CellPair& pair, const References& references) {
  if (!has_ratios(*pair.before) || !has_ratios(*pair.after)) {
    return {.before = times_of(*pair.before), .after = times_of(*pair.after)};
  }
  CellSamples all = all_ratios(pair);
  if (has_threads(pair)) return all;
  const auto found = references.find(pair.block);
  const CellPair* reference = found == references.end() ? nullptr : found->second;
  CellSamples quiet{.before = ratios_of(*pair.before, reference != nullptr ? reference->before : nullptr),
                .after = ratios_of(*pair.after, reference != nullptr ? reference->after : nullptr),
                .are_ratios = true};
  if (enough(quiet)) return quiet;
  all.are_disturbed = enough(all);
  return all;
}

References references_of(const std::vector<CellPair>& pairs) {
  References references;
  for (const CellPair& pair : pairs) {
    if (pair.strategy == reference_name) references.emplace(pair.block, &pair);
  }
  return references;
}

std::string reason_of(const CellSamples& samples) {
  if (samples.are_disturbed) return "the processor was taken away in too many rounds";
  return "fewer than " + std::to_string(fewest_samples) + " repetitions";
}

/// A cell on its way to a verdict.
struct Candidate {
  CellTimeChange change;
  std::optional<LogChange> logs;
};

/// None where a side has no time.
std::optional<Candidate> candidate_of(const CellPair& pair, const References& references) {
  const CellSamples samples = samples_of(pair, references);
  if (samples.before.empty() || samples.after.empty()) return std::nullopt;
  Candidate candidate;
  candidate.change.pair = &pair;
  candidate.change.is_of_ratios = samples.are_ratios;
  candidate.change.before = median(samples.before);
  candidate.change.after = median(samples.after);
  candidate.change.ratio = candidate.change.after / candidate.change.before;
  if (samples.are_disturbed || !enough(samples)) {
    candidate.change.reason = reason_of(samples);
  } else {
    candidate.logs = LogChange{*log_median(samples.before), *log_median(samples.after)};
  }
  return candidate;
}

/// The reference's own ratio is 1 in every round: nothing to compare.
bool is_constant(const CellPair& pair) {
  return pair.strategy == reference_name && has_ratios(*pair.before) && has_ratios(*pair.after);
}

std::vector<Candidate> candidates_of(const std::vector<CellPair>& pairs) {
  const References references = references_of(pairs);
  std::vector<Candidate> candidates;
  for (const CellPair& pair : pairs) {
    if (is_constant(pair)) continue;
    if (std::optional<Candidate> candidate = candidate_of(pair, references))
      candidates.push_back(*std::move(candidate));
  }
  return candidates;
}

/// For each of the decidable, what the others of its block typically did; 0 stands for the reference, in relation to
/// which all are. Absolute times have nothing to be held against.
std::vector<double> moves_of_others(const std::vector<Candidate*>& decidable) {
  std::map<std::string, std::vector<std::size_t>> blocks;
  for (std::size_t index = 0; index < decidable.size(); ++index) {
    const CellTimeChange& change = decidable[index]->change;
    if (change.is_of_ratios) blocks[change.pair->block].push_back(index);
  }
  std::vector<double> moves(decidable.size(), 0.0);
  for (const auto& [block, members] : blocks) {
    for (const std::size_t index : members) {
      std::vector<double> others{0.0};
      for (const std::size_t other : members) {
        if (other != index) others.push_back(decidable[other]->logs->value());
      }
      moves[index] = median(others);
    }
  }
  return moves;
}

void judge(std::vector<Candidate>& candidates, TimeComparison& comparison) {
  std::vector<Candidate*> decidable;
  std::vector<LogChange> logs;
  for (Candidate& candidate : candidates) {
    if (!candidate.logs) continue;
    decidable.push_back(&candidate);
    logs.push_back(*candidate.logs);
  }
  comparison.run_scatter = run_scatter_of(logs);
  comparison.is_beyond_chance =
      logs.size() >= fewest_cells_for_scatter && comparison.run_scatter >= largest_run_scatter;
  const std::vector<double> moves = moves_of_others(decidable);
  std::vector<double> chances;
  for (std::size_t index = 0; index < logs.size(); ++index) {
    const double change = logs[index].value();
    const double against_others = change - moves[index];
    const bool agree = (change > 0) == (against_others > 0);
    const double distance = agree ? std::min(std::abs(change), std::abs(against_others)) : 0;
    chances.push_back(chance_of(distance, logs[index], comparison.run_scatter));
  }
  const std::vector<bool> significant = discoveries(chances);
  for (std::size_t index = 0; index < logs.size(); ++index) {
    CellTimeChange& change = decidable[index]->change;
    change.chance = chances[index];
    change.interval = ratio_interval(logs[index], comparison.run_scatter);
    change.verdict = !significant[index] ? Verdict::unchanged : change.ratio > 1 ? Verdict::slower : Verdict::faster;
  }
}

/// Whether not even the whole range of so few cells holds their median with the confidence that one of several
/// comparisons needs.
bool too_few(std::size_t cells, std::size_t comparisons) {
  return std::ldexp(2.0, -static_cast<int>(cells)) > (1 - confidence) / static_cast<double>(comparisons);
}

Verdict verdict_of(const Estimate& ratio) {
  if (!ratio.interval) return Verdict::undecided;
  if (ratio.interval->low > 1 + smallest_run_scatter) return Verdict::slower;
  if (ratio.interval->high < 1 / (1 + smallest_run_scatter)) return Verdict::faster;
  return Verdict::unchanged;
}

struct StrategyCells {
  StrategyTimeChange change;
  std::vector<double> ratios;  ///< of the cells that have an interval
};

std::vector<StrategyTimeChange> strategies_of(const std::vector<CellTimeChange>& cells) {
  std::map<std::string_view, StrategyCells> strategies;
  for (const CellTimeChange& cell : cells) {
    if (cell.pair->strategy.empty()) continue;
    StrategyCells& strategy = strategies[cell.pair->strategy];
    ++strategy.change.cells;
    strategy.change.slower += cell.verdict == Verdict::slower ? 1 : 0;
    strategy.change.faster += cell.verdict == Verdict::faster ? 1 : 0;
    strategy.change.undecided += cell.verdict == Verdict::undecided ? 1 : 0;
    if (cell.is_of_ratios && cell.interval) strategy.ratios.push_back(cell.ratio);
  }
  std::vector<StrategyTimeChange> changes;
  for (auto& [name, strategy] : strategies) {
    strategy.change.strategy = name;
    if (!strategy.ratios.empty()) {
      Estimate estimate = estimate_median(strategy.ratios, strategies.size());
      if (too_few(strategy.ratios.size(), strategies.size())) estimate.interval.reset();
      strategy.change.ratio = estimate.median;
      strategy.change.interval = estimate.interval;
      strategy.change.verdict = verdict_of(estimate);
    }
    changes.push_back(std::move(strategy.change));
  }
  return changes;
}

std::optional<Estimate> references_together(const std::vector<CellPair>& pairs) {
  std::vector<double> ratios;
  for (const CellPair& pair : pairs) {
    if (!is_constant(pair)) continue;
    ratios.push_back(median(times_of(*pair.after)) / median(times_of(*pair.before)));
  }
  if (ratios.size() < fewest_samples) return std::nullopt;
  return estimate_median(ratios);
}

/// The slowest first; what is undecided says nothing and goes last.
template <class Changes>
void sort_worst_first(Changes& changes) {
  std::ranges::stable_sort(changes, [](const TimeChange& one, const TimeChange& other) {
    const bool is_decided = one.verdict != Verdict::undecided;
    const bool is_other_decided = other.verdict != Verdict::undecided;
    return is_decided != is_other_decided ? is_decided : one.ratio > other.ratio;
  });
}

}  // namespace

std::size_t TimeComparison::count(Verdict verdict) const {
  return static_cast<std::size_t>(std::ranges::count(cells, verdict, &CellTimeChange::verdict));
}

TimeComparison compare_times(const std::vector<CellPair>& pairs) {
  TimeComparison comparison;
  std::vector<Candidate> candidates = candidates_of(pairs);
  judge(candidates, comparison);
  for (Candidate& candidate : candidates) comparison.cells.push_back(std::move(candidate.change));
  comparison.strategies = strategies_of(comparison.cells);
  sort_worst_first(comparison.cells);
  sort_worst_first(comparison.strategies);
  comparison.references = references_together(pairs);
  return comparison;
}

}  // namespace stowage::harness
