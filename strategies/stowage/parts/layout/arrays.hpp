#pragma once

// The layout of columns (structure of arrays): an array of owners and one per component, in one allocation or several.

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <stowage/contract/type_list.hpp>
#include <stowage/parts/flat_tuple.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/layout/whole_column.hpp>

namespace stowage::parts {

/// `Blocks` decides how many allocations the columns take: it is built from a number of rows and the shapes of the
/// columns, says where they start, and owns the memory. `Column` decides how a column holds its component. A key is the
/// owner of its row. Knows its capacity but not how many rows are in use.
template <template <std::size_t> class Blocks, template <class> class Column, class Key, class... Cs>
class Arrays {
  static constexpr std::size_t column_count = sizeof...(Cs) + 1;
  template <class Q>
  using ColumnOf = Column<std::remove_const_t<Q>>;
  /// By position, because a component may have the type of the key.
  template <class Q>
  static constexpr std::size_t column_of = 1 + stowage::detail::position_of<std::remove_const_t<Q>, Cs...>();

 public:
  template <class Q>
  using reference = typename ColumnOf<Q>::template reference<Q>;
  template <class Q>
  using pointer = typename ColumnOf<Q>::template pointer<Q>;
  template <class Q>
  using cursor_type = typename ColumnOf<Q>::template cursor_type<Q>;
  template <class Q>
  using block_type = typename ColumnOf<Q>::template block_type<Q>;

  /// What a component adds to the payload.
  template <class C>
  static constexpr std::size_t component_bytes = Column<C>::component_bytes;

  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

  /// Gives room for `capacity` rows and moves the first `rows` there. Throws std::bad_alloc, then nothing changed.
  void reallocate(std::size_t capacity, std::size_t rows) {
    reallocate_with(capacity, [rows](auto* from, auto* to) { parts::relocate_rows(from, to, rows); });
  }

  /// The same, but `relocate(from, to)` knows which rows of an array there are to move. It must not throw.
  template <class Relocate>
  void reallocate_with(std::size_t capacity, Relocate&& relocate) {
    static constexpr std::array<ColumnShape, column_count> shapes{shape_of_keys<Key>, Column<Cs>::shape...};
    Blocks<column_count> larger(capacity, shapes);
    Places to;
    element<0>(to) = WholeColumn<Key>::place(larger.start(0), capacity);
    WholeColumn<Key>::move(keys(), element<0>(to), relocate);
    stowage::detail::for_each_type(TypeList<Cs...>{}, [&]<class C>(TypeList<C>) {
      auto& moved = element<column_of<C>>(to);
      moved = Column<C>::place(larger.start(column_of<C>), capacity);
      Column<C>::move(place<C>(), moved, relocate);
    });
    places_ = to;
    blocks_ = std::move(larger);
    capacity_ = capacity;
  }

  /// The first `rows` rows of another with these columns, whose components are copied as bytes. Needs room.
  void copy_rows(const Arrays& other, std::size_t rows) const noexcept {
    copy_with(other, [rows](auto* from, auto* to) { parts::relocate_rows(from, to, rows); });
  }
  /// The same, but `copy(from, to)` knows which rows of an array there are to copy.
  template <class Copy>
  void copy_with(const Arrays& other, Copy&& copy) const noexcept {
    WholeColumn<Key>::move(other.keys(), keys(), copy);
    stowage::detail::for_each_type(TypeList<Cs...>{},
                                   [&]<class C>(TypeList<C>) { Column<C>::move(other.place<C>(), place<C>(), copy); });
  }

  [[nodiscard]] Key* keys() const noexcept { return element<0>(places_); }

  /// What a loop over the rows indexes.
  template <class Q>
  [[nodiscard]] cursor_type<Q> cursor() const noexcept {
    return ColumnOf<Q>::template cursor<Q>(place<Q>());
  }

  template <class Q>
  [[nodiscard]] pointer<Q> at(std::size_t row) const noexcept {
    return address_of(cursor<Q>(), row);
  }

  /// `count` rows from `first` on as one block.
  template <class Q>
  [[nodiscard]] block_type<Q> block(std::size_t first, std::size_t count) const noexcept {
    return ColumnOf<Q>::template block<Q>(place<Q>(), first, count);
  }
  template <class Q>
  [[nodiscard]] static block_type<Q> block_of_one(pointer<Q> component) noexcept {
    return ColumnOf<Q>::template block_of_one<Q>(component);
  }

  /// Constructs the component of one row in uninitialised memory.
  template <class C, class... Arguments>
  void construct(std::size_t row, Arguments&&... arguments) const {
    Column<C>::construct(place<C>(), row, std::forward<Arguments>(arguments)...);
  }

  /// Copies components into the rows from `first` on, all or none.
  template <class C>
  void construct_copies(std::size_t first, std::span<const C> components) const {
    Column<C>::construct_copies(place<C>(), first, components);
  }

  /// Ends `count` components of type C from row `first` on.
  template <class C>
  void destroy(std::size_t first, std::size_t count) const noexcept {
    Column<C>::destroy(place<C>(), first, count);
  }

  /// Moves these components, all that a row has, to a row without.
  template <class... All>
  void relocate(std::size_t from, std::size_t to) const noexcept {
    (Column<All>::relocate(place<All>(), from, to), ...);
  }

  /// See contract/lines.hpp.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return (0.0 + ... + ColumnOf<Qs>::lookup_lines);
  }

  [[nodiscard]] std::size_t held_bytes() const noexcept { return blocks_.bytes(); }
  [[nodiscard]] std::size_t allocations() const noexcept { return blocks_.count(); }

 private:
  using Places = FlatTuple<typename WholeColumn<Key>::Place, typename Column<Cs>::Place...>;

  template <class Q>
  [[nodiscard]] const auto& place() const noexcept {
    return element<column_of<Q>>(places_);
  }

  Blocks<column_count> blocks_;
  std::size_t capacity_ = 0;
  Places places_;
};

}  // namespace stowage::parts
