#pragma once

// archetype_sections.fixed_32k_free_list: sections of 32 KiB in which rows never move: a removed row leaves a hole.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \_________________________
//     sections   { columns, size, head, first hole, set } ...
//                      |                        row
//     block      [ owner next owner ... | A - A A ... | B - B B ... | 1011... ]   32 KiB; a bit per row in use
//
//     find<A, B>(e)    that of archetype_sections: the bits are not read
//     each<A, B>(fn)   for (section : sections of the sets with A and B)
//                          no holes:   for (row = 0; row < section.head; ++row) fn(A[row], B[row])  // vectors
//                          otherwise:  64 rows at a time, as the bits say: full words as runs, other rows one by one
//     create(a, b)     section = the first of the set with room; row = its first hole, else head++
//                      first hole = next[row]; set the bit; A[row] = a; B[row] = b; owner[row] = e.index
//     destroy(e)       end the components of the row; clear the bit; next[row] = first hole; first hole = row
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019), as published: a head and a free
//      list in each section, a new section when all are full. The list goes through the owners of the holes, and bits
//      let loops walk the rows between holes as vectors.
// Pick it when pointers to components must survive while other entities come, go and change, or when systems create
// and destroy inside their loops. Loops pay for holes until newcomers fill them or defragment() closes them.
// Misses per shuffled lookup: as archetype_sections.fixed_32k; lookups do not read the bits.

#include <bit>
#include <limits>

#include <stowage/parts/section_storage.hpp>
#include <stowage/parts/sections/form.hpp>

namespace stowage {

namespace parts {

/// Rows stay where they are, and one that goes leaves a hole, which is taken before rows that were never in use. The
/// holes are a list through the owners that they no longer have, so that giving a row up takes no memory; one bit per
/// row says which are in use.
///
///     [ A - A A - A - - ]      present 1 0 1 1 0 1 - -      owners [ e, 4, e, e, 4, e, -, - ]
///         ^ first_hole ^ head
///
/// The last hole of the list refers to itself: so a loop that overtakes a hole, against the card of the strategy, reads
/// a number that is an entity's, because there have been as many entities as the section has had rows. Source: head and
/// free list are Cerulean Skies' (2019); the bits let a loop walk dense rows as vectors.
class RowsWithHoles {
 public:
  static constexpr bool leave_holes = true;
  static constexpr bool keep_bits = false;
  static constexpr bool keep_ticks = false;
  static constexpr std::uint32_t no_row = (std::numeric_limits<std::uint32_t>::max)();

  struct State {
    std::uint32_t size = 0;  ///< rows in use
    std::uint32_t capacity = 0;
    std::uint32_t head = 0;  ///< rows from here on are not in use and no holes
    std::uint32_t first_hole = no_row;
    PresenceWord* present = nullptr;
  };

  /// Bytes of its own that this keeps in a block of so many rows.
  [[nodiscard]] static constexpr std::size_t own_bytes(std::size_t rows) noexcept {
    return presence_words(rows) * sizeof(PresenceWord);
  }
  [[nodiscard]] static std::size_t index_bytes(const State& rows) noexcept { return own_bytes(rows.head); }
  static void start(State& rows, std::uint32_t capacity, std::byte* own) noexcept {
    rows.capacity = capacity;
    rows.present = reinterpret_cast<PresenceWord*>(own);
    std::fill_n(rows.present, presence_words(capacity), PresenceWord{0});
  }

  /// The row that is taken next. There must be room.
  [[nodiscard]] static std::uint32_t next(const State& rows) noexcept {
    return rows.first_hole != no_row ? rows.first_hole : rows.head;
  }
  /// How many of `wanted` rows from the next one on can be taken side by side.
  [[nodiscard]] static std::size_t next_run(const State& rows, std::size_t wanted) noexcept {
    return rows.first_hole != no_row ? 1 : std::min<std::size_t>(wanted, rows.capacity - rows.head);
  }
  /// The next `count` rows, no more than next_run() says; comes before their owners are written.
  static void take(State& rows, const EntityIndex* owners, std::size_t count) noexcept {
    const auto word_of = [&](std::size_t row) -> PresenceWord& { return rows.present[row / rows_per_word]; };
    if (count == 1) {
      word_of(next(rows)) |= presence_bit(next(rows));
    } else {
      mark_rows(next(rows), count, word_of);
    }
    rows.size += static_cast<std::uint32_t>(count);
    if (rows.first_hole != no_row) {
      rows.first_hole = after(rows.first_hole, owners);
    } else {
      rows.head += static_cast<std::uint32_t>(count);
    }
  }
  /// A section without entities begins anew, without holes.
  static void give_up(State& rows, EntityIndex* owners, std::uint32_t row) noexcept {
    rows.present[row / rows_per_word] &= ~presence_bit(row);
    push(rows, owners, row);
    if (--rows.size != 0) return;
    rows.head = 0;
    rows.first_hole = no_row;
  }

  /// Calls `visit(first, count)` for the next `count` rows, which are still free.
  template <class Visit>
  static void for_each_free_run(const State& rows, const EntityIndex* owners, std::size_t count, Visit&& visit) {
    for (std::uint32_t row = rows.first_hole; row != no_row && count != 0; row = after(row, owners), --count) {
      visit(std::size_t{row}, std::size_t{1});
    }
    if (count != 0) visit(std::size_t{rows.head}, count);
  }

  /// Calls `visit_run(range)` for rows in use side by side, or `visit_row(row)` for one that stands alone, of all
  /// rows or, if `Slice` is a part of a loop, of those in `range`, which may end beyond them.
  /// The one that is visited may be given up, and others may be taken. Rows without holes are a run in the place of
  /// that of one full word, so that `visit_run` is called in one place for both: see for_each_present_run().
  template <class Slice, class VisitRun, class VisitRow>
  STOWAGE_INLINE static void for_each_run(RowRange range, State rows, VisitRun&& visit_run, VisitRow&& visit_row) {
    range =
        Slice::is_whole ? RowRange{0, rows.head} : RowRange{range.first, std::min<std::size_t>(range.end, rows.head)};
    if (!Slice::is_whole && range.empty()) return;
    const bool dense = !has_holes(rows);
    for_each_present_run<Slice>(
        dense ? RowRange{0, rows_per_word} : range,
        [present = rows.present, dense](std::size_t block) { return dense ? ~PresenceWord{0} : present[block]; },
        [&](RowRange run) {
          const bool starts_later = dense && !Slice::is_whole;
          visit_run(RowRange{starts_later ? range.first : run.first, dense ? range.end : run.end});
        },
        visit_row);
  }
  static void clear(State& rows) noexcept {
    std::fill_n(rows.present, presence_words(rows.head), PresenceWord{0});
    rows.size = rows.head = 0;
    rows.first_hole = no_row;
  }
  static void copy(const State& from, State& to) noexcept {
    clear(to);
    std::copy_n(from.present, presence_words(from.head), to.present);
    to.size = from.size;
    to.head = from.head;
    to.first_hole = from.first_hole;
  }

  // ---- closing holes

  /// One past the last row in use, at least.
  [[nodiscard]] static std::uint32_t end(const State& rows) noexcept { return rows.head; }
  [[nodiscard]] static bool has_holes(const State& rows) noexcept { return rows.size != rows.head; }
  /// The last row in use before `end`. There must be one.
  [[nodiscard]] static std::uint32_t last_before(const State& rows, std::uint32_t end) noexcept {
    do --end;
    while ((rows.present[end / rows_per_word] & presence_bit(end)) == 0);
    return end;
  }
  /// The first row from `row` on that is not in use.
  [[nodiscard]] static std::uint32_t hole_from(const State& rows, std::uint32_t row) noexcept {
    while ((rows.present[row / rows_per_word] & presence_bit(row)) != 0) ++row;
    return row;
  }
  /// Moves the last rows into the first holes, at most `budget`: `relocate(from, to)` moves components and owner. The
  /// holes that are left are taken lowest first. O(rows of the section). There must be rows and holes. Returns the
  /// number of rows moved.
  template <class Relocate>
  static std::size_t close_holes(State& rows, EntityIndex* owners, std::size_t budget, Relocate&& relocate) noexcept {
    std::size_t moved = 0;
    std::uint32_t hole = 0;
    std::uint32_t end = last_before(rows, rows.head) + 1;
    while (end != rows.size && moved < budget) {
      hole = hole_from(rows, hole);
      relocate(end - 1, hole);
      rows.present[hole / rows_per_word] |= presence_bit(hole);
      rows.present[(end - 1) / rows_per_word] &= ~presence_bit(end - 1);
      end = last_before(rows, end - 1) + 1;
      ++moved;
    }
    rows.head = end;
    rows.first_hole = no_row;
    for (std::uint32_t row = end; row-- != 0;) {
      if ((rows.present[row / rows_per_word] & presence_bit(row)) != 0) continue;
      push(rows, owners, row);
    }
    return moved;
  }

 private:
  [[nodiscard]] static std::uint32_t after(std::uint32_t hole, const EntityIndex* owners) noexcept {
    return owners[hole] != hole ? owners[hole] : no_row;
  }
  static void push(State& rows, EntityIndex* owners, std::uint32_t hole) noexcept {
    owners[hole] = rows.first_hole != no_row ? rows.first_hole : hole;
    rows.first_hole = hole;
  }
};

template <std::size_t Bytes>
struct FreeListForm : FixedForm<Bytes> {
  using rows = RowsWithHoles;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>, class Form = parts::FreeListForm<std::size_t{32} * 1024>>
class ArchetypeSectionsFreeList : public parts::SectionStorage<SchemaType, Registry, Form> {
 public:
  static constexpr SemanticsCard semantics{
      .destroy_others_while_iterating = not_promised("a run of rows is fixed before it is walked, so one destroyed "
                                                     "ahead in it would still be visited, with a handle "
                                                     "that must not be used"),
      .change_components_while_iterating = not_promised("the entity would move to a section that may still be visited"),
  };
};

static_assert(assert_storage<ArchetypeSectionsFreeList<ProbeSchema>>());

}  // namespace stowage
