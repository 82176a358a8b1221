#include "harness/recommend/samples.hpp"

#include <algorithm>

#include "harness/statistics/estimates.hpp"

namespace stowage::harness {
namespace {

/// A repetition that took this much longer than the processor worked on it had to wait.
constexpr double waited_ratio = 1.05;

bool had_to_wait(const Repetition& repetition) {
  return repetition.cpu_ns > 0 && repetition.real_ns > waited_ratio * repetition.cpu_ns;
}

/// Of each repetition.
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

/// Of the processes that have some.
std::vector<double> medians_of(const std::vector<std::vector<double>>& processes) {
  std::vector<double> medians;
  for (const std::vector<double>& samples : processes) {
    if (!samples.empty()) medians.push_back(median(samples));
  }
  return medians;
}

/// By process, as far as both took part.
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
  if (profile.saves_per_minute == 0) return {cells.parameters(), "", 0};
  return {cells.parameters(), cells.of_saves().parameters(), profile.saves_per_minute / 60 / profile.frames_per_second};
}

const BlockResult* find_block(const Run& run, const std::string& parameters) {
  const auto found = std::ranges::find(run.blocks, parameters, &BlockResult::parameters);
  return found == run.blocks.end() ? nullptr : &*found;
}

const CellResult* find_cell(const Run& run, const std::string& parameters, const std::string& strategy) {
  const BlockResult* block = find_block(run, parameters);
  if (block == nullptr) return nullptr;
  const auto found = std::ranges::find(block->cells, strategy, &CellResult::strategy);
  return found == block->cells.end() ? nullptr : &*found;
}

std::optional<double> find_counter(const CellResult& cell, const std::string& name) {
  const auto found = cell.counters.find(name);
  return found == cell.counters.end() ? std::nullopt : std::optional(found->second);
}

double waiting_share(const std::vector<Run>& processes, const std::string& parameters) {
  double waited = 0;
  double all = 0;
  for (const Run& run : processes) {
    const BlockResult* block = find_block(run, parameters);
    if (block == nullptr) continue;
    for (const CellResult& cell : block->cells) {
      all += static_cast<double>(cell.repetitions.size());
      waited += static_cast<double>(std::ranges::count_if(cell.repetitions, had_to_wait));
    }
  }
  return all > 0 ? waited / all : 0;
}

GameSamples samples_of(const std::string& strategy, const std::vector<Run>& processes, const GameBlocks& blocks) {
  GameSamples samples{.strategy = strategy, .rounds_ns = {}, .frames_ns = {}, .save_ns = std::nullopt, .error = {}};
  std::vector<std::vector<double>> saves_ns;
  for (const Run& run : processes) {
    const CellResult* frame = find_cell(run, blocks.frame_parameters, strategy);
    const CellResult* save =
        blocks.save_parameters.empty() ? nullptr : find_cell(run, blocks.save_parameters, strategy);
    for (const CellResult* cell : {frame, save}) {
      if (cell != nullptr && samples.error.empty()) samples.error = cell->error;
    }
    samples.rounds_ns.push_back(frame == nullptr ? std::vector<double>() : rounds_of(*frame));
    samples.frames_ns.emplace_back();
    if (frame != nullptr) samples.frames_ns.back().assign(frame->frames_ns.begin(), frame->frames_ns.end());
    saves_ns.push_back(save == nullptr ? std::vector<double>() : rounds_of(*save));
  }
  const bool was_measured = !samples.rounds_ns.empty() && !samples.rounds_ns.front().empty();
  if (samples.error.empty() && !was_measured) samples.error = "it was not measured";
  add_saves(samples, saves_ns, blocks.saves_per_frame);
  return samples;
}

Estimate estimate_rounds(const std::vector<std::vector<double>>& processes, const ProcessScatter& scatter) {
  return across_processes(estimate_median(pooled(processes)), medians_of(processes), scatter);
}

ProcessScatter scatter_of_rounds(const std::vector<GameSamples>& all) {
  std::vector<std::vector<double>> figures;
  for (const GameSamples& samples : all) figures.push_back(medians_of(samples.rounds_ns));
  return shared_scatter_of(figures);
}

Estimate times_as_long(const GameSamples& samples, const GameSamples& baseline, std::size_t comparisons,
                       const ProcessScatter& scatter) {
  if (&samples == &baseline) return {1, Interval{1, 1}};
  const std::vector<std::vector<double>> ratios = ratios_of(samples, baseline);
  return across_processes(estimate_median(pooled(ratios), comparisons), medians_of(ratios), scatter, comparisons);
}

ProcessScatter scatter_against(const GameSamples& baseline, const std::vector<GameSamples>& all) {
  std::vector<std::vector<double>> figures;
  for (const GameSamples& samples : all) {
    if (&samples != &baseline) figures.push_back(medians_of(ratios_of(samples, baseline)));
  }
  return process_scatter_of(figures);
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

}  // namespace stowage::harness
