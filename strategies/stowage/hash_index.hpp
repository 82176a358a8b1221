#pragma once

// hash_index: an open-addressing hash table takes the entity to a row; rows are packed.
//
//     registry   [gen][gen][gen] ...                            4 bytes per index ever alive
//     table      [ - ][index gen row][index gen row][ - ] ...   12 bytes a slot, 3/4 full at most
//                                \_______________
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]   one allocation, no holes
//
// By: Bitsquid, part 2 (2014): "a better approach in most cases" than an array, because only entities that have the
//      component pay. Cerulean Skies (2019): open addressing, "stores the key and value together in a flat array".
//      The base form hashes so that indices which follow each other do not meet. .linear is the same table with a hash
//      that leaves nothing to the order of indices, .linear_identity with none. .fixed_capacity is Nomad's: all room of
//      a pool is made with its first row (65,535 rows, more where more are reserved), and a full pool is
//      CapacityExhausted.
// Pick it when few entities have the component and bytes matter more than lookup time; .fixed_capacity when creation
// must never move a row nor rehash. For other tables see hash_index_list_in_array.hpp, _flat_map.hpp and _node.hpp.
// Misses per shuffled lookup of k components of one group, all out of cache: 1.125 (slot: 2 of the 16 places that 12
// bytes can have in a line straddle its end) + k (columns). With .linear 0.09 more, for half a slot that is passed on
// the way in a half full table.

#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/index/hash.hpp>
#include <stowage/parts/index/linear_table.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/packed_semantics.hpp>
#include <stowage/parts/pool_storage.hpp>
#include <stowage/parts/room.hpp>

namespace stowage {

template <class SchemaType, class Registry = EntityRegistry<>, class Hash = parts::FibonacciHash>
class HashIndex : public parts::PoolStorage<SchemaType, Registry, parts::HashIndexPolicy<parts::LinearTable<Hash>>,
                                            parts::ColumnsLayout> {
 public:
  static constexpr SemanticsCard semantics = parts::packed_pool_semantics;
};

template <class SchemaType, class Registry = EntityRegistry<>>
using HashIndexLinear = HashIndex<SchemaType, Registry, parts::MixedHash>;

/// The fastest if indices are dense and in one run. Two runs of indices a multiple of the slots apart, such as 8k
/// entities of every 32k, turn look-ups into walks past thousands of slots: see IdentityHash.
template <class SchemaType, class Registry = EntityRegistry<>>
using HashIndexLinearIdentity = HashIndex<SchemaType, Registry, parts::IdentityHash>;

/// See room.hpp for what happens to rows. The table has all its room from the first row on, like them, and is never
/// built anew.
template <class SchemaType, class Registry = EntityRegistry<>>
class HashIndexFixedCapacity
    : public parts::PoolStorage<
          SchemaType, Registry,
          parts::HashIndexPolicy<parts::LinearTable<parts::FibonacciHash>, parts::FixedRoom<65'535>>,
          parts::ColumnsLayout> {
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
static_assert(assert_storage<HashIndexLinear<ProbeSchema>>());
static_assert(assert_storage<HashIndexLinearIdentity<ProbeSchema>>());
static_assert(assert_storage<HashIndexFixedCapacity<ProbeSchema>>());

}  // namespace stowage
