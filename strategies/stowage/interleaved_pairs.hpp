#pragma once

// interleaved_pairs: the components of a group lie side by side in one struct; one map entry finds them all.
//
//     map        [gen|row][gen|row] ...                         8 bytes per index, per pool; the first is the registry
//                      \____________
//     rows       [ owner owner ... | A0 B0 C0  A1 B1 C1  A2 B2 C2 ... ]   one allocation, no holes
//
//     find<A, B>(e)    row = map[e.index] ^ e           // too large for a row unless the entry is of e
//                      return row <= last_row ? { &rows[row].A, &rows[row].B } : null
//     each<A, B>(fn)   for (row = 0; row < size; ++row) fn(rows[row].A, rows[row].B)         // one by one, no vectors
//     create(a, b)     e = the index that was freed last, or a new one, and its generation
//                      rows[size] = { a, b }; owner[size] = e.index
//                      map[e.index].row = size++
//     destroy(e)       row = map[e.index] ^ e; last = --size
//                      if (row != last) rows[row] = rows[last]; owner[row] = owner[last]; map[owner[row]].row = row
//                      map[e.index] = (e.generation + 1, the index that was freed before it)
//
// All but the place of a component in its row is that of indirection_map. The code: Interleaved
// (parts/layout/interleaved.hpp) is the rows, ArrayIndex (parts/index/array.hpp) the map, PoolStorage
// (parts/pool_storage.hpp) the operations.
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019): good where many components are
//      used together, because one line brings them all.
// Pick it when lookups by handle that read several components dominate. Loops that read one component of a wide
// group pay for the others. Components outside groups lie in pools of their own, as in indirection_map.
// Misses per shuffled lookup of components of one group, all out of cache: 1 (map) + 1 + (s - a) / 64, where what is
// read of a row spans s bytes and rows begin at all multiples of a in a line. 2.375 for all of a point mass: its rows
// of 40 bytes begin at multiples of 8, and the first to the last word of it span 32.

#include <stowage/parts/index/array.hpp>
#include <stowage/parts/layout/interleaved.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

template <class SchemaType, class Registry = EntityRegistry<>, class Index = parts::ArrayIndexPolicy>
class InterleavedPairs : public parts::PoolStorage<SchemaType, Registry, Index, parts::InterleavedLayout> {};

static_assert(assert_storage<InterleavedPairs<ProbeSchema>>());

}  // namespace stowage
