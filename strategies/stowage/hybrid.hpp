#pragma once

// hybrid: components marked Sparse<> lie in packed pools of their own, all others in archetype sections.
//
//     Schema<Group<Position, Velocity>, Mass, Sparse<Burning>>
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \_____________________
//     sections   { size, mask, column of Position, - , ..., set } ...     one per set of components that are not sparse
//     data       [ owner owner ... | Position Position ... | Velocity Velocity ... ]
//
//     map        [gen|row][gen| - ][gen|row] ...                8 bytes per index, per sparse component
//                      \__________________
//     pool       [ owner owner ... | Burning Burning ... ]      packed
//
//     find<Position>(e)          as in archetype_sections
//     find<Burning>(e)           as in indirection_map; of both, one after the other
//     each<Position>(fn)         the loop of archetype_sections, whatever sparse components there are
//     each<Position, Without<Burning>>(fn)
//                                the same loop, with a look at map[owner[row]] for each row
//     each<Position, Burning>(fn)
//                                for (row = 0; row < pool.size; ++row)      // the smallest pool that is asked for
//                                    (section, at) = registry[pool.owner[row]]
//                                    if (section.Position) fn(section.Position[at], pool.Burning[row])
//     create(a, s)               e = create(a) in its section; a row of the pool for s; map[e.index] = (gen, row)
//     destroy(e)                 as in archetype_sections; then for each pool that has rows: if map[e.index] is of e,
//                                the last row moves into the hole
//     emplace<Burning>(e, s)     map[e.index] = (gen, pool.size++). The other components of e stay where they are
//     remove<Burning>(e)         the last row of the pool moves into the hole
//
// The code: a SectionStorage (parts/section_storage.hpp) with the registry and all that is not sparse, and beside it a
// PoolStorage (parts/pool_storage.hpp) with what is. A loop that needs both walks one and looks the rest up in the
// other.
//
// By: Bevy, whose components have StorageType::Table or StorageType::SparseSet; flecs' DontFragment. In Bevy a sparse
//      component is a part of the archetype all the same, so that adding it changes that, but moves no other component.
//      Here, as in flecs, the sets do not know of it.
// Pick it when most components are read together and stay, and a few are added and removed all the time, or are on so
// few entities that each would split the sets. A loop that needs a sparse component pays a lookup for each row. Without
// a mark it is archetype_sections.
// Misses per lookup of k components in random order, all caches cold: 1.125 + k if none of them is sparse, as in
// archetype_sections; 2 for each that is sparse (map and component).

#include <stowage/parts/index/array.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/whole_column.hpp>
#include <stowage/parts/pool_storage.hpp>
#include <stowage/parts/section_storage.hpp>
#include <stowage/parts/sections/form.hpp>

namespace stowage {

namespace parts {

/// The columns of sections in which no sparse component ever is.
template <class SchemaType>
struct TableColumnsOnly : SectionColumns<SchemaType> {
  template <class C>
  [[nodiscard]] static bool has(const typename SectionColumns<SchemaType>::Places& places) noexcept {
    if constexpr (stowage::detail::is_sparse<C, SchemaType>) {
      return false;
    } else {
      return SectionColumns<SchemaType>::template has<C>(places);
    }
  }
};
struct TableForm : GrowingForm {
  template <class SchemaType>
  using layout = TableColumnsOnly<SchemaType>;
};

/// What pools see of a registry that is not theirs: which entities are alive.
template <class Registry>
class LivesElsewhere {
 public:
  using entity_type = typename Registry::entity_type;

  explicit LivesElsewhere(const Registry& registry) noexcept : registry_(&registry) {}

  [[nodiscard]] bool alive(entity_type entity) const noexcept { return registry_->alive(entity); }
  [[nodiscard]] entity_type entity_at(EntityIndex index) const noexcept { return registry_->entity_at(index); }
  void reserve(std::size_t) const noexcept {}
  void clear() const noexcept {}
  void copy_from(const LivesElsewhere&) const noexcept {}
  [[nodiscard]] MemoryBreakdown memory() const noexcept { return {}; }
  [[nodiscard]] StorageEvents events() const noexcept { return {}; }

 private:
  const Registry* registry_;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
class Hybrid : public parts::StorageForms<Hybrid<SchemaType, Registry>, SchemaType, Registry> {
  using Forms = parts::StorageForms<Hybrid, SchemaType, Registry>;
  friend Forms;

  template <class C>
  static constexpr bool is_sparse = detail::is_sparse<C, SchemaType>;
  template <class C>
  static constexpr std::size_t id = detail::component_id<C, SchemaType>;
  /// Components, or terms of a loop, that are about the sections and about the pools.
  template <class... Qs>
  using InTable = detail::concatenated<detail::TypeListIf<!is_sparse<detail::component_of<Qs>>, Qs>...>;
  template <class... Qs>
  using InPools = detail::concatenated<detail::TypeListIf<is_sparse<detail::component_of<Qs>>, Qs>...>;

  using TableStorage = parts::SectionStorage<SchemaType, Registry, parts::TableForm>;
  class Table : public TableStorage {
    friend Hybrid;
    using Lives = parts::LivesElsewhere<typename TableStorage::located_registry>;
  };

  using Places = typename parts::WithoutGroups<typename SchemaType::sparse>::type;
  static constexpr std::size_t pool_count = Places::pool_count;
  template <class C>
  static constexpr std::size_t pool_of = Places::template single_pool<C>;
  using PoolsStorage =
      parts::PoolStorage<SchemaType, typename Table::Lives, parts::ArrayIndexPolicy, parts::ColumnsLayout, Places>;
  class Pools : public PoolsStorage {
    friend Hybrid;
    explicit Pools(const typename Table::Lives& lives) : PoolsStorage(lives) {}
  };

 public:
  using typename Forms::entity_type;
  using block_entities = typename Table::block_entities;

  static constexpr std::size_t row_limit = (std::min)(Table::row_limit, Pools::row_limit);
  /// See ComponentColumns::check_copies().
  static constexpr bool copies_columns_first = true;

  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert = not_promised("a section, and a pool, moves when it grows"),
      .pointer_stability_on_erase = not_promised("the last row of the section, and of the pool, moves into the hole"),
      .create_while_iterating = not_promised("sections, pools, and the list of sections change under the loop"),
      .destroy_current_while_iterating = not_promised("the last row would move into the current one and be skipped"),
      .destroy_others_while_iterating = not_promised("rows would move under the loop"),
      .change_components_while_iterating = not_promised("rows of the section, or of the pool, would move"),
  };

  [[nodiscard]] bool alive(entity_type entity) const noexcept { return table_.alive(entity); }
  [[nodiscard]] entity_type entity_at(EntityIndex index) const noexcept { return table_.entity_at(index); }
  [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }
  template <class Listener>
    requires Notifying<Registry>
  void on_destroy(Listener& listener) {
    table_.on_destroy(listener);
  }

  bool destroy(entity_type entity) {
    guard_.assert_no_loop();
    if (!table_.destroy(entity)) return false;
    if constexpr (pool_count != 0) pools_.erase_rows(entity, parts::no_row, std::make_index_sequence<pool_count>{});
    return true;
  }

  /// A list of entities, and lists in which they gain or lose a component that is not sparse: see SectionStorage.
  std::size_t destroy(std::span<const entity_type> entities) {
    guard_.assert_no_loop();
    const std::size_t destroyed = table_.destroy(entities);
    if constexpr (pool_count != 0) {
      for (const entity_type entity : entities)
        pools_.erase_rows(entity, parts::no_row, std::make_index_sequence<pool_count>{});
    }
    return destroyed;
  }
  template <class C>
    requires(ComponentsOf<SchemaType, C> && !is_sparse<C>)
  std::size_t emplace(std::span<const entity_type> entities, std::span<const C> components) {
    guard_.assert_no_loop();
    return table_.template emplace<C>(entities, components);
  }
  template <class C>
    requires(ComponentsOf<SchemaType, C> && !is_sparse<C>)
  std::size_t remove(std::span<const entity_type> entities) {
    guard_.assert_no_loop();
    return table_.template remove<C>(entities);
  }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_loop();
    return home_of<C>(*this).template emplace<C>(entity, std::forward<Arguments>(arguments)...);
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_loop();
    return home_of<C>(*this).template remove<C>(entity);
  }

  /// Makes all changes of an entity with at most one move of its row in the sections. False, and nothing changes, if it
  /// is not alive. Throws std::bad_alloc, PlaceExhausted, RowsExhausted; then nothing has changed. Invalidates what
  /// emplace() and remove() do.
  bool change(entity_type entity, const ComponentChanges<SchemaType>& changes) {
    guard_.assert_no_loop();
    if constexpr (pool_count == 0) return table_.change(entity, changes);
    if (!alive(entity)) return false;
    ComponentChanges<SchemaType> of_table = changes;
    typename ComponentChanges<SchemaType>::Mask gained;
    parts::OnFailure undo([&] { forget_rows(entity, gained); });
    for_each_sparse([&]<class C>(TypeList<C>) {
      of_table.leave_out(id<C>);
      if (!changes.added().has(id<C>) || pools_.template contains<C>(entity)) return;
      pools_.template add_row<pool_of<C>>(entity);
      gained = gained.with(id<C>);
    });
    table_.change(entity, of_table);
    undo.release();
    for_each_sparse([&]<class C>(TypeList<C>) {
      if (gained.has(id<C>)) {
        pools_.fill_row(entity, std::move(*changes.template value<C>()));
      } else if (changes.added().has(id<C>)) {
        pools_.template emplace<C>(entity, std::move(*changes.template value<C>()));
      } else if (changes.removed().has(id<C>)) {
        pools_.template remove<C>(entity);
      }
    });
    return true;
  }

  /// A table for each section, and one for each pool.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const parts::IterationGuard::Scope<parts::NoChange> looping(guard_);
    table_.each_table(fn);
    pools_.each_table(fn);
  }

  /// O(sets) if C is not sparse.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    return home_of<C>(*this).template count<C>();
  }

  /// Trivially destructible components are not visited.
  void clear() {
    guard_.assert_no_loop();
    table_.clear();  // first: its listeners see entities that have everything
    pools_.clear();
  }

  /// See StorageForms.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  void clear() {
    guard_.assert_no_loop();
    home_of<C>(*this).template clear<C>();
  }

  void copy_from(const Hybrid& other)
    requires CopyableStorage<TableStorage>
  {
    guard_.assert_no_loop();
    parts::OnFailure empty([this] { clear(); });
    pools_.copy_from(other.pools_);
    table_.copy_from(other.table_);
    empty.release();
  }

  /// See contract/moves.hpp.
  [[nodiscard]] std::uint64_t moves() const noexcept
    requires counts_moves<SchemaType>
  {
    return table_.moves() + pools_.moves();
  }

  /// Puts the rows of Cs in the order of `order`: see the parts. Throws std::bad_alloc; then nothing has changed.
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void order_rows(std::span<const entity_type> order) {
    guard_.assert_no_loop();
    if constexpr (InTable<Cs...>::size != 0) table_.template order_rows<Cs...>(order);
    if constexpr (InPools<Cs...>::size != 0) pools_.template order_rows<Cs...>(order);
  }

  /// See contract/lines.hpp.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    const double of_pools = [&]<class... Ss>(TypeList<Ss...>) {
      return (0.0 + ... + Pools::template lookup_lines<Ss>());
    }(InPools<Qs...>{});
    return [&]<class... Ts>(TypeList<Ts...>) {
      if constexpr (sizeof...(Ts) == 0) return of_pools;
      return of_pools + Table::template lookup_lines<Ts...>();
    }(InTable<Qs...>{});
  }

  [[nodiscard]] StorageEvents events() const noexcept { return table_.events() + pools_.events(); }
  [[nodiscard]] MemoryBreakdown memory() const noexcept { return table_.memory() + pools_.memory(); }

 private:
  template <class... Cs>
  entity_type create_one(Cs&&... components) {
    return create_with(InTable<std::remove_cvref_t<Cs>...>{}, InPools<std::remove_cvref_t<Cs>...>{},
                       std::forward<Cs>(components)...);
  }

  void create_many(std::span<entity_type> out, const ComponentColumns<SchemaType>& columns) {
    ComponentColumns<SchemaType> of_table = columns;
    const auto for_each_given = [&](auto&& visit) {
      for_each_sparse([&]<class C>(TypeList<C> component) {
        if (columns.template has<C>()) visit(component);
      });
    };
    for_each_given([&]<class C>(TypeList<C>) {
      of_table.template leave_out<C>();
      pools_.template make_room<pool_of<C>>(out.size());
      pool<C>().copy_many(columns);  // to where no row is yet, and before the sections check all that was copied
    });
    table_.create(out, of_table);
    parts::OnFailure undo([&] {
      for (const entity_type entity : out) table_.take_back(entity);
    });
    bool consecutive = true;
    for (std::size_t i = 1; i < out.size(); ++i) consecutive &= out[i].index() == out[i - 1].index() + 1;
    const parts::NewEntities<entity_type> entities{out, consecutive};
    typename ComponentChanges<SchemaType>::Mask indexed;
    parts::OnFailure forget([&] {
      for (const entity_type entity : out) forget_rows(entity, indexed);
    });
    for_each_given([&]<class C>(TypeList<C>) {
      pools_.row_index().template insert<pool_of<C>>(entities, static_cast<parts::RowNumber>(pool<C>().size()));
      indexed = indexed.with(id<C>);
    });
    forget.release();
    undo.release();
    for_each_given([&]<class C>(TypeList<C>) {
      pool<C>().move_many(columns);
      pools_.template commit<pool_of<C>>(entities);
    });
  }

  /// The half that has the C of every entity. `Self` may be const.
  template <class C, class Self>
  [[nodiscard]] static auto& home_of(Self& self) noexcept {
    if constexpr (is_sparse<C>) {
      return self.pools_;
    } else {
      return self.table_;
    }
  }

  template <class Function>
  static void for_each_sparse(Function&& function) {
    [&]<class... Cs>(TypeList<Cs...>) { (function(TypeList<Cs>{}), ...); }(typename SchemaType::sparse{});
  }

  template <class C>
  [[nodiscard]] auto& pool() noexcept {
    return pools_.template pool<pool_of<C>>();
  }
  /// The maps forget rows that were never made.
  void forget_rows(entity_type entity, const typename ComponentChanges<SchemaType>::Mask& components) noexcept {
    for_each_sparse([&]<class C>(TypeList<C>) {
      if (components.has(id<C>)) pools_.row_index().template erase<pool_of<C>>(entity);
    });
  }

  // ---- creation: the sections first, and what they did is taken back if the pools have no room

  template <class... Ts, class... Ss, class... Cs>
  entity_type create_with(TypeList<Ts...>, TypeList<Ss...>, Cs&&... components) {
    [[maybe_unused]] const auto given =
        [all = std::forward_as_tuple(std::forward<Cs>(components)...)]<class C>(TypeList<C>) -> auto&& {
      return std::get<detail::position_of<C, std::remove_cvref_t<Cs>...>()>(std::move(all));
    };
    // out of harm's way, because they may be parts of rows that move
    std::tuple<Ss...> sparse(given(TypeList<Ss>{})...);
    const entity_type entity = table_.create(given(TypeList<Ts>{})...);
    if constexpr (sizeof...(Ss) != 0) {
      parts::OnFailure undo([&] { table_.take_back(entity); });
      [&]<std::size_t... Ps>(std::index_sequence<Ps...>) {
        (pools_.template make_room<Ps>(1), ...);
        pools_.template place_rows<Ps...>(entity, sparse);
      }(Places::template pools_for<Ss...>());
      undo.release();
    }
    return entity;
  }

  // ---- see StorageForms

  template <class... Qs>
  [[nodiscard]] std::tuple<Qs*...> look_up(entity_type entity) const noexcept {
    if constexpr (InPools<Qs...>::size == 0) {
      return table_.template look_up<Qs...>(entity);
    } else if constexpr (InTable<Qs...>::size == 0) {
      return pools_.template look_up<Qs...>(entity);
    } else {
      const auto found = [&]<class... Ts, class... Ss>(TypeList<Ts...>, TypeList<Ss...>) {
        return std::tuple_cat(table_.template look_up<Ts...>(entity), pools_.template look_up<Ss...>(entity));
      }(InTable<Qs...>{}, InPools<Qs...>{});
      return {std::get<Qs*>(found)...};
    }
  }

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_rows(Slice& slice, Fn& fn) const {
    const parts::IterationGuard::Scope<Slice> looping(guard_);
    if constexpr (InPools<Qs...>::size == 0) {
      table_.template loop_rows<Qs...>(slice, fn);
    } else if constexpr (InTable<Qs...>::size == 0) {
      pools_.template loop_rows<Qs...>(slice, fn);
    } else if constexpr (((is_sparse<detail::component_of<Qs>> && detail::Term<Qs>::is_required) || ...)) {
      loop_joined<Qs...>(pools_, InPools<Qs...>{}, table_, InTable<Qs...>{}, slice, fn);
    } else {
      loop_joined<Qs...>(table_, InTable<Qs...>{}, pools_, InPools<Qs...>{}, slice, fn);
    }
  }

  /// The loop of one half over the terms Ds, with a lookup in the other half of each of the terms Os.
  template <class... Qs, class Driver, class... Ds, class Other, class... Os, class Slice, class Fn>
  STOWAGE_INLINE void loop_joined(const Driver& driver, TypeList<Ds...>, const Other& other, TypeList<Os...>,
                                  Slice& slice, Fn& fn) const {
    using Shown = detail::shown_of<Ds...>;
    const parts::ByIndex on_row{
        [this, &fn, finders = std::tuple(other.template finder<detail::asked_of<Os>>()...)]<class... Ss>(
            EntityIndex owner, Ss&&... shown)
          requires(sizeof...(Ss) == Shown::size)
        {
          const std::tuple find = finders;  // before any test, so that a loop keeps them in registers
          std::tuple<detail::asked_of<Os>*...> found{};
          const bool complete = [&]<std::size_t... Is>(std::index_sequence<Is...>) {
            return (parts::admits<Os>(std::get<Is>(found) = std::get<Is>(find)(owner)) && ...);
          }(std::index_sequence_for<Os...>{});
          if (!complete) return;
          const auto known = std::forward_as_tuple(shown...);
          parts::call_with_found<Qs...>(
              fn, [&] { return table_.registry().entity_at(owner); },
              pointer_to<Qs>(Shown{}, known, TypeList<Os...>{}, found)...);
        }};
    driver.template loop_rows<Ds...>(slice, on_row);
  }

  /// What there is of a term: shown by the driving half, or found in the other. Null if `fn` does not see it.
  template <class Q, class... Shown, class Known, class... Os, class Found>
  [[nodiscard]] static constexpr auto pointer_to(TypeList<Shown...>, const Known& known, TypeList<Os...>,
                                                 const Found& found) noexcept {
    if constexpr (detail::is_one_of<Q, Os...>) {
      return std::get<detail::position_of<Q, Os...>()>(found);
    } else if constexpr (!detail::Term<Q>::is_shown) {
      return nullptr;
    } else if constexpr (detail::Term<Q>::is_required) {
      return std::addressof(std::get<detail::position_of<Q, Shown...>()>(known));
    } else {
      return std::get<detail::position_of<Q, Shown...>()>(known);
    }
  }

  /// Blocks of sections, or of the pool of one sparse component; else of one entity each.
  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    if constexpr (InPools<Qs...>::size == 0) {
      const parts::IterationGuard::Scope looping(guard_);
      table_.template loop_blocks<Qs...>(fn);
    } else if constexpr (sizeof...(Qs) == 1) {
      const parts::IterationGuard::Scope looping(guard_);
      const auto& pool = pools_.template pool<pool_of<Qs...>>();
      if (pool.size() == 0) return;
      parts::call_plainly(
          fn, [&] { return block_entities::of(table_.registry(), pool.layout().keys(), pool.size()); },
          pool.layout().template block<Qs>(0, pool.size())...);
    } else {
      const auto show = [&](entity_type entity, Qs&... components) {
        parts::call_plainly(
            fn, [&] { return block_entities::from(table_.registry(), entity.index(), 1); },
            parts::WholeColumn<std::remove_const_t<Qs>>::block_of_one(std::addressof(components))...);
      };
      parts::WholeLoop all;
      loop_rows<Qs...>(all, show);
    }
  }

  template <class... Cs>
  void reserve_for(std::size_t count, TypeList<Cs...> all) {
    table_.reserve_for(count, InTable<Cs...>{});
    pools_.reserve_for(count, all);
  }

  Table table_;
  Pools pools_{typename Table::Lives(table_.registry())};
  parts::IterationGuard guard_;
};

static_assert(assert_storage<Hybrid<ProbeSchema>>());
static_assert(assert_storage<
              Hybrid<Schema<Group<probe::Position, probe::Velocity>, Sparse<probe::Name>, Sparse<probe::Frozen>>>>());

}  // namespace stowage
