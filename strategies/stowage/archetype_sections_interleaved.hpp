#pragma once

// archetype_sections.interleaved: one growing section per set, in which all components of a row lie side by side.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \____________________________
//     sections   { mask, place of A, place of B, -, stride, size, set } ...
//                                                            | row
//     data       [ owner owner ... | A0 B0  A1 B1  A2 B2 ... ]   one block a section
//
// Who: Cerulean Skies, "Designing a cache-friendly entity component system" (2019): a section interleaves whatever its
//      entities have, "on the assumption that if you access one, you probably want to access more than one".
// Pick it when look-ups by handle read several components, in sets that nobody declared as groups. Loops that read
// little of wide rows pay for all of them, and no loop is vectorised.
// Misses per shuffled look-up of components of one row, all out of cache: 1.125 (metadata) + 1 + (s - a) / 64, where
// what is read of the row spans s bytes and rows begin at all multiples of a in a line. 2.5 for all of a point mass.

#include <stowage/archetype_sections.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/sections/form.hpp>
#include <stowage/parts/sections/interleaved.hpp>

namespace stowage {

namespace parts {

struct InterleavedForm : GrowingForm {
  template <class SchemaType>
  using layout = SectionInterleaved<SchemaType>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsInterleaved = ArchetypeSections<SchemaType, Registry, parts::InterleavedForm>;

static_assert(assert_storage<ArchetypeSectionsInterleaved<ProbeSchema>>());

}  // namespace stowage
