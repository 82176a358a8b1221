#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/profile/profile.hpp"
#include "harness/results/run.hpp"
#include "harness/statistics/median.hpp"

// What follows from the measurements of a game: a ranking, ties, budgets that are not kept, why, and whether a somewhat
// different game would have another answer. Nothing here measures.

namespace stowage::harness {

/// The parts of a frame by name, in nanoseconds: the mean over frames.
using FrameParts = std::map<std::string, double>;

/// One strategy's frame.
struct RankedStrategy {
  std::string strategy;
  Estimate frame_ns;                       ///< saves included, as often as the profile says
  Estimate ratio_to_winner;                ///< 1 for the winner itself
  bool is_tied = false;                    ///< with the winner
  double frame_p99_ns = 0;                 ///< saves not included
  double frame_worst_ns = 0;               ///< with a save in it, if the game saves
  std::optional<double> bytes_per_entity;  ///< none where its account was wrong
  std::optional<double> save_ns;
  FrameParts parts;
  std::optional<double> l1d_misses, ll_misses, instructions;  ///< of a frame
  std::vector<std::string> broken_budgets;                    ///< as keys of the profile
};

/// The same game with one number changed.
struct Variation {
  std::string what;  ///< "twice the entities"
  std::string winner;
  std::vector<std::string> tied;
  bool changes_the_winner = false;  ///< the answer's winner is neither this one nor tied with it
  double former_winner_ratio = 1;   ///< of the answer's winner to this one
};

struct NotRanked {
  std::string strategy;
  std::string reason;
};

struct SemanticsGap {
  std::string card;    ///< `pointer_stability_on_erase`
  std::string reason;  ///< what breaks it
};

struct Answer {
  std::string profile;
  std::size_t entities = 0;
  ProfileBudget budget;
  std::string winner;
  std::vector<std::string> tied;        ///< with the winner, without it
  std::vector<RankedStrategy> ranking;  ///< those that keep all budgets first; the winner at the top
  std::vector<std::string> reasons;
  std::vector<Variation> variations;
  std::vector<SemanticsGap> winner_lacks;
  std::vector<NotRanked> not_ranked;
  std::vector<std::string> left_out;  ///< of the measurement, and why
  double waiting_share = 0;           ///< of the repetitions in which a strategy had to wait for a processor
  double measured_s = 0, compiled_s = 0;
  std::size_t compiled_files = 0;
};

/// What a changed number is called, and the parameters of its cells.
struct VariationCells {
  std::string what;
  std::string parameters;
};

/// Ranks what several processes measured of the same cells. `frame_parameters` and `save_parameters` name the blocks;
/// the latter is empty where the game does not save. Strategies that fail anywhere are in not_ranked.
///
/// A repetition that had to wait for a processor counts with the processor's time: a game on one thread waits for
/// nothing else. Times are paired by rounds, as everywhere; an interval is that of the median over the rounds of all
/// processes, made wide enough for the medians of each process, because repetitions of one process share where its
/// memory lies. The best is the fastest of those that keep all budgets, or of all where nobody does. Of those that are
/// not certainly slower, in all processes, the winner holds the fewest bytes, and the first in the list wins where
/// these are equal.
[[nodiscard]] Answer rank_processes(const Profile& profile, const std::vector<Run>& processes,
                                    const std::string& frame_parameters, const std::string& save_parameters);

/// Puts the misses and instructions of a frame, which one process has counted, beside the ranking.
void add_misses(Answer& answer, const Run& counted, const std::string& frame_parameters);

/// Those of the ranking that may win, in its order: where the winner keeps all budgets, who keeps them too.
[[nodiscard]] std::vector<std::string> competitors(const Answer& answer);

/// Who of the competitors wins each of these blocks, by the times of one process. Budgets are those of the game itself.
void add_variations(Answer& answer, const Run& run, const std::vector<VariationCells>& cells);

/// Says why, in sentences with figures. After everything else is known.
void add_reasons(Answer& answer);

/// Saves of a profile in one frame.
[[nodiscard]] double saves_per_frame(const Profile& profile);

/// `frame_lookups_ns` -> `look-ups`
[[nodiscard]] std::string part_label(const std::string& metric);

}  // namespace stowage::harness
