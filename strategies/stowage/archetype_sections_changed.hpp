#pragma once

// archetype_sections.changed: sections of 16 KiB that know when a program last could write to each of their columns.
//
//     record     { column of A, column of B, ...; size; tick of A, tick of B; ... } ...      4 bytes for each Changed<>
//     data       [ owner owner ... | A A A ... | B B B ... ]    one block a section
//
//     schema           Schema<Changed<Position>, Mass>        // ticks for Position alone
//     next_tick()      return ++now
//     find<A>(e)       as archetype_sections, and section.tick[A] = now      // find<const A> writes no tick
//     each<A>(fn)      for each section: section.tick[A] = now; then its rows
//     each_changed<A, B>(since, fn)
//                      for (set : sets with A and B)
//                          for (section : set.sections)
//                              if (section.tick[A] is of since or later)
//                                  for (row = 0; row < section.size; ++row) fn(section.A[row], section.B[row])
//
// So one write makes all rows of its section count as changed, and a read of one tick leaves out all of them. A row
// that moves takes its section's ticks along, where they are later. Files do not have ticks: what is loaded has
// changed.
//
// The code: StampedRows below; SectionStorage (parts/section_storage.hpp) notes what is written, and StorageForms
// (parts/storage_forms.hpp) has each_changed().
//
// By: Unity's entities, whose chunks have a version for each component type, set to that of the system that asks for
//      write access. flecs has a counter for each column of a table, which is the same for sections that grow.
// Pick it when most of what is there rests, whole component sets at a time, and to do the work again for rows that did
// not change is harmless: asking costs a read for hundreds of rows. Writes here and there wake every section.
// Misses per lookup: as archetype_sections.fixed_16k; find() that is not const writes to the record that it reads.

#include <atomic>

#include <stowage/archetype_sections.hpp>
#include <stowage/parts/sections/form.hpp>

namespace stowage {

namespace parts {

/// Packed rows that know in which tick each of `Count` components could last be written. Threads that share a loop
/// write the same tick.
template <std::size_t Count>
struct StampedRows : PackedRows {
  static constexpr bool keep_ticks = true;

  struct State : PackedRows::State {
    mutable std::array<Tick, Count> ticks{};
  };

  [[nodiscard]] static Tick written(const State& rows, std::size_t record) noexcept {
    return tick(rows, record).load(relaxed);
  }
  static void write(const State& rows, std::size_t record, Tick now) noexcept {
    tick(rows, record).store(now, relaxed);
  }

  /// Rows come from another section.
  static void join_ticks(const State& rows, const State& from) noexcept {
    for (std::size_t record = 0; record < Count; ++record) {
      const Tick coming = written(from, record);
      write(rows, record, rows.size == 0 ? coming : later(written(rows, record), coming));
    }
  }

 private:
  static constexpr std::memory_order relaxed = std::memory_order_relaxed;
  [[nodiscard]] static std::atomic_ref<Tick> tick(const State& rows, std::size_t record) noexcept {
    return std::atomic_ref<Tick>(rows.ticks[record]);
  }
};
template <>
struct StampedRows<0> : PackedRows {};

template <class SchemaType>
struct StampedForm : FixedForm<std::size_t{16} * 1024> {
  using rows = StampedRows<SchemaType::recorded::size>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
class ArchetypeSectionsChanged : public ArchetypeSections<SchemaType, Registry, parts::StampedForm<SchemaType>> {};

static_assert(assert_storage<ArchetypeSectionsChanged<ProbeSchema>>());

}  // namespace stowage
