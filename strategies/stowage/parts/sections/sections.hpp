#pragma once

// The sections of a storage: making room, adding, moving and removing rows, giving memory back. Knows no handles.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/component_columns.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/moves.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/parts/sections/section_rows.hpp>

namespace stowage::parts {

/// Sections are known by number, and each row has the index of its owner. SectionRows (section_rows.hpp) has what is
/// done with the components of a row.
template <class SchemaType, class Form>
class Sections : public SectionRows<SchemaType, Form> {
  using Base = SectionRows<SchemaType, Form>;

 public:
  using typename Base::Layout;
  using typename Base::Mask;
  using typename Base::Plan;
  using typename Base::Rows;
  using typename Base::Section;
  using typename Base::Set;
  using typename Base::Sizing;
  using Location = typename Form::location;
  using Catalogue = SetCatalogue<Set>;

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

  /// Copies what is copied as bytes of these columns to the next rows of the set. Commits nothing.
  void copy_columns(const Set& set, const ComponentColumns<SchemaType>& columns) const noexcept {
    columns.for_each_given([&]<class C>(TypeList<C>) {
      if constexpr (ComponentColumns<SchemaType>::template is_copied<C>) {
        const auto copy = [&](const Section& section, std::size_t first, std::size_t item, std::size_t count) {
          const auto cursor = Layout::template cursor<C, C>(section.places);
          if constexpr (std::is_pointer_v<decltype(cursor)>) {
            columns.template copy<C>(item, count, address_of(cursor, first));
          } else {
            Base::copy_run(columns.template column<C>().subspan(item, count), cursor, first);
          }
        };
        for_each_free_run(set, columns.rows(), copy);
      }
    });
  }
  /// Moves what is not copied.
  void move_columns(const Set& set, const ComponentColumns<SchemaType>& columns) const noexcept {
    columns.for_each_given([&]<class C>(TypeList<C>) {
      if constexpr (!std::is_trivially_copyable_v<C> && !is_tag<C>) {
        const auto move = [&](const Section& section, std::size_t first, std::size_t item, std::size_t count) {
          const auto cursor = Layout::template cursor<C, C>(section.places);
          columns.template take<C>(
              item, count, [](auto /*copied*/) {},
              [&](std::size_t i, auto&& component) {
                stowage::detail::construct<C>(address_of(cursor, first + i), std::move(component));
              });
        };
        for_each_free_run(set, columns.rows(), move);
      }
    });
  }

  /// Moves the components that the two sets share to the next row of `to`, ends the others, and gives the row up. What
  /// `to` has beyond that must be constructed there; commit() comes after. `moved(owner, row)` as in give_up_row().
  template <class Moved>
  void move_row(Section& from, std::size_t row, const Section& to, Moved&& moved) noexcept {
    note_change_of(to);  // it may gain what the other set has not
    Base::move_components(from, row, to, Rows::next(to.rows));
    give_up_row(from, row, std::forward<Moved>(moved));
  }

  /// The same for `count` rows that lie side by side, and next rows of `to` that do. Only if rows are packed. One row
  /// goes its shorter way, as in erase_run(): lists in another order than that of the rows have runs of one.
  template <class Moved>
  void move_run(Section& from, std::size_t row, std::size_t count, const Section& to, Moved&& moved) noexcept {
    if (count == 1) return move_row(from, row, to, std::forward<Moved>(moved));
    note_change_of(to);
    Base::move_components_of_run(from, row, count, to, Rows::next(to.rows));
    give_up_run(from, row, count, std::forward<Moved>(moved));
  }
  template <class Moved>
  void erase_run(Section& section, std::size_t row, std::size_t count, Moved&& moved) noexcept {
    if (count == 1) return erase(section, row, std::forward<Moved>(moved));
    Base::end_run(section, row, count);
    give_up_run(section, row, count, std::forward<Moved>(moved));
  }

  template <class Moved>
  void erase(Section& section, std::size_t row, Moved&& moved) noexcept {
    Base::end_row(section, row);
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
    if (!catalogue_.begins(other.catalogue_)) {  // loops visit sets in the order in which they came, from here on, too
      release_all();
      catalogue_.clear();
    }
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
    Base::swap_components(section, row, other, other_row);
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
      Base::relocate_row(from, row, to, to_row);
      Base::copy_bits(from, row, to, to_row);
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
      Base::relocate_within(section, from, to);
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
    Base::copy_bytes(from, plans.from, to, plans.to, Rows::end(from.rows));
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
    Base::move_rows(section, larger, plan);
    section.block.swap(larger.block);
    section.places = larger.places;
    if constexpr (Rows::keep_bits) Rows::move_bits(section.rows, larger.rows);
    section.rows.capacity = larger.rows.capacity;
    set.memory.give_back(larger.block, held_);
    if (was_full) set.with_room.push_back(sections_.data(), set.sections.front());
    ++events_.growths;
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
      Base::copy_bits(section, last, section, row);
      Rows::give_up(section.rows, section.owners(), last);
      if (row == last) return;
      Base::relocate_within(section, last, row);
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
    Base::relocate_run_within(section, first, filling, row);
    for (std::size_t i = 0; i < filling; ++i) {
      Base::copy_bits(section, first + i, section, row + i);
      moved(section.owners()[row + i] = section.owners()[first + i], static_cast<std::uint32_t>(row + i));
    }
    for (std::size_t left = count; left != 0; --left)
      Rows::give_up(section.rows, section.owners(), section.rows.size - 1);
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

  void destroy_components() noexcept {
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      if constexpr (!std::is_trivially_destructible_v<C>) {
        for (const Section& section : sections_) {
          if (section.rows.size == 0 || !Layout::template has<C>(section.places)) continue;
          const auto cursor = Layout::template cursor<C, C>(section.places);
          const auto end = [&](std::size_t row) { parts::destroy_component(address_of(cursor, row)); };
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
