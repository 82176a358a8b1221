#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/parts/index/array.hpp>
#include <stowage/parts/index/counted_heap.hpp>
#include <stowage/parts/new_entities.hpp>
#include <stowage/parts/on_failure.hpp>

namespace stowage::parts {

/// Hash maps from entity index to row, one per pool; `Map<Key, Value, Allocator>` is the table. Only entities that have
/// the component cost anything. The key is the index alone and the generation sits in the value, so that key, value and
/// liveness are one 12-byte slot.
template <class EntityType, std::size_t Pools, template <class, class, class> class Map>
class HashIndex {
  struct Entry {
    std::uint32_t generation;
    RowNumber row;
  };
  using Table = Map<EntityIndex, Entry, CountingAllocator<std::pair<const EntityIndex, Entry>>>;

 public:
  HashIndex() : HashIndex(std::make_index_sequence<Pools>{}) {}

  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    const auto found = tables_[P].find(entity.index());
    return found != tables_[P].end() && found->second.generation == entity.generation() ? found->second.row : no_row;
  }

  class Reader {
   public:
    explicit Reader(const Table& table) noexcept : table_(&table) {}
    [[nodiscard]] RowNumber operator()(EntityIndex index) const noexcept {
      const auto found = table_->find(index);
      return found != table_->end() ? found->second.row : no_row;
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
    tables_[P].try_emplace(entity.index(), Entry{entity.generation(), row});
  }

  template <std::size_t P>
  void insert(const NewEntities<EntityType>& entities, RowNumber first_row) {
    std::size_t inserted = 0;
    OnFailure undo([&] {
      while (inserted != 0) erase<P>(entities.handles[--inserted]);
    });
    tables_[P].reserve(tables_[P].size() + entities.size());
    for (; inserted < entities.size(); ++inserted) {
      insert<P>(entities.handles[inserted], first_row + static_cast<RowNumber>(inserted));
    }
    undo.release();
  }

  template <std::size_t P>
  void assign(EntityIndex index, RowNumber row) noexcept {
    tables_[P].find(index)->second.row = row;
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
    for (Table& table : tables_) table.clear();
  }

  /// Entries in use are index; the rest of the tables is slack.
  [[nodiscard]] MemoryBreakdown memory(const std::array<std::size_t, Pools>& rows) const noexcept {
    std::size_t used = sizeof(HeapCount);
    for (const std::size_t count : rows) used += count * sizeof(typename Table::value_type);
    return {.payload_bytes = 0,
            .index_bytes = used,
            .slack_bytes = heap_->bytes + sizeof(HeapCount) - used,
            .allocations = heap_->blocks + 1};
  }

 private:
  template <std::size_t... Is>
  explicit HashIndex(std::index_sequence<Is...>)
      : heap_(std::make_unique<HeapCount>()), tables_{((void)Is, Table(typename Table::allocator_type(*heap_)))...} {}

  std::unique_ptr<HeapCount> heap_;  // on the heap, so that it stays where the tables know it when this is moved
  std::array<Table, Pools> tables_;
};

}  // namespace stowage::parts
