#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/profile/profile.hpp"
#include "harness/results/run.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/statistics/process_scatter.hpp"

// What follows from the measurements of a game: a ranking, ties, budgets that are not kept, why, and whether a somewhat
// different game would have another answer. Nothing here measures.

namespace stowage::harness {

/// The parts of a frame by name, in nanoseconds: the mean over frames.
using FrameParts = std::map<std::string, double>;

/// One strategy's frame.
struct RankedStrategy {
  std::string strategy;
  Estimate frame_ns;         ///< saves included, as often as the profile says
  Estimate ratio_to_winner;  ///< 1 for the winner itself; grows with the time of a frame
  bool is_tied = false;      ///< cannot be told by time from the fastest of those that may win, or is it
  std::size_t processes = 0;
  std::optional<Estimate> frame_p99_ns;    ///< saves not included; none of fewer than 100 frames
  std::optional<double> frame_worst_ns;    ///< with a save in it, if the game saves: what was seen, so without interval
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
  std::vector<std::string> tied;    ///< with that
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
  std::vector<std::string> tied;        ///< with the fastest of those that may win, or it; without the winner
  std::vector<RankedStrategy> ranking;  ///< those that keep all budgets first; the winner at the top
  std::size_t processes = 0;            ///< that measured frames
  ProcessScatter scatter;               ///< of ratios between processes
  std::size_t frames_per_process = 0;   ///< in each of its processes every strategy has its p99 and worst from so many
  std::vector<std::string> reasons;
  std::vector<Variation> variations;
  std::vector<SemanticsGap> winner_lacks;
  std::vector<NotRanked> not_ranked;
  std::vector<std::string> left_out;  ///< of the measurement, and why
  double waiting_share = 0;           ///< of the repetitions in which a strategy had to wait for a processor
  double measured_s = 0, compiled_s = 0;
  std::size_t compiled_files = 0;
};

/// Ranks what several processes measured of the same cells. `frame_parameters` and `save_parameters` name the blocks;
/// the latter is empty where the game does not save. Strategies that fail anywhere are in not_ranked.
///
/// One statistic decides: how many times as long as the fastest a strategy takes, round by round (times_as_long() in
/// samples.hpp). The time of a frame is that times the fastest one's median, the order is its order, ratio_to_winner
/// the quotient of two, and who is not certainly slower than the best, in all processes, is tied with it. The best is
/// the fastest of those that keep all budgets, or of all where nobody does. Of those that are tied and
/// take no more than 5 % longer the winner holds the fewest bytes, and the first in the list wins where these are
/// equal: it need not be the best.
///
/// Every interval holds for processes that nobody has seen: see process_scatter.hpp.
///
/// The p99 and the worst of a frame come from equally many frames of every strategy and process: longer series have
/// worse frames. The p99 is that of all processes together, with its interval where there are frames enough for one;
/// the worst is the median of the processes' worst, of two the smaller, because all processes go through the same
/// frames, so what only one of them has seen is the machine's doing; and no less than the p99.
[[nodiscard]] Answer rank_processes(const Profile& profile, const std::vector<Run>& processes,
                                    const std::string& frame_parameters, const std::string& save_parameters);

/// Saves of a profile in one frame.
[[nodiscard]] double saves_per_frame(const Profile& profile);

/// Puts the misses and instructions of a frame, which one process has counted, beside the ranking.
void add_misses(Answer& answer, const Run& counted, const std::string& frame_parameters);

/// Says why, in sentences with figures. After everything else is known.
void add_reasons(Answer& answer);

/// `frame_lookups_ns` -> `look-ups`
[[nodiscard]] std::string part_label(const std::string& metric);

}  // namespace stowage::harness
