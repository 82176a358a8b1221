#pragma once

#include <array>
#include <cstddef>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/parts/growing_array.hpp>
#include <stowage/parts/index/row_entry.hpp>
#include <stowage/parts/new_entities.hpp>
#include <stowage/parts/room.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// One array per pool, indexed by entity: `map[entity.index] -> row`. Only the map has holes, not the rows.
///
///     map  [gen row][gen row][gen  - ][gen row]        8 bytes an entry, see row_entry.hpp
///             ^ entity.index
///
/// Source: Bitsquid, part 2 (2014); generation beside the row as in slot maps.
template <class EntityType, std::size_t Pools>
class ArrayIndex {
  using Entries = RowEntry<EntityType>;
  using Entry = typename Entries::Word;

 public:
  using room = DefaultRoom;

  /// See contract/lines.hpp: 8 bytes at a multiple of 8.
  template <std::size_t P>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return 1;
  }

  /// The row of this very entity, no_row when it has none in the pool or the handle is stale. One miss.
  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    const Entry* const map =
        maps_[P].data();  // read before the test, so that a loop of look-ups keeps it in a register
    if (entity.index() >= maps_[P].size()) return no_row;
    return Entries::row_of(map[entity.index()], entity);
  }

  /// The entity has no row in the pool yet. Amortised O(1). Throws std::bad_alloc; then nothing has changed.
  template <std::size_t P>
  void insert(EntityType entity, RowNumber row) {
    GrowingArray<Entry>& map = maps_[P];
    const Entry entry = Entries::of(entity, row);
    if (entity.index() < map.size()) {
      map[entity.index()] = entry;
    } else if (entity.index() == map.size()) {
      map.append(entry);
    } else {
      insert_beyond(map, entity.index(), entry);
    }
  }

  /// The same for many: the i-th has row `first_row` + i.
  template <std::size_t P>
  void insert(const NewEntities<EntityType>& entities, RowNumber first_row) {
    GrowingArray<Entry>& map = maps_[P];
    if (entities.consecutive && entities.first_index() >= map.size()) {
      map.make_room(entities.index_end());
      extend(map, entities.first_index());
      map.extend_unwritten(entities.index_end());  // all written below
    } else {
      extend(map, entities.index_end());
    }
    if (entities.consecutive) {
      Entries::write_run(map.data() + entities.first_index(), entities.handles, first_row);
    } else {
      for (const EntityType entity : entities.handles) map[entity.index()] = Entries::of(entity, first_row++);
    }
  }

  /// Takes the index of a living entity to its row, no_row when it has none. A value, so that a loop which looks up
  /// many keeps it in registers.
  class Reader {
   public:
    explicit Reader(const GrowingArray<Entry>& map) noexcept : map_(map.data()), size_(map.size()) {}
    [[nodiscard]] RowNumber operator()(EntityIndex index) const noexcept {
      return index < size_ ? Entries::row_at(map_[index], index) : no_row;
    }

   private:
    const Entry* map_;
    std::size_t size_;
  };
  template <std::size_t P>
  [[nodiscard]] Reader reader() const noexcept {
    return Reader(maps_[P]);
  }

  /// The row of the living entity at `index` moved.
  template <std::size_t P>
  void assign(EntityIndex index, RowNumber row) noexcept {
    Entry& entry = maps_[P][index];
    entry = Entries::moved(entry, index, row);
  }

  template <std::size_t P>
  void erase(EntityType entity) noexcept {
    maps_[P][entity.index()] = Entries::absent(entity.index());
  }

  /// Room for entities with indices below `count`.
  template <std::size_t P>
  void reserve(std::size_t count) {
    maps_[P].reserve(count);
  }

  void clear() noexcept {
    for (GrowingArray<Entry>& map : maps_) map.clear();
  }

  /// Entries that hold a row are index; holes and capacity are slack. `rows` is how many rows each pool has.
  [[nodiscard]] MemoryBreakdown memory(const std::array<std::size_t, Pools>& rows) const noexcept {
    MemoryBreakdown bytes;
    for (std::size_t pool = 0; pool < Pools; ++pool) {
      const std::size_t used = rows[pool] * sizeof(Entry);
      bytes += {.payload_bytes = 0,
                .index_bytes = used,
                .slack_bytes = maps_[pool].held_bytes() - used,
                .allocations = maps_[pool].allocations()};
    }
    return bytes;
  }
  [[nodiscard]] StorageEvents events() const noexcept {
    StorageEvents events;
    for (const GrowingArray<Entry>& map : maps_) events.growths += map.growths();
    return events;
  }

 private:
  /// New entries, if any, are absent.
  static void extend(GrowingArray<Entry>& map, std::size_t size) {
    const std::size_t known = map.size();
    map.extend_unwritten(size);
    Entries::write_absent(map.data(), known, size);
  }

  STOWAGE_COLD static void insert_beyond(GrowingArray<Entry>& map, std::size_t index, Entry entry) {
    map.make_room(index + 1);
    extend(map, index);
    map.append(entry);
  }

  std::array<GrowingArray<Entry>, Pools> maps_;
};

struct ArrayIndexPolicy {
  template <class EntityType, std::size_t Pools>
  using index = ArrayIndex<EntityType, Pools>;
};

}  // namespace stowage::parts
