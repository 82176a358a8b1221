#pragma once

#include <string>
#include <vector>

#include "harness/profile/profile.hpp"
#include "harness/build/toolchain.hpp"

// The game of a profile as C++: what workloads/game wants to know of it, with the user's own types and sizes.

namespace stowage::harness {

/// The headers of the user's own types, and what the contract asks of these: what a mistake shows in first.
[[nodiscard]] std::string types_header(const Profile& profile);

/// Describes the game as struct `generated::Game`; see workloads/game/description.hpp. Includes "types.hpp". Throws
/// UserError for a profile with more components than a set can have, or with the same type twice.
[[nodiscard]] std::string game_header(const Profile& profile);

/// What the sources of all strategies include. Includes "game.hpp".
[[nodiscard]] std::string common_source();

/// What every strategy shares: how a save of the game is read back.
[[nodiscard]] std::string read_back_source();

/// A module with the game on one strategy. Includes "common.hpp".
[[nodiscard]] std::string strategy_source(const Recipe& strategy);

}  // namespace stowage::harness
