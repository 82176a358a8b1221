#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace stowage {

/// What the contract asks of a component type; a violation names the type in the diagnostic. Rows are moved when
/// arrays grow and when holes are filled, after the last step that may fail, so moving must not throw.
template <class C>
struct ComponentRequirements {
  static_assert(std::is_object_v<C> && !std::is_const_v<C> && !std::is_volatile_v<C> && !std::is_array_v<C>,
                "a component is a plain object type without cv qualifiers");
  // first, because a type that throws when it is destroyed does not count as nothrow constructible either
  static_assert(std::is_nothrow_destructible_v<C>, "a component must be nothrow destructible");
  static_assert(std::is_nothrow_move_constructible_v<C>, "a component must be nothrow move constructible");
  static constexpr bool met = true;
};

/// A component without state: presence is all it says, and it takes no bytes.
template <class C>
inline constexpr bool is_tag =
    std::is_empty_v<C> && std::is_trivially_copyable_v<C> && std::is_trivially_default_constructible_v<C>;

namespace detail {

/// The one instance that every reference to a tag component refers to.
template <class C>
  requires is_tag<C>
inline C tag_instance{};

/// Constructs a C from `arguments`, with parentheses where that works and as an aggregate otherwise.
template <class C, class... Arguments>
C* construct(void* place, Arguments&&... arguments) {
  if constexpr (std::is_constructible_v<C, Arguments...>) {
    return ::new (place) C(std::forward<Arguments>(arguments)...);
  } else {
    return ::new (place) C{std::forward<Arguments>(arguments)...};
  }
}

template <class C, class... Arguments>
[[nodiscard]] C make(Arguments&&... arguments) {
  if constexpr (std::is_constructible_v<C, Arguments...>) {
    return C(std::forward<Arguments>(arguments)...);
  } else {
    return C{std::forward<Arguments>(arguments)...};
  }
}

/// What a copy of a component that is copied as bytes is made from: itself, or a copy of its bytes if it may only be
/// moved.
template <class C>
[[nodiscard]] decltype(auto) copy_of(const C& component) noexcept {
  if constexpr (std::is_copy_constructible_v<C>) {
    return (component);
  } else {
    return std::bit_cast<C>(component);
  }
}

/// True for a component that cannot know where it was made: bytes, and no constructor or initialiser of its own. It may
/// be made in registers and copied to its place, which takes fewer instructions than to construct it there.
template <class C>
inline constexpr bool knows_no_place =
    std::is_trivially_copyable_v<C> && std::is_trivially_default_constructible_v<C> &&
    (std::is_aggregate_v<C> || std::is_scalar_v<C>);

/// Arguments that are better copied than referred to: as long as no function that is not inlined is given their
/// addresses, they stay in registers.
template <class... Arguments>
inline constexpr bool are_copied_freely =
    ((std::is_trivially_copyable_v<std::remove_cvref_t<Arguments>> && sizeof(std::remove_cvref_t<Arguments>) <= 32 &&
      alignof(std::remove_cvref_t<Arguments>) <= alignof(std::max_align_t)) &&
     ...);

/// True for what a layout without whole components shows in place of a `C&`: see parts/layout/spread.hpp.
template <class Reference>
inline constexpr bool stands_for_component = false;

/// The component that an argument is, or stands for.
template <class Argument>
struct ComponentGivenBy {
  using type = std::remove_cvref_t<Argument>;
};
template <class Argument>
  requires stands_for_component<std::remove_cvref_t<Argument>>
struct ComponentGivenBy<Argument> {
  using type = typename std::remove_cvref_t<Argument>::component_type;
};
template <class Argument>
using component_given_by = typename ComponentGivenBy<Argument>::type;

/// An argument as it came, or the component that it stands for.
template <class Argument>
[[nodiscard]] constexpr decltype(auto) as_component(Argument&& argument) noexcept {
  if constexpr (std::is_same_v<component_given_by<Argument>, std::remove_cvref_t<Argument>>) {
    return std::forward<Argument>(argument);
  } else {
    return static_cast<component_given_by<Argument>>(argument);
  }
}

}  // namespace detail
}  // namespace stowage
