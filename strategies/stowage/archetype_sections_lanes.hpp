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
// find, each, create and destroy are those of archetype_sections, with a lane in the place of a column:
//
//     find<A>(e)       (section.place_of_A + row, section.pitch_of_A): a pointer to the x of the row, which knows how
//                      far y and z are
//     each<A>(fn)      for (row ...) { a = { x[row], y[row], z[row] }; fn(a); put a back into x, y and z }
//
// By: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014), for the arrays; Cerulean Skies, "Designing a
//      cache-friendly entity component system" (2019), for the sections.
// Pick it when loops compute on whole sets of entities: all components of a set are walked without a lookup, whether
// they were declared as a group or not, and a vector register is filled with one load. Lookups that read a whole
// component touch a line per scalar, and a structural change moves each scalar by itself.
// Pointers, references and what a loop must not do: as indirection_map.lanes.
// Misses per shuffled lookup of a scalar of k components, all out of cache: 1.125 (metadata) + k (lanes).

#include <stowage/archetype_sections.hpp>
#include <stowage/parts/layout/lanes.hpp>
#include <stowage/parts/sections/form.hpp>
#include <stowage/parts/sections/table.hpp>

namespace stowage {

namespace parts {

/// Every scalar of a component in an array of its own; components that are not made of scalars in a column (is_spread).
/// How far the lanes of a component are apart depends on the rows of the section, so it is a number in the record.
///
///     block  [ owner owner ... | Ax0 Ax1 ... | Ay0 Ay1 ... | Az0 Az1 ... | B0 B1 ... ]
template <class SchemaType>
struct LanesArrangement : ColumnArrangement {
  static constexpr std::size_t component_count = SchemaType::component_count;
  template <class C>
  using column = LaneColumn<C>;
  template <class Q>
  static constexpr std::size_t id = stowage::detail::component_id<std::remove_const_t<Q>, SchemaType>;

  struct Strides {
    std::array<std::size_t, component_count> pitches{};
  };
  template <class Q>
  using block_type = typename column<std::remove_const_t<Q>>::template block_type<Q>;

  template <class Plan>
  [[nodiscard]] static Strides strides(const Plan& plan) noexcept {
    Strides strides;
    for (std::size_t c = 0; c < component_count; ++c) {
      if (plan.mask().has(c)) strides.pitches[c] = plan.pitch(c);
    }
    return strides;
  }

  template <class Q, class...>
  [[nodiscard]] static auto cursor(std::byte* start, const Strides& strides) noexcept {
    if constexpr (is_spread<std::remove_const_t<Q>>) {
      return SpreadCursor<Q>(start, strides.pitches[id<Q>]);
    } else {
      return reinterpret_cast<Q*>(start);
    }
  }
  template <class Q>
  [[nodiscard]] static block_type<Q> block(std::byte* start, std::size_t first, std::size_t count,
                                           const Strides& strides) noexcept {
    if constexpr (is_spread<std::remove_const_t<Q>>) {
      return {cursor<Q>(start, strides), first, count};
    } else {
      return {reinterpret_cast<Q*>(start) + first, count};
    }
  }
};

template <class SchemaType>
using SectionLanes = SectionTable<SchemaType, LanesArrangement<SchemaType>>;

struct LanesForm : GrowingForm {
  template <class SchemaType>
  using layout = SectionLanes<SchemaType>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsLanes = ArchetypeSections<SchemaType, Registry, parts::LanesForm>;

static_assert(assert_storage<ArchetypeSectionsLanes<ProbeSchema>>());

}  // namespace stowage
