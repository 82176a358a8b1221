#pragma once

// Packed rows as a careful engineer writes them for entities that all have the same components: a contract floor.

#include <stowage/contract/memory.hpp>

#include "workloads/floors/rows.hpp"
#include "workloads/floors/slot_table.hpp"

namespace stowage::workloads {

/// Packed rows, of which the last moves into a hole, and a slot table with generations.
///
///     slots_    [handle^row] [handle^row] ...      slot -> row
///     rows_     see rows.hpp                       row -> slot and components
///
/// It keeps the promises of a storage that the workloads ask for, and has none of what makes a storage general. It has
/// the members of a storage that they use. `FreeLists`: see SlotTable.
template <std::size_t FreeLists, template <class...> class Rows, class... Cs>
class PackedRows {
 public:
  using entity_type = Entity;
  static constexpr std::uint32_t no_row = SlotTable<>::none;

  Entity create(const Cs&... components) {
    rows_.make_room_for_one();
    const Entity entity = slots_.add(static_cast<std::uint32_t>(rows_.size));
    rows_.owners()[rows_.size] = entity.index();
    rows_.put(rows_.size, components...);
    ++rows_.size;
    return entity;
  }

  void create(std::span<Entity> out, std::span<const Cs>... columns) {
    create_filled(out, [&](std::size_t first) {
      rows_.put_all(first, columns...);
      return true;
    });
  }

  /// The same for components that `fill(first row)` writes to where no row is yet. If it says false, there are no
  /// new entities.
  template <class Fill>
  bool create_filled(std::span<Entity> out, Fill&& fill) {
    rows_.make_room(rows_.size + out.size());
    if (!fill(rows_.size)) return false;
    slots_.add(out, [first = static_cast<std::uint32_t>(rows_.size)](std::uint32_t i) { return first + i; });
    rows_.add_owners(out);
    return true;
  }

  bool destroy(Entity entity) {
    const std::uint32_t row = slots_.find(entity);
    if (row == no_row) return false;
    const std::size_t last = --rows_.size;
    if (row != last) {
      const std::uint32_t moved = rows_.owners()[row] = rows_.owners()[last];
      slots_.set_place(moved, row);
      rows_.put_from(rows_, last, row);
    }
    slots_.remove(entity);
    return true;
  }

  [[nodiscard]] bool alive(Entity entity) const noexcept { return slots_.alive(entity); }

  template <class... Qs>
  [[nodiscard]] Found<Qs...> find(Entity entity) const noexcept {
    const auto at = rows_.template finder<Qs...>();  // before the test, so that a loop of lookups keeps it
    const std::uint32_t row = slots_.find(entity);
    if (row == no_row) return {};
    return at(row);
  }

  template <class... Qs, class Visit>
  void each(Visit&& visit) const {
    rows_.template visit_all<Qs...>(visit,
                                    [this, owners = owners()](std::size_t row) { return slots_.entity(owners[row]); });
  }

  /// Ends every life and keeps the memory; every slot is free, with its next generation. Not called clear(), because
  /// the memory pass calls that to measure what a storage keeps.
  void end_all() noexcept {
    rows_.size = 0;
    slots_.end_all();
  }

  template <class... Reserved>
  void reserve(std::size_t count) {
    slots_.reserve(count);
    rows_.make_room(count);
  }

  [[nodiscard]] std::size_t size() const noexcept { return rows_.size; }
  /// By row: the slot of each entity, and its component.
  [[nodiscard]] const std::uint32_t* owners() const noexcept { return rows_.owners(); }
  /// A pointer to the components, or what stands for one if they do not lie side by side.
  template <class C>
  [[nodiscard]] auto column() const noexcept {
    return rows_.template column<C>();
  }
  /// `no_row` of a stale handle.
  [[nodiscard]] std::uint32_t row_of(Entity entity) const noexcept { return slots_.find(entity); }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t payload = rows_.size * (0 + ... + sizeof(Cs));
    const std::size_t index = slots_.used_bytes() + rows_.size * sizeof(std::uint32_t);
    return {.payload_bytes = payload,
            .index_bytes = index,
            .slack_bytes = slots_.held_bytes() + rows_.held_bytes() - payload - index,
            .allocations = slots_.allocations() + rows_.allocations()};
  }

 private:
  SlotTable<1, FreeLists> slots_;
  Rows<Cs...> rows_;
};

template <class... Cs>
using PackedStore = PackedRows<1, ColumnRows, Cs...>;
/// The same with all components of an entity side by side.
template <class... Cs>
using InterleavedStore = PackedRows<1, StructRows, Cs...>;
/// Both for work in which most entities are created in the place of another.
template <class... Cs>
using PackedReusing = PackedRows<churn_lists, ColumnRows, Cs...>;
template <class... Cs>
using InterleavedReusing = PackedRows<churn_lists, StructRows, Cs...>;

}  // namespace stowage::workloads
