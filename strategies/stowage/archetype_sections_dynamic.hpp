#pragma once

// archetype_sections.dynamic: archetype_sections whose component types are registered while the program runs.
//
//     types      [ size, alignment, relocate, destroy ] ...     one per type, in the order of add_type()
//     registry   [gen set row][gen set row] ...                 12 bytes per index ever alive
//     starts     set 0: [A][-][C]... set 1: [-][B][C]...        of each set, by type: its column, or null
//     data       set 0: [ owner owner ... | A A A ... | C C C ... ]   one block a set; tags have no column
//
//     find(e, id)      slot = registry[e.index]; if (slot.generation != e.generation) return null
//                      start = starts[slot.set][id]; return start ? start + slot.row * size : null
//     find<C>(e)       find(e, ids[C]), where the size is known
//     each<A, B>(fn)   for (set : sets with ids[A] and ids[B]) for (row : set) fn(A[row], B[row])
//     destroy(e)       for (column : columns of e's set) column.type.destroy(row), then relocate(last row, row)
//     emplace<C>(e, c) as in archetype_sections: along the edge for ids[C], a function call for each component moved
//
// What a schema closed at compile time is worth: here a typed operation reads the number of its type, a move of a row
// goes through a function of each type, and a section is found through one more array. What it costs: a program cannot
// add types; and as that schema grows, archetype_sections asks for each of its types where this walks the columns that
// the set has.
//
// By: component types of plugins in Bitsquid (2014), tables of flecs, create_entity(list of components) of Cerulean
//     Skies (2019).
// Pick it when types come from plugins, scripts or files, or when there are hundreds of them.
// Misses: as archetype_sections.

#include <limits>

#include <stowage/contract/component_type.hpp>
#include <stowage/contract/counted_heap.hpp>
#include <stowage/parts/component_changes.hpp>
#include <stowage/parts/dynamic/rows.hpp>
#include <stowage/parts/layout/whole_column.hpp>
#include <stowage/parts/packed_semantics.hpp>
#include <stowage/parts/sections/set_catalogue.hpp>
#include <stowage/parts/storage_forms.hpp>

namespace stowage {

namespace parts {

/// The most component types of a storage.
inline constexpr std::size_t most_dynamic_types = 512;

/// All entities with exactly the same types of components.
struct DynamicSet {
  using mask_type = ComponentMask<most_dynamic_types>;
  template <class T>
  using Vector = std::vector<T, CountingAllocator<T>>;
  static constexpr std::uint32_t unnumbered = (std::numeric_limits<std::uint32_t>::max)();

  DynamicSet(const mask_type& types, HeapCount& /*heap*/) : mask(types) {}

  mask_type mask;
  std::uint32_t number = unnumbered;  ///< of its record; a set without one has never had rows
  DynamicRows rows;
  GrowingArray<std::byte*> starts;       ///< by type: where row 0 has it, null if the set has none
  GrowingArray<DynamicSet*> neighbours;  ///< by type: the set with it added or removed, once that has been asked for
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
class ArchetypeSectionsDynamic
    : public parts::StorageForms<ArchetypeSectionsDynamic<SchemaType, Registry>, SchemaType, Registry> {
  using Forms = parts::StorageForms<ArchetypeSectionsDynamic, SchemaType, Registry>;
  friend Forms;

  struct Location {
    std::uint32_t set = 0;
    std::uint32_t row = 0;

    // of a waiting index, see parts::NamesNextWaiting
    constexpr void wait(EntityIndex next) noexcept { row = next; }
    [[nodiscard]] constexpr EntityIndex next() const noexcept { return row; }
  };
  using Set = parts::DynamicSet;
  using Mask = Set::mask_type;
  using LocatedRegistry = typename Registry::template with_slot_data<Location>;
  template <class C>
  using Column = parts::WholeColumn<std::remove_const_t<C>>;
  template <class C>
  static constexpr std::size_t position = detail::component_id<C, SchemaType>;

 public:
  using typename Forms::entity_type;
  using block_entities = BlockEntities<LocatedRegistry>;

  static constexpr SemanticsCard semantics = parts::packed_pool_semantics;
  /// See ComponentColumns::check_copies().
  static constexpr bool copies_columns_first = true;
  /// Columns are found in memory, so copies would be spilled: 9 instructions more for one component.
  static constexpr bool takes_copies = false;
  /// One more is TypesExhausted.
  static constexpr std::size_t most_types = parts::most_dynamic_types;

  /// The types of the schema are added first.
  ArchetypeSectionsDynamic() {
    detail::for_each_component<SchemaType>(
        [this]<class C>(TypeList<C>) { ids_[position<C>] = add_type(component_type<C>); });
  }

  // ---- types, and components that are known by their type's number

  /// A type that entities may have from here on. O(sets + 1). Throws TypesExhausted, std::bad_alloc; then no entity can
  /// have it.
  TypeId add_type(const ComponentType& type) {
    guard_.assert_no_loop();
    const auto id = static_cast<TypeId>(types_.size());
    if (id == most_types) STOWAGE_THROW(TypesExhausted(most_types));
    for (Set& set : catalogue_.sets()) {
      if (set.number == Set::unnumbered) continue;
      set.neighbours.extend(id + std::size_t{1}, nullptr);
      set.starts.extend(id + std::size_t{1}, nullptr);
      records_[set.number].starts = set.starts.data();
    }
    types_.append(type);
    return id;
  }
  [[nodiscard]] std::size_t type_count() const noexcept { return types_.size(); }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] TypeId type_of() const noexcept {
    return ids_[position<C>];
  }

  /// The entity's component of this type; null if it has none or is not alive. Of a tag some address that is not null.
  [[nodiscard]] void* find(entity_type entity, TypeId id) const noexcept {
    const Location* const place = registry_.find(entity);
    if (place == nullptr) return nullptr;
    std::byte* const start = records_[place->set].starts[id];
    return start != nullptr ? start + place->row * types_[id].size : nullptr;
  }

  /// A new entity with a component of each of these types, none twice. Components are relocated: the caller's are
  /// ended.
  [[nodiscard]] entity_type create(std::span<const TypeId> ids, std::span<void* const> components) {
    guard_.assert_no_loop();
    STOWAGE_ASSERT(components.size() == ids.size(), "there is one component per type");
    Mask mask;
    for (const TypeId id : ids) mask = mask.with(id);
    Set& set = set_of(mask);
    make_room(set, 1);
    const entity_type entity = registry_.create();
    for (std::size_t i = 0; i < ids.size(); ++i) take(set, ids[i], components[i]);
    settle(set, entity.index());
    return entity;
  }

  /// Adds the component or replaces the one that the entity has. It is relocated: the caller's is ended. Returns where
  /// it is. Throws DeadEntity, std::bad_alloc; then nothing has changed.
  void* emplace(entity_type entity, TypeId id, void* component) {
    guard_.assert_no_loop();
    const Location from = location_of(entity);
    Set& set = *records_[from.set].set;
    if (set.mask.has(id)) {
      std::byte* const old = set.starts[id] + from.row * types_[id].size;
      if (types_[id].destroy != nullptr) types_[id].destroy(old, 1);
      if (types_[id].size != 0) types_[id].relocate(component, old, 1, types_[id].size);
      moves_.note();
      return old;
    }
    move_to(neighbour(set, id), entity.index(), from, [&](Set& to) { take(to, id, component); });
    return find(entity, id);
  }

  /// False, and nothing changes, if the entity has none or is not alive.
  bool remove(entity_type entity, TypeId id) {
    guard_.assert_no_loop();
    const Location* const place = registry_.find(entity);
    if (place == nullptr) return false;
    Set& set = *records_[place->set].set;
    if (!set.mask.has(id)) return false;
    move_to(neighbour(set, id), entity.index(), *place, [](Set&) {});
    return true;
  }

  /// Calls `fn(owners, columns)` for rows side by side of entities that have all of these types: the index of each
  /// row's owner, and where the first row has each type, in their order.
  template <class Fn>
  void each_rows(std::span<const TypeId> ids, Fn&& fn) const {
    const parts::IterationGuard::Scope looping(guard_);
    Mask mask;
    for (const TypeId id : ids) mask = mask.with(id);
    std::vector<void*> columns(ids.size());
    for (const Set* const set : catalogue_.matching(mask)) {
      if (set->rows.size() == 0) continue;
      for (std::size_t i = 0; i < ids.size(); ++i) columns[i] = set->starts[ids[i]];
      fn(std::span<const EntityIndex>(set->rows.owners(), set->rows.size()), std::span<void* const>(columns));
    }
  }

  // ---- the contract

  using Forms::create;
  using Forms::find;

  /// O(components of the entity).
  bool destroy(entity_type entity) {
    guard_.assert_no_loop();
    const Location* const found = registry_.find(entity);
    if (found == nullptr) return false;
    const Location place = *found;
    parts::announce_end(registry_, entity);
    registry_.end(entity);
    moves_.note();
    records_[place.set].set->rows.erase(place.row, follow());
    return true;
  }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_loop();
    const Location from = location_of(entity);
    if (C* const old = at<C>(records_[from.set].starts, from.row); old != nullptr) {
      // made first: the arguments may refer to the old one, and a constructor may throw
      C component = detail::make<C>(std::forward<Arguments>(arguments)...);
      moves_.note();
      parts::destroy_component(old);
      parts::construct_component(old, std::move(component));
      return *old;
    }
    Set& target = neighbour(*records_[from.set].set, type_of<C>());
    const Location now = move_adding<C>(target, entity.index(), from, std::forward<Arguments>(arguments)...);
    return *at<C>(records_[now.set].starts, now.row);
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    return remove(entity, type_of<C>());
  }

  /// Makes all changes of an entity with one move of its row. False, and nothing changes, if it is not alive.
  /// O(components of the schema). Throws std::bad_alloc; then nothing has changed. Invalidates what emplace() and
  /// remove() do.
  bool change(entity_type entity, const ComponentChanges<SchemaType>& changes) {
    guard_.assert_no_loop();
    const Location* const place = registry_.find(entity);
    if (place == nullptr) return false;
    const Location from = *place;
    const Mask before = records_[from.set].set->mask;
    Mask after = before;
    detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if (changes.added().has(position<C>)) after = after.with(type_of<C>());
      if (changes.removed().has(position<C>)) after = after.without(type_of<C>());
    });
    const auto for_each_added = [&](bool had, auto&& visit) {
      detail::for_each_component<SchemaType>([&]<class C>(TypeList<C> component) {
        if (changes.added().has(position<C>) && before.has(type_of<C>()) == had) visit(component);
      });
    };
    Location now = from;
    if (!(after == before)) {
      now = move_to(set_of(after), entity.index(), from, [&](Set& to) {
        for_each_added(false, [&]<class C>(TypeList<C>) {
          parts::construct_component(next<C>(to), std::move(*changes.template value<C>()));
        });
      });
    }
    moves_.note();
    for_each_added(true, [&]<class C>(TypeList<C>) {
      C* const old = at<C>(records_[now.set].starts, now.row);
      parts::destroy_component(old);
      parts::construct_component(old, std::move(*changes.template value<C>()));
    });
    return true;
  }

  /// A table for each set.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const parts::IterationGuard::Scope<parts::NoChange> looping(guard_);
    for (const Set& set : catalogue_.sets()) {
      const std::size_t rows = set.rows.size();
      if (rows == 0) continue;
      TableColumns<SchemaType::component_count> columns;
      detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
        if (set.mask.has(type_of<C>()))
          columns.add(position<C>, Column<C>::template block<const C>(first<C>(set), 0, rows));
      });
      if (!columns.all().empty()) fn(RowTable{{set.rows.owners(), rows}, 0, rows, columns.all(), true});
    }
  }

  /// O(sets).
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t entities = 0;
    for (const Set& set : catalogue_.sets()) entities += set.mask.has(type_of<C>()) ? set.rows.size() : 0;
    return entities;
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
    return lines_touched({{0, LocatedRegistry::slot_bytes}}, LocatedRegistry::slot_bytes) +
           (0.0 + ... + Column<Qs>::lookup_lines);
  }

  /// See contract/events.hpp.
  [[nodiscard]] StorageEvents events() const noexcept {
    StorageEvents events = registry_.events() + events_of_the_past_;
    for (const Set& set : catalogue_.sets()) {
      events.growths += set.rows.growths();
      events.sections += set.number != Set::unnumbered ? 1U : 0U;
    }
    return events;
  }

  /// All that sets and types take is index.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = registry_.memory();
    bytes.index_bytes += catalogue_.held_bytes() + records_.held_bytes() + types_.held_bytes();
    bytes.allocations += catalogue_.allocations() + records_.allocations() + types_.allocations();
    for (const Set& set : catalogue_.sets()) {
      bytes += set.rows.memory();
      bytes.index_bytes += set.starts.held_bytes() + set.neighbours.held_bytes();
      bytes.allocations += set.starts.allocations() + set.neighbours.allocations();
    }
    return bytes;
  }

 private:
  /// O(sets). Types stay.
  void end_rows() noexcept {
    moves_.note();
    for (Set& set : catalogue_.sets()) set.rows.clear();
  }
  /// As bytes. O(rows + sets). Only for storages that have the types of the schema and no others.
  void copy_rows(const ArchetypeSectionsDynamic& other) {
    STOWAGE_ASSERT(types_.size() == ids_.size() && other.types_.size() == ids_.size(),
                   "only components of the schema are known to be copied as bytes");
    end_rows();
    if (!catalogue_.begins(other.catalogue_)) {
      events_of_the_past_ = events() - registry_.events();
      catalogue_.clear();
      records_.clear();
      known_sets_ = {};
    }
    for (const Set& theirs : other.catalogue_.sets()) {
      Set& set = set_of(theirs.mask);  // one that is empty, too: loops visit sets in the order in which they came
      if (theirs.rows.size() == 0) continue;
      if (set.rows.copy_from(theirs.rows)) note_starts(set);
      if (set.number == theirs.number) continue;
      for (std::size_t row = 0; row < set.rows.size(); ++row) registry_.data(set.rows.owners()[row]).set = set.number;
    }
  }
  /// Room for all entities that have C in the sets without it.
  template <class C>
  void make_room_without() {
    const std::size_t before = catalogue_.sets().size();  // there may be more, which are empty
    for (std::size_t number = 0; number < before; ++number) {
      Set& set = catalogue_.sets()[number];
      if (set.mask.has(type_of<C>()) && set.rows.size() != 0) make_room(neighbour(set, type_of<C>()), set.rows.size());
    }
  }

  // ---- sets

  /// What a lookup reads of a set.
  struct Record {
    std::byte* const* starts = nullptr;
    Set* set = nullptr;
  };

  [[nodiscard]] Set& set_of(const Mask& mask) {
    Set& set = catalogue_.find_or_create(mask);
    if (set.number == Set::unnumbered) [[unlikely]]
      number(set);
    return set;
  }
  STOWAGE_COLD void number(Set& set) {
    records_.make_room(records_.size() + 1);
    set.starts.extend(types_.size(), nullptr);
    set.neighbours.extend(types_.size(), nullptr);
    // a failure may have left some columns, in order
    std::size_t known = set.rows.columns().size();
    for (TypeId id = 0; id < types_.size(); ++id) {
      if (!set.mask.has(id) || types_[id].size == 0) continue;
      if (known != 0) {
        --known;
      } else {
        set.rows.add_column(id, types_[id]);
      }
    }
    set.number = static_cast<std::uint32_t>(records_.size());
    records_.append({set.starts.data(), &set});
  }
  [[nodiscard]] Set& neighbour(Set& set, TypeId id) {
    if (set.neighbours[id] == nullptr) [[unlikely]]
      set.neighbours[id] = &set_of(set.mask.toggled(id));
    return *set.neighbours[id];
  }

  /// Tells lists of components apart by its address.
  template <class... Cs>
  static constexpr char signature = 0;
  /// The set of Cs, in one comparison if it was asked for lately.
  template <class... Cs>
  [[nodiscard]] Set& known_set() {
    const void* const wanted = &signature<Cs...>;
    KnownSet& known = known_sets_[reinterpret_cast<std::uintptr_t>(wanted) % known_sets_.size()];
    if (known.signature != wanted) [[unlikely]] {
      known = {wanted, &set_of(mask_of(TypeList<Cs...>{}))};
    }
    return *known.set;
  }

  void make_room(Set& set, std::size_t more) {
    if (!set.rows.make_room(more)) return;
    note_starts(set);
  }
  /// The rows lie elsewhere now.
  void note_starts(Set& set) noexcept {
    moves_.note();
    for (TypeId id = 0; id < types_.size(); ++id) {
      if (set.mask.has(id)) set.starts[id] = reinterpret_cast<std::byte*>(set.rows.owners());  // a tag's
    }
    for (const auto& column : set.rows.columns()) set.starts[column.id] = column.start;
  }

  // ---- rows

  /// Where row 0 of a set has C, which it has; some component for a tag.
  template <class C>
  [[nodiscard]] C* first(const Set& set) const noexcept {
    return first_of<C>(set.starts[type_of<C>()]);
  }
  /// Where the next row has it; null if the set has no memory yet.
  template <class C>
  [[nodiscard]] C* next(const Set& set) const noexcept {
    return first<C>(set) + (is_tag<C> ? 0 : set.rows.size());
  }
  template <class C>
  [[nodiscard]] static C* first_of([[maybe_unused]] std::byte* start) noexcept {
    if constexpr (is_tag<C>) {
      return std::addressof(detail::tag_instance<C>);
    } else {
      return reinterpret_cast<C*>(start);
    }
  }
  template <class Q>
  [[nodiscard]] Q* at(std::byte* const* starts, std::size_t row) const noexcept {
    using C = std::remove_const_t<Q>;
    std::byte* const start = starts[type_of<C>()];
    return start != nullptr ? parts::address_of(Column<C>::template cursor<Q>(first_of<C>(start)), row) : nullptr;
  }

  [[nodiscard]] Location location_of(entity_type entity) const {
    const Location* const place = registry_.find(entity);
    if (place == nullptr) STOWAGE_THROW(DeadEntity(entity.word()));
    return *place;
  }
  /// Hears where a row went when it filled a hole.
  [[nodiscard]] auto follow() noexcept {
    return [this](EntityIndex owner, std::size_t row) { registry_.data(owner).row = static_cast<std::uint32_t>(row); };
  }
  /// The next row of the set is complete: it is the entity's.
  Location settle(Set& set, EntityIndex owner) noexcept {
    return registry_.data(owner) = {set.number, static_cast<std::uint32_t>(set.rows.commit(owner))};
  }
  void settle_many(Set& set, const parts::NewEntities<entity_type>& entities) noexcept {
    for (const entity_type entity : entities.handles) settle(set, entity.index());
  }
  /// Relocates a component to the next row of the set.
  void take(Set& set, TypeId id, void* component) const noexcept {
    const ComponentType& type = types_[id];
    if (type.size != 0) type.relocate(component, set.starts[id] + set.rows.size() * type.size, 1, type.size);
  }

  /// Moves an entity to another set. `add(set)` constructs what is new in its next row.
  template <class Add>
  Location move_to(Set& to, EntityIndex index, Location from, Add&& add) {
    if (to.rows.full()) make_room(to, 1);
    add(to);
    moves_.note();
    parts::DynamicRows& rows = records_[from.set].set->rows;
    for (const auto& column : rows.columns()) {
      const ComponentType& type = column.type;
      if (std::byte* const start = to.starts[column.id]; start != nullptr) {
        type.relocate(column.at(from.row), start + to.rows.size() * type.size, 1, type.size);
      } else if (type.destroy != nullptr) {
        type.destroy(column.at(from.row), 1);
      }
    }
    rows.fill(from.row, follow());
    return settle(to, index);
  }

  /// Moves an entity to a set with C, which is constructed in its place; elsewhere if the set has to grow, because the
  /// arguments may refer to rows that move.
  template <class C, class... Arguments>
  Location move_adding(Set& target, EntityIndex index, Location from, Arguments&&... arguments) {
    const auto move_with = [&]<class... Made>(Made&&... made) {
      return move_to(target, index, from,
                     [&](Set& to) { parts::construct_component(next<C>(to), std::forward<Made>(made)...); });
    };
    if constexpr (!detail::knows_no_place<C>) {
      if (!target.rows.full()) return move_with(std::forward<Arguments>(arguments)...);
    }
    return move_with(detail::make<C>(std::forward<Arguments>(arguments)...));
  }

  // ---- creation

  template <class... Cs>
  [[nodiscard]] Set& home_for() {
    return known_set<Cs...>();
  }
  [[nodiscard]] static bool has_room(const Set& set) noexcept { return !set.rows.full(); }
  template <class... Cs>
  void place(Set& set, entity_type entity, Cs&&... components) {
    construct_row(set, std::forward<Cs>(components)...);
    settle(set, entity.index());
  }

  void create_many(std::span<entity_type> out, const ComponentColumns<SchemaType>& columns) {
    Mask mask;
    columns.for_each_given([&]<class C>(TypeList<C>) { mask = mask.with(type_of<C>()); });
    Set& set = set_of(mask);
    make_room(set, out.size());
    columns.for_each_given([&]<class C>(TypeList<C>) {
      if constexpr (ComponentColumns<SchemaType>::template is_copied<C>) columns.copy(0, out.size(), next<C>(set));
    });
    columns.check_copies();
    const parts::NewEntities<entity_type> entities = registry_.create(out);  // nothing fails from here on
    columns.for_each_given([&]<class C>(TypeList<C>) {
      if constexpr (!std::is_trivially_copyable_v<C>) {
        columns.template take<C>(
            0, out.size(), [](auto /*copied*/) {},
            [&](std::size_t i, C&& component) { detail::construct<C>(next<C>(set) + i, std::move(component)); });
      }
    });
    settle_many(set, entities);
  }

  static void construct_row(const Set&) noexcept {}
  /// Constructs the components of the next row, all or none.
  template <class C, class... Rest>
  void construct_row(const Set& set, C&& component, Rest&&... rest) {
    auto* const place = next<std::remove_cvref_t<C>>(set);
    parts::construct_component(place, std::forward<C>(component));
    if constexpr (sizeof...(Rest) > 0) {
      parts::OnFailure undo([&] { parts::destroy_component(place); });
      construct_row(set, std::forward<Rest>(rest)...);
      undo.release();
    }
  }
  template <class... Cs>
  void reserve_for(std::size_t count, TypeList<Cs...>) {
    registry_.reserve(count);
    Set& set = known_set<Cs...>();
    if (set.rows.reserve(count)) note_starts(set);
  }

  // ---- lookup and iteration: see StorageForms

  template <class... Qs>
  [[nodiscard]] std::tuple<Qs*...> look_up(entity_type entity) const noexcept {
    const Record* const records = records_.data();  // before the test, so that a loop keeps it in a register
    const Location* const place = registry_.find(entity);
    if (place == nullptr) return {};
    std::byte* const* const starts = records[place->set].starts;
    return {at<Qs>(starts, place->row)...};
  }

  template <class... Cs>
  [[nodiscard]] Mask mask_of(TypeList<Cs...>) const noexcept {
    Mask mask;
    ((mask = mask.with(type_of<Cs>())), ...);
    return mask;
  }

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_rows(Slice& slice, Fn& fn) const {
    const parts::IterationGuard::Scope<Slice> looping(guard_);
    const Mask absent = mask_of(detail::absent_of<Qs...>{});
    for (const Set* const set : catalogue_.matching(mask_of(detail::required_of<Qs...>{}))) {
      if constexpr (detail::absent_of<Qs...>::size != 0) {
        if (!set->mask.disjoint(absent)) continue;
      }
      const parts::RowRange rows = slice.take(set->rows.size());
      if (!rows.empty()) loop_set(detail::shown_of<Qs...>{}, *set, rows, fn);
    }
  }
  template <class... Shown, class Fn>
  void loop_set(TypeList<Shown...>, const Set& set, parts::RowRange rows, Fn& fn) const {
    const auto entity_of = [this, owners = set.rows.owners()](std::size_t row) {
      return parts::owner_for<Fn>(registry_, owners[row]);
    };
    parts::visit_rows<false>(rows, fn, entity_of, cursor<Shown>(set)...);
  }
  template <class Q>
  [[nodiscard]] auto cursor(const Set& set) const noexcept {
    using Asked = detail::asked_of<Q>;
    const auto of_column = [&] {
      return Column<Asked>::template cursor<Asked>(first<std::remove_const_t<Asked>>(set));
    };
    if constexpr (detail::Term<Q>::is_required) {
      return of_column();
    } else {
      return parts::OptionalCursor<Asked*, decltype(of_column())>(set.mask.has(type_of<std::remove_const_t<Asked>>()),
                                                                  of_column);
    }
  }

  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    const parts::IterationGuard::Scope looping(guard_);
    for (const Set* const set : catalogue_.matching(mask_of(TypeList<Qs...>{}))) {
      const std::size_t rows = set->rows.size();
      if (rows == 0) continue;
      parts::call_plainly(
          fn, [&] { return block_entities::of(registry_, set->rows.owners(), rows); },
          Column<Qs>::template block<Qs>(first<std::remove_const_t<Qs>>(*set), 0, rows)...);
    }
  }

  struct KnownSet {
    const void* signature = nullptr;
    Set* set = nullptr;
  };

  std::array<TypeId, SchemaType::component_count> ids_{};  // of the components of the schema
  parts::GrowingArray<ComponentType> types_;
  LocatedRegistry registry_;
  StorageEvents events_of_the_past_;  ///< of sets that are gone
  parts::SetCatalogue<Set> catalogue_;
  parts::GrowingArray<Record> records_;  // by number
  std::array<KnownSet, 8> known_sets_{};
  STOWAGE_NO_UNIQUE_ADDRESS parts::MoveCounter<counts_moves<SchemaType>> moves_;
  parts::IterationGuard guard_;
};

static_assert(assert_storage<ArchetypeSectionsDynamic<ProbeSchema>>());

}  // namespace stowage
