#pragma once

#include <string>
#include <vector>

#include "harness/profile/profile.hpp"
#include "harness/recommend/answer.hpp"
#include "harness/recommend/measuring_plan.hpp"
#include "harness/results/run.hpp"

// Whether a somewhat different game would have another answer.

namespace stowage::harness {

/// The game with one number changed.
struct GameVariation {
  std::string what;  ///< "twice the entities"
  MeasuringPlan::Cells cells;
};

/// Half and twice as much of everything that the game has: entities, churn, shares.
[[nodiscard]] std::vector<GameVariation> variations_of(const Profile& profile);

/// Those of the ranking that may win, in its order: where the winner keeps all budgets, who keeps them too.
[[nodiscard]] std::vector<std::string> competitors(const Answer& answer);

/// Who of the competitors wins each of these that `run` has measured, by the times of one process, which are expected
/// to differ from those of others as those of the ranking do. So many saves count in a frame, as in the ranking: a
/// variation of which they were not measured is left out. Budgets are those of the game itself.
void add_variations(Answer& answer, const Run& run, const std::vector<GameVariation>& variations,
                    double saves_per_frame);

}  // namespace stowage::harness
