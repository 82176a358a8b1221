#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/parts/growth.hpp>

namespace stowage::parts {

using RowNumber = std::uint32_t;
inline constexpr RowNumber no_row = std::numeric_limits<RowNumber>::max();

/// One array per pool, indexed by entity: `map[entity.index] -> row`. Only the map has holes, not the rows.
///
///     map  [gen row][gen  - ][gen row][gen row]        8 bytes an entry; the generation sits beside the row, so that a
///             ^ entity.index                           stale handle is told apart without a second miss
///
/// Source: Bitsquid, part 2 (2014); generation beside the row as in slot maps.
template <class EntityType, std::size_t Pools>
class ArrayIndex {
  /// generation in the upper half, row in the lower: one load, and one comparison tells hit from miss.
  using Entry = std::uint64_t;
  static constexpr Entry absent = no_row;

 public:
  /// The row of this very entity, no_row when it has none in the pool or the handle is stale. One miss.
  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    const std::vector<Entry>& map = maps_[P];
    if (entity.index() >= map.size()) return no_row;
    const Entry difference = map[entity.index()] ^ generation_bits(entity);
    return difference < no_row ? static_cast<RowNumber>(difference) : no_row;
  }

  /// The same for whoever is alive at `index`.
  template <std::size_t P>
  [[nodiscard]] RowNumber find_living(EntityIndex index) const noexcept {
    const std::vector<Entry>& map = maps_[P];
    return index < map.size() ? static_cast<RowNumber>(map[index]) : no_row;
  }

  /// The entity has no row in the pool yet. Amortised O(1). Throws std::bad_alloc; then nothing has changed.
  template <std::size_t P>
  void insert(EntityType entity, RowNumber row) {
    std::vector<Entry>& map = maps_[P];
    if (entity.index() >= map.size()) extend(map, entity.index());
    map[entity.index()] = generation_bits(entity) | row;
  }

  /// The row of the living entity at `index` moved.
  template <std::size_t P>
  void assign(EntityIndex index, RowNumber row) noexcept {
    Entry& entry = maps_[P][index];
    entry = (entry & ~Entry{no_row}) | row;
  }

  template <std::size_t P>
  void erase(EntityType entity) noexcept {
    maps_[P][entity.index()] = absent;
  }

  /// Room for entities with indices below `count`.
  template <std::size_t P>
  void reserve(std::size_t count) {
    maps_[P].reserve(count);
  }

  void clear() noexcept {
    for (std::vector<Entry>& map : maps_) map.clear();
  }

  /// Entries that hold a row are index; holes and capacity are slack. `rows` is how many rows each pool has.
  [[nodiscard]] MemoryBreakdown memory(const std::array<std::size_t, Pools>& rows) const noexcept {
    MemoryBreakdown bytes;
    for (std::size_t pool = 0; pool < Pools; ++pool) {
      const std::size_t used = rows[pool] * sizeof(Entry);
      bytes += {.payload_bytes = 0,
                .index_bytes = used,
                .slack_bytes = maps_[pool].capacity() * sizeof(Entry) - used,
                .allocations = maps_[pool].capacity() != 0 ? std::size_t{1} : std::size_t{0}};
    }
    return bytes;
  }

 private:
  [[nodiscard]] static constexpr Entry generation_bits(EntityType entity) noexcept {
    return static_cast<Entry>(entity.generation()) << 32;
  }

  static void extend(std::vector<Entry>& map, EntityIndex index) {
    if (index >= map.capacity()) map.reserve(grown_capacity(map.capacity(), index + std::size_t{1}));
    map.resize(index + std::size_t{1}, absent);
  }

  std::array<std::vector<Entry>, Pools> maps_;
};

struct ArrayIndexPolicy {
  template <class EntityType, std::size_t Pools>
  using index = ArrayIndex<EntityType, Pools>;
};

}  // namespace stowage::parts
