#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/recommend/profile/profile.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/statistics/process_scatter.hpp"
#include "harness/statistics/standing.hpp"

namespace stowage::harness {

/// The parts of a frame by name, in nanoseconds: the mean over frames.
using FrameParts = std::map<std::string, double>;

/// One strategy's frame.
struct RankedStrategy {
  std::string strategy;
  Estimate frame_ns;         ///< saves included, as often as the profile says
  Estimate ratio_to_winner;  ///< 1 for the winner itself; grows with the time of a frame
  /// Beside the fastest candidate (rank_game()); none of what is no candidate.
  std::optional<Standing> standing;
  std::size_t processes = 0;
  std::optional<Estimate> frame_p99_ns;    ///< saves not included; none of fewer than 100 frames
  std::optional<double> frame_worst_ns;    ///< with a save in it, if the game saves; measured, so without interval
  std::optional<double> bytes_per_entity;  ///< none if memory() was wrong
  std::optional<double> save_ns;
  FrameParts parts;
  std::optional<double> l1d_misses, ll_misses, instructions;  ///< of a frame
  std::vector<std::string> broken_budgets;                    ///< as keys of the profile

  /// Whether nothing that may win is certainly faster.
  [[nodiscard]] bool may_be_best() const { return standing && harness::may_be_best(*standing); }
  /// Whether it may be the best, and takes no more than 5 % longer by what was measured. Of those the one with the
  /// fewest bytes wins. A user who wants to give more time for bytes sets a budget.
  [[nodiscard]] bool is_close_to(const RankedStrategy& best) const {
    return may_be_best() && frame_ns.median <= equal_within * best.frame_ns.median;
  }
};

/// The same game with one number changed.
struct Variation {
  std::string what;  ///< "twice the entities"
  std::string winner;
  std::vector<std::string> tied;    ///< equal to that, or open
  bool changes_the_winner = false;  ///< the answer's winner is certainly slower than this one
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

/// Where a component lies best.
struct PlacedComponent {
  std::string component;
  std::size_t bytes = 0;                       ///< if no type is named
  std::string type, header;                    ///< as in the profile
  bool recorded = false;                       ///< the schema marks it as Changed<>
  std::string place;                           ///< "table", "sparse", "enable bit", "alone", "group motion"
  std::string why;                             ///< what the profile says of it
  std::string instead = {};                    ///< where else it was tried; empty if it was not
  std::optional<Estimate> instead_ratio = {};  ///< how many times as long as here a frame takes then
};

/// An entry of a schema: a component, or a group of several.
struct PlacedEntry {
  std::string mark;  ///< "Group", "Sparse", "Toggled" or empty
  std::vector<std::string> components;
};

/// Component by component, the best design that was found, and what it gains over the winner of the ranking.
struct Placements {
  std::string strategy;
  std::string name;        ///< of its cells; that of the winner if nothing was certainly faster
  std::string difference;  ///< from the components as the profile groups them, in words; empty if there is none
  std::vector<PlacedEntry> schema;
  std::vector<PlacedComponent> components;
  std::size_t trials = 0;                  ///< designs that were measured
  std::string other_kind;                  ///< the last design measured of another kind than the winner; empty if none
  std::optional<Estimate> other_ratio;     ///< how many times as long as the best design then a frame takes
  std::string tried;                       ///< what the search ended with, if that is not the winner as it is
  bool is_confirmed = false;               ///< by processes of their own, and it keeps the budgets
  std::optional<Estimate> gain;            ///< how many times as long as the winner it takes there
  std::optional<double> bytes_per_entity;  ///< of what was tried
};

/// What of the recorded frames is the work of the storage that the game has, and what another one would save of it.
struct Worth {
  struct SystemShare {
    std::string system;
    double recorded_ms = 0;
    double share = 0;  ///< of that: the same loop in the same storage; above 1 if the game's loop does less
  };
  std::string storage;                    ///< as the profile names it
  std::string measured_as;                ///< the strategy that stands for it
  double frame_ms = 0;                    ///< as recorded
  double slower_there = 0;                ///< how many times as long as here the fixed loop took; 0 if it is not known
  std::string no_bound = {};              ///< why nothing can be said; empty if something can. Then:
  Estimate storage_share = {};            ///< of the recorded frame
  Estimate saving_share = {};             ///< of the recorded frame, by `best`
  std::string best = {};                  ///< the winner, or a confirmed design
  std::vector<SystemShare> systems = {};  ///< the longest first
  std::size_t untimed_systems = 0;
  std::vector<std::string> gained_promises = {};  ///< that the winner gives and `measured_as` does not
};

/// The answer for a game: a ranking, verdicts, broken budgets, the reasons, and whether a somewhat different game would
/// have another winner.
struct Answer {
  std::string profile;
  std::size_t entities = 0;
  ProfileBudget budget;
  std::string winner;
  std::vector<std::string> tied;        ///< those that may be the best, without the winner
  std::vector<RankedStrategy> ranking;  ///< those that keep all budgets first; the winner at the top
  std::size_t processes = 0;            ///< that measured frames
  ProcessScatter scatter;               ///< of ratios between processes
  std::size_t frames_per_process = 0;   ///< from which every strategy has its p99 and worst in each of its processes
  std::vector<std::string> reasons;
  std::vector<Variation> variations;
  std::optional<Placements> placements;  ///< if there was time to try some
  std::optional<Worth> worth;            ///< if the game was recorded with times
  std::vector<SemanticsGap> winner_lacks;
  std::vector<NotRanked> not_ranked;
  std::vector<std::string> left_out;        ///< of the measurement, and why
  double waiting_share = 0;                 ///< of the repetitions in which a strategy had to wait for a processor
  std::string commit, compiler, processor;  ///< of the first process
  double measured_s = 0, compiled_s = 0;
  std::size_t compiled_files = 0;
};

/// Three digits and the unit that suits: "1.24 ms", "310 us".
[[nodiscard]] std::string time_text(double ns);

/// Says why, in sentences with figures. After everything else is known.
void add_reasons(Answer& answer);

/// `{winner, tied, ranking: [{strategy, frame_ns, interval, frame_p99_ns, bytes_per_entity, broken_budgets, ...}],
/// reasons, ...}`. What is not known is absent, or null if readers rely on the name.
[[nodiscard]] std::string answer_json(const Answer& answer);

}  // namespace stowage::harness
