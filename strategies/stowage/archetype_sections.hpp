#pragma once

// archetype_sections: entities with exactly the same components share sections; metadata per entity says where.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \_____________________
//     sections   { size, mask, column of A, column of B, -, set } ...
//                                  |  row                    \--> set { sections, edges to neighbour sets }
//     data       [ owner owner ... | A A A ... | B B B ... ]    one block a section
//
// Who: Cerulean Skies, "Designing a cache-friendly entity component system" (2019); generation beside the metadata, so
//      that a look-up misses once. Unity's chunks, flecs' tables and others are the same idea.
// Pick it when systems read several components at once and sets change rarely: rows of one set are walked without any
// look-up, but adding or removing one component moves all the others.
// Growing: one section per set, which grows like an array. Fixed: sections of a fixed size, filled one after the other,
// so that no row moves when the number of entities grows. Both fill a hole with the last row of the same section.
// Misses per shuffled look-up of k components, all out of cache: 1.125 (metadata: 2 of the 16 places that 12 bytes can
// have in a line straddle its end) + k (columns). Fixed sections are many, so that what describes them is out of cache
// too: 1 more for one component, and for four 1.5, because the 40 bytes that say where the columns start are 8-byte
// aligned. (A first-level cache of 48 KiB holds 8 to 16 % of those of a million point masses, which is less.)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/lines.hpp>
#include <stowage/contract/notifying_registry.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/find_forms.hpp>
#include <stowage/parts/iteration_guard.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/sections/sections.hpp>

namespace stowage {

template <class SchemaType, class Registry = EntityRegistry<>, class Sizing = parts::GrowingSections>
class ArchetypeSections : public parts::FindForms<ArchetypeSections<SchemaType, Registry, Sizing>, SchemaType,
                                                  typename Registry::entity_type> {
  using Forms = parts::FindForms<ArchetypeSections, SchemaType, typename Registry::entity_type>;
  friend Forms;

  using Sections = parts::Sections<SchemaType, Sizing>;
  using Section = typename Sections::Section;
  using Set = typename Sections::Set;
  using Mask = typename Sections::Mask;

  /// Where an entity's row is: what the registry keeps beside its generation.
  struct Location {
    std::uint32_t section = 0;  ///< see Sections::distance_of()
    std::uint32_t row = 0;
  };
  using LocatedRegistry = typename Registry::template with_slot_data<Location>;

  template <class C>
  static constexpr std::size_t id = detail::component_id<C, SchemaType>;
  template <class... Cs>
  static constexpr Mask mask_of = [] {
    Mask mask;
    ((mask = mask.toggled(id<Cs>)), ...);
    return mask;
  }();

 public:
  using schema_type = SchemaType;
  using entity_type = typename Registry::entity_type;
  template <class C>
  using reference = C&;
  template <class C>
  using pointer = C*;

  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert =
          not_promised(Sizing::rows_stay_when_growing ? "adding a component to another entity leaves a hole behind, "
                                                        "into which the last row of the section moves"
                                                      : "a section moves when it grows"),
      .pointer_stability_on_erase = not_promised("the last row of the section moves into the hole"),
      .creation_order = promised,
      .create_while_iterating = not_promised("sections, and the list of them, change under the loop"),
      .destroy_current_while_iterating =
          not_promised("the last row of the section would move into the current one and be skipped"),
      .destroy_others_while_iterating = not_promised("rows would move under the loop"),
      .change_components_while_iterating = not_promised("the entity would move to a section that may still be visited"),
      .immediate_destruction = promised,
      .parallel_rows = promised,
  };

  /// An entity without components has a row too, in the section of the empty set.
  [[nodiscard]] entity_type create() { return create_with(); }

  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, std::remove_cvref_t<Cs>...>)
  entity_type create(Cs&&... components) {
    return create_with(std::forward<Cs>(components)...);
  }

  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void create(std::span<entity_type> out, std::span<const Cs>... columns) {
    guard_.assert_no_loop();
    STOWAGE_ASSERT(((columns.size() == out.size()) && ...), "every column has one component per new entity");
    Set& set = sections_.catalogue().find_or_create(mask_of<Cs...>);
    sections_.make_room(set, out.size());
    const parts::NewEntities<entity_type> entities = registry_.create(out);
    parts::OnFailure undo([&] {
      for (const entity_type entity : out) registry_.destroy(entity);
    });
    construct_columns(set, columns...);
    undo.release();
    settle_many(set, entities);
  }

  bool destroy(entity_type entity) {
    guard_.assert_no_loop();
    const Location* const place = registry_.find(entity);
    if (place == nullptr) return false;
    parts::announce_end(registry_, entity);
    sections_.erase(section_at(*place), place->row, follow());
    return registry_.destroy(entity);
  }

  /// Only over a registry with listeners, where it is their on_destroy().
  template <class Listener>
    requires Notifying<Registry>
  void on_destroy(Listener& listener) {
    registry_.on_destroy(listener);
  }

  [[nodiscard]] bool alive(entity_type entity) const noexcept { return registry_.alive(entity); }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  C& emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_loop();
    const Location* const place = registry_.find(entity);
    if (place == nullptr) throw DeadEntity(entity.word());
    // made before anything moves: the arguments may refer to rows of this storage, and a constructor may throw
    C component = detail::make<C>(std::forward<Arguments>(arguments)...);
    if (const Section& section = section_at(*place); Sections::template has<C>(section)) {
      C* const old = Sections::template at<C>(section, place->row);
      old->~C();
      return *detail::construct<C>(old, std::move(component));
    }
    const Location moved = move_to_neighbour<C>(entity.index(), [&](const Section& to) {
      detail::construct<C>(Sections::template at<C>(to, to.size), std::move(component));
    });
    return *Sections::template at<C>(section_at(moved), moved.row);
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_loop();
    if (!contains<C>(entity)) return false;
    move_to_neighbour<C>(entity.index(), [](const Section&) {});
    return true;
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] bool contains(entity_type entity) const noexcept {
    return this->template find<C>(entity) != nullptr;
  }

  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each(Fn&& fn) {
    for_each_section<Qs...>([&](const Section& section) {
      const auto entity_of = [this, owners = section.owners()](std::size_t row) {
        return registry_.entity_at(owners[row]);
      };
      parts::visit_rows<false>(section.size, fn, entity_of, Sections::template cursor<Qs>(section)...);
    });
  }

  template <class... Qs, class Fn>
    requires(sizeof...(Qs) > 0 && ComponentsOf<SchemaType, Qs...>)
  void each_block(Fn&& fn) {
    for_each_section<Qs...>([&](const Section& section) { fn(Sections::template block<Qs>(section)...); });
  }

  /// O(sections).
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t entities = 0;
    for (const Set& set : sections_.catalogue().sets()) entities += set.mask.has(id<C>) ? sections_.rows(set) : 0;
    return entities;
  }
  [[nodiscard]] std::size_t size() const noexcept { return registry_.size(); }

  void reserve(std::size_t count) { reserve_for(count, typename SchemaType::components{}); }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void reserve(std::size_t count) {
    reserve_for(count, TypeList<Cs...>{});
  }

  /// Trivially destructible components are not visited.
  void clear() {
    guard_.assert_no_loop();
    parts::announce_all_ends(registry_);
    sections_.clear();
    registry_.clear();
  }

  /// See contract/lines.hpp; for an entity that has the components of the schema and no others.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    const double slot = lines_touched({{0, LocatedRegistry::slot_bytes}}, LocatedRegistry::slot_bytes);
    return slot + Sections::template record_lines<Qs...>() + (0.0 + ... + (is_tag<std::remove_const_t<Qs>> ? 0 : 1));
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept { return registry_.memory() + sections_.memory(); }

 private:
  [[nodiscard]] Section& section_at(const Location& place) noexcept {
    return sections_[Sections::number_of(place.section)];
  }

  // ---- creation

  template <class... Cs>
  entity_type create_with(Cs&&... components) {
    guard_.assert_no_loop();
    Set& set = sections_.catalogue().find_or_create(mask_of<std::remove_cvref_t<Cs>...>);
    if (!Sections::has_room(set)) [[unlikely]]
      return create_growing(set, std::forward<Cs>(components)...);
    return place(set, std::forward<Cs>(components)...);
  }

  /// Growing moves the rows that the arguments may refer to, so they are moved out of harm's way first.
  template <class... Cs>
  STOWAGE_COLD entity_type create_growing(Set& set, Cs&&... components) {
    std::tuple<std::remove_cvref_t<Cs>...> detached(std::forward<Cs>(components)...);
    sections_.make_room(set, 1);
    return std::apply([&](auto&... held) { return place(set, std::move(held)...); }, detached);
  }

  template <class... Cs>
  entity_type place(Set& set, Cs&&... components) {
    const entity_type entity = registry_.create();
    parts::OnFailure undo([&] { registry_.destroy(entity); });
    const std::uint32_t number = Sections::next_section(set);
    Section& section = sections_[number];
    if constexpr (sizeof...(Cs) > 0) construct_row(section, std::forward<Cs>(components)...);
    undo.release();
    settle(section, number, entity.index());
    return entity;
  }

  /// Constructs the components of the row after the last, all or none.
  template <class C, class... Rest>
  void construct_row(const Section& section, C&& component, Rest&&... rest) {
    using Component = std::remove_cvref_t<C>;
    Component* const place = Sections::template at<Component>(section, section.size);
    detail::construct<Component>(place, std::forward<C>(component));
    if constexpr (sizeof...(Rest) > 0) {
      parts::OnFailure undo([&] { place->~Component(); });
      construct_row(section, std::forward<Rest>(rest)...);
      undo.release();
    }
  }

  template <class C, class... Rest>
  void construct_columns(const Set& set, std::span<const C> column, std::span<const Rest>... rest) {
    std::size_t done = 0;
    parts::OnFailure undo([&] {
      sections_.for_each_free_run(set, done, [](const Section& section, std::size_t, std::size_t count) {
        parts::destroy_rows(Sections::template at<C>(section, section.size), parts::row_bytes<C> == 0 ? 0 : count);
      });
    });
    sections_.for_each_free_run(set, column.size(), [&](const Section& section, std::size_t item, std::size_t count) {
      parts::copy_column(column.subspan(item, count), Sections::template at<C>(section, section.size));
      done += count;
    });
    if constexpr (sizeof...(Rest) > 0) construct_columns(set, rest...);
    undo.release();
  }

  /// The next row of the section is complete: it is the entity's.
  Location settle(Section& section, std::uint32_t number, EntityIndex owner) noexcept {
    section.owners()[section.size] = owner;
    return registry_.data(owner) = {Sections::distance_of(number), Sections::commit(section, 1)};
  }

  /// The next rows of the set, section by section, belong to these entities.
  void settle_many(Set& set, const parts::NewEntities<entity_type>& entities) noexcept {
    std::size_t settled = 0;
    while (settled < entities.size()) {
      const std::uint32_t number = Sections::next_section(set);
      Section& section = sections_[number];
      const std::size_t run = std::min<std::size_t>(entities.size() - settled, section.room());
      EntityIndex* const owners = section.owners() + section.size;
      entities.copy_indices(settled, run, owners);
      const std::uint32_t first = Sections::commit(section, run);
      const std::uint32_t distance = Sections::distance_of(number);
      for (std::size_t i = 0; i < run; ++i) {
        registry_.data(owners[i]) = {distance, first + static_cast<std::uint32_t>(i)};
      }
      settled += run;
    }
  }

  // ---- structural change

  /// Hears where a row went when it filled a hole.
  [[nodiscard]] auto follow() noexcept {
    return [this](EntityIndex owner, std::uint32_t row) { registry_.data(owner).row = row; };
  }

  /// Moves an entity to the set that has C where its own does not, or the other way round. `add(section)` constructs
  /// what is new in the next row of the section.
  template <class C, class Add>
  Location move_to_neighbour(EntityIndex index, Add&& add) {
    const Location from = registry_.data(index);
    Set& target = sections_.catalogue().neighbour(*section_at(from).set, id<C>);
    if (!Sections::has_room(target)) sections_.make_room(target, 1);
    const std::uint32_t number = Sections::next_section(target);
    Section& to = sections_[number];
    add(to);
    sections_.move_row(section_at(from), from.row, to, follow());
    return settle(to, number, index);
  }

  // ---- look-up

  template <class... Qs>
  [[nodiscard]] std::tuple<Qs*...> look_up(entity_type entity) const noexcept {
    const Section* const sections = sections_.first();  // read before the test, so that a loop keeps it in a register
    const Location* const found = registry_.find(entity);
    if (found == nullptr) return {};
    const Location place = *found;
    const Section& section = Sections::at_distance(sections, place.section);
    if constexpr (sizeof...(Qs) > 1) {  // one test instead of one per component
      if (!section.absent.disjoint(mask_of<std::remove_const_t<Qs>...>)) [[unlikely]]
        return look_up_each<Qs...>(section, place.row);
      const std::tuple columns(
          Sections::template cursor<Qs>(section)...);  // of which it is then known that none is null
      return std::apply(
          [&](const auto&... column) { return std::tuple<Qs*...>(parts::address_of(column, place.row)...); }, columns);
    } else {
      return {Sections::template find<Qs>(section, place.row)...};
    }
  }

  template <class... Qs>
  [[nodiscard]] STOWAGE_COLD static std::tuple<Qs*...> look_up_each(const Section& section,
                                                                    std::uint32_t row) noexcept {
    return {Sections::template find<Qs>(section, row)...};
  }

  // ---- iteration

  template <class... Qs, class Visit>
  void for_each_section(Visit&& visit) {
    const parts::IterationGuard::Scope looping(guard_);
    for (const Set* const set : sections_.catalogue().matching(mask_of<std::remove_const_t<Qs>...>)) {
      for (const std::uint32_t number : set->sections) {
        const Section& section = sections_[number];
        if (section.size != 0) visit(section);
      }
    }
  }

  template <class... Cs>
  void reserve_for(std::size_t count, TypeList<Cs...>) {
    registry_.reserve(count);
    sections_.reserve(sections_.catalogue().find_or_create(mask_of<Cs...>), count);
  }

  LocatedRegistry registry_;
  Sections sections_;
  parts::IterationGuard guard_;
};

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsFixed32k = ArchetypeSections<SchemaType, Registry, parts::FixedSections<32 * 1024>>;

static_assert(assert_storage<ArchetypeSections<ProbeSchema>>());
static_assert(assert_storage<ArchetypeSectionsFixed32k<ProbeSchema>>());

}  // namespace stowage
