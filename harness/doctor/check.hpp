#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stowage::harness::doctor {

enum class Fitness : std::uint8_t { ok, poor, missing };

[[nodiscard]] constexpr std::string_view name_of(Fitness fitness) noexcept {
  switch (fitness) {
    case Fitness::ok:
      return "ok";
    case Fitness::poor:
      return "poor";
    default:
      return "missing";
  }
}

/// One thing that a measurement depends on.
struct Check {
  std::string name;
  Fitness fitness = Fitness::ok;
  std::string found = {};
  std::string advice = {};  ///< what to do about it; empty where it is ok
  /// Alone enough for the verdict: what is poor makes figures worthless, what is missing leaves none to be had.
  bool decides = false;
  std::string without = {};  ///< the command that cannot be used where it is missing, if that is one
};

}  // namespace stowage::harness::doctor
