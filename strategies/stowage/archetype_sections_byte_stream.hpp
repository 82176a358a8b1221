#pragma once

// archetype_sections.byte_stream: an entity's row is a stream of bytes that says itself what is in it.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \____________________
//     sections   { rows, stride, number of components, size, set } ...
//                    | row
//     data       [ owner owner ... | {A 4 12} A pad {B 4 12} B pad | {A 4 12} A pad {B 4 12} B pad | ... ]
//
// Who: Cerulean Skies, "Designing a cache-friendly entity component system" (2019): 5 bytes of component id, 1 of
//      alignment, 2 of length, the component, padded to 8. A look-up walks until it has all it wants, in one pass.
// Pick it when what components are is known only when the program runs, or when rows go to disk or network as they are.
// Otherwise archetype_sections.interleaved is the same without 8 bytes and a step for each component.
// Misses per shuffled look-up, all out of cache: 1.125 (metadata) + the lines of the stream up to the last component
// that is wanted: 2.5 for the second of a point mass, 3.25 for all four, because 88 bytes span two lines.

#include <stowage/archetype_sections.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/sections/byte_stream.hpp>
#include <stowage/parts/sections/form.hpp>

namespace stowage {

namespace parts {

struct ByteStreamForm : GrowingForm {
  template <class SchemaType>
  using layout = SectionStreams<SchemaType>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsByteStream = ArchetypeSections<SchemaType, Registry, parts::ByteStreamForm>;

static_assert(assert_storage<ArchetypeSectionsByteStream<ProbeSchema>>());

}  // namespace stowage
