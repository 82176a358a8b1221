#pragma once

// indirection_map.lazy: indirection_map in which destroying ends a life and leaves the rows for later.
//
//     registry   [gen note][gen note][gen note] ...             8 bytes per index ever alive
//     map        [gen|row][gen| - ][gen|row] ...                8 bytes per index, per pool
//                      \_____
//     rows       [ A A A a A A a a A ... ]                      a: of a dead entity, until a probe meets it
//                    ^     ^   ^          collect() looks at random rows, until four in a row are of the living
//
// Who: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014): no component manager has to be told of a
//      death, and the work of ending rows is spread over frames. In the article an index that is given out again may
//      meet rows of its last life; here a note beside the generation says in which pools they are, and they are ended
//      first.
// Pick it when many entities may die in one frame, or die inside loops, and what their components hold (sounds,
// particles) may wait. Call collect() once a frame. While rows of the dead are there, loops test each row, and look-ups
// test the registry (a line more). When all are gone, loops over one pool are those of indirection_map, and look-ups
// and the rows of a join have one test of a counter more. Misses per shuffled look-up of k components of one group,
// nothing dead left, all out of cache: 1 (map) + k (columns).

#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/semantics.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/index/array.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/lazy_registry.hpp>
#include <stowage/parts/placement.hpp>
#include <stowage/parts/pool_storage.hpp>

namespace stowage {

/// Beside the contract: collect() and collect_all(), see parts/row_collection.hpp. count() and memory() are exact at
/// any time, in O(pools): the registry counts the rows that are left. These are slack, with their map entries and
/// owners.
template <class SchemaType, class Registry = EntityRegistry<>, class Layout = parts::ColumnsLayout>
class IndirectionMapLazy
    : public parts::PoolStorage<SchemaType, parts::LazyRegistry<Registry, parts::Placement<SchemaType>::pool_count>,
                                parts::ArrayIndexPolicy, Layout> {
 public:
  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert =
          not_promised("arrays move when they grow, and indices given out again end old rows"),
      .pointer_stability_on_erase =
          not_promised("remove() moves the last row into the hole; only destroy() moves nothing"),
      .creation_order = promised,
      .create_while_iterating = not_promised("growth would move the arrays under the loop"),
      .destroy_current_while_iterating = promised,
      .destroy_others_while_iterating =
          not_promised("a loop that began while nobody was dead does not look who has died since"),
      .change_components_while_iterating = not_promised("rows would move under the loop"),
      .immediate_destruction = not_promised("components of the destroyed are ended by collect()"),
      .parallel_rows = promised,
  };
};

static_assert(assert_storage<IndirectionMapLazy<ProbeSchema>>());

}  // namespace stowage
