#pragma once

// Schema<...>: the component types that a storage holds, and the marks Group, Toggled, Changed and Sparse on them.

#include <cstddef>
#include <type_traits>

#include <stowage/contract/component.hpp>
#include <stowage/contract/type_list.hpp>

namespace stowage {

/// Components that are placed together. A hint about placement: it never changes what a program observes.
template <class... Cs>
struct Group {
  static_assert(sizeof...(Cs) >= 1, "a group names the components that travel together");
};

/// A component that entities keep while it is off. Storages that have `set_enabled<C>(entity, bool)` leave it out of
/// loops then; for all others it is like any component.
template <class C>
struct Toggled {};

/// A component of which a storage with `each_changed<C>()` records when it was last written: see changes.hpp. For all
/// others it is like any component. It is the innermost mark: Group<A, Changed<B>>, Sparse<Toggled<Changed<C>>>.
template <class C>
struct Changed {};

/// A component that entities gain and lose often, or that few have. A hint about placement as well: `hybrid` keeps it
/// apart from the other components of an entity, and for every other strategy it is a component like any other. One
/// that can be off as well is a Sparse<Toggled<C>>.
template <class C>
struct Sparse {};

namespace detail {

template <class C>
inline constexpr bool is_mark = false;
template <class... Cs>
inline constexpr bool is_mark<Group<Cs...>> = true;
template <class C>
inline constexpr bool is_mark<Toggled<C>> = true;
template <class C>
inline constexpr bool is_mark<Sparse<C>> = true;
template <class C>
inline constexpr bool is_mark<Changed<C>> = true;

/// A component that is Changed<> at most.
template <class C>
struct PlainEntry {
  using components = TypeList<C>;
  using groups = TypeList<>;
  using toggled = TypeList<>;
  using sparse = TypeList<>;
  using recorded = TypeList<>;
};
template <class C>
struct PlainEntry<Changed<C>> : PlainEntry<C> {
  using recorded = TypeList<C>;
};

template <class Entry>
struct SchemaEntry : PlainEntry<Entry> {};
template <class C>
struct SchemaEntry<Toggled<C>> : PlainEntry<C> {
  using toggled = typename PlainEntry<C>::components;
};
template <class C>
struct SchemaEntry<Sparse<C>> : PlainEntry<C> {
  using sparse = typename PlainEntry<C>::components;
};
template <class C>
struct SchemaEntry<Sparse<Toggled<C>>> : SchemaEntry<Toggled<C>> {
  using sparse = typename PlainEntry<C>::components;
};
template <class... Cs>
struct SchemaEntry<Group<Cs...>> {
  using components = concatenated<typename PlainEntry<Cs>::components...>;
  // a group of one says nothing that the component alone does not say
  using groups = std::conditional_t<(sizeof...(Cs) > 1), TypeList<components>, TypeList<>>;
  using toggled = TypeList<>;
  using sparse = TypeList<>;
  using recorded = concatenated<typename PlainEntry<Cs>::recorded...>;
};

template <class Groups, class SparseList>
inline constexpr bool are_apart = true;
template <class... Groups, class... Cs>
inline constexpr bool are_apart<TypeList<Groups...>, TypeList<Cs...>> =
    !any_of<list_contains<Cs, concatenated<Groups...>>...>();

template <class List, bool GroupsAndSparseAreApart>
struct SchemaChecks;
template <class... Cs, bool GroupsAndSparseAreApart>
struct SchemaChecks<TypeList<Cs...>, GroupsAndSparseAreApart> {
  static_assert(all_of<ComponentRequirements<Cs>::met...>());
  static_assert(!any_of<is_mark<Cs>...>(),
                "Group<>, Sparse<>, Toggled<> and Changed<> are no components: only Group<A, Changed<B>> and "
                "Sparse<Toggled<Changed<C>>>, or less of it, are one in another");
  static_assert(GroupsAndSparseAreApart,
                "a component is in a group or Sparse<>: a group lies together, Sparse<> apart");
  static_assert(!GroupsAndSparseAreApart || all_distinct<Cs...>,
                "a schema names each component once: an entity has at most one of each type");
};

}  // namespace detail

/// For example `Schema<Group<Position, Velocity>, Health, Sparse<Burning>>`.
template <class... Entries>
struct Schema {
  /// Every component, grouped or not, in the order of the schema.
  using components = detail::concatenated<typename detail::SchemaEntry<Entries>::components...>;
  /// One TypeList per group of two or more components.
  using groups = detail::concatenated<typename detail::SchemaEntry<Entries>::groups...>;
  /// Those that can be off.
  using toggled = detail::concatenated<typename detail::SchemaEntry<Entries>::toggled...>;
  using sparse = detail::concatenated<typename detail::SchemaEntry<Entries>::sparse...>;
  /// Those that are marked as Changed.
  using recorded = detail::concatenated<typename detail::SchemaEntry<Entries>::recorded...>;

  static constexpr std::size_t component_count = components::size;
  static constexpr std::size_t group_count = groups::size;

  template <class C>
  static constexpr bool contains = detail::list_contains<std::remove_const_t<C>, components>;

 private:
  static_assert(sizeof(detail::SchemaChecks<components, detail::are_apart<groups, sparse>>) != 0);
};

namespace detail {

template <class C, class List>
struct PositionInList;
template <class C, class... Ts>
struct PositionInList<C, TypeList<Ts...>> {
  static constexpr std::size_t value = position_of<C, Ts...>();
};

/// Position of a component among the components of its schema.
template <class C, class SchemaType>
inline constexpr std::size_t component_id =
    PositionInList<std::remove_const_t<C>, typename SchemaType::components>::value;

/// Whether a component can be off, and its position among those that can.
template <class C, class SchemaType>
inline constexpr bool is_toggled = list_contains<std::remove_const_t<C>, typename SchemaType::toggled>;
template <class C, class SchemaType>
inline constexpr std::size_t toggle_id = PositionInList<std::remove_const_t<C>, typename SchemaType::toggled>::value;

template <class C, class SchemaType>
inline constexpr bool is_sparse = list_contains<std::remove_const_t<C>, typename SchemaType::sparse>;

/// Whether all components of a schema can be copied as bytes: see copy_from() in storage.hpp.
template <class SchemaType>
inline constexpr bool copies_as_bytes = []<class... Cs>(TypeList<Cs...>) {
  return all_of<std::is_trivially_copyable_v<Cs>...>();
}(typename SchemaType::components{});

/// Whether a component is marked as Changed, and its position among those that are.
template <class C, class SchemaType>
inline constexpr bool is_recorded = list_contains<std::remove_const_t<C>, typename SchemaType::recorded>;
template <class C, class SchemaType>
inline constexpr std::size_t record_id = PositionInList<std::remove_const_t<C>, typename SchemaType::recorded>::value;

/// Calls `function(TypeList<C>{})` for every component of a schema, in its order.
template <class SchemaType, class Function>
constexpr void for_each_component(Function&& function) {
  for_each_type(typename SchemaType::components{}, function);
}

}  // namespace detail

/// "Every component named is in the schema, and none twice": the constraint on all typed operations.
template <class SchemaType, class... Cs>
concept ComponentsOf = (SchemaType::template contains<Cs> && ...) && detail::all_distinct<std::remove_const_t<Cs>...>;

}  // namespace stowage
