#pragma once

#include <string_view>

#include "harness/catalogue.hpp"

namespace stowage::harness {

/// What a game's program is called with to measure what the plan in its second argument says.
inline constexpr std::string_view measure_argument = "measure-plan";

/// The program that a game is compiled to: measures what `stowage recommend` asks for and writes it into a results
/// directory, or is the usual command line over one workload, for whoever wants to look closer. Returns the process's
/// exit code.
[[nodiscard]] int game_main(int argc, char** argv, const Catalogue& catalogue);

}  // namespace stowage::harness
