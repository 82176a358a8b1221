#pragma once

// Takes structs apart into their members, without a description by their author: for lanes, and checks of saved files.

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace stowage::parts {

namespace detail {

/// Initialises any member, but no base class.
template <class T, std::size_t>
struct AnyMember {
  template <class Member>
    requires(!std::is_base_of_v<Member, T>)
  operator Member() const noexcept;
};
/// Initialises the base classes of T.
template <class T>
struct AnyBase {
  template <class Base>
    requires(std::is_base_of_v<Base, T> && !std::is_same_v<Base, T>)
  operator Base() const noexcept;
};

template <class T>
[[nodiscard]] consteval bool has_no_name() {
#if defined(_MSC_VER) && !defined(__clang__)
  constexpr std::string_view text = __FUNCSIG__;
#else
  constexpr std::string_view text = __PRETTY_FUNCTION__;
#endif
  for (const char* const unnamed : {"unnamed ", "unnamed-", "anonymous struct", "anonymous class"}) {
    if (text.find(unnamed) != std::string_view::npos) return true;
  }
  return false;
}
/// Initialises unions, and what may be an anonymous member: names of neither can be bound.
template <class T>
struct AnyHidden {
  template <class Member>
    requires(!std::is_base_of_v<Member, T> && (std::is_union_v<Member> || has_no_name<Member>()))
  operator Member() const noexcept;
};

/// Whether T{any, ..., any} compiles with one for each of `Is`; below, with `{}` or something hidden in between.
template <class T, std::size_t... Is>
[[nodiscard]] consteval bool takes(std::index_sequence<Is...>) {
  return requires { T{AnyMember<T, Is>{}...}; };
}
template <class T, std::size_t... Before, std::size_t... Behind>
[[nodiscard]] consteval bool takes_empty(std::index_sequence<Before...>, std::index_sequence<Behind...>) {
  return requires { T{AnyMember<T, Before>{}..., {}, AnyMember<T, Behind>{}...}; };
}
template <class T, std::size_t... Before, std::size_t... Behind>
[[nodiscard]] consteval bool takes_two_empty(std::index_sequence<Before...>, std::index_sequence<Behind...>) {
  return requires { T{AnyMember<T, Before>{}..., {}, {}, AnyMember<T, Behind>{}...}; };
}
template <class T, std::size_t... Before>
[[nodiscard]] consteval bool takes_hidden(std::index_sequence<Before...>) {
  return requires { T{AnyMember<T, Before>{}..., AnyHidden<T>{}}; };
}

/// The most scalars that are looked for, and the most members that are bound.
inline constexpr std::size_t most_initializers = 64;
inline constexpr std::size_t most_fields = 16;

/// The most initializers that T takes without inner braces: those of a C array are one each. 0 if it takes none.
template <class T, std::size_t N = 1>
[[nodiscard]] consteval std::size_t initializers_of() {
  if constexpr (N > most_initializers || !takes<T>(std::make_index_sequence<N>{})) {
    return N - 1;
  } else {
    return initializers_of<T, N + 1>();
  }
}

/// How many of `All` initializers the member that begins at `At` takes: with `{}` in its place, so many fewer fit.
template <class T, std::size_t At, std::size_t All, std::size_t Taken = 1>
[[nodiscard]] consteval std::size_t taken_at() {
  if constexpr (At + Taken > All) {
    return 0;
  } else if constexpr (takes_empty<T>(std::make_index_sequence<At>{}, std::make_index_sequence<All - At - Taken>{})) {
    return Taken;
  } else {
    return taken_at<T, At, All, Taken + 1>();
  }
}

template <class T, std::size_t All, std::size_t At = 0, std::size_t Count = 0>
[[nodiscard]] consteval std::size_t members_from() {
  if constexpr (At == All) {
    return Count;
  } else {
    constexpr std::size_t taken = taken_at<T, At, All>();
    if constexpr (taken == 0 || Count == most_fields || takes_hidden<T>(std::make_index_sequence<At>{})) {
      return 0;
    } else if constexpr (takes_two_empty<T>(std::make_index_sequence<At>{},
                                            std::make_index_sequence<All - At - taken>{})) {
      return 0;  // beside it is an array without elements
    } else {
      return members_from<T, All, At + taken, Count + 1>();
    }
  }
}

/// The number of members; 0 if it is not known for sure.
template <class T>
[[nodiscard]] consteval std::size_t member_count() {
  if constexpr (!std::is_class_v<T> || std::is_empty_v<T> || !std::is_aggregate_v<T> ||
                !std::is_trivially_copyable_v<T> || !std::is_trivially_copy_assignable_v<T> ||
                !std::is_default_constructible_v<T> || requires { std::tuple_size<T>::value; }) {
    return 0;
  } else if constexpr (requires { T{AnyBase<T>{}}; }) {
    return 0;
  } else {
    constexpr std::size_t all = initializers_of<T>();
    if constexpr (all == 0 || all == most_initializers) {
      return 0;
    } else {
      return members_from<T, all>();
    }
  }
}

}  // namespace detail

// A bit field cannot be referred to: a struct that has one has no fields.
#if defined(__clang__) && __clang_major__ < 16
// Older clang cannot ask whether a binding can be referred to: whatever may be a bit field counts as one.
namespace detail {
template <class... Members>
std::bool_constant<((std::is_integral_v<Members> || std::is_enum_v<Members>) || ...)> may_have_bits(Members...);
}  // namespace detail
#define STOWAGE_CAN_TIE(...) !decltype(detail::may_have_bits(__VA_ARGS__))::value
#else
#define STOWAGE_CAN_TIE(...) requires { std::tie(__VA_ARGS__); }
#endif
#define STOWAGE_BIND_FIELDS(COUNT, ...)           \
  if constexpr (count == COUNT) {                 \
    auto& [__VA_ARGS__] = whole;                  \
    if constexpr (STOWAGE_CAN_TIE(__VA_ARGS__)) { \
      return std::tie(__VA_ARGS__);               \
    } else {                                      \
      return std::tuple<>();                      \
    }                                             \
  }

/// References to the members of a struct, in their order. None, which is no error, if it cannot be taken apart: only
/// trivially copyable aggregates of up to 16 members can, and of these none that has base classes, unions, bit fields,
/// arrays of no elements, or members that have no name or are const or references. With clang before 16 none that has
/// integers, which may be bit fields.
template <class T>
[[nodiscard]] constexpr auto fields_of([[maybe_unused]] T& whole) noexcept {
  constexpr std::size_t count = detail::member_count<std::remove_const_t<T>>();
  if constexpr (count == 0) return std::tuple<>();
  STOWAGE_BIND_FIELDS(1, a)
  STOWAGE_BIND_FIELDS(2, a, b)
  STOWAGE_BIND_FIELDS(3, a, b, c)
  STOWAGE_BIND_FIELDS(4, a, b, c, d)
  STOWAGE_BIND_FIELDS(5, a, b, c, d, e)
  STOWAGE_BIND_FIELDS(6, a, b, c, d, e, f)
  STOWAGE_BIND_FIELDS(7, a, b, c, d, e, f, g)
  STOWAGE_BIND_FIELDS(8, a, b, c, d, e, f, g, h)
  STOWAGE_BIND_FIELDS(9, a, b, c, d, e, f, g, h, i)
  STOWAGE_BIND_FIELDS(10, a, b, c, d, e, f, g, h, i, j)
  STOWAGE_BIND_FIELDS(11, a, b, c, d, e, f, g, h, i, j, k)
  STOWAGE_BIND_FIELDS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  STOWAGE_BIND_FIELDS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  STOWAGE_BIND_FIELDS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, n)
  STOWAGE_BIND_FIELDS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)
  STOWAGE_BIND_FIELDS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
}
#undef STOWAGE_BIND_FIELDS
#undef STOWAGE_CAN_TIE

/// The elements of a std::array or a C array; 0 of anything else.
template <class T>
inline constexpr std::size_t element_count = 0;
template <class T, std::size_t N>
inline constexpr std::size_t element_count<std::array<T, N>> = N;
template <class T, std::size_t N>
inline constexpr std::size_t element_count<T[N]> = N;

template <class T>
using element_of = std::remove_reference_t<decltype(std::declval<T&>()[0])>;

/// References to what a struct or an array is made of.
template <class T>
[[nodiscard]] constexpr auto parts_of(T& whole) noexcept {
  constexpr std::size_t count = element_count<std::remove_const_t<T>>;
  if constexpr (count == 0) {
    return fields_of(whole);
  } else {
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      return std::tie(whole[Is]...);
    }(std::make_index_sequence<count>{});
  }
}

}  // namespace stowage::parts
