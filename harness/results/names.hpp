#pragma once

#include <string_view>

namespace stowage::harness {

/// The file of a run directory that holds everything that was measured.
inline constexpr std::string_view results_file = "results.json";
/// The hand-written floor: measured in every block, and never a candidate for the best strategy.
inline constexpr std::string_view reference_name = "reference";

/// The floor and the other hand-written loops, `reference.*`: neither is a strategy that one could choose.
[[nodiscard]] constexpr bool is_hand_written(std::string_view strategy) noexcept {
  return strategy == reference_name || strategy.starts_with("reference.");
}

}  // namespace stowage::harness
