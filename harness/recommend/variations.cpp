#include "harness/recommend/variations.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "harness/recommend/samples.hpp"
#include "harness/statistics/estimates.hpp"

namespace stowage::harness {
namespace {

/// Of those that may win.
std::vector<GameSamples> samples_of_all(const std::vector<std::string>& able, const std::vector<Run>& processes,
                                        const GameBlocks& blocks) {
  std::vector<GameSamples> measured;
  for (const std::string& strategy : able) {
    GameSamples samples = samples_of(strategy, processes, blocks);
    const bool lacks_saves = blocks.saves_per_frame > 0 && !samples.save_ns;
    if (samples.error.empty() && !lacks_saves) measured.push_back(std::move(samples));
  }
  return measured;
}

}  // namespace

std::vector<GameVariation> variations_of(const Profile& profile) {
  const std::size_t n = profile.entities;
  std::vector<GameVariation> all{
      {"half the entities", {.entities = std::max<std::size_t>(1, n / 2), .weight = 0.7}},
      {"twice the entities", {.entities = 2 * n, .weight = 1.6}},
  };
  if (profile.creations_per_frame > 0 || !profile.changes.empty()) {
    all.push_back({"half the churn", {.entities = n, .rates = "50"}});
    all.push_back({"twice the churn", {.entities = n, .rates = "200"}});
  }
  if (std::ranges::any_of(profile.components, [](const auto& component) { return component.share < 1; })) {
    all.push_back({"half the shares", {.entities = n, .shares = "50"}});
    all.push_back({"twice the shares", {.entities = n, .shares = "200"}});
  }
  return all;
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

void add_variations(Answer& answer, const Run& run, const std::vector<GameVariation>& variations,
                    double saves_per_frame) {
  const std::vector<std::string> able = competitors(answer);
  const std::vector<Run> processes{run};
  for (const GameVariation& variation : variations) {
    const GameBlocks blocks{variation.cells.parameters(),
                            saves_per_frame > 0 ? variation.cells.of_saves().parameters() : "", saves_per_frame};
    const bool lacks_saves = saves_per_frame > 0 && find_block(run, blocks.save_parameters) == nullptr;
    if (lacks_saves && find_block(run, blocks.frame_parameters) != nullptr) {
      answer.left_out.push_back(variation.what + ": its saves were not measured");
    }
    const std::vector<GameSamples> measured = samples_of_all(able, processes, blocks);
    const auto former = std::ranges::find(measured, answer.winner, &GameSamples::strategy);
    if (former == measured.end() || measured.size() < 2) continue;
    const GameSamples& best = measured[fastest_of(measured)];
    Variation result{variation.what, best.strategy, {}, false, times_as_long(*former, best, 1).median};
    result.changes_the_winner = best.strategy != answer.winner;
    for (const GameSamples& samples : measured) {
      const Estimate ratio = times_as_long(samples, best, measured.size() - 1, answer.scatter);
      if (&samples == &best || !is_tie(ratio)) continue;
      result.tied.push_back(samples.strategy);
      if (samples.strategy == answer.winner) result.changes_the_winner = false;
    }
    answer.variations.push_back(std::move(result));
  }
}

}  // namespace stowage::harness
