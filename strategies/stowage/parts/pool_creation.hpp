#pragma once

#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/new_entities.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// How entities with components are made in a storage over packed pools: everything that may throw comes before the
/// first commit, and is undone where something else throws. `Self` is PoolStorage; the index sequences say in which
/// pools the entities have rows.
template <class Self, class EntityType>
class PoolCreation {
 protected:
  template <std::size_t... Ps, class... Cs>
  EntityType create_in(std::index_sequence<Ps...> taken, Cs&&... components) {
    if ((self().template pool<Ps>().full() || ...)) [[unlikely]]
      return create_growing(taken, std::forward<Cs>(components)...);
    if (self().moves_rows_to_create()) return create_detached(taken, std::forward<Cs>(components)...);
    return create_in_room(taken, std::forward<Cs>(components)...);
  }

  template <std::size_t... Ps, class... Cs>
  void create_many(std::index_sequence<Ps...>, std::span<EntityType> out, std::span<const Cs>... columns) {
    (self().template make_room<Ps>(out.size()), ...);
    const NewEntities<EntityType> entities = self().begin_lives(out);
    OnFailure undo([&] {
      for (const EntityType entity : out) self().end_life(entity);
    });
    place_columns<Ps...>(entities, std::tuple(columns...));
    undo.release();
  }

  /// The form for component sets known at run time. What is copied comes first, to where no row is yet, because the
  /// columns may turn out to be unsound; what is moved comes last, when nothing can fail any more. Where a new life may
  /// end rows of the last one (lazy pools) both come last.
  template <class Columns>
  void create_from(std::span<EntityType> out, const Columns& columns) {
    constexpr std::size_t pools = Self::pool_count;
    stowage::detail::for_each_index<pools>([&](auto p) {
      if (Self::template takes_row<p>(columns)) self().template make_room<p>(out.size());
    });
    if constexpr (Self::copies_columns_first) {
      copy_columns(columns);
      columns.check();
    }
    const NewEntities<EntityType> entities = self().begin_lives(out);
    std::size_t indexed = 0;  // pools whose index knows the new rows
    OnFailure undo([&] {
      stowage::detail::for_each_index<pools>([&](auto p) {
        if (p >= indexed || !Self::template takes_row<p>(columns)) return;
        for (const EntityType entity : out) self().index().template erase<p>(entity);
      });
      for (const EntityType entity : out) self().end_life(entity);
    });
    stowage::detail::for_each_index<pools>([&](auto p) {
      if (Self::template takes_row<p>(columns)) {
        self().index().template insert<p>(entities, static_cast<RowNumber>(self().template pool<p>().size()));
      }
      ++indexed;
    });
    undo.release();
    if constexpr (!Self::copies_columns_first) copy_columns(columns);
    stowage::detail::for_each_index<pools>([&](auto p) {
      if (!Self::template takes_row<p>(columns)) return;
      self().template pool<p>().move_many(columns);
      self().template commit<p>(entities);
    });
  }

 private:
  template <class Columns>
  void copy_columns(const Columns& columns) noexcept {
    stowage::detail::for_each_index<Self::pool_count>([&](auto p) {
      if (Self::template takes_row<p>(columns)) self().template pool<p>().copy_many(columns);
    });
  }

  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }

  template <class Taken, class... Cs>
  STOWAGE_COLD EntityType create_growing(Taken taken, Cs&&... components) {
    return create_detached(taken, std::forward<Cs>(components)...);
  }

  /// Rows that the arguments may refer to are about to move, so they are moved out of harm's way first.
  template <std::size_t... Ps, class... Cs>
  EntityType create_detached(std::index_sequence<Ps...> taken, Cs&&... components) {
    std::tuple<std::remove_cvref_t<Cs>...> detached(std::forward<Cs>(components)...);
    (self().template make_room<Ps>(1), ...);
    return std::apply([&](auto&... held) { return create_in_room(taken, std::move(held)...); }, detached);
  }

  template <std::size_t... Ps, class... Cs>
  EntityType create_in_room(std::index_sequence<Ps...>, Cs&&... components) {
    const EntityType entity = self().begin_life();
    OnFailure undo([&] { self().end_life(entity); });
    auto arguments = std::forward_as_tuple(std::forward<Cs>(components)...);
    place_rows<Ps...>(entity, arguments);
    undo.release();
    return entity;
  }

  template <std::size_t P, std::size_t... Rest, class Arguments>
  void place_rows(EntityType entity, Arguments& arguments) {
    self().template pool<P>().construct_next(arguments);
    OnFailure abandon([&] { self().template pool<P>().abandon_next(); });
    self().index().template insert<P>(entity, static_cast<RowNumber>(self().template pool<P>().size()));
    OnFailure forget([&] { self().index().template erase<P>(entity); });
    if constexpr (sizeof...(Rest) > 0) place_rows<Rest...>(entity, arguments);
    abandon.release();
    forget.release();
    self().template commit<P>(entity);
  }

  template <std::size_t P, std::size_t... Rest, class Columns>
  void place_columns(const NewEntities<EntityType>& entities, const Columns& columns) {
    self().template pool<P>().construct_many(entities.size(), columns);
    OnFailure abandon([&] { self().template pool<P>().abandon_many(entities.size()); });
    self().index().template insert<P>(entities, static_cast<RowNumber>(self().template pool<P>().size()));
    OnFailure forget([&] {
      for (const EntityType entity : entities.handles) self().index().template erase<P>(entity);
    });
    if constexpr (sizeof...(Rest) > 0) place_columns<Rest...>(entities, columns);
    abandon.release();
    forget.release();
    self().template commit<P>(entities);
  }
};

}  // namespace stowage::parts
