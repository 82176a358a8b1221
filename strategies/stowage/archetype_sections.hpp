#pragma once

// archetype_sections: entities with exactly the same components share sections; the registry has section and row.
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
//                      return { &section.A[slot.row], &section.B[slot.row] }      // null for a component e lacks
//     each<A, B>(fn)   for (set : sets with A and B)                     // each query caches its list of sets
//                          for (section : set.sections)
//                              for (row = 0; row < section.size; ++row) fn(section.A[row], section.B[row])
//     create(a, b)     set = the set { A, B }; section = set's first with room, else enlarge one or add one
//                      e = registry.create(); row = section.size++
//                      section.A[row] = a; section.B[row] = b; section.owner[row] = e.index
//                      registry[e.index] = (section, row)
//     destroy(e)       (section, row) = registry[e.index]; last = --section.size
//                      if (row != last) every column c of section: c[row] = c[last]; owner[row] = owner[last]
//                                       registry[owner[row]].row = row
//                      registry.destroy(e)
//     emplace<C>(e, c) to = the set of e's components plus C, found by an edge of e's set; append a row to it; move
//                      e's components there and add c; fill the hole in the old section as destroy does
//
// The code: SectionStorage (parts/section_storage.hpp) has the operations, SectionTable (parts/sections/table.hpp) the
// address of a component in a section, Sections (parts/sections/sections.hpp) the rows, SetCatalogue
// (parts/sections/set_catalogue.hpp) the sets and their edges. Variants differ in the `Form` that they pass.
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019); here the generation lies beside
//      section and row, so one miss fetches all three. Unity's chunks, flecs' tables and others share the idea.
// Pick it when systems read several components at once and sets change rarely. A loop over the rows of a set needs no
// lookup, but adding or removing one component moves all other components of the entity.
// Growing: one section per set, which grows like an array. Fixed: sections of a fixed size, filled one after the other,
// so that no row moves when the number of entities grows. Both fill a hole with the last row of the same section.
// Plain archetype_sections has 32 bits each for section and row. .16bit has 16 bits each, as published: then a registry
// slot has 8 bytes and never straddles two cache lines, and a set has at most 65,536 entities.
// Misses per lookup of k components in random order, all caches cold: 1.125 (registry slot: 12 bytes straddle a line's
// end at 2 of 16 offsets) + k (columns). Fixed sections are many, so their records are cold too: 1 more (line-aligned).
// Large sections have fewer records. Of a million point masses, a 48 KiB first-level cache keeps 0.5 of the records of
// 128 KiB sections, 0.16 of those of 32 KiB sections and 0.02 of those of 4 KiB sections (see record_lines()).

#include <stowage/parts/section_storage.hpp>
#include <stowage/parts/sections/form.hpp>

namespace stowage {

namespace parts {

/// The promises of all storages with packed sections. `Form` changes one reason: why an insertion moves rows.
template <class Form>
inline constexpr SemanticsCard packed_sections_semantics{
    .pointer_stability_on_insert =
        not_promised(Form::sizing::fixed ? "adding a component to another entity leaves a hole behind, into which the "
                                           "last row of the section moves"
                                         : "a section moves when it grows"),
    .pointer_stability_on_erase = not_promised("the last row of the section moves into the hole"),
    .create_while_iterating = not_promised("sections, and the list of them, change under the loop"),
    .destroy_current_while_iterating =
        not_promised("the last row of the section would move into the current one and be skipped"),
    .destroy_others_while_iterating = not_promised("rows would move under the loop"),
    .change_components_while_iterating = not_promised("the entity would move to a section that may still be visited"),
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
