#pragma once

// indirection_map.dynamic: indirection_map whose component types are registered while the program runs.
//
//     pools      [ptr][ptr][ptr] ...        one per type, in the order of add_type()
//     pool       { type: size, alignment, relocate, destroy; map; rows }
//     map        [gen|row][gen| - ] ...     8 bytes per index
//     rows       [ owner owner ... | A A A ... ]     one block; no column for a tag
//
//     find(e, id)      pool = pools[id]; row = pool.map[e.index] ^ e
//                      return row <= last_row ? pool.A + row * size : null
//     find<C>(e)       find(e, ids[C]), where the size is known
//     each<A, B>(fn)   walk the rows of the smaller pool, look the other up: if (other = map[owner]) fn(...)
//     destroy(e)       for (pool : pools) if (e has a row) pool.type.destroy(row), relocate(last row, row)
//
// A group of the schema means nothing: each component has a pool of its own. So a loop over two looks one up, and
// destroying asks every pool.
//
// By: the pools of EnTT, which are made when a type is first used; component types of plugins in Bitsquid (2014).
// Pick it when types come from plugins, scripts or files, and entities gain and lose them often.
// Misses: 2 per component that is looked up: its map and its column.

#include <stowage/contract/component_type.hpp>
#include <stowage/parts/dynamic/rows.hpp>
#include <stowage/parts/index/array.hpp>
#include <stowage/parts/layout/whole_column.hpp>
#include <stowage/parts/packed_semantics.hpp>
#include <stowage/parts/row_number.hpp>
#include <stowage/parts/storage_forms.hpp>

namespace stowage {

template <class SchemaType, class Registry = EntityRegistry<>>
class IndirectionMapDynamic
    : public parts::StorageForms<IndirectionMapDynamic<SchemaType, Registry>, SchemaType, Registry> {
  using Forms = parts::StorageForms<IndirectionMapDynamic, SchemaType, Registry>;
  friend Forms;

  template <class C>
  using Column = parts::WholeColumn<std::remove_const_t<C>>;
  template <class C>
  static constexpr std::size_t position = detail::component_id<C, SchemaType>;

 public:
  using typename Forms::entity_type;
  using block_entities = BlockEntities<Registry>;

  static constexpr SemanticsCard semantics = parts::packed_pool_semantics;
  /// Each pool is found in memory, so copies would be spilled: 9 instructions more for one component.
  static constexpr bool takes_copies = false;

  /// The types of the schema are added first.
  IndirectionMapDynamic() {
    detail::for_each_component<SchemaType>(
        [this]<class C>(TypeList<C>) { ids_[position<C>] = add_type(component_type<C>); });
  }

  // ---- types, and components that are known by their type's number

  /// A type that entities may have from here on. O(1). Throws std::bad_alloc; then nothing has changed.
  TypeId add_type(const ComponentType& type) {
    guard_.assert_no_loop();
    const auto id = static_cast<TypeId>(pools_.size());
    auto added = std::make_unique<Pool>(type);
    if (pools_.size() == pools_.capacity())
      pools_.reserve(parts::grown_capacity(pools_.capacity(), id + std::size_t{1}));
    pools_.push_back(std::move(added));
    return id;
  }
  [[nodiscard]] std::size_t type_count() const noexcept { return pools_.size(); }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] TypeId type_of() const noexcept {
    return ids_[position<C>];
  }

  /// The entity's component of this type; null if it has none or is not alive. Of a tag some address that is not null.
  [[nodiscard]] void* find(entity_type entity, TypeId id) const noexcept {
    const Pool& pool = *pools_[id];
    const parts::RowNumber row = pool.index.template find<0>(entity);
    return row != parts::no_row ? pool.start + row * pool.type.size : nullptr;
  }

  /// A new entity with a component of each of these types, none twice. Components are relocated: the caller's are
  /// ended. Throws std::bad_alloc; then nothing has changed.
  [[nodiscard]] entity_type create(std::span<const TypeId> ids, std::span<void* const> components) {
    guard_.assert_no_loop();
    STOWAGE_ASSERT(components.size() == ids.size(), "there is one component per type");
    for (const TypeId id : ids) make_room(*pools_[id], 1);
    const entity_type entity = registry_.create();
    std::size_t indexed = 0;
    parts::OnFailure undo([&] {
      for (std::size_t i = 0; i < indexed; ++i) pools_[ids[i]]->index.template erase<0>(entity);
      registry_.destroy(entity);
    });
    for (; indexed < ids.size(); ++indexed) index_next(*pools_[ids[indexed]], entity);
    undo.release();
    for (std::size_t i = 0; i < ids.size(); ++i) take(*pools_[ids[i]], entity, components[i]);
    return entity;
  }

  /// Adds the component or replaces the one that the entity has. It is relocated: the caller's is ended. Returns where
  /// it is. Throws DeadEntity, std::bad_alloc; then nothing has changed.
  void* emplace(entity_type entity, TypeId id, void* component) {
    guard_.assert_no_loop();
    if (!registry_.alive(entity)) STOWAGE_THROW(DeadEntity(entity.word()));
    moves_.note();
    Pool& pool = *pools_[id];
    const ComponentType& type = pool.type;
    if (void* const old = find(entity, id); old != nullptr) {
      if (type.destroy != nullptr) type.destroy(old, 1);
      if (type.size != 0) type.relocate(component, old, 1, type.size);
      return old;
    }
    make_room(pool, 1);
    index_next(pool, entity);
    return pool.start + take(pool, entity, component) * type.size;
  }

  /// False, and nothing changes, if the entity has none or is not alive.
  bool remove(entity_type entity, TypeId id) {
    guard_.assert_no_loop();
    return erase_row(*pools_[id], entity);
  }

  /// Calls `fn(owners, columns)` for rows side by side of entities that have all of these types: the index of each
  /// row's owner, and where the first row has each type, in their order. For one type that is all its rows, for several
  /// a row at a time.
  template <class Fn>
  void each_rows(std::span<const TypeId> ids, Fn&& fn) const {
    const parts::IterationGuard::Scope looping(guard_);
    const Pool* rarest = pools_[ids.front()].get();
    for (const TypeId id : ids) {
      if (pools_[id]->rows.size() < rarest->rows.size()) rarest = pools_[id].get();
    }
    const std::size_t rows = rarest->rows.size();
    if (rows == 0) return;
    std::vector<void*> columns(ids.size());
    if (ids.size() == 1) {
      columns[0] = rarest->start;
      return fn(std::span<const EntityIndex>(rarest->rows.owners(), rows), std::span<void* const>(columns));
    }
    for (std::size_t row = 0; row < rows; ++row) {
      const EntityIndex owner = rarest->rows.owners()[row];
      std::size_t found = 0;
      for (; found < ids.size(); ++found) {
        const Pool& pool = *pools_[ids[found]];
        const parts::RowNumber there = pool.reader()(owner);
        if (there == parts::no_row) break;
        columns[found] = pool.start + there * pool.type.size;
      }
      if (found == ids.size()) fn(std::span(&owner, 1), std::span<void* const>(columns));
    }
  }

  // ---- the contract

  using Forms::create;
  using Forms::find;

  /// O(types).
  bool destroy(entity_type entity) {
    guard_.assert_no_loop();
    if (!parts::announce_and_end(registry_, entity)) return false;
    for (const auto& pool : pools_) erase_row(*pool, entity);
    return true;
  }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_loop();
    if (!registry_.alive(entity)) STOWAGE_THROW(DeadEntity(entity.word()));
    Pool& pool = pool_of<C>();
    if (const parts::RowNumber row = pool.index.template find<0>(entity); row != parts::no_row) {
      // made first: the arguments may refer to the old one, and a constructor may throw
      C component = detail::make<C>(std::forward<Arguments>(arguments)...);
      moves_.note();
      C* const old = at<C>(pool, row);
      parts::destroy_component(old);
      parts::construct_component(old, std::move(component));
      return *old;
    }
    moves_.note();
    if constexpr (!detail::knows_no_place<C>) {
      if (!pool.rows.full()) {
        C* const place = next<C>();
        parts::construct_component(place, std::forward<Arguments>(arguments)...);
        parts::OnFailure abandon([&] { parts::destroy_component(place); });
        index_next(pool, entity);
        abandon.release();
        return *at<C>(pool, pool.rows.commit(entity.index()));
      }
    }
    // made before anything moves: the arguments may refer to rows of this storage, and a constructor may throw
    C component = detail::make<C>(std::forward<Arguments>(arguments)...);
    make_room(pool, 1);
    index_next(pool, entity);
    parts::construct_component(next<C>(), std::move(component));
    return *at<C>(pool, pool.rows.commit(entity.index()));
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    return remove(entity, type_of<C>());
  }

  /// A table for each pool.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const parts::IterationGuard::Scope<parts::NoChange> looping(guard_);
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      const parts::DynamicRows& rows = pool_of<C>().rows;
      if (rows.size() == 0) return;
      const TableColumn column(position<C>, block<const C>(pool_of<C>()));
      fn(RowTable{{rows.owners(), rows.size()}, 0, rows.size(), {&column, 1}, true});
    });
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    return pool_of<C>().rows.size();
  }

  /// See contract/moves.hpp: counts every move of a row.
  [[nodiscard]] std::uint64_t moves() const noexcept
    requires counts_moves<SchemaType>
  {
    return moves_.value();
  }

  /// See contract/lines.hpp.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return (0.0 + ... + (Index::template lookup_lines<0>() + Column<Qs>::lookup_lines));
  }

  /// See contract/events.hpp.
  [[nodiscard]] StorageEvents events() const noexcept {
    StorageEvents events = registry_.events();
    for (const auto& pool : pools_) {
      events += pool->index.events();
      events.growths += pool->rows.growths();
    }
    return events;
  }

  /// What pools take beside their rows and maps is index.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = registry_.memory();
    bytes.index_bytes += pools_.capacity() * sizeof(pools_[0]) + pools_.size() * sizeof(Pool);
    bytes.allocations += pools_.size() + (pools_.capacity() != 0 ? 1 : 0);
    for (const auto& pool : pools_) {
      bytes += pool->rows.memory();
      bytes += pool->index.memory({pool->rows.size()});
    }
    return bytes;
  }

 private:
  /// O(types). Types stay.
  void end_rows() noexcept {
    moves_.note();
    for (const auto& pool : pools_) {
      pool->rows.clear();
      pool->index.clear();
    }
  }
  /// As bytes. Only for storages that have the types of the schema and no others.
  void copy_rows(const IndirectionMapDynamic& other) {
    STOWAGE_ASSERT(pools_.size() == ids_.size() && other.pools_.size() == ids_.size(),
                   "only components of the schema are known to be copied as bytes");
    moves_.note();
    for (std::size_t id = 0; id < pools_.size(); ++id) {
      Pool& pool = *pools_[id];
      pool.index.copy_from(other.pools_[id]->index);
      if (pool.rows.copy_from(other.pools_[id]->rows)) pool.note_start();
    }
  }

  using Index = parts::ArrayIndex<entity_type, 1>;

  /// All components of a type.
  struct Pool {
    explicit Pool(const ComponentType& described) : type(described) { rows.add_column(0, described); }

    /// The rows lie elsewhere now. Of a tag it is some address.
    void note_start() noexcept {
      start = type.size != 0 ? rows.columns()[0].start : reinterpret_cast<std::byte*>(rows.owners());
    }
    [[nodiscard]] auto reader() const noexcept { return index.template reader<0>(); }

    std::byte* start = nullptr;  ///< of row 0
    Index index;
    parts::DynamicRows rows;
    ComponentType type;
  };

  template <class C>
  [[nodiscard]] Pool& pool_of() const noexcept {
    return *pools_[type_of<C>()];
  }

  // ---- rows

  template <class Q>
  [[nodiscard]] static Q* at(const Pool& pool, std::size_t row) noexcept {
    return parts::address_of(cursor<Q>(pool), row);
  }
  template <class Q>
  [[nodiscard]] static auto cursor(const Pool& pool) noexcept {
    return Column<Q>::template cursor<Q>(reinterpret_cast<std::remove_const_t<Q>*>(pool.start));
  }
  template <class Q>
  [[nodiscard]] static auto block(const Pool& pool) noexcept {
    return Column<Q>::template block<Q>(reinterpret_cast<std::remove_const_t<Q>*>(pool.start), 0, pool.rows.size());
  }
  /// Where the row after the last has C; null if the pool has no memory yet, some component for a tag.
  template <class C>
  [[nodiscard]] C* next() const noexcept {
    if constexpr (is_tag<C>) {
      return std::addressof(detail::tag_instance<C>);
    } else {
      return reinterpret_cast<C*>(pool_of<C>().start) + pool_of<C>().rows.size();
    }
  }

  void make_room(Pool& pool, std::size_t more) {
    if (!pool.rows.make_room(more)) return;
    moves_.note();
    pool.note_start();
  }
  /// The row after the last is to be the entity's.
  static void index_next(Pool& pool, entity_type entity) {
    pool.index.template insert<0>(entity, static_cast<parts::RowNumber>(pool.rows.size()));
  }
  static void index_next(Pool& pool, const parts::NewEntities<entity_type>& entities) {
    pool.index.template insert<0>(entities, static_cast<parts::RowNumber>(pool.rows.size()));
  }
  static void forget(Pool& pool, const parts::NewEntities<entity_type>& entities) noexcept {
    for (const entity_type entity : entities.handles) pool.index.template erase<0>(entity);
  }
  static void commit_many(Pool& pool, const parts::NewEntities<entity_type>& entities) noexcept {
    for (const entity_type entity : entities.handles) pool.rows.commit(entity.index());
  }
  /// Relocates a component to the row after the last, which the index knows. Returns its number.
  static std::size_t take(Pool& pool, entity_type entity, void* component) noexcept {
    const ComponentType& type = pool.type;
    if (type.size != 0) type.relocate(component, pool.start + pool.rows.size() * type.size, 1, type.size);
    return pool.rows.commit(entity.index());
  }

  /// Ends the entity's row; false when it has none.
  bool erase_row(Pool& pool, entity_type entity) noexcept {
    if (pool.rows.size() == 0) return false;
    const parts::RowNumber row = pool.index.template find<0>(entity);
    if (row == parts::no_row) return false;
    moves_.note();
    pool.index.template erase<0>(entity);
    pool.rows.erase(row, [&](EntityIndex owner, std::size_t to) {
      pool.index.template assign<0>(owner, static_cast<parts::RowNumber>(to));
    });
    return true;
  }

  // ---- creation

  template <class... Cs>
  [[nodiscard]] static TypeList<Cs...> home_for() noexcept {
    return {};
  }
  template <class... Cs>
  [[nodiscard]] bool has_room(TypeList<Cs...>) const noexcept {
    return !(pool_of<Cs>().rows.full() || ...);
  }
  template <class... Cs>
  void make_room(TypeList<Cs...>, [[maybe_unused]] std::size_t more) {
    (make_room(pool_of<Cs>(), more), ...);
  }
  template <class... Cs>
  void place(TypeList<std::remove_cvref_t<Cs>...>, entity_type entity, Cs&&... components) {
    place_rows(entity, std::forward<Cs>(components)...);
  }

  void create_many(std::span<entity_type> out, const ComponentColumns<SchemaType>& columns) {
    columns.for_each_given([&]<class C>(TypeList<C>) { make_room(pool_of<C>(), out.size()); });
    const parts::NewEntities<entity_type> entities = registry_.create(out);
    std::size_t indexed = 0;  // components whose pool knows the new rows
    parts::OnFailure undo([&] {
      columns.for_each_given([&]<class C>(TypeList<C>) {
        if (position<C> < indexed) forget(pool_of<C>(), entities);
      });
      for (const entity_type entity : out) registry_.destroy(entity);
    });
    columns.for_each_given([&]<class C>(TypeList<C>) {
      index_next(pool_of<C>(), entities);
      indexed = position<C> + 1;
    });
    undo.release();
    columns.for_each_given([&]<class C>(TypeList<C>) {
      C* const place = next<C>();
      columns.template take<C>(
          0, out.size(), [&](auto copied) { parts::copy_column<C>(copied, place); },
          [&](std::size_t i, C&& component) { detail::construct<C>(place + i, std::move(component)); });
      commit_many(pool_of<C>(), entities);
    });
  }

  static void place_rows(entity_type) noexcept {}
  /// Constructs the components of an entity that has none of them, all or none.
  template <class C, class... Rest>
  void place_rows(entity_type entity, C&& component, Rest&&... rest) {
    using Component = std::remove_cvref_t<C>;
    Pool& pool = pool_of<Component>();
    Component* const place = next<Component>();
    parts::construct_component(place, std::forward<C>(component));
    parts::OnFailure abandon([&] { parts::destroy_component(place); });
    index_next(pool, entity);
    parts::OnFailure unindex([&] { pool.index.template erase<0>(entity); });
    if constexpr (sizeof...(Rest) > 0) place_rows(entity, std::forward<Rest>(rest)...);
    abandon.release();
    unindex.release();
    pool.rows.commit(entity.index());
  }
  template <class... Cs>
  void reserve_for(std::size_t count, TypeList<Cs...>) {
    registry_.reserve(count);
    const auto reserve_pool = [&](Pool& pool) {
      pool.index.template reserve<0>(count);
      if (!pool.rows.reserve(count)) return;
      moves_.note();
      pool.note_start();
    };
    (reserve_pool(pool_of<Cs>()), ...);
  }

  // ---- lookup and iteration: see StorageForms

  template <class... Qs>
  [[nodiscard]] std::tuple<Qs*...> look_up(entity_type entity) const noexcept {
    const auto found = [&]<class Q>(TypeList<Q>) -> Q* {
      const Pool& pool = pool_of<Q>();
      const parts::RowNumber row = pool.index.template find<0>(entity);
      return row != parts::no_row ? at<Q>(pool, row) : nullptr;
    };
    return {found(TypeList<Qs>{})...};
  }

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_rows(Slice& slice, Fn& fn) const {
    const parts::IterationGuard::Scope<Slice> looping(guard_);
    if constexpr (sizeof...(Qs) == 1 && (std::is_same_v<Qs, detail::asked_of<Qs>> && ...)) {
      loop_pool<Qs...>(slice, fn);
    } else {
      join<Qs...>(slice, [&](EntityIndex owner, auto... found) {
        parts::call_with_found<Qs...>(fn, [&] { return parts::owner_for<Fn>(registry_, owner); }, found...);
      });
    }
  }
  template <class Q, class Slice, class Fn>
  void loop_pool(Slice& slice, Fn& fn) const {
    const Pool& pool = pool_of<Q>();
    const auto entity_of = [this, owners = pool.rows.owners()](std::size_t row) {
      return parts::owner_for<Fn>(registry_, owners[row]);
    };
    parts::visit_rows<false>(slice.take(pool.rows.size()), fn, entity_of, cursor<Q>(pool));
  }

  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    const parts::IterationGuard::Scope looping(guard_);
    if constexpr (sizeof...(Qs) == 1) {
      const parts::DynamicRows& rows = pool_of<Qs...>().rows;
      if (rows.size() == 0) return;
      parts::call_plainly(
          fn, [&] { return block_entities::of(registry_, rows.owners(), rows.size()); }, block<Qs>(pool_of<Qs>())...);
    } else {
      parts::WholeLoop all;
      join<Qs...>(all, [&](EntityIndex owner, auto... found) {
        parts::call_plainly(
            fn, [&] { return block_entities::of(registry_, &owner, 1); },
            Column<Qs>::template block_of_one<Qs>(found)...);
      });
    }
  }

  /// Finds a component by the index of its living owner.
  template <class Q>
  struct Finder {
    explicit Finder(const Pool& pool) noexcept : row_of(pool.reader()), rows(cursor<Q>(pool)) {}
    [[nodiscard]] Q* operator()(EntityIndex owner) const noexcept {
      const parts::RowNumber row = row_of(owner);
      return row != parts::no_row ? parts::address_of(rows, row) : nullptr;
    }
    typename Index::Reader row_of;
    decltype(cursor<Q>(std::declval<const Pool&>())) rows;
  };

  /// Calls `visit(owner, found...)` for entities that all terms admit: along the rows of the rarest component that is
  /// asked for.
  template <class... Qs, class Slice, class Visit>
  STOWAGE_INLINE void join(Slice& slice, Visit&& visit) const {
    const std::array sizes{detail::Term<Qs>::is_required ? pool_of<detail::component_of<Qs>>().rows.size()
                                                         : std::size_t{parts::no_row}...};
    std::size_t rarest = 0;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
      if (sizes[i] < sizes[rarest]) rarest = i;
    }
    const parts::RowRange rows = slice.take(sizes[rarest]);
    if (rows.empty()) return;
    const std::tuple finders(Finder<detail::asked_of<Qs>>(pool_of<detail::component_of<Qs>>())...);
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      static_cast<void>(((rarest == Is && (drive<Is, Qs...>(rows, finders, visit), true)) || ...));
    }(std::index_sequence_for<Qs...>{});
  }
  template <std::size_t Driver, class... Qs, class Finders, class Visit>
  void drive(parts::RowRange rows, const Finders& finders, Visit& visit) const {
    using Q = std::tuple_element_t<Driver, std::tuple<Qs...>>;
    if constexpr (detail::Term<Q>::is_required) {
      const EntityIndex* const owners = pool_of<detail::component_of<Q>>().rows.owners();
      [&]<std::size_t... Is>(std::index_sequence<Is...>) {
        parts::join_rows<Qs...>(rows, owners, visit, resolver < Is == Driver > (std::get<Is>(finders))...);
      }(std::index_sequence_for<Qs...>{});
    }
  }
  template <bool IsOfDriver, class Finder>
  [[nodiscard]] static auto resolver(const Finder& finder) noexcept {
    if constexpr (IsOfDriver) {
      return [rows = finder.rows](std::size_t row, EntityIndex) { return parts::address_of(rows, row); };
    } else {
      return parts::ByLookup{[finder](std::size_t, EntityIndex owner) { return finder(owner); }};
    }
  }

  std::array<TypeId, SchemaType::component_count> ids_{};  // of the components of the schema
  Registry registry_;
  std::vector<std::unique_ptr<Pool>> pools_;  // by type
  STOWAGE_NO_UNIQUE_ADDRESS parts::MoveCounter<counts_moves<SchemaType>> moves_;
  parts::IterationGuard guard_;
};

static_assert(assert_storage<IndirectionMapDynamic<ProbeSchema>>());

}  // namespace stowage
