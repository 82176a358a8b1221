#pragma once

// hash_index: an open-addressing hash table takes the entity to a row; rows are packed.
//
//     registry   [gen][gen][gen] ...                            4 bytes per index ever alive
//     table      [ - ][index gen row][index gen row][ - ] ...   12 bytes a slot, 3/4 full at most
//                                \_______________
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]   one allocation, no holes
//
// By: Bitsquid, part 2 (2014): "in most cases" a better approach than an array, because only entities that have the
//      component pay. Cerulean Skies (2019): open addressing, "stores the key and value together in a flat array".
//      The base form's hash keeps consecutive indices from colliding. .linear is the same table with a hash that mixes
//      all bits, so that the order of indices does not matter. .linear_identity takes the index itself as the hash.
//      .fixed_capacity is Nomad's: a pool allocates all its room with its first row (`Capacity` rows, or more if more
//      were reserved). A full pool throws CapacityExhausted. Nomad's component 0 is none: so is 0 in the table, but
//      no room is left for it in the rows, because only the table's numbers begin with 1.
// Pick it when few entities have the component and bytes matter more than lookup time. Pick .fixed_capacity if
// creation must never move a row or rehash. Other tables: hash_index_list_in_array.hpp, _flat_map.hpp and _node.hpp.
// Misses per lookup of k components of one group in random order, with cold caches: 1.125 (slot: 12 bytes straddle two
// lines at 2 of 16 offsets) + k (columns). .linear adds 0.09: in a half full table a search passes half a slot on
// average.

#include <stowage/parts/index/hash.hpp>
#include <stowage/parts/index/linear_table.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

template <class SchemaType, class Registry = EntityRegistry<>, class Hash = parts::FibonacciHash>
class HashIndex : public parts::PoolStorage<SchemaType, Registry, parts::HashIndexPolicy<parts::LinearTable<Hash>>,
                                            parts::ColumnsLayout> {};

template <class SchemaType, class Registry = EntityRegistry<>>
using HashIndexLinear = HashIndex<SchemaType, Registry, parts::MixedHash>;

/// The fastest if indices are dense and in one run. If two runs are a multiple of the slot count apart, such as the
/// first 8k indices of every 32k, a lookup passes thousands of slots: see IdentityHash.
template <class SchemaType, class Registry = EntityRegistry<>>
using HashIndexLinearIdentity = HashIndex<SchemaType, Registry, parts::IdentityHash>;

/// Rows get their room as room.hpp describes. The table, too, gets all its room with the first row, and is never
/// rebuilt.
template <class SchemaType, class Registry = EntityRegistry<>, std::size_t Capacity = 65'535>
class HashIndexFixedCapacity
    : public parts::PoolStorage<
          SchemaType, Registry,
          parts::HashIndexPolicy<parts::LinearTable<parts::FibonacciHash>, parts::FixedRoom<Capacity>>,
          parts::ColumnsLayout> {
 public:
  static constexpr SemanticsCard semantics = [] {
    SemanticsCard card = parts::packed_pool_semantics;
    card.pointer_stability_on_insert =
        not_promised("completing a group of another entity leaves a hole behind, into which the last row moves");
    card.create_while_iterating = not_promised("refused, as by every storage on packed pools");
    card.growth = not_promised("a full pool throws CapacityExhausted; only reserve() gives it more room");
    return card;
  }();
};

static_assert(assert_storage<HashIndex<ProbeSchema>>());
static_assert(assert_storage<HashIndexLinear<ProbeSchema>>());
static_assert(assert_storage<HashIndexLinearIdentity<ProbeSchema>>());
static_assert(assert_storage<HashIndexFixedCapacity<ProbeSchema>>());

}  // namespace stowage
