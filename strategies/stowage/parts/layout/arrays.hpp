#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/strided_span.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/rows.hpp>

namespace stowage::parts {

/// Structure of arrays: one array of keys (the owner of each row) and one per component. `Blocks` decides how many
/// allocations that takes: it is built from a number of rows and the shapes of the columns, says where the columns
/// start, and owns the memory. Knows its capacity but not how many rows are in use.
template <template <std::size_t> class Blocks, class Key, class... Cs>
class Arrays {
  static constexpr std::size_t column_count = sizeof...(Cs) + 1;
  /// By position, because a component may have the type of the key.
  template <class C>
  static constexpr std::size_t column_of = 1 + stowage::detail::position_of<C, Cs...>();

 public:
  template <class C>
  using reference = C&;
  template <class C>
  using pointer = C*;
  template <class C>
  using cursor_type = ColumnCursor<C>;
  template <class C>
  using block_type = std::conditional_t<is_tag<std::remove_const_t<C>>, StridedSpan<C>, std::span<C>>;

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// Gives room for `capacity` rows and moves the first `rows` there. Throws std::bad_alloc, then nothing changed.
  void reallocate(std::size_t capacity, std::size_t rows) {
    reallocate_with(capacity, [rows](auto* from, auto* to) { relocate_rows(from, to, rows); });
  }

  /// The same where `relocate(from, to)` knows which rows of a column there are to move. It must not throw.
  template <class Relocate>
  void reallocate_with(std::size_t capacity, Relocate&& relocate) {
    static constexpr std::array<ColumnShape, column_count> shapes{shape_of<Key>, shape_of<Cs>...};
    Blocks<column_count> larger(capacity, shapes);
    stowage::detail::for_each_index<column_count>(
        [&](auto column) { move_column<column>(larger.start(column), relocate); });
    blocks_ = std::move(larger);
    capacity_ = capacity;
  }

  [[nodiscard]] Key* keys() const noexcept { return std::get<0>(columns_); }

  /// What a loop over the rows indexes.
  template <class C>
  [[nodiscard]] cursor_type<C> cursor() const noexcept {
    if constexpr (is_tag<std::remove_const_t<C>>) {
      return {};
    } else {
      return std::get<column_of<std::remove_const_t<C>>>(columns_);
    }
  }

  /// The same for a loop that starts at row `first`.
  template <class C>
  [[nodiscard]] cursor_type<C> from(std::size_t first) const noexcept {
    if constexpr (is_tag<std::remove_const_t<C>>) {
      return {};
    } else {
      return cursor<C>() + first;
    }
  }

  template <class C>
  [[nodiscard]] pointer<C> at(std::size_t row) const noexcept {
    return address_of(cursor<C>(), row);
  }

  /// `count` rows from `first` on as one block.
  template <class C>
  [[nodiscard]] block_type<C> block(std::size_t first, std::size_t count) const noexcept {
    if constexpr (is_tag<std::remove_const_t<C>>) {
      return {at<C>(first), count, 0};
    } else {
      return {cursor<C>() + first, count};
    }
  }
  template <class C>
  [[nodiscard]] static block_type<C> block_of_one(pointer<C> component) noexcept {
    if constexpr (is_tag<std::remove_const_t<C>>) {
      return {component, 1, 0};
    } else {
      return {component, 1};
    }
  }

  /// Constructs the component of one row in uninitialised memory.
  template <class C, class... Arguments>
  void construct(std::size_t row, Arguments&&... arguments) const {
    stowage::detail::construct<C>(at<C>(row), std::forward<Arguments>(arguments)...);
  }

  /// Copies components into the rows from `first` on, all or none.
  template <class C>
  void construct_copies(std::size_t first, std::span<const C> components) const {
    copy_column(components, at<C>(first));
  }

  /// Ends `count` components of type C from row `first` on.
  template <class C>
  void destroy(std::size_t first, std::size_t count) const noexcept {
    if constexpr (!is_tag<C>) destroy_rows(cursor<C>() + first, count);
  }

  /// Moves the component of one row to a place without one.
  template <class C>
  void relocate(std::size_t from, std::size_t to) const noexcept {
    if constexpr (!is_tag<C>) relocate_rows(cursor<C>() + from, cursor<C>() + to, 1);
  }

  /// See contract/lines.hpp: a line for each column, and none for a tag.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return (0.0 + ... + (is_tag<std::remove_const_t<Qs>> ? 0 : 1));
  }

  [[nodiscard]] std::size_t held_bytes() const noexcept { return blocks_.bytes(); }
  [[nodiscard]] std::size_t allocations() const noexcept { return blocks_.count(); }

 private:
  template <std::size_t Column, class Relocate>
  void move_column(std::byte* place, Relocate& relocate) noexcept {
    auto*& column = std::get<Column>(columns_);
    using C = std::remove_pointer_t<std::remove_reference_t<decltype(column)>>;
    if constexpr (!is_tag<C>) {
      relocate(column, reinterpret_cast<C*>(place));
      column = reinterpret_cast<C*>(place);
    }
  }

  Blocks<column_count> blocks_;
  std::size_t capacity_ = 0;
  std::tuple<Key*, Cs*...> columns_{};
};

}  // namespace stowage::parts
