#pragma once

// offset_table: one record per entity has its row in every pool; rows are packed.
//
//     registry   [gen][gen][gen] ...                            4 bytes per index ever alive
//     records    [gen|AB  A  B  C ][gen|AB  A  B  C ] ...       one row number per pool, 2 or 4 bytes each
//                      \____       \____________________
//     rows       [ owner owner ... | A A A ... | B B B ... ]   [ owner owner ... | C C C ... ]   no holes
//
//     find<A, B>(e)    record = records[e.index]
//                      if (record.generation != e.generation) return null
//                      row = record.rows[pool of <A, B>]
//                      return row != none ? { &A[row], &B[row] } : null
//     each<A, B>(fn)   for (row = 0; row < size; ++row) fn(A[row], B[row])
//     create(a, b)     e = registry.create()
//                      A[size] = a; B[size] = b; owner[size] = e.index
//                      records[e.index] = { e.generation, row in this pool: size++ }
//     destroy(e)       in each pool: row = record.rows[pool]; record.rows[pool] = none; last = --size
//                      if (row != last) A[row] = A[last]; B[row] = B[last]; owner[row] = owner[last]
//                                       records[owner[row]].rows[pool] = row
//                      registry.destroy(e)
//
// This is for a group <A, B>. If A and B are in several pools, find reads a number of the record for each, and each
// walks the rows of the rarer one and looks the other up by its owner. The code: OffsetTableIndex below is the records,
// PoolStorage (parts/pool_storage.hpp) the operations.
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019): an array of 16-bit offsets, one for
//      every possible component, in each entity's record. Plain offset_table has 32 bits, offset_table.16bit is as
//      published: the 65,536th row of one pool is RowsExhausted.
// Pick it when an entity has most of few components and single components of it are looked up one after the other: they
// share the record's line. With many component types the records are mostly holes.
// Misses per shuffled lookup of k components of one group, all out of cache: 1 (record) + k (columns), where
// generation and number lie in one line. They do for the first group of a schema, whose number is next to the
// generation. Numbers further in are up to a quarter of a line away (5 pools, 32 bits: records of 24 bytes, the last
// number is in the next line for two of eight). Records padded to a power of two would spare that and hold a third more
// bytes: the figures of lookup_lines() decided against it.

#include <limits>

#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

namespace parts {

/// One array of records, indexed by entity: the generation of the entity that had a row last, and `Offset` numbers for
/// rows, the highest of which says that there is none. An entity that ends has lost every row before, so a record that
/// is still of an earlier generation has no rows.
template <class EntityType, std::size_t Pools, class Offset>
class OffsetTableIndex {
  static constexpr Offset none = (std::numeric_limits<Offset>::max)();

  struct Record {
    typename EntityType::generation_type generation;
    std::array<Offset, Pools> offsets;
  };
  static constexpr Record no_rows = [] {
    Record record{};
    record.offsets.fill(none);
    return record;
  }();

 public:
  /// Row numbers end one before `none`.
  using room = GrowingRoom<(none < most_rows ? std::size_t{none} : most_rows)>;

  template <std::size_t P>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    constexpr std::size_t place = offsetof(Record, offsets) + P * sizeof(Offset);
    return lines_touched({{0, sizeof(Record::generation)}, {place, place + sizeof(Offset)}}, sizeof(Record));
  }

  /// The row of this very entity, no_row when it has none in the pool or the handle is stale.
  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    const Record* const records = records_.data();  // read before the test, so that a loop keeps it in a register
    if (entity.index() >= records_.size()) return no_row;
    const Record& record = records[entity.index()];
    return record.generation == entity.generation() ? widened(record.offsets[P]) : no_row;
  }

  /// The entity has no row in the pool yet. Amortised O(1). Throws std::bad_alloc; then nothing has changed.
  template <std::size_t P>
  void insert(EntityType entity, RowNumber row) {
    records_.extend(entity.index() + std::size_t{1}, no_rows);
    write<P>(entity, row);
  }
  /// The same for many: the i-th has row `first_row` + i.
  template <std::size_t P>
  void insert(const NewEntities<EntityType>& entities, RowNumber first_row) {
    records_.extend(entities.index_end(), no_rows);
    for (const EntityType entity : entities.handles) write<P>(entity, first_row++);
  }

  /// Takes the index of a living entity to its row, no_row when it has none.
  template <std::size_t P>
  class Reader {
   public:
    explicit Reader(const GrowingArray<Record>& records) noexcept : records_(records.data()), size_(records.size()) {}
    [[nodiscard]] RowNumber operator()(EntityIndex index) const noexcept {
      return index < size_ ? widened(records_[index].offsets[P]) : no_row;
    }

   private:
    const Record* records_;
    std::size_t size_;
  };
  template <std::size_t P>
  [[nodiscard]] Reader<P> reader() const noexcept {
    return Reader<P>(records_);
  }

  /// The row of the living entity at `index` moved.
  template <std::size_t P>
  void assign(EntityIndex index, RowNumber row) noexcept {
    records_[index].offsets[P] = static_cast<Offset>(row);
  }
  template <std::size_t P>
  void erase(EntityType entity) noexcept {
    records_[entity.index()].offsets[P] = none;
  }

  /// Room for entities with indices below `count`.
  template <std::size_t P>
  void reserve(std::size_t count) {
    records_.reserve(count);
  }
  void clear() noexcept { records_.clear(); }
  void copy_from(const OffsetTableIndex& other) { records_.copy_from(other.records_); }

  /// Generations, and numbers that say a row, are index; numbers that say `none`, gaps and capacity are slack.
  [[nodiscard]] MemoryBreakdown memory(const std::array<std::size_t, Pools>& rows) const noexcept {
    std::size_t used = records_.size() * sizeof(Record::generation);
    for (const std::size_t count : rows) used += count * sizeof(Offset);
    return memory_of(used, records_);
  }
  [[nodiscard]] StorageEvents events() const noexcept { return {.growths = records_.growths()}; }

 private:
  [[nodiscard]] static constexpr RowNumber widened(Offset offset) noexcept {
    if constexpr (sizeof(Offset) == sizeof(RowNumber)) {
      return offset;
    } else {
      return offset != none ? offset : no_row;
    }
  }

  template <std::size_t P>
  void write(EntityType entity, RowNumber row) noexcept {
    STOWAGE_ASSERT(row < room::most_rows, "a pool has no more rows than its index can number");
    Record& record = records_[entity.index()];
    record.generation = entity.generation();
    record.offsets[P] = static_cast<Offset>(row);
  }

  GrowingArray<Record> records_;
};

template <class Offset>
struct OffsetTablePolicy {
  template <class EntityType, std::size_t Pools>
  using index = OffsetTableIndex<EntityType, Pools, Offset>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>, class Offset = std::uint32_t>
class OffsetTable
    : public parts::PoolStorage<SchemaType, Registry, parts::OffsetTablePolicy<Offset>, parts::ColumnsLayout> {};

/// As published: 65,535 rows of a component at most.
template <class SchemaType, class Registry = EntityRegistry<>>
using OffsetTable16 = OffsetTable<SchemaType, Registry, std::uint16_t>;

static_assert(assert_storage<OffsetTable<ProbeSchema>>());
static_assert(assert_storage<OffsetTable16<ProbeSchema>>());

}  // namespace stowage
