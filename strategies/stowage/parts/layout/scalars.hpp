#pragma once

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/type_list.hpp>
#include <stowage/parts/fields.hpp>

namespace stowage {

/// Whether layouts that spread components over their scalars may look into C. To be specialised as false for a struct
/// that is to stay whole.
template <class C>
inline constexpr bool may_be_spread = true;

namespace parts {
namespace detail {

/// How many arithmetic values T is made of; 0 if it has anything else, or may have.
template <class T>
[[nodiscard]] consteval std::size_t scalar_count() {
  if constexpr (std::is_arithmetic_v<T>) {
    return std::is_const_v<T> || std::is_volatile_v<T> ? 0 : 1;
  } else if constexpr (element_count<T> != 0) {
    return element_count<T> * scalar_count<element_of<T>>();
  } else if constexpr (std::is_class_v<T> && may_be_spread<T>) {
    return []<class... Fields>(std::type_identity<std::tuple<Fields&...>>) {
      const bool is_whole = ((scalar_count<Fields>() == 0) || ...);
      return is_whole ? 0 : (std::size_t{0} + ... + scalar_count<Fields>());
    }(std::type_identity<decltype(fields_of(std::declval<T&>()))>{});
  } else {
    return 0;
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
    return std::apply([](auto&... parts) { return std::tuple_cat(scalars_of(parts)...); }, parts_of(value));
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
  constexpr std::size_t count = scalar_count<C>();
  // one scalar alone is an array of its own already; more alignment is for the component as a whole
  if constexpr (std::is_class_v<C> && count > 1 && count <= most_lanes) {
    return alignof(C) <= ScalarList<C>::widest;
  } else {
    return false;
  }
}

}  // namespace detail

/// True for a component that `lanes` spreads over an array per scalar: a trivially copyable aggregate of 2 to 16
/// arithmetic fields, arrays and nested aggregates of them included, that is not over-aligned.
template <class C>
inline constexpr bool is_spread = detail::is_worth_spreading<C>();

}  // namespace parts
}  // namespace stowage
