#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/type_list.hpp>

namespace stowage::parts {

/// Which pools a schema needs, and which of them the components of an entity live in.
///
///     Schema<Group<A, B>, C>   ->   pool 0 [A B]   pool 1 [A]   pool 2 [B]   pool 3 [C]
///
/// The group's pool has a row for an entity only while the entity has all of the group; until then, and again
/// afterwards, each of them lives in its single pool.
template <class SchemaType>
class Placement {
  using Groups = typename SchemaType::groups;
  using Components = typename SchemaType::components;

  template <class List>
  struct Singles;
  template <class... Cs>
  struct Singles<TypeList<Cs...>> {
    using type = TypeList<TypeList<Cs>...>;
  };

  template <class List, class... Qs>
  struct HeldBy;
  template <class... Cs, class... Qs>
  struct HeldBy<TypeList<Cs...>, Qs...> {
    static constexpr bool any = (stowage::detail::is_one_of<Cs, std::remove_const_t<Qs>...> || ...);
    static constexpr bool whole = (stowage::detail::is_one_of<Cs, std::remove_const_t<Qs>...> && ...);
    static constexpr bool every_query = (stowage::detail::is_one_of<std::remove_const_t<Qs>, Cs...> && ...);
  };

 public:
  /// The component list of every pool: groups first, then each component alone.
  using pools = stowage::detail::concatenated<Groups, typename Singles<Components>::type>;

  static constexpr std::size_t group_count = Groups::size;
  static constexpr std::size_t pool_count = pools::size;

  template <std::size_t P>
  using pool_components = stowage::detail::element_at<P, pools>;

  template <class C>
  static constexpr std::size_t single_pool = group_count + stowage::detail::component_id<C, SchemaType>;

  /// The pool of the group that C belongs to; pool_count where it is in none.
  template <class C>
  static constexpr std::size_t group_pool = [] {
    std::size_t found = pool_count;
    stowage::detail::for_each_index<group_count>([&](auto group) {
      if (stowage::detail::list_contains<std::remove_const_t<C>, pool_components<group>>) found = group;
    });
    return found;
  }();

  template <class C>
  static constexpr bool is_grouped = group_pool<C> != pool_count;

  /// True when all of Qs belong to the group of pool P.
  template <std::size_t P, class... Qs>
  static constexpr bool holds_all = HeldBy<pool_components<P>, Qs...>::every_query;
  /// True when Qs name every component of pool P.
  template <std::size_t P, class... Qs>
  static constexpr bool is_covered_by = HeldBy<pool_components<P>, Qs...>::whole;
  /// True when some of Qs belong to pool P.
  template <std::size_t P, class... Qs>
  static constexpr bool holds_any = HeldBy<pool_components<P>, Qs...>::any;

  /// True when an entity that has exactly Cs has a row in pool P.
  template <std::size_t P, class... Cs>
  static constexpr bool takes_row = [] {
    if constexpr (P < group_count) {
      return is_covered_by<P, Cs...>;
    } else {
      using C = stowage::detail::element_at<0, pool_components<P>>;
      if constexpr (!stowage::detail::is_one_of<C, Cs...>) {
        return false;
      } else if constexpr (is_grouped<C>) {
        return !is_covered_by<group_pool<C>, Cs...>;
      } else {
        return true;
      }
    }
  }();

  /// The pools in which an entity that has exactly Cs has a row, as an index sequence.
  template <class... Cs>
  [[nodiscard]] static consteval auto pools_for() {
    constexpr std::size_t count = [] {
      std::size_t n = 0;
      stowage::detail::for_each_index<pool_count>([&](auto p) { n += takes_row<p, Cs...> ? 1U : 0U; });
      return n;
    }();
    constexpr auto taken = [] {
      std::array<std::size_t, count + 1> list{};  // one more, so that an empty list is an array too
      std::size_t n = 0;
      stowage::detail::for_each_index<pool_count>([&](auto p) {
        if (takes_row<p, Cs...>) list[n++] = p;
      });
      return list;
    }();
    return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      return std::index_sequence<taken[Is]...>{};
    }(std::make_index_sequence<count>{});
  }
};

template <class List>
struct WithoutGroups;
template <class... Cs>
struct WithoutGroups<TypeList<Cs...>> {
  using type = Placement<Schema<Cs...>>;
};
/// Every component in a pool of its own, whatever groups the schema has.
template <class SchemaType>
using UngroupedPlacement = typename WithoutGroups<typename SchemaType::components>::type;

/// The layout of the pool with the first component of a schema: for what does not depend on the pool.
template <class LayoutPolicy, class SchemaType>
using AnyLayout =
    typename LayoutPolicy::template layout<EntityIndex,
                                           stowage::detail::element_at<0, typename SchemaType::components>>;

}  // namespace stowage::parts
