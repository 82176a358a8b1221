#pragma once

#include <array>
#include <cstddef>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/new_entities.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/room.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// Hash tables from entity index to row, one per pool; only entities that have the component cost anything. The
/// generation is beside the row, so a stale handle is told apart without a second miss. `Table` is LinearTable or
/// another of its form; `Room` says how the pools grow, see room.hpp.
template <class EntityType, std::size_t Pools, class Table, class Room>
class HashIndex {
 public:
  using room = Room;

  template <std::size_t P>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return Table::lookup_lines;
  }

  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    return tables_[P].find(entity);
  }

  class Reader {
   public:
    explicit Reader(const Table& table) noexcept : table_(&table) {}
    [[nodiscard]] RowNumber operator()(EntityIndex index) const noexcept { return table_->row_at(index); }

   private:
    const Table* table_;
  };
  template <std::size_t P>
  [[nodiscard]] Reader reader() const noexcept {
    return Reader(tables_[P]);
  }

  template <std::size_t P>
  void insert(EntityType entity, RowNumber row) {
    tables_[P].insert(entity, row);
  }

  template <std::size_t P>
  void insert(const NewEntities<EntityType>& entities, RowNumber first_row) {
    Table& table = tables_[P];
    std::size_t inserted = 0;
    OnFailure undo([&] {
      while (inserted != 0) erase<P>(entities.handles[--inserted]);
    });
    const std::size_t needed = table.size() + entities.size();
    if (!table.has_room(needed)) table.reserve(grown_capacity(table.size(), needed));
    for (; inserted < entities.size(); ++inserted) {
      table.insert(entities.handles[inserted], first_row + static_cast<RowNumber>(inserted));
    }
    undo.release();
  }

  template <std::size_t P>
  void assign(EntityIndex index, RowNumber row) noexcept {
    tables_[P].assign(index, row);
  }

  template <std::size_t P>
  void erase(EntityType entity) noexcept {
    static_cast<void>(tables_[P].take(entity));
  }

  /// find() and erase() in one lookup.
  template <std::size_t P>
  [[nodiscard]] RowNumber take(EntityType entity) noexcept {
    return tables_[P].take(entity);
  }

  template <std::size_t P>
  void reserve(std::size_t count) {
    tables_[P].reserve(count);
  }

  void clear() noexcept {
    for (Table& table : tables_) table.clear();
  }

  void copy_from(const HashIndex& other) {
    for (std::size_t pool = 0; pool < Pools; ++pool) tables_[pool].copy_from(other.tables_[pool]);
  }

  /// Entries in use are index; the rest of the tables is slack.
  [[nodiscard]] MemoryBreakdown memory(const std::array<std::size_t, Pools>& /*rows*/) const noexcept {
    MemoryBreakdown bytes;
    for (const Table& table : tables_) bytes += table.memory();
    return bytes;
  }
  [[nodiscard]] StorageEvents events() const noexcept {
    StorageEvents events;
    for (const Table& table : tables_) events += table.events();
    return events;
  }

 private:
  std::array<Table, Pools> tables_;
};

template <class Table, class Room = DefaultRoom>
struct HashIndexPolicy {
  template <class EntityType, std::size_t Pools>
  using index = HashIndex<EntityType, Pools, Table, Room>;
};

}  // namespace stowage::parts
