#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/block_entities.hpp>
#include <stowage/contract/component_columns.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/notifying_registry.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/parts/find_forms.hpp>
#include <stowage/parts/iteration_guard.hpp>
#include <stowage/parts/lazy_registry.hpp>
#include <stowage/parts/loop.hpp>
#include <stowage/parts/loop_forms.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/placement.hpp>
#include <stowage/parts/pool.hpp>
#include <stowage/parts/pool_creation.hpp>
#include <stowage/parts/pool_groups.hpp>
#include <stowage/parts/pool_lookup.hpp>
#include <stowage/parts/pool_loops.hpp>
#include <stowage/parts/row_access.hpp>
#include <stowage/parts/row_collection.hpp>
#include <stowage/parts/row_number.hpp>
#include <stowage/parts/storage_forms.hpp>

namespace stowage::parts {

/// What a storage lets a program do with its rows: all of them where they end with their entity, and otherwise end
/// those that the dead have left.
template <class Self, class SchemaType, class Registry, class Layout, class Places>
using RowsOf = std::conditional_t<leaves_rows<Registry>, RowCollection<Self, Places::pool_count>,
                                  RowAccess<Self, SchemaType, typename Registry::entity_type, Layout, Places>>;

/// The storage contract over packed pools: `IndexPolicy` takes an entity to a row, `LayoutPolicy` takes a row to bytes.
/// A strategy is a choice of the two and a semantics card. See storage.hpp for what the operations mean.
///
///     entity --registry--> alive?        one slot per index
///     entity --index-----> row           one look-up per pool
///     row    --layout----> components    one pool per group and one per component (see placement.hpp)
///
/// Complexity: create, emplace, remove, find are O(components involved), amortised where a pool grows; destroy looks
/// the entity up in each pool that has rows, but for those of components which it has in a group; `each` is linear in
/// the rows of the rarest component. `Places` says in which pools components are.
template <class SchemaType, class Registry, class IndexPolicy, class LayoutPolicy, class Places = Placement<SchemaType>>
class PoolStorage
    : public PoolLookup<PoolStorage<SchemaType, Registry, IndexPolicy, LayoutPolicy, Places>, SchemaType,
                        typename Registry::entity_type, AnyLayout<LayoutPolicy, SchemaType>, Places>,
      public LoopForms<PoolStorage<SchemaType, Registry, IndexPolicy, LayoutPolicy, Places>, SchemaType>,
      public StorageForms<PoolStorage<SchemaType, Registry, IndexPolicy, LayoutPolicy, Places>, SchemaType, Registry>,
      public RowsOf<PoolStorage<SchemaType, Registry, IndexPolicy, LayoutPolicy, Places>, SchemaType, Registry,
                    AnyLayout<LayoutPolicy, SchemaType>, Places>,
      private PoolCreation<PoolStorage<SchemaType, Registry, IndexPolicy, LayoutPolicy, Places>,
                           typename Registry::entity_type>,
      private PoolGroups<PoolStorage<SchemaType, Registry, IndexPolicy, LayoutPolicy, Places>,
                         typename Registry::entity_type, AnyLayout<LayoutPolicy, SchemaType>, Places>,
      private PoolLoops<PoolStorage<SchemaType, Registry, IndexPolicy, LayoutPolicy, Places>,
                        AnyLayout<LayoutPolicy, SchemaType>, Places> {
  /// The types that a layout gives for a component are the same in every pool.
  using Layout = AnyLayout<LayoutPolicy, SchemaType>;
  using Forms = FindForms<PoolStorage, SchemaType, typename Registry::entity_type>;
  using Lookup = PoolLookup<PoolStorage, SchemaType, typename Registry::entity_type, Layout, Places>;
  using Loops = PoolLoops<PoolStorage, Layout, Places>;
  friend Forms;
  friend LoopForms<PoolStorage, SchemaType>;
  friend StorageForms<PoolStorage, SchemaType, Registry>;
  friend Lookup;
  friend Loops;
  friend PoolCreation<PoolStorage, typename Registry::entity_type>;
  friend PoolGroups<PoolStorage, typename Registry::entity_type, Layout, Places>;
  friend RowsOf<PoolStorage, SchemaType, Registry, Layout, Places>;

  static constexpr std::size_t pool_count = Places::pool_count;
  /// Rows outlive their entities until they are collected: see lazy_registry.hpp.
  static constexpr bool is_lazy = leaves_rows<Registry>;

  template <class List>
  struct PoolOf;
  template <class... Cs>
  struct PoolOf<TypeList<Cs...>> {
    using type = Pool<LayoutPolicy, Cs...>;
  };
  template <class List>
  struct PoolTuple;
  template <class... Lists>
  struct PoolTuple<TypeList<Lists...>> {
    using type = std::tuple<typename PoolOf<Lists>::type...>;
  };
  template <std::size_t P>
  using PoolAt = typename PoolOf<typename Places::template pool_components<P>>::type;
  using Index = typename IndexPolicy::template index<typename Registry::entity_type, pool_count>;
  using Room = typename Index::room;

 public:
  using schema_type = SchemaType;
  using entity_type = typename Registry::entity_type;
  template <class C>
  using reference = typename Layout::template reference<C>;
  template <class C>
  using pointer = typename Layout::template pointer<C>;
  using block_entities = BlockEntities<Registry>;

  /// The most rows that a pool can have, and so the most entities that are sure to find room with equal components: one
  /// more is RowsExhausted.
  static constexpr std::size_t row_limit = Room::most_rows;
  /// See ComponentColumns::check().
  static constexpr bool copies_columns_first = !is_lazy;

  [[nodiscard]] entity_type create() {
    guard_.assert_no_loop();
    return begin_life();
  }

  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, stowage::detail::component_given_by<Cs>...>)
  entity_type create(Cs&&... components) {
    guard_.assert_no_loop();
    return this->create_in(Places::template pools_for<stowage::detail::component_given_by<Cs>...>(),
                           stowage::detail::as_component(std::forward<Cs>(components))...);
  }

  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void create(std::span<entity_type> out, std::span<const Cs>... columns) {
    guard_.assert_no_loop();
    STOWAGE_ASSERT(((columns.size() == out.size()) && ...), "every column has one component per new entity");
    if (!out.empty()) this->create_many(Places::template pools_for<Cs...>(), out, columns...);
  }

  void create(std::span<entity_type> out, const ComponentColumns<SchemaType>& columns) {
    guard_.assert_no_loop();
    STOWAGE_ASSERT(columns.rows() == out.size(), "every column has one component per new entity");
    if (!out.empty()) this->create_from(out, columns);
  }

  bool destroy(entity_type entity) {
    if constexpr (is_lazy) {
      guard_.assert_no_part();
    } else {
      guard_.assert_no_loop();
    }
    if (!registry_.alive(entity)) return false;
    announce_end(registry_, entity);
    if constexpr (!is_lazy) {
      erase_rows(entity);
    }
    return end_life(entity);
  }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  reference<C> emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_loop();
    if (!registry_.alive(entity)) STOWAGE_THROW(DeadEntity(entity.word()));
    // made before anything moves: the arguments may refer to rows of this storage, and a constructor may throw
    C component = stowage::detail::make<C>(std::forward<Arguments>(arguments)...);
    if (const RowLocation place = this->template locate<C>(entity); place.row != no_row)
      return this->replace(place, std::move(component));
    if constexpr (Places::template is_grouped<C>) {
      constexpr std::size_t group = Places::template group_pool<C>;
      if (this->template completes_group<C>(entity, typename Places::template pool_components<group>{})) {
        return this->template gather<group>(entity, component, typename Places::template pool_components<group>{});
      }
    }
    return this->insert_single(entity, std::move(component));
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_loop();
    if (is_hidden(entity)) return false;
    if constexpr (Places::template is_grouped<C>) {
      constexpr std::size_t group = Places::template group_pool<C>;
      if (const RowNumber row = index_.template find<group>(entity); row != no_row) {
        this->template scatter<group, C>(entity, row, typename Places::template pool_components<group>{});
        return true;
      }
    }
    return erase_row<Places::template single_pool<C>>(entity);
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] bool contains(entity_type entity) const noexcept {
    return !is_hidden(entity) && this->template locate<C>(entity).row != no_row;
  }

  /// A table for each pool, or for each run of rows between those of the dead.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const IterationGuard::Scope<NoChange> looping(guard_);
    stowage::detail::for_each_index<pool_count>([&](auto p) {
      this->each_living_run(pool<p>(), [&](const auto& pool, std::size_t first, std::size_t end) {
        if (first != end) visit_table(pool, first, end - first, fn, typename Places::template pool_components<p>{});
      });
    });
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t rows = owned_rows<Places::template single_pool<C>>();
    if constexpr (Places::template is_grouped<C>) rows += owned_rows<Places::template group_pool<C>>();
    return rows;
  }

  /// Trivially destructible components are not visited.
  void clear() {
    guard_.assert_no_loop();
    announce_all_ends(registry_);
    std::apply([](auto&... pools) { (pools.clear(), ...); }, pools_);
    index_.clear();
    registry_.clear();
  }

  /// See contract/lines.hpp; Qs belong to one group, or are one component that belongs to none.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    constexpr std::size_t home = Lookup::template first_pool<stowage::detail::element_at<0, TypeList<Qs...>>>;
    static_assert(Places::template holds_all<home, Qs...>);
    return Index::template lookup_lines<home>() + PoolAt<home>::layout_type::template lookup_lines<Qs...>();
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = registry_.memory();
    std::array<std::size_t, pool_count> rows{};
    stowage::detail::for_each_index<pool_count>([&](auto p) {
      rows[p] = owned_rows<p>();
      bytes += pool<p>().memory(rows[p]);
    });
    return bytes + index_.memory(rows);
  }

  /// See contract/events.hpp.
  [[nodiscard]] StorageEvents events() const noexcept {
    StorageEvents events = registry_.events() + index_.events();
    stowage::detail::for_each_index<pool_count>([&](auto p) { events.growths += pool<p>().growths(); });
    return events;
  }

 protected:
  // ---- loops: see LoopForms

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_rows(Slice& slice, Fn& fn) const {
    const IterationGuard::Scope<Slice> looping(guard_);
    this->template visit_living<Qs...>(
        slice,
        [&](const auto& pool, std::size_t first, std::size_t end) {
          const auto& layout = pool.layout();
          const auto entity_of = [this, owners = layout.keys()](std::size_t row) {
            return registry_.entity_at(owners[row]);
          };
          visit_range<wants_scalar_loop<std::remove_cvref_t<decltype(layout)>>>(first, end, fn, entity_of,
                                                                                layout.template cursor<Qs>()...);
        },
        [&](EntityIndex owner, auto... found) { call(fn, [&] { return registry_.entity_at(owner); }, *found...); });
  }

  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    const IterationGuard::Scope looping(guard_);
    WholeLoop all;
    this->template visit_living<Qs...>(
        all,
        [&](const auto& pool, std::size_t first, std::size_t end) {
          if (first == end) return;
          const std::size_t count = end - first;
          call_plainly(
              fn, [&] { return block_entities::of(registry_, pool.layout().keys() + first, count); },
              pool.layout().template block<Qs>(first, count)...);
        },
        [&](EntityIndex owner, auto... found) { show_one<Qs...>(fn, owner, found...); });
  }

  /// A block of one entity, whose components were looked up.
  template <class... Qs, class Fn, class... Found>
  void show_one(Fn& fn, EntityIndex owner, const Found&... found) const {
    call_plainly(
        fn, [&] { return block_entities::from(registry_, owner, 1); }, Layout::template block_of_one<Qs>(found)...);
  }

  // ---- for strategies that keep rows in an order of their own

  template <std::size_t P>
  [[nodiscard]] auto& pool() noexcept {
    return std::get<P>(pools_);
  }
  template <std::size_t P>
  [[nodiscard]] const auto& pool() const noexcept {
    return std::get<P>(pools_);
  }
  [[nodiscard]] auto& index() noexcept { return index_; }
  [[nodiscard]] const auto& index() const noexcept { return index_; }
  [[nodiscard]] const Registry& registry() const noexcept { return registry_; }
  [[nodiscard]] const IterationGuard& guard() const noexcept { return guard_; }

 private:
  // ---- rows of the dead, which only a lazy storage has

  /// Rows that belong to the living.
  template <std::size_t P>
  [[nodiscard]] std::size_t owned_rows() const noexcept {
    if constexpr (is_lazy) {
      return pool<P>().size() - registry_.left_rows(P);
    } else {
      return pool<P>().size();
    }
  }

  /// True when this is no living entity but the index may know rows of it. While nothing dead is left, one test.
  [[nodiscard]] bool is_hidden([[maybe_unused]] entity_type entity) const noexcept {
    if constexpr (is_lazy) {
      return registry_.left_rows() != 0 && !registry_.alive(entity);
    } else {
      return false;
    }
  }

  template <class PoolType, class Fn, class... Cs>
  static void visit_table(const PoolType& pool, std::size_t first, std::size_t rows, Fn& fn, TypeList<Cs...>) {
    TableColumns<sizeof...(Cs)> columns;
    (columns.add(stowage::detail::component_id<Cs, SchemaType>, pool.layout().template block<const Cs>(first, rows)),
     ...);
    fn(RowTable{{pool.layout().keys() + first, rows}, 0, rows, columns.all()});
  }

  template <class... Qs>
  [[nodiscard]] std::tuple<pointer<Qs>...> look_up(entity_type entity) const noexcept {
    if (is_hidden(entity)) [[unlikely]]
      return {};
    return Lookup::template look_up<Qs...>(entity);
  }

  /// An index that is given out again may have rows which have to be ended, and the holes filled.
  [[nodiscard]] bool moves_rows_to_create() const noexcept {
    if constexpr (is_lazy) {
      return registry_.left_rows() != 0;
    } else {
      return false;
    }
  }

  /// Whether entities that have exactly these columns have a row in pool P.
  template <std::size_t P>
  [[nodiscard]] static bool takes_row(const ComponentColumns<SchemaType>& columns) noexcept {
    using Members = typename Places::template pool_components<P>;
    if constexpr (P < Places::group_count) {
      return has_all(columns, Members{});
    } else {
      using C = stowage::detail::element_at<0, Members>;
      if constexpr (Places::template is_grouped<C>) {
        constexpr std::size_t group = Places::template group_pool<C>;
        if (has_all(columns, typename Places::template pool_components<group>{})) return false;
      }
      return columns.template has<C>();
    }
  }
  template <class... Cs>
  [[nodiscard]] static bool has_all(const ComponentColumns<SchemaType>& columns, TypeList<Cs...>) noexcept {
    return (columns.template has<Cs>() && ...);
  }

  // ---- room; what the index has to say of it is in parts/room.hpp

  template <std::size_t P>
  void make_room(std::size_t more) {
    if constexpr (is_lazy) this->template sweep_before_growing<P>(more);
    pool<P>().template make_room<Room>(more);
    if constexpr (Room::fixed) index_.template reserve<P>(pool<P>().capacity());
  }
  template <std::size_t P>
  void reserve_rows(std::size_t count) {
    pool<P>().template reserve<Room>(count);
    index_.template reserve<P>(Room::fixed ? pool<P>().capacity() : count);
  }

  // ---- lives; an index may keep something for every entity, whatever components that has

  [[nodiscard]] entity_type begin_life() {
    const entity_type entity = registry_.create();
    if constexpr (is_lazy) end_left_rows(entity);
    if constexpr (requires { index_.admit(entity); }) {
      OnFailure undo([&] { registry_.destroy(entity); });
      index_.admit(entity);
      undo.release();
    }
    return entity;
  }

  [[nodiscard]] NewEntities<entity_type> begin_lives(std::span<entity_type> out) {
    const NewEntities<entity_type> entities = registry_.create(out);
    if constexpr (is_lazy) {
      for (const entity_type entity : out) end_left_rows(entity);
    }
    if constexpr (requires { index_.admit(entities); }) {
      OnFailure undo([&] {
        for (const entity_type entity : out) registry_.destroy(entity);
      });
      index_.admit(entities);
      undo.release();
    }
    return entities;
  }

  bool end_life(entity_type entity) noexcept {
    if constexpr (requires { index_.dismiss(entity); }) index_.dismiss(entity);
    return registry_.destroy(entity);
  }

  /// An index that is given out again must not find rows of its last life.
  void end_left_rows(entity_type entity) noexcept {
    const EntityIndex index = entity.index();
    stowage::detail::for_each_index<pool_count>([&](auto pool) {
      if (registry_.template has_left_row<pool>(index)) end_row<pool>(entity, index_.template reader<pool>()(index));
    });
    registry_.begin(index);
  }

  /// The row after the last is complete. Returns its number.
  template <std::size_t P>
  std::size_t commit(entity_type entity) noexcept {
    if constexpr (is_lazy) registry_.template note_row<P>(entity.index());
    return pool<P>().commit(entity.index());
  }

  template <std::size_t P>
  void commit(const NewEntities<entity_type>& entities) noexcept {
    if constexpr (is_lazy) {
      for (const entity_type entity : entities.handles) registry_.template note_row<P>(entity.index());
    }
    pool<P>().commit_many(entities);
  }

  /// Ends a row in pool P and fills the hole.
  template <std::size_t P>
  void end_row(entity_type entity, RowNumber row) noexcept {
    index_.template erase<P>(entity);
    fill_row<P>(entity, row);
  }

  /// The same for a row that the index has forgotten already.
  template <std::size_t P>
  void fill_row(entity_type entity, RowNumber row) noexcept {
    if constexpr (is_lazy) registry_.template forget_row<P>(entity.index());
    pool<P>().erase(
        row, [&](EntityIndex mover, std::size_t to) { index_.template assign<P>(mover, static_cast<RowNumber>(to)); });
  }

  /// Ends the entity's row in pool P; false when it has none.
  template <std::size_t P>
  bool erase_row(entity_type entity) noexcept {
    if (pool<P>().size() == 0) return false;
    const RowNumber row = take_row<P>(entity);
    if (row == no_row) return false;
    fill_row<P>(entity, row);
    return true;
  }

  /// Finds the entity's row and has the index forget it: in one look-up where the index can.
  template <std::size_t P>
  [[nodiscard]] RowNumber take_row(entity_type entity) noexcept {
    if constexpr (requires { index_.template take<P>(entity); }) {
      return index_.template take<P>(entity);
    } else {
      const RowNumber row = index_.template find<P>(entity);
      if (row != no_row) index_.template erase<P>(entity);
      return row;
    }
  }

  /// Ends all rows of the entity. Who has a row in the pool of a group has none in those of its members.
  void erase_rows(entity_type entity) noexcept {
    stowage::detail::for_each_index<pool_count>([&](auto pool) {
      using Members = typename Places::template pool_components<pool>;
      if constexpr (pool < Places::group_count) {
        if (!erase_row<pool>(entity)) erase_single_rows(entity, Members{});
      } else if constexpr (!Places::template is_grouped<stowage::detail::element_at<0, Members>>) {
        erase_row<pool>(entity);
      }
    });
  }
  template <class... Cs>
  void erase_single_rows(entity_type entity, TypeList<Cs...>) noexcept {
    (erase_row<Places::template single_pool<Cs>>(entity), ...);
  }

  template <class... Cs>
  void reserve_for(std::size_t count, TypeList<Cs...>) {
    registry_.reserve(count);
    [&]<std::size_t... Ps>(std::index_sequence<Ps...>) {
      (reserve_rows<Ps>(count), ...);
    }(Places::template pools_for<Cs...>());
  }

  Registry registry_;
  Index index_;
  typename PoolTuple<typename Places::pools>::type pools_;
  IterationGuard guard_;
};

}  // namespace stowage::parts
