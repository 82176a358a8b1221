#pragma once

#include <array>
#include <cstddef>

#include <stowage/parts/layout/arrays.hpp>
#include <stowage/parts/layout/whole_column.hpp>

namespace stowage::parts {

/// ONE allocation for all arrays, which are carved out of it; growing copies array by array.
///
///     [ K0 K1 K2 ... | A0 A1 A2 ... | B0 B1 B2 ... ]      starts on cache lines, staggered modulo 4096
///
/// Source: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014).
template <std::size_t ColumnCount>
class OneBlock {
 public:
  OneBlock() = default;
  OneBlock(std::size_t rows, const std::array<ColumnShape, ColumnCount>& shapes)
      : block_(carve(rows, shapes, offsets_), block_alignment(shapes)) {}

  [[nodiscard]] std::byte* start(std::size_t column) const noexcept { return block_.data() + offsets_[column]; }
  [[nodiscard]] std::size_t bytes() const noexcept { return block_.bytes(); }
  [[nodiscard]] std::size_t count() const noexcept { return block_.data() != nullptr ? 1 : 0; }

 private:
  std::array<std::size_t, ColumnCount> offsets_{};
  Block block_;
};

template <class Key, class... Cs>
using Columns = Arrays<OneBlock, WholeColumn, Key, Cs...>;

struct ColumnsLayout {
  template <class Key, class... Cs>
  using layout = Columns<Key, Cs...>;
};

}  // namespace stowage::parts
