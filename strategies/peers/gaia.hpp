#pragma once

// gaia: archetypes in chunks, as the documentation of gaia-ecs recommends them.
//
//     record     [chunk|row] [chunk|row] ...                    by entity index, with its generation
//                     |
//                     v
//     chunk      [id ] [id ] [id ]                              8 to 64 KiB of entities with the same component set
//                [ A ] [ A ] [ A ]                              a column per component
//                [ B ] [ B ] [ B ]
//     query      [chunks of a set] ...                          cached: the sets that have what a loop asks for
//
// By: richardbiely/gaia-ecs, from 0.9.3 on. Pick it for what is around it: relationships, observers, systems and their
// scheduler, serialization, in one header.
// Idiom: a cached query for each list of components, gone through by iterator, chunk by chunk, with the columns of its
// terms; a loop over plain arrays is what its documentation recommends for hot paths. A query has 12 terms; what a loop
// asks for beyond them is looked up in each chunk. An entity is made by add_n(), like the last that was made of the
// same components, and if there is none, by a builder, in one move; many at once are written column by column. Lookups
// ask valid() once, which its users leave out, and then the columns of the chunk: has<T>() and mut<T>() would ask
// twice. An entity that ends loses its components at once, but its index comes back at the end of a frame, update().
// The contract has no frames, so one ends after each thousand entities, and with each frame of a game (end_frame()).
// clear() ends entities one by one. Observers, systems and JSON are compiled away by the switches of gaia-ecs, and
// hooks are not, because 0.9.3 does not compile without them. Writes are silent but for components marked Changed:
// those give the chunk's column the version of the world, and a query with changed() skips the chunks whose column is
// not newer than its last run. Handles: entities by their own bits, index in the lower 32, generation and kind above.
// Null is all ones. Indices begin behind those of gaia-ecs' own entities and of components.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/component.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/query.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/semantics.hpp>
#include <stowage/parts/component_changes.hpp>
#include <stowage/parts/iteration_guard.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop.hpp>

#include "peers/gaia_components.hpp"
#include "peers/held_exception.hpp"

namespace stowage::peers {

template <class SchemaType>
class Gaia {
 public:
  using schema_type = SchemaType;
  using entity_type = Entity;
  template <class C>
  using reference = C&;
  template <class C>
  using pointer = C*;

  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert =
          not_promised("an entity that gains components leaves a hole, which the last row of its chunk fills"),
      .pointer_stability_on_erase = not_promised("the last row of a chunk moves into the hole"),
      .create_while_iterating = not_promised("a query locks the world against changes"),
      .destroy_current_while_iterating = not_promised("a query locks the world against changes"),
      .destroy_others_while_iterating = not_promised("a query locks the world against changes"),
      .change_components_while_iterating = not_promised("a query locks the world against changes"),
      .parallel_rows = not_promised("threads share a query by gaia-ecs' own scheduler"),
  };
  static constexpr std::array lacking{
      Lack{Capability::const_iteration, "a query brings its cache up to date, and locks the world"},
      Lack{Capability::block_iteration,
           "chunks have columns, but their entities are not mapped to blocks of the contract"},
      Lack{Capability::table_exchange, "it is saved by a serializer of its own"},
      Lack{Capability::reservation, "chunks come as they are needed"},
      Lack{Capability::memory_accounting, "chunks of all worlds come from one allocator"},
      Lack{Capability::strong_guarantee, "a shortage of memory ends the program"},
  };

  Gaia() {
    std::size_t number = 0;
    detail::for_each_component<SchemaType>(
        [&]<class C>(TypeList<C>) { id<C>() = register_component<C>(world_, number++); });
    first_index_ = world_.size();
  }
  Gaia(const Gaia&) = delete;
  Gaia& operator=(const Gaia&) = delete;

  [[nodiscard]] entity_type create() {
    guard_.assert_no_loop();
    ++living_;
    return handle(world_.add());
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, std::remove_cvref_t<Cs>...>)
  entity_type create(Cs&&... components) {
    guard_.assert_no_loop();
    const gaia::ecs::Entity created = add_with<std::remove_cvref_t<Cs>...>();
    const gaia::ecs::ComponentGetter row = world_.acc(created);
    (construct<std::remove_cvref_t<Cs>>(row, std::forward<Cs>(components)), ...);
    ++living_;
    return handle(created);
  }
  /// One by one if a copy may throw, because no entity of add_n() can be taken back.
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void create(std::span<entity_type> out, std::span<const Cs>... columns) {
    STOWAGE_ASSERT(((columns.size() == out.size()) && ...), "every column has one component per new entity");
    guard_.assert_no_loop();
    if (out.empty()) return;
    out[0] = create(columns[0]...);
    if constexpr ((std::is_nothrow_copy_constructible_v<Cs> && ...)) {
      if (out.size() > 1) create_like_first(out, columns...);
    } else {
      for (std::size_t i = 1; i < out.size(); ++i) out[i] = create(columns[i]...);
    }
  }

  bool destroy(entity_type entity) {
    guard_.assert_no_loop();
    if (!alive(entity)) return false;
    world_.del(known(entity));
    --living_;
    if (++ended_ == frame_entities) end_frame();
    return true;
  }
  [[nodiscard]] bool alive(entity_type entity) const noexcept { return world_.valid(known(entity)); }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_loop();
    if (!alive(entity)) throw DeadEntity(entity.word());
    if constexpr (is_tag<C>) {
      if (!has_column<C>(world_.acc(known(entity)))) world_.add(known(entity), id<C>());
      return detail::tag_instance<C>;
    } else {
      C made = detail::make<C>(std::forward<Arguments>(arguments)...);
      if (C* const old = component_of<C>(world_.acc(known(entity)))) {
        std::destroy_at(old);
        return *::new (static_cast<void*>(old)) C(std::move(made));
      }
      world_.add(known(entity), id<C>());
      return *construct<C>(world_.acc(known(entity)), std::move(made));
    }
  }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_loop();
    if (!contains<C>(entity)) return false;
    world_.del(known(entity), id<C>());
    return true;
  }
  /// Makes all changes of an entity by one builder, with one move ("Bulk editing"). False if it is not alive.
  bool change(entity_type entity, const ComponentChanges<SchemaType>& changes) {
    guard_.assert_no_loop();
    if (!alive(entity)) return false;
    const gaia::ecs::Entity changed = known(entity);
    const gaia::ecs::ComponentGetter before = world_.acc(changed);
    typename ComponentChanges<SchemaType>::Mask gained;
    {
      gaia::ecs::EntityBuilder builder = world_.build(changed);
      detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
        constexpr std::size_t number = detail::component_id<C, SchemaType>;
        if (changes.added().has(number) && !has_column<C>(before)) {
          builder.add(id<C>());
          gained = gained.with(number);
        } else if (changes.removed().has(number) && has_column<C>(before)) {
          builder.del(id<C>());
        }
      });
    }
    const gaia::ecs::ComponentGetter row = world_.acc(changed);
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      constexpr std::size_t number = detail::component_id<C, SchemaType>;
      if (!changes.added().has(number)) return;
      if constexpr (!is_tag<C>) {
        if (!gained.has(number)) std::destroy_at(component_of<C>(row));
      }
      construct<C>(row, std::move(*changes.template value<C>()));
    });
    return true;
  }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] bool contains(entity_type entity) const noexcept {
    return alive(entity) && has_column<C>(world_.acc(known(entity)));
  }

  template <class... Qs>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  [[nodiscard]] auto find(entity_type entity) noexcept {
    return find_all<Qs...>(entity);
  }
  template <class... Qs>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  [[nodiscard]] auto find(entity_type entity) const noexcept {
    return find_all<const Qs...>(entity);
  }

  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  STOWAGE_INLINE void each(Fn&& fn) {
    loop<void, Qs...>(fn);
  }
  /// What each<C, Qs...> visits, of the chunks in which a C was written, or that rows came to or left, since this loop
  /// ran last: see workloads/support/changes.hpp.
  template <class C, class... Qs, class Fn>
    requires(QueryOf<SchemaType, C, Qs...> && std::is_const_v<C> && detail::is_recorded<C, SchemaType>)
  STOWAGE_INLINE void each_changed(Fn&& fn) {
    loop<C, C, Qs...>(fn);
  }

  /// O(chunks that have the component).
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    return const_cast<Gaia*>(this)->template query_of<void, const C>().count();
  }
  [[nodiscard]] std::size_t size() const noexcept { return living_; }
  /// gaia-ecs gets the indices of ended entities back.
  void end_frame() {
    guard_.assert_no_loop();
    world_.update();
    ended_ = 0;
  }
  void clear() {
    guard_.assert_no_loop();
    for (std::uint32_t index = first_index_; living_ != 0; ++index) {
      const gaia::ecs::Entity found = world_.try_get(index);
      if (found != gaia::ecs::EntityBad) destroy(handle(found));
    }
    end_frame();
  }

 private:
  /// As many entities end before a frame does, if work has no frames.
  static constexpr std::size_t frame_entities = 1000;

  [[nodiscard]] static gaia::ecs::Entity known(entity_type entity) noexcept {
    return gaia::ecs::Entity(static_cast<gaia::ecs::Identifier>(entity.word()));
  }
  [[nodiscard]] static entity_type handle(gaia::ecs::Entity entity) noexcept {
    return entity_type::from_word(entity.value());
  }
  template <class C>
  [[nodiscard]] gaia::ecs::Entity& id() noexcept {
    return ids_[detail::component_id<C, SchemaType>];
  }
  template <class C>
  [[nodiscard]] gaia::ecs::Entity id() const noexcept {
    return ids_[detail::component_id<C, SchemaType>];
  }
  // ---- rows

  template <class C>
  [[nodiscard]] bool has_column(const gaia::ecs::ComponentGetter& row) const noexcept {
    return row.m_pChunk->has(id<C>());
  }
  template <class Q>
  static constexpr bool notes_writes = !std::is_const_v<Q> && detail::is_recorded<Q, SchemaType>;
  /// The world's version first, as set() does, so that what is written is newer than any loop before it.
  template <class Q>
  [[nodiscard]] Q* component_of(const gaia::ecs::ComponentGetter& row) const noexcept {
    const auto column = gaia::core::get_index(row.m_pChunk->ids_view(), id<Q>());
    if (column == gaia::BadIndex) return nullptr;
    if constexpr (notes_writes<Q>) {
      gaia::ecs::update_version(const_cast<gaia::ecs::World&>(world_).world_version());
      const_cast<gaia::ecs::Chunk*>(row.m_pChunk)->update_world_version(column);
    }
    return reinterpret_cast<Q*>(const_cast<std::uint8_t*>(row.m_pChunk->comp_ptr(column))) + row.m_row;
  }
  template <class C, class Argument>
  C* construct(const gaia::ecs::ComponentGetter& row, Argument&& component) {
    if constexpr (is_tag<C>) {
      return nullptr;
    } else {
      return ::new (static_cast<void*>(component_of<C>(row))) C(std::forward<Argument>(component));
    }
  }

  /// Like the entity that this list of components made last, if that still has them and no other; otherwise by a
  /// builder.
  template <class... Cs>
  [[nodiscard]] gaia::ecs::Entity add_with() {
    const std::size_t number = number_of_list<Model, Cs...>;
    if (number >= models_.size()) models_.resize(number + 1);
    Model& model = models_[number];
    gaia::ecs::Entity created;
    if (world_.valid(model.last) && world_.fetch(model.last).pArchetype->id() == model.archetype) {
      world_.add_n(model.last, 1, [&created](gaia::ecs::Entity entity) { created = entity; });
    } else {
      created = world_.add();
      {
        gaia::ecs::EntityBuilder builder = world_.build(created);
        (builder.add(id<Cs>()), ...);
      }
      model.archetype = world_.fetch(created).pArchetype->id();
    }
    model.last = created;
    return created;
  }
  template <class... Cs>
  void create_like_first(std::span<entity_type> out, std::span<const Cs>... columns) {
    const gaia::ecs::Chunk* chunk = nullptr;
    std::tuple<Cs*...> first_row{};
    std::size_t i = 1;
    world_.add_n(known(out[0]), static_cast<std::uint32_t>(out.size() - 1), [&](gaia::ecs::Entity created) {
      const gaia::ecs::ComponentGetter row = world_.acc(created);
      if (row.m_pChunk != chunk) {
        chunk = row.m_pChunk;
        const gaia::ecs::ComponentGetter first(world_, chunk, created, 0);
        first_row = {component_of<Cs>(first)...};
      }
      const auto copy = [&]<class C>(const C& component) {
        if constexpr (!is_tag<C>) ::new (static_cast<void*>(std::get<C*>(first_row) + row.m_row)) C(component);
      };
      (copy(columns[i]), ...);
      out[i++] = handle(created);
    });
    living_ += out.size() - 1;
  }

  template <class... Qs>
  [[nodiscard]] auto find_all(entity_type entity) const noexcept {
    const bool found = alive(entity);  // gaia-ecs leaves that check to the caller
    if constexpr (sizeof...(Qs) == 1) {
      return found ? (find_one<Qs>(world_.acc(known(entity))), ...) : nullptr;
    } else {
      if (!found) return std::tuple<Qs*...>{};
      const gaia::ecs::ComponentGetter row = world_.acc(known(entity));
      return std::tuple<Qs*...>{find_one<Qs>(row)...};
    }
  }
  template <class Q>
  [[nodiscard]] Q* find_one(const gaia::ecs::ComponentGetter& row) const noexcept {
    using C = std::remove_const_t<Q>;
    if constexpr (is_tag<C>) {
      return has_column<C>(row) ? std::addressof(detail::tag_instance<C>) : nullptr;
    } else {
      return component_of<Q>(row);
    }
  }

  // ---- loops

  /// If `Changing` is a component, of the chunks in which it has changed.
  template <class Changing, class... Qs, class Fn>
  STOWAGE_INLINE void loop(Fn& fn) {
    const parts::IterationGuard::Scope<> looping(guard_);
    HeldException exception;
    query_of<Changing, Qs...>().each([&](gaia::ecs::Iter& chunk) {
      exception.hold([&] { visit_chunk<Qs...>(chunk, fn, detail::required_of<Qs...>{}); });
    });
    exception.rethrow();
  }

  inline static std::size_t lists_ = 0;
  template <class... Qs>
  inline static const std::size_t number_of_list = lists_++;

  template <class Changing, class... Qs>
  [[nodiscard]] gaia::ecs::Query& query_of() {
    const std::size_t number = number_of_list<Changing, Qs...>;
    if (number >= queries_.size()) queries_.resize(number + 1);
    if (queries_[number] == nullptr) {
      queries_[number] =
          std::make_unique<gaia::ecs::Query>(query_for(detail::required_of<Qs...>{}, detail::absent_of<Qs...>{}));
      if constexpr (!std::is_void_v<Changing>) queries_[number]->changed(id<Changing>());
    }
    return *queries_[number];
  }

  template <class... Required, class... Absent>
  [[nodiscard]] gaia::ecs::Query query_for(TypeList<Required...> required, TypeList<Absent...> absent) {
    return make_query(world_, {id<std::remove_const_t<Required>>()...}, {id<std::remove_const_t<Absent>>()...},
                      required, absent);
  }

  /// Writes are the silent ones if nothing asks for them. What a query has no room for is looked up in the chunk.
  template <class Q>
  [[nodiscard]] auto cursor(gaia::ecs::Iter& chunk, std::size_t number) const {
    const auto term = static_cast<std::uint32_t>(number);
    if constexpr (is_tag<std::remove_const_t<Q>>) {
      return parts::TagCursor<Q>{};
    } else if (number >= gaia::ecs::MAX_ITEMS_IN_QUERY) {
      return component_of<Q>({world_, chunk.chunk(), gaia::ecs::EntityBad, 0});
    } else if constexpr (std::is_const_v<Q>) {
      return reinterpret_cast<Q*>(chunk.view_raw(term).pData);
    } else if constexpr (notes_writes<Q>) {
      return reinterpret_cast<Q*>(chunk.view_raw_mut(term).pData);
    } else {
      return reinterpret_cast<Q*>(chunk.sview_raw_mut(term).pData);
    }
  }
  template <class... Qs, class Fn, class... Required>
  void visit_chunk(gaia::ecs::Iter& chunk, Fn& fn, TypeList<Required...> required) const {
    if constexpr (sizeof...(Required) > gaia::ecs::MAX_ITEMS_IN_QUERY) {
      if (!(chunk.chunk()->has(id<std::remove_const_t<Required>>()) && ...)) return;
    }
    const auto entities = chunk.template view<gaia::ecs::Entity>();
    std::apply(
        [&](const auto&... cursors) {
          parts::visit_rows<false>(
              {0, chunk.size()}, fn, [entities](std::size_t row) { return handle(entities[row]); }, cursors...);
        },
        std::tuple_cat(shown<Qs>(chunk, required)...));
  }
  /// What a loop is shown of a term, if anything. What is optional is looked up in the chunk.
  template <class Q, class Required>
  [[nodiscard]] auto shown(gaia::ecs::Iter& chunk, Required) const {
    using Asked = detail::asked_of<Q>;
    if constexpr (!detail::Term<Q>::is_shown) {
      return std::tuple<>{};
    } else if constexpr (detail::Term<Q>::is_required) {
      return std::tuple(cursor<Asked>(chunk, detail::PositionInList<Asked, Required>::value));
    } else {
      using Cursor = std::conditional_t<is_tag<std::remove_const_t<Asked>>, parts::TagCursor<Asked>, Asked*>;
      return std::tuple(parts::OptionalCursor<Asked*, Cursor>(
          chunk.chunk()->has(id<std::remove_const_t<Asked>>()),
          [&]() -> Cursor { return cursor<Asked>(chunk, gaia::ecs::MAX_ITEMS_IN_QUERY); }));
    }
  }

  /// What a list of components made last, and the number of its archetype, which no other gets.
  struct Model {
    gaia::ecs::Entity last = gaia::ecs::EntityBad;
    gaia::ecs::ArchetypeId archetype = 0;
  };

  gaia::ecs::World world_;
  std::array<gaia::ecs::Entity, SchemaType::component_count> ids_{};
  std::vector<std::unique_ptr<gaia::ecs::Query>> queries_;  // by list of components; they end before the world
  std::vector<Model> models_;                               // by list of components, of single creations
  std::size_t living_ = 0;
  std::size_t ended_ = 0;  // in this frame
  std::uint32_t first_index_ = 0;
  parts::IterationGuard guard_;
};

static_assert(assert_partial_storage<Gaia<ProbeSchema>>());

}  // namespace stowage::peers
