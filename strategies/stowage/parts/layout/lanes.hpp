#pragma once

// The layout of lanes, and the loop over rows of which some components are spread over lanes.

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/parts/layout/arrays.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/spread.hpp>
#include <stowage/parts/layout/whole_column.hpp>
#include <stowage/parts/loop.hpp>

namespace stowage::parts {

template <class C>
using LaneColumn = std::conditional_t<is_spread<C>, SpreadColumn<C>, WholeColumn<C>>;

/// Every scalar of a component in an array of its own, all arrays in one allocation; components that are not made of
/// scalars stay columns (see is_spread).
///
///     [ K0 K1 ... | Ax0 Ax1 ... | Ay0 Ay1 ... | Az0 Az1 ... | B0 B1 ... ]
///
/// Source: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014), which leaves it as an option for SIMD.
struct LanesLayout {
  template <class Key, class... Cs>
  using layout = Arrays<OneBlock, LaneColumn, Key, Cs...>;
};

namespace detail {

template <class Cursor>
inline constexpr bool is_spread_cursor = false;
template <class Q>
inline constexpr bool is_spread_cursor<SpreadCursor<Q>> = true;

template <class Cursor>
[[nodiscard]] auto lanes_of(const Cursor& cursor) noexcept {
  if constexpr (is_spread_cursor<Cursor>) {
    return cursor.lanes();
  } else {
    return std::tuple(cursor);
  }
}

template <class Lane>
struct Unaliased {
  using type = Lane;
};
template <class T>
struct Unaliased<T*> {
  using type = T* __restrict;
};

/// A component of the row whose scalars, one after the other for all cursors, `row` refers to.
template <class Cursor, std::size_t First, class Row>
[[nodiscard]] decltype(auto) component_of(const Row& row) noexcept {
  return std::get<First>(row);
}
template <class Cursor, std::size_t First, class Row>
  requires is_spread_cursor<Cursor>
[[nodiscard]] auto component_of(const Row& row) noexcept {
  return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    const auto scalars = std::tie(std::get<First + Is>(row)...);
    return SpreadLoan<typename Cursor::component_type, std::remove_const_t<decltype(scalars)>>(scalars);
  }(std::make_index_sequence<Cursor::lane_count>{});
}

}  // namespace detail

/// The loop over rows of which some components are spread.
///
/// For a function without state the lanes are declared to be apart from everything else. A compiler checks before the
/// loop whether arrays overlap, and g++ gives up where more than 10 pairs are to be checked: three components of three
/// scalars are 33. It is true of the lanes among each other in any case; that nothing else is read or written where
/// they are needs a function that has no way to the storage, as one without state has none but a global variable.
template <class... Cursors>
struct LaneLoop {
  template <class Fn, class MakeEntity>
  static void run(RowRange rows, Fn& fn, MakeEntity entity_of, Cursors... cursors) {
    if constexpr (std::is_empty_v<Fn> && takes<Fn, std::invoke_result_t<MakeEntity&, std::size_t>,
                                               Shown<decltype(std::declval<Cursors&>()[0])>...>) {
      [&]<class... Lanes>(std::tuple<Lanes...> lanes) {
        std::apply([&](auto... lane) { run_apart<Fn, MakeEntity, Lanes...>(rows, fn, entity_of, lane...); }, lanes);
      }(std::tuple_cat(detail::lanes_of(cursors)...));
    } else {
      for (std::size_t row = rows.first; row < rows.end; ++row)
        call(fn, [&] { return entity_of(row); }, cursors[row]...);
    }
  }

 private:
  /// Where the lanes of each cursor begin among those of all.
  static constexpr std::array<std::size_t, sizeof...(Cursors)> starts = [] {
    std::array<std::size_t, sizeof...(Cursors)> result{};
    std::size_t start = 0;
    std::size_t i = 0;
    ((result[i++] = start, start += std::tuple_size_v<decltype(detail::lanes_of(std::declval<Cursors>()))>), ...);
    return result;
  }();

  template <class Fn, class MakeEntity, class... Lanes>
  STOWAGE_NOINLINE static void run_apart(RowRange rows, Fn& fn, MakeEntity entity_of,
                                         typename detail::Unaliased<Lanes>::type... lanes) {
    for (std::size_t row = rows.first; row < rows.end; ++row) {
      const std::tuple<decltype(lanes[row])...> scalars(lanes[row]...);
      [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        call_with_loans(fn, [&] { return entity_of(row); }, detail::component_of<Cursors, starts[Is]>(scalars)...);
      }(std::index_sequence_for<Cursors...>{});
    }
  }
};

}  // namespace stowage::parts
