#pragma once

// archetype_sections.fixed_32k_arena: fixed sections of one set lie next to each other.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |
//     sections   { columns, size, capacity, set } ...
//                      |
//     chunks     [ owners A A .. B B .. | owners A A .. B B .. | - ]   of one set: 1, 2, 4 ... sections, up to 1 MiB
//
// Who: Cerulean Skies, "Designing a cache-friendly entity component system" (2019): a custom allocator that puts
//      sections of the same components next to each other "would avoid the occasional cache miss when iterating".
//      Their defragmentation takes chunks for what is to be emptied, which is ours: a section that is given back is
//      room for its own set alone, until all others of its chunk are.
// Pick it when the heap is slow or fragmented, or when sections are small: a chunk is one allocation for up to 64 of
// them. What a chunk has left waits for its own set and for nobody else.
// Misses per shuffled look-up: as archetype_sections.fixed_32k.

#include <cstddef>

#include <stowage/archetype_sections.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/storage.hpp>
#include <stowage/parts/sections/arena.hpp>
#include <stowage/parts/sections/form.hpp>

namespace stowage {

namespace parts {

template <std::size_t Bytes>
struct ArenaForm : FixedForm<Bytes> {
  using memory = ArenaPerSet;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsArena = ArchetypeSections<SchemaType, Registry, parts::ArenaForm<std::size_t{32} * 1024>>;

static_assert(assert_storage<ArchetypeSectionsArena<ProbeSchema>>());

}  // namespace stowage
