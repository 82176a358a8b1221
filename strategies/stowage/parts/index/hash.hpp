#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/new_entities.hpp>
#include <stowage/parts/index/counted_heap.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/parts/room.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// What a table keeps for an entity: the generation beside the row, so that key, value and liveness are one 12-byte
/// slot and a stale handle is told apart without a second miss.
class HashEntry {
 public:
  HashEntry(std::uint32_t generation, RowNumber row) noexcept : generation_(generation), row_(row) {}
  [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }
  [[nodiscard]] RowNumber row() const noexcept { return row_; }
  void assign(RowNumber row) noexcept { row_ = row; }

 private:
  std::uint32_t generation_;
  RowNumber row_;
};

/// The same with rows numbered from 1, so that 0 is no row. Source: Nomad (generic component managers).
class HashEntryFromOne {
 public:
  HashEntryFromOne(std::uint32_t generation, RowNumber row) noexcept : generation_(generation), number_(row + 1) {}
  [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }
  /// The number 0 is no_row, which is why nothing needs to be tested here.
  [[nodiscard]] RowNumber row() const noexcept { return number_ - 1; }
  void assign(RowNumber row) noexcept { number_ = row + 1; }

 private:
  std::uint32_t generation_;
  std::uint32_t number_;
};
static_assert(no_row + 1 == 0);

/// Hash maps from entity index to row, one per pool; only entities that have the component cost anything. `Kind` says
/// on which table:
///
///     table<Key, Value, Allocator>   the container
///     entry                          HashEntry or another of its form
///     room                           how the pools grow, see room.hpp
///     slot_bytes<Value>              bytes of the table's array that an entry takes
///     lookup_lines                   lines that a lookup touches on the way to the row, see contract/lines.hpp
template <class EntityType, std::size_t Pools, class Kind>
class HashIndex {
  using Entry = typename Kind::entry;
  using Table =
      typename Kind::template table<EntityIndex, Entry, CountingAllocator<std::pair<const EntityIndex, Entry>>>;

 public:
  using room = typename Kind::room;

  HashIndex() : HashIndex(std::make_index_sequence<Pools>{}) {}
  HashIndex(const HashIndex&) = delete;  // the tables know where heap_ is
  HashIndex& operator=(const HashIndex&) = delete;

  template <std::size_t P>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return Kind::lookup_lines;
  }

  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    const auto found = tables_[P].find(entity.index());
    return found != tables_[P].end() && found->second.generation() == entity.generation() ? found->second.row()
                                                                                          : no_row;
  }

  class Reader {
   public:
    explicit Reader(const Table& table) noexcept : table_(&table) {}
    [[nodiscard]] RowNumber operator()(EntityIndex index) const noexcept {
      const auto found = table_->find(index);
      return found != table_->end() ? found->second.row() : no_row;
    }

   private:
    const Table* table_;
  };
  template <std::size_t P>
  [[nodiscard]] Reader reader() const noexcept {
    return Reader(tables_[P]);
  }

  template <std::size_t P>
  void insert(EntityType entity, RowNumber row) {
    tables_[P].try_emplace(entity.index(), Entry(entity.generation(), row));
  }

  template <std::size_t P>
  void insert(const NewEntities<EntityType>& entities, RowNumber first_row) {
    std::size_t inserted = 0;
    OnFailure undo([&] {
      while (inserted != 0) erase<P>(entities.handles[--inserted]);
    });
    const std::size_t present = tables_[P].size();
    if (!has_room(tables_[P], present + entities.size())) {
      tables_[P].reserve(grown_capacity(present, present + entities.size()));
    }
    for (; inserted < entities.size(); ++inserted) {
      insert<P>(entities.handles[inserted], first_row + static_cast<RowNumber>(inserted));
    }
    undo.release();
  }

  template <std::size_t P>
  void assign(EntityIndex index, RowNumber row) noexcept {
    tables_[P].find(index)->second.assign(row);
  }

  template <std::size_t P>
  void erase(EntityType entity) noexcept {
    tables_[P].erase(entity.index());
  }

  /// find() and erase() in one lookup.
  template <std::size_t P>
  [[nodiscard]] RowNumber take(EntityType entity) noexcept {
    const auto found = tables_[P].find(entity.index());
    if (found == tables_[P].end() || found->second.generation() != entity.generation()) return no_row;
    const RowNumber row = found->second.row();
    tables_[P].erase(found);
    return row;
  }

  template <std::size_t P>
  void reserve(std::size_t count) {
    if (!has_room(tables_[P], count)) tables_[P].reserve(count);
  }

  void clear() noexcept {
    for (Table& table : tables_) table.clear();
  }

  /// Entries in use are index; the rest of the tables is slack.
  [[nodiscard]] MemoryBreakdown memory(const std::array<std::size_t, Pools>& rows) const noexcept {
    std::size_t used = heap_.bytes - heap_.array_bytes;  // nodes
    for (std::size_t pool = 0; pool < Pools; ++pool) {
      used +=
          std::min(rows[pool], tables_[pool].bucket_count()) * Kind::template slot_bytes<typename Table::value_type>;
    }
    return {.payload_bytes = 0, .index_bytes = used, .slack_bytes = heap_.bytes - used, .allocations = heap_.blocks};
  }
  /// A table keeps its array until it is built anew.
  [[nodiscard]] StorageEvents events() const noexcept {
    const auto made = std::ranges::count_if(tables_, [](const Table& table) { return table.bucket_count() > 1; });
    return {.rehashes = heap_.arrays_ever_made - static_cast<std::uint64_t>(made)};
  }

 private:
  template <std::size_t... Is>
  explicit HashIndex(std::index_sequence<Is...>)
      : tables_{((void)Is, Table(typename Table::allocator_type(heap_)))...} {}

  /// To be asked before reserve(), with which both kinds of table give room back where there is more.
  [[nodiscard]] static bool has_room(const Table& table, std::size_t count) noexcept {
    return static_cast<double>(count) <=
           static_cast<double>(table.max_load_factor()) * static_cast<double>(table.bucket_count());
  }

  HeapCount heap_;  // before the tables, which write to it until their end
  std::array<Table, Pools> tables_;
};

}  // namespace stowage::parts
