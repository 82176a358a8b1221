#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <boost/pfr/core.hpp>
#include <boost/pfr/tuple_size.hpp>

#include <stowage/contract/component.hpp>
#include <stowage/contract/type_list.hpp>

namespace stowage {

/// Whether layouts that spread components over their scalars may look into C. To be specialised as false for aggregates
/// that Boost.PFR cannot see through: those with C arrays (std::array is fine) or base classes.
template <class C>
inline constexpr bool may_be_spread = true;

namespace parts {
namespace detail {

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

/// What a class that is not a scalar is made of, in order: the elements of an array, the fields of an aggregate.
template <class T>
inline constexpr std::size_t part_count = [] {
  if constexpr (is_std_array<T>) {
    return std::tuple_size_v<T>;
  } else {
    return boost::pfr::tuple_size_v<T>;
  }
}();
template <std::size_t N, class T>
[[nodiscard]] constexpr auto& part(T& value) noexcept {
  if constexpr (is_std_array<std::remove_const_t<T>>) {
    return std::get<N>(value);
  } else {
    return boost::pfr::get<N>(value);
  }
}

template <class T>
[[nodiscard]] consteval bool is_made_of_scalars() {
  if constexpr (std::is_arithmetic_v<T>) {
    return !std::is_const_v<T> && !std::is_volatile_v<T>;
  } else if constexpr (is_std_array<T>) {
    return part_count<T> != 0 && is_made_of_scalars<typename T::value_type>();
  } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && std::is_trivially_copyable_v<T> &&
                       !std::is_empty_v<T> && may_be_spread<T>) {
    return []<std::size_t... Is>(std::index_sequence<Is...>) {
      return (is_made_of_scalars<boost::pfr::tuple_element_t<Is, T>>() && ...);
    }(std::make_index_sequence<part_count<T>>{});
  } else {
    return false;
  }
}

}  // namespace detail

/// References to all scalars of a component, in the order of their declaration; nested aggregates and arrays are gone
/// through.
template <class T>
[[nodiscard]] constexpr auto scalars_of(T& value) noexcept {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::tuple<T&>(value);
  } else {
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      return std::tuple_cat(scalars_of(detail::part<Is>(value))...);
    }(std::make_index_sequence<detail::part_count<std::remove_const_t<T>>>{});
  }
}

/// Copies scalar by scalar. Not by assigning one tuple to the other, because the simulator tells what is read of
/// components by the file that reads it.
template <class... Ts, class... Us>
constexpr void copy_scalars(const std::tuple<Us&...>& from, const std::tuple<Ts&...>& to) noexcept {
  [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    ((std::get<Is>(to) = std::get<Is>(from)), ...);
  }(std::index_sequence_for<Ts...>{});
}

namespace detail {

template <class Tuple>
struct ListOf;
template <class... Ts>
struct ListOf<std::tuple<Ts&...>> {
  using type = TypeList<Ts...>;
  static constexpr std::size_t bytes = (sizeof(Ts) + ...);
  static constexpr std::size_t widest = (std::max)({sizeof(Ts)...});
};
template <class C>
using ScalarList = ListOf<decltype(scalars_of(std::declval<C&>()))>;

/// More streams than this a processor does not follow: a component of more scalars stays whole.
inline constexpr std::size_t most_lanes = 16;

template <class C>
[[nodiscard]] consteval bool is_worth_spreading() {
  if constexpr (std::is_class_v<C> && is_made_of_scalars<C>()) {
    constexpr std::size_t count = ScalarList<C>::type::size;
    // one scalar alone is an array of its own already; more alignment is for the component as a whole
    return count > 1 && count <= most_lanes && alignof(C) <= ScalarList<C>::widest;
  } else {
    return false;
  }
}

}  // namespace detail

/// True for a component that `lanes` spreads over an array per scalar: a trivially copyable aggregate of 2 to 16
/// arithmetic fields, std::array and nested aggregates of them included, that is not over-aligned.
template <class C>
inline constexpr bool is_spread = detail::is_worth_spreading<C>();

}  // namespace parts
}  // namespace stowage
