#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/profile/profile.hpp"
#include "harness/recommend/answer.hpp"
#include "harness/recommend/measuring_plan.hpp"
#include "harness/results/run.hpp"

// From what was measured of a game to its answer: the same for fresh and for stored results.

namespace stowage::harness {

/// What the processes of a recommendation measured.
struct MeasuredGame {
  std::vector<Run> processes;      ///< frames and saves, one process after the other
  std::optional<Run> other_games;  ///< variations, in a process of its own
  std::optional<Run> counted;      ///< misses, likewise
};

/// The cells of a game itself: its frames, and saving everything once.
[[nodiscard]] MeasuringPlan::Cells frame_cells(const Profile& profile);
[[nodiscard]] MeasuringPlan::Cells save_cells(const Profile& profile);

/// The ranking alone.
[[nodiscard]] Answer rank_game(const Profile& profile, const std::vector<Run>& processes);

/// Everything that follows from `game`: the ranking, other games, misses, what the winner does not promise as far as
/// `catalogue` knows it, and the reasons. Throws NegativeAnswer where no strategy could be measured.
[[nodiscard]] Answer decide(const Profile& profile, const MeasuredGame& game, const Catalogue& catalogue);

/// Where in `out` what one process measured is kept, as a run directory; counted from 1.
[[nodiscard]] std::filesystem::path process_directory(const std::filesystem::path& out, std::size_t number);
/// The directories of `out` that hold what processes have measured, in their order; no others of such a name.
[[nodiscard]] std::vector<std::filesystem::path> process_directories(const std::filesystem::path& out);

/// Says in `out` which game is measured there, so that results of one are not taken for those of another.
void note_game(const Profile& profile, const std::filesystem::path& out);

/// What `stowage recommend --out` has kept there. Budgets may be others than they were then. Throws UserError where
/// that is not of this game.
[[nodiscard]] MeasuredGame read_measured_game(const Profile& profile, const std::filesystem::path& out);

}  // namespace stowage::harness
