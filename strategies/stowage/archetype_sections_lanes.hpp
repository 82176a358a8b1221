#pragma once

// archetype_sections.lanes: archetype_sections in which every scalar of a component is an array of its own.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \_____________________________
//     sections   { mask, place of A, place of B, -, pitches, size, set } ...
//                                                             | row
//     data       [ owner owner ... | x x x ... | y y y ... | z z z ... | B B B ... ]   one block a section
//                                    A is { x, y, z }; B is not made of scalars
//
// Who: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014), for the arrays; Cerulean Skies, "Designing a
//      cache-friendly entity component system" (2019), for the sections.
// Pick it when loops compute on whole sets of entities: all components of a set are walked without a look-up, whether
// they were declared as a group or not, and a vector register is filled with one load. Look-ups that read a whole
// component touch a line per scalar, and a structural change moves each scalar by itself.
// Pointers, references and what a loop must not do: as indirection_map.lanes.
// Misses per shuffled look-up of a scalar of k components, all out of cache: 1.125 (metadata) + k (lanes).

#include <stowage/archetype_sections.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/sections/form.hpp>
#include <stowage/parts/sections/lanes.hpp>

namespace stowage {

namespace parts {

struct LanesForm : GrowingForm {
  template <class SchemaType>
  using layout = SectionLanes<SchemaType>;
};

}  // namespace parts

/// In a header of its own, because it needs Boost.PFR to see the scalars of a component.
template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsLanes = ArchetypeSections<SchemaType, Registry, parts::LanesForm>;

static_assert(assert_storage<ArchetypeSectionsLanes<ProbeSchema>>());

}  // namespace stowage
