#pragma once

// The storage contract over sections, of one component set each: archetype_sections and its forms, but for .dynamic.

#include <stowage/parts/component_changes.hpp>
#include <stowage/parts/sections/defragment.hpp>
#include <stowage/parts/sections/sections.hpp>
#include <stowage/parts/storage_forms.hpp>

namespace stowage::parts {

/// Entities with exactly the same components share sections, and the registry keeps beside each generation where the
/// entity's row is. A strategy is a form (sections/form.hpp) and a semantics card. See storage.hpp for what the
/// operations mean.
///
/// Complexity: create and destroy are O(components of the schema), because rows are moved and ended column by column
/// and each type is asked for; so are emplace and remove, which move all that the entity has; find is O(components
/// asked for); `each` is linear in the rows of the sets that match. No operation on one entity looks at other sets or
/// sections than its own and the one it goes to.
template <class SchemaType, class Registry, class Form>
class SectionStorage : public StorageForms<SectionStorage<SchemaType, Registry, Form>, SchemaType, Registry> {
  using Forms = StorageForms<SectionStorage, SchemaType, Registry>;
  friend Forms;

  using SectionsType = Sections<SchemaType, Form>;
  using Section = typename SectionsType::Section;
  using Set = typename SectionsType::Set;
  using Mask = typename SectionsType::Mask;
  using Layout = typename SectionsType::Layout;
  using Rows = typename SectionsType::Rows;
  using Location = typename SectionsType::Location;
  using LocatedRegistry = typename Registry::template with_slot_data<Location>;

  template <class C>
  static constexpr std::size_t id = SectionsType::template id<C>;
  template <class... Qs>
  using asked_bits = typename SectionsType::template asked_bits<Qs...>;

 public:
  /// Whether it is recorded when C was last written in a section.
  template <class C>
  static constexpr bool records = Rows::keep_ticks && stowage::detail::is_recorded<C, SchemaType>;
  /// A section is all that has changed if one of its rows has.
  static constexpr bool records_each_row = false;

  using typename Forms::entity_type;
  template <class C>
  using reference = typename Layout::template reference<C>;
  template <class C>
  using pointer = typename Layout::template pointer<C>;
  using block_entities = BlockEntities<LocatedRegistry>;

  /// The most entities that can have exactly the same components: one more is PlaceExhausted. Where sections do not
  /// grow there can be as many as sections can be numbered.
  static constexpr std::size_t row_limit =
      Form::sizing::fixed ? entity_type::max_entities : static_cast<std::size_t>(Form::location::most_rows);
  /// What a component set takes at least, once it has a row.
  static constexpr std::size_t least_bytes_per_set = Form::sizing::section_bytes;
  /// See ComponentColumns::check_copies().
  static constexpr bool copies_columns_first = true;

  static constexpr AllowedInLoops in_loops{.create = Rows::leave_holes, .destroy = Rows::leave_holes, .change = false};

  bool destroy(entity_type entity) {
    this->assert_allowed(in_loops.destroy);
    const Location* const found = registry_.find(entity);
    if (found == nullptr) return false;
    const Location place = *found;
    announce_end(registry_, entity);
    registry_.end(entity);
    sections_.erase(section_at(place), place.row, follow());
    return true;
  }

  template <class C, class... Arguments>
    requires ComponentsOf<SchemaType, C>
  reference<C> emplace(entity_type entity, Arguments&&... arguments) {
    guard_.assert_no_loop();
    const Location* const place = registry_.find(entity);
    if (place == nullptr) STOWAGE_THROW(DeadEntity(entity.word()));
    if (const Section& section = section_at(*place); Layout::template has<C>(section.places)) {
      // made first: the arguments may refer to the old one, and a constructor may throw
      C component = stowage::detail::make<C>(std::forward<Arguments>(arguments)...);
      const auto old = SectionsType::template at<C>(section, place->row);
      parts::destroy_component(old);
      parts::construct_component(old, std::move(component));
      SectionsType::template switch_on<C>(section, place->row);
      note_writes<C>(section);
      return *old;
    }
    Set& target = sections_.catalogue().neighbour(*section_at(*place).set, id<C>);
    const Location moved = move_adding<C>(target, entity.index(), *place, std::forward<Arguments>(arguments)...);
    if constexpr (records<C>) note_writes<C>(section_at(moved));
    return *SectionsType::template at<C>(section_at(moved), moved.row);
  }

  template <class C>
    requires ComponentsOf<SchemaType, C>
  bool remove(entity_type entity) {
    guard_.assert_no_loop();
    const Location* const place = registry_.find(entity);
    if (place == nullptr || !Layout::template has<C>(section_at(*place).places)) return false;
    move_to_neighbour<C>(entity.index(), *place, [](const Section&) {});
    return true;
  }

  // ---- lists of entities: those whose rows lie one behind the other move together. See destroy_all(), emplace_all()
  // and remove_all() of storage.hpp

  std::size_t destroy(std::span<const entity_type> entities)
    requires(!Rows::leave_holes)
  {
    guard_.assert_no_loop();
    std::size_t destroyed = 0;
    for_each_run_of(entities, [&](Location place, std::size_t i, std::size_t count) {
      for (const entity_type entity : entities.subspan(i, count)) announce_and_end(registry_, entity);
      sections_.erase_run(section_at(place), place.row, count, follow());
      destroyed += count;
      return count;
    });
    return destroyed;
  }

  template <class C>
    requires(ComponentsOf<SchemaType, C> && !Rows::leave_holes)
  std::size_t emplace(std::span<const entity_type> entities, std::span<const C> components) {
    guard_.assert_no_loop();
    STOWAGE_ASSERT(components.size() == entities.size(), "there is one component per entity");
    std::size_t changed = 0;
    for_each_run_of(entities, [&](Location place, std::size_t i, std::size_t count) {
      if (Layout::template has<C>(section_at(place).places)) {
        count = 1;
        emplace<C>(entities[i], components[i]);
      } else {
        count = move_run<C>(place, entities.subspan(i, count), [&](const Section& to, std::size_t most) {
          SectionsType::copy_run(components.subspan(i, most), Layout::template cursor<C, C>(to.places),
                                 Rows::next(to.rows));
        });
        if constexpr (records<C>) note_writes<C>(section_at(*registry_.find(entities[i])));
      }
      changed += count;
      return count;
    });
    return changed;
  }

  template <class C>
    requires(ComponentsOf<SchemaType, C> && !Rows::leave_holes)
  std::size_t remove(std::span<const entity_type> entities) {
    guard_.assert_no_loop();
    std::size_t changed = 0;
    for_each_run_of(entities, [&](Location place, std::size_t i, std::size_t count) {
      if (!Layout::template has<C>(section_at(place).places)) return count;
      count = move_run<C>(place, entities.subspan(i, count), [](const Section&, std::size_t) {});
      changed += count;
      return count;
    });
    return changed;
  }

  /// Makes all changes of an entity with one move of its row. False, and nothing changes, if it is not alive.
  /// O(components of the schema). Throws std::bad_alloc, PlaceExhausted; then nothing has changed. Invalidates what
  /// emplace() and remove() do.
  bool change(entity_type entity, const ComponentChanges<SchemaType>& changes) {
    guard_.assert_no_loop();
    const Location* const place = registry_.find(entity);
    if (place == nullptr) return false;
    const Location from = *place;
    const Mask before = section_at(from).set->mask;
    const Mask after = changes.applied_to(before);
    const Mask gained = changes.added().minus(before);
    Location now = from;
    if (!(after == before)) {
      now = move_to(sections_.catalogue().find_or_create(after), entity.index(), from, [&](const Section& to) {
        stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
          if (!gained.has(id<C>)) return;
          parts::construct_component(SectionsType::template at<C>(to, Rows::next(to.rows)),
                                     std::move(*changes.template value<C>()));
        });
      });
    }
    if constexpr (Rows::keep_ticks) {
      stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
        if (changes.added().has(id<C>)) note_writes<C>(section_at(now));
      });
    }
    if (changes.added().disjoint(before)) return true;
    const Section& section = section_at(now);
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if (!before.has(id<C>) || !changes.added().has(id<C>)) return;
      const auto old = SectionsType::template at<C>(section, now.row);
      parts::destroy_component(old);
      parts::construct_component(old, std::move(*changes.template value<C>()));
      SectionsType::template switch_on<C>(section, now.row);
    });
    return true;
  }

  /// Switches a component that the schema has as `Toggled<C>` on or off. While it is off, loops and their filters take
  /// it for missing; find(), contains() and count() do not, and its value stays. A component is on when it is added and
  /// when emplace() replaces it. O(1), and nothing moves. In a loop it may be called for the entity that is visited.
  /// Throws DeadEntity, MissingComponent; then nothing has changed.
  template <class C>
    requires(Rows::keep_bits && stowage::detail::is_toggled<C, SchemaType>)
  void set_enabled(entity_type entity, bool on) {
    const Location* const place = registry_.find(entity);
    if (place == nullptr) STOWAGE_THROW(DeadEntity(entity.word()));
    const Section& section = section_at(*place);
    if (!Layout::template has<C>(section.places)) STOWAGE_THROW(MissingComponent(entity.word()));
    Rows::set(section.rows, place->row, SectionsType::template toggle<C>, on);
  }
  /// Whether the entity has C, and C is on.
  template <class C>
    requires(Rows::keep_bits && stowage::detail::is_toggled<C, SchemaType>)
  [[nodiscard]] bool enabled(entity_type entity) const noexcept {
    const Location* const place = registry_.find(entity);
    if (place == nullptr) return false;
    const Section& section = place->record(sections_.records());
    return Layout::template has<C>(section.places) &&
           Rows::is_set(section.rows, place->row, SectionsType::template toggle<C>);
  }

  /// See contract/changes.hpp.
  [[nodiscard]] Tick tick() const noexcept
    requires(Rows::keep_ticks)
  {
    return tick_.now;
  }
  Tick next_tick() noexcept
    requires(Rows::keep_ticks)
  {
    return ++tick_.now;
  }

  /// A table for each section; if it has holes, one for each long run of its rows, and some for the rows between.
  template <class Fn>
  void each_table(Fn&& fn) const {
    const IterationGuard::Scope<NoChange> looping(guard_);
    for (const Set& set : sections_.catalogue().sets()) {
      for (const std::uint32_t number : set.sections) {
        const Section& section = sections_[number];
        if (section.rows.size != 0) SectionsType::visit_tables(section, fn);
      }
    }
  }

  /// O(sets + sections with room).
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t entities = 0;
    for (const Set& set : sections_.catalogue().sets()) entities += set.mask.has(id<C>) ? sections_.rows(set) : 0;
    return entities;
  }

  /// Moves at most `budget` rows out of the emptiest sections into the fullest ones of the same component set; if
  /// sections share chunks, out of the emptiest chunks into the fullest ones. Closes the holes of the last one that has
  /// room. Gives the memory of empty sections back (room that was reserved included) to the heap, or to their chunk,
  /// which goes back when it has no section left. Returns the number of rows moved: less than `budget` when nothing is
  /// left to gain, and then at most one section of each set has room. Goes on where it stopped the last time, so that a
  /// little in every frame is as good as all at once. O(rows moved + sections of the sets visited). Invalidates
  /// pointers to the rows that move.
  std::size_t defragment(std::size_t budget)
    requires(Form::sizing::fixed)
  {
    guard_.assert_no_loop();
    return parts::defragment(sections_, next_set_, budget,
                             [this](EntityIndex owner, std::uint32_t number, std::uint32_t row) {
                               registry_.data(owner) = Location::template of<Section>(number, row);
                             });
  }

  /// See contract/moves.hpp.
  [[nodiscard]] std::uint64_t moves() const noexcept
    requires counts_moves<SchemaType>
  {
    return sections_.moves();
  }

  /// Puts the rows of entities that have one of Cs in the order of `order`, set by set: those of listed entities come
  /// first in the sections of their set, one behind the other. An entity is in the list at most once; one that has none
  /// of Cs, or is not alive, is passed over. O(entities listed), and at most one swap of rows for each. Throws
  /// std::bad_alloc; then nothing has changed. Invalidates pointers to rows of these sets; handles find what they found
  /// before.
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...> && !Rows::leave_holes)
  void order_rows(std::span<const entity_type> order) {
    guard_.assert_no_loop();
    struct Next {
      std::size_t section = 0;  ///< of the set's
      std::uint32_t row = 0;
    };
    std::vector<Next> next_of_set(sections_.count());  // by the number of the set's first section
    for (const entity_type entity : order) {
      const Location* const place = registry_.find(entity);
      if (place == nullptr) continue;
      const std::uint32_t row = place->row;
      Section& section = section_at(*place);
      if (!(Layout::template has<Cs>(section.places) || ...)) continue;
      const auto& numbers = section.set->sections;
      Next& next = next_of_set[numbers.front()];
      while (next.section < numbers.size() && next.row == sections_[numbers[next.section]].rows.size) {
        next = {next.section + 1, 0};
      }
      if (next.section == numbers.size()) continue;  // an entity was listed twice
      Section& target = sections_[numbers[next.section]];
      if (&target != &section || next.row != row) {
        sections_.swap_rows(section, row, target, next.row,
                            [this](EntityIndex owner, std::uint32_t number, std::uint32_t to) {
                              registry_.data(owner) = Location::template of<Section>(number, to);
                            });
      }
      ++next.row;
    }
  }

  /// See contract/lines.hpp; for an entity that has the components of the schema and no others.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    const double slot = lines_touched({{0, LocatedRegistry::slot_bytes}}, LocatedRegistry::slot_bytes);
    const double known = slot + Layout::template lookup_lines<Qs...>();
    return known + SectionsType::template record_lines<Qs...>(known);
  }

  /// See contract/events.hpp.
  [[nodiscard]] StorageEvents events() const noexcept { return registry_.events() + sections_.events(); }

  [[nodiscard]] MemoryBreakdown memory() const noexcept { return registry_.memory() + sections_.memory(); }

 private:
  void end_rows() noexcept { sections_.clear(); }
  /// As bytes. O(rows + sections).
  void copy_rows(const SectionStorage& other) {
    sections_.copy_from(other.sections_);
    if constexpr (Rows::keep_ticks) note_writes_everywhere();
    next_set_ = other.next_set_;
  }

  [[nodiscard]] Section& section_at(const Location& place) noexcept { return place.record(sections_.records()); }

  // ---- creation; an entity without components has a row too, in a section of the empty set

  template <class... Cs>
  [[nodiscard]] Set& home_for() {
    return sections_.catalogue().find_or_create(mask_of<SchemaType, Cs...>);
  }
  [[nodiscard]] static bool has_room(const Set& set) noexcept { return SectionsType::has_room(set); }
  void make_room(Set& set, std::size_t more) { sections_.make_room(set, more); }
  template <class... Cs>
  void place(Set& set, entity_type entity, Cs&&... components) {
    const std::uint32_t number = SectionsType::next_section(set);
    Section& section = sections_[number];
    if constexpr (sizeof...(Cs) > 0) {
      SectionsType::template construct_row<0>(
          Layout::template addresses<std::remove_cvref_t<Cs>...>(section.places, Rows::next(section.rows)),
          std::forward<Cs>(components)...);
    }
    note_writes<std::remove_cvref_t<Cs>...>(section);
    settle(section, number, entity.index());
  }

  void create_many(std::span<entity_type> out, const ComponentColumns<SchemaType>& columns) {
    Mask mask;
    columns.for_each_given([&]<class C>(TypeList<C>) { mask = mask.toggled(id<C>); });
    Set& set = sections_.catalogue().find_or_create(mask);
    sections_.make_room(set, out.size());
    sections_.copy_columns(set, columns);
    columns.check_copies();
    const NewEntities<entity_type> entities = registry_.create(out);  // nothing fails from here on
    sections_.move_columns(set, columns);
    note_creation(set, out.size());
    settle_many(set, entities);
  }

  /// The next row of the section is complete: it is the entity's.
  Location settle(Section& section, std::uint32_t number, EntityIndex owner) noexcept {
    const std::uint32_t row = sections_.commit(section, 1);
    section.owners()[row] = owner;
    return registry_.data(owner) = Location::template of<Section>(number, row);
  }

  /// The next rows of the set, section by section, belong to these entities.
  void settle_many(Set& set, const NewEntities<entity_type>& entities) noexcept {
    std::size_t settled = 0;
    while (settled < entities.size()) {
      const std::uint32_t number = SectionsType::next_section(set);
      Section& section = sections_[number];
      const std::size_t run = Rows::next_run(section.rows, entities.size() - settled);
      Location place = Location::template of<Section>(number, sections_.commit(section, run));
      EntityIndex* const owners = section.owners() + place.row;
      entities.copy_indices(settled, run, owners);
      if (entities.consecutive) {
        auto* const lives = registry_.slot_data() + owners[0];
        for (std::size_t i = 0; i < run; ++i, ++place.row) lives[i].data = place;
      } else {
        for (std::size_t i = 0; i < run; ++i, ++place.row) registry_.data(owners[i]) = place;
      }
      settled += run;
    }
  }

  // ---- what has changed, if the rows keep ticks

  /// The program may write to Qs, as far as they are not const, of rows of the section.
  template <class... Qs>
  void note_writes([[maybe_unused]] const Section& section) const noexcept {
    (note_write<Qs>(section), ...);
  }
  template <class Q>
  void note_write([[maybe_unused]] const Section& section) const noexcept {
    if constexpr (!std::is_const_v<Q> && records<Q>) {
      Rows::write(section.rows, stowage::detail::record_id<Q, SchemaType>, tick_.now);
    }
  }
  /// Other values may be anywhere.
  void note_writes_everywhere() const noexcept {
    for (const Set& set : sections_.catalogue().sets()) {
      for (const std::uint32_t number : set.sections) {
        [&]<class... Cs>(TypeList<Cs...>) { note_writes<Cs...>(sections_[number]); }(typename SchemaType::recorded{});
      }
    }
  }
  /// The next rows of the set are those of new entities. What its sections do not have may count as written.
  void note_creation([[maybe_unused]] const Set& set, [[maybe_unused]] std::size_t count) const noexcept {
    if constexpr (Rows::keep_ticks) {
      sections_.for_each_free_run(set, count, [this](const Section& section, std::size_t, std::size_t, std::size_t) {
        [&]<class... Cs>(TypeList<Cs...>) { note_writes<Cs...>(section); }(typename SchemaType::recorded{});
      });
    }
  }
  template <class Slice>
  [[nodiscard]] static bool is_visited([[maybe_unused]] const Slice& slice, const Section& section) noexcept {
    if constexpr (is_changed_loop<Slice>) {
      constexpr std::size_t record = stowage::detail::record_id<typename Slice::changing, SchemaType>;
      return section.rows.size != 0 && has_changed(Rows::written(section.rows, record), slice.since);
    } else {
      return section.rows.size != 0;
    }
  }

  // ---- structural change

  /// Is told where a row went when it filled a hole of its section.
  [[nodiscard]] auto follow() noexcept {
    return [this](EntityIndex owner, std::uint32_t row) {
      registry_.data(owner).row = static_cast<decltype(Location::row)>(row);
    };
  }

  /// Moves an entity to the set that has C if its own does not, or the other way round.
  template <class C, class Add>
  Location move_to_neighbour(EntityIndex index, Location from, Add&& add) {
    return move_to(sections_.catalogue().neighbour(*section_at(from).set, id<C>), index, from, std::forward<Add>(add));
  }
  /// Moves an entity to another set. `add(section)` constructs what is new in the next row of the section. Making room
  /// may move all records, so they are asked for again.
  template <class Add>
  Location move_to(Set& target, EntityIndex index, Location from, Add&& add) {
    if (!SectionsType::has_room(target)) sections_.make_room(target, 1);
    const std::uint32_t number = SectionsType::next_section(target);
    Section& to = sections_[number];
    add(to);
    sections_.move_row(section_at(from), from.row, to, follow());
    return settle(to, number, index);
  }

  /// Moves an entity to a set with C, which is constructed in its place; elsewhere if the set has to grow, because the
  /// arguments may refer to rows that move.
  template <class C, class... Arguments>
  Location move_adding(Set& target, EntityIndex index, Location from, Arguments&&... arguments) {
    const auto move_with = [&]<class... Made>(Made&&... made) {
      return move_to(target, index, from, [&](const Section& to) {
        parts::construct_component(SectionsType::template at<C>(to, Rows::next(to.rows)), std::forward<Made>(made)...);
      });
    };
    if constexpr (!stowage::detail::knows_no_place<C>) {
      if (SectionsType::has_room(target)) return move_with(std::forward<Arguments>(arguments)...);
    }
    return move_with(stowage::detail::make<C>(std::forward<Arguments>(arguments)...));
  }

  /// Room for all entities that have C in the sets without it.
  template <class C>
  void make_room_without() {
    const std::size_t before = sections_.catalogue().sets().size();  // there may be more, which are empty
    for (std::size_t number = 0; number < before; ++number) {
      Set& set = sections_.catalogue().sets()[number];
      if (!set.mask.has(id<C>) || sections_.rows(set) == 0) continue;
      sections_.make_room(sections_.catalogue().neighbour(set, id<C>), sections_.rows(set));
    }
  }

  /// Calls `visit(place, i, count)` for entities of the list, from the i-th on, that are alive and whose rows lie one
  /// behind the other from `place` on. It says with how many of them it is done.
  template <class Visit>
  void for_each_run_of(std::span<const entity_type> entities, Visit&& visit) {
    for (std::size_t i = 0; i < entities.size();) {
      const Location* const found = registry_.find(entities[i]);
      if (found == nullptr) {
        ++i;
        continue;
      }
      const Location place = *found;
      std::size_t count = 1;
      for (; i + count < entities.size(); ++count) {
        const Location* const next = registry_.find(entities[i + count]);
        if (next == nullptr || next->section != place.section || next->row != place.row + count) break;
      }
      i += visit(place, i, count);
    }
  }
  /// move_to_neighbour() for the first of these entities, whose rows lie one behind the other from `place` on: as many
  /// as have room side by side. `add(section, count)` constructs what is new in the next rows. Returns how many.
  template <class C, class Add>
  std::size_t move_run(Location place, std::span<const entity_type> entities, Add&& add) {
    Set& target = sections_.catalogue().neighbour(*section_at(place).set, id<C>);
    if (!SectionsType::has_room(target)) sections_.make_room(target, entities.size());
    Section& to = sections_[SectionsType::next_section(target)];
    const std::size_t count = Rows::next_run(to.rows, entities.size());
    add(to, count);
    sections_.move_run(section_at(place), place.row, count, to, follow());
    settle_many(target, NewEntities<entity_type>{entities.first(count)});
    return count;
  }

 protected:
  // ---- for a strategy that keeps some components of its entities elsewhere: this, and all that StorageForms asks for

  using located_registry = LocatedRegistry;
  [[nodiscard]] const LocatedRegistry& registry() const noexcept { return registry_; }

  /// Undoes create(). No listener hears of it.
  void take_back(entity_type entity) noexcept {
    const Location place = registry_.data(entity.index());
    registry_.end(entity);
    sections_.erase(section_at(place), place.row, follow());
  }

  /// Takes the index of a living entity to its Q, null if it has none.
  template <class Q>
  [[nodiscard]] auto finder() const noexcept {
    return [this](EntityIndex index) {
      const Location place = registry_.data(index);
      return std::get<0>(Layout::template find<Q>(place.record(sections_.records()).places, place.row));
    };
  }

  // ---- lookup

  template <class... Qs>
  [[nodiscard]] std::tuple<pointer<Qs>...> look_up(entity_type entity) const noexcept {
    const Section* const sections = sections_.records();  // before the test, so that a loop keeps it in a register
    const Location* const found = registry_.find(entity);
    if (found == nullptr) return {};
    const Location place = *found;
    const Section& section = place.record(sections);
    note_writes<Qs...>(section);
    return Layout::template find<Qs...>(section.places, place.row);
  }

  // ---- iteration: see StorageForms

  template <class... Qs, class Slice, class Fn>
  STOWAGE_INLINE void loop_rows(Slice& slice, Fn& fn) const {
    const IterationGuard::Scope<Slice> looping(guard_);
    if constexpr (Slice::is_whole) {
      for_each_section<Qs...>([&](const Section& section) {
        if (is_visited(slice, section)) {
          loop_section<Slice>(stowage::detail::shown_of<Qs...>{}, asked_bits<Qs...>{}, section, {}, fn);
        }
      });
    } else {
      const auto& sets = sets_with<Qs...>();
      for (std::size_t s = 0, set_count = sets.size(); s < set_count; ++s) {
        const Set& set = *sets[s];
        if (set.sections.empty() || !SectionsType::template may_match<Qs...>(set)) continue;
        // every row that a section has room for is a step, so that a slice is found without a look at the sections
        // before it: all of one set have the same room
        const std::size_t steps = sections_[set.sections[0]].rows.capacity;
        const RowRange range = slice.take(set.sections.size() * steps);
        for (std::size_t i = range.first / steps; i * steps < range.end; ++i) {
          const Section& section = sections_[set.sections[i]];
          const std::size_t before = i * steps;
          const RowRange part{(std::max)(range.first, before) - before, (std::min)(range.end - before, steps)};
          if (section.rows.size != 0) {
            loop_section<Slice>(stowage::detail::shown_of<Qs...>{}, asked_bits<Qs...>{}, section, part, fn);
          }
        }
      }
    }
  }

  template <class... Qs>
  [[nodiscard]] const auto& sets_with() const {
    return sections_.catalogue().matching(SectionsType::mask_of_all(stowage::detail::required_of<Qs...>{}));
  }

  /// Calls `visit(section)` for the sections whose rows may match. If each set has one, the next one is looked up
  /// before one is visited: what leads to it then need not wait for the end of a loop over rows, which processors
  /// seldom predict.
  template <class... Qs, class Visit>
  STOWAGE_INLINE void for_each_section(Visit&& visit) const {
    // by position and up to the ends they had, because these lists may grow if entities are created during a loop
    const auto& sets = sets_with<Qs...>();
    const std::size_t set_count = sets.size();
    if constexpr (Form::sizing::fixed) {
      for (std::size_t s = 0; s < set_count; ++s) {
        const Set& set = *sets[s];
        if (!SectionsType::template may_match<Qs...>(set)) continue;
        for (std::size_t i = 0, count = set.sections.size(); i < count; ++i) visit(sections_[set.sections[i]]);
      }
    } else {
      const auto section_of = [&](std::size_t s) -> const Section* {
        if (s == set_count || sets[s]->sections.empty()) return nullptr;
        if (!SectionsType::template may_match<Qs...>(*sets[s])) return nullptr;
        return &sections_[sets[s]->sections.front()];
      };
      const Section* next = section_of(0);
      for (std::size_t s = 0; s < set_count; ++s) {
        const Section* const section = next;
        next = section_of(s + 1);
        if (section != nullptr) visit(*section);
      }
    }
  }

  /// All rows of a section or, if the slice is a part of the loop, those in the range. What it needs of the record it
  /// takes by value, because `fn` may make records move.
  template <class Slice, class... Qs, class... Bits, class Fn>
  void loop_section(TypeList<Qs...> shown, TypeList<Bits...> bits, const Section& section, RowRange range,
                    Fn& fn) const {
    note_writes<stowage::detail::asked_of<Qs>...>(section);
    const auto walk = [&, owners = section.owners()](auto... cursors) {
      constexpr bool are_columns = (std::is_pointer_v<decltype(cursors)> && ...);
      constexpr bool is_scalar = Layout::template scalar_loop<stowage::detail::asked_of<Qs>...> && !are_columns;
      const auto entity_of = [this, owners](std::size_t row) { return owner_for<Fn>(registry_, owners[row]); };
      if constexpr (Rows::leave_holes) {
        Rows::template for_each_run<Slice>(
            range, section.rows, [&](RowRange run) { visit_rows<is_scalar>(run, fn, entity_of, cursors...); },
            [&](std::size_t row) { call(fn, [&] { return entity_of(row); }, cursors[row]...); });
      } else if constexpr (sizeof...(Bits) != 0) {
        Rows::template for_each_run<Slice>(
            range, section.rows, SectionsType::word_of(section, bits),
            [&](RowRange run) { visit_rows<is_scalar>(run, fn, entity_of, cursors...); },
            [&](std::size_t row) { call(fn, [&] { return entity_of(row); }, cursors[row]...); });
      } else {
        const std::size_t size = section.rows.size;
        const RowRange run = Slice::is_whole ? RowRange{0, size} : RowRange{range.first, (std::min)(range.end, size)};
        visit_rows<is_scalar>(run, fn, entity_of, cursors...);
      }
    };
    if constexpr (stowage::detail::has_filters<Qs...>) {
      std::apply(walk, SectionsType::cursors_of(section, shown));
    } else {
      if constexpr (Layout::template may_have_better_cursors<Qs...>) {
        if (Layout::template with_better_cursors<Qs...>(section.places, walk)) return;
      }
      walk(Layout::template cursor<Qs, Qs...>(section.places)...);
    }
  }

  template <class... Qs, class Fn>
  void loop_blocks(Fn& fn) const {
    const IterationGuard::Scope looping(guard_);
    for_each_section<Qs...>([&](const Section& section) {
      if (section.rows.size == 0) return;
      note_writes<Qs...>(section);
      const auto visit = [&, places = section.places, owners = section.owners()](RowRange run) {
        call_plainly(
            fn, [&] { return block_entities::of(registry_, owners + run.first, run.size()); },
            Layout::template block<Qs>(places, run.first, run.size())...);
      };
      if constexpr (asked_bits<Qs...>::size != 0) {
        Rows::template for_each_run<WholeLoop>({}, section.rows, SectionsType::word_of(section, asked_bits<Qs...>{}),
                                               visit, [&](std::size_t row) { visit(RowRange{row, row + 1}); });
      } else {
        SectionsType::for_each_run(section, visit);
      }
    });
  }

  template <class... Cs>
  void reserve_for(std::size_t count, TypeList<Cs...>) {
    registry_.reserve(count);
    sections_.reserve(sections_.catalogue().find_or_create(mask_of<SchemaType, Cs...>), count);
  }

 private:
  LocatedRegistry registry_;
  SectionsType sections_;
  std::size_t next_set_ = 0;  // where defragment() goes on
  struct NoTick {};
  struct CurrentTick {
    Tick now = 1;
  };
  STOWAGE_NO_UNIQUE_ADDRESS std::conditional_t<Rows::keep_ticks, CurrentTick, NoTick> tick_;
  IterationGuard guard_;
};

}  // namespace stowage::parts
