#pragma once

// hash_index: an open-addressing hash map takes the entity to a row; rows are packed.
//
//     registry   [gen][gen][gen] ...                            4 bytes per index ever alive
//     table      groups of 15 [ tags ] [index gen row][index gen row] ...   12 bytes a slot, 7/8 full at most
//                                               \________
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]   one allocation, no holes
//
// Who: Bitsquid, part 2 (2014): "a better approach in most cases" than an array, because only entities that have the
//      component pay. Cerulean Skies (2019): key and value together in one flat array; std::unordered_map is
//      unsuitable. On boost::unordered_flat_map, which is that.
// Pick it when few entities have the component and bytes matter more than look-up time.
// Misses per shuffled look-up of k components of one group, all out of cache: 1 (tags) + 1.125 (slot: 2 of the 16
// places that 12 bytes can have in a line straddle its end) + k (columns).

#include <cstddef>
#include <functional>

#include <boost/unordered/unordered_flat_map.hpp>

#include <stowage/contract/lines.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/index/hash.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/packed_semantics.hpp>
#include <stowage/parts/pool_storage.hpp>
#include <stowage/parts/room.hpp>

namespace stowage {

namespace parts {

struct FlatHashPolicy {
  using entry = HashEntry;
  using room = DefaultRoom;
  /// The tags of a group, 16 bytes at a multiple of 16, and a slot of 12 bytes.
  static constexpr double lookup_lines = 1 + lines_touched({{0, 12}}, 12);
  template <class Value>
  static constexpr std::size_t slot_bytes = sizeof(Value);

  template <class Key, class Value, class Allocator>
  using table = boost::unordered_flat_map<Key, Value, boost::hash<Key>, std::equal_to<Key>, Allocator>;
  template <class EntityType, std::size_t Pools>
  using index = HashIndex<EntityType, Pools, FlatHashPolicy>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>, class Layout = parts::ColumnsLayout>
class HashIndex : public parts::PoolStorage<SchemaType, Registry, parts::FlatHashPolicy, Layout> {
 public:
  static constexpr SemanticsCard semantics = parts::packed_pool_semantics;
};

static_assert(assert_storage<HashIndex<ProbeSchema>>());

}  // namespace stowage
