#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/recommend/answer.hpp"
#include "harness/recommend/measure_game.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/results/run.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/statistics/process_scatter.hpp"

// What several processes measured of one strategy in one game, and the one statistic by which strategies are ordered,
// compared and called open.
namespace stowage::harness {

/// By process; empty if it did not take part.
struct GameSamples {
  std::string strategy;
  std::vector<std::vector<double>> rounds_ns = {};  ///< a frame, round by round, saves included
  std::vector<std::vector<double>> frames_ns = {};  ///< frames one by one, without saves
  std::optional<double> save_ns = {};
  std::string error = {};  ///< why it cannot be ranked

  /// Processes in which it took part.
  [[nodiscard]] std::size_t processes() const;
};

/// Which cells are a game's: its frames, and its saves if it has some.
struct GameBlocks {
  std::string frame_parameters;
  std::string save_parameters = {};  ///< empty if the game does not save
  double saves_per_frame = 0;
};

/// Those of `cells`: the game of `profile`, or with one number changed.
[[nodiscard]] GameBlocks blocks_of(const Profile& profile, const MeasuringPlan::Cells& cells);

/// The block with these parameters, and a cell of it; null if there is none.
[[nodiscard]] const BlockResult* find_frames(const Run& run, const std::string& parameters);
[[nodiscard]] const CellResult* find_cell(const Run& run, const std::string& parameters, const std::string& strategy);
[[nodiscard]] std::optional<double> find_counter(const CellResult& cell, const std::string& name);

/// A repetition that had to wait for a processor counts with the processor's time: a game on one thread waits for
/// nothing else. Has an error if the first process did not measure it, or any of them failed.
[[nodiscard]] GameSamples samples_of(const std::string& strategy, const std::vector<Run>& processes,
                                     const GameBlocks& blocks);

/// How many times as long as `baseline` it takes: the median over all rounds that both took part in, of the two times
/// of one round. One of so many comparisons that are judged together; processes are expected to differ by `scatter`.
/// Both took part in the first process. Exactly 1 for the baseline itself.
[[nodiscard]] Estimate times_as_long(const GameSamples& samples, const GameSamples& baseline, std::size_t comparisons,
                                     const ProcessScatter& scatter = {});

/// The one that no other is faster than by times_as_long(), as an index in `all`, which is not empty; only those that
/// took part in the most processes are compared. If some beat each other in a circle, which only nearly equal ones can,
/// it is one of them.
[[nodiscard]] std::size_t fastest_of(const std::vector<GameSamples>& all);

/// Ranks what several processes measured of the game itself. Strategies that failed anywhere are in not_ranked.
///
/// One statistic decides: how many times as long as the fastest a strategy takes, round by round (times_as_long()). The
/// time of a frame is that times the median of the fastest, the order is its order, and ratio_to_winner is the quotient
/// of two. Candidates keep all budgets, or are all if none does. One that lacks a process is a candidate only if it is
/// faster than all that lack none. The best is the fastest candidate; the others are equal to it, worse or open
/// (standing.hpp). Of those that are close to the best (RankedStrategy::is_close_to), the one with the fewest bytes
/// wins, and the first in the list if these are the same. So the winner need not be the best.
///
/// Every interval holds for processes that were not measured: see process_scatter.hpp.
///
/// The p99 and the worst of a frame come from equally many frames of every strategy and process: longer series have
/// worse frames. The p99 is that of all processes together, with its interval if there are frames enough for one. The
/// worst is the median of the processes' worst, of two the smaller, and no less than the p99: all processes go through
/// the same frames, so what only one of them has seen is caused by the machine.
[[nodiscard]] Answer rank_game(const Profile& profile, const std::vector<Run>& processes);

}  // namespace stowage::harness
