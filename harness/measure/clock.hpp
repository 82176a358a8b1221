#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <string>

namespace stowage::harness {

/// Of the steady clock; only differences mean something.
[[nodiscard]] inline double steady_now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
[[nodiscard]] inline double steady_now_s() { return steady_now_ns() / 1e9; }

/// "14 s" or, from 90 s on, "3 min": for estimates.
[[nodiscard]] inline std::string rough_duration(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", std::ceil(seconds)) : fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

}  // namespace stowage::harness
