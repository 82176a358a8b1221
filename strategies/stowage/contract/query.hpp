#pragma once

#include <cstddef>
#include <type_traits>

#include <stowage/contract/schema.hpp>
#include <stowage/contract/type_list.hpp>

// What a loop may ask for beside components: each<Position, With<Tag>, Without<Dead>, Optional<const Mass>>(fn).

namespace stowage {

/// Only entities that have a C are visited; the function is not shown it.
template <class C>
struct With {};
/// Only entities that have no C are visited.
template <class C>
struct Without {};
/// The function is shown a pointer<Q>, null where an entity has none. Optional<const C> reads only.
template <class Q>
struct Optional {};

namespace detail {

/// One entry of a loop's list: the component it is about, and what is wanted of it.
template <class Q>
struct Term {
  using asked = Q;
  static constexpr bool is_filter = false, is_required = true, is_absent = false, is_shown = true;
};
template <class C>
struct Term<With<C>> {
  using asked = const C;
  static constexpr bool is_filter = true, is_required = true, is_absent = false, is_shown = false;
};
template <class C>
struct Term<Without<C>> {
  using asked = const C;
  static constexpr bool is_filter = true, is_required = false, is_absent = true, is_shown = false;
};
template <class Q>
struct Term<Optional<Q>> {
  using asked = Q;
  static constexpr bool is_filter = true, is_required = false, is_absent = false, is_shown = true;
};

/// `const C`, by which a term reads, or `C`.
template <class Q>
using asked_of = typename Term<Q>::asked;
template <class Q>
using component_of = std::remove_const_t<asked_of<Q>>;
template <class Q>
inline constexpr bool reads_only = std::is_const_v<asked_of<Q>>;
template <class... Qs>
inline constexpr bool has_filters = (Term<Qs>::is_filter || ...);

template <bool Taken, class Q>
using TypeListIf = std::conditional_t<Taken, TypeList<Q>, TypeList<>>;
/// The components that an entity must have, those that it must not have, and the terms that are shown.
template <class... Qs>
using required_of = concatenated<TypeListIf<Term<Qs>::is_required, asked_of<Qs>>...>;
template <class... Qs>
using absent_of = concatenated<TypeListIf<Term<Qs>::is_absent, asked_of<Qs>>...>;
template <class... Qs>
using shown_of = concatenated<TypeListIf<Term<Qs>::is_shown, Qs>...>;

template <class C, class... Qs>
inline constexpr bool is_contradicted = ((Term<Qs>::is_required && std::is_same_v<component_of<Qs>, C>) || ...) &&
                                        ((Term<Qs>::is_absent && std::is_same_v<component_of<Qs>, C>) || ...);

/// What a list with filters must be. One message for each mistake.
template <class... Qs>
[[nodiscard]] consteval bool assert_query() {
  static_assert(!(is_contradicted<component_of<Qs>, Qs...> || ...),
                "contradictory filters: no entity has a component that Without<> excludes and the same loop asks for");
  static_assert((is_contradicted<component_of<Qs>, Qs...> || ...) || all_distinct<component_of<Qs>...>,
                "a loop names each component once, whether by itself or in a filter");
  static_assert((Term<Qs>::is_required || ...),
                "a loop needs a component that every entity it visits has: by itself or in With<>");
  return true;
}

}  // namespace detail

/// "Components of the schema, none twice, or filters of them": the constraint on loops.
template <class SchemaType, class... Qs>
concept QueryOf = sizeof...(Qs) > 0 && (SchemaType::template contains<detail::asked_of<Qs>> && ...) &&
                  (detail::has_filters<Qs...> || detail::all_distinct<detail::component_of<Qs>...>);

}  // namespace stowage
