#pragma once

// archetype_sections.mixed_lanes: sections of 32 KiB with two parts: groups side by side, and an array for each scalar
// of everything else.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \____________________________
//     sections   { mask, place of G, place of H, place of A, steps, size, set } ...
//                                                            | row
//     data       [ owner owner ... | G0 H0  G1 H1 ... | x x x ... | y y y ... ]   Schema<Group<G, H>, A>; A is { x, y }
//
// find, each, create and destroy are those of archetype_sections, the address of a grouped component is that of
// archetype_sections.mixed, and of any other that of archetype_sections.lanes.
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019), in reply to comments: a section of
//      two fixed blocks, the first for components that are used together, the second with an array for each scalar.
// Pick it when lookups use a group and SIMD loops use everything else. Lookups that read a whole component outside of a
// group touch a line for each scalar.
// Pointers, references and what a loop must not do: as indirection_map.lanes.
// Misses per shuffled lookup of a scalar of each component, all out of cache: as archetype_sections.mixed.

#include <stowage/archetype_sections_mixed.hpp>
#include <stowage/parts/layout/lanes.hpp>
#include <stowage/parts/sections/form.hpp>
#include <stowage/parts/sections/table.hpp>

namespace stowage {

namespace parts {

/// As MixedArrangement, with lanes in the place of the columns (see is_spread).
///
///     block  [ owner owner ... | G0 H0  G1 H1  G2 H2 ... | Ax Ax Ax ... | Ay Ay Ay ... ]
template <class SchemaType>
struct MixedLanesArrangement : MixedArrangement<SchemaType> {
  using Mixed = MixedArrangement<SchemaType>;
  template <class Q>
  static constexpr bool is_grouped = Mixed::template is_grouped<Q>;
  template <class C>
  using column = std::conditional_t<is_grouped<C>, WholeColumn<C>, LaneColumn<C>>;
  template <class Column, class Q>
  struct BlockOf {
    using type = typename Column::template block_type<Q>;
  };
  template <class Q>
  using block_type = typename std::conditional_t<is_grouped<Q>, std::type_identity<StridedSpan<Q>>,
                                                 BlockOf<LaneColumn<std::remove_const_t<Q>>, Q>>::type;

  /// Of a grouped component from row to row, of any other from lane to lane.
  struct Strides {
    std::array<std::size_t, SchemaType::component_count> of{};
    [[nodiscard]] std::size_t operator[](std::size_t component) const noexcept { return of[component]; }
  };
  template <class Plan>
  [[nodiscard]] static Strides strides(const Plan& plan) noexcept {
    Strides strides;
    stowage::detail::for_each_component<SchemaType>([&]<class C>(TypeList<C>) {
      constexpr std::size_t c = Mixed::template id<C>;
      if (plan.mask().has(c)) strides.of[c] = is_grouped<C> ? plan.stride(c) : plan.pitch(c);
    });
    return strides;
  }

  template <class Q, class... Known>
  [[nodiscard]] static auto cursor(std::byte* start, const Strides& strides) noexcept {
    if constexpr (is_grouped<Q>) {
      return Mixed::template cursor_in_rows<Q, Known...>(start, strides[Mixed::template id<Q>]);
    } else if constexpr (is_spread<std::remove_const_t<Q>>) {
      return SpreadCursor<Q>(start, strides[Mixed::template id<Q>]);
    } else {
      return reinterpret_cast<Q*>(start);
    }
  }
  template <class Q>
  [[nodiscard]] static block_type<Q> block(std::byte* start, std::size_t first, std::size_t count,
                                           const Strides& strides) noexcept {
    if constexpr (is_grouped<Q>) {
      const std::size_t stride = strides[Mixed::template id<Q>];
      return {reinterpret_cast<Q*>(start + first * stride), count, stride};
    } else if constexpr (is_spread<std::remove_const_t<Q>>) {
      return {cursor<Q>(start, strides), first, count};
    } else {
      return {reinterpret_cast<Q*>(start) + first, count};
    }
  }
};

template <class SchemaType>
using SectionMixtureInLanes = SectionTable<SchemaType, MixedLanesArrangement<SchemaType>>;

struct MixedLanesForm : FixedForm<std::size_t{32} * 1024> {
  template <class SchemaType>
  using layout = SectionMixtureInLanes<SchemaType>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsMixedLanes = ArchetypeSections<SchemaType, Registry, parts::MixedLanesForm>;

static_assert(assert_storage<ArchetypeSectionsMixedLanes<ProbeSchema>>());

}  // namespace stowage
