#pragma once

// A fixed loop that a recorder times on the machine of the game, and `stowage recommend` on its own: so that times of
// one machine mean something on another. Half of it is arithmetic, half hops in 256 KiB, which no first-level cache
// holds and most second-level caches do: hops in 4 MiB took 1.1 to 2.0 ms from one process to the next, and these 1.22.

#include <stowage/record/observations.hpp>

namespace stowage::record {

/// Whether this file was compiled with optimisation. Times of a debug build say nothing about storage.
#if defined(__OPTIMIZE__) || (defined(_MSC_VER) && !defined(_DEBUG) && !defined(__clang__))
inline constexpr bool is_optimized = true;
#else
inline constexpr bool is_optimized = false;
#endif

/// Milliseconds of the fixed loop: the shortest of 20 times, about a millisecond each. Throws std::bad_alloc.
[[nodiscard]] inline double yardstick_ms() {
  constexpr std::uint32_t entries = 1U << 16U;
  constexpr std::uint32_t multiplier = 1664525;  // with the other one, goes through all entries (Numerical Recipes)
  constexpr std::uint32_t increment = 1013904223;
  std::vector<std::uint32_t> next(entries);
  for (std::uint32_t entry = 0; entry < entries; ++entry) next[entry] = (entry * multiplier + increment) % entries;
  double shortest_ms = (std::numeric_limits<double>::max)();
  std::uint32_t at = 0;
  for (int time = 0; time < 20; ++time) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint32_t hop = 0; hop < 2 * entries; ++hop) at = next[at];
    for (std::uint32_t step = 0; step < 4 * entries; ++step) at = (at ^ (at >> 7U)) * multiplier + increment;
    at %= entries;
    [[maybe_unused]] volatile std::uint32_t result = at;  // keeps the loop
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    shortest_ms = (std::min)(shortest_ms, took.count());
  }
  return shortest_ms;
}

}  // namespace stowage::record
