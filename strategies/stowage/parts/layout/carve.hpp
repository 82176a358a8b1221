#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/parts/layout/rows.hpp>

namespace stowage::parts {

/// Size and alignment of one row of one column, of how many such arrays it consists, and whether loops store to them.
struct ColumnShape {
  std::size_t row_bytes = 0;
  std::size_t alignment = 1;
  std::size_t lanes = 1;
  bool written = true;
};

template <class C>
inline constexpr ColumnShape shape_of{row_bytes<C>, alignof(C), 1};
/// Of the column before the components. No loop stores to the owners of rows.
template <class Key>
inline constexpr ColumnShape shape_of_keys{row_bytes<Key>, alignof(Key), 1, !std::is_same_v<Key, EntityIndex>};

namespace detail {

/// A store and a later load whose addresses agree in their low 12 bits look dependent to the processor. Columns that
/// are walked together must not start at the same offset modulo this, or every step waits for the one before: 2 x in
/// loops that fit the first-level cache.
inline constexpr std::size_t alias_period_bytes = 4096;
/// How far apart two columns start modulo that, where there is room.
inline constexpr std::size_t alias_distance_bytes = 512;
/// Columns shorter than this cannot be in flight at two such places at once.
inline constexpr std::size_t alias_matters_bytes = 2048;

[[nodiscard]] constexpr std::size_t align_up(std::size_t offset, std::size_t alignment) noexcept {
  return (offset + alignment - 1) / alignment * alignment;
}

[[nodiscard]] constexpr bool are_apart(std::size_t offset, std::size_t other, std::size_t distance) noexcept {
  const std::size_t apart = (offset - other) % alias_period_bytes;
  return apart >= distance && apart <= alias_period_bytes - distance;
}

}  // namespace detail

/// How far the lanes of a column of `rows` rows are apart: whole lines, and where they are long enough to alias, spread
/// evenly over the period.
[[nodiscard]] constexpr std::size_t lane_pitch(std::size_t rows, const ColumnShape& shape) noexcept {
  const std::size_t bytes = detail::align_up(rows * shape.row_bytes, cache_line_bytes);
  if (bytes < detail::alias_matters_bytes) return bytes;
  const std::size_t apart = detail::alias_period_bytes / shape.lanes / cache_line_bytes * cache_line_bytes;
  return bytes + (detail::alias_period_bytes + apart - bytes % detail::alias_period_bytes) % detail::alias_period_bytes;
}

/// Bytes of a column of `rows` rows.
[[nodiscard]] constexpr std::size_t column_bytes(std::size_t rows, const ColumnShape& shape) noexcept {
  return shape.lanes == 1 ? rows * shape.row_bytes : shape.lanes * lane_pitch(rows, shape);
}

/// Whether it matters where a column of `rows` rows starts modulo 4096.
[[nodiscard]] constexpr bool may_alias(std::size_t rows, const ColumnShape& shape) noexcept {
  return shape.written && column_bytes(rows, shape) >= detail::alias_matters_bytes;
}

namespace detail {

/// Whether all lanes of the last column, started at `place`, are so far from all lanes of those before.
[[nodiscard]] constexpr bool lies_apart(std::size_t rows, std::span<const ColumnShape> shapes,
                                        std::span<const std::size_t> offsets, std::size_t place,
                                        std::size_t distance) noexcept {
  const std::size_t last = shapes.size() - 1;
  const std::size_t pitch = lane_pitch(rows, shapes[last]);
  for (std::size_t other = 0; other < last; ++other) {
    if (!may_alias(rows, shapes[other])) continue;
    const std::size_t other_pitch = lane_pitch(rows, shapes[other]);
    for (std::size_t lane = 0; lane < shapes[last].lanes; ++lane) {
      for (std::size_t other_lane = 0; other_lane < shapes[other].lanes; ++other_lane) {
        if (!are_apart(place + lane * pitch, offsets[other] + other_lane * other_pitch, distance)) return false;
      }
    }
  }
  return true;
}

/// The first place for the last column at or after its offset that is far from the columns before: as far as there is
/// one, within one turn of the period and no further than the column is long.
[[nodiscard]] constexpr std::size_t stagger(std::size_t rows, std::span<const ColumnShape> shapes,
                                            std::span<const std::size_t> offsets) noexcept {
  const std::size_t first = offsets.back();
  const std::size_t step = (std::max)(shapes.back().alignment, cache_line_bytes);
  const std::size_t end = first + (std::min)(alias_period_bytes, column_bytes(rows, shapes.back()));
  for (std::size_t distance = alias_distance_bytes; distance >= cache_line_bytes; distance /= 2) {
    for (std::size_t place = first; place < end; place += step) {
      if (lies_apart(rows, shapes, offsets, place, distance)) return place;
    }
  }
  return first;
}

}  // namespace detail

/// Where the columns of `rows` rows start in one block, in order, each on a cache line of its own; returns the bytes
/// of the block. O(columns^2), columns are few, and blocks are made seldom: compiled once for all. Source of one block
/// for all arrays: Bitsquid (2014).
STOWAGE_NOINLINE constexpr std::size_t carve(std::size_t rows, std::span<const ColumnShape> shapes,
                                             std::span<std::size_t> offsets) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    offsets[i] = detail::align_up(end, (std::max)(shapes[i].alignment, cache_line_bytes));
    if (may_alias(rows, shapes[i])) offsets[i] = detail::stagger(rows, shapes.first(i + 1), offsets.first(i + 1));
    end = offsets[i] + column_bytes(rows, shapes[i]);
  }
  return end;
}

/// The alignment that a block with these columns needs.
[[nodiscard]] constexpr std::size_t block_alignment(std::span<const ColumnShape> shapes) noexcept {
  std::size_t alignment = cache_line_bytes;
  for (const ColumnShape& shape : shapes) alignment = (std::max)(alignment, shape.alignment);
  return alignment;
}

}  // namespace stowage::parts
