#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace stowage {

/// A list of types as a value, so that a function can be handed one.
template <class... Ts>
struct TypeList {
  static constexpr std::size_t size = sizeof...(Ts);
};

namespace detail {

// Lists may have hundreds of types. So that they take a compiler time in proportion, what is at a place of one is found
// by a conversion to a base, what is made of many is made of several at a time, and nothing is a fold over all of them:
// clang refuses more than 256 terms, and g++ -Wall compares each with each.

/// Whether one of these, or all of these, are true.
template <bool... Values>
[[nodiscard]] consteval bool any_of() {
  for (const bool value : {Values..., false}) {
    if (value) return true;
  }
  return false;
}
template <bool... Values>
[[nodiscard]] consteval bool all_of() {
  return !any_of<!Values...>();
}

template <class T, class... Ts>
inline constexpr bool is_one_of = any_of<std::is_same_v<T, Ts>...>();

template <std::size_t N, class T>
struct Numbered {};
template <class T>
struct Element {
  using type = T;
};
template <std::size_t N, class T>
Element<T> element_of(const Numbered<N, T>*);

template <class Numbers, class... Ts>
struct NumberedList;
template <std::size_t... Is, class... Ts>
struct NumberedList<std::index_sequence<Is...>, Ts...> : Numbered<Is, Ts>... {};

/// Position of T in the pack; the size of the pack where it is not in it.
template <class T, class... Ts>
[[nodiscard]] consteval std::size_t position_of() {
  std::size_t position = 0;
  for (const bool is_here : {std::is_same_v<T, Ts>..., true}) {
    if (is_here) break;
    ++position;
  }
  return position;
}

template <class T, std::size_t N>
std::integral_constant<std::size_t, N> place_of(const Numbered<N, T>*);
/// No place is deduced if there are several.
template <class T, class List>
concept OnceIn = requires(const List* list) { place_of<T>(list); };

template <class... Ts>
inline constexpr bool all_distinct = all_of<OnceIn<Ts, NumberedList<std::index_sequence_for<Ts...>, Ts...>>...>();

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
template <class... As, class... Bs, class... Cs, class... Ds, class... Es, class... Fs, class... Gs, class... Hs,
          class... Is, class... Rest>
struct Concatenated<TypeList<As...>, TypeList<Bs...>, TypeList<Cs...>, TypeList<Ds...>, TypeList<Es...>,
                    TypeList<Fs...>, TypeList<Gs...>, TypeList<Hs...>, TypeList<Is...>, Rest...>
    : Concatenated<TypeList<As..., Bs..., Cs..., Ds..., Es..., Fs..., Gs..., Hs..., Is...>, Rest...> {};

/// One list out of many, in order.
template <class... Lists>
using concatenated = typename Concatenated<Lists...>::type;

template <std::size_t N, class List>
struct ElementAt;
template <std::size_t N, class... Ts>
struct ElementAt<N, TypeList<Ts...>> {
  static_assert(N < sizeof...(Ts));
  using List = NumberedList<std::index_sequence_for<Ts...>, Ts...>;
  using type = typename decltype(element_of<N>(static_cast<const List*>(nullptr)))::type;
};

template <std::size_t N, class List>
using element_at = typename ElementAt<N, List>::type;

/// Calls `function(TypeList<T>{})` for each type of a list, in its order.
template <class... Ts, class Function>
constexpr void for_each_type(TypeList<Ts...>, Function&& function) {
  static_cast<void>(std::initializer_list<int>{0, (static_cast<void>(function(TypeList<Ts>{})), 0)...});
}

/// Calls `function` with std::integral_constant<std::size_t, 0> ... <N - 1>.
template <std::size_t N, class Function>
constexpr void for_each_index(Function&& function) {
  [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    static_cast<void>(
        std::initializer_list<int>{0, (static_cast<void>(function(std::integral_constant<std::size_t, Is>{})), 0)...});
  }(std::make_index_sequence<N>{});
}

}  // namespace detail
}  // namespace stowage
