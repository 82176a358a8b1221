#pragma once

// indirection_map.lanes: indirection_map in which every scalar of a component is an array of its own.
//
//     map        [gen|row][gen|row] ...                         8 bytes per index, per pool; the first is the registry
//                      \____
//     rows       [ owner owner ... | x x x ... | y y y ... | z z z ... | B B B ... ]   one allocation, no holes
//                                    A is { x, y, z }; B is not made of scalars
//
// find, each, create and destroy are those of indirection_map, with a lane in the place of a column:
//
//     find<A>(e)       row = map[e.index] ^ e; a pointer to the x of the row, which knows how far y and z are
//     each<A>(fn)      for (row ...) { a = { x[row], y[row], z[row] }; fn(a); put a back into x, y and z }
//
// By: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014): x[], y[], z[] for more efficient SIMD.
// Pick it when loops compute on many entities and read some fields of each, or treat x, y and z differently: a vector
// register is filled with one load, without shuffling. Lookups that read a whole component touch a line per scalar.
// find() gives a pointer that stands for the component (find<A>(e)->x, *p = a), and each() hands a component out as a
// `A&` that is written back when the function has returned. While the loop runs, no row of it may be reached in another
// way.
// Misses per shuffled lookup of a scalar of k components of one group, all out of cache: 1 (map) + k (lanes).

#include <stowage/indirection_map.hpp>
#include <stowage/parts/layout/lanes.hpp>

namespace stowage {

template <class SchemaType, class Registry = EntityRegistry<>>
using IndirectionMapLanes = IndirectionMap<SchemaType, Registry, parts::LanesLayout>;

static_assert(assert_storage<IndirectionMapLanes<ProbeSchema>>());

}  // namespace stowage
