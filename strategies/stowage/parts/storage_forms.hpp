#pragma once

// All that every storage uses: this and the headers of a storage's own parts are enough.

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/block_entities.hpp>
#include <stowage/contract/changes.hpp>
#include <stowage/contract/component_columns.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/contract/moves.hpp>
#include <stowage/contract/new_entities.hpp>
#include <stowage/contract/notifying_registry.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/iteration_guard.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/scattered_rows.hpp>

namespace stowage::parts {

/// Copies of components, one beside the other, out of which create(out, columns) moves them. No std::vector, which
/// would pack a bool.
template <class C>
class Copies {
  static_assert(std::is_copy_constructible_v<C>,
                "create(handles, columns...) and create_copies() copy components: ComponentColumns move them");

 public:
  Copies(std::size_t count, const C& component) : block_(count * sizeof(C), alignof(C)), count_(count) {
    std::uninitialized_fill_n(first(), count, component);
  }
  explicit Copies(std::span<const C> column) : block_(column.size_bytes(), alignof(C)), count_(column.size()) {
    std::uninitialized_copy_n(column.data(), count_, first());
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;
  ~Copies() { std::destroy_n(first(), count_); }

  [[nodiscard]] std::span<C> column() const noexcept { return {first(), count_}; }

 private:
  [[nodiscard]] C* first() const noexcept { return reinterpret_cast<C*>(block_.data()); }

  Block block_;
  std::size_t count_;
};

/// A column as it is: its components are copied as bytes.
template <class C>
class Column {
 public:
  explicit Column(std::span<const C> column) noexcept : column_(column) {}

  [[nodiscard]] std::span<const C> column() const noexcept { return column_; }

 private:
  std::span<const C> column_;
};
template <class C>
using GivenColumn = std::conditional_t<std::is_trivially_copyable_v<C>, Column<C>, Copies<C>>;

/// Contiguous handles that can be written to, and that are no component.
template <class Ids, class SchemaType, class EntityType>
concept HandlesOf =
    std::convertible_to<Ids, std::span<EntityType>> && !SchemaType::template contains<std::remove_cvref_t<Ids>>;
/// Contiguous components of one type.
template <class Column>
concept ReadableColumn = std::ranges::contiguous_range<Column> && std::ranges::sized_range<Column> &&
                         std::convertible_to<Column, std::span<const std::ranges::range_value_t<Column>>>;

/// The storage has `records<C>`, and it is true. A concept, because clang before 16 looks for a member that a requires
/// clause names while the storage is still incomplete.
template <class Storage, class C>
concept Recording = Storage::template records<C>;

/// A storage of which rows can be copied as they are: see copy_from(). A concept for the reason of Recording.
template <class Storage>
concept CopyingRows = Storage::copies_rows;

/// Which structural changes the function of each() may make. The semantics card says of which entities.
struct AllowedInLoops {
  bool create = false;
  bool destroy = false;
  bool change = false;
};

/// Derives the operations of the contract from a few functions of a storage. The storage derives from this class and
/// makes it a friend. It has its registry as `registry_` and an IterationGuard as `guard_`; `in_loops` says what loops
/// allow. If it writes one form of create_one(), clear() and so on, it names the others: `using Forms::clear`. Besides
/// emplace(), remove() and memory() it writes these functions:
///
///     look_up<Qs...>(entity) const           a tuple of pointers, null where there is none: find()
///     loop_rows<Qs...>(slice, fn) const      each(), each_step() and loop_steps(); for the slice see loop.hpp. Qs may
///                                            be filters: see query.hpp
///     reserve_for(count, TypeList<Cs...>)    reserve()
///     create_one()                           create()
///     end_life(entity) noexcept              destroy(): ends all that is kept of an entity that is alive
///     end_rows() noexcept                    clear(): ends what is kept of all entities, except in the registry
///     copy_rows(other)                       copy_from(), after the registry was copied; or `copies_rows` is false
///
/// It may also write these, if they take fewer instructions than what is derived here:
///
///     create_one(components...)              create(cs...)
///     create_many(out, columns)              all forms of create() for several entities; `out` is not empty
///     loop_blocks<Qs...>(fn) const           each_block(); derived: blocks of one
///     remove_from_all<C>()                   clear<C>(), which is not replaced itself: clang 16 does not see that one
///                                            clear<C>() hides another, and calls them ambiguous
///     each_table(fn), count<C>()             derived: a loop over each component
///
/// Instead of create_one() it may say where entities of equal components go; the strong guarantee is derived then:
///
///     home_for<Cs...>()                      the home, of any type, of entities that have Cs
///     has_room(home), make_room(home, more)  for another row, or several
///     place(home, entity, components...)     the row of an entity, all or nothing. Needs room
///     begin_life(), end_life(entity)         the life of an entity without rows, if that is more than the registry's
///     make_room_without<C>()                 makes room for clear<C>(), if remove<C>() needs room
///
/// `const Q` asks for a pointer or a reference to const. Loops are const, and several threads may run them at once. If
/// a loop keeps something for the next one, such as a list, other threads must be able to use it meanwhile.
template <class Self, class SchemaType, class Registry>
class StorageForms {
  using EntityType = typename Registry::entity_type;

 protected:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

 public:
  using schema_type = SchemaType;
  using entity_type = EntityType;
  // where components lie whole
  template <class C>
  using reference = C&;
  template <class C>
  using pointer = C*;

  [[nodiscard]] bool alive(EntityType entity) const noexcept { return self().registry_.alive(entity); }
  [[nodiscard]] EntityType entity_at(EntityIndex index) const noexcept { return self().registry_.entity_at(index); }
  [[nodiscard]] std::size_t size() const noexcept { return self().registry_.size(); }

  void reserve(std::size_t count) { self().reserve_for(count, typename SchemaType::components{}); }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void reserve(std::size_t count) {
    self().reserve_for(count, TypeList<Cs...>{});
  }

  /// Only over a registry with listeners, where it is their on_destroy().
  template <class Listener>
    requires Notifying<Registry>
  void on_destroy(Listener& listener) {
    self().registry_.on_destroy(listener);
  }

  // ---- create: one

  /// What may be done inside a loop: nothing, unless the storage says otherwise.
  static constexpr AllowedInLoops in_loops{};
  /// Whether components that fit registers are copied on their way to a row.
  static constexpr bool takes_copies = true;

  [[nodiscard]] EntityType create() {
    assert_allowed(Self::in_loops.create);
    return self().create_one();
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, stowage::detail::component_given_by<Cs>...>)
  EntityType create(Cs&&... components) {
    assert_allowed(Self::in_loops.create);
    return self().create_one(stowage::detail::as_component(std::forward<Cs>(components))...);
  }

  // ---- create: many at a time, from whatever is contiguous

  void create(std::span<EntityType> out, const ComponentColumns<SchemaType>& columns) {
    assert_allowed(Self::in_loops.create);
    STOWAGE_ASSERT(columns.rows() == out.size(), "every column has one component per new entity");
    if (!out.empty()) self().create_many(out, columns);
  }
  /// out.size() new entities; entity i takes columns[i] of every column. Handles and columns are any contiguous ranges.
  /// What is not trivially copyable is copied before anything changes. Without columns: entities without components.
  template <class Ids, class... Columns>
    requires(HandlesOf<Ids, SchemaType, EntityType> && (ReadableColumn<Columns> && ...) &&
             ComponentsOf<SchemaType, std::ranges::range_value_t<Columns>...>)
  void create(Ids&& out, Columns&&... columns) {
    create_from(out, GivenColumn<std::ranges::range_value_t<Columns>>(columns).column()...);
  }
  /// out.size() new entities, each with a copy of each of these components. Has a name of its own, because a component
  /// may be a range: create(out, text) would be one text for each, or a column of characters. Makes a column of
  /// copies first, as large as what it creates.
  template <class Ids, class... Cs>
    requires(HandlesOf<Ids, SchemaType, EntityType> && sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void create_copies(Ids&& out, const Cs&... components) {
    create_from(out, Copies<Cs>(std::ranges::size(out), components).column()...);
  }

  /// False, and nothing changes, if the entity is not alive.
  bool destroy(EntityType entity) {
    assert_allowed(Self::in_loops.destroy);
    if (!alive(entity)) return false;
    announce_end(self().registry_, entity);
    self().end_life(entity);
    return true;
  }

  // ---- all of several components; one component of all

  /// Whether the entity is alive and has all of Cs. One look-up, if the components lie together.
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  [[nodiscard]] bool contains(EntityType entity) const noexcept {
    return std::apply([](const auto&... found) { return ((found != nullptr) && ...); },
                      self().template look_up<const Cs...>(entity));
  }

  /// Removes C from every entity that has one. O(tables) + a remove<C>() for each. Strong guarantee: a storage whose
  /// remove<C>() may throw makes room first. Invalidates what remove<C>() does.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  void clear() {
    self().template remove_from_all<C>();
  }

  /// O(entities): a storage that is meant to be fast counts them.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t holders = 0;
    each<const C>([&](const C&) { ++holders; });
    return holders;
  }

  // ---- everything

  /// Trivially destructible components are not visited.
  void clear() {
    constexpr AllowedInLoops allowed = Self::in_loops;
    assert_allowed(allowed.create && allowed.destroy && allowed.change);
    announce_all_ends(self().registry_);
    self().end_rows();
    self().registry_.clear();
  }

  /// Whether there is copy_from(), for schemas of components that are copied as bytes.
  static constexpr bool copies_rows = true;

  /// O(entities + rows).
  void copy_from(const Self& other)
    requires(stowage::detail::copies_as_bytes<SchemaType> && CopyingRows<Self> &&
             requires(Registry& lives) { lives.copy_from(lives); })
  {
    self().guard_.assert_no_loop();
    OnFailure empty([this] { self().clear(); });
    self().registry_.copy_from(other.registry_);
    self().copy_rows(other);
    empty.release();
  }

  /// Tables of one component each.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const IterationGuard::Scope<NoChange> looping(self().guard_);
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) { tables_of<C>(fn); });
  }

  // ---- find: one component or several

  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] auto find(EntityType entity) noexcept {
    return std::get<0>(std::as_const(self()).template look_up<C>(entity));
  }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] auto find(EntityType entity) const noexcept {
    return std::get<0>(self().template look_up<const C>(entity));
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 1 && ComponentsOf<SchemaType, Cs...>)
  [[nodiscard]] auto find(EntityType entity) noexcept {
    return std::as_const(self()).template look_up<Cs...>(entity);
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 1 && ComponentsOf<SchemaType, Cs...>)
  [[nodiscard]] auto find(EntityType entity) const noexcept {
    return self().template look_up<const Cs...>(entity);
  }

  // ---- each: whole, in part, and in blocks

  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  STOWAGE_INLINE void each(Fn&& fn) {
    WholeLoop all;
    loop<Qs...>(std::as_const(self()), all, fn);
  }
  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  STOWAGE_INLINE void each(Fn&& fn) const {
    static_assert((stowage::detail::reads_only<Qs> && ...),
                  "a const storage shows its components as const: each<const C>");
    WholeLoop all;
    loop<Qs...>(self(), all, fn);
  }

  template <class... Qs>
    requires QueryOf<SchemaType, Qs...>
  [[nodiscard]] std::size_t loop_steps() const {
    StepCount count;
    constexpr auto do_nothing = [](auto&&...) {};
    loop<Qs...>(self(), count, do_nothing);
    return count.steps();
  }
  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  void each_step(std::size_t first, std::size_t end, Fn&& fn) {
    LoopSlice slice(first, end);
    loop<Qs...>(std::as_const(self()), slice, fn);
  }
  template <class... Qs, class Fn>
    requires QueryOf<SchemaType, Qs...>
  void each_step(std::size_t first, std::size_t end, Fn&& fn) const {
    static_assert((stowage::detail::reads_only<Qs> && ...),
                  "a const storage shows its components as const: each_step<const C>");
    LoopSlice slice(first, end);
    loop<Qs...>(self(), slice, fn);
  }

  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each_block(Fn&& fn) {
    std::as_const(self()).template loop_blocks<Qs...>(fn);
  }
  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each_block(Fn&& fn) const {
    static_assert((std::is_const_v<Qs> && ...), "a const storage shows its components as const: each_block<const C>");
    self().template loop_blocks<Qs...>(fn);
  }

  // ---- each_changed, of a storage that records changes of C: see contract/changes.hpp

  /// The entities that each<C, Qs...> visits, but only those whose C has changed since the tick, or all of their
  /// sections. What is written during the loop may or may not be visited.
  template <class C, class... Qs, class Fn>
    requires QueryOf<SchemaType, C, Qs...> && Recording<Self, C>
  void each_changed(Tick since, Fn&& fn) {
    ChangedLoop<std::remove_const_t<C>> changed{since};
    loop<C, Qs...>(std::as_const(self()), changed, fn);
  }
  template <class C, class... Qs, class Fn>
    requires QueryOf<SchemaType, C, Qs...> && Recording<Self, C>
  void each_changed(Tick since, Fn&& fn) const {
    static_assert(stowage::detail::reads_only<C> && (stowage::detail::reads_only<Qs> && ...),
                  "a const storage shows its components as const: each_changed<const C>");
    ChangedLoop<std::remove_const_t<C>> changed{since};
    loop<C, Qs...>(self(), changed, fn);
  }

 protected:
  template <class C>
  void remove_from_all() {
    assert_allowed(Self::in_loops.change);
    if constexpr (requires { self().template make_room_without<C>(); }) self().template make_room_without<C>();
    const std::vector<EntityType> owners = owners_of<C>();
    if constexpr (requires { self().template remove<C>(std::span<const EntityType>(owners)); }) {
      self().template remove<C>(std::span<const EntityType>(owners));
    } else {
      for (std::size_t i = owners.size(); i-- != 0;) self().template remove<C>(owners[i]);  // backwards: no row moves
    }
  }

  /// Asserts that no loop is under way, or no part of one if the operation is allowed inside loops.
  void assert_allowed(bool in_a_loop) const {
    in_a_loop ? self().guard_.assert_no_part() : self().guard_.assert_no_loop();
  }

  /// Whether begin_life() may move rows.
  [[nodiscard]] static constexpr bool moves_rows_first() noexcept { return false; }
  [[nodiscard]] EntityType begin_life() { return self().registry_.create(); }
  void end_life(EntityType entity) noexcept { self().registry_.destroy(entity); }

  /// In the home of such entities, if the storage names one; otherwise one component after the other. All or nothing.
  template <class... Cs>
  EntityType create_one(Cs&&... components) {
    if constexpr (requires { self().template home_for<std::remove_cvref_t<Cs>...>(); }) {
      auto&& home = self().template home_for<std::remove_cvref_t<Cs>...>();
      if constexpr (Self::takes_copies && stowage::detail::are_copied_freely<Cs...>) {
        if (sizeof...(Cs) > 0 && self().moves_rows_first()) {
          return create_detached(home, std::forward<Cs>(components)...);
        }
        return create_of_copies(home, std::remove_cvref_t<Cs>(std::forward<Cs>(components))...);
      } else {
        if (!self().has_room(home)) [[unlikely]]
          return create_growing(home, std::forward<Cs>(components)...);
        if (self().moves_rows_first()) return create_detached(home, std::forward<Cs>(components)...);
        return create_in_room(home, std::forward<Cs>(components)...);
      }
    } else {
      static_assert(sizeof...(Cs) != 0, "a storage writes create_one(), or home_for<Cs...>(): see StorageForms");
      const EntityType entity = self().create_one();
      OnFailure undo([&] { self().end_life(entity); });
      (static_cast<void>(self().template emplace<std::remove_cvref_t<Cs>>(entity, std::forward<Cs>(components))), ...);
      undo.release();
      return entity;
    }
  }

  /// One after the other.
  void create_many(std::span<EntityType> out, const ComponentColumns<SchemaType>& columns) {
    std::size_t created = 0;
    OnFailure undo([&] {
      while (created != 0) self().end_life(out[--created]);
    });
    while (created < out.size()) {
      const EntityType entity = out[created] = self().create_one();
      ++created;  // from here on it is undone with the others
      self().take_row(entity, columns, created - 1);
    }
    undo.release();
  }
  /// Gives an entity without components those of a row.
  void take_row(EntityType entity, const ComponentColumns<SchemaType>& columns, std::size_t row) {
    columns.for_each_given([&]<class C>(TypeList<C>) {
      if constexpr (is_tag<C>) {
        self().template emplace<C>(entity);
      } else {
        columns.template take<C>(
            row, 1, [&](auto copied) { self().template emplace<C>(entity, stowage::detail::copy_of(copied.front())); },
            [&](std::size_t, C&& component) { self().template emplace<C>(entity, std::move(component)); });
      }
    });
  }

  /// Blocks of one, for a storage in which no two rows lie side by side.
  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    using Entities = typename Self::block_entities;
    const auto show = [&](EntityType entity, Qs&... components) {
      call_plainly(
          fn, [&] { return Entities::from(self().registry_, entity.index(), 1); },
          std::span<Qs>(std::addressof(components), 1)...);
    };
    WholeLoop all;
    self().template loop_rows<Qs...>(all, show);
  }

  /// Tables of C alone.
  template <class C, class Fn>
  void tables_of(Fn& fn) const {
    constexpr std::size_t id = stowage::detail::component_id<C, SchemaType>;
    ScatteredRows<1> rows;
    const TableColumn column = rows.template column<C>(0, id);
    const auto gather = [&](EntityType owner, const C& component) {
      rows.place(0, std::addressof(component));
      rows.add(owner.index());
      if (rows.is_full()) rows.show({&column, 1}, fn);
    };
    WholeLoop all;
    self().template loop_rows<const C>(all, gather);
    rows.show({&column, 1}, fn);
  }

  /// The entities that have C, on or off, in the order of its rows.
  template <class C>
  [[nodiscard]] std::vector<EntityType> owners_of() const {
    std::vector<EntityType> owners;
    owners.reserve(self().template count<C>());
    self().each_table([&](const RowTable& table) {
      constexpr std::size_t id = stowage::detail::component_id<C, SchemaType>;
      if (std::ranges::find(table.columns, id, &TableColumn::component) == table.columns.end()) return;
      for (std::size_t row = 0; row < table.rows; ++row) owners.push_back(self().entity_at(table.owner(row)));
    });
    return owners;
  }

 private:
  /// Arguments that stay in registers.
  template <class Home, class... Cs>
  EntityType create_of_copies(Home& home, Cs... components) {
    if (!self().has_room(home)) [[unlikely]]
      make_room_for_one(home);
    return create_in_room(home, std::move(components)...);
  }
  template <class Home>
  STOWAGE_COLD void make_room_for_one(Home& home) {
    self().make_room(home, 1);
  }
  template <class Home, class... Cs>
  STOWAGE_COLD EntityType create_growing(Home& home, Cs&&... components) {
    return create_detached(home, std::forward<Cs>(components)...);
  }
  /// The arguments may refer to rows that are about to move, so they are copied or moved out first.
  template <class Home, class... Cs>
  EntityType create_detached(Home& home, Cs&&... components) {
    std::tuple<std::remove_cvref_t<Cs>...> detached(std::forward<Cs>(components)...);
    self().make_room(home, 1);
    return std::apply([&](auto&... held) { return create_in_room(home, taken_out(held)...); }, detached);
  }
  /// To copy is to move: nothing more is compiled than for those that need not be detached.
  template <class C>
    requires(std::is_trivially_copyable_v<C> && std::is_copy_constructible_v<C>)
  static const C& taken_out(C& held) noexcept {
    return held;
  }
  template <class C>
  static C&& taken_out(C& held) noexcept {
    return std::move(held);
  }
  template <class Home, class... Cs>
  EntityType create_in_room(Home& home, Cs&&... components) {
    const EntityType entity = self().begin_life();
    OnFailure undo([&] { self().end_life(entity); });
    self().place(home, entity, std::forward<Cs>(components)...);
    undo.release();
    return entity;
  }

  template <class... Columns>
  void create_from(std::span<EntityType> out, Columns... columns) {
    ComponentColumns<SchemaType> all(out.size());
    (all.add(columns), ...);
    self().create(out, all);
  }

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE static void loop(const Self& storage, Slice& slice, Fn& fn) {
    if constexpr (stowage::detail::has_filters<Qs...>) static_assert(stowage::detail::assert_query<Qs...>());
    storage.template loop_rows<Qs...>(slice, fn);
  }
};

}  // namespace stowage::parts
