#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <stowage/contract/schema.hpp>
#include <stowage/parts/layout/lanes.hpp>
#include <stowage/parts/sections/columns.hpp>
#include <stowage/parts/sections/table.hpp>

namespace stowage::parts {

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

}  // namespace stowage::parts
