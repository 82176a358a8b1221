#pragma once

// The sections of a storage: making room, adding, moving and removing rows, giving memory back. Knows no handles.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/moves.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop.hpp>
#include <stowage/parts/sections/plan.hpp>
#include <stowage/parts/sections/room_list.hpp>
#include <stowage/parts/sections/set_catalogue.hpp>

namespace stowage::parts {

/// Calls `visit(from, to, count)` for rows that lie side by side in both places: all at once, or one by one if
/// components are at a distance from each other.
template <class Cursor, class Visit>
void for_each_contiguous(const Cursor& from, const Cursor& to, std::size_t count, Visit&& visit) {
  if constexpr (std::is_pointer_v<Cursor>) {
    visit(from, to, count);
  } else {
    for (std::size_t row = 0; row < count; ++row) visit(address_of(from, row), address_of(to, row), std::size_t{1});
  }
}

/// Sections are known by number, and each row has the index of its owner. `Form` says how the rows of a section are
/// kept, where their components lie, how many make a section, and where sections get their memory: see form.hpp.
///
///     record  { places of A, B, ...; rows in use; links; set; block }       block  [ owners | A A ... | B B ... ]
template <class SchemaType, class Form>
class Sections {
  static constexpr std::size_t component_count = SchemaType::component_count;

 public:
  using Layout = typename Form::template layout<SchemaType>;
  using Rows = typename Form::rows;
  using Sizing = typename Form::sizing;
  using Memory = typename Form::memory;
  using Location = typename Form::location;
  using Plan = typename Layout::Plan;
  using Mask = ComponentMask<component_count>;
  using Set = ComponentSet<component_count, Memory, Sizing::fixed>;
  using Catalogue = SetCatalogue<Set>;
  static_assert(Sizing::fixed || !Rows::leave_holes, "a section that grows moves its rows: it may as well pack them");

  /// Fixed sections have records on cache lines of their own: they are many, and few of them are in the cache.
  struct alignas(Sizing::fixed ? cache_line_bytes : alignof(std::uint64_t)) Section {
    typename Layout::Places places;  // first, because lookups read nothing else
    typename Rows::State rows;
    RoomLinks links;     ///< of the list of its set's sections with room, or of numbers that are free
    Set* set = nullptr;  ///< null while its number is free
    typename Memory::Piece block;

    [[nodiscard]] EntityIndex* owners() const noexcept { return reinterpret_cast<EntityIndex*>(block.data()); }
    [[nodiscard]] std::size_t room() const noexcept { return rows.capacity - rows.size; }
    [[nodiscard]] bool full() const noexcept { return rows.size == rows.capacity; }
  };

  Sections() : sections_(CountingAllocator<Section>(catalogue_.heap())) {}
  Sections(const Sections&) = delete;
  Sections& operator=(const Sections&) = delete;
  ~Sections() { destroy_components(); }

  [[nodiscard]] Catalogue& catalogue() noexcept { return catalogue_; }
  [[nodiscard]] const Catalogue& catalogue() const noexcept { return catalogue_; }
  [[nodiscard]] Section& operator[](std::uint32_t number) noexcept { return sections_[number]; }
  [[nodiscard]] const Section& operator[](std::uint32_t number) const noexcept { return sections_[number]; }
  [[nodiscard]] std::uint32_t number_of(const Section& section) const noexcept {
    return static_cast<std::uint32_t>(&section - sections_.data());
  }
  /// Numbers in use are below.
  [[nodiscard]] std::size_t count() const noexcept { return sections_.size(); }
  [[nodiscard]] const Section* records() const noexcept { return sections_.data(); }
  [[nodiscard]] Section* records() noexcept { return sections_.data(); }

  /// See contract/lines.hpp: what a lookup that fetches `others` lines beside reads of a section's record. A section
  /// per set is few records, which stay in the cache. Fixed sections are many, but lookups come back to each: the
  /// share of them that are still in a first-level cache is estimated for a million entities of all components.
  template <class... Qs>
  [[nodiscard]] static constexpr double record_lines([[maybe_unused]] double others) noexcept {
    if constexpr (!Sizing::fixed) {
      return 0;
    } else {
      const double lines = lines_touched({Layout::template record_touched<Qs...>()}, sizeof(Section));
      return lines * share_evicted(others + lines);
    }
  }

  // ---- room

  [[nodiscard]] static bool has_room(const Set& set) noexcept { return !set.with_room.empty(); }

  /// Room for `more` rows beyond those in use. Looks at no more sections than it will take to hold them.
  /// Throws std::bad_alloc, PlaceExhausted; then no row has changed.
  void make_room(Set& set, std::size_t more) {
    if constexpr (Sizing::fixed) {
      std::size_t room = 0;
      for (std::uint32_t number = set.with_room.front(); number != no_section && room < more;
           number = sections_[number].links.after) {
        room += sections_[number].room();
      }
      while (room < more) room += add_section(set, rows_per_section(set)).room();
    } else if (set.sections.empty()) {
      add_section(set, within_limit(grown_capacity(0, more), more));
    } else if (Section& section = sections_[set.sections.front()]; section.room() < more) {
      const std::size_t needed = section.rows.size + more;
      grow(section, within_limit(grown_capacity(section.rows.capacity, needed), needed));
    }
  }

  /// Room for `rows` rows in all.
  void reserve(Set& set, std::size_t rows) {
    if constexpr (Sizing::fixed) {
      const std::size_t used = this->rows(set);
      if (rows > used) make_room(set, rows - used);
    } else if (set.sections.empty()) {
      if (rows != 0) add_section(set, within_limit(rows, rows));
    } else if (Section& section = sections_[set.sections.front()]; rows > section.rows.capacity) {
      grow(section, within_limit(rows, rows));
    }
  }

  /// Rows of all sections of the set. O(sections with room).
  [[nodiscard]] std::size_t rows(const Set& set) const noexcept {
    if (set.sections.empty()) return 0;
    if constexpr (!Sizing::fixed) return sections_[set.sections.front()].rows.size;
    std::size_t room = 0;
    for (std::uint32_t number = set.with_room.front(); number != no_section; number = sections_[number].links.after) {
      room += sections_[number].room();
    }
    return set.sections.size() * set.rows_per_section - room;
  }

  /// The number of the section that the next row of the set goes to. Needs room.
  [[nodiscard]] static std::uint32_t next_section(const Set& set) noexcept { return set.with_room.front(); }

  // ---- rows

  /// The address of a component in a row of a section that has it.
  template <class C>
  [[nodiscard]] static typename Layout::template pointer<C> at(const Section& section, std::size_t row) noexcept {
    return address_of(Layout::template cursor<C, C>(section.places), row);
  }

  /// The components of the next `count` rows of the section, which lie side by side, are there: these are rows now, and
  /// want owners. The section is the next_section() of its set. Returns the number of the first of them.
  std::uint32_t commit(Section& section, std::size_t count) noexcept {
    const std::uint32_t first = Rows::next(section.rows);
    Rows::take(section.rows, section.owners(), count);
    if (section.full()) [[unlikely]]
      section.set->with_room.remove(records(), number_of(section));
    return first;
  }

  /// Bulk form: calls `construct(section, first_row, first_item, count)` for the next rows of the set until `count`
  /// items have their places. Commits nothing.
  template <class Construct>
  void for_each_free_run(const Set& set, std::size_t count, Construct&& construct) const {
    std::size_t item = 0;
    std::uint32_t number = set.with_room.front();
    while (item < count) {
      const Section& section = sections_[number];
      const std::size_t fitting = std::min<std::size_t>(section.room(), count - item);
      Rows::for_each_free_run(section.rows, section.owners(), fitting, [&](std::size_t first, std::size_t run) {
        construct(section, first, item, run);
        item += run;
      });
      number = section.links.after;
    }
  }

  /// Moves the components that the two sets share to the next row of `to`, ends the others, and gives the row up. What
  /// `to` has beyond that must be constructed there; commit() comes after. `moved(owner, row)` as in give_up_row().
  template <class Moved>
  void move_row(Section& from, std::size_t row, const Section& to, Moved&& moved) noexcept {
    note_change_of(to);  // it may gain what the other set has not
    const std::uint32_t to_row = Rows::next(to.rows);
    for_each_component_of(from, [&]<class C>(TypeList<C>) {
      if constexpr (is_tag<C>) return;
      if (Layout::template has<C>(to.places)) {
        move_component(at<C>(from, row), at<C>(to, to_row));
      } else {
        destroy_component(at<C>(from, row));
      }
    });
    if constexpr (Rows::keep_bits) copy_bits(from, row, to, to_row);
    if constexpr (Rows::keep_ticks) Rows::join_ticks(to.rows, from.rows);
    give_up_row(from, row, std::forward<Moved>(moved));
  }

  /// The same for `count` rows that lie side by side, and next rows of `to` that do. Only if rows are packed.
  template <class Moved>
  void move_run(Section& from, std::size_t row, std::size_t count, const Section& to, Moved&& moved) noexcept {
    note_change_of(to);
    const std::uint32_t to_row = Rows::next(to.rows);
    for_each_component_of(from, [&]<class C>(TypeList<C>) {
      if constexpr (is_tag<C>) return;
      if (Layout::template has<C>(to.places)) {
        relocate_run<C>(from, row, count, to, to_row);
      } else {
        destroy_run<C>(from, row, count);
      }
    });
    if constexpr (Rows::keep_bits) {
      for (std::size_t i = 0; i < count; ++i) copy_bits(from, row + i, to, to_row + i);
    }
    if constexpr (Rows::keep_ticks) Rows::join_ticks(to.rows, from.rows);
    give_up_run(from, row, count, std::forward<Moved>(moved));
  }
  template <class Moved>
  void erase_run(Section& section, std::size_t row, std::size_t count, Moved&& moved) noexcept {
    end_components(section, [&]<class C>(TypeList<C>) { destroy_run<C>(section, row, count); });
    give_up_run(section, row, count, std::forward<Moved>(moved));
  }

  template <class Moved>
  void erase(Section& section, std::size_t row, Moved&& moved) noexcept {
    end_components(section, [&]<class C>(TypeList<C>) { destroy_component(at<C>(section, row)); });
    give_up_row(section, row, std::forward<Moved>(moved));
  }

  /// Ends every row. Trivially destructible components are not visited. Keeps the memory. O(sections).
  void clear() noexcept {
    moves_.note();
    destroy_components();
    for (Set& set : catalogue().sets()) {
      set.with_room = {};
      for (const std::uint32_t number : set.sections) {
        Rows::clear(sections_[number].rows);
        set.with_room.push_back(records(), number);
      }
    }
  }

  /// The sets, sections and rows of `other`, under the same numbers; components are copied as bytes. A section here
  /// keeps its memory if it is of the same set and has room. Sections that `other` lacks stay without rows, unless
  /// their set may have only one. If it throws, there are no sections.
  void copy_from(const Sections& other) {
    moves_.note();
    OnFailure drop([this] { release_all(); });
    for (const Set& theirs : other.catalogue().sets()) static_cast<void>(catalogue_.find_or_create(theirs.mask));
    while (sections_.size() < other.count()) {
      if (sections_.size() == sections_.capacity()) grow_list();
      sections_.emplace_back();
    }
    CopyPlans plans;
    for (std::uint32_t number = 0; number < other.count(); ++number) {
      const Section& from = other[number];
      if (from.set == nullptr) continue;
      Section& to = sections_[number];
      Set& set = catalogue_.find_or_create(from.set->mask);
      if (to.set != &set || to.rows.capacity < from.rows.size) replace(to, set, from.rows.capacity);
      copy_rows(from, to, plans);
    }
    list_like(other);
    drop.release();
  }

  /// Two rows of one set, each in its section, change places. `moved(owner, number, row)` is told of both.
  template <class Moved>
  void swap_rows(Section& section, std::uint32_t row, Section& other, std::uint32_t other_row, Moved&& moved) noexcept {
    note_change_of(section);
    for_each_component_of(section, [&]<class C>(TypeList<C>) {
      if constexpr (is_tag<C>) return;
      const auto place = at<C>(section, row);
      const auto other_place = at<C>(other, other_row);
      C held(static_cast<C&&>(*place));
      destroy_component(place);
      relocate_component(other_place, place);
      construct_component(other_place, std::move(held));
    });
    if constexpr (Rows::keep_bits) Rows::swap_bits(section.rows, row, other.rows, other_row);
    if constexpr (Rows::keep_ticks) {
      Rows::join_ticks(section.rows, other.rows);
      Rows::join_ticks(other.rows, section.rows);
    }
    std::swap(section.owners()[row], other.owners()[other_row]);
    moved(section.owners()[row], number_of(section), row);
    moved(other.owners()[other_row], number_of(other), other_row);
  }

  // ---- giving back and defragmentation: see defragment.hpp

  /// Gives the memory of a section without rows back; the next section to come has its number. Its set lists it until
  /// forget_released().
  void release(std::uint32_t number) noexcept {
    Section& section = sections_[number];
    section.set->with_room.remove(sections_.data(), number);
    section.set->memory.give_back(section.block, held_);
    section = Section();
    section.links.after = std::exchange(free_number_, number);
  }
  /// O(sections of the set).
  void forget_released(Set& set) noexcept {
    using std::erase_if;
    erase_if(set.sections, [this](std::uint32_t number) { return sections_[number].set == nullptr; });
  }

  /// Whether defragmentation gains nothing in this set: at most one of its sections has room, and it has no holes.
  [[nodiscard]] bool is_dense(const Set& set) const noexcept {
    if (set.with_room.empty()) return true;
    const Section& section = sections_[set.with_room.front()];
    return set.with_room.front() == set.with_room.back() && section.rows.size != 0 && !Rows::has_holes(section.rows);
  }

  /// Moves rows of one section of a set to the next rows of another, the last ones first, until it has none, the other
  /// has no room, or `most` have moved. `moved(owner, number, row)` is told of each. Returns how many.
  template <class Moved>
  std::size_t merge(Section& from, Section& to, std::size_t most, Moved&& moved) noexcept {
    note_change_of(from);
    if constexpr (Rows::keep_ticks) Rows::join_ticks(to.rows, from.rows);
    const std::size_t count = (std::min)({std::size_t{from.rows.size}, to.room(), most});
    const std::uint32_t number = number_of(to);
    std::uint32_t row = Rows::end(from.rows);
    for (std::size_t i = 0; i < count; ++i) {
      row = Rows::last_before(from.rows, row);
      const std::uint32_t to_row = Rows::next(to.rows);
      const EntityIndex owner = from.owners()[row];
      relocate_row(from, row, to, to_row);
      if constexpr (Rows::keep_bits) copy_bits(from, row, to, to_row);
      Rows::give_up(from.rows, from.owners(), row);
      commit(to, 1);
      to.owners()[to_row] = owner;
      moved(owner, number, to_row);
    }
    return count;
  }

  /// Moves the last rows of a section into its holes, at most `most`. O(rows of the section) if there are any.
  template <class Moved>
  std::size_t close_holes(Section& section, std::size_t most, Moved&& moved) noexcept {
    if (!Rows::has_holes(section.rows)) return 0;
    note_change_of(section);
    const std::uint32_t number = number_of(section);
    return Rows::close_holes(section.rows, section.owners(), most, [&](std::uint32_t from, std::uint32_t to) {
      relocate_within(section, from, to);
      moved(section.owners()[to] = section.owners()[from], number, to);
    });
  }

  // ---- account

  /// See contract/events.hpp.
  [[nodiscard]] const StorageEvents& events() const noexcept { return events_; }
  /// See contract/moves.hpp.
  [[nodiscard]] std::uint64_t moves() const noexcept { return moves_.value(); }

  /// Components are payload; owners, what rows and layout keep beside them, and all book-keeping are index; the rest of
  /// the sections is slack. O(sections).
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes;
    std::size_t index = 0;
    for (const Section& section : sections_) {
      if (section.set == nullptr) continue;
      bytes.payload_bytes += section.rows.size * section.set->payload_row_bytes;
      index += section.rows.size * section.set->index_row_bytes + Rows::index_bytes(section.rows);
    }
    bytes.index_bytes = index + catalogue_.held_bytes();
    bytes.slack_bytes = held_.bytes - bytes.payload_bytes - index;
    bytes.allocations = held_.blocks + catalogue_.allocations();
    return bytes;
  }

 private:
  /// Calls `visit(TypeList<C>{})` for each component C of the section. A schema of few types is asked one by one, in
  /// line; of many, those in the mask are called through a table.
  template <class Visit>
  static void for_each_component_of(const Section& section, Visit&& visit) noexcept {
    if constexpr (component_count <= few_components) {
      stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C> component) {
        if (Layout::template has<C>(section.places)) visit(component);
      });
    } else {
      for_each_component_in(section.set->mask, typename SchemaType::components{}, visit);
    }
  }
  /// The same for those that have something to end.
  template <class End>
  static void end_components(const Section& section, End&& end) noexcept {
    if constexpr (!ends_by_itself) {
      for_each_component_of(section, [&]<class C>(TypeList<C> component) {
        if constexpr (!std::is_trivially_destructible_v<C>) end(component);
      });
    }
  }
  static constexpr bool ends_by_itself = []<class... Cs>(TypeList<Cs...>) {
    return stowage::detail::all_of<std::is_trivially_destructible_v<Cs>...>();
  }(typename SchemaType::components{});

  /// e^-x, where x is what a cache of 48 KiB holds, over what comes in between two lookups in one section.
  [[nodiscard]] static constexpr double share_evicted(double lines_per_lookup) noexcept {
    constexpr double entities = 1 << 20;
    constexpr double cached_lines = 48.0 * 1024 / cache_line_bytes;
    std::size_t row_bytes = sizeof(EntityIndex);
    for (const ColumnShape& shape : Plan::shapes) row_bytes += shape.row_bytes * shape.lanes;
    const double sections = entities * static_cast<double>(row_bytes) / Sizing::section_bytes;
    const double x = cached_lines / (sections * lines_per_lookup);
    double term = 1;
    double e_to_x = 1;
    for (int n = 1; n < 32; ++n) e_to_x += term *= x / n;
    return 1 / e_to_x;
  }

  /// Most rows that fit a section of fixed size; at least one.
  [[nodiscard]] static std::size_t rows_per_section(const Set& set) {
    if (set.rows_per_section != 0) return set.rows_per_section;
    Plan plan = Layout::plan(set.mask);
    std::size_t rows = std::min<std::size_t>(Sizing::section_bytes / plan.row_bytes(), Location::most_rows);
    while (rows > 1 && block_bytes(plan, rows) > Sizing::section_bytes) --rows;
    // a full section of whole vectors has no scalar tail, which would cost as much as a quarter of its loop
    constexpr std::size_t vector_rows = 16;
    return rows < 4 * vector_rows ? std::max<std::size_t>(rows, 1) : rows / vector_rows * vector_rows;
  }

  [[nodiscard]] static std::size_t within_limit(std::size_t capacity, std::size_t needed) {
    if (needed > Location::most_rows) STOWAGE_THROW(PlaceExhausted("row of a section", Location::most_rows));
    return std::min<std::size_t>(capacity, Location::most_rows);
  }

  /// Of the columns, and of what the rows keep of themselves behind them.
  [[nodiscard]] static std::size_t block_bytes(Plan& plan, std::size_t rows) noexcept {
    return own_start(plan, rows) + Rows::own_bytes(rows);
  }
  [[nodiscard]] static std::size_t own_start(Plan& plan, std::size_t rows) noexcept {
    return detail::align_up(plan.carve(rows), Rows::own_bytes(1) != 0 ? sizeof(std::uint64_t) : 1);
  }

  Section& add_section(Set& set, std::size_t capacity) {
    const std::uint32_t number =
        free_number_ != no_section ? free_number_ : static_cast<std::uint32_t>(sections_.size());
    if (number >= Location::template most_sections<Section>) {
      STOWAGE_THROW(PlaceExhausted("section", Location::template most_sections<Section>));
    }
    if (number == sections_.capacity()) grow_list();
    if constexpr (Sizing::fixed) {
      set.sections.reserve(set.sections.size() < set.sections.capacity()
                               ? set.sections.capacity()
                               : std::max<std::size_t>(4, set.sections.size() * 2));
    }
    Plan plan = Layout::plan(set.mask);
    std::size_t bytes = block_bytes(plan, capacity);
    if constexpr (Sizing::fixed) bytes = (std::max)(bytes, Sizing::section_bytes);
    auto block = set.memory.take(bytes, plan.alignment(), held_);
    // nothing fails from here on
    if (number == sections_.size()) {
      sections_.emplace_back();
    } else {
      free_number_ = sections_[number].links.after;
    }
    Section& section = sections_[number];
    section.block = std::move(block);
    section.set = &set;
    set_up(section, plan, capacity);
    note_section(set, plan, capacity);
    set.sections.push_back(number);
    // it is filled last: rows come in the order of creation where several sections have room
    set.with_room.push_back(sections_.data(), number);
    return section;
  }
  void note_section(Set& set, const Plan& plan, std::size_t capacity) noexcept {
    set.payload_row_bytes = plan.payload_row_bytes();
    set.index_row_bytes = sizeof(EntityIndex) + Layout::index_row_bytes(plan);
    set.rows_per_section = capacity;
    ++events_.sections;
  }

  void grow_list() {
    if (sections_.capacity() != 0) ++events_.growths;
    sections_.reserve(grown_capacity(sections_.capacity(), sections_.size() + 1));
  }

  // ---- copy_from()

  /// How the sections that were copied last lie: those of a set come one behind the other.
  struct CopyPlans {
    const Set* set = nullptr;  ///< of `other`
    Plan from{Mask()};
    Plan to{Mask()};
    std::size_t from_rows = 0;
    std::size_t to_rows = 0;
  };
  static void copy_rows(const Section& from, Section& to, CopyPlans& plans) noexcept {
    if (from.set != plans.set || from.rows.capacity != plans.from_rows || to.rows.capacity != plans.to_rows) {
      const Plan plan = Layout::plan(from.set->mask);
      plans = {from.set, plan, plan, from.rows.capacity, to.rows.capacity};
      plans.from.carve(plans.from_rows);
      plans.to.carve(plans.to_rows);
    }
    copy_bytes(from, plans.from, to, plans.to, Rows::end(from.rows));
    Rows::copy(from.rows, to.rows);
  }
  /// Gives a record memory for so many rows of the set, instead of what it has.
  void replace(Section& section, Set& set, std::size_t capacity) {
    if (section.set != nullptr) section.set->memory.give_back(section.block, held_);
    section = Section();
    Plan plan = Layout::plan(set.mask);
    std::size_t bytes = block_bytes(plan, capacity);
    if constexpr (Sizing::fixed) bytes = (std::max)(bytes, Sizing::section_bytes);
    section.block = set.memory.take(bytes, plan.alignment(), held_);
    section.set = &set;
    set_up(section, plan, capacity);
    note_section(set, plan, capacity);
  }
  /// Lists the sections of each set in the order of `other`, and those that only this has behind them.
  void list_like(const Sections& other) {
    for (Set& set : catalogue_.sets()) {
      set.sections.clear();
      set.with_room = {};
    }
    for (const Set& theirs : other.catalogue().sets()) {
      Set& set = catalogue_.find_or_create(theirs.mask);
      for (const std::uint32_t number : theirs.sections) set.sections.push_back(number);
      for (std::uint32_t number = theirs.with_room.front(); number != no_section; number = other[number].links.after) {
        if (!sections_[number].full()) set.with_room.push_back(records(), number);
      }
    }
    free_number_ = no_section;
    for (std::uint32_t number = 0; number < sections_.size(); ++number) {
      Section& section = sections_[number];
      const bool is_theirs = number < other.count() && other[number].set != nullptr;
      if (!Sizing::fixed && section.set != nullptr && !is_theirs && !section.set->sections.empty()) {
        section.set->memory.give_back(section.block, held_);  // a set that grows has one
        section = Section();
      }
      if (section.set == nullptr) {
        section.links.after = std::exchange(free_number_, number);
      } else if (!is_theirs) {
        Rows::clear(section.rows);
        section.set->sections.push_back(number);
        section.set->with_room.push_back(records(), number);
      } else if (!section.full() && other[number].full()) {
        section.set->with_room.push_back(records(), number);
      }
    }
  }
  void release_all() noexcept {
    for (Section& section : sections_) {
      if (section.set != nullptr) section.set->memory.give_back(section.block, held_);
    }
    sections_.clear();
    free_number_ = no_section;
    for (Set& set : catalogue_.sets()) {
      set.sections.clear();
      set.with_room = {};
    }
  }

  /// The block is there and the plan carved for it.
  static void set_up(Section& section, const Plan& plan, std::size_t capacity) noexcept {
    section.places = Layout::places(plan, section.block.data());
    Layout::prepare(section.places, plan.mask(), capacity);
    Plan own = plan;
    Rows::start(section.rows, static_cast<std::uint32_t>(capacity), section.block.data() + own_start(own, capacity));
  }

  /// A growing set has one section: its rows move with it.
  void grow(Section& section, std::size_t capacity) {
    note_change_of(section);
    Set& set = *section.set;
    Plan plan = Layout::plan(set.mask);
    const bool was_full = section.full();
    Section larger;
    larger.block = set.memory.take(block_bytes(plan, capacity), plan.alignment(), held_);
    set_up(larger, plan, capacity);
    move_rows(section, larger, plan);
    section.block.swap(larger.block);
    section.places = larger.places;
    if constexpr (Rows::keep_bits) Rows::move_bits(section.rows, larger.rows);
    section.rows.capacity = larger.rows.capacity;
    set.memory.give_back(larger.block, held_);
    if (was_full) set.with_room.push_back(sections_.data(), set.sections.front());
    ++events_.growths;
  }

  /// All rows of one section to the same rows of another, whose block the plan was carved for last.
  static void move_rows(const Section& from, const Section& to, Plan& plan) noexcept {
    const std::size_t rows = from.rows.size;
    if constexpr (Plan::trivially_copyable) {
      Plan old = plan;
      old.carve(from.rows.capacity);
      copy_bytes(from, old, to, plan, rows);
    } else {
      relocate_rows(from.owners(), to.owners(), rows);
      for_each_component_of(from, [&]<class C>(TypeList<C>) {
        if constexpr (is_tag<C>) return;
        for_each_contiguous(
            Layout::template cursor<C, C>(from.places), Layout::template cursor<C, C>(to.places), rows,
            [](auto* old_place, auto* place, std::size_t run) { relocate_rows(old_place, place, run); });
      });
    }
  }

  /// The first `rows` rows, with what the layout writes beside them. The plans were carved for the blocks of the two.
  static void copy_bytes(const Section& from, const Plan& from_plan, const Section& to, const Plan& to_plan,
                         std::size_t rows) noexcept {
    for (std::size_t column = 0; column < to_plan.columns().size(); ++column) {
      const ColumnShape& shape = to_plan.columns()[column];
      for (std::size_t lane = 0; lane < shape.lanes; ++lane) {
        relocate_rows(from.block.data() + from_plan.column_start(column) + lane * from_plan.pitch_of_column(column),
                      to.block.data() + to_plan.column_start(column) + lane * to_plan.pitch_of_column(column),
                      rows * shape.row_bytes);
      }
    }
  }

  /// The components of the row are gone. If rows are packed, the last one moves there, and `moved(owner, row)` is told.
  template <class Moved>
  void give_up_row(Section& section, std::size_t row, Moved&& moved) noexcept {
    note_change_of(section);
    if (section.full()) [[unlikely]]
      section.set->with_room.push_front(records(), number_of(section));
    if constexpr (Rows::leave_holes) {
      Rows::give_up(section.rows, section.owners(), static_cast<std::uint32_t>(row));
    } else {
      const std::uint32_t last = section.rows.size - 1;
      if constexpr (Rows::keep_bits) copy_bits(section, last, section, row);
      Rows::give_up(section.rows, section.owners(), last);
      if (row == last) return;
      relocate_within(section, last, row);
      std::forward<Moved>(moved)(section.owners()[row] = section.owners()[last], static_cast<std::uint32_t>(row));
    }
  }

  /// The components of these rows are gone. The last rows move there, and `moved(owner, row)` is told of each.
  template <class Moved>
  void give_up_run(Section& section, std::size_t row, std::size_t count, Moved&& moved) noexcept {
    note_change_of(section);
    if (section.full()) section.set->with_room.push_front(records(), number_of(section));
    const std::size_t size = section.rows.size;
    const std::size_t filling = (std::min)(count, size - (row + count));
    const std::size_t first = size - filling;
    for_each_component_of(section, [&]<class C>(TypeList<C>) {
      if constexpr (!is_tag<C>) relocate_run<C>(section, first, filling, section, row);
    });
    for (std::size_t i = 0; i < filling; ++i) {
      if constexpr (Rows::keep_bits) copy_bits(section, first + i, section, row + i);
      moved(section.owners()[row + i] = section.owners()[first + i], static_cast<std::uint32_t>(row + i));
    }
    for (std::size_t left = count; left != 0; --left)
      Rows::give_up(section.rows, section.owners(), section.rows.size - 1);
  }
  /// One component of rows side by side, to rows without, which are others.
  template <class C>
  static void relocate_run(const Section& from, std::size_t row, std::size_t count, const Section& to,
                           std::size_t to_row) noexcept {
    const auto source = Layout::template cursor<C, C>(from.places);
    const auto target = Layout::template cursor<C, C>(to.places);
    if constexpr (std::is_pointer_v<decltype(source)>) {
      relocate_rows(source + row, target + to_row, count);
    } else {
      for (std::size_t i = 0; i < count; ++i)
        relocate_component(address_of(source, row + i), address_of(target, to_row + i));
    }
  }
  template <class C>
  static void destroy_run(const Section& section, std::size_t row, std::size_t count) noexcept {
    if constexpr (!std::is_trivially_destructible_v<C>) {
      const auto cursor = Layout::template cursor<C, C>(section.places);
      for (std::size_t i = 0; i < count; ++i) destroy_component(address_of(cursor, row + i));
    }
  }

  /// What is off stays off in another row, as far as the section of that row has it.
  static void copy_bits(const Section& from, std::size_t row, const Section& to, std::size_t to_row) noexcept {
    [&]<class... Cs>(TypeList<Cs...>) {
      (Rows::set(to.rows, to_row, stowage::detail::toggle_id<Cs, SchemaType>,
                 !Layout::template has<Cs>(to.places) ||
                     Rows::is_set(from.rows, row, stowage::detail::toggle_id<Cs, SchemaType>)),
       ...);
    }(typename SchemaType::toggled{});
  }

  /// Rows of the section move or end: counted if it has a component that is tracked.
  void note_change_of([[maybe_unused]] const Section& section) noexcept {
    if constexpr (counts_moves<SchemaType>) {
      stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
        if constexpr (tracks_moves<C>) {
          if (Layout::template has<C>(section.places)) moves_.note();
        }
      });
    }
  }

  /// Relocates a component to another section, as bytes. With relocate_component() the compiler would keep where all
  /// columns of the old section begin for the row that fills the hole, and there are too few registers for that.
  template <class Pointer>
  static void move_component(const Pointer& from, const Pointer& to) noexcept {
    if constexpr (std::is_pointer_v<Pointer>) {
      relocate_rows(from, to, 1);
    } else {
      relocate_component(from, to);
    }
  }

  /// The components of a row to a row without, of the same section: where they are is asked once.
  static void relocate_within(const Section& section, std::size_t row, std::size_t to_row) noexcept {
    for_each_component_of(section, [&]<class C>(TypeList<C>) {
      if constexpr (is_tag<C>) return;
      const auto cursor = Layout::template cursor<C, C>(section.places);
      relocate_component(address_of(cursor, row), address_of(cursor, to_row));
    });
  }

  /// The components of a row to a row without, of another section of the set.
  static void relocate_row(const Section& from, std::size_t row, const Section& to, std::size_t to_row) noexcept {
    for_each_component_of(from, [&]<class C>(TypeList<C>) {
      if constexpr (!is_tag<C>) relocate_component(at<C>(from, row), at<C>(to, to_row));
    });
  }

  void destroy_components() noexcept {
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if constexpr (!std::is_trivially_destructible_v<C>) {
        for (const Section& section : sections_) {
          if (section.rows.size == 0 || !Layout::template has<C>(section.places)) continue;
          const auto cursor = Layout::template cursor<C, C>(section.places);
          const auto end = [&](std::size_t row) { destroy_component(address_of(cursor, row)); };
          Rows::template for_each_run<WholeLoop>(
              {}, section.rows,
              [&](RowRange run) {
                for (std::size_t row = run.first; row < run.end; ++row) end(row);
              },
              end);
        }
      }
    });
  }

  Catalogue catalogue_;
  HeapCount held_;  // by the blocks of sections
  std::vector<Section, CountingAllocator<Section>> sections_;
  std::uint32_t free_number_ = no_section;  // the first of a list of records without section
  StorageEvents events_;
  STOWAGE_NO_UNIQUE_ADDRESS MoveCounter<counts_moves<SchemaType>> moves_;
};

}  // namespace stowage::parts
