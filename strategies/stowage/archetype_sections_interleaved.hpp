#pragma once

// archetype_sections.interleaved: one growing section per set, in which all components of a row lie side by side.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \____________________________
//     sections   { mask, place of A, place of B, -, stride, size, set } ...
//                                                            | row
//     data       [ owner owner ... | A0 B0  A1 B1  A2 B2 ... ]   one block a section
//
// find, each, create and destroy are those of archetype_sections. The address of a component is another:
//
//     &A of a row      section.place_of_A + row * section.stride        // the stride is a number of the record
//     each<A>(fn)      a set with no component but A has a column: it is walked as one. No other loop is vectorised.
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019): a section interleaves whatever its
//      entities have, "on the assumption that if you access one, you probably want to access more than one".
// Pick it when lookups by handle read several components, in sets that are not declared as groups. Loops that read
// little of wide rows pay for all of them, and no loop is vectorised.
// Misses per shuffled lookup of components of one row, all out of cache: 1.125 (metadata) + 1 + (s - a) / 64, where
// what is read of the row spans s bytes and rows begin at all multiples of a in a line. 2.5 for all of a point mass.

#include <stowage/archetype_sections.hpp>
#include <stowage/parts/layout/interleaved.hpp>
#include <stowage/parts/sections/form.hpp>
#include <stowage/parts/sections/table.hpp>

namespace stowage {

namespace parts {

/// All components of a row side by side. How far it is from row to row depends on the set, so it is a number in the
/// record: one multiplication a row.
///
///     block  [ owner owner ... | A0 B0 C0  A1 B1 C1 ... ]
template <class SchemaType>
struct InterleavedArrangement {
  template <class C>
  using column = WholeColumn<C>;
  struct Strides {
    std::size_t row = 0;
  };
  template <class Q>
  using block_type = StridedSpan<Q>;
  /// g++ 12 gathers interleaved rows into vectors at several times the cost of the scalar loop: see keep_scalar().
  template <class...>
  static constexpr bool scalar_loop = true;

  /// To know of the others would make no step a constant.
  template <class... Qs>
  using sharing_columns = TypeList<Qs...>;

  template <class Plan>
  static void arrange(Plan& plan) noexcept {
    plan.add_column_of(plan.mask());
  }
  template <class Plan>
  [[nodiscard]] static Strides strides(const Plan& plan) noexcept {
    return {plan.columns().back().row_bytes};
  }

  /// Where a set has one component, its rows are a column.
  template <class Q>
  [[nodiscard]] static bool is_column(Strides strides) noexcept {
    return strides.row == sizeof(Q);
  }

  template <class Q, class...>
  [[nodiscard]] static StridedCursor<Q, std::size_t> cursor(std::byte* start, Strides strides) noexcept {
    return {start, strides.row};
  }
  template <class Q>
  [[nodiscard]] static block_type<Q> block(std::byte* start, std::size_t first, std::size_t count,
                                           Strides strides) noexcept {
    return {reinterpret_cast<Q*>(start + first * strides.row), count, strides.row};
  }

  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return interleaved_lines<Qs...>(typename SchemaType::components{});
  }
};

template <class SchemaType>
using SectionInterleaved = SectionTable<SchemaType, InterleavedArrangement<SchemaType>>;

struct InterleavedForm : GrowingForm {
  template <class SchemaType>
  using layout = SectionInterleaved<SchemaType>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsInterleaved = ArchetypeSections<SchemaType, Registry, parts::InterleavedForm>;

static_assert(assert_storage<ArchetypeSectionsInterleaved<ProbeSchema>>());

}  // namespace stowage
