#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace stowage {

/// A list of types as a value, so that a function can be handed one.
template <class... Ts>
struct TypeList {
  static constexpr std::size_t size = sizeof...(Ts);
};

namespace detail {

template <class T, class... Ts>
inline constexpr bool is_one_of = (std::same_as<T, Ts> || ...);

template <class... Ts>
inline constexpr bool all_distinct = true;
template <class T, class... Ts>
inline constexpr bool all_distinct<T, Ts...> = !is_one_of<T, Ts...> && all_distinct<Ts...>;

/// Position of T in the pack; the size of the pack where it is not in it.
template <class T, class... Ts>
[[nodiscard]] consteval std::size_t position_of() {
  std::size_t position = 0;
  static_cast<void>(((std::same_as<T, Ts> || (++position, false)) || ...));
  return position;
}

template <class T, class List>
inline constexpr bool list_contains = false;
template <class T, class... Ts>
inline constexpr bool list_contains<T, TypeList<Ts...>> = is_one_of<T, Ts...>;

template <class... Lists>
struct Concatenated;
template <>
struct Concatenated<> {
  using type = TypeList<>;
};
template <class... Ts>
struct Concatenated<TypeList<Ts...>> {
  using type = TypeList<Ts...>;
};
template <class... Ts, class... Us, class... Rest>
struct Concatenated<TypeList<Ts...>, TypeList<Us...>, Rest...> : Concatenated<TypeList<Ts..., Us...>, Rest...> {};

/// One list out of many, in order.
template <class... Lists>
using concatenated = typename Concatenated<Lists...>::type;

template <std::size_t I, class List>
struct ElementAt;
template <class T, class... Ts>
struct ElementAt<0, TypeList<T, Ts...>> {
  using type = T;
};
template <std::size_t I, class T, class... Ts>
struct ElementAt<I, TypeList<T, Ts...>> : ElementAt<I - 1, TypeList<Ts...>> {};

template <std::size_t I, class List>
using element_at = typename ElementAt<I, List>::type;

/// Calls `function` with std::integral_constant<std::size_t, 0> ... <N - 1>.
template <std::size_t N, class Function>
constexpr void for_each_index(Function&& function) {
  [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    (function(std::integral_constant<std::size_t, Is>{}), ...);
  }(std::make_index_sequence<N>{});
}

}  // namespace detail
}  // namespace stowage
