#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/recommend/profile/profile.hpp"

// `recommend` measures a game in processes of its own: this program, started again with a plan.

namespace stowage::harness {

/// What is measured of a game in one process: the blocks one after the other, strategies in turns within each.
struct MeasuringPlan {
  struct Cells {
    std::size_t entities = 0;
    std::string rates = "100";   ///< percent of what the profile says
    std::string shares = "100";  ///< likewise
    std::string work = "frame";  ///< or `save`
    double weight = 1;           ///< of the time that there is

    /// As in results files: `entities:20480/rates:100/shares:100/work:frame`.
    [[nodiscard]] std::string parameters() const;
    /// Saving the same game, which takes less of the time.
    [[nodiscard]] Cells of_saves() const;
  };

  std::string out = {};  ///< the directory of results.json
  std::vector<std::string> strategies = {};
  std::map<std::string, std::string> modules = {};  ///< files with the game on each of them
  std::vector<Cells> blocks = {};
  std::size_t repetitions = 21;
  double min_time_s = 0.03;     ///< of a repetition
  double budget_s = 10;         ///< for the time pass
  std::size_t frames = 0;       ///< to time one by one of each strategy, in whole sequences; none if it is 0
  double frames_s = 0;          ///< for the frames of all strategies: fewer of each if it is too short
  bool has_threads = false;     ///< systems run beside each other and wait for each other
  std::string systems_of = {};  ///< the strategy whose systems are timed with them; empty: of none
  bool memory = false;
  std::vector<std::string> simulated = {};  ///< strategies whose misses are counted, in the first block
  double simulation_budget_s = 0;
};

/// The cells of a game itself: its frames, and saving everything once.
[[nodiscard]] MeasuringPlan::Cells frame_cells(const Profile& profile);
[[nodiscard]] MeasuringPlan::Cells save_cells(const Profile& profile);

[[nodiscard]] std::string to_text(const MeasuringPlan& plan);

/// The first argument of the process that measures a game; the second is its plan.
inline constexpr std::string_view measure_argument = "__measure";

/// Measures what the plan says and writes it into a results directory. Throws UserError if `plan_text` is not what
/// to_text() writes, and what errors.hpp has.
void measure_game(std::string_view plan_text);

}  // namespace stowage::harness
