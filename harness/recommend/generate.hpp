#pragma once

#include <string>
#include <vector>

#include "harness/profile/profile.hpp"
#include "harness/recommend/toolchain.hpp"

// The game of a profile as C++: what workloads/game wants to know of it, with the user's own types and sizes.

namespace stowage::harness {

/// The headers of the user's own types, and what the contract asks of these: what a mistake shows in first.
[[nodiscard]] std::string types_header(const Profile& profile);

/// Describes the game as struct `generated::Game`; see workloads/game/description.hpp. Includes "types.hpp". Throws
/// UserError for a profile with more components than a set can have, or with the same type twice.
[[nodiscard]] std::string game_header(const Profile& profile);

/// What the sources of all strategies include. Includes "game.hpp".
[[nodiscard]] std::string common_source();

/// The game on one strategy.
[[nodiscard]] std::string strategy_source(const ToolchainStrategy& strategy);

/// A program with the game on those of these strategies that are linked to it.
[[nodiscard]] std::string main_source(const std::vector<ToolchainStrategy>& strategies);

}  // namespace stowage::harness
