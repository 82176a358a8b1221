#pragma once

// archetype_sections.mixed: in one growing section per set, groups lie side by side and everything else in columns.
//
//     registry   [gen section row][gen section row] ...         12 bytes per index ever alive
//                      |       \____________________________
//     sections   { mask, place of G, place of H, place of A, strides, size, set } ...
//                                                            | row
//     data       [ owner owner ... | G0 H0  G1 H1  G2 H2 ... | A A A ... ]   Schema<Group<G, H>, A>, a block a section
//
// find, each, create and destroy are those of archetype_sections. The address of a component is another:
//
//     &A of a row      section.place_of_A + row * sizeof(A)             // in no group, or its group is not complete
//     &G of a row      section.place_of_G + row * section.stride_of_G   // a group of the set that is complete
//     each<G, H>(fn)   if the set has the whole group, a constant is the stride; otherwise the record is asked
//
// By: Cerulean Skies, "Designing a cache-friendly entity component system" (2019), in reply to comments: "a mixture of
//      interleaved and non-interleaved data is best, depending on the systems that will operate on that data".
// Pick it when some components are always used together, by lookups, and others are walked alone by loops that want
// vectors: the schema's groups say which. A set that lacks part of a group has the rest of it in columns.
// Misses per shuffled lookup, all out of cache: 1.125 (metadata) + 1 for each component of no group + for each group 1
// and (s - a) / 64, as in archetype_sections.interleaved.

#include <stowage/archetype_sections.hpp>
#include <stowage/parts/layout/interleaved.hpp>
#include <stowage/parts/placement.hpp>
#include <stowage/parts/sections/form.hpp>
#include <stowage/parts/sections/table.hpp>

namespace stowage {

namespace parts {

/// The components of a group side by side where the set has the whole group, everything else in columns. A loop over a
/// whole group walks it by a constant; the distance is read from the record only where a part of a group is asked for.
///
///     block  [ owner owner ... | G0 H0  G1 H1  G2 H2 ... | A A A ... ]     Schema<Group<G, H>, A>
template <class SchemaType>
struct MixedArrangement {
  template <class C>
  using column = WholeColumn<C>;
  using Places = Placement<SchemaType>;
  static constexpr std::size_t component_count = SchemaType::component_count;
  template <class Q>
  static constexpr bool is_grouped = Places::template is_grouped<std::remove_const_t<Q>>;
  template <class Q>
  static constexpr std::size_t group_of = Places::template group_pool<std::remove_const_t<Q>>;

  template <class List>
  struct RowOf;
  template <class... Cs>
  struct RowOf<TypeList<Cs...>> {
    using type = RowPlan<Cs...>;
  };
  template <std::size_t Group>
  using Row = typename RowOf<typename Places::template pool_components<Group>>::type;

  struct Strides {
    std::array<std::uint32_t, component_count> of{};
    [[nodiscard]] std::uint32_t operator[](std::size_t component) const noexcept { return of[component]; }
  };
  template <class Q>
  static constexpr std::size_t id = stowage::detail::component_id<Q, SchemaType>;
  template <class Q>
  using block_type = std::conditional_t<is_grouped<Q>, StridedSpan<Q>, std::span<Q>>;
  /// See InterleavedArrangement.
  template <class... Qs>
  static constexpr bool scalar_loop = (is_grouped<Qs> || ...);

  template <class C, class... Qs>
  static constexpr bool shares_column =
      ((std::is_same_v<C, Qs> || (is_grouped<C> && group_of<C> == group_of<Qs>)) || ...);
  template <class List, class... Qs>
  struct Sharing;
  template <class... Cs, class... Qs>
  struct Sharing<TypeList<Cs...>, Qs...> {
    using type =
        stowage::detail::concatenated<std::conditional_t<shares_column<Cs, Qs...>, TypeList<Cs>, TypeList<>>...>;
  };
  template <class... Qs>
  using sharing_columns = typename Sharing<typename SchemaType::components, Qs...>::type;

  template <class Plan>
  static void arrange(Plan& plan) noexcept {
    typename Plan::Mask together;
    stowage::detail::for_each_index<Places::group_count>([&](auto group) {
      const auto members = []<class... Cs>(TypeList<Cs...>) {
        return mask_of<SchemaType, Cs...>;
      }(typename Places::template pool_components<group>{});
      if (!plan.mask().includes(members)) return;
      plan.add_column_of(members);
      for (std::size_t c = 0; c < component_count; ++c) together = members.has(c) ? together.toggled(c) : together;
    });
    for (std::size_t c = 0; c < component_count; ++c) {
      if (plan.mask().has(c) && !together.has(c)) plan.add_column_of(typename Plan::Mask().toggled(c));
    }
  }
  template <class Plan>
  [[nodiscard]] static Strides strides(const Plan& plan) noexcept {
    Strides strides;
    for (std::size_t c = 0; c < component_count; ++c) {
      if (plan.mask().has(c)) strides.of[c] = static_cast<std::uint32_t>(plan.stride(c));
    }
    return strides;
  }

  template <class Q, class... Known>
  [[nodiscard]] static auto cursor(std::byte* start, const Strides& strides) noexcept {
    if constexpr (is_grouped<Q>) {
      return cursor_in_rows<Q, Known...>(start, strides[id<Q>]);
    } else {
      return reinterpret_cast<Q*>(start);
    }
  }
  /// Of a grouped component: by a constant if the whole group is known to be there.
  template <class Q, class... Known>
  [[nodiscard]] static auto cursor_in_rows(std::byte* start, std::size_t stride) noexcept {
    if constexpr (Places::template is_covered_by<group_of<Q>, Known...>) {
      return StridedCursor<Q, std::integral_constant<std::size_t, Row<group_of<Q>>::stride_bytes>>{start, {}};
    } else {
      return StridedCursor<Q, std::size_t>{start, stride};
    }
  }
  template <class Q>
  [[nodiscard]] static block_type<Q> block(std::byte* start, std::size_t first, std::size_t count,
                                           const Strides& strides) noexcept {
    if constexpr (is_grouped<Q>) {
      return {reinterpret_cast<Q*>(start + first * strides[id<Q>]), count, strides[id<Q>]};
    } else {
      return {reinterpret_cast<Q*>(start) + first, count};
    }
  }

  /// See contract/lines.hpp: one row for each group, a line for each component of none.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    double lines = (0.0 + ... + (is_grouped<Qs> || is_tag<std::remove_const_t<Qs>> ? 0 : 1));
    stowage::detail::for_each_index<Places::group_count>(
        [&](auto group) { lines += interleaved_lines<Qs...>(typename Places::template pool_components<group>{}); });
    return lines;
  }
};

template <class SchemaType>
using SectionMixture = SectionTable<SchemaType, MixedArrangement<SchemaType>>;

struct MixedForm : GrowingForm {
  template <class SchemaType>
  using layout = SectionMixture<SchemaType>;
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using ArchetypeSectionsMixed = ArchetypeSections<SchemaType, Registry, parts::MixedForm>;

static_assert(assert_storage<ArchetypeSectionsMixed<ProbeSchema>>());

}  // namespace stowage
