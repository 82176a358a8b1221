#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <numeric>
#include <span>

namespace stowage {

/// Of most processors; arrays begin at multiples of it, also where lines are longer.
inline constexpr std::size_t cache_line_bytes = 64;
/// Predictions assume that a lookup reads so many bytes of a component.
inline constexpr std::size_t word_bytes = 4;

/// Bytes of an object that are read or written, counted from its start.
struct Touched {
  std::size_t first = 0;
  std::size_t end = 0;  ///< one past the last
};

/// How many cache lines it takes to touch these bytes of an object, on average over objects at all multiples of `step`:
/// 1.125 for all of an array's elements of 12 bytes, because two of every 16 straddle the end of a line.
///
/// Strategies predict with it what a lookup costs, in `lookup_lines<Cs...>()`: the lines of the storage that are loaded
/// by a find of Cs for a random entity and a read of one word of each, if none of them is in the cache. Lines that all
/// lookups share stay in the cache, so they are not counted; nor is the handle, which is not in the storage.
[[nodiscard]] constexpr double lines_touched(std::span<const Touched> touched, std::size_t step,
                                             std::size_t line_bytes = cache_line_bytes) noexcept {
  const auto touches_line = [touched, line_bytes](std::size_t place, std::size_t line) {
    return std::ranges::any_of(touched, [&](const Touched& part) {
      const bool begins_before_its_end = place + part.first < (line + 1) * line_bytes;
      const bool ends_after_its_start = place + part.end > line * line_bytes;
      return part.first < part.end && begins_before_its_end && ends_after_its_start;
    });
  };
  std::size_t end = 0;
  for (const Touched& part : touched) end = (std::max)(end, part.end);

  const std::size_t apart = std::gcd(step, line_bytes);
  std::size_t lines = 0;
  for (std::size_t place = 0; place < line_bytes; place += apart) {
    for (std::size_t line = 0; line * line_bytes < place + end; ++line) lines += touches_line(place, line) ? 1U : 0U;
  }
  return static_cast<double>(lines * apart) / static_cast<double>(line_bytes);
}
[[nodiscard]] constexpr double lines_touched(std::initializer_list<Touched> touched, std::size_t step,
                                             std::size_t line_bytes = cache_line_bytes) noexcept {
  return lines_touched(std::span(touched.begin(), touched.size()), step, line_bytes);
}

}  // namespace stowage
