#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/build/toolchain.hpp"
#include "harness/recommend/placement.hpp"
#include "harness/recommend/profile/profile.hpp"

// The game of a profile as C++: what the templates in game/ want to know of it, with the user's own types and sizes.

namespace stowage::harness {

/// The commonest sets of a profile's components, largest first; the smallest is part of every other. Entities are
/// created with such a set at once.
[[nodiscard]] std::vector<std::vector<std::size_t>> prefabs_of(const Profile& profile);

/// The headers of the user's own types, and what the contract asks of these: what a mistake shows in first.
[[nodiscard]] std::string types_header(const Profile& profile);

/// Describes the game as struct `generated::Game`; see workloads/game/description.hpp. Includes "types.hpp".
[[nodiscard]] std::string game_header(const Profile& profile);
/// Whether that is such a header, of whichever profile.
[[nodiscard]] bool is_game_header(std::string_view text);

/// What the sources of all strategies include: "game.hpp", and the header harness/recommend/`bind`.hpp.
[[nodiscard]] std::string common_source(std::string_view bind);

/// What every strategy shares: how a save of the game is read back.
[[nodiscard]] std::string read_back_source();

/// How the game is compiled for that design, whose strategy is `strategy`.
[[nodiscard]] Recipe recipe_of(const Design& design, const Profile& profile, const Recipe& strategy);

/// A module with the game on one strategy. Includes "common.hpp".
[[nodiscard]] std::string strategy_source(const Recipe& strategy);

/// A module with the kinds of work of that world on one strategy. Includes "common.hpp".
[[nodiscard]] std::string works_source(const Recipe& strategy);

}  // namespace stowage::harness
