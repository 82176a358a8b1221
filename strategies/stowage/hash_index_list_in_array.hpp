#pragma once

// hash_index.list_in_array: Bitsquid's own hash takes the entity to a row; rows are packed.
//
//     registry   [gen][gen][gen] ...                            4 bytes per index ever alive
//     buckets    [first][  -  ][first] ...                      4 bytes a bucket, index % buckets; 7/10 full at most
//                   \________
//     entries    [index gen next row][index gen next row] ...   16 bytes an entity, packed, chained by position
//                                  \________
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]   one allocation, no holes
//
// By: the `Hash` of Bitsquid's foundation library (2012), a "list-in-an-array"; what `HashMap<Entity, unsigned>` in
//      part 2 of their articles (2014) would have been.
// Pick it to see what the article's author had at hand; hash_index reads one array where this reads two.
// Misses per shuffled lookup of k components of one group, all out of cache: 1 (bucket) + 1 (entry) + k (columns);
// indices that follow each other share no bucket.

#include <stowage/parts/index/hash.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

namespace parts {

/// See above. Removal moves the last entry into the hole, so entries stay packed.
class ListInArray {
 public:
  static constexpr double lookup_lines = 2;

  ListInArray() = default;
  ListInArray(const ListInArray&) = delete;
  ListInArray& operator=(const ListInArray&) = delete;

  template <class EntityType>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    const std::uint32_t at = *link_to(entity.index());
    return at != none && entries_[at].generation == entity.generation() ? entries_[at].row : no_row;
  }
  [[nodiscard]] RowNumber row_at(EntityIndex index) const noexcept {
    const std::uint32_t at = *link_to(index);
    return at != none ? entries_[at].row : no_row;
  }

  /// The entity is not in the table. Amortised O(1). Throws std::bad_alloc; then nothing has changed.
  template <class EntityType>
  void insert(EntityType entity, RowNumber row) {
    if (size() == limit_) [[unlikely]]
      rebuild(size() * 2 + 10);
    entries_.append({entity.index(), entity.generation(), none, row});
    *link_to(entity.index()) = static_cast<std::uint32_t>(size() - 1);
  }
  /// The row of an entity that is in the table.
  void assign(EntityIndex index, RowNumber row) noexcept { entries_[*link_to(index)].row = row; }

  /// find(), and the entity is no longer in the table.
  template <class EntityType>
  [[nodiscard]] RowNumber take(EntityType entity) noexcept {
    std::uint32_t* const link = link_to(entity.index());
    const std::uint32_t at = *link;
    if (at == none || entries_[at].generation != entity.generation()) return no_row;
    const RowNumber row = entries_[at].row;
    *link = entries_[at].next;
    const std::size_t last = size() - 1;
    if (at != last) {
      *link_to(entries_[last].index) = at;
      entries_[at] = entries_[last];
    }
    entries_.shrink(last);
    return row;
  }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool has_room(std::size_t count) const noexcept {
    return count <= limit_ && count <= entries_.capacity();
  }
  /// Room for `count` entities in all. Throws like insert().
  void reserve(std::size_t count) {
    entries_.reserve(count);
    if (count > limit_) rebuild(count + count / 7 * 3 + 4);
  }
  void clear() noexcept {
    if (size() != 0) std::fill_n(buckets_.data(), buckets_.size(), none);
    entries_.clear();
  }

  /// Throws std::bad_alloc; then nothing has changed.
  void copy_from(const ListInArray& other) {
    if (other.buckets_.size() == 0) return clear();
    entries_.reserve(other.size());
    if (limit_ > other.limit_) {  // room is kept
      clear();
      entries_.copy_from(other.entries_);
      return link_all();
    }
    buckets_.copy_from(other.buckets_);
    entries_.copy_from(other.entries_);
    first_ = buckets_.data();
    bucket_count_ = other.bucket_count_;
    limit_ = other.limit_;
  }

  /// Entries, and a bucket for each, are index; all other buckets and entries are slack.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t used = size() * (sizeof(Entry) + sizeof(std::uint32_t));
    return memory_of(used, entries_, buckets_);
  }
  [[nodiscard]] StorageEvents events() const noexcept { return {.growths = entries_.growths(), .rehashes = rehashes_}; }

 private:
  static constexpr std::uint32_t none = no_row;  ///< the end of a chain

  struct Entry {
    EntityIndex index;
    std::uint32_t generation;
    std::uint32_t next;
    RowNumber row;
  };

  [[nodiscard]] const std::uint32_t* link_to(EntityIndex index) const noexcept {
    const std::uint32_t* link = first_ + index % bucket_count_;
    while (*link != none && entries_[*link].index != index) link = &entries_[*link].next;
    return link;
  }
  /// What leads to the entry of the index, or to none: a bucket or the link of another entry.
  [[nodiscard]] std::uint32_t* link_to(EntityIndex index) noexcept {
    return const_cast<std::uint32_t*>(std::as_const(*this).link_to(index));
  }

  STOWAGE_COLD void rebuild(std::size_t buckets) {
    GrowingArray<std::uint32_t> more;
    more.reserve(buckets);
    more.extend(buckets, none);
    rehashes_ += buckets_.size() != 0 ? 1U : 0U;
    buckets_ = std::move(more);
    first_ = buckets_.data();
    bucket_count_ = static_cast<std::uint32_t>(buckets);
    limit_ = buckets * 7 / 10;
    link_all();
  }
  /// Into buckets without entries.
  void link_all() noexcept {
    for (std::uint32_t at = 0; at < size(); ++at) {
      entries_[at].next = std::exchange(buckets_[entries_[at].index % bucket_count_], at);
    }
  }

  static constexpr std::uint32_t no_bucket_ = none;  ///< what a table without buckets searches

  GrowingArray<Entry> entries_;
  GrowingArray<std::uint32_t> buckets_;
  const std::uint32_t* first_ = &no_bucket_;
  std::uint32_t bucket_count_ = 1;
  std::size_t limit_ = 0;  ///< entities that the buckets are for
  std::uint64_t rehashes_ = 0;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
class HashIndexListInArray : public parts::PoolStorage<SchemaType, Registry, parts::HashIndexPolicy<parts::ListInArray>,
                                                       parts::ColumnsLayout> {};

static_assert(assert_storage<HashIndexListInArray<ProbeSchema>>());

}  // namespace stowage
