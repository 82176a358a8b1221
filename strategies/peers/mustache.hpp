#pragma once

// mustache: archetypes in arrays, as the documentation of mustache recommends them.
//
//     location   [archetype|row] [archetype|row] ...            by entity id, with the version
//                     |
//                     v
//     archetype  [id ] [id ] [id ] ...                          one for each component set
//                [ A ] [ A ] [ A ] ...                          blocks of 16,384 rows, a column per component
//                [ B ] [ B ] [ B ] ...
//
// By: kirillochnev/mustache, 0.2 up to its commit 9d9eab3. Later ones have another storage, which loses what was
// written to a component: if the array of an archetype has begun to move to a larger one, and entities go and others
// come, it takes rows that have moved for such that have not. Pick it for what is around it: jobs on several threads,
// systems, versions that say which components have changed.
// Idiom: forEach() with a function of the components, in the calling thread; with filters a loop of the adapter over
// the archetypes whose masks they admit, because only a job can leave some out (Without), and it makes a list of its
// rows first;
// an entity is made in its archetype, which is looked up once for each list of components, and its components are
// written there; lookups ask for the entity's location once, and its archetype for each component; destroyNow(), and no
// destruction that waits for update(). Where a component marked Changed may be written, its block of 1,024 rows gets
// the version of the world; a loop over what has changed skips blocks that are not newer than its last run, as a job
// with checkMask() does. Nothing waits for the end of a loop but in defer(). Component types are wrapped, because
// mustache makes and moves them with braces, and calls functions of theirs that have certain names. Handles: entities
// by their own bits, index in the lower 30, the number of the world and the version above. Null is all ones. The number
// of every world is 0, because mustache has 1,024 of them in a process.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <mustache/ecs/ecs.hpp>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/component.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/query.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/semantics.hpp>
#include <stowage/parts/iteration_guard.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop.hpp>
#include <stowage/parts/on_failure.hpp>

namespace stowage::peers {

/// A component as mustache knows it. One that has a constructor has none here, so that a new row is uninitialised until
/// the adapter writes it.
template <class C>
struct MustacheCell {
  C component;
};
template <class C>
  requires(!std::is_trivially_default_constructible_v<C> || !std::is_trivially_copyable_v<C>)
struct MustacheCell<C> {
  MustacheCell(MustacheCell&& other) noexcept : component(std::move(other.component)) {}
  MustacheCell& operator=(MustacheCell&& other) noexcept {
    std::destroy_at(std::addressof(component));
    ::new (static_cast<void*>(std::addressof(component))) C(std::move(other.component));
    return *this;
  }
  ~MustacheCell() = default;

  C component;
};

template <class SchemaType>
class Mustache {
  template <class Q>
  using CellOf = std::conditional_t<std::is_const_v<Q>, const MustacheCell<std::remove_const_t<Q>>, MustacheCell<Q>>;
  static constexpr auto unsafe = mustache::FunctionSafety::kUnsafe;  // for what is known to exist

 public:
  using schema_type = SchemaType;
  using entity_type = BasicEntity<std::uint64_t, 30, 32>;
  template <class C>
  using reference = C&;
  template <class C>
  using pointer = C*;

  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert =
          not_promised("an entity that gains components leaves a hole, which the last row of its archetype fills"),
      .pointer_stability_on_erase = not_promised("the last row of an archetype moves into the hole"),
      .create_while_iterating = not_promised("what a loop changes is put off until its end"),
      .destroy_current_while_iterating = not_promised("what a loop changes is put off until its end"),
      .destroy_others_while_iterating = not_promised("what a loop changes is put off until its end"),
      .change_components_while_iterating = not_promised("what a loop changes is put off until its end"),
      .parallel_rows = not_promised("threads share a job by mustache's own dispatcher"),
  };
  static constexpr std::size_t most_component_types = 128;  ///< bits of its ComponentIdMask
  /// What a component set takes at least: the ids of a block of rows.
  static constexpr std::size_t least_bytes_per_set = std::size_t{16'384} * sizeof(Entity);
  static constexpr std::array lacking{
      Lack{Capability::const_iteration, "a loop locks the world, and marks what it may write as changed"},
      Lack{Capability::block_iteration,
           "archetypes have columns, but their entities are not mapped to blocks of the contract"},
      Lack{Capability::table_exchange, "it has no saving and loading"},
      Lack{Capability::reservation, "blocks come as they are needed"},
      Lack{Capability::memory_accounting, "it takes memory from malloc through a class that cannot be replaced"},
      Lack{Capability::strong_guarantee, "an entity whose component throws stays in its archetype"},
      Lack{Capability::over_alignment, "blocks are aligned for the first of their components"},
  };

  Mustache() {
    detail::for_each_component<SchemaType>([this]<class C>(TypeList<C>) {
      id<C>() = mustache::ComponentFactory::instance().registerComponent<MustacheCell<C>>();
    });
  }
  Mustache(const Mustache&) = delete;
  Mustache& operator=(const Mustache&) = delete;

  [[nodiscard]] entity_type create() {
    guard_.assert_no_loop();
    ++living_;
    return handle(entities_.create(*place_of<>().archetype));
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, std::remove_cvref_t<Cs>...>)
  entity_type create(Cs&&... components) {
    guard_.assert_no_loop();
    return create_at(place_of<std::remove_cvref_t<Cs>...>(), std::forward<Cs>(components)...);
  }
  /// One by one: mustache has no other way.
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void create(std::span<entity_type> out, std::span<const Cs>... columns) {
    STOWAGE_ASSERT(((columns.size() == out.size()) && ...), "every column has one component per new entity");
    guard_.assert_no_loop();
    const Place<sizeof...(Cs)>& place = place_of<Cs...>();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = create_at(place, columns[i]...);
  }

  bool destroy(entity_type entity) {
    guard_.assert_no_loop();
    if (!alive(entity)) return false;
    entities_.template destroyNow<unsafe>(known(entity));
    --living_;
    return true;
  }
  [[nodiscard]] bool alive(entity_type entity) const noexcept { return entities_.isEntityValid(known(entity)); }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_loop();
    if (!alive(entity)) throw DeadEntity(entity.word());
    C made = detail::make<C>(std::forward<Arguments>(arguments)...);
    C* place = find_all<C>(entity);
    if (place != nullptr) {
      std::destroy_at(place);
    } else {
      place = static_cast<C*>(entities_.assignWithoutInit(known(entity), id<C>()));
    }
    return *::new (static_cast<void*>(place)) C(std::move(made));
  }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_loop();
    if (!contains<C>(entity)) return false;
    entities_.removeComponent(known(entity), id<C>());
    return true;
  }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] bool contains(entity_type entity) const noexcept {
    return entities_.hasComponent(known(entity), id<C>());
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
    const parts::IterationGuard::Scope<> looping(guard_);
    if constexpr (detail::has_filters<Qs...> || (notes_writes<Qs> || ...)) {
      visit<void, Qs...>(fn, {});
    } else {
      parts::OnFailure unlock([this] { entities_.unlock(); });  // which forEach() does only at its end
      if constexpr (std::is_invocable_v<Fn&, Qs&...>) {
        entities_.forEach([&fn](CellOf<Qs>&... cells) {
          if constexpr (parts::wants_scalar_loop<std::remove_cvref_t<Fn>>) parts::keep_scalar();
          fn(cells.component...);
        });
      } else {
        entities_.forEach(
            [&fn](const mustache::Entity& entity, CellOf<Qs>&... cells) { fn(handle(entity), cells.component...); });
      }
      unlock.release();
    }
  }
  /// What each<C, Qs...> visits, of the blocks of 1,024 rows in which a C was written, or that rows came to or left,
  /// since this loop ran last: see workloads/support/changes.hpp. The version goes up first, as for a job of mustache,
  /// so that what is written from now on is newer than what was seen.
  template <class C, class... Qs, class Fn>
    requires(QueryOf<SchemaType, C, Qs...> && std::is_const_v<C> && detail::is_recorded<C, SchemaType>)
  STOWAGE_INLINE void each_changed(Fn&& fn) {
    const parts::IterationGuard::Scope<> looping(guard_);
    const std::size_t number = number_of_list<C, Qs...>;
    if (number >= seen_.size()) seen_.resize(number + 1);
    const mustache::WorldVersion now = world_.version();
    world_.incrementVersion();
    visit<C, C, Qs...>(fn, seen_[number]);
    seen_[number] = now;
  }

  /// Changes of components while a loop runs: mustache's own, noted while the world is locked, and summed up for each
  /// entity. No component that the entity may have and that is marked Changed, because no version is noted of those.
  class Deferred {
   public:
    explicit Deferred(Mustache& storage) noexcept : storage_(storage) {}
    /// By bytes, because mustache's memory for what waits is not aligned.
    template <class C, class... Arguments>
      requires(std::is_trivially_copyable_v<C> && !detail::is_recorded<C, SchemaType>)
    void emplace(entity_type entity, Arguments&&... arguments) {
      const C made{std::forward<Arguments>(arguments)...};
      std::memcpy(storage_.entities_.assignWithoutInit(known(entity), storage_.template id<C>()), &made, sizeof(C));
    }
    template <class C>
    void remove(entity_type entity) {
      storage_.entities_.removeComponent(known(entity), storage_.template id<C>());
    }

   private:
    Mustache& storage_;
  };
  /// Calls `fn(Deferred&)`, and makes the changes when it has returned.
  template <class Fn>
  void defer(Fn&& fn) {
    Deferred deferred(*this);
    entities_.lock();
    fn(deferred);
    entities_.unlock();
  }

  /// O(archetypes).
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t rows = 0;
    entities_.forEachArchetype([&](const mustache::Archetype& archetype) {
      if (archetype.hasComponent(id<C>())) rows += archetype.size();
    });
    return rows;
  }
  [[nodiscard]] std::size_t size() const noexcept { return living_; }
  /// By archetype, because clear() of mustache begins anew with versions. Blocks stay.
  void clear() {
    guard_.assert_no_loop();
    entities_.forEachArchetype([&](mustache::Archetype& archetype) { entities_.clearArchetype(archetype); });
    living_ = 0;
  }

 private:
  /// The archetype of one list of components, and their columns in the order of the list.
  template <std::size_t Count>
  struct Place {
    mustache::Archetype* archetype = nullptr;
    std::array<mustache::ComponentIndex, Count> columns{};
  };

  [[nodiscard]] static mustache::Entity known(entity_type entity) noexcept {
    return mustache::Entity::makeFromValue(entity.word());
  }
  [[nodiscard]] static entity_type handle(mustache::Entity entity) noexcept {
    return entity_type::from_word(entity.value);
  }
  template <class C>
  [[nodiscard]] mustache::ComponentId& id() noexcept {
    return ids_[detail::component_id<C, SchemaType>];
  }
  template <class C>
  [[nodiscard]] mustache::ComponentId id() const noexcept {
    return ids_[detail::component_id<C, SchemaType>];
  }

  inline static std::size_t lists_ = 0;
  template <class... Cs>
  inline static const std::size_t number_of_list = lists_++;

  template <class... Cs>
  [[nodiscard]] const Place<sizeof...(Cs)>& place_of() {
    const std::size_t number = number_of_list<Cs...>;
    if (number >= places_.size()) places_.resize(number + 1);
    if (places_[number] == nullptr) {
      auto place = std::make_shared<Place<sizeof...(Cs)>>();
      place->archetype = &entities_.template getArchetype<MustacheCell<Cs>...>();
      place->columns = {place->archetype->getComponentIndex(id<Cs>())...};
      places_[number] = std::move(place);
    }
    return *static_cast<const Place<sizeof...(Cs)>*>(places_[number].get());
  }

  template <class... Cs>
  entity_type create_at(const Place<sizeof...(Cs)>& place, Cs&&... components) {
    const mustache::Entity created = entities_.create(*place.archetype);
    const auto row = mustache::ArchetypeEntityIndex::make(place.archetype->size() - 1);  // its last
    std::size_t number = 0;
    const auto put = [&]<class C>(C&& component) {
      void* const cell = place.archetype->template getData<unsafe>(place.columns[number++], row);
      ::new (cell) std::remove_cvref_t<C>(std::forward<C>(component));
    };
    (put(std::forward<Cs>(components)), ...);
    ++living_;
    return handle(created);
  }

  template <class... Qs>
  [[nodiscard]] auto find_all(entity_type entity) const noexcept {
    const mustache::EntityLocationInWorld location = entities_.entityLocation(known(entity));
    if constexpr (sizeof...(Qs) == 1) {
      return (find_one<Qs>(location), ...);
    } else {
      return std::tuple<Qs*...>{find_one<Qs>(location)...};
    }
  }
  template <class Q>
  [[nodiscard]] Q* find_one(const mustache::EntityLocationInWorld& location) const noexcept {
    return location.archetype != nullptr ? component_of<Q>(*location.archetype, location.index) : nullptr;
  }
  template <class Q>
  static constexpr bool notes_writes =
      !detail::reads_only<Q> && detail::is_recorded<detail::component_of<Q>, SchemaType>;
  template <class Q>
  [[nodiscard]] Q* component_of(mustache::Archetype& archetype, mustache::ArchetypeEntityIndex row) const noexcept {
    const mustache::ComponentIndex column = archetype.getComponentIndex(id<std::remove_const_t<Q>>());
    if (!column.isValid()) return nullptr;
    if constexpr (notes_writes<Q>) {
      return static_cast<Q*>(archetype.template getComponent<unsafe>(column, row, world_.version()));
    } else {
      return static_cast<Q*>(archetype.template getData<unsafe>(column, row));
    }
  }

  // ---- loops

  template <class... Qs>
  [[nodiscard]] mustache::ComponentIdMask mask_of(TypeList<Qs...>) const noexcept {
    return mustache::ComponentIdMask{id<std::remove_const_t<Qs>>()...};
  }
  /// What forEach() does, of the archetypes that the filters admit; if `Changing` is a component, of the blocks in
  /// which it has changed since `seen`. Every block that may be written gets the version: forEach() leaves out the last
  /// one if it is not full. Not by forEachArchetype(), which is noexcept.
  template <class Changing, class... Qs, class Fn>
  STOWAGE_INLINE void visit(Fn& fn, [[maybe_unused]] mustache::WorldVersion seen) {
    constexpr bool asks_for_changes = !std::is_void_v<Changing>;
    static_assert(detail::assert_query<Qs...>());
    const mustache::ComponentIdMask required = mask_of(detail::required_of<Qs...>{});
    const mustache::ComponentIdMask absent = mask_of(detail::absent_of<Qs...>{});
    const auto visit_archetype = [&](mustache::Archetype& archetype) {
      const mustache::ComponentIdMask& mask = archetype.componentMask();
      if (!mask.isMatch(required) || !mask.intersection(absent).isEmpty()) return;
      std::uint32_t rows = 0;
      for (std::uint32_t first = 0; first < archetype.size(); first += rows) {
        const auto row = mustache::ArchetypeEntityIndex::make(first);
        rows = archetype.distToChunkEnd(row);
        if constexpr (asks_for_changes || (notes_writes<Qs> || ...)) {
          const std::uint32_t block = archetype.chunkCapacity().toInt();
          rows = std::min(rows, block - first % block);
        }
        if constexpr (asks_for_changes) {
          const mustache::WorldVersion written =
              archetype.getComponentVersion(row, id<std::remove_const_t<Changing>>());
          if (!seen.isNull() && written <= seen) continue;
        }
        const mustache::Entity* const entities = archetype.template entityAt<unsafe>(row);
        std::apply(
            [&](const auto&... cursors) {
              parts::visit_rows<false>(
                  {0, rows}, fn, [entities](std::size_t i) { return handle(entities[i]); }, cursors...);
            },
            std::tuple_cat(shown<Qs>(archetype, row)...));
      }
    };
    for (std::size_t number = 0; number < entities_.getArchetypesCount(); ++number) {
      visit_archetype(entities_.template getArchetype<unsafe>(mustache::ArchetypeIndex::make(number)));
    }
  }
  /// What a loop is shown of a term, if anything.
  template <class Q>
  [[nodiscard]] auto shown(mustache::Archetype& archetype, mustache::ArchetypeEntityIndex row) const {
    using Asked = detail::asked_of<Q>;
    if constexpr (!detail::Term<Q>::is_shown) {
      return std::tuple<>{};
    } else if constexpr (detail::Term<Q>::is_required) {
      return std::tuple(component_of<Asked>(archetype, row));
    } else {
      Asked* const found = component_of<Asked>(archetype, row);
      return std::tuple(parts::OptionalCursor<Asked*, Asked*>(found != nullptr, [found] { return found; }));
    }
  }

  mustache::World world_{mustache::WorldId::make(0)};
  mustache::EntityManager& entities_ = world_.entities();
  std::array<mustache::ComponentId, SchemaType::component_count> ids_{};
  std::vector<std::shared_ptr<const void>> places_;  // by list of components
  std::vector<mustache::WorldVersion> seen_;         // by list of components, by each_changed()
  std::size_t living_ = 0;
  parts::IterationGuard guard_;
};

static_assert(assert_partial_storage<Mustache<ProbeSchema>>());

}  // namespace stowage::peers
