#pragma once

#include <vector>

#include "harness/recommend/answer.hpp"
#include "harness/recommend/placement.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/results/run.hpp"
#include "harness/statistics/estimates.hpp"

// Finding where each component of a game lies best, by measuring: from the winner of the ranking on, steps are tried
// beside the best design so far, and what is certainly faster is the best from then on.

namespace stowage::harness {

/// A design that was measured beside the best so far.
struct Trial {
  Design design;
  Design beside;
  Estimate ratio;  ///< how many times as long as that it takes
};

/// What the search has found so far.
struct Search {
  Design start;  ///< the winner of the ranking, as the profile groups components
  Design found;
  std::vector<Trial> trials = {};
  std::vector<Design> faster = {};  ///< all of the last process that were certainly faster, the one that was kept first
};

/// What `processes` measured, one after the other. In each the first strategy is the best design before it. Ratios are
/// expected to differ between processes as those of `ranked` do.
[[nodiscard]] Search search_of(const Profile& profile, const Answer& ranked, const std::vector<Run>& processes);

/// What is worth measuring beside the found design, the most promising first; empty if nothing is left: what several
/// faster ones have in common, then steps of whose component nothing has been said yet. Leaves out what was `offered`
/// before: of that, what is no trial could not be compiled, or failed.
[[nodiscard]] std::vector<Design> next_designs(const Search& search, const Profile& profile,
                                               const std::vector<Design>& offered = {});

/// The answer for each component: the found design if `confirmed`, processes that the search has not seen, say that it
/// is certainly faster than the winner and keeps the budgets; else that of the winner.
[[nodiscard]] Placements placements_of(const Profile& profile, const Answer& ranked, const Search& search,
                                       const std::vector<Run>& confirmed);

}  // namespace stowage::harness
