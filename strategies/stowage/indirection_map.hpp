#pragma once

// indirection_map: an array takes the entity's index to a row; rows are packed.
//
//     map        [gen|row][gen| - ][gen|row] ...                8 bytes per index, per pool; of the first pool for all
//                      \__________________                      indices ever alive: it is the registry, too
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]   one allocation, no holes
//
//     .paged     [ptr][nil][ptr] --> [gen|row][gen| - ] ...     the map in pages of 4096 entries
//     .ungrouped                                                a pool and a map for A, another of each for B
//
//     find<A, B>(e)    row = map[e.index] ^ e           // too large for a row unless the entry is of e
//                      return row <= last_row ? { &A[row], &B[row] } : null
//     each<A, B>(fn)   for (row = 0; row < size; ++row) fn(A[row], B[row])
//     create(a, b)     e = the index that was freed last, or a new one, and its generation
//                      A[size] = a; B[size] = b; owner[size] = e.index
//                      map[e.index].row = size++
//     destroy(e)       row = map[e.index] ^ e; last = --size
//                      if (row != last) A[row] = A[last]; B[row] = B[last]; owner[row] = owner[last]
//                                       map[owner[row]].row = row
//                      map[e.index] = (e.generation + 1, the index that was freed before it)        // e is stale now
//
// This is for a group <A, B>, one pool with one map. A component of no group has a pool and a map of its own, and so
// have the members of a group as long as it is not complete. If A and B are in several pools, find looks each up in its
// map, and each walks the rows of the rarer one and looks the other up: if (other = map[owner[row]]) fn(A[row],
// B[other]). The first pool is that of the schema's first group, or of its first component if it has no groups. Over a
// registry of other handles than 32 + 32 bits, or whose indices wait in a queue, every pool has a map of its own. The
// code: ArrayIndex (parts/index/array.hpp) is the map, HomedIndex (parts/index/homed.hpp) the one in the registry, Pool
// (parts/pool.hpp) the rows, PoolStorage (parts/pool_storage.hpp) the operations.
//
// By: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014), which would use it only for components that
//      are nearly universal and whose lookups are critical. The sparse set of EnTT and others is the same idea.
// Pick it when lookups by handle and dense iteration both matter and 8 bytes per entity and pool are affordable.
//      .paged where components are rare and their owners lie together: 4096 indices without a row cost 8 bytes.
//      .ungrouped beside EnTT's views and flecs' sparse components, which have no groups either.
// Misses per shuffled lookup of k components of one group, all out of cache: 1 (map) + k (columns), in .ungrouped k +
// k. lookup_lines() has it as a constant, here as in every strategy; a list of handles that is walked adds the 1/8 line
// of a handle.

#include <stowage/parts/index/array.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/vectors.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

namespace parts {

/// The map of one pool in pages that exist once an entity with an index in them has had a row.
///
///     pages    [ptr][nil][ptr]                         8 bytes for each `page_entries` indices
///                |         +--> [gen row][gen row] ...     a page: 8 bytes an entry, see RowEntry
///                +------------> [gen  - ][gen row] ...
///
/// A page has 4096 entries, as EnTT's have. That is the size at which a lookup costs no line more than in one array:
/// the pointers that shuffled lookups use in turn have to stay in the first-level cache beside the lines that pass
/// through it. For 1M indices they are 32 lines, each of which comes back after some 100 others; pages of 4096 bytes
/// would have 256, which come back after more than the 512 lines of 32 KiB. The price is 32 KiB for a page with one
/// row.
template <class EntityType>
class PagedMap {
  using Entries = RowEntry<EntityType>;

 public:
  using Entry = typename Entries::Word;
  static constexpr std::size_t page_entries = 4096;
  static constexpr std::size_t page_bytes = page_entries * sizeof(Entry);

  PagedMap() = default;
  PagedMap(const PagedMap&) = delete;
  PagedMap& operator=(const PagedMap&) = delete;
  ~PagedMap() {
    for (std::size_t page = 0; page < pages_.size(); ++page) {
      if (pages_[page] != nullptr) ::operator delete(pages_[page], alignment);
    }
  }

  /// Looks entries up; a value, so that a loop keeps it in registers.
  class View {
   public:
    explicit View(const GrowingArray<Entry*>& pages) noexcept : pages_(pages.data()), size_(pages.size()) {}
    /// Without a row where there is no page.
    [[nodiscard]] Entry operator[](EntityIndex index) const noexcept {
      const std::size_t page = index / page_entries;
      if (page >= size_ || pages_[page] == nullptr) [[unlikely]]
        return Entries::absent(index);
      return pages_[page][index % page_entries];
    }

   private:
    Entry* const* pages_;
    std::size_t size_;
  };
  [[nodiscard]] View view() const noexcept { return View(pages_); }

  /// The index must have a page.
  [[nodiscard]] Entry& operator[](EntityIndex index) noexcept {
    return pages_[index / page_entries][index % page_entries];
  }
  /// Makes the pages of the indices from `first` to `end` that do not exist. Throws std::bad_alloc; then no entry has
  /// changed.
  void cover(std::size_t first, std::size_t end) {
    if (end > pages_.size() * page_entries) pages_.extend((end + page_entries - 1) / page_entries, nullptr);
    for (std::size_t page = first / page_entries; page * page_entries < end; ++page) {
      if (pages_[page] == nullptr) [[unlikely]]
        add_page(page);
    }
  }

  /// O(entries in pages). Keeps the pages.
  void clear() noexcept {
    for (std::size_t page = 0; page < pages_.size(); ++page) {
      if (pages_[page] != nullptr) write_absent(page);
    }
  }

  /// Throws std::bad_alloc; then some pages have not changed.
  void copy_from(const PagedMap& other) {
    for (std::size_t page = 0; page < (std::max)(pages_.size(), other.pages_.size()); ++page) {
      if (page < other.pages_.size() && other.pages_[page] != nullptr) {
        cover(page * page_entries, (page + 1) * page_entries);
        std::copy_n(other.pages_[page], page_entries, pages_[page]);
      } else if (page < pages_.size() && pages_[page] != nullptr) {
        write_absent(page);
      }
    }
  }

  /// Entries with a row and the pointers to pages are index; other entries, pointers to none and capacity are slack.
  [[nodiscard]] MemoryBreakdown memory(std::size_t rows) const noexcept {
    const std::size_t used = rows * sizeof(Entry) + page_count_ * sizeof(Entry*);
    return {.payload_bytes = 0,
            .index_bytes = used,
            .slack_bytes = page_count_ * page_bytes + pages_.held_bytes() - used,
            .allocations = page_count_ + pages_.allocations()};
  }
  [[nodiscard]] StorageEvents events() const noexcept { return {.growths = pages_.growths(), .sections = page_count_}; }

 private:
  static constexpr std::align_val_t alignment{cache_line_bytes};

  STOWAGE_COLD void add_page(std::size_t page) {
    pages_[page] = static_cast<Entry*>(::operator new(page_bytes, alignment));
    ++page_count_;
    write_absent(page);
  }
  void write_absent(std::size_t page) noexcept {
    Entry* const entries = pages_[page];
    for (std::size_t i = 0; i < page_entries; ++i) entries[i] = Entries::absent(page * page_entries + i);
  }

  GrowingArray<Entry*> pages_;
  std::size_t page_count_ = 0;
};

/// One paged map per pool. Only pages without a single row cost nothing; see PagedMap.
/// Source: the paged sparse arrays of EnTT's sparse sets.
template <class EntityType, std::size_t Pools>
class PagedArrayIndex {
  using Map = PagedMap<EntityType>;
  using Entries = RowEntry<EntityType>;

 public:
  using room = DefaultRoom;

  /// See contract/lines.hpp: 8 bytes at a multiple of 8; the pointers to pages are shared, see PagedMap.
  template <std::size_t P>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return 1;
  }

  /// The row of this very entity, no_row when it has none in the pool or the handle is stale.
  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    return Entries::row_of(maps_[P].view()[entity.index()], entity);
  }

  /// The entity has no row in the pool yet. Throws std::bad_alloc; then nothing has changed.
  template <std::size_t P>
  void insert(EntityType entity, RowNumber row) {
    maps_[P].cover(entity.index(), entity.index() + std::size_t{1});
    maps_[P][entity.index()] = Entries::of(entity, row);
  }

  /// The same for many: the i-th has row `first_row` + i.
  template <std::size_t P>
  void insert(const NewEntities<EntityType>& entities, RowNumber first_row) {
    Map& map = maps_[P];
    if (!entities.consecutive) {
      for (const EntityType entity : entities.handles) map.cover(entity.index(), entity.index() + std::size_t{1});
      for (const EntityType entity : entities.handles) map[entity.index()] = Entries::of(entity, first_row++);
      return;
    }
    map.cover(entities.first_index(), entities.index_end());
    for (std::size_t done = 0; done < entities.size();) {
      const EntityIndex index = entities.handles[done].index();
      const std::size_t run = (std::min)(entities.size() - done, Map::page_entries - index % Map::page_entries);
      Entries::write_run(&map[index], entities.handles.subspan(done, run), first_row + static_cast<RowNumber>(done));
      done += run;
    }
  }

  /// Takes the index of a living entity to its row, no_row when it has none.
  class Reader {
   public:
    explicit Reader(typename Map::View map) noexcept : map_(map) {}
    [[nodiscard]] RowNumber operator()(EntityIndex index) const noexcept { return Entries::row_at(map_[index], index); }

   private:
    typename Map::View map_;
  };
  template <std::size_t P>
  [[nodiscard]] Reader reader() const noexcept {
    return Reader(maps_[P].view());
  }

  /// The row of the living entity at `index` moved.
  template <std::size_t P>
  void assign(EntityIndex index, RowNumber row) noexcept {
    maps_[P][index] = Entries::moved(maps_[P][index], index, row);
  }

  template <std::size_t P>
  void erase(EntityType entity) noexcept {
    maps_[P][entity.index()] = Entries::absent(entity.index());
  }

  /// Pages for entities with indices below `count`.
  template <std::size_t P>
  void reserve(std::size_t count) {
    maps_[P].cover(0, count);
  }

  void clear() noexcept {
    for (Map& map : maps_) map.clear();
  }

  void copy_from(const PagedArrayIndex& other) {
    for (std::size_t pool = 0; pool < Pools; ++pool) maps_[pool].copy_from(other.maps_[pool]);
  }

  [[nodiscard]] MemoryBreakdown memory(const std::array<std::size_t, Pools>& rows) const noexcept {
    MemoryBreakdown bytes;
    for (std::size_t pool = 0; pool < Pools; ++pool) bytes += maps_[pool].memory(rows[pool]);
    return bytes;
  }
  [[nodiscard]] StorageEvents events() const noexcept {
    StorageEvents events;
    for (const Map& map : maps_) events += map.events();
    return events;
  }

 private:
  std::array<Map, Pools> maps_;
};

struct PagedArrayIndexPolicy {
  template <class EntityType, std::size_t Pools>
  using index = PagedArrayIndex<EntityType, Pools>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>, class Layout = parts::ColumnsLayout,
          class Map = parts::ArrayIndexPolicy>
class IndirectionMap : public parts::PoolStorage<SchemaType, Registry, Map, Layout> {};

/// The same with one allocation per array.
template <class SchemaType, class Registry = EntityRegistry<>>
using IndirectionMapVectors = IndirectionMap<SchemaType, Registry, parts::VectorsLayout>;

/// The same with a map in pages, made when an entity whose index is in them gets a row.
template <class SchemaType, class Registry = EntityRegistry<>>
using IndirectionMapPaged = IndirectionMap<SchemaType, Registry, parts::ColumnsLayout, parts::PagedArrayIndexPolicy>;

/// The same without groups: each component has a pool and a map of its own.
template <class SchemaType, class Registry = EntityRegistry<>>
using IndirectionMapUngrouped = parts::PoolStorage<SchemaType, Registry, parts::ArrayIndexPolicy, parts::ColumnsLayout,
                                                   parts::UngroupedPlacement<SchemaType>>;

/// The same with the handles of Bitsquid's first article: 22 bits of index, 8 of generation, 1024 freed indices wait. A
/// handle has 4 bytes and a registry slot 2; each pool has a map of its own, and index 2^22 - 1 is null.
template <class SchemaType, class Registry = QueuedRegistry>
class IndirectionMapPublishedHandles : public IndirectionMap<SchemaType, Registry> {
 public:
  static constexpr SemanticsCard semantics = [] {
    SemanticsCard card = parts::packed_pool_semantics;
    card.handles_stay_stale = not_promised(
        "8 bits of generation come round: a handle can come back after 256 lives of its "
        "index, which are 262,144 destructions or more unless indices run out");
    return card;
  }();
};

static_assert(assert_storage<IndirectionMap<ProbeSchema>>());
static_assert(assert_storage<IndirectionMapVectors<ProbeSchema>>());
static_assert(assert_storage<IndirectionMapPaged<ProbeSchema>>());
static_assert(assert_storage<IndirectionMapUngrouped<ProbeSchema>>());
static_assert(assert_storage<IndirectionMapPublishedHandles<ProbeSchema>>());

}  // namespace stowage
