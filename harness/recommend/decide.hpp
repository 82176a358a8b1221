#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/recommend/answer.hpp"
#include "harness/recommend/measure_game.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/results/run.hpp"

// From the measurements of a game to its answer; the same for fresh and for stored results.

namespace stowage::harness {

/// What the processes of a recommendation measured.
struct MeasuredGame {
  std::vector<Run> processes;       ///< frames and saves, one process after the other
  std::optional<Run> other_games;   ///< variations, in a process of its own
  std::optional<Run> counted;       ///< misses, likewise
  std::vector<Run> search = {};     ///< designs beside the best so far; see search.hpp
  std::vector<Run> confirmed = {};  ///< what the search has found beside the winner
};

/// The game with one number changed.
struct GameVariation {
  std::string what;  ///< "twice the entities"
  MeasuringPlan::Cells cells;
};

/// Half and twice as much of everything that the game has: entities, churn, shares.
[[nodiscard]] std::vector<GameVariation> variations_of(const Profile& profile);

/// Those of the ranking that may win, in its order: if the winner keeps all budgets, those that keep them too.
[[nodiscard]] std::vector<std::string> competitors(const Answer& answer);

/// Adds which of the competitors wins each of `variations` that `run` has measured, by the times of one process. That
/// is expected to differ from other processes as those of the ranking do. Saves count as often as in the ranking; a
/// variation whose saves were not measured is left out. Budgets are those of the game itself.
void add_variations(Answer& answer, const Run& run, const Profile& profile,
                    const std::vector<GameVariation>& variations);

/// Everything that follows from `game`: the ranking, other games, misses, what the winner does not promise as far as
/// `catalogue` knows it, and the reasons. Throws NegativeAnswer if no strategy could be measured.
[[nodiscard]] Answer decide(const Profile& profile, const MeasuredGame& game, const Catalogue& catalogue);

}  // namespace stowage::harness
