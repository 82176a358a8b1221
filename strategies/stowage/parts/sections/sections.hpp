#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/strided_span.hpp>
#include <stowage/parts/growth.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/sections/set_catalogue.hpp>

namespace stowage::parts {

/// One section per set, which grows like an array.
struct GrowingSections {
  static constexpr bool rows_stay_when_growing = false;
};

/// Sections of `Bytes` bytes (or one row, where that is more), as many as it takes.
template <std::size_t Bytes>
struct FixedSections {
  static constexpr bool rows_stay_when_growing = true;
  static constexpr std::size_t section_bytes = Bytes;
};

/// Sections of rows, each row with the index of its owner; rows of a section are packed. Knows nothing of handles.
///
///     Section { size, capacity, absent, column of A, column of B, none, set, block }    block  [ owners | A A ... | B
///     B
///     ... ]
template <class SchemaType, class Sizing>
class Sections {
  static constexpr std::size_t component_count = SchemaType::component_count;

 public:
  using Mask = ComponentMask<component_count>;
  using Set = ComponentSet<component_count>;

  struct Section {
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;
    /// What the set lacks, and where the column of each component of the schema starts, null where the section does not
    /// have it: in the section itself, so that a look-up is one read away from the address.
    Mask absent;
    std::array<std::byte*, component_count> columns{};
    Set* set = nullptr;
    Block block;

    [[nodiscard]] EntityIndex* owners() const noexcept { return reinterpret_cast<EntityIndex*>(block.data()); }
    [[nodiscard]] std::size_t room() const noexcept { return capacity - size; }
    [[nodiscard]] bool full() const noexcept { return size == capacity; }
  };

  static constexpr std::uint32_t section_words = sizeof(Section) / sizeof(std::uint64_t);
  static_assert(sizeof(Section) % sizeof(std::uint64_t) == 0);

  template <class C>
  using block_type = std::conditional_t<is_tag<std::remove_const_t<C>>, StridedSpan<C>, std::span<C>>;

  Sections() : sections_(CountingAllocator<Section>(catalogue_.heap())) {}
  Sections(const Sections&) = delete;
  Sections& operator=(const Sections&) = delete;
  ~Sections() { destroy_components(); }

  [[nodiscard]] SetCatalogue<component_count>& catalogue() noexcept { return catalogue_; }
  [[nodiscard]] const SetCatalogue<component_count>& catalogue() const noexcept { return catalogue_; }
  [[nodiscard]] Section& operator[](std::uint32_t number) noexcept { return sections_[number]; }
  [[nodiscard]] const Section& operator[](std::uint32_t number) const noexcept { return sections_[number]; }

  /// What entities remember of a section instead of its number: its distance from the first, in words, which makes an
  /// address of it in one instruction.
  [[nodiscard]] static constexpr std::uint32_t distance_of(std::uint32_t number) noexcept {
    return number * section_words;
  }
  [[nodiscard]] static constexpr std::uint32_t number_of(std::uint32_t distance) noexcept {
    return distance / section_words;
  }
  [[nodiscard]] static const Section& at_distance(const Section* first, std::uint32_t distance) noexcept {
    const auto* const words = reinterpret_cast<const std::byte*>(first);
    return *reinterpret_cast<const Section*>(words + std::size_t{distance} * sizeof(std::uint64_t));
  }
  [[nodiscard]] const Section* first() const noexcept { return sections_.data(); }

  // ---- addresses

  template <class C>
  [[nodiscard]] static bool has(const Section& section) noexcept {
    return section.columns[id<C>] != nullptr;
  }
  /// What a loop over the rows of a section that has C indexes.
  template <class C>
  [[nodiscard]] static ColumnCursor<C> cursor(const Section& section) noexcept {
    if constexpr (is_tag<std::remove_const_t<C>>) {
      return {};
    } else {
      return reinterpret_cast<C*>(section.columns[id<C>]);
    }
  }
  template <class C>
  [[nodiscard]] static C* at(const Section& section, std::size_t row) noexcept {
    return address_of(cursor<C>(section), row);
  }
  /// Null where the section does not have C.
  template <class C>
  [[nodiscard]] static C* find(const Section& section, std::size_t row) noexcept {
    return has<C>(section) ? at<C>(section, row) : nullptr;
  }
  template <class C>
  [[nodiscard]] static block_type<C> block(const Section& section) noexcept {
    if constexpr (is_tag<std::remove_const_t<C>>) {
      return {at<C>(section, 0), section.size, 0};
    } else {
      return {cursor<C>(section), section.size};
    }
  }

  /// See contract/lines.hpp: what a look-up reads of a section's record. A section per set is few records, which stay
  /// in the cache.
  template <class... Cs>
  [[nodiscard]] static constexpr double record_lines() noexcept {
    if constexpr (!Sizing::rows_stay_when_growing) return 0;
    constexpr std::size_t first = std::min({id<std::remove_const_t<Cs>>...});
    constexpr std::size_t last = std::max({id<std::remove_const_t<Cs>>...});
    constexpr std::size_t columns = offsetof(Section, columns);
    constexpr bool reads_mask = sizeof...(Cs) > 1;
    return lines_touched({{reads_mask ? offsetof(Section, absent) : columns + first * sizeof(std::byte*),
                           columns + (last + 1) * sizeof(std::byte*)}},
                         sizeof(Section));
  }

  // ---- room

  [[nodiscard]] static bool has_room(const Set& set) noexcept { return !set.with_room.empty(); }

  /// Room for `more` rows beyond those in use. Throws std::bad_alloc, std::length_error; then no row has changed.
  void make_room(Set& set, std::size_t more) {
    if constexpr (Sizing::rows_stay_when_growing) {
      std::size_t room = 0;
      for (const std::uint32_t section : set.with_room) room += sections_[section].room();
      while (room < more) room += add_section(set, rows_per_section(set)).capacity;
    } else if (set.sections.empty()) {
      add_section(set, grown_capacity(0, more));
    } else {
      Section& section = sections_[set.sections.front()];
      if (section.size + more > section.capacity) grow(section, grown_capacity(section.capacity, section.size + more));
    }
  }

  /// Room for `rows` rows in all.
  void reserve(Set& set, std::size_t rows) {
    if constexpr (Sizing::rows_stay_when_growing) {
      const std::size_t used = this->rows(set);
      if (rows > used) make_room(set, rows - used);
    } else if (set.sections.empty()) {
      if (rows != 0) add_section(set, rows);
    } else if (Section& section = sections_[set.sections.front()]; rows > section.capacity) {
      grow(section, rows);
    }
  }

  // ---- rows

  /// The number of the section that the next row of the set goes to, as its row `size`. Needs room.
  [[nodiscard]] static std::uint32_t next_section(const Set& set) noexcept { return set.with_room.back(); }

  /// The components of `count` rows after the last of the section are there, and their owners too: they are rows now.
  /// The section is the next_section() of its set. Returns the number of the first of them.
  static std::uint32_t commit(Section& section, std::size_t count) noexcept {
    const std::uint32_t first = section.size;
    section.size = first + static_cast<std::uint32_t>(count);
    if (section.full()) [[unlikely]]
      section.set->with_room.pop_back();
    return first;
  }

  /// Rows of all sections of the set. O(sections).
  [[nodiscard]] std::size_t rows(const Set& set) const noexcept {
    std::size_t sum = 0;
    for (const std::uint32_t number : set.sections) sum += sections_[number].size;
    return sum;
  }

  /// Bulk form: calls `construct(section, first_row, first_item, count)` until `count` items are placed after the last
  /// rows of sections with room. Commits nothing.
  template <class Construct>
  void for_each_free_run(const Set& set, std::size_t count, Construct&& construct) const {
    std::size_t item = 0;
    for (std::size_t i = set.with_room.size(); item < count; --i) {
      const Section& section = sections_[set.with_room[i - 1]];
      const std::size_t run = std::min<std::size_t>(section.room(), count - item);
      construct(section, item, run);
      item += run;
    }
  }

  /// Moves the components that the two sets share to the next row of `to`, ends the others, and fills the hole. What
  /// `to` has beyond that must be constructed there; commit() comes after. `moved(owner, row)` as in fill_hole().
  template <class Moved>
  void move_row(Section& from, std::size_t row, const Section& to, Moved&& moved) noexcept {
    for_each_component([&]<class C>(TypeList<C>) {
      if (is_tag<C> || !has<C>(from)) return;
      if (has<C>(to)) {
        relocate_rows(at<C>(from, row), at<C>(to, to.size), 1);
      } else {
        destroy_rows(at<C>(from, row), 1);
      }
    });
    fill_hole(from, row, std::forward<Moved>(moved));
  }

  template <class Moved>
  void erase(Section& section, std::size_t row, Moved&& moved) noexcept {
    for_each_component([&]<class C>(TypeList<C>) {
      if (!is_tag<C> && has<C>(section)) destroy_rows(at<C>(section, row), 1);
    });
    fill_hole(section, row, std::forward<Moved>(moved));
  }

  /// Ends every row. Trivially destructible components are not visited. Keeps the memory.
  void clear() noexcept {
    destroy_components();
    for (Set& set : catalogue_.sets()) {
      set.with_room.assign(set.sections.rbegin(), set.sections.rend());  // within capacity: see add_section()
    }
    for (Section& section : sections_) section.size = 0;
  }

  /// Components are payload; owners and all book-keeping are index; the rest of the sections is slack.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes;
    std::size_t rows = 0;
    std::size_t held = 0;
    for (const Section& section : sections_) {
      bytes.payload_bytes += section.size * section.set->row_bytes;
      rows += section.size;
      held += section.block.bytes();
    }
    const std::size_t owners = rows * sizeof(EntityIndex);
    bytes.index_bytes = owners + catalogue_.held_bytes();
    bytes.slack_bytes = held - bytes.payload_bytes - owners;
    bytes.allocations = sections_.size() + catalogue_.allocations();
    return bytes;
  }

  template <class Function>
  static void for_each_component(Function&& function) {
    [&]<class... Cs>(TypeList<Cs...>) { (function(TypeList<Cs>{}), ...); }(typename SchemaType::components{});
  }

 private:
  template <class C>
  static constexpr std::size_t id = stowage::detail::component_id<C, SchemaType>;

  using Starts = std::array<std::size_t, component_count + 1>;

  /// The columns of a set: owners first, then its components in the order of the schema.
  struct Shapes {
    std::array<ColumnShape, component_count + 1> shapes{};
    std::array<std::size_t, component_count + 1> components{};
    std::size_t count = 1;

    explicit Shapes(const Mask& mask) {
      shapes[0] = shape_of<EntityIndex>;
      for_each_component([&]<class C>(TypeList<C>) {
        if (!mask.has(id<C>)) return;
        components[count] = id<C>;
        shapes[count++] = shape_of<C>;
      });
    }
    [[nodiscard]] std::span<const ColumnShape> columns() const noexcept { return {shapes.data(), count}; }
    [[nodiscard]] std::size_t payload_row_bytes() const noexcept {
      std::size_t bytes = 0;
      for (std::size_t i = 1; i < count; ++i) bytes += shapes[i].row_bytes;
      return bytes;
    }
    /// Bytes of a block of `rows` rows; `starts` receives where its columns start.
    std::size_t carve_into(Starts& starts, std::size_t rows) const {
      return carve(rows, columns(), std::span(starts).first(count));
    }
    void point_to(std::array<std::byte*, component_count>& pointers, std::byte* block, const Starts& starts) const {
      for (std::size_t i = 1; i < count; ++i) pointers[components[i]] = block + starts[i];
    }
  };

  /// Most rows that fit a section of fixed size; at least one.
  [[nodiscard]] static std::size_t rows_per_section(const Set& set) {
    if (!set.sections.empty()) return set.rows_per_section;
    const Shapes shapes(set.mask);
    Starts starts{};
    std::size_t rows = Sizing::section_bytes / (shapes.payload_row_bytes() + sizeof(EntityIndex));
    while (rows > 1 && shapes.carve_into(starts, rows) > Sizing::section_bytes) --rows;
    // a full section of whole vectors has no scalar tail, which would cost as much as a quarter of its loop
    constexpr std::size_t vector_rows = 16;
    return rows < 4 * vector_rows ? std::max<std::size_t>(rows, 1) : rows / vector_rows * vector_rows;
  }

  Section& add_section(Set& set, std::size_t rows) {
    const std::size_t number = sections_.size();
    if (number >= std::numeric_limits<std::uint32_t>::max() / section_words) {
      throw std::length_error("no section number is left");
    }
    const Shapes shapes(set.mask);
    Starts starts{};
    Section section;
    section.block = Block(block_bytes(shapes.carve_into(starts, rows)), block_alignment(shapes.columns()));
    shapes.point_to(section.columns, section.block.data(), starts);
    section.absent = set.mask.complement();
    section.set = &set;
    section.capacity = row_limit(rows);
    if (sections_.size() == sections_.capacity()) sections_.reserve(grown_capacity(number, number + 1));
    set.sections.reserve(grown_list(set.sections));
    set.with_room.reserve(set.sections.capacity());  // so that a section which gets room again is noted without fail
    set.row_bytes = shapes.payload_row_bytes();
    set.rows_per_section = rows;
    set.sections.push_back(static_cast<std::uint32_t>(number));
    // the last of them is filled first: rows come in the order of creation where several sections have room
    set.with_room.insert(set.with_room.begin(), static_cast<std::uint32_t>(number));
    return sections_.emplace_back(std::move(section));
  }

  template <class List>
  [[nodiscard]] static std::size_t grown_list(const List& list) noexcept {
    return list.size() < list.capacity() ? list.capacity() : std::max<std::size_t>(4, list.size() * 2);
  }

  [[nodiscard]] static std::size_t block_bytes(std::size_t carved) noexcept {
    if constexpr (Sizing::rows_stay_when_growing) return std::max(carved, Sizing::section_bytes);
    return carved;
  }

  [[nodiscard]] static std::uint32_t row_limit(std::size_t rows) {
    if (rows >= std::numeric_limits<std::uint32_t>::max()) throw std::length_error("a section has 32-bit row numbers");
    return static_cast<std::uint32_t>(rows);
  }

  /// A growing set has one section: its columns move with it.
  void grow(Section& section, std::size_t rows) {
    Set& set = *section.set;
    const Shapes shapes(set.mask);
    Starts starts{};
    const std::uint32_t capacity = row_limit(rows);
    Block larger(shapes.carve_into(starts, rows), block_alignment(shapes.columns()));
    std::array<std::byte*, component_count> columns{};
    shapes.point_to(columns, larger.data(), starts);
    relocate_rows(section.owners(), reinterpret_cast<EntityIndex*>(larger.data()), section.size);
    for_each_component([&]<class C>(TypeList<C>) {
      if (is_tag<C> || !has<C>(section)) return;
      relocate_rows(at<C>(section, 0), reinterpret_cast<C*>(columns[id<C>]), section.size);
    });
    if (section.full()) set.with_room.push_back(set.sections.front());
    section.block = std::move(larger);
    section.columns = columns;
    section.capacity = capacity;
  }

  /// Moves the last row of the section to one whose components are gone. `moved(owner, row)` hears of it.
  template <class Moved>
  void fill_hole(Section& section, std::size_t row, Moved&& moved) noexcept {
    if (section.full()) section.set->with_room.push_back(static_cast<std::uint32_t>(&section - sections_.data()));
    const std::size_t last = --section.size;
    if (row == last) return;
    for_each_component([&]<class C>(TypeList<C>) {
      if (!is_tag<C> && has<C>(section)) relocate_rows(at<C>(section, last), at<C>(section, row), 1);
    });
    const EntityIndex owner = section.owners()[row] = section.owners()[last];
    std::forward<Moved>(moved)(owner, static_cast<std::uint32_t>(row));
  }

  void destroy_components() noexcept {
    for_each_component([&]<class C>(TypeList<C>) {
      if constexpr (!std::is_trivially_destructible_v<C>) {
        for (const Section& section : sections_) {
          if (has<C>(section)) destroy_rows(at<C>(section, 0), section.size);
        }
      }
    });
  }

  SetCatalogue<component_count> catalogue_;
  std::vector<Section, CountingAllocator<Section>> sections_;
};

}  // namespace stowage::parts
