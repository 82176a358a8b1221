#pragma once

// archetype_sections.enable_bits: sections in which a component can be switched off and keeps its place.
//
//     data       [ owner owner ... | A A A ... | B B B ... | 64 bits of A, 64 bits of B, 64 of A, ... ]   one block
//
//     schema           Schema<Position, Toggled<Burning>>       // bits for these alone
//     set_enabled<C>(e, on)   set or clear the bit of e's row     // no row moves, no set changes
//     each<A, B>(fn)   for each 64 rows of a section: bits = all of A and B that are Toggled, joined by &
//                          all 64 set, with all full words that follow:  for (row ...) fn(A[row], B[row])  // vectors
//                          otherwise:  for each set bit: fn(A[row], B[row])
//     each<A, Without<B>>     the sets with B too: their rows whose B is off
//
// A loop that names no Toggled component is that of archetype_sections. A row that moves takes its bits along. Files do
// not have them: what is loaded is on.
//
// The code: ToggledRows below; SectionStorage (parts/section_storage.hpp) has set_enabled(), enabled() and the loops.
//
// By: Unity's entities (IEnableableComponent); flecs has the same as CanToggle.
// Pick it when a state comes and goes often, and loops over those that have it need not be the fastest: they read a bit
// for each row that might. Switching costs a lookup.
// Misses per lookup: as archetype_sections. set_enabled reads the slot and the word of the bit: 2.125.

#include <stowage/archetype_sections.hpp>
#include <stowage/parts/sections/form.hpp>

namespace stowage {

namespace parts {

/// Packed rows with bits of their own, `Count` for each. A bit of a row that is not in use is set, and so is that of a
/// component that the section does not have.
template <std::size_t Count>
struct ToggledRows : PackedRows {
  static constexpr bool keep_bits = Count != 0;

  struct State : PackedRows::State {
    PresenceWord* words = nullptr;
  };

  [[nodiscard]] static constexpr std::size_t words(std::size_t rows) noexcept { return presence_words(rows) * Count; }
  [[nodiscard]] static constexpr std::size_t own_bytes(std::size_t rows) noexcept {
    return words(rows) * sizeof(PresenceWord);
  }
  [[nodiscard]] static std::size_t index_bytes(const State& rows) noexcept { return own_bytes(rows.size); }
  static void start(State& rows, std::uint32_t capacity, std::byte* own) noexcept {
    rows.capacity = capacity;
    rows.words = reinterpret_cast<PresenceWord*>(own);
    std::fill_n(rows.words, words(capacity), ~PresenceWord{0});
  }

  // ---- bits, by row and by their number

  [[nodiscard]] static PresenceWord& word(const State& rows, std::size_t block, std::size_t bit) noexcept {
    return rows.words[block * Count + bit];
  }
  [[nodiscard]] static bool is_set(const State& rows, std::size_t row, std::size_t bit) noexcept {
    return (word(rows, row / rows_per_word, bit) & presence_bit(row)) != 0;
  }
  static void set(const State& rows, std::size_t row, std::size_t bit, bool on) noexcept {
    PresenceWord& bits = word(rows, row / rows_per_word, bit);
    bits = on ? bits | presence_bit(row) : bits & ~presence_bit(row);
  }
  static void swap_bits(const State& rows, std::size_t row, const State& others, std::size_t other) noexcept {
    for (std::size_t bit = 0; bit < Count; ++bit) {
      const bool held = is_set(rows, row, bit);
      set(rows, row, bit, is_set(others, other, bit));
      set(others, other, bit, held);
    }
  }
  /// All bits of the rows in use, to where there is room for more.
  static void move_bits(State& rows, const State& larger) noexcept {
    std::copy_n(rows.words, words(rows.size), larger.words);
    rows.words = larger.words;
  }

  // ---- rows

  static void give_up(State& rows, const EntityIndex*, std::uint32_t last) noexcept {
    --rows.size;
    for (std::size_t bit = 0; bit < Count; ++bit) set(rows, last, bit, true);
  }
  static void clear(State& rows) noexcept {
    std::fill_n(rows.words, words(rows.size), ~PresenceWord{0});
    rows.size = 0;
  }
  static void copy(const State& from, State& to) noexcept {
    clear(to);
    std::copy_n(from.words, words(from.size), to.words);
    to.size = from.size;
  }

  /// As PackedRows has it; then, of rows whose bit is set in `word_of(block)`.
  using PackedRows::for_each_run;
  template <class Slice, class WordOf, class VisitRun, class VisitRow>
  STOWAGE_INLINE static void for_each_run(RowRange range, State rows, WordOf&& word_of, VisitRun&& visit_run,
                                          VisitRow&& visit_row) {
    const RowRange in_use{0, rows.size};
    for_each_present_run<Slice>(
        Slice::is_whole ? in_use : RowRange{range.first, std::min<std::size_t>(range.end, rows.size)},
        [&](std::size_t block) { return Slice::is_whole ? within(in_use, block, word_of(block)) : word_of(block); },
        visit_run, visit_row);
  }
};

template <class SchemaType>
struct EnableBitsForm : GrowingForm {
  using rows = ToggledRows<SchemaType::toggled::size>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
class ArchetypeSectionsEnableBits : public ArchetypeSections<SchemaType, Registry, parts::EnableBitsForm<SchemaType>> {
};

static_assert(assert_storage<ArchetypeSectionsEnableBits<ProbeSchema>>());

}  // namespace stowage
