#pragma once

// archetype_sections.mixed: in one growing section per set, groups lie side by side and everything else in columns.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \____________________________
//     sections   { mask, place of G, place of H, place of A, strides, size, set } ...
//                                                            | row
//     data       [ owner owner ... | G0 H0  G1 H1  G2 H2 ... | A A A ... ]   Schema<Group<G, H>, A>, a block a section
//
// Who: Cerulean Skies, "Designing a cache-friendly entity component system" (2019), in reply to comments: "a mixture of
//      interleaved and non-interleaved data is best, depending on the systems that will operate on that data".
// Pick it when some components are always used together, by look-ups, and others are walked alone by loops that want
// vectors: the schema's groups say which. A set that lacks part of a group has the rest of it in columns.
// Misses per shuffled look-up, all out of cache: 1.125 (metadata) + 1 for each component of no group + for each group 1
// and (s - a) / 64, as in archetype_sections.interleaved.

#include <stowage/archetype_sections.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/sections/form.hpp>
#include <stowage/parts/sections/mixed.hpp>

namespace stowage {

namespace parts {

struct MixedForm : GrowingForm {
  template <class SchemaType>
  using layout = SectionMixture<SchemaType>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsMixed = ArchetypeSections<SchemaType, Registry, parts::MixedForm>;

static_assert(assert_storage<ArchetypeSectionsMixed<ProbeSchema>>());

}  // namespace stowage
