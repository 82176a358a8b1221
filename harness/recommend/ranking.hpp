#pragma once

#include <vector>

#include "harness/recommend/answer.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/results/run.hpp"

namespace stowage::harness {

/// Ranks what several processes measured of the game itself. Strategies that failed anywhere are in not_ranked.
///
/// One statistic decides: how many times as long as the fastest a strategy takes, round by round (times_as_long() in
/// samples.hpp). The time of a frame is that times the median of the fastest, the order is its order, and
/// ratio_to_winner is the quotient of two. The best is the fastest of those that took part in all processes and keep
/// all budgets, or of all if none does; the others of these are equal to it, worse or open (standing.hpp). Of those
/// that are close to the best (RankedStrategy::is_close_to), the one with the fewest bytes wins, and the first in the
/// list if these are the same. So the winner need not be the best.
///
/// Every interval holds for processes that were not measured: see process_scatter.hpp.
///
/// The p99 and the worst of a frame come from equally many frames of every strategy and process: longer series have
/// worse frames. The p99 is that of all processes together, with its interval if there are frames enough for one. The
/// worst is the median of the processes' worst, of two the smaller, and no less than the p99: all processes go through
/// the same frames, so what only one of them has seen is caused by the machine.
[[nodiscard]] Answer rank_game(const Profile& profile, const std::vector<Run>& processes);

}  // namespace stowage::harness
