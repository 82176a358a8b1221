#pragma once

// The rows of packed pools: the index and the arrays, finding, loops, and what they take. See pool_storage.hpp.

#include <stowage/parts/flat_tuple.hpp>
#include <stowage/parts/index/homed.hpp>
#include <stowage/parts/placement.hpp>
#include <stowage/parts/pool.hpp>
#include <stowage/parts/row_number.hpp>
#include <stowage/parts/storage_forms.hpp>

namespace stowage::parts {

/// The pointer that a program is shown of what was found: see indirection_map_changed.hpp for another form.
template <class Pointer>
[[nodiscard]] Pointer written(Pointer found) noexcept {
  return found;
}

/// What a PoolStorage does without changing anything. `Self` is the storage: see there.
template <class Self, class SchemaType, class Registry, class IndexPolicy, class LayoutPolicy, class Places>
class PoolRows : public StorageForms<Self, SchemaType, Registry> {
 protected:
  using Forms = StorageForms<Self, SchemaType, Registry>;
  friend Forms;
  using Forms::self;

  /// The types that a layout gives for a component are the same in every pool.
  using Layout = AnyLayout<LayoutPolicy, SchemaType>;
  static constexpr std::size_t pool_count = Places::pool_count;

  template <class... Cs>
  static Pool<LayoutPolicy, Cs...> pool_with(TypeList<Cs...>);
  template <class... Lists>
  static FlatTuple<decltype(pool_with(Lists{}))...> pools_with(TypeList<Lists...>);
  template <std::size_t P>
  using Members = typename Places::template pool_components<P>;
  using Index = typename IndexPolicy::template index<typename Registry::entity_type, pool_count>;
  /// Whether the first pool is indexed by the registry: see HomedIndex.
  static constexpr bool is_homed = HomedIn<Index, Registry>;
  using Lives = typename RegistryWith<Index, Registry>::type;
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
  static constexpr std::size_t row_limit = std::min<std::uint64_t>(Room::most_rows, entity_type::max_entities);
  static constexpr bool copies_rows = requires(Index& index) { index.copy_from(index); };

  /// A table for each pool, or for each run of its rows.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const IterationGuard::Scope<NoChange> looping(guard_);
    const bool any_left = self().has_left_rows();
    stowage::detail::for_each_index<pool_count>(
        [&](auto p) { each_run<p>(any_left, [&](RowRange run) { visit_table(pool<p>(), run, fn, Members<p>{}); }); });
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t rows = self().template owned_rows<single_of<C>>();
    if constexpr (is_grouped<C>) rows += self().template owned_rows<group_of<C>>();
    return rows;
  }

  /// See contract/lines.hpp; Qs belong to one group, or are one component that belongs to none.
  template <class... Qs>
    requires(are_in_one_pool<Qs...>)
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    constexpr std::size_t home = home_of<Qs...>;
    using Home = decltype(pool_with(Members<home>{}));
    return Index::template lookup_lines<home>() + Home::layout_type::template lookup_lines<Qs...>();
  }
  /// The same of several components that belong to no group.
  template <class... Qs>
    requires(!are_in_one_pool<Qs...> && !(is_grouped<Qs> || ...))
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return (lookup_lines<Qs>() + ...);
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = registry_.memory();
    std::array<std::size_t, pool_count> rows{};
    stowage::detail::for_each_index<pool_count>([&](auto p) {
      rows[p] = self().template owned_rows<p>();
      bytes += pool<p>().memory(rows[p]);
    });
    if constexpr (is_homed) rows[0] = 0;
    return bytes + index_.memory(rows);
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

 protected:
  PoolRows() = default;
  explicit PoolRows(const Lives& registry) : registry_(registry) {}

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

  // ---- what a storage may have a form of its own of. If rows outlive their entities (see indirection_map_lazy.hpp):

  static constexpr bool leaves_rows = false;
  [[nodiscard]] static constexpr bool has_left_rows() noexcept { return false; }
  /// True if this is no living entity but the index may know rows of it.
  [[nodiscard]] static constexpr bool is_hidden(entity_type) noexcept { return false; }
  [[nodiscard]] static constexpr bool is_of_dead(EntityIndex, bool /*any_left*/) noexcept { return false; }
  /// Rows that belong to the living.
  template <std::size_t P>
  [[nodiscard]] std::size_t owned_rows() const noexcept {
    return pool<P>().size();
  }
  /// Takes the first run of rows whose owners live off `rows` of pool P. Empty if no owner lives.
  template <std::size_t P>
  [[nodiscard]] static RowRange take_run(const RowRange& rows, bool /*any_left*/) noexcept {
    return rows;
  }

  // ---- if it records what is written (see indirection_map_changed.hpp):

  /// The program may write to Qs, as far as they are not const, of `count` rows of pool P.
  template <std::size_t P, class... Qs>
  static void note_writes(std::size_t /*first*/, std::size_t /*count*/) noexcept {}

  /// Takes the index of a living entity to its Q, null if it has none. A value: see join_rows().
  template <class Q>
  [[nodiscard]] auto finder() const noexcept {
    if constexpr (!is_grouped<Q>) {
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

  /// Finds Q of the living entity that owns a row of pool P: in the same row, or through the index.
  template <std::size_t P, class Q>
  [[nodiscard]] auto resolver() const noexcept {
    if constexpr (Places::template holds_all<P, Q>) {
      return [column = pool<P>().layout().template cursor<Q>()](std::size_t row, EntityIndex) -> pointer<Q> {
        return address_of(column, row);
      };
    } else {
      return ByLookup{[find = self().template finder<Q>()](std::size_t, EntityIndex owner) { return find(owner); }};
    }
  }

  /// Visits the rows of pool P, and what else they have or a lookup of it.
  template <std::size_t P, class... Qs, class Slice, class OnRow>
  void drive_pool(Slice& slice, OnRow& on_row) const {
    join_rows<Qs...>(slice.take(pool<P>().size()), pool<P>().layout().keys(), on_row,
                     self().template resolver<P, stowage::detail::asked_of<Qs>>()...);
  }

  // ---- find: a complete group costs one lookup in the index, anything else one per component

  template <class... Qs>
  [[nodiscard]] std::tuple<pointer<Qs>...> look_up(entity_type entity) const noexcept {
    if (self().is_hidden(entity)) [[unlikely]]
      return {};
    if constexpr (are_in_one_pool<Qs...>) {
      constexpr std::size_t home = home_of<Qs...>;
      // columns are read before the test, so that a loop of lookups keeps them in registers
      const std::tuple columns(pool<home>().layout().template cursor<Qs>()...);
      const RowNumber row = row_index().template find<home>(entity);
      if (row != no_row) [[likely]] {
        self().template note_writes<home, Qs...>(row, 1);
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
        self().template note_writes<group_of<Q>, Q>(row, 1);
        return pool<group_of<Q>>().layout().template at<Q>(row);
      }
    }
    return find_single<Q>(entity);
  }

  template <class Q>
  [[nodiscard]] pointer<Q> find_single(entity_type entity) const noexcept {
    const auto column = pool<single_of<Q>>().layout().template cursor<Q>();
    const RowNumber row = row_index().template find<single_of<Q>>(entity);
    if (row != no_row) self().template note_writes<single_of<Q>, Q>(row, 1);
    return row != no_row ? address_of(column, row) : nullptr;
  }

  // ---- each: the pools whose rows all have Qs as a whole, and of the others the rows of the rarest component

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_rows(Slice& slice, Fn& fn) const {
    const IterationGuard::Scope<Slice> looping(guard_);
    const bool any_left = self().has_left_rows();
    if constexpr (stowage::detail::has_filters<Qs...>) {
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
      if (self().is_of_dead(owner, any_left)) return;
      call_with_found<Qs...>(fn, [&] { return owner_for<Fn>(registry_, owner); }, written(found)...);
    });
  }

  /// The rows of a pool that all have Qs, run by run: if the dead have left none, all are one run.
  template <std::size_t P, class... Qs, class Slice, class Fn>
  void loop_pool(Slice& slice, bool any_left, Fn& fn) const {
    RowRange rows = slice.take(pool<P>().size());
    if (!rows.empty()) self().template note_writes<P, Qs...>(rows.first, rows.size());
    const auto& layout = pool<P>().layout();
    constexpr bool is_scalar = wants_scalar_loop<std::remove_cvref_t<decltype(layout)>>;
    const auto entity_of = [this, owners = layout.keys()](std::size_t row) {
      return owner_for<Fn>(registry_, owners[row]);
    };
    do {
      visit_rows<is_scalar>(self().template take_run<P>(rows, any_left), fn, entity_of,
                            layout.template cursor<Qs>()...);
    } while (Self::leaves_rows && !rows.empty());
  }

  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    const IterationGuard::Scope looping(guard_);
    const bool any_left = self().has_left_rows();
    if constexpr (are_in_one_pool<Qs...>) show_pool<home_of<Qs...>, Qs...>(any_left, fn);
    if constexpr (are_in_second_pool<Qs...>) show_pool<second_of<Qs...>, Qs...>(any_left, fn);
    if constexpr (are_in_several_pools<Qs...>) {
      WholeLoop all;
      join<Qs...>(all, [&, any_left](EntityIndex owner, auto... found) {
        if (!self().is_of_dead(owner, any_left)) show_one<Qs...>(fn, owner, written(found)...);
      });
    }
  }

  template <std::size_t P, class... Qs, class Fn>
  void show_pool(bool any_left, Fn& fn) const {
    each_run<P>(any_left, [&, &layout = pool<P>().layout()](RowRange run) {
      self().template note_writes<P, Qs...>(run.first, run.size());
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

  /// Calls `on_rows(run)` for each run of rows of pool P whose owners live.
  template <std::size_t P, class OnRows>
  void each_run(bool any_left, OnRows&& on_rows) const {
    RowRange rows{0, pool<P>().size()};
    do {
      if (const RowRange run = self().template take_run<P>(rows, any_left); !run.empty()) on_rows(run);
    } while (Self::leaves_rows && !rows.empty());
  }

  template <class PoolType, class Fn, class... Cs>
  static void visit_table(const PoolType& pool, RowRange run, Fn& fn, TypeList<Cs...>) {
    TableColumns<sizeof...(Cs)> columns;
    (columns.add(stowage::detail::component_id<Cs, SchemaType>,
                 pool.layout().template block<const Cs>(run.first, run.size())),
     ...);
    fn(RowTable{{pool.layout().keys() + run.first, run.size()}, 0, run.size(), columns.all(), true});
  }

  // ---- joins

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
        if constexpr (!is_excluded<group_of<C>, Qs...>) self().template drive_pool<group_of<C>, Qs...>(slice, on_row);
      }
      self().template drive_pool<single_of<C>, Qs...>(slice, on_row);
    }
  }

  // ---- all rows

  void end_rows() noexcept {
    stowage::detail::for_each_index<pool_count>([&](auto p) { pool<p>().clear(); });
    index_.clear();
  }
  /// O(rows), as bytes.
  void copy_rows(const PoolRows& other) {
    index_.copy_from(other.index_);
    stowage::detail::for_each_index<pool_count>([&](auto p) { pool<p>().copy_from(other.template pool<p>()); });
  }

  Lives registry_;
  Index index_;
  decltype(pools_with(typename Places::pools{})) pools_;
  IterationGuard guard_;
};

}  // namespace stowage::parts
