#pragma once

// probing_map: a hash table of our own takes the entity to a row; rows are packed.
//
//     registry   [gen][gen][gen] ...                             4 bytes per index ever alive
//     table      [ - ][index gen row][ - ][index gen row] ...    12 bytes a slot, 3/4 full at most
//                                \________
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]
//
// By: us. Linear probing, Fibonacci hashing, and removal that shifts the following slots back, so there are no
// tombstones. Pick it if it is faster than hash_index: that is the question.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stowage/contract/lines.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace mine {

using stowage::EntityIndex;
using stowage::parts::no_row;
using stowage::parts::RowNumber;

/// From entity to row, in one array of a power of two of slots.
class ProbingTable {
 public:
  struct Slot {
    EntityIndex index = 0;
    std::uint32_t generation = 0;
    RowNumber row = no_row;  ///< no_row: the slot is free
  };

  /// The slot of this index; null if it has none.
  [[nodiscard]] const Slot* find(EntityIndex index) const noexcept {
    if (slots_.empty()) return nullptr;
    for (std::size_t at = home(index);; at = next(at)) {
      if (slots_[at].row == no_row) return nullptr;
      if (slots_[at].index == index) return &slots_[at];
    }
  }
  /// The index must be in the table.
  void assign(EntityIndex index, RowNumber row) noexcept { slots_[position_of(index)].row = row; }

  /// There must be room, and the index must not be in the table.
  void insert(const Slot& slot) noexcept {
    std::size_t at = home(slot.index);
    while (slots_[at].row != no_row) at = next(at);
    slots_[at] = slot;
    ++used_;
  }
  /// The index must be in the table. Slots that it has displaced move back, so that no search ends too early.
  void erase(EntityIndex index) noexcept {
    std::size_t hole = position_of(index);
    for (std::size_t at = next(hole); slots_[at].row != no_row; at = next(at)) {
      const std::size_t wanted = home(slots_[at].index);
      if (((at - wanted) & mask()) < ((at - hole) & mask())) continue;  // the hole did not displace it
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].row = no_row;
    --used_;
  }

  /// Room for `count` slots in all. Throws std::bad_alloc; then nothing has changed.
  void reserve(std::size_t count) {
    if (count * 4 <= slots_.size() * 3) return;
    std::vector<Slot> former(std::bit_ceil(count / 3 * 4 + 16));
    former.swap(slots_);
    rebuilt_ += former.empty() ? 0 : 1;
    used_ = 0;
    for (const Slot& slot : former) {
      if (slot.row != no_row) insert(slot);
    }
  }
  void clear() noexcept {
    for (Slot& slot : slots_) slot.row = no_row;
    used_ = 0;
  }

  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return slots_.capacity() * sizeof(Slot); }
  [[nodiscard]] std::uint64_t rebuilt() const noexcept { return rebuilt_; }

 private:
  [[nodiscard]] std::size_t mask() const noexcept { return slots_.size() - 1; }
  [[nodiscard]] std::size_t next(std::size_t at) const noexcept { return (at + 1) & mask(); }
  [[nodiscard]] std::size_t home(EntityIndex index) const noexcept {
    return (index * 0x9E3779B97F4A7C15ULL) >> (64 - std::countr_zero(slots_.size()));
  }
  [[nodiscard]] std::size_t position_of(EntityIndex index) const noexcept {
    return static_cast<std::size_t>(find(index) - slots_.data());
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::uint64_t rebuilt_ = 0;
};

/// The index that stowage's pools ask for: one table for each pool.
template <class EntityType, std::size_t Pools>
class ProbingIndex {
 public:
  using room = stowage::parts::DefaultRoom;

  /// A slot of 12 bytes; the next one is mostly in the same line.
  template <std::size_t P>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return stowage::lines_touched({{0, 12}}, 12);
  }

  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    const ProbingTable::Slot* const slot = tables_[P].find(entity.index());
    return slot != nullptr && slot->generation == entity.generation() ? slot->row : no_row;
  }
  /// Takes the index of a living entity to its row.
  template <std::size_t P>
  [[nodiscard]] auto reader() const noexcept {
    return [table = &tables_[P]](EntityIndex index) {
      const ProbingTable::Slot* const slot = table->find(index);
      return slot != nullptr ? slot->row : no_row;
    };
  }

  template <std::size_t P>
  void insert(EntityType entity, RowNumber row) {
    tables_[P].reserve(tables_[P].used() + 1);
    tables_[P].insert({entity.index(), entity.generation(), row});
  }
  template <std::size_t P>
  void insert(const stowage::parts::NewEntities<EntityType>& entities, RowNumber first_row) {
    tables_[P].reserve(tables_[P].used() + entities.size());
    for (const EntityType entity : entities.handles) {
      tables_[P].insert({entity.index(), entity.generation(), first_row++});
    }
  }
  template <std::size_t P>
  void assign(EntityIndex index, RowNumber row) noexcept {
    tables_[P].assign(index, row);
  }
  template <std::size_t P>
  void erase(EntityType entity) noexcept {
    tables_[P].erase(entity.index());
  }
  template <std::size_t P>
  void reserve(std::size_t count) {
    tables_[P].reserve(count);
  }
  void clear() noexcept {
    for (ProbingTable& table : tables_) table.clear();
  }

  /// Slots in use count as index, free slots as slack.
  [[nodiscard]] stowage::MemoryBreakdown memory(const std::array<std::size_t, Pools>& rows) const noexcept {
    stowage::MemoryBreakdown bytes;
    for (std::size_t pool = 0; pool < Pools; ++pool) {
      const std::size_t used = rows[pool] * sizeof(ProbingTable::Slot);
      bytes += {.payload_bytes = 0,
                .index_bytes = used,
                .slack_bytes = tables_[pool].held_bytes() - used,
                .allocations = tables_[pool].held_bytes() != 0 ? 1U : 0U};
    }
    return bytes;
  }
  [[nodiscard]] stowage::StorageEvents events() const noexcept {
    stowage::StorageEvents events;
    for (const ProbingTable& table : tables_) events.rehashes += table.rebuilt();
    return events;
  }

 private:
  std::array<ProbingTable, Pools> tables_;
};

struct ProbingIndexPolicy {
  template <class EntityType, std::size_t Pools>
  using index = ProbingIndex<EntityType, Pools>;
};

/// The storage: this index over stowage's own packed columns.
template <class SchemaType, class Registry = stowage::EntityRegistry<>>
class ProbingMap
    : public stowage::parts::PoolStorage<SchemaType, Registry, ProbingIndexPolicy, stowage::parts::ColumnsLayout> {};

static_assert(stowage::assert_storage<ProbingMap<stowage::ProbeSchema>>());

}  // namespace mine
