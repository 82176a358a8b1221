#pragma once

// archetype_sections.published: the last form of the article, with all of its choices together.
//
//     registry   [section row gen][section row gen] ...         4 bytes of metadata and a generation per index
//                      |   \___________________________
//     sections   { rows, stride, number of components, size, head, first hole, set } ...
//                    | row
//     block      [ owner next owner ... | 1011... | {A 4 12} A pad {B 4 12} B pad | - | {A 4 12} A pad ... ]   32 KiB
//
//     find<A, B>(e)    that of .byte_stream: walk the stream of the row until both are found
//     each<A, B>(fn)   find both in row 0 of each section with A and B; then that of .fixed_32k_free_list: bits skip
//     holes create(a, b)     section = the first of the set with room, or a new one; row = its first hole, else head++
//     destroy(e)       end the components of the row, which is a hole now: no other row moves
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019). The contract adds the generation,
//      the owners and the bits: with them handles can be stale, and loops need no list of entities.
// Pick it to judge the article, or if rows must not move and say themselves what is in them. 16 bits number 65,536
// sections, which 2 GiB of rows fill.
// Misses per shuffled lookup, all out of cache: those of .byte_stream, less 0.125 for slots of 8 bytes that never
// straddle two lines, and 0.9 for the record of the section (see archetype_sections).

#include <stowage/archetype_sections_byte_stream.hpp>
#include <stowage/archetype_sections_free_list.hpp>

namespace stowage {

namespace parts {

struct PublishedForm : CompactForm<FreeListForm<std::size_t{32} * 1024>> {
  template <class SchemaType>
  using layout = SectionStreams<SchemaType>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsPublished = ArchetypeSectionsFreeList<SchemaType, Registry, parts::PublishedForm>;

static_assert(assert_storage<ArchetypeSectionsPublished<ProbeSchema>>());

}  // namespace stowage
