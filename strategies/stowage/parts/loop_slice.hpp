#pragma once

#include <algorithm>
#include <cstddef>

namespace stowage::parts {

// A loop over rows goes through stretches of them: a pool, a section, the rows that drive a join. What is to be visited
// of each it asks one of the types below, stretch after stretch, so that the whole of a loop, a part of it, and how
// long it is have one body. The rows of all stretches, one after the other, are the steps of the loop.

struct RowRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// All there is: each() and each_block().
struct WholeLoop {
  static constexpr bool is_whole = true;

  [[nodiscard]] static constexpr RowRange take(std::size_t rows) noexcept { return {0, rows}; }
};

/// The steps from `first` to `end`: one of several threads' share.
class LoopSlice {
 public:
  static constexpr bool is_whole = false;

  constexpr LoopSlice(std::size_t first, std::size_t end) noexcept : first_(first), end_(end) {}

  /// What to visit of the next stretch, which has so many rows.
  [[nodiscard]] constexpr RowRange take(std::size_t rows) noexcept {
    const RowRange range{std::min(first_, rows), std::min(end_, rows)};
    first_ -= range.first;
    end_ -= range.end;
    return range;
  }

 private:
  std::size_t first_;  // both count from the next stretch on
  std::size_t end_;
};

/// Nothing, but how much there is.
class StepCount {
 public:
  static constexpr bool is_whole = false;

  [[nodiscard]] constexpr RowRange take(std::size_t rows) noexcept {
    steps_ += rows;
    return {};
  }
  [[nodiscard]] constexpr std::size_t steps() const noexcept { return steps_; }

 private:
  std::size_t steps_ = 0;
};

}  // namespace stowage::parts
