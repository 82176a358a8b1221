#pragma once

// hash_index.node_hash: std::unordered_map takes the entity to a row; rows are packed.
//
//     registry   [gen][gen][gen] ...                            4 bytes per index ever alive
//     table      [bucket][bucket] ...  -->  node { next, index gen row } --> node { ... }   24 bytes each on the heap
//                                                              \________
//     rows       [ owner owner owner ... | A A A ... | B B B ... ]   one allocation, no holes
//
// By: Cerulean Skies (2019) calls std::unordered_map unsuitable: this is the rival of hash_index, to be measured
//      beside it. .node_hash_vectors is Wicked Engine's component manager (2019): packed components and their packed
//      entities in vectors of their own, and std::unordered_map to find them.
// Pick it when nothing but the standard library is at hand; hash_index is faster and smaller in most cases.
// Misses per shuffled lookup of k components of one group, all out of cache: 1 (bucket) + the node before the one
// looked for, to which the bucket leads, and that one itself: 1.5 together if entities were created one after the
// other, so that each node lies 32 bytes before the one that is linked before it; 2.25 in no order; + k (columns).

#include <functional>
#include <unordered_map>

#include <stowage/parts/index/container_table.hpp>
#include <stowage/parts/index/hash.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/vectors.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

namespace parts {

/// std::unordered_map: a node on the heap for every entry, and an array of pointers to them.
struct NodeMap {
  /// A bucket; key and value of a node, after its link, and the link of the node before it in the list, which is the
  /// one that was made next. The heap puts nodes of 24 bytes 32 bytes apart, at multiples of 16.
  static constexpr double lookup_lines = 1 + lines_touched({{8, 20}, {32, 40}}, 16);
  template <class Value>
  static constexpr std::size_t slot_bytes = sizeof(void*);

  template <class Key, class Value, class Allocator>
  using map = std::unordered_map<Key, Value, std::hash<Key>, std::equal_to<Key>, Allocator>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>, class Layout = parts::ColumnsLayout>
class HashIndexNode : public parts::PoolStorage<SchemaType, Registry,
                                                parts::HashIndexPolicy<parts::ContainerTable<parts::NodeMap>>, Layout> {
};

/// Each array in an allocation of its own; for its row access see PoolStorage.
template <class SchemaType, class Registry = EntityRegistry<>>
using HashIndexNodeVectors = HashIndexNode<SchemaType, Registry, parts::VectorsLayout>;

static_assert(assert_storage<HashIndexNode<ProbeSchema>>());
static_assert(assert_storage<HashIndexNodeVectors<ProbeSchema>>());

}  // namespace stowage
