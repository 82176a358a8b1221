#pragma once

// indirection_map: an array takes the entity's index to a row; rows are packed.
//
//     registry   [gen][gen][gen][gen][gen]                      4 bytes per index ever alive
//     map        [gen|row][gen| - ][gen|row] ...                8 bytes per index, per pool
//                      \__________________
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]   one allocation, no holes
//
//     .paged     [ptr][nil][ptr] --> [gen|row][gen| - ] ...     the map in pages of 4096 entries
//
// Who: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014), which would use it only for components that
//      are nearly universal and whose look-ups are critical. The sparse set of EnTT and others is the same idea.
// Pick it when look-ups by handle and dense iteration both matter and 8 bytes per entity and pool are affordable.
//      .paged where components are rare and their owners lie together: 4096 indices without a row cost 8 bytes.
// Misses per shuffled look-up of k components of one group, all out of cache: 1 (map) + k (columns). lookup_lines() has
// it as a constant, here as in every strategy; a list of handles that is walked adds the 1/8 line of a handle.

#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/index/array.hpp>
#include <stowage/parts/index/paged_array.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/vectors.hpp>
#include <stowage/parts/packed_semantics.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

template <class SchemaType, class Registry = EntityRegistry<>, class Layout = parts::ColumnsLayout,
          class Map = parts::ArrayIndexPolicy>
class IndirectionMap : public parts::PoolStorage<SchemaType, Registry, Map, Layout> {
 public:
  static constexpr SemanticsCard semantics = parts::packed_pool_semantics;
};

/// The same with one allocation per array.
template <class SchemaType, class Registry = EntityRegistry<>>
using IndirectionMapVectors = IndirectionMap<SchemaType, Registry, parts::VectorsLayout>;

/// The same with a map in pages, made when an entity whose index is in them gets a row.
template <class SchemaType, class Registry = EntityRegistry<>>
using IndirectionMapPaged = IndirectionMap<SchemaType, Registry, parts::ColumnsLayout, parts::PagedArrayIndexPolicy>;

static_assert(assert_storage<IndirectionMap<ProbeSchema>>());
static_assert(assert_storage<IndirectionMapVectors<ProbeSchema>>());
static_assert(assert_storage<IndirectionMapPaged<ProbeSchema>>());

}  // namespace stowage
