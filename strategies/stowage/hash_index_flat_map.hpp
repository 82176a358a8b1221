#pragma once

// hash_index.flat_map: Boost's flat map takes the entity to a row; rows are packed.
//
//     registry   [gen][gen][gen] ...                            4 bytes per index ever alive
//     table      groups of 15 [ tags ] [index gen row][index gen row] ...   12 bytes a slot, 7/8 full at most
//                                               \________
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]   one allocation, no holes
//
// By: boost::unordered_flat_map (Joaquín M. López Muñoz, 2022), a modern open-addressing map: an array of one-byte
//      tags that SIMD compares 15 at a time stands before the slots. Cerulean Skies (2019) has no such array: see
//      hash_index.
// Pick it when tables are nearly full or indices are in no order: a lookup reads one group of tags, however full.
// Misses per shuffled lookup of k components of one group, all out of cache: 1 (tags) + 1.125 (slot: 2 of the 16
// places that 12 bytes can have in a line straddle its end) + k (columns).

#include <functional>

#include <boost/unordered/unordered_flat_map.hpp>

#include <stowage/parts/index/container_table.hpp>
#include <stowage/parts/index/hash.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

namespace parts {

/// boost::unordered_flat_map: keys and values side by side in one array, and an array of tags.
struct FlatMap {
  /// The tags of a group, 16 bytes at a multiple of 16, and a slot of 12 bytes.
  static constexpr double lookup_lines = 1 + lines_touched({{0, 12}}, 12);
  template <class Value>
  static constexpr std::size_t slot_bytes = sizeof(Value);

  template <class Key, class Value, class Allocator>
  using map = boost::unordered_flat_map<Key, Value, boost::hash<Key>, std::equal_to<Key>, Allocator>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
class HashIndexFlatMap
    : public parts::PoolStorage<SchemaType, Registry, parts::HashIndexPolicy<parts::ContainerTable<parts::FlatMap>>,
                                parts::ColumnsLayout> {};

static_assert(assert_storage<HashIndexFlatMap<ProbeSchema>>());

}  // namespace stowage
