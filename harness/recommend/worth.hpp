#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/recommend/answer.hpp"
#include "harness/recommend/profile/profile.hpp"
#include "harness/results/run.hpp"

// Whether another storage is worth it: what the storage that a game has today takes of the frames that were recorded.
// Its work is measured here, and the recorder has timed a fixed loop there, which is timed here again. So no more can
// be saved than this work takes, and each measured design saves its part of it.

namespace stowage::harness {

/// What stands for `storage` in the measurements: itself if it is among `strategies`, else what is nearest to it; empty
/// if it is unknown.
[[nodiscard]] std::string stand_in_for(const std::string& storage, const std::vector<std::string>& strategies);
/// The libraries and forms that a profile may name beside strategies.
[[nodiscard]] std::vector<std::string> known_libraries();

/// None if the profile does not say what the game stores its entities in, or nothing was timed. `answer` has its
/// ranking and its placements.
[[nodiscard]] std::optional<Worth> worth_of(const Profile& profile, const Answer& answer,
                                            const std::vector<Run>& processes);

/// In sentences: first whether a change is worth it, then what else it would bring.
[[nodiscard]] std::vector<std::string> worth_reasons(const Answer& answer);

}  // namespace stowage::harness
