#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <stowage/contract/type_list.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/pool_lookup.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// How components come, go and change pools: those of a group move to its pool when it is complete, and back to their
/// single pools when it no longer is. The parameters are those of PoolLookup; `Self` is PoolStorage.
///
/// A single pool whose rows have all gone to the group keeps its room and its map, which is a promise of reserve(): who
/// takes a component away and gives it back would pay for both anew each time. Where every component is added alone,
/// that is up to 12 bytes and the component's size per entity and member; create(cs...) never makes that room.
template <class Self, class EntityType, class Layout, class Places>
class PoolGroups {
  template <class C>
  using Reference = typename Layout::template reference<C>;

 protected:
  template <class C>
  Reference<C> replace(RowLocation place, C&& component) noexcept {
    if constexpr (Places::template is_grouped<C>) {
      if (place.in_group) {
        auto& group = self().template pool<Places::template group_pool<C>>();
        group.replace(place.row, std::move(component));
        return *group.layout().template at<C>(place.row);
      }
    }
    auto& single = self().template pool<Places::template single_pool<C>>();
    single.replace(place.row, std::move(component));
    return *single.layout().template at<C>(place.row);
  }

  template <class C>
  Reference<C> insert_single(EntityType entity, C&& component) {
    constexpr std::size_t single = Places::template single_pool<C>;
    self().template make_room<single>(1);
    self().index().template insert<single>(entity, static_cast<RowNumber>(self().template pool<single>().size()));
    self().template pool<single>().construct_one(std::move(component));
    return *self().template pool<single>().layout().template at<C>(self().template commit<single>(entity));
  }

  /// True when the entity has every component of the group but C.
  template <class C, class... Gs>
  [[nodiscard]] bool completes_group(EntityType entity, TypeList<Gs...>) const noexcept {
    return (
        (std::is_same_v<Gs, C> || self().index().template find<Places::template single_pool<Gs>>(entity) != no_row) &&
        ...);
  }

  /// Moves the members of a group that has just become complete from their single pools to the group's.
  template <std::size_t G, class C, class... Gs>
  Reference<C> gather(EntityType entity, C& component, TypeList<Gs...>) {
    self().template make_room<G>(1);
    self().index().template insert<G>(entity, static_cast<RowNumber>(self().template pool<G>().size()));
    const auto take = [&]<class Member>(TypeList<Member>) {
      if constexpr (std::is_same_v<Member, C>) {
        self().template pool<G>().construct_one(std::move(component));
      } else {
        constexpr std::size_t single = Places::template single_pool<Member>;
        const RowNumber row = self().index().template find<single>(entity);
        self().template pool<G>().construct_one(
            static_cast<Member&&>(*self().template pool<single>().layout().template at<Member>(row)));
        self().template end_row<single>(entity, row);
      }
    };
    (take(TypeList<Gs>{}), ...);
    return *self().template pool<G>().layout().template at<C>(self().template commit<G>(entity));
  }

  /// C leaves a complete group: the other members move to their single pools.
  template <std::size_t G, class C, class... Gs>
  void scatter(EntityType entity, RowNumber row, TypeList<Gs...>) {
    const auto leave = [&]<class Member>(TypeList<Member>) {
      if constexpr (!std::is_same_v<Member, C>) {
        constexpr std::size_t single = Places::template single_pool<Member>;
        self().template pool<single>().construct_one(
            static_cast<Member&&>(*self().template pool<G>().layout().template at<Member>(row)));
        self().template commit<single>(entity);
      }
    };
    announce<C, Gs...>(entity);
    (leave(TypeList<Gs>{}), ...);
    self().template end_row<G>(entity, row);
  }

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

  /// Makes room for and indexes the rows that scatter() is about to add.
  template <class C, class Member, class... Rest>
  void announce(EntityType entity) {
    if constexpr (!std::is_same_v<Member, C>) {
      constexpr std::size_t single = Places::template single_pool<Member>;
      self().template make_room<single>(1);
      self().index().template insert<single>(entity, static_cast<RowNumber>(self().template pool<single>().size()));
      if constexpr (sizeof...(Rest) > 0) {
        OnFailure forget([&] { self().index().template erase<single>(entity); });
        announce<C, Rest...>(entity);
        forget.release();
      }
    } else if constexpr (sizeof...(Rest) > 0) {
      announce<C, Rest...>(entity);
    }
  }
};

}  // namespace stowage::parts
