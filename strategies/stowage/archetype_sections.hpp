#pragma once

// archetype_sections: entities with exactly the same components share sections; metadata per entity says where.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \_____________________
//     sections   { size, mask, column of A, column of B, -, set } ...
//                                  |  row                    \--> set { sections, edges to neighbour sets }
//     data       [ owner owner ... | A A A ... | B B B ... ]    one block a section
//
//     find<A, B>(e)    slot = registry[e.index]
//                      if (slot.generation != e.generation) return null
//                      section = sections[slot.section]
//                      return { &section.A[slot.row], &section.B[slot.row] }      // null for what it does not have
//     each<A, B>(fn)   for (set : sets with A and B)                     // a list for each query, kept up to date
//                          for (section : set.sections)
//                              for (row = 0; row < section.size; ++row) fn(section.A[row], section.B[row])
//     create(a, b)     set = the set { A, B }; section = the first of set with room, or a new or larger one
//                      e = registry.create(); row = section.size++
//                      section.A[row] = a; section.B[row] = b; section.owner[row] = e.index
//                      registry[e.index] = (section, row)
//     destroy(e)       (section, row) = registry[e.index]; last = --section.size
//                      if (row != last) every column c of section: c[row] = c[last]; owner[row] = owner[last]
//                                       registry[owner[row]].row = row
//                      registry.destroy(e)
//     emplace<C>(e, c) to = the set with C too, by an edge of e's set; all components of e move to its next row, c is
//                      added there, and the hole in the old section is filled as by destroy
//
// The code: SectionStorage (parts/section_storage.hpp) has the operations, SectionTable (parts/sections/table.hpp) the
// address of a component in a section, Sections (parts/sections/sections.hpp) the rows, SetCatalogue
// (parts/sections/set_catalogue.hpp) the sets and their edges. A variant says what differs in the form it passes.
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019); generation beside the metadata, so
//      that a lookup misses once. Unity's chunks, flecs' tables and others are the same idea.
// Pick it when systems read several components at once and sets change rarely: rows of one set are walked without any
// lookup, but adding or removing one component moves all the others.
// Growing: one section per set, which grows like an array. Fixed: sections of a fixed size, filled one after the other,
// so that no row moves when the number of entities grows. Both fill a hole with the last row of the same section.
// Plain archetype_sections has 32 + 32 bits of metadata; .16bit has 16 + 16, as published: 8 bytes per index, which
// never straddle a line, and 65,536 entities of a set at most. Misses per shuffled lookup of k components, all out of
// cache: 1.125 (metadata: 2 of the 16 places that 12 bytes can have in a line straddle its end) + k (columns). Fixed
// sections are many, so that what describes them is out of cache too: 1 more, because it begins on a line. Less where
// sections are large: 0.5 of those of 128 KiB for a million point masses stay in a first-level cache of 48 KiB, 0.16 of
// those of 32 KiB, 0.02 of those of 4 KiB (see record_lines()).

#include <cstddef>

#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/section_storage.hpp>
#include <stowage/parts/sections/form.hpp>

namespace stowage {

namespace parts {

/// What every storage on packed sections promises; `Form` makes one difference.
template <class Form>
inline constexpr SemanticsCard packed_sections_semantics{
    .pointer_stability_on_insert =
        not_promised(Form::sizing::fixed ? "adding a component to another entity leaves a hole behind, into which the "
                                           "last row of the section moves"
                                         : "a section moves when it grows"),
    .pointer_stability_on_erase = not_promised("the last row of the section moves into the hole"),
    .creation_order = promised,
    .create_while_iterating = not_promised("sections, and the list of them, change under the loop"),
    .destroy_current_while_iterating =
        not_promised("the last row of the section would move into the current one and be skipped"),
    .destroy_others_while_iterating = not_promised("rows would move under the loop"),
    .change_components_while_iterating = not_promised("the entity would move to a section that may still be visited"),
    .immediate_destruction = promised,
    .parallel_rows = promised,
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>, class Form = parts::GrowingForm>
class ArchetypeSections : public parts::SectionStorage<SchemaType, Registry, Form> {
 public:
  static constexpr SemanticsCard semantics = parts::packed_sections_semantics<Form>;
};

/// As published: entities remember section and row in 16 bits each.
template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSections16 = ArchetypeSections<SchemaType, Registry, parts::CompactForm<parts::GrowingForm>>;

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsFixed4k = ArchetypeSections<SchemaType, Registry, parts::FixedForm<std::size_t{4} * 1024>>;
template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsFixed16k = ArchetypeSections<SchemaType, Registry, parts::FixedForm<std::size_t{16} * 1024>>;
template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsFixed32k = ArchetypeSections<SchemaType, Registry, parts::FixedForm<std::size_t{32} * 1024>>;
template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsFixed128k = ArchetypeSections<SchemaType, Registry, parts::FixedForm<std::size_t{128} * 1024>>;

static_assert(assert_storage<ArchetypeSections<ProbeSchema>>());
static_assert(assert_storage<ArchetypeSections16<ProbeSchema>>());
static_assert(assert_storage<ArchetypeSectionsFixed32k<ProbeSchema>>());

}  // namespace stowage
