#pragma once

#include <string_view>

namespace stowage::harness {

/// The first argument of the process that measures a game for `recommend`; the second is its plan.
inline constexpr std::string_view measure_argument = "__measure";

/// Measures what the plan says and writes it into a results directory. Throws what errors.hpp has.
void measure_game(std::string_view plan_text);

}  // namespace stowage::harness
