#pragma once

// archetype_sections.fixed_32k_free_list: sections of 32 KiB in which rows never move: who goes leaves a hole.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \_________________________
//     sections   { columns, size, head, first hole, set } ...
//                      |                        row
//     block      [ owner next owner ... | A - A A ... | B - B B ... | 1011... ]   32 KiB; a bit per row in use
//
// Who: Cerulean Skies, "Designing a cache-friendly entity component system" (2019), as published: a head and a free
//      list in each section, a new section when all are full. The list goes through the owners of the holes, and bits
//      let loops walk the rows between holes as vectors.
// Pick it when pointers to components must survive while other entities come, go and change, or when systems create
// and destroy inside their loops. Loops pay for holes until newcomers fill them or defragment() closes them.
// Misses per shuffled look-up: as archetype_sections.fixed_32k; look-ups do not read the bits.

#include <cstddef>

#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/section_storage.hpp>
#include <stowage/parts/sections/form.hpp>
#include <stowage/parts/sections/rows_with_holes.hpp>

namespace stowage {

namespace parts {

template <std::size_t Bytes>
struct FreeListForm : FixedForm<Bytes> {
  using rows = RowsWithHoles;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>, class Form = parts::FreeListForm<std::size_t{32} * 1024>>
class ArchetypeSectionsFreeList : public parts::SectionStorage<SchemaType, Registry, Form> {
 public:
  static constexpr SemanticsCard semantics{
      .pointer_stability_on_insert = promised,
      .pointer_stability_on_erase = promised,
      .creation_order = promised,
      .create_while_iterating = promised,
      .destroy_current_while_iterating = promised,
      .destroy_others_while_iterating = not_promised("a run of rows is fixed before it is walked, so one destroyed "
                                                     "ahead in it would still be visited"),
      .change_components_while_iterating = not_promised("the entity would move to a section that may still be visited"),
      .immediate_destruction = promised,
      .parallel_rows = promised,
  };
};

static_assert(assert_storage<ArchetypeSectionsFreeList<ProbeSchema>>());

}  // namespace stowage
