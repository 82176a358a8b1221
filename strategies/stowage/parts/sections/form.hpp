#pragma once

// What sections are like, in five choices: layout, removal, size, memory and location. Here is the plain form of each.
// A variant derives from a form, and has what differs in its own header.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <stowage/contract/component.hpp>
#include <stowage/contract/counted_heap.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop.hpp>
#include <stowage/parts/sections/table.hpp>

namespace stowage::parts {

// ---- where the components of a row lie

/// A column for each component.
///
///     block  [ owner owner ... | A A A ... | B B B ... ]
struct ColumnArrangement {
  template <class C>
  using column = WholeColumn<C>;
  struct Strides {};
  template <class Q>
  using block_type = std::span<Q>;
  template <class...>
  static constexpr bool scalar_loop = false;

  template <class... Qs>
  using sharing_columns = TypeList<Qs...>;

  template <class Plan>
  static void arrange(Plan& plan) noexcept {
    for (std::size_t c = 0; c < Plan::component_count; ++c) {
      if (plan.mask().has(c)) plan.add_column_of(typename Plan::Mask().toggled(c));
    }
  }
  template <class Plan>
  [[nodiscard]] static Strides strides(const Plan&) noexcept {
    return {};
  }

  template <class Q, class...>
  [[nodiscard]] static Q* cursor(std::byte* start, Strides) noexcept {
    return reinterpret_cast<Q*>(start);
  }
  template <class Q>
  [[nodiscard]] static block_type<Q> block(std::byte* start, std::size_t first, std::size_t count, Strides) noexcept {
    return {reinterpret_cast<Q*>(start) + first, count};
  }

  /// See contract/lines.hpp: a line for each column, and none for a tag.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return (0.0 + ... + (is_tag<std::remove_const_t<Qs>> ? 0 : 1));
  }
};

template <class SchemaType>
using SectionColumns = SectionTable<SchemaType, ColumnArrangement>;

// ---- what becomes of a row that goes

/// The rows of a section lie side by side from the first on: removing a row moves the last one there.
///
///     [ A A A A A - - - ]
///                 ^ size
struct PackedRows {
  static constexpr bool leave_holes = false;
  static constexpr bool keep_bits = false;   // of each row: see archetype_sections_enable_bits.hpp
  static constexpr bool keep_ticks = false;  // of each section: see archetype_sections_changed.hpp

  struct State {
    std::uint32_t size = 0;  ///< rows in use
    std::uint32_t capacity = 0;
  };

  /// Bytes of its own that this keeps in a block of so many rows.
  [[nodiscard]] static constexpr std::size_t own_bytes(std::size_t) noexcept { return 0; }
  [[nodiscard]] static constexpr std::size_t index_bytes(const State&) noexcept { return 0; }
  static void start(State& rows, std::uint32_t capacity, std::byte*) noexcept { rows.capacity = capacity; }

  /// The row that is taken next. There must be room.
  [[nodiscard]] static std::uint32_t next(const State& rows) noexcept { return rows.size; }
  /// How many of `wanted` rows from the next one on can be taken side by side.
  [[nodiscard]] static std::size_t next_run(const State& rows, std::size_t wanted) noexcept {
    return std::min<std::size_t>(wanted, rows.capacity - rows.size);
  }
  static void take(State& rows, const EntityIndex*, std::size_t count) noexcept {
    rows.size += static_cast<std::uint32_t>(count);
  }
  /// The last row, which is given up before any other.
  static void give_up(State& rows, const EntityIndex*, std::uint32_t) noexcept { --rows.size; }

  /// Calls `visit(first, count)` for the next `count` rows, which are still free.
  template <class Visit>
  static void for_each_free_run(const State& rows, const EntityIndex*, std::size_t count, Visit&& visit) {
    visit(std::size_t{rows.size}, count);
  }
  /// Calls `visit_run(range)` for rows in use side by side, or `visit_row(row)` for one that stands alone, of all
  /// rows or, if `Slice` is a part of a loop, of those in `range`, which may end beyond them.
  template <class Slice, class VisitRun, class VisitRow>
  static void for_each_run(RowRange range, State rows, VisitRun&& visit_run, VisitRow&&) {
    visit_run(Slice::is_whole ? RowRange{0, rows.size}
                              : RowRange{range.first, std::min<std::size_t>(range.end, rows.size)});
  }
  static void clear(State& rows) noexcept { rows.size = 0; }
  /// The rows of another section, whose components are copied beside. Needs room.
  static void copy(const State& from, State& to) noexcept { to.size = from.size; }

  /// One past the last row in use.
  [[nodiscard]] static std::uint32_t end(const State& rows) noexcept { return rows.size; }
  /// The last row in use before `end`. There must be one.
  [[nodiscard]] static std::uint32_t last_before(const State&, std::uint32_t end) noexcept { return end - 1; }
  [[nodiscard]] static constexpr bool has_holes(const State&) noexcept { return false; }
  template <class Relocate>
  static std::size_t close_holes(State&, EntityIndex*, std::size_t, Relocate&&) noexcept {
    return 0;
  }
};

// ---- how many rows make a section

/// One section per set, which grows like an array.
struct GrowingSections {
  static constexpr bool fixed = false;
  static constexpr std::size_t section_bytes = 0;  ///< as few as the rows take
};

/// Sections of `Bytes` bytes (or one row, if that is more), as many as it takes.
template <std::size_t Bytes>
struct FixedSections {
  static constexpr bool fixed = true;
  static constexpr std::size_t section_bytes = Bytes;
};

// ---- where the bytes of a section come from

/// A heap block for every section. `held` counts what all sets of a storage hold.
class BlockPerSection {
 public:
  using Piece = Block;

  explicit BlockPerSection(HeapCount&) noexcept {}

  /// Throws std::bad_alloc; then nothing has changed.
  [[nodiscard]] static Block take(std::size_t bytes, std::size_t alignment, HeapCount& held) {
    Block block(bytes, alignment);
    held.bytes += bytes;
    ++held.blocks;
    return block;
  }
  static void give_back(Block& block, HeapCount& held) noexcept {
    held.bytes -= block.bytes();
    --held.blocks;
    block = Block();
  }
};

// ---- how an entity remembers its row

/// Where an entity's row is, in 32 + 32 bits. The section is known by the distance of its record from the first one, in
/// words, which makes an address of it in one instruction.
struct WideLocation {
  std::uint32_t section = 0;
  std::uint32_t row = 0;

  static constexpr std::uint64_t most_rows = (std::numeric_limits<std::uint32_t>::max)();
  template <class Record>
  static constexpr std::uint32_t words_of = sizeof(Record) / sizeof(std::uint64_t);
  template <class Record>
  static constexpr std::uint64_t most_sections = (std::numeric_limits<std::uint32_t>::max)() / words_of<Record>;

  template <class Record>
  [[nodiscard]] static constexpr WideLocation of(std::uint32_t number, std::uint32_t row) noexcept {
    return {number * words_of<Record>, row};
  }
  // of a waiting index, see parts::NamesNextWaiting
  constexpr void wait(EntityIndex next) noexcept { row = next; }
  [[nodiscard]] constexpr EntityIndex next() const noexcept { return row; }

  template <class Record>
  [[nodiscard]] Record& record(Record* first) const noexcept {
    static_assert(sizeof(Record) % sizeof(std::uint64_t) == 0);
    using Byte = std::conditional_t<std::is_const_v<Record>, const std::byte, std::byte>;
    return *reinterpret_cast<Record*>(reinterpret_cast<Byte*>(first) + std::size_t{section} * sizeof(std::uint64_t));
  }
};

/// The same in 16 + 16 bits, as Cerulean Skies published it: 4 bytes less per entity and at most 65,536 sections of at
/// most 65,536 rows each; the next one is a PlaceExhausted.
struct CompactLocation {
  std::uint16_t section = 0;
  std::uint16_t row = 0;

  static constexpr std::uint64_t most_rows = std::uint64_t{1} << 16;
  template <class Record>
  static constexpr std::uint64_t most_sections = std::uint64_t{1} << 16;

  template <class Record>
  [[nodiscard]] static constexpr CompactLocation of(std::uint32_t number, std::uint32_t row) noexcept {
    return {static_cast<std::uint16_t>(number), static_cast<std::uint16_t>(row)};
  }
  constexpr void wait(EntityIndex next) noexcept {
    *this = {static_cast<std::uint16_t>(next >> 16), static_cast<std::uint16_t>(next)};
  }
  [[nodiscard]] constexpr EntityIndex next() const noexcept { return EntityIndex{section} << 16 | row; }

  template <class Record>
  [[nodiscard]] Record& record(Record* first) const noexcept {
    return first[section];
  }
};

// ---- the forms

struct GrowingForm {
  template <class SchemaType>
  using layout = SectionColumns<SchemaType>;  ///< where the components of a row lie
  using rows = PackedRows;                    ///< what becomes of a row that goes
  using sizing = GrowingSections;             ///< how many rows make a section
  using memory = BlockPerSection;             ///< where a section's bytes come from
  using location = WideLocation;              ///< how an entity remembers its row
};

template <std::size_t Bytes>
struct FixedForm : GrowingForm {
  using sizing = FixedSections<Bytes>;
};

/// Any of them with 4 bytes less per entity, and limits that are soon reached: see CompactLocation.
template <class Form>
struct CompactForm : Form {
  using location = CompactLocation;
};

}  // namespace stowage::parts
