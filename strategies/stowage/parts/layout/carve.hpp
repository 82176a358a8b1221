#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <stowage/parts/layout/rows.hpp>

namespace stowage::parts {

/// Size and alignment of one row of one column, and of how many such arrays it consists.
struct ColumnShape {
  std::size_t row_bytes = 0;
  std::size_t alignment = 1;
  std::size_t lanes = 1;
};

template <class C>
inline constexpr ColumnShape shape_of{row_bytes<C>, alignof(C), 1};

namespace detail {

/// A store and a later load whose addresses agree in their low 12 bits look dependent to the processor. Columns that
/// are walked together must not start at the same offset modulo this, or every step waits for the one before: 2 x in
/// loops that fit the first-level cache.
inline constexpr std::size_t alias_period_bytes = 4096;
/// How far apart two columns start modulo that, at least.
inline constexpr std::size_t alias_distance_bytes = 512;
/// Columns shorter than this cannot be in flight at two such places at once.
inline constexpr std::size_t alias_matters_bytes = 2048;

[[nodiscard]] constexpr std::size_t align_up(std::size_t offset, std::size_t alignment) noexcept {
  return (offset + alignment - 1) / alignment * alignment;
}

[[nodiscard]] constexpr bool aliases(std::size_t offset, std::size_t other) noexcept {
  const std::size_t apart = (offset - other) % alias_period_bytes;
  return apart < alias_distance_bytes || apart > alias_period_bytes - alias_distance_bytes;
}

/// The first place at or after `offset` that does not alias any of the columns before.
[[nodiscard]] constexpr std::size_t stagger(std::size_t offset, std::span<const std::size_t> before) noexcept {
  if (before.size() * 2 * alias_distance_bytes > alias_period_bytes) return offset;  // no room to avoid them all
  const auto aliases_any = [&](std::size_t place) {
    return std::ranges::any_of(before, [&](std::size_t other) { return aliases(place, other); });
  };
  while (aliases_any(offset)) offset += cache_line_bytes;
  return offset;
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

/// Where the columns of `rows` rows start in one block, in order, each on a cache line of its own; returns the bytes
/// of the block. O(columns^2), columns are few. Source of one block for all arrays: Bitsquid (2014).
constexpr std::size_t carve(std::size_t rows, std::span<const ColumnShape> shapes, std::span<std::size_t> offsets) {
  std::size_t end = 0;
  std::size_t long_columns = 0;
  std::array<std::size_t, 4> long_offsets{};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::size_t bytes = column_bytes(rows, shapes[i]);
    std::size_t offset = detail::align_up(end, std::max(shapes[i].alignment, cache_line_bytes));
    if (bytes >= detail::alias_matters_bytes && long_columns < long_offsets.size()) {
      offset =
          detail::align_up(detail::stagger(offset, std::span(long_offsets).first(long_columns)), shapes[i].alignment);
      long_offsets[long_columns++] = offset;
    }
    offsets[i] = offset;
    end = offset + bytes;
  }
  return end;
}

/// The alignment that a block with these columns needs.
[[nodiscard]] constexpr std::size_t block_alignment(std::span<const ColumnShape> shapes) noexcept {
  std::size_t alignment = cache_line_bytes;
  for (const ColumnShape& shape : shapes) alignment = std::max(alignment, shape.alignment);
  return alignment;
}

}  // namespace stowage::parts
