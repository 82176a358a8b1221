#include "harness/recommend/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/errors.hpp"
#include "harness/recommend/ranking.hpp"
#include "harness/recommend/search.hpp"
#include "harness/recommend/worth.hpp"
#include "harness/statistics/estimates.hpp"

namespace stowage::harness {
namespace {

std::string why_none(const Answer& answer) {
  if (answer.not_ranked.empty()) return "no strategy could be measured";
  const NotRanked& first = answer.not_ranked.front();
  return fmt::format("no strategy could be measured; {}: {}", first.strategy, first.reason);
}

void note_semantics(Answer& answer, const Catalogue& catalogue) {
  const StrategyEntry* const known = catalogue.find(answer.winner);
  if (known == nullptr || !known->semantics) return;
  for (const auto& [card, promise] : known->semantics->lines()) {
    if (!promise.kept) answer.winner_lacks.push_back({std::string(card), std::string(promise.reason)});
  }
}

/// What the winner promises, and the storage that the game has does not.
std::vector<std::string> gained_promises(const Answer& answer, const Catalogue& catalogue) {
  const StrategyEntry* const present = catalogue.find(answer.worth->measured_as);
  const StrategyEntry* const winner = catalogue.find(answer.winner);
  if (present == nullptr || winner == nullptr || !present->semantics || !winner->semantics) return {};
  std::vector<std::string> gained;
  const auto before = present->semantics->lines();
  const auto after = winner->semantics->lines();
  for (std::size_t card = 0; card < after.size(); ++card) {
    if (after[card].second.kept && !before[card].second.kept) gained.emplace_back(after[card].first);
  }
  return gained;
}

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

/// Puts the misses and instructions of a frame, which one process has counted, beside the ranking.
void add_misses(Answer& answer, const Run& counted, const std::string& frame_parameters) {
  for (RankedStrategy& ranked : answer.ranking) {
    const CellResult* cell = find_cell(counted, frame_parameters, ranked.strategy);
    if (cell == nullptr) continue;
    ranked.l1d_misses = find_counter(*cell, "l1d_misses_per_item");
    ranked.ll_misses = find_counter(*cell, "ll_misses_per_item");
    ranked.instructions = find_counter(*cell, "instructions_per_item");
  }
  for (const Omission& omission : counted.omissions) {
    answer.left_out.push_back(omission.pass + " of " + omission.cell + ": " + omission.reason);
  }
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
  const auto is_partial = [](const ProfileComponent& component) { return component.share < 1; };
  if (profile.kinds.empty() && std::ranges::any_of(profile.components, is_partial)) {
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

void add_variations(Answer& answer, const Run& run, const Profile& profile,
                    const std::vector<GameVariation>& variations) {
  const std::vector<std::string> able = competitors(answer);
  const std::vector<Run> processes{run};
  for (const GameVariation& variation : variations) {
    const GameBlocks blocks = blocks_of(profile, variation.cells);
    const bool lacks_saves = blocks.saves_per_frame > 0 && find_frames(run, blocks.save_parameters) == nullptr;
    if (lacks_saves && find_frames(run, blocks.frame_parameters) != nullptr) {
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
      if (&samples == &best || !may_be_best(standing_beside_best(ratio))) continue;
      result.tied.push_back(samples.strategy);
      if (samples.strategy == answer.winner) result.changes_the_winner = false;
    }
    answer.variations.push_back(std::move(result));
  }
}

Answer decide(const Profile& profile, const MeasuredGame& game, const Catalogue& catalogue) {
  Answer answer = rank_game(profile, game.processes);
  if (answer.ranking.empty()) throw NegativeAnswer(why_none(answer));
  if (game.other_games) add_variations(answer, *game.other_games, profile, variations_of(profile));
  if (!game.search.empty()) {
    answer.placements = placements_of(profile, answer, search_of(profile, answer, game.search), game.confirmed);
  }
  if (game.counted) add_misses(answer, *game.counted, frame_cells(profile).parameters());
  note_semantics(answer, catalogue);
  answer.worth = worth_of(profile, answer, game.processes);
  if (answer.worth) answer.worth->gained_promises = gained_promises(answer, catalogue);
  add_reasons(answer);
  return answer;
}

}  // namespace stowage::harness
