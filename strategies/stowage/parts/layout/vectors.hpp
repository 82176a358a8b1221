#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include <stowage/parts/layout/arrays.hpp>
#include <stowage/parts/layout/whole_column.hpp>

namespace stowage::parts {

/// An allocation per array: the rival of one block for all.
///
///     [ K0 K1 K2 ... ]   [ A0 A1 A2 ... ]   [ B0 B1 B2 ... ]
///
/// As strong as the idea allows: a heap hands out large blocks at equal offsets modulo 4096, where arrays walked
/// together would alias (see carve.hpp), so each long array begins a little further into its block than the one before.
template <std::size_t ColumnCount>
class BlockPerArray {
 public:
  BlockPerArray() = default;
  BlockPerArray(std::size_t rows, const std::array<ColumnShape, ColumnCount>& shapes) {
    std::size_t long_columns = 0;
    for (std::size_t i = 0; i < ColumnCount; ++i) {
      const std::size_t bytes = column_bytes(rows, shapes[i]);
      if (bytes == 0) continue;  // a tag
      const std::size_t alignment = (std::max)(shapes[i].alignment, cache_line_bytes);
      if (may_alias(rows, shapes[i])) {
        constexpr std::size_t places = detail::alias_period_bytes / detail::alias_distance_bytes;
        starts_[i] = detail::align_up(long_columns++ % places * detail::alias_distance_bytes, alignment);
      }
      blocks_[i] = Block(starts_[i] + bytes, alignment);
    }
  }

  [[nodiscard]] std::byte* start(std::size_t column) const noexcept { return blocks_[column].data() + starts_[column]; }
  [[nodiscard]] std::size_t bytes() const noexcept {
    std::size_t sum = 0;
    for (const Block& block : blocks_) sum += block.bytes();
    return sum;
  }
  [[nodiscard]] std::size_t count() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(blocks_, [](const Block& b) { return b.bytes() != 0; }));
  }

 private:
  std::array<Block, ColumnCount> blocks_;
  std::array<std::size_t, ColumnCount> starts_{};
};

template <class Key, class... Cs>
using Vectors = Arrays<BlockPerArray, WholeColumn, Key, Cs...>;

struct VectorsLayout {
  template <class Key, class... Cs>
  using layout = Vectors<Key, Cs...>;
};

}  // namespace stowage::parts
