#pragma once

// The storage contract over packed pools: what indirection maps, hash indices and offset tables have in common.

#include <optional>

#include <stowage/parts/packed_semantics.hpp>
#include <stowage/parts/pool_rows.hpp>

namespace stowage::parts {

/// An insertion sort in both directions: rows that are equal keep their order. `comes_before(row, other)` compares two
/// rows, and `move(from, to)` moves one past all in between. O(rows + places that rows move by).
template <class ComesBefore, class Move>
void sort_rows(std::size_t rows, ComesBefore comes_before, Move move) {
  for (std::size_t row = 1; row < rows;) {  // those before are in order
    if (!comes_before(row, row - 1)) {
      ++row;
    } else if (row == 1 || !comes_before(row, row - 2)) {  // the one before has to go back
      std::size_t to = row;
      while (to + 1 < rows && comes_before(to + 1, row - 1)) ++to;
      move(row - 1, to);
    } else {
      std::size_t to = row - 2;
      while (to != 0 && comes_before(row, to - 1)) --to;
      move(row, to);
      ++row;
    }
  }
}

/// `IndexPolicy` takes an entity to a row, `LayoutPolicy` takes a row to bytes, and `Places` says which pools there
/// are. A strategy is a choice of these. PoolRows (pool_rows.hpp) has the rows, finding and loops.
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
///
/// A strategy with a form of its own of some of these functions names itself as `Derived` and this class and its bases
/// as friends: see indirection_map_lazy.hpp. What is called by self() is looked for there first.
template <class SchemaType, class Registry, class IndexPolicy, class LayoutPolicy, class Places = Placement<SchemaType>,
          class Derived = void>
class PoolStorage
    : public PoolRows<std::conditional_t<std::is_void_v<Derived>,
                                         PoolStorage<SchemaType, Registry, IndexPolicy, LayoutPolicy, Places>, Derived>,
                      SchemaType, Registry, IndexPolicy, LayoutPolicy, Places> {
 protected:
  using Rows = typename PoolStorage::PoolRows;
  using Forms = typename Rows::Forms;
  friend Forms;
  using Self = std::conditional_t<std::is_void_v<Derived>, PoolStorage, Derived>;

  using Rows::guard_;
  using Rows::index_;
  using Rows::is_homed;
  using Rows::pool_count;
  using Rows::registry_;
  using Rows::row_index;
  using Rows::self;
  using typename Rows::Room;

  template <std::size_t P>
  using Members = typename Places::template pool_components<P>;
  template <class C>
  static constexpr bool is_grouped = Places::template is_grouped<C>;
  template <class C>
  static constexpr std::size_t group_of = Places::template group_pool<C>;
  template <class C>
  static constexpr std::size_t single_of = Places::template single_pool<C>;

  template <std::size_t P>
  [[nodiscard]] auto& pool() noexcept {
    return Rows::template pool<P>();
  }
  template <std::size_t P>
  [[nodiscard]] const auto& pool() const noexcept {
    return Rows::template pool<P>();
  }

 public:
  using typename Rows::entity_type;
  template <class C>
  using reference = typename Rows::template reference<C>;

  /// A strategy that promises something else hides it.
  static constexpr SemanticsCard semantics = packed_pool_semantics;
  /// See ComponentColumns::check_copies().
  static constexpr bool copies_columns_first = true;

  PoolStorage() = default;

  bool destroy(entity_type entity) {
    guard_.assert_no_loop();
    if constexpr (is_homed) {
      const RowNumber home = row_index().template find<0>(entity);
      if (home == no_row && !registry_.alive(entity)) return false;
      announce_end(registry_, entity);
      erase_rows(entity, home, std::make_index_sequence<pool_count>{});
      registry_.end(entity);
    } else {
      if (!announce_and_end(registry_, entity)) return false;
      erase_rows(entity, no_row, std::make_index_sequence<pool_count>{});
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
      if (has_singles(entity, Others<C>{})) {
        add_row<group_of<C>, C>(entity, std::forward<Arguments>(arguments)...);
        return gather<C>(entity, Others<C>{});
      }
    }
    add_row<single_of<C>, C>(entity, std::forward<Arguments>(arguments)...);
    pool<single_of<C>>().note_gain();
    return *pool<single_of<C>>().layout().template at<C>(self().template commit<single_of<C>>(entity));
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_loop();
    if (self().is_hidden(entity)) return false;
    if constexpr (is_grouped<C>) {
      if (const RowNumber row = row_index().template find<group_of<C>>(entity); row != no_row) {
        add_single_rows(entity, Others<C>{});
        fill_single_rows<group_of<C>>(entity, row, Others<C>{});
        return true;
      }
    }
    return erase_row<single_of<C>>(entity);
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

  template <class C>
  static constexpr bool sorts_rows = ComponentsOf<SchemaType, C> && !Self::leaves_rows;

  /// Puts the rows of C, with all that is in the same pool, in the order that `less(c, other)` says: things to draw by
  /// their depth, which changes a little in each frame. The rows of complete groups come before those of the others,
  /// and each are sorted by themselves. O(rows + places that rows move by), a map entry for each place: order_rows()
  /// takes less time if the rows are in another order altogether. `less` must not throw. Invalidates pointers to rows
  /// of these pools; handles find what they found before.
  template <class C, class Less>
    requires sorts_rows<C>
  void sort_rows(Less less) {
    guard_.assert_no_loop();
    sort_pool<Rows::template first_pool<C>, C>(less);
    if constexpr (is_grouped<C>) sort_pool<single_of<C>, C>(less);
  }

  // ---- The rows of a component as a packed, ordered array: what a system needs that keeps parents before children, or
  // things to draw from back to front. Only for components in no group, whose rows are one array: those of a grouped
  // one are in two pools, and an entity's row changes from one to the other with its other components. Rows are
  // numbered from 0 to row_count<C>() - 1, the order in which `each` visits. A row number, like a pointer, is good
  // until the next structural change of this component. Source: Wicked Engine's ComponentManager (GetCount, GetEntity,
  // operator[], GetIndex, Remove_KeepSorted, MoveItem).

  template <class C>
  static constexpr bool is_ordered =
      ComponentsOf<SchemaType, C> && !Placement<SchemaType>::template is_grouped<C> && !Self::leaves_rows;

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
    self().template note_writes<single_of<C>, C>(row, 1);
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
  /// The other members of complete groups need rows of their own, which they get all together.
  template <class C>
  void remove_from_all() {
    if constexpr (!is_grouped<C>) {
      Forms::template remove_from_all<C>();
    } else {
      guard_.assert_no_loop();
      std::vector<entity_type> owners = this->template owners_of<C>();  // the group's pool is the first that has C
      const std::span in_group = std::span(owners).first(pool<group_of<C>>().size());
      std::ranges::reverse(in_group);
      add_single_rows(NewEntities<entity_type>{in_group}, Others<C>{});
      for (const entity_type owner : in_group) {
        const std::size_t last = pool<group_of<C>>().size() - 1;
        fill_single_rows<group_of<C>>(owner, static_cast<RowNumber>(last), Others<C>{});
      }
      for (std::size_t i = owners.size(); i-- != in_group.size();) erase_row<single_of<C>>(owners[i]);
    }
  }

  /// Over a registry that refers to another's: see hybrid.hpp.
  explicit PoolStorage(const typename Rows::Lives& registry) : Rows(registry) {}

  template <class C>
  void assert_row([[maybe_unused]] std::size_t row) const {
    STOWAGE_ASSERT(row < row_count<C>(), "rows are numbered from 0 to row_count() - 1");
  }

  // ---- room; what the index has to say of it is in parts/room.hpp

  template <std::size_t P>
  void make_room(std::size_t more) {
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
    admit(entity, [&] { registry_.destroy(entity); });
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
    admit(entities, [&] {
      for (const entity_type entity : out) registry_.destroy(entity);
    });
    return entities;
  }

  template <class Entities, class EndLives>
  void admit([[maybe_unused]] const Entities& entities, [[maybe_unused]] const EndLives& end_lives) {
    if constexpr (requires { index_.admit(entities); }) {
      OnFailure undo(end_lives);
      index_.admit(entities);
      undo.release();
    }
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
  template <std::size_t... Ps>
  void make_room(std::index_sequence<Ps...>, [[maybe_unused]] std::size_t more) {
    (self().template make_room<Ps>(more), ...);
  }
  template <std::size_t... Ps, class... Cs>
  void place(std::index_sequence<Ps...>, entity_type entity, Cs&&... components) {
    auto arguments = std::forward_as_tuple(std::forward<Cs>(components)...);
    place_rows<Ps...>(entity, arguments);
  }

  /// Needs room.
  template <std::size_t P, std::size_t... Rest, class Arguments>
  void place_rows(entity_type entity, Arguments& arguments) {
    pool<P>().construct_next(arguments);
    OnFailure abandon([&] { pool<P>().abandon_next(); });
    row_index().template insert<P>(entity, static_cast<RowNumber>(pool<P>().size()));
    OnFailure forget([&] { row_index().template erase<P>(entity); });
    place_rows<Rest...>(entity, arguments);
    abandon.release();
    forget.release();
    self().template commit<P>(entity);
  }
  template <class Arguments>
  static void place_rows(entity_type, Arguments&) noexcept {}

  /// What is copied comes first, to where no row is yet, because the columns may turn out to be unsound. What is moved
  /// comes last, when nothing can fail any more. If a new life may end rows of the last one, both come last.
  void create_many(std::span<entity_type> out, const ComponentColumns<SchemaType>& columns) {
    const auto for_each_taken = [&](auto&& visit_pool) {
      stowage::detail::for_each_index<pool_count>([&](auto p) {
        if (takes_row<p>(columns)) visit_pool(p);
      });
    };
    const auto copy_columns = [&] { for_each_taken([&](auto p) { pool<p>().copy_many(columns); }); };
    for_each_taken([&](auto p) { self().template make_room<p>(out.size()); });
    if constexpr (Self::copies_columns_first) {
      copy_columns();
      columns.check_copies();
    }
    const NewEntities<entity_type> entities = self().begin_lives(out, takes_row<0>(columns));
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
    if constexpr (!Self::copies_columns_first) copy_columns();
    for_each_taken([&](auto p) {
      pool<p>().move_many(columns);
      self().template commit<p>(entities);
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
    self().template make_room<P>(1);
    row_index().template insert<P>(entity, static_cast<RowNumber>(pool<P>().size()));
  }

  /// Completes what add_row() began in the single pool of C.
  template <class C>
  reference<C> fill_row(entity_type entity, C&& component) noexcept {
    constexpr std::size_t single = single_of<C>;
    pool<single>().note_gain();
    pool<single>().template construct_one<C>(std::move(component));
    return *pool<single>().layout().template at<C>(self().template commit<single>(entity));
  }

  /// The row after the last is complete. Returns its number.
  template <std::size_t P>
  std::size_t commit(entity_type entity) noexcept {
    return pool<P>().commit(entity.index());
  }
  template <std::size_t P>
  void commit(const NewEntities<entity_type>& entities) noexcept {
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
    self().template forget_row<P>(entity.index());
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
    self().template forget_row<P>(entity.index());
    pool<P>().erase(row, tell_index<P>());
  }
  /// The index knows a row of pool P no longer; a registry that does may forget it, too.
  template <std::size_t P>
  static void forget_row(EntityIndex) noexcept {}

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
      const RowNumber row = self().is_hidden(entity) ? no_row : row_index().template find<P>(entity);
      if (row == no_row || row < next) continue;
      if (row != next) pool<P>().swap_rows(next, row, tell_index<P>());
      ++next;
    }
  }

  template <std::size_t P, class C, class Less>
  void sort_pool(Less& less) noexcept {
    const auto column = pool<P>().layout().template cursor<const C>();
    parts::sort_rows(
        pool<P>().size(),
        [&](std::size_t row, std::size_t other) {
          return less(static_cast<const C&>(column[row]), static_cast<const C&>(column[other]));
        },
        [&](std::size_t from, std::size_t to) { pool<P>().move_row(from, to, tell_index<P>()); });
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

  /// The members of C's group but C.
  template <class C, class... Gs>
  static stowage::detail::concatenated<stowage::detail::TypeListIf<!std::is_same_v<Gs, C>, Gs>...> others_of(
      TypeList<Gs...>);
  template <class C>
  using Others = decltype(others_of<C>(Members<group_of<C>>{}));

  /// True when the entity has each of Gs in its single pool.
  template <class... Gs>
  [[nodiscard]] bool has_singles(entity_type entity, TypeList<Gs...>) const noexcept {
    return ((row_index().template find<single_of<Gs>>(entity) != no_row) && ...);
  }

  /// Moves the other members of a group that C has just completed from their single pools to the group's, where
  /// add_row() has put C.
  template <class C, class... Gs>
  reference<C> gather(entity_type entity, TypeList<Gs...>) noexcept {
    constexpr std::size_t group = group_of<C>;
    pool<group>().note_gain();
    [[maybe_unused]] const auto take = [&]<class Member>(TypeList<Member>) {
      constexpr std::size_t single = single_of<Member>;
      const RowNumber row = row_index().template find<single>(entity);
      pool<group>().template construct_one<Member>(
          static_cast<Member&&>(*pool<single>().layout().template at<Member>(row)));
      self().template carry_stamp<Member, single, group>(row);
      end_row<single>(entity, row);
    };
    (take(TypeList<Gs>{}), ...);
    return *pool<group>().layout().template at<C>(self().template commit<group>(entity));
  }

  /// C has moved from a row of one pool to the row after the last of another, and was not written.
  template <class C, std::size_t From, std::size_t To>
  static void carry_stamp(RowNumber) noexcept {}

  /// Moves these members of a group, which is no longer complete, to the single pools, where add_single_rows() has made
  /// rows for them.
  template <std::size_t G, class... Gs>
  void fill_single_rows(entity_type entity, RowNumber row, TypeList<Gs...>) noexcept {
    [[maybe_unused]] const auto leave = [&]<class Member>(TypeList<Member>) {
      constexpr std::size_t single = single_of<Member>;
      pool<single>().template construct_one<Member>(
          static_cast<Member&&>(*pool<G>().layout().template at<Member>(row)));
      self().template carry_stamp<Member, G, single>(row);
      self().template commit<single>(entity);
    };
    (leave(TypeList<Gs>{}), ...);
    end_row<G>(entity, row);
  }

  /// add_row() for every member, all or none.
  template <class Member, class... Rest>
  void add_single_rows(entity_type entity, TypeList<Member, Rest...>) {
    add_row<single_of<Member>>(entity);
    OnFailure forget([&] { row_index().template erase<single_of<Member>>(entity); });
    add_single_rows(entity, TypeList<Rest...>{});
    forget.release();
  }
  template <class Member, class... Rest>
  void add_single_rows(const NewEntities<entity_type>& owners, TypeList<Member, Rest...>) {
    constexpr std::size_t single = single_of<Member>;
    self().template make_room<single>(owners.size());
    row_index().template insert<single>(owners, static_cast<RowNumber>(pool<single>().size()));
    OnFailure forget([&] {
      for (const entity_type owner : owners.handles) row_index().template erase<single>(owner);
    });
    add_single_rows(owners, TypeList<Rest...>{});
    forget.release();
  }
  template <class Entities>
  static void add_single_rows(const Entities&, TypeList<>) noexcept {}
};

}  // namespace stowage::parts
