#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <stowage/contract/entity.hpp>
#include <stowage/parts/loop.hpp>

namespace stowage::parts {

/// The rows of a section lie side by side from the first on: whoever takes a row out moves the last one there.
///
///     [ A A A A A - - - ]
///                 ^ size
struct PackedRows {
  static constexpr bool leave_holes = false;

  struct State {
    std::uint32_t size = 0;  ///< rows in use
    std::uint32_t capacity = 0;
  };

  /// Bytes of its own that this keeps in a block of so many rows.
  [[nodiscard]] static constexpr std::size_t own_bytes(std::size_t) noexcept { return 0; }
  [[nodiscard]] static constexpr std::size_t index_bytes(const State&) noexcept { return 0; }
  static void start(State& rows, std::uint32_t capacity, std::byte*) noexcept { rows.capacity = capacity; }

  /// The row that is taken next. There must be room.
  [[nodiscard]] static std::uint32_t next(const State& rows) noexcept { return rows.size; }
  /// How many of `wanted` rows from the next one on can be taken side by side.
  [[nodiscard]] static std::size_t next_run(const State& rows, std::size_t wanted) noexcept {
    return std::min<std::size_t>(wanted, rows.capacity - rows.size);
  }
  static void take(State& rows, const EntityIndex*, std::size_t count) noexcept {
    rows.size += static_cast<std::uint32_t>(count);
  }
  /// The last row, which is given up before any other.
  static void give_up(State& rows, const EntityIndex*, std::uint32_t) noexcept { --rows.size; }

  /// Calls `visit(first, count)` for the next `count` rows, which are still free.
  template <class Visit>
  static void for_each_free_run(const State& rows, const EntityIndex*, std::size_t count, Visit&& visit) {
    visit(std::size_t{rows.size}, count);
  }
  /// Calls `visit_run(range)` for rows in use side by side, or `visit_row(row)` for one that stands alone, of those in
  /// `range`: what a `Slice` says (see loop.hpp) of the room that the section has.
  template <class Slice, class VisitRun, class VisitRow>
  static void for_each_run(RowRange range, State rows, VisitRun&& visit_run, VisitRow&&) {
    visit_run(RowRange{range.first, std::min<std::size_t>(range.end, rows.size)});
  }
  static void clear(State& rows) noexcept { rows.size = 0; }

  /// One past the last row in use.
  [[nodiscard]] static std::uint32_t end(const State& rows) noexcept { return rows.size; }
  /// The last row in use before `end`. There must be one.
  [[nodiscard]] static std::uint32_t last_before(const State&, std::uint32_t end) noexcept { return end - 1; }
  [[nodiscard]] static constexpr bool has_holes(const State&) noexcept { return false; }
  template <class Relocate>
  static std::size_t close_holes(State&, EntityIndex*, std::size_t, Relocate&&) noexcept {
    return 0;
  }
};

}  // namespace stowage::parts
