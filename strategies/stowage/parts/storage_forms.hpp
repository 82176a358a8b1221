#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/changes.hpp>
#include <stowage/contract/component_columns.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/notifying_registry.hpp>
#include <stowage/contract/query.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/loop.hpp>

namespace stowage::parts {

/// Copies of components, one beside the other, out of which create(out, columns) moves them. No std::vector, which
/// would pack a bool.
template <class C>
class Copies {
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

/// The operations of the contract that every storage has in the same words, through a storage that may change its
/// components or not. A storage derives from this, makes it a friend, has its registry as `registry_`, names the forms
/// of create(), clear(), contains() and so on that it hides (`using Forms::create`), and writes four functions, to
/// which all of these come down:
///
///     look_up<Qs...>(entity) const           a tuple of pointers, null where there is none: find()
///     loop_rows<Qs...>(slice, fn) const      each(), each_step() and loop_steps(); for the slice see loop.hpp. Qs may
///                                            be filters: see query.hpp
///     loop_blocks<Qs...>(fn) const           each_block()
///     reserve_for(count, TypeList<Cs...>)    reserve()
///
/// and create(out, ComponentColumns), to which the bulk forms come down.
///
/// `const Q` asks for a pointer or a reference to const. Loops are const because a loop by itself changes nothing: not
/// even what it remembers may be in the way of a loop of another thread.
template <class Self, class SchemaType, class Registry>
class StorageForms {
  using EntityType = typename Registry::entity_type;

  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

 public:
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

  // ---- create: many at a time, from whatever is contiguous

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
    const std::vector<EntityType> owners = owners_of<C>();
    if constexpr (requires { self().template remove<C>(std::span<const EntityType>(owners)); }) {
      self().template remove<C>(std::span<const EntityType>(owners));
    } else {
      for (std::size_t i = owners.size(); i-- != 0;) self().template remove<C>(owners[i]);  // backwards: no row moves
    }
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
