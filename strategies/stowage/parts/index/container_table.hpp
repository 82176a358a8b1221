#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <stowage/contract/counted_heap.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// What a map keeps for an entity.
struct MapEntry {
  std::uint32_t generation;
  RowNumber row;
};

/// A hash map of a library as a table of HashIndex. `Kind` says which:
///
///     map<Key, Value, Allocator>   the container
///     slot_bytes<Value>            bytes of the container's array that an entry takes
///     lookup_lines                 lines that a lookup touches on the way to the row, see contract/lines.hpp
template <class Kind>
class ContainerTable {
  using Map =
      typename Kind::template map<EntityIndex, MapEntry, CountingAllocator<std::pair<const EntityIndex, MapEntry>>>;

 public:
  static constexpr double lookup_lines = Kind::lookup_lines;

  ContainerTable() : map_(typename Map::allocator_type(heap_)) {}
  ContainerTable(const ContainerTable&) = delete;  // the map knows where heap_ is
  ContainerTable& operator=(const ContainerTable&) = delete;

  template <class EntityType>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    const auto found = map_.find(entity.index());
    return found != map_.end() && found->second.generation == entity.generation() ? found->second.row : no_row;
  }
  [[nodiscard]] RowNumber row_at(EntityIndex index) const noexcept {
    const auto found = map_.find(index);
    return found != map_.end() ? found->second.row : no_row;
  }

  template <class EntityType>
  void insert(EntityType entity, RowNumber row) {
    map_.try_emplace(entity.index(), MapEntry{entity.generation(), row});
  }
  void assign(EntityIndex index, RowNumber row) noexcept { map_.find(index)->second.row = row; }

  template <class EntityType>
  [[nodiscard]] RowNumber take(EntityType entity) noexcept {
    const auto found = map_.find(entity.index());
    if (found == map_.end() || found->second.generation != entity.generation()) return no_row;
    const RowNumber row = found->second.row;
    map_.erase(found);
    return row;
  }

  [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }
  [[nodiscard]] bool has_room(std::size_t count) const noexcept {
    return static_cast<double>(count) <=
           static_cast<double>(map_.max_load_factor()) * static_cast<double>(map_.bucket_count());
  }
  /// Both containers would give room back if they have more.
  void reserve(std::size_t count) {
    if (!has_room(count)) map_.reserve(count);
  }
  void clear() noexcept { map_.clear(); }
  /// A container of nodes uses those that it has.
  void copy_from(const ContainerTable& other) {
    const std::size_t buckets = map_.bucket_count();
    map_ = other.map_;
    if (map_.bucket_count() < buckets) map_.rehash(buckets);  // room is kept
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t nodes = heap_.bytes - heap_.array_bytes;
    const std::size_t used =
        nodes + (std::min)(map_.size(), map_.bucket_count()) * Kind::template slot_bytes<typename Map::value_type>;
    return {.payload_bytes = 0, .index_bytes = used, .slack_bytes = heap_.bytes - used, .allocations = heap_.blocks};
  }
  /// A map keeps its array until it is built anew.
  [[nodiscard]] StorageEvents events() const noexcept {
    return {.rehashes = heap_.arrays_ever_made - (map_.bucket_count() > 1 ? 1 : 0)};
  }

 private:
  HeapCount heap_;  // before the map, which writes to it until its end
  Map map_;
};

}  // namespace stowage::parts
