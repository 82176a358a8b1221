#pragma once

#include <array>
#include <cstddef>
#include <tuple>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/find_forms.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// The row of a component, and which of its two pools that is in.
struct RowLocation {
  bool in_group = false;
  RowNumber row = no_row;
};

/// How a storage over packed pools finds components: a complete group costs one look-up in the index, anything else one
/// per component. `Self` has pool<P>() and index(), and places components as `Places` says; `Layout` is that of any
/// of its pools, for the type of a pointer.
template <class Self, class SchemaType, class EntityType, class Layout, class Places>
class PoolLookup : public FindForms<Self, SchemaType, EntityType> {
  template <class Q>
  using PointerTo = typename Layout::template pointer<Q>;

  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

 protected:
  /// Where a component is looked for first: in its group's pool, or in its own where it has no group.
  template <class Q>
  static constexpr std::size_t first_pool =
      Places::template is_grouped<Q> ? Places::template group_pool<Q> : Places::template single_pool<Q>;

  template <class C>
  [[nodiscard]] RowLocation locate(EntityType entity) const noexcept {
    if constexpr (Places::template is_grouped<C>) {
      const RowNumber row = self().index().template find<Places::template group_pool<C>>(entity);
      if (row != no_row) return {true, row};
    }
    return {false, self().index().template find<Places::template single_pool<C>>(entity)};
  }

  template <class... Qs>
  [[nodiscard]] std::tuple<PointerTo<Qs>...> look_up(EntityType entity) const noexcept {
    constexpr std::size_t home = first_pool<stowage::detail::element_at<0, TypeList<Qs...>>>;
    if constexpr (sizeof...(Qs) == 1) {
      return {find_one<Qs>(entity)...};
    } else if constexpr (home < Places::group_count && Places::template holds_all<home, Qs...>) {
      // columns are read before the test, so that a loop of look-ups keeps them in registers
      const std::tuple columns(self().template pool<home>().layout().template cursor<Qs>()...);
      const RowNumber row = self().index().template find<home>(entity);
      if (row == no_row) [[unlikely]]
        return find_singles<Qs...>(entity);
      return std::apply([row](const auto&... column) { return std::tuple(address_of(column, row)...); }, columns);
    } else {
      std::array<RowNumber, Places::group_count + 1> rows;
      stowage::detail::for_each_index<Places::group_count>([&](auto group) {
        if constexpr (Places::template holds_any<group, Qs...>)
          rows[group] = self().index().template find<group>(entity);
      });
      return {find_known<Qs>(entity, rows)...};
    }
  }

 private:
  template <class Q>
  [[nodiscard]] PointerTo<Q> find_one(EntityType entity) const noexcept {
    if constexpr (Places::template is_grouped<Q>) {
      constexpr std::size_t group = Places::template group_pool<Q>;
      const auto column = self().template pool<group>().layout().template cursor<Q>();
      const RowNumber row = self().index().template find<group>(entity);
      if (row != no_row) [[likely]]
        return address_of(column, row);
    }
    return find_single<Q>(entity);
  }

  template <class... Qs>
  [[nodiscard]] STOWAGE_COLD std::tuple<PointerTo<Qs>...> find_singles(EntityType entity) const noexcept {
    return {find_single<Qs>(entity)...};
  }

  /// Q of an entity whose rows in the pools of groups are known already.
  template <class Q>
  [[nodiscard]] PointerTo<Q> find_known(EntityType entity, const auto& rows) const noexcept {
    if constexpr (Places::template is_grouped<Q>) {
      const RowNumber row = rows[first_pool<Q>];
      if (row != no_row) return self().template pool<first_pool<Q>>().layout().template at<Q>(row);
    }
    return find_single<Q>(entity);
  }

  template <class Q>
  [[nodiscard]] PointerTo<Q> find_single(EntityType entity) const noexcept {
    constexpr std::size_t single = Places::template single_pool<Q>;
    const auto column = self().template pool<single>().layout().template cursor<Q>();
    const RowNumber row = self().index().template find<single>(entity);
    return row != no_row ? address_of(column, row) : nullptr;
  }
};

}  // namespace stowage::parts
