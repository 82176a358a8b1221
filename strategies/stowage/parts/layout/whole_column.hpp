#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <stowage/contract/component.hpp>
#include <stowage/contract/strided_span.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/rows.hpp>

namespace stowage::parts {

/// How a column holds its component: whole, one beside the other. A tag has no column; all its rows are one object.
///
/// Every kind of column has these names: see arrays.hpp, which puts columns together.
template <class C>
struct WholeColumn {
  template <class Q>
  using reference = Q&;
  template <class Q>
  using pointer = Q*;
  template <class Q>
  using cursor_type = ColumnCursor<Q>;
  template <class Q>
  using block_type = std::conditional_t<is_tag<C>, StridedSpan<Q>, std::span<Q>>;

  static constexpr ColumnShape shape = shape_of<C>;
  /// What a component adds to the payload.
  static constexpr std::size_t component_bytes = row_bytes<C>;
  /// Lines that a read of one word of a component brings in.
  static constexpr double lookup_lines = is_tag<C> ? 0 : 1;

  /// Where row 0 is.
  using Place = C*;
  [[nodiscard]] static Place place(std::byte* start, std::size_t) noexcept { return reinterpret_cast<C*>(start); }

  template <class Q>
  [[nodiscard]] static cursor_type<Q> cursor(Place place) noexcept {
    if constexpr (is_tag<C>) {
      return {};
    } else {
      return place;
    }
  }
  template <class Q>
  [[nodiscard]] static block_type<Q> block(Place place, std::size_t first, std::size_t count) noexcept {
    if constexpr (is_tag<C>) {
      return {address_of(cursor<Q>(place), first), count, 0};
    } else {
      return {place + first, count};
    }
  }
  template <class Q>
  [[nodiscard]] static block_type<Q> block_of_one(Q* component) noexcept {
    if constexpr (is_tag<C>) {
      return {component, 1, 0};
    } else {
      return {component, 1};
    }
  }

  template <class... Arguments>
  static void construct(Place place, std::size_t row, Arguments&&... arguments) {
    stowage::detail::construct<C>(address_of(cursor<C>(place), row), std::forward<Arguments>(arguments)...);
  }
  /// All or none.
  static void construct_copies(Place place, std::size_t first, std::span<const C> components) {
    if constexpr (!is_tag<C>) copy_column(components, place + first);
  }
  static void destroy(Place place, std::size_t first, std::size_t count) noexcept {
    if constexpr (!is_tag<C>) destroy_rows(place + first, count);
  }
  /// Moves the component of one row to a place without one.
  static void relocate(Place place, std::size_t from, std::size_t to) noexcept {
    if constexpr (!is_tag<C>) parts::relocate_component(place + from, place + to);
  }
  /// Hands the arrays of an old and a new place to `relocate(from, to)`.
  template <class Relocate>
  static void move(Place from, Place to, Relocate& relocate) noexcept {
    if constexpr (!is_tag<C>) relocate(from, to);
  }
};

}  // namespace stowage::parts
