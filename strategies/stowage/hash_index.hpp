#pragma once

// hash_index: a hash map takes the entity to a row; rows are packed.
//
//     registry   [gen][gen][gen] ...                            4 bytes per index ever alive
//     table      groups of 15 [ tags ] [index gen row][index gen row] ...   12 bytes a slot, 7/8 full at most
//                                               \________
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]   one allocation, no holes
//
// By: Bitsquid, part 2 (2014): "a better approach in most cases" than an array, because only entities that have the
//      component pay. Cerulean Skies (2019): key and value together in one flat array, here boost::unordered_flat_map.
//      .fixed_capacity is Nomad's: all room of a pool is made with its first row (65,535 rows, more where more are
//      reserved), rows are numbered from 1 so that 0 is none, and a full pool is CapacityExhausted.
// Pick it when few entities have the component and bytes matter more than lookup time; .fixed_capacity when creation
// must never move a row nor rehash. For the same on std::unordered_map see hash_index_node.hpp.
// Misses per shuffled lookup of k components of one group, all out of cache: 1 (tags) + 1.125 (slot: 2 of the 16
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

/// boost::unordered_flat_map: keys and values side by side in one array.
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

/// The flat table with all its room from the first row on, like the rows.
struct FixedCapacityPolicy : FlatHashPolicy {
  using entry = HashEntryFromOne;
  using room = FixedRoom<65'535>;

  template <class EntityType, std::size_t Pools>
  using index = HashIndex<EntityType, Pools, FixedCapacityPolicy>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
class HashIndex : public parts::PoolStorage<SchemaType, Registry, parts::FlatHashPolicy, parts::ColumnsLayout> {
 public:
  static constexpr SemanticsCard semantics = parts::packed_pool_semantics;
};

/// Boost's table rebuilds itself at the same size once removals have left it too few free slots; see room.hpp for what
/// happens to rows.
template <class SchemaType, class Registry = EntityRegistry<>>
class HashIndexFixedCapacity
    : public parts::PoolStorage<SchemaType, Registry, parts::FixedCapacityPolicy, parts::ColumnsLayout> {
 public:
  static constexpr SemanticsCard semantics = [] {
    SemanticsCard card = parts::packed_pool_semantics;
    card.pointer_stability_on_insert =
        not_promised("completing a group of another entity leaves a hole behind, into which the last row moves");
    card.create_while_iterating = not_promised("refused, as by every storage on packed pools");
    card.growth = not_promised("a pool that is full says so; only reserve() gives it more room");
    return card;
  }();
};

static_assert(assert_storage<HashIndex<ProbeSchema>>());
static_assert(assert_storage<HashIndexFixedCapacity<ProbeSchema>>());

}  // namespace stowage
