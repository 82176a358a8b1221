#pragma once

// The index of indirection maps: an array per pool that takes an entity's index to its row, and knows stale handles.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/new_entities.hpp>
#include <stowage/parts/room.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// Entity and row in 8 bytes: the handle of the owner, its generation above 32 bits of index, xor the row. Xor with the
/// handle that is looked up leaves the row if the two are the same, and otherwise a number that no row has. So one xor
/// and one comparison tell a stale handle, without a second miss.
template <class EntityType>
struct RowEntry {
  using Word = std::uint64_t;

  /// For a 64-bit handle this is the handle's own word.
  [[nodiscard]] static constexpr Word key_of(EntityType entity) noexcept {
    return static_cast<Word>(entity.generation()) << 32 | entity.index();
  }
  [[nodiscard]] static constexpr Word of(EntityType entity, RowNumber row) noexcept { return key_of(entity) ^ row; }
  /// An entry from which no handle with this index gets a row, whatever its generation.
  [[nodiscard]] static constexpr Word absent(std::size_t index) noexcept { return index ^ no_row; }

  /// The row if the entry is of this very entity, no_row otherwise.
  [[nodiscard]] static constexpr RowNumber row_of(Word entry, EntityType entity) noexcept {
    const Word difference = entry ^ key_of(entity);
#if defined(__clang__)  // it would compare the row with no_row, too; in this form g++ is slower to destroy
    if (difference > last_row) return no_row;
    const auto row = static_cast<RowNumber>(difference);
    STOWAGE_ASSUME(row != no_row);
    return row;
#else
    return difference <= last_row ? static_cast<RowNumber>(difference) : no_row;
#endif
  }
  /// The row in the entry of the living entity at `index`, no_row when it has none.
  [[nodiscard]] static constexpr RowNumber row_at(Word entry, EntityIndex index) noexcept {
    return static_cast<RowNumber>(entry) ^ index;
  }
  [[nodiscard]] static constexpr Word moved(Word entry, EntityIndex index, RowNumber row) noexcept {
    return (entry & ~Word{no_row}) | (index ^ row);
  }

  /// Entries of entities whose indices follow each other, from row `first_row` on. By value, so that no store of an
  /// entry can be a store to what the loop runs on, and it is vectorised.
  static void write_run(Word* run, std::span<const EntityType> entities, RowNumber first_row) noexcept {
    const std::size_t count = entities.size();
    for (std::size_t i = 0; i < count; ++i) run[i] = of(entities[i], first_row + static_cast<RowNumber>(i));
  }
  /// Entries without a row for the indices from `first` to `end`; `run` is where that of index 0 would be.
  static void write_absent(Word* run, std::size_t first, std::size_t end) noexcept {
    for (std::size_t index = first; index < end; ++index) run[index] = absent(index);
  }
};

/// `map[entity.index] -> row`. Only the map has holes, not the rows.
///
///     map  [gen row][gen row][gen  - ][gen row]        8 bytes an entry, see RowEntry
///             ^ entity.index
///
/// Source: Bitsquid, part 2 (2014); generation beside the row as in slot maps.
template <class EntityType, std::size_t Pools>
class ArrayIndex {
  using Entries = RowEntry<EntityType>;
  using Entry = typename Entries::Word;

 public:
  using room = DefaultRoom;
  static constexpr bool may_be_homed = true;  ///< see HomedIndex

  /// See contract/lines.hpp: 8 bytes at a multiple of 8.
  template <std::size_t P>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return 1;
  }

  /// The row of this very entity, no_row when it has none in the pool or the handle is stale. One miss.
  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    const Entry* const map = maps_[P].data();  // read before the test, so that a loop of lookups keeps it in a register
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

  /// Throws std::bad_alloc; then no map has changed, or the last ones have not.
  void copy_from(const ArrayIndex& other) {
    for (std::size_t pool = 0; pool < Pools; ++pool) maps_[pool].copy_from(other.maps_[pool]);
  }

  /// Entries that hold a row are index; holes and capacity are slack. `rows` is how many rows each pool has.
  [[nodiscard]] MemoryBreakdown memory(const std::array<std::size_t, Pools>& rows) const noexcept {
    MemoryBreakdown bytes;
    for (std::size_t pool = 0; pool < Pools; ++pool) bytes += memory_of(rows[pool] * sizeof(Entry), maps_[pool]);
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
