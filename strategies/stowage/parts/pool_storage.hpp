#pragma once

// The storage contract over packed pools: what indirection maps, hash indices and offset tables have in common.

#include <optional>

#include <stowage/parts/flat_tuple.hpp>
#include <stowage/parts/index/homed.hpp>
#include <stowage/parts/placement.hpp>
#include <stowage/parts/pool.hpp>
#include <stowage/parts/row_number.hpp>
#include <stowage/parts/storage_forms.hpp>

namespace stowage::parts {

/// True for a registry under which rows outlive their entities until they are collected: see indirection_map_lazy.hpp.
template <class Registry>
inline constexpr bool leaves_rows = requires { requires Registry::leaves_rows; };

/// What was found of a component that a program may write to, and where that is noted. See written().
template <class C>
struct StampedPointer {
  C* component = nullptr;
  Tick* stamp = nullptr;
  Tick now = 0;

  friend bool operator==(const StampedPointer& found, std::nullptr_t) noexcept { return found.component == nullptr; }
};
/// The pointer that a program is shown of what was found.
template <class Pointer>
[[nodiscard]] Pointer written(Pointer found) noexcept {
  return found;
}
template <class C>
[[nodiscard]] C* written(StampedPointer<C> found) noexcept {
  if (found.component != nullptr) *found.stamp = found.now;
  return found.component;
}

/// `IndexPolicy` takes an entity to a row, `LayoutPolicy` takes a row to bytes, and `Places` says which pools there
/// are. A strategy is a choice of these and a semantics card.
///
///     entity --registry--> alive?        one slot per index; with an ArrayIndex it has the row in the first pool, too
///     entity --index-----> row           one lookup per pool
///     row    --layout----> components    one pool per group and one per component (see placement.hpp)
///
///     find<A, B>(e)    row = index.find(e), which is no_row for a stale handle; then column A + row, column B + row.
///                      A complete group takes one lookup, anything else one per component.
///     each<A, B>(fn)   if one pool has both: a loop over its rows. Otherwise a loop over the rows of the rarer one,
///                      with a lookup of the other for each.
///     create(a, b)     a handle from the registry; construct the row after the last of each pool; write it into the
///                      index; the row counts. Whatever throws is undone, and nothing counts before the end.
///     destroy(e)       for each pool: the index forgets the row, the last row moves into the hole, the index hears
///                      where it went. Then the registry ends the handle.
///     emplace, remove  the last member completes a group: its members move from their single pools to the group's.
///                      The first that goes moves the others back.
///
/// Complexity: create, emplace, remove, find are O(components involved), amortised if a pool grows; destroy looks
/// the entity up in each pool that has rows, but for those of components which it has in a group; `each` is linear in
/// the rows of the rarest component.
///
/// A single pool whose rows have all gone to the group keeps its room and its map, which is a promise of reserve(): a
/// component that is taken away and given back would pay for both anew each time. If every component is added alone,
/// that is up to 12 bytes and the component's size per entity and member; create(cs...) never makes that room.
template <class SchemaType, class Registry, class IndexPolicy, class LayoutPolicy, class Places = Placement<SchemaType>>
class PoolStorage
    : public StorageForms<PoolStorage<SchemaType, Registry, IndexPolicy, LayoutPolicy, Places>, SchemaType, Registry> {
  using Forms = StorageForms<PoolStorage, SchemaType, Registry>;
  friend Forms;

  /// The types that a layout gives for a component are the same in every pool.
  using Layout = AnyLayout<LayoutPolicy, SchemaType>;
  static constexpr std::size_t pool_count = Places::pool_count;
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
    using type = FlatTuple<typename PoolOf<Lists>::type...>;
  };
  template <std::size_t P>
  using Members = typename Places::template pool_components<P>;
  using Index = typename IndexPolicy::template index<typename Registry::entity_type, pool_count>;
  /// Whether the first pool is indexed by the registry: see HomedIndex.
  static constexpr bool is_homed = HomedIn<Index, Registry>;
  using Lives = typename decltype([] {
    if constexpr (is_homed) {
      return std::type_identity<typename Registry::template with_slot_data<HomeRow>>();
    } else {
      return std::type_identity<Registry>();
    }
  }())::type;
  using Room = typename Index::room;

  template <class C>
  static constexpr bool is_grouped = Places::template is_grouped<C>;
  template <class C>
  static constexpr std::size_t group_of = Places::template group_pool<C>;
  template <class C>
  static constexpr std::size_t single_of = Places::template single_pool<C>;
  /// Where a component is looked for first: in its group's pool, or in its own if it has no group.
  template <class Q>
  static constexpr std::size_t first_pool = is_grouped<Q> ? group_of<Q> : single_of<Q>;

  // ---- where entities have all of Qs: if Qs are of one group in its pool, else one component in its own

  template <class... Qs>
  static constexpr std::size_t home_of = first_pool<stowage::detail::element_at<0, TypeList<Qs...>>>;
  template <class... Qs>
  static constexpr bool are_in_one_pool = Places::template holds_all<home_of<Qs...>, Qs...>;
  /// A component of a group that is not complete is in its own pool.
  template <class... Qs>
  static constexpr std::size_t second_of = single_of<stowage::detail::element_at<0, TypeList<Qs...>>>;
  template <class... Qs>
  static constexpr bool are_in_second_pool = sizeof...(Qs) == 1 && home_of<Qs...> != second_of<Qs...>;
  /// Each of several in a pool of its own or of its group; not if Qs are a whole group.
  template <class... Qs>
  static constexpr bool are_in_several_pools =
      sizeof...(Qs) > 1 && !(are_in_one_pool<Qs...> && Places::template is_covered_by<home_of<Qs...>, Qs...>);

 public:
  using typename Forms::entity_type;
  template <class C>
  using reference = typename Layout::template reference<C>;
  template <class C>
  using pointer = typename Layout::template pointer<C>;
  using block_entities = BlockEntities<Lives>;

  /// The most rows that a pool can have, and so the most entities that are sure to find room with equal components: one
  /// more is RowsExhausted.
  static constexpr std::size_t row_limit = Room::most_rows;
  /// See ComponentColumns::check_copies().
  static constexpr bool copies_columns_first = !is_lazy;
  /// Whether it is recorded when C was last written, which it is for each row.
  template <class C>
  static constexpr bool records = keeps_stamps<Layout> && stowage::detail::is_recorded<C, SchemaType>;
  static constexpr bool records_each_row = true;

  PoolStorage() = default;

  static constexpr AllowedInLoops in_loops{.create = false, .destroy = is_lazy, .change = false};
  static constexpr bool copies_rows = requires(Index& index) { index.copy_from(index); };

  bool destroy(entity_type entity) {
    this->assert_allowed(in_loops.destroy);
    if constexpr (is_homed) {
      const RowNumber home = row_index().template find<0>(entity);
      if (home == no_row && !registry_.alive(entity)) return false;
      announce_end(registry_, entity);
      erase_rows(entity, home, std::make_index_sequence<pool_count>{});
      registry_.end(entity);
    } else {
      if (!announce_and_end(registry_, entity)) return false;
      if constexpr (!is_lazy) erase_rows(entity, no_row, std::make_index_sequence<pool_count>{});
      dismiss(entity);
    }
    return true;
  }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  reference<C> emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_loop();
    if (!registry_.alive(entity)) STOWAGE_THROW(DeadEntity(entity.word()));
    if constexpr (is_grouped<C>) {
      const RowNumber row = row_index().template find<group_of<C>>(entity);
      if (row != no_row)
        return replace<group_of<C>>(row, stowage::detail::make<C>(std::forward<Arguments>(arguments)...));
    }
    const RowNumber row = row_index().template find<single_of<C>>(entity);
    if (row != no_row)
      return replace<single_of<C>>(row, stowage::detail::make<C>(std::forward<Arguments>(arguments)...));
    if constexpr (is_grouped<C>) {
      if (completes_group<C>(entity, Members<group_of<C>>{})) {
        add_row<group_of<C>, C>(entity, std::forward<Arguments>(arguments)...);
        return gather<group_of<C>, C>(entity, Members<group_of<C>>{});
      }
    }
    add_row<single_of<C>, C>(entity, std::forward<Arguments>(arguments)...);
    pool<single_of<C>>().note_gain();
    return *pool<single_of<C>>().layout().template at<C>(commit<single_of<C>>(entity));
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_loop();
    if (is_hidden(entity)) return false;
    if constexpr (is_grouped<C>) {
      if (const RowNumber row = row_index().template find<group_of<C>>(entity); row != no_row) {
        scatter<group_of<C>, C>(entity, row, Members<group_of<C>>{});
        return true;
      }
    }
    return erase_row<single_of<C>>(entity);
  }

  /// A table for each pool, or for each run of rows between those of the dead.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const IterationGuard::Scope<NoChange> looping(guard_);
    const bool any_left = has_left_rows();
    stowage::detail::for_each_index<pool_count>(
        [&](auto p) { each_run<p>(any_left, [&](RowRange run) { visit_table(pool<p>(), run, fn, Members<p>{}); }); });
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t rows = owned_rows<single_of<C>>();
    if constexpr (is_grouped<C>) rows += owned_rows<group_of<C>>();
    return rows;
  }

  using Forms::clear;
  /// The other members of complete groups need rows of their own, which they get all together.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  void clear() {
    if constexpr (!is_grouped<C>) {
      Forms::template clear<C>();
    } else {
      guard_.assert_no_loop();
      if constexpr (is_lazy) sweep<group_of<C>>();
      std::vector<entity_type> owners = this->template owners_of<C>();  // the group's pool is the first that has C
      const std::span in_group = std::span(owners).first(pool<group_of<C>>().size());
      std::ranges::reverse(in_group);
      scatter_all<group_of<C>, C>(in_group, Members<group_of<C>>{});
      for (std::size_t i = owners.size(); i-- != in_group.size();) erase_row<single_of<C>>(owners[i]);
    }
  }

  /// See contract/lines.hpp; Qs belong to one group, or are one component that belongs to none.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    static_assert(are_in_one_pool<Qs...>);
    constexpr std::size_t home = home_of<Qs...>;
    using HomePool = typename PoolOf<Members<home>>::type;
    return Index::template lookup_lines<home>() + HomePool::layout_type::template lookup_lines<Qs...>();
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = registry_.memory();
    std::array<std::size_t, pool_count> rows{};
    stowage::detail::for_each_index<pool_count>([&](auto p) {
      rows[p] = owned_rows<p>();
      bytes += pool<p>().memory(rows[p]);
    });
    if constexpr (is_homed) rows[0] = 0;
    return bytes + index_.memory(rows);
  }

  /// See contract/changes.hpp.
  [[nodiscard]] Tick tick() const noexcept
    requires keeps_stamps<Layout>
  {
    return pool<0>().layout().tick();
  }
  /// O(pools).
  Tick next_tick() noexcept
    requires keeps_stamps<Layout>
  {
    const Tick next = tick() + 1;
    stowage::detail::for_each_index<pool_count>([&](auto p) { pool<p>().begin_tick(next); });
    return next;
  }

  /// See contract/events.hpp.
  [[nodiscard]] StorageEvents events() const noexcept {
    StorageEvents events = registry_.events() + index_.events();
    stowage::detail::for_each_index<pool_count>([&](auto p) { events.growths += pool<p>().growths(); });
    return events;
  }

  /// See contract/moves.hpp.
  [[nodiscard]] std::uint64_t moves() const noexcept
    requires counts_moves<SchemaType>
  {
    std::uint64_t sum = 0;
    stowage::detail::for_each_index<pool_count>([&](auto p) { sum += pool<p>().moves(); });
    return sum;
  }

  /// Puts the rows of Cs, in every pool that has one of them, in the order of `order`: those of listed entities first,
  /// one behind the other. An entity is in the list at most once; one that has none of Cs, or is not alive, is passed
  /// over. O(entities listed), and a lookup and at most one swap of rows for each and pool. Never throws. Invalidates
  /// pointers to rows of these pools; handles find what they found before.
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void order_rows(std::span<const entity_type> order) {
    guard_.assert_no_loop();
    stowage::detail::for_each_index<pool_count>([&](auto p) {
      if constexpr (Places::template holds_any<p, Cs...>) order_pool<p>(order);
    });
  }

  // ---- The rows of a component as a packed, ordered array: what a system needs that keeps parents before children, or
  // things to draw from back to front. Only for components in no group, whose rows are one array: those of a grouped
  // one are in two pools, and an entity's row changes from one to the other with its other components. Rows are
  // numbered from 0 to row_count<C>() - 1, the order in which `each` visits. A row number, like a pointer, is good
  // until the next structural change of this component. Source: Wicked Engine's ComponentManager (GetCount, GetEntity,
  // operator[], GetIndex, Remove_KeepSorted, MoveItem).

  template <class C>
  static constexpr bool is_ordered =
      ComponentsOf<SchemaType, C> && !Placement<SchemaType>::template is_grouped<C> && !is_lazy;

  template <class C>
    requires is_ordered<C>
  [[nodiscard]] std::size_t row_count() const noexcept {
    return pool<single_of<C>>().size();
  }

  /// Whose component is in this row. O(1).
  template <class C>
    requires is_ordered<C>
  [[nodiscard]] entity_type entity_of_row(std::size_t row) const noexcept {
    assert_row<C>(row);
    return registry_.entity_at(pool<single_of<C>>().owner(row));
  }

  /// The component in this row. O(1), no lookup.
  template <class C>
    requires is_ordered<C>
  [[nodiscard]] reference<C> component_of_row(std::size_t row) noexcept {
    assert_row<C>(row);
    note_writes<single_of<C>, C>(row, 1);
    return *pool<single_of<C>>().layout().template at<C>(row);
  }
  template <class C>
    requires is_ordered<C>
  [[nodiscard]] reference<const C> component_of_row(std::size_t row) const noexcept {
    assert_row<C>(row);
    return *pool<single_of<C>>().layout().template at<const C>(row);
  }

  /// The row of this entity's component, if it has one and lives. One lookup.
  template <class C>
    requires is_ordered<C>
  [[nodiscard]] std::optional<std::size_t> row_of(entity_type entity) const noexcept {
    const RowNumber row = row_index().template find<single_of<C>>(entity);
    return row != no_row ? std::optional<std::size_t>(row) : std::nullopt;
  }

  /// remove<C>() that keeps the order: every row behind moves down by one. O(rows behind), a map entry each. False, and
  /// nothing changes, when the entity has no C or is not alive. Never throws.
  template <class C>
    requires is_ordered<C>
  bool remove_ordered(entity_type entity) {
    guard_.assert_no_loop();
    const RowNumber row = take_row<single_of<C>>(entity);
    if (row == no_row) return false;
    pool<single_of<C>>().erase_ordered(row, tell_index<single_of<C>>());
    return true;
  }

  /// Moves the component in row `from` to row `to`; those in between move by one towards `from`. O(rows in between), a
  /// map entry each. Never throws.
  template <class C>
    requires is_ordered<C>
  void move_item(std::size_t from, std::size_t to) {
    guard_.assert_no_loop();
    assert_row<C>(from);
    assert_row<C>(to);
    pool<single_of<C>>().move_row(from, to, tell_index<single_of<C>>());
  }

 protected:
  Lives registry_;

  /// Over a registry that refers to another's: see hybrid.hpp.
  explicit PoolStorage(const Lives& registry) : registry_(registry) {}

  // ---- for strategies that keep rows in an order of their own

  template <std::size_t P>
  [[nodiscard]] auto& pool() noexcept {
    return element<P>(pools_);
  }
  template <std::size_t P>
  [[nodiscard]] const auto& pool() const noexcept {
    return element<P>(pools_);
  }
  /// Where entities have their rows: the index, or a view of it and the registry.
  [[nodiscard]] decltype(auto) row_index() noexcept {
    if constexpr (is_homed) {
      return HomedIndex<Lives, Index>(registry_, index_);
    } else {
      return (index_);
    }
  }
  [[nodiscard]] decltype(auto) row_index() const noexcept {
    if constexpr (is_homed) {
      return HomedIndex<const Lives, const Index>(registry_, index_);
    } else {
      return (index_);
    }
  }
  [[nodiscard]] const Lives& registry() const noexcept { return registry_; }

  // ---- find: a complete group costs one lookup in the index, anything else one per component

  template <class... Qs>
  [[nodiscard]] std::tuple<pointer<Qs>...> look_up(entity_type entity) const noexcept {
    if (is_hidden(entity)) [[unlikely]]
      return {};
    if constexpr (are_in_one_pool<Qs...>) {
      constexpr std::size_t home = home_of<Qs...>;
      // columns are read before the test, so that a loop of lookups keeps them in registers
      const std::tuple columns(pool<home>().layout().template cursor<Qs>()...);
      const RowNumber row = row_index().template find<home>(entity);
      if (row != no_row) [[likely]] {
        note_writes<home, Qs...>(row, 1);
        return std::apply([row](const auto&... column) { return std::tuple(address_of(column, row)...); }, columns);
      }
      if constexpr (home >= Places::group_count) {
        return {};
      } else if constexpr (sizeof...(Qs) == 1) {
        return {find_single<Qs>(entity)...};
      } else if constexpr (Places::template is_covered_by<home, Qs...>) {
        return incomplete(find_singles<Qs...>(entity));
      } else {
        return find_singles<Qs...>(entity);
      }
    } else {
      std::array<RowNumber, Places::group_count + 1> rows;
      stowage::detail::for_each_index<Places::group_count>([&](auto group) {
        if constexpr (Places::template holds_any<group, Qs...>) rows[group] = row_index().template find<group>(entity);
      });
      return {find_known<Qs>(entity, rows)...};
    }
  }

  // ---- each: the pools whose rows all have Qs as a whole, and of the others the rows of the rarest component

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_rows(Slice& slice, Fn& fn) const {
    const IterationGuard::Scope<Slice> looping(guard_);
    const bool any_left = has_left_rows();
    if constexpr (is_changed_loop<Slice>) {
      loop_changed<Qs...>(slice, fn);
    } else if constexpr (stowage::detail::has_filters<Qs...>) {
      loop_join<Qs...>(slice, any_left, fn);
    } else {
      if constexpr (are_in_one_pool<Qs...>) loop_pool<home_of<Qs...>, Qs...>(slice, any_left, fn);
      if constexpr (are_in_second_pool<Qs...>) loop_pool<second_of<Qs...>, Qs...>(slice, any_left, fn);
      if constexpr (are_in_several_pools<Qs...>) loop_join<Qs...>(slice, any_left, fn);
    }
  }

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_join(Slice& slice, bool any_left, Fn& fn) const {
    join<Qs...>(slice, [&, any_left](EntityIndex owner, auto... found) {
      if (is_of_dead(owner, any_left)) return;
      call_with_found<Qs...>(fn, [&] { return owner_for<Fn>(registry_, owner); }, written(found)...);
    });
  }

  /// The rows of a pool that all have Qs, run by run: if the dead have left none, all are one run.
  template <std::size_t P, class... Qs, class Slice, class Fn>
  void loop_pool(Slice& slice, bool any_left, Fn& fn) const {
    RowRange rows = slice.take(pool<P>().size());
    if constexpr (keeps_stamps<Layout>) {
      if (!rows.empty()) note_writes<P, Qs...>(rows.first, rows.size());
    }
    const auto& layout = pool<P>().layout();
    constexpr bool is_scalar = wants_scalar_loop<std::remove_cvref_t<decltype(layout)>>;
    const auto entity_of = [this, owners = layout.keys()](std::size_t row) {
      return owner_for<Fn>(registry_, owners[row]);
    };
    do {
      visit_rows<is_scalar>(take_run<P>(rows, any_left), fn, entity_of, layout.template cursor<Qs>()...);
    } while (is_lazy && !rows.empty());
  }

  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    const IterationGuard::Scope looping(guard_);
    const bool any_left = has_left_rows();
    if constexpr (are_in_one_pool<Qs...>) show_pool<home_of<Qs...>, Qs...>(any_left, fn);
    if constexpr (are_in_second_pool<Qs...>) show_pool<second_of<Qs...>, Qs...>(any_left, fn);
    if constexpr (are_in_several_pools<Qs...>) {
      WholeLoop all;
      join<Qs...>(all, [&, any_left](EntityIndex owner, auto... found) {
        if (!is_of_dead(owner, any_left)) show_one<Qs...>(fn, owner, written(found)...);
      });
    }
  }

  template <std::size_t P, class... Qs, class Fn>
  void show_pool(bool any_left, Fn& fn) const {
    each_run<P>(any_left, [&, &layout = pool<P>().layout()](RowRange run) {
      note_writes<P, Qs...>(run.first, run.size());
      call_plainly(
          fn, [&] { return block_entities::of(registry_, layout.keys() + run.first, run.size()); },
          layout.template block<Qs>(run.first, run.size())...);
    });
  }

  /// A block of one entity, whose components were looked up.
  template <class... Qs, class Fn, class... Found>
  void show_one(Fn& fn, EntityIndex owner, const Found&... found) const {
    call_plainly(
        fn, [&] { return block_entities::from(registry_, owner, 1); }, Layout::template block_of_one<Qs>(found)...);
  }

  // ---- what has changed, if layouts keep stamps

  /// The program may write to Qs, as far as they are not const, of these rows of pool P.
  template <std::size_t P, class... Qs>
  void note_writes([[maybe_unused]] std::size_t first, [[maybe_unused]] std::size_t count) const noexcept {
    (note_write<P, Qs>(first, count), ...);
  }
  template <std::size_t P, class Q>
  void note_write([[maybe_unused]] std::size_t first, [[maybe_unused]] std::size_t count) const noexcept {
    if constexpr (!std::is_const_v<Q> && records<Q>) pool<P>().layout().template stamp<Q>(first, count);
  }

  /// each_changed(): rows of the component that has changed, with what else they have or a lookup of it.
  template <class C, class... Qs, class Changed, class Fn>
  void loop_changed(Changed& changed, Fn& fn) const {
    constexpr bool is_filtered = stowage::detail::has_filters<Qs...>;
    constexpr bool is_in_home = !is_filtered && are_in_one_pool<C, Qs...>;
    if constexpr (is_in_home) loop_changed_pool<home_of<C, Qs...>, C, Qs...>(changed, fn);
    if constexpr (is_in_home && are_in_second_pool<C, Qs...>) {
      loop_changed_pool<second_of<C, Qs...>, C, Qs...>(changed, fn);
    } else if constexpr (is_filtered || are_in_several_pools<C, Qs...>) {
      const auto on_row = [&](EntityIndex owner, auto... found) {
        call_with_found<C, Qs...>(fn, [&] { return owner_for<Fn>(registry_, owner); }, written(found)...);
      };
      drive<!is_in_home, C, C, Qs...>(changed, on_row);
    }
  }
  template <std::size_t P, class... Qs, class Changed, class Fn>
  void loop_changed_pool(Changed& changed, Fn& fn) const {
    const auto& layout = pool<P>().layout();
    const auto entity_of = [this, owners = layout.keys()](std::size_t row) {
      return owner_for<Fn>(registry_, owners[row]);
    };
    const auto visit = [&](auto... cursors) {
      for_each_changed<P>(
          changed,
          [&](RowRange run) {
            note_writes<P, Qs...>(run.first, run.size());
            visit_rows<false>(run, fn, entity_of, cursors...);
          },
          [&](std::size_t row) {
            note_writes<P, Qs...>(row, 1);
            call(fn, [&] { return entity_of(row); }, cursors[row]...);
          });
    };
    visit(layout.template cursor<Qs>()...);
  }
  template <std::size_t P, class Changed, class VisitRun, class VisitRow>
  void for_each_changed(const Changed& changed, VisitRun&& visit_run, VisitRow&& visit_row) const {
    const RowRange rows{0, pool<P>().size()};
    for_each_present_run<WholeLoop>(
        rows, pool<P>().layout().template changed_rows<typename Changed::changing>(rows.end, changed.since), visit_run,
        visit_row);
  }

  /// Takes the index of a living entity to its Q, null if it has none. A value: see join_rows().
  template <class Q>
  [[nodiscard]] auto finder() const noexcept {
    if constexpr (!std::is_const_v<Q> && records<Q>) {
      return [in_group = row_index().template reader<first_pool<Q>>(), group_row = row_of_pool<first_pool<Q>, Q>(),
              alone = row_index().template reader<single_of<Q>>(),
              single_row = row_of_pool<single_of<Q>, Q>()](EntityIndex owner) -> StampedPointer<Q> {
        if constexpr (is_grouped<Q>) {
          if (const RowNumber row = in_group(owner); row != no_row) return group_row(row);
        }
        const RowNumber row = alone(owner);
        return row != no_row ? single_row(row) : StampedPointer<Q>{};
      };
    } else if constexpr (!is_grouped<Q>) {
      return [rows = row_index().template reader<single_of<Q>>(),
              column = pool<single_of<Q>>().layout().template cursor<Q>()](EntityIndex owner) -> pointer<Q> {
        const RowNumber row = rows(owner);
        return row != no_row ? address_of(column, row) : nullptr;
      };
    } else {
      return [in_group = row_index().template reader<group_of<Q>>(),
              group_column = pool<group_of<Q>>().layout().template cursor<Q>(),
              alone = row_index().template reader<single_of<Q>>(),
              column = pool<single_of<Q>>().layout().template cursor<Q>()](EntityIndex owner) -> pointer<Q> {
        if (const RowNumber row = in_group(owner); row != no_row) return address_of(group_column, row);
        const RowNumber row = alone(owner);
        return row != no_row ? address_of(column, row) : nullptr;
      };
    }
  }

  /// Takes a row of pool P to its recorded Q.
  template <std::size_t P, class Q>
  [[nodiscard]] auto row_of_pool() const noexcept {
    return [column = pool<P>().layout().template cursor<Q>(), stamps = pool<P>().layout().template stamps<Q>(),
            now = tick()](std::size_t row) { return StampedPointer<Q>{address_of(column, row), stamps + row, now}; };
  }

  // ---- rows of the dead, which only a lazy storage has

  /// Ends the row if its owner is dead.
  template <std::size_t P>
  bool end_if_dead(std::size_t row) noexcept {
    const EntityIndex owner = pool<P>().owner(row);
    if (!registry_.is_dead(owner)) return false;
    registry_.note_collected();
    end_row<P>(registry_.entity_at(owner), static_cast<RowNumber>(row));
    return true;
  }

  /// Ends all that the dead have left in pool P, from the first row on. O(rows).
  template <std::size_t P>
  void sweep() noexcept {
    for (std::size_t row = 0; registry_.left_rows(P) != 0;) {
      if (!end_if_dead<P>(row)) ++row;
    }
  }

  [[nodiscard]] bool has_left_rows() const noexcept {
    if constexpr (is_lazy) {
      return registry_.left_rows() != 0;
    } else {
      return false;
    }
  }

  /// True if this is no living entity but the index may know rows of it. One test if the dead have left no rows.
  [[nodiscard]] bool is_hidden([[maybe_unused]] entity_type entity) const noexcept {
    if constexpr (is_lazy) {
      return has_left_rows() && !registry_.alive(entity);
    } else {
      return false;
    }
  }

  /// Rows that belong to the living.
  template <std::size_t P>
  [[nodiscard]] std::size_t owned_rows() const noexcept {
    if constexpr (is_lazy) {
      return pool<P>().size() - registry_.left_rows(P);
    } else {
      return pool<P>().size();
    }
  }

  [[nodiscard]] bool is_of_dead([[maybe_unused]] EntityIndex owner, [[maybe_unused]] bool any_left) const noexcept {
    if constexpr (is_lazy) {
      return any_left && registry_.is_dead(owner);
    } else {
      return false;
    }
  }

  /// Takes the first run of rows whose owners live off `rows` of pool P. Without rows of the dead that is all of them.
  /// Empty if no owner lives.
  template <std::size_t P>
  [[nodiscard]] RowRange take_run(RowRange& rows, [[maybe_unused]] bool any_left) const noexcept {
    RowRange run = rows;
    if constexpr (is_lazy) {
      if (any_left) [[unlikely]] {
        const auto is_owned = [&](std::size_t row) { return !registry_.is_dead(pool<P>().owner(row)); };
        while (run.first < rows.end && !is_owned(run.first)) ++run.first;
        for (run.end = run.first; run.end < rows.end && is_owned(run.end);) ++run.end;
      }
      rows.first = run.end;
    }
    return run;
  }

  /// Calls `on_rows(run)` for each run of rows of pool P whose owners live.
  template <std::size_t P, class OnRows>
  void each_run(bool any_left, OnRows&& on_rows) const {
    RowRange rows{0, pool<P>().size()};
    do {
      if (const RowRange run = take_run<P>(rows, any_left); !run.empty()) on_rows(run);
    } while (is_lazy && !rows.empty());
  }

  /// An index that is given out again must not find rows of its last life.
  void end_left_rows(entity_type entity) noexcept {
    const EntityIndex index = entity.index();
    stowage::detail::for_each_index<pool_count>([&](auto pool) {
      if (registry_.template has_left_row<pool>(index))
        end_row<pool>(entity, row_index().template reader<pool>()(index));
    });
    registry_.begin(index);
  }

  /// Growing can wait while an eighth of the rows belong to the dead: ending so many pays for looking at all rows.
  template <std::size_t P>
  void sweep_before_growing(std::size_t more) noexcept {
    const std::size_t left = registry_.left_rows(P);
    const std::size_t rows = pool<P>().size();
    if (left != 0 && rows + more > pool<P>().capacity() && left >= rows / 8) sweep<P>();
  }

  // ---- looking up one of several

  template <class... Qs>
  [[nodiscard]] STOWAGE_COLD std::tuple<pointer<Qs>...> find_singles(entity_type entity) const noexcept {
    return {find_single<Qs>(entity)...};
  }

  /// Q of an entity whose rows in the pools of groups are known already.
  template <class Q>
  [[nodiscard]] pointer<Q> find_known(entity_type entity, const auto& rows) const noexcept {
    if constexpr (is_grouped<Q>) {
      const RowNumber row = rows[group_of<Q>];
      if (row != no_row) {
        note_writes<group_of<Q>, Q>(row, 1);
        return pool<group_of<Q>>().layout().template at<Q>(row);
      }
    }
    return find_single<Q>(entity);
  }

  template <class Q>
  [[nodiscard]] pointer<Q> find_single(entity_type entity) const noexcept {
    const auto column = pool<single_of<Q>>().layout().template cursor<Q>();
    const RowNumber row = row_index().template find<single_of<Q>>(entity);
    if constexpr (keeps_stamps<Layout>) {
      if (row != no_row) note_writes<single_of<Q>, Q>(row, 1);
    }
    return row != no_row ? address_of(column, row) : nullptr;
  }

  // ---- loops

  /// Walks the rows of the rarest component that Qs require and looks the others up.
  template <class... Qs, class Slice, class OnRow>
  void join(Slice& slice, OnRow&& on_row) const {
    constexpr bool with_groups = [] {
      if constexpr (stowage::detail::has_filters<Qs...>) {
        return true;
      } else {
        return !are_in_one_pool<Qs...>;
      }
    }();
    const std::array<std::size_t, sizeof...(Qs)> counts{rows_of<with_groups, Qs, Qs...>()...};
    const std::size_t rarest = static_cast<std::size_t>(std::ranges::min_element(counts) - counts.begin());
    std::size_t position = 0;
    ((position++ == rarest ? drive<with_groups, Qs, Qs...>(slice, on_row) : void()), ...);
  }

  /// Rows to walk if a term drives the loop: too many to choose it if it is not required.
  template <bool WithGroups, class Driver, class... Qs>
  [[nodiscard]] std::size_t rows_of() const noexcept {
    if constexpr (!stowage::detail::Term<Driver>::is_required) {
      return (std::numeric_limits<std::size_t>::max)();
    } else {
      using C = stowage::detail::component_of<Driver>;
      std::size_t rows = pool<single_of<C>>().size();
      if constexpr (WithGroups && is_grouped<C>)
        rows += is_excluded<group_of<C>, Qs...> ? 0 : pool<group_of<C>>().size();
      return rows;
    }
  }

  /// Whether all rows of a pool have what one of Qs excludes.
  template <std::size_t P, class... Qs>
  static constexpr bool is_excluded =
      ((stowage::detail::Term<Qs>::is_absent && Places::template holds_all<P, stowage::detail::component_of<Qs>>) ||
       ...);

  template <bool WithGroups, class Driver, class... Qs, class Slice, class OnRow>
  void drive(Slice& slice, OnRow& on_row) const {
    if constexpr (stowage::detail::Term<Driver>::is_required) {
      using C = stowage::detail::component_of<Driver>;
      if constexpr (WithGroups && is_grouped<C>) {
        if constexpr (!is_excluded<group_of<C>, Qs...>) drive_pool<group_of<C>, Qs...>(slice, on_row);
      }
      drive_pool<single_of<C>, Qs...>(slice, on_row);
    }
  }

  template <std::size_t P, class... Qs, class Slice, class OnRow>
  void drive_pool(Slice& slice, OnRow& on_row) const {
    if constexpr (is_changed_loop<Slice>) {
      const auto join = [&](RowRange rows) {
        join_rows<Qs...>(rows, pool<P>().layout().keys(), on_row, resolver<P, stowage::detail::asked_of<Qs>>()...);
      };
      for_each_changed<P>(slice, join, [&](std::size_t row) { join(RowRange{row, row + 1}); });
    } else {
      join_rows<Qs...>(slice.take(pool<P>().size()), pool<P>().layout().keys(), on_row,
                       resolver<P, stowage::detail::asked_of<Qs>>()...);
    }
  }

  /// Finds Q of the living entity that owns a row of pool P: in the same row, or through the index.
  template <std::size_t P, class Q>
  [[nodiscard]] auto resolver() const noexcept {
    if constexpr (Places::template holds_all<P, Q> && !std::is_const_v<Q> && records<Q>) {
      return [at = row_of_pool<P, Q>()](std::size_t row, EntityIndex) { return at(row); };
    } else if constexpr (Places::template holds_all<P, Q>) {
      return [column = pool<P>().layout().template cursor<Q>()](std::size_t row, EntityIndex) -> pointer<Q> {
        return address_of(column, row);
      };
    } else {
      return [find = finder<Q>()](std::size_t, EntityIndex owner) { return find(owner); };
    }
  }

  template <class PoolType, class Fn, class... Cs>
  static void visit_table(const PoolType& pool, RowRange run, Fn& fn, TypeList<Cs...>) {
    TableColumns<sizeof...(Cs)> columns;
    (columns.add(stowage::detail::component_id<Cs, SchemaType>,
                 pool.layout().template block<const Cs>(run.first, run.size())),
     ...);
    fn(RowTable{{pool.layout().keys() + run.first, run.size()}, 0, run.size(), columns.all(), true});
  }

  template <class C>
  void assert_row([[maybe_unused]] std::size_t row) const {
    STOWAGE_ASSERT(row < row_count<C>(), "rows are numbered from 0 to row_count() - 1");
  }

  // ---- room; what the index has to say of it is in parts/room.hpp

  template <std::size_t P>
  void make_room(std::size_t more) {
    if constexpr (is_lazy) sweep_before_growing<P>(more);
    pool<P>().template make_room<Room>(more);
    if constexpr (Room::fixed) row_index().template reserve<P>(pool<P>().capacity());
  }
  template <std::size_t P>
  void reserve_rows(std::size_t count) {
    pool<P>().template reserve<Room>(count);
    row_index().template reserve<P>(Room::fixed ? pool<P>().capacity() : count);
  }
  template <class... Cs>
  void reserve_for(std::size_t count, TypeList<Cs...>) {
    registry_.reserve(count);
    [&]<std::size_t... Ps>(std::index_sequence<Ps...>) {
      (reserve_rows<Ps>(count), ...);
    }(Places::template pools_for<Cs...>());
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

  /// `in_first_pool`: they are about to get rows in it.
  [[nodiscard]] NewEntities<entity_type> begin_lives(std::span<entity_type> out, [[maybe_unused]] bool in_first_pool) {
    const NewEntities<entity_type> entities = registry_.create(out);
    if constexpr (is_homed) {
      if (!in_first_pool) {
        for (const entity_type entity : out) row_index().template erase<0>(entity);
      }
    }
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

  void dismiss([[maybe_unused]] entity_type entity) noexcept {
    if constexpr (requires { index_.dismiss(entity); }) index_.dismiss(entity);
  }
  void end_life(entity_type entity) noexcept {
    dismiss(entity);
    registry_.destroy(entity);
  }

  // ---- create: everything that may throw comes before the first commit, and is undone if something else throws. The
  // index sequences say in which pools the entities have rows.

  template <class... Cs>
  [[nodiscard]] static auto home_for() noexcept {
    return Places::template pools_for<Cs...>();
  }
  template <std::size_t... Ps>
  [[nodiscard]] bool has_room(std::index_sequence<Ps...>) const noexcept {
    return !(pool<Ps>().full() || ...);
  }
  /// True if a new life may end rows of the last one, whose holes other rows fill.
  [[nodiscard]] bool moves_rows_first() const noexcept { return has_left_rows(); }
  template <std::size_t... Ps>
  void make_room(std::index_sequence<Ps...>, [[maybe_unused]] std::size_t more) {
    (make_room<Ps>(more), ...);
  }
  template <std::size_t... Ps, class... Cs>
  void place([[maybe_unused]] std::index_sequence<Ps...> taken, [[maybe_unused]] entity_type entity,
             Cs&&... components) {
    [[maybe_unused]] auto arguments = std::forward_as_tuple(std::forward<Cs>(components)...);
    if constexpr (sizeof...(Ps) > 0) place_rows<Ps...>(entity, arguments);
  }

  /// Needs room.
  template <std::size_t P, std::size_t... Rest, class Arguments>
  void place_rows(entity_type entity, Arguments& arguments) {
    pool<P>().construct_next(arguments);
    OnFailure abandon([&] { pool<P>().abandon_next(); });
    row_index().template insert<P>(entity, static_cast<RowNumber>(pool<P>().size()));
    OnFailure forget([&] { row_index().template erase<P>(entity); });
    if constexpr (sizeof...(Rest) > 0) place_rows<Rest...>(entity, arguments);
    abandon.release();
    forget.release();
    commit<P>(entity);
  }

  /// What is copied comes first, to where no row is yet, because the columns may turn out to be unsound. What is moved
  /// comes last, when nothing can fail any more. If a new life may end rows of the last one (lazy pools), both come
  /// last.
  void create_many(std::span<entity_type> out, const ComponentColumns<SchemaType>& columns) {
    const auto for_each_taken = [&](auto&& visit_pool) {
      stowage::detail::for_each_index<pool_count>([&](auto p) {
        if (takes_row<p>(columns)) visit_pool(p);
      });
    };
    const auto copy_columns = [&] { for_each_taken([&](auto p) { pool<p>().copy_many(columns); }); };
    for_each_taken([&](auto p) { make_room<p>(out.size()); });
    if constexpr (copies_columns_first) {
      copy_columns();
      columns.check_copies();
    }
    const NewEntities<entity_type> entities = begin_lives(out, takes_row<0>(columns));
    std::size_t indexed = 0;  // pools whose index knows the new rows
    OnFailure undo([&] {
      for_each_taken([&](auto p) {
        if (p >= indexed) return;
        for (const entity_type entity : out) row_index().template erase<p>(entity);
      });
      for (const entity_type entity : out) end_life(entity);
    });
    for_each_taken([&](auto p) {
      row_index().template insert<p>(entities, static_cast<RowNumber>(pool<p>().size()));
      indexed = p + 1;
    });
    undo.release();
    if constexpr (!copies_columns_first) copy_columns();
    for_each_taken([&](auto p) {
      pool<p>().move_many(columns);
      commit<p>(entities);
    });
  }

  /// Whether entities that have exactly these columns have a row in pool P.
  template <std::size_t P>
  [[nodiscard]] static bool takes_row(const ComponentColumns<SchemaType>& columns) noexcept {
    if constexpr (P < Places::group_count) {
      return has_all(columns, Members<P>{});
    } else {
      using C = stowage::detail::element_at<0, Members<P>>;
      if constexpr (is_grouped<C>) {
        if (has_all(columns, Members<group_of<C>>{})) return false;
      }
      return columns.template has<C>();
    }
  }
  template <class... Cs>
  [[nodiscard]] static bool has_all(const ComponentColumns<SchemaType>& columns, TypeList<Cs...>) noexcept {
    return (columns.template has<Cs>() && ...);
  }

  /// Room for the row after the last, which the index knows already.
  template <std::size_t P>
  void add_row(entity_type entity) {
    make_room<P>(1);
    row_index().template insert<P>(entity, static_cast<RowNumber>(pool<P>().size()));
  }

  /// Completes what add_row() began in the single pool of C.
  template <class C>
  reference<C> fill_row(entity_type entity, C&& component) noexcept {
    constexpr std::size_t single = single_of<C>;
    pool<single>().note_gain();
    pool<single>().template construct_one<C>(std::move(component));
    return *pool<single>().layout().template at<C>(commit<single>(entity));
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

  // ---- destroy and remove

  /// Ends all rows of the entity, which the registry forgets. `home` is its row in the first pool, if that is homed. An
  /// entity with a row in the pool of a group has none in those of its members. Inlined, because as a function of its
  /// own it takes a tenth more instructions than the rest of destroy().
  template <std::size_t... Ps>
  STOWAGE_INLINE void erase_rows(entity_type entity, RowNumber home, std::index_sequence<Ps...>) noexcept {
    // for_each_index(), whose function would not be inlined
    static_cast<void>(std::initializer_list<int>{0, (static_cast<void>(erase_rows_in<Ps>(entity, home)), 0)...});
  }
  template <std::size_t P>
  STOWAGE_INLINE void erase_rows_in(entity_type entity, RowNumber home) noexcept {
    if constexpr (P < Places::group_count) {
      if (!erase_row_at_end_of_life<P>(entity, home)) erase_single_rows(entity, Members<P>{});
    } else if constexpr (!is_grouped<stowage::detail::element_at<0, Members<P>>>) {
      erase_row_at_end_of_life<P>(entity, home);
    }
  }
  template <std::size_t P>
  STOWAGE_INLINE bool erase_row_at_end_of_life(entity_type entity, [[maybe_unused]] RowNumber home) noexcept {
    if constexpr (is_homed && P == 0) {
      if (home == no_row) return false;
      pool<P>().erase(home, tell_index<P>());
      return true;
    } else {
      return erase_row<P>(entity);
    }
  }
  template <class... Cs>
  void erase_single_rows(entity_type entity, TypeList<Cs...>) noexcept {
    (erase_row<single_of<Cs>>(entity), ...);
  }

  /// Ends the entity's row in pool P; false when it has none.
  template <std::size_t P>
  bool erase_row(entity_type entity) noexcept {
    if (pool<P>().size() == 0) return false;
    const RowNumber row = take_row<P>(entity);
    if (row == no_row) return false;
    if constexpr (is_lazy) registry_.template forget_row<P>(entity.index());
    pool<P>().erase(row, tell_index<P>());
    return true;
  }

  /// Finds the entity's row and has the index forget it: in one lookup if the index can.
  template <std::size_t P>
  [[nodiscard]] RowNumber take_row(entity_type entity) noexcept {
    if constexpr (requires { index_.template take<P>(entity); }) {
      return index_.template take<P>(entity);
    } else {
      const RowNumber row = row_index().template find<P>(entity);
      if (row != no_row) row_index().template erase<P>(entity);
      return row;
    }
  }

  /// Ends a row that the index has in pool P.
  template <std::size_t P>
  void end_row(entity_type entity, RowNumber row) noexcept {
    row_index().template erase<P>(entity);
    if constexpr (is_lazy) registry_.template forget_row<P>(entity.index());
    pool<P>().erase(row, tell_index<P>());
  }

  /// Tells the index where a row of pool P has gone.
  template <std::size_t P>
  [[nodiscard]] auto tell_index() noexcept {
    return [this](EntityIndex owner, std::size_t row) {
      row_index().template assign<P>(owner, static_cast<RowNumber>(row));
    };
  }

  template <std::size_t P>
  void order_pool(std::span<const entity_type> order) noexcept {
    std::size_t next = 0;
    for (const entity_type entity : order) {
      const RowNumber row = is_hidden(entity) ? no_row : row_index().template find<P>(entity);
      if (row == no_row || row < next) continue;
      if (row != next) pool<P>().swap_rows(next, row, tell_index<P>());
      ++next;
    }
  }

  // ---- emplace and remove: the members of a group move to its pool when it is complete, and back when it no longer is

  template <std::size_t P, class C>
  reference<C> replace(RowNumber row, C&& component) noexcept {
    pool<P>().replace(row, std::move(component));
    return *pool<P>().layout().template at<C>(row);
  }

  /// Constructs the C of the row after the last, which the index knows then: in its place, or elsewhere if the pool has
  /// to grow, because the arguments may refer to rows that move.
  template <std::size_t P, class C, class... Arguments>
  void add_row(entity_type entity, Arguments&&... arguments) {
    if (stowage::detail::knows_no_place<C> || pool<P>().full()) {
      C component = stowage::detail::make<C>(std::forward<Arguments>(arguments)...);
      add_row<P>(entity);
      pool<P>().template construct_one<C>(std::move(component));
    } else {
      pool<P>().template construct_one<C>(std::forward<Arguments>(arguments)...);
      OnFailure abandon([&] { pool<P>().template abandon_one<C>(); });
      add_row<P>(entity);
      abandon.release();
    }
  }

  /// True when the entity has every component of the group but C.
  template <class C, class... Gs>
  [[nodiscard]] bool completes_group(entity_type entity, TypeList<Gs...>) const noexcept {
    return ((std::is_same_v<Gs, C> || row_index().template find<single_of<Gs>>(entity) != no_row) && ...);
  }

  /// Moves the other members of a group that C has just completed from their single pools to the group's, where
  /// add_row() has put C.
  template <std::size_t G, class C, class... Gs>
  reference<C> gather(entity_type entity, TypeList<Gs...>) noexcept {
    pool<G>().note_gain();
    const auto take = [&]<class Member>(TypeList<Member>) {
      if constexpr (!std::is_same_v<Member, C>) {
        constexpr std::size_t single = single_of<Member>;
        const RowNumber row = row_index().template find<single>(entity);
        pool<G>().template construct_one<Member>(
            static_cast<Member&&>(*pool<single>().layout().template at<Member>(row)));
        carry_stamp<Member, single, G>(row);
        end_row<single>(entity, row);
      }
    };
    (take(TypeList<Gs>{}), ...);
    return *pool<G>().layout().template at<C>(commit<G>(entity));
  }

  /// C has moved from a row of one pool to the row after the last of another, and was not written.
  template <class C, std::size_t From, std::size_t To>
  void carry_stamp([[maybe_unused]] RowNumber row) const noexcept {
    if constexpr (records<C>) {
      pool<To>().layout().template stamps<C>()[pool<To>().size()] = pool<From>().layout().template stamps<C>()[row];
    }
  }

  /// C leaves a complete group: the other members move to their single pools.
  template <std::size_t G, class C, class... Gs>
  void scatter(entity_type entity, RowNumber row, TypeList<Gs...> members) {
    add_single_rows<C, Gs...>(entity);
    fill_single_rows<G, C>(entity, row, members);
  }
  /// The same for all rows of the group's pool, whose owners are these, the last one first.
  template <std::size_t G, class C, class... Gs>
  void scatter_all(std::span<const entity_type> owners, TypeList<Gs...> members) {
    add_single_rows_for_all<C, Gs...>(NewEntities<entity_type>{owners});
    for (const entity_type owner : owners) {
      fill_single_rows<G, C>(owner, static_cast<RowNumber>(pool<G>().size() - 1), members);
    }
  }

  /// Completes what add_single_rows() began.
  template <std::size_t G, class C, class... Gs>
  void fill_single_rows(entity_type entity, RowNumber row, TypeList<Gs...>) noexcept {
    const auto leave = [&]<class Member>(TypeList<Member>) {
      if constexpr (!std::is_same_v<Member, C>) {
        constexpr std::size_t single = single_of<Member>;
        pool<single>().template construct_one<Member>(
            static_cast<Member&&>(*pool<G>().layout().template at<Member>(row)));
        carry_stamp<Member, G, single>(row);
        commit<single>(entity);
      }
    };
    (leave(TypeList<Gs>{}), ...);
    end_row<G>(entity, row);
  }

  /// add_row() for every member but C, all or none.
  template <class C, class Member, class... Rest>
  void add_single_rows(entity_type entity) {
    if constexpr (std::is_same_v<Member, C>) {
      if constexpr (sizeof...(Rest) > 0) add_single_rows<C, Rest...>(entity);
    } else {
      add_row<single_of<Member>>(entity);
      if constexpr (sizeof...(Rest) > 0) {
        OnFailure forget([&] { row_index().template erase<single_of<Member>>(entity); });
        add_single_rows<C, Rest...>(entity);
        forget.release();
      }
    }
  }
  template <class C, class Member, class... Rest>
  void add_single_rows_for_all(const NewEntities<entity_type>& owners) {
    constexpr std::size_t single = single_of<Member>;
    if constexpr (!std::is_same_v<Member, C>) {
      make_room<single>(owners.size());
      row_index().template insert<single>(owners, static_cast<RowNumber>(pool<single>().size()));
    }
    OnFailure forget([&] {
      if constexpr (!std::is_same_v<Member, C>) {
        for (const entity_type owner : owners.handles) row_index().template erase<single>(owner);
      }
    });
    if constexpr (sizeof...(Rest) > 0) add_single_rows_for_all<C, Rest...>(owners);
    forget.release();
  }

  void end_rows() noexcept {
    stowage::detail::for_each_index<pool_count>([&](auto p) { pool<p>().clear(); });
    index_.clear();
  }
  /// O(rows), as bytes.
  void copy_rows(const PoolStorage& other) {
    index_.copy_from(other.index_);
    stowage::detail::for_each_index<pool_count>([&](auto p) { pool<p>().copy_from(other.template pool<p>()); });
  }

  Index index_;
  typename PoolTuple<typename Places::pools>::type pools_;

  IterationGuard guard_;
};

}  // namespace stowage::parts
