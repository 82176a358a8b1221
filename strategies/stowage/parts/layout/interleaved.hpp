#pragma once

// The layout of interleaved rows (array of structs): all components of a row side by side, owners in another array.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <stowage/contract/lines.hpp>
#include <stowage/contract/strided_span.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/rows.hpp>

namespace stowage::parts {

/// Where each component lies within one interleaved row: widest alignment first, so that no gap is wider than needed.
template <class... Cs>
struct RowPlan {
  static constexpr std::array<ColumnShape, sizeof...(Cs)> shapes{shape_of<Cs>...};
  static constexpr std::size_t alignment = (std::max)({std::size_t{1}, alignof(Cs)...});

  struct Places {
    std::array<std::size_t, sizeof...(Cs)> offsets{};
    std::size_t end = 0;
  };
  static constexpr Places places = [] {
    Places result;
    for (std::size_t wanted = alignment; wanted >= 1; wanted /= 2) {
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        if (shapes[i].alignment != wanted) continue;
        result.offsets[i] = result.end;
        result.end += shapes[i].row_bytes;
      }
    }
    return result;
  }();

  static constexpr std::size_t stride_bytes = detail::align_up(places.end, alignment);
  template <class C>
  static constexpr std::size_t offset = places.offsets[stowage::detail::position_of<C, Cs...>()];
};

/// What a lookup touches of a row in which Cs lie side by side: one word of each component that is there. See
/// contract/lines.hpp.
template <class... Qs, class... Cs>
[[nodiscard]] constexpr double interleaved_lines(TypeList<Cs...>) noexcept {
  using Row = RowPlan<Cs...>;
  constexpr auto word_of = []<class Q>(TypeList<Q>) {
    if constexpr (stowage::detail::is_one_of<Q, Cs...>) {
      return Touched{Row::template offset<Q>, Row::template offset<Q> + (std::min)(word_bytes, row_bytes<Q>)};
    } else {
      return Touched{};
    }
  };
  return lines_touched({word_of(TypeList<std::remove_const_t<Qs>>{})...}, Row::stride_bytes);
}

/// The owners are in the same allocation, but in an array of their own, so that a loop over rows does not fetch them.
///
///     [ K0 K1 K2 ... | A0 B0 C0  A1 B1 C1  A2 B2 C2 ... ]
///
/// Source: Cerulean Skies, "Designing a cache-friendly entity component system" (2019).
template <class Key, class... Cs>
class Interleaved {
  using Row = RowPlan<Cs...>;
  static constexpr bool are_bytes = (std::is_trivially_copyable_v<Cs> && ...);

 public:
  template <class C>
  using reference = C&;
  template <class C>
  using pointer = C*;
  template <class C>
  using block_type = StridedSpan<C>;

  /// The address of one component of row 0; the stride is a constant of the type.
  template <class C>
  struct Cursor {
    using Byte = std::conditional_t<std::is_const_v<C>, const std::byte, std::byte>;
    Byte* first;
    C& operator[](std::size_t row) const noexcept { return *reinterpret_cast<C*>(first + row * Row::stride_bytes); }
  };
  template <class C>
  using cursor_type = std::conditional_t<is_tag<std::remove_const_t<C>>, TagCursor<C>, Cursor<C>>;

  /// g++ 12 gathers interleaved rows into vectors at 3 to 4 times the cost of the scalar loop: see keep_scalar().
  static constexpr bool scalar_loop = true;

  /// What a component adds to the payload.
  template <class C>
  static constexpr std::size_t component_bytes = row_bytes<C>;

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// Gives room for `capacity` rows and moves the first `rows` there. Throws std::bad_alloc, then nothing changed.
  void reallocate(std::size_t capacity, std::size_t rows) {
    static constexpr std::array<ColumnShape, 2> shapes{shape_of_keys<Key>, {Row::stride_bytes, Row::alignment}};
    std::array<std::size_t, 2> offsets{};
    const std::size_t bytes = carve(capacity, shapes, offsets);
    Interleaved larger;
    larger.block_ = Block(bytes, block_alignment(shapes));
    larger.capacity_ = capacity;
    larger.keys_ = reinterpret_cast<Key*>(larger.block_.data() + offsets[0]);
    larger.rows_ = larger.block_.data() + offsets[1];
    parts::relocate_rows(keys_, larger.keys_, rows);
    if constexpr (are_bytes) {
      parts::relocate_rows(rows_, larger.rows_, rows * Row::stride_bytes);
    } else {
      (move_components<Cs>(larger, rows), ...);
    }
    *this = std::move(larger);
  }

  /// The first `rows` rows of another with these components, which are copied as bytes. Needs room.
  void copy_rows(const Interleaved& other, std::size_t rows) const noexcept {
    parts::relocate_rows(other.keys_, keys_, rows);
    parts::relocate_rows(other.rows_, rows_, rows * Row::stride_bytes);
  }

  [[nodiscard]] Key* keys() const noexcept { return keys_; }

  template <class C>
  [[nodiscard]] cursor_type<C> cursor() const noexcept {
    if constexpr (is_tag<std::remove_const_t<C>>) {
      return {};
    } else {
      // as a number, because an empty layout has no address to add to
      const auto first = reinterpret_cast<std::uintptr_t>(rows_) + Row::template offset<std::remove_const_t<C>>;
      return {reinterpret_cast<std::byte*>(first)};
    }
  }

  template <class C>
  [[nodiscard]] pointer<C> at(std::size_t row) const noexcept {
    return address_of(cursor<C>(), row);
  }

  /// `count` rows from `first` on as one block.
  template <class C>
  [[nodiscard]] block_type<C> block(std::size_t first, std::size_t count) const noexcept {
    return {at<C>(first), count, is_tag<std::remove_const_t<C>> ? 0 : Row::stride_bytes};
  }
  template <class C>
  [[nodiscard]] static block_type<C> block_of_one(pointer<C> component) noexcept {
    return {component, 1, 0};
  }

  template <class C, class... Arguments>
  void construct(std::size_t row, Arguments&&... arguments) const {
    stowage::detail::construct<C>(at<C>(row), std::forward<Arguments>(arguments)...);
  }

  /// Copies components into the rows from `first` on, all or none.
  template <class C>
  void construct_copies(std::size_t first, std::span<const C> components) const {
    if constexpr (!is_tag<C>) parts::copy_rows(components, [&](std::size_t i) { return at<C>(first + i); });
  }

  /// The same of all components, row by row: column by column every line would be written once for each of them.
  void construct_rows(std::size_t first, std::span<const Cs>... columns) const noexcept
    requires((std::is_trivially_copyable_v<Cs> && std::is_copy_assignable_v<Cs>) && ...)
  {
    const std::size_t count = (std::min)({columns.size()...});
    std::byte* row = rows_ + first * Row::stride_bytes;
    for (std::size_t i = 0; i < count; ++i, row += Row::stride_bytes) {
      (static_cast<void>(*reinterpret_cast<Cs*>(row + Row::template offset<Cs>) = columns[i]), ...);
    }
  }

  template <class C>
  void destroy(std::size_t first, std::size_t count) const noexcept {
    if constexpr (!std::is_trivially_destructible_v<C>) {
      const auto components = cursor<C>();
      for (std::size_t row = first; row < first + count; ++row) components[row].~C();
    }
  }

  /// Bytes move as a whole, in fewer and wider steps than one component after the other.
  template <class... All>
  void relocate(std::size_t from, std::size_t to) const noexcept {
    if constexpr (are_bytes) {
      parts::relocate_rows(rows_ + from * Row::stride_bytes, rows_ + to * Row::stride_bytes, Row::stride_bytes);
    } else {
      (relocate_one<All>(from, to), ...);
    }
  }

  /// See contract/lines.hpp: the line of the row, and the next one where what is read of it straddles the end.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return interleaved_lines<Qs...>(TypeList<Cs...>{});
  }

  [[nodiscard]] std::size_t held_bytes() const noexcept { return block_.bytes(); }
  [[nodiscard]] std::size_t allocations() const noexcept { return capacity_ != 0 ? 1 : 0; }

 private:
  template <class C>
  void relocate_one(std::size_t from, std::size_t to) const noexcept {
    if constexpr (!is_tag<C>) parts::relocate_component(at<C>(from), at<C>(to));
  }
  template <class C>
  void move_components(Interleaved& larger, std::size_t rows) noexcept {
    if constexpr (!is_tag<C>) {
      const auto from = cursor<C>();
      const auto to = larger.template cursor<C>();
      for (std::size_t row = 0; row < rows; ++row)
        parts::relocate_component(address_of(from, row), address_of(to, row));
    }
  }

  Block block_;
  std::size_t capacity_ = 0;
  Key* keys_ = nullptr;
  std::byte* rows_ = nullptr;
};

/// A component alone has nothing to be interleaved with: its pool is columns, so that its loop may be vectorised.
struct InterleavedLayout {
  template <class Key, class... Cs>
  using layout = std::conditional_t<(sizeof...(Cs) > 1), Interleaved<Key, Cs...>, Columns<Key, Cs...>>;
};

}  // namespace stowage::parts
