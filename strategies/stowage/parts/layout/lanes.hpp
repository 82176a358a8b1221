#pragma once

#include <type_traits>

#include <stowage/parts/layout/arrays.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/lane_loop.hpp>
#include <stowage/parts/layout/spread.hpp>
#include <stowage/parts/layout/whole_column.hpp>

namespace stowage::parts {

template <class C>
using LaneColumn = std::conditional_t<is_spread<C>, SpreadColumn<C>, WholeColumn<C>>;

/// Every scalar of a component in an array of its own, all arrays in one allocation; components that are not made of
/// scalars stay columns (see is_spread).
///
///     [ K0 K1 ... | Ax0 Ax1 ... | Ay0 Ay1 ... | Az0 Az1 ... | B0 B1 ... ]
///
/// Source: Bitsquid, "Building a Data-Oriented Entity System, part 2" (2014), which leaves it as an option for SIMD.
struct LanesLayout {
  template <class Key, class... Cs>
  using layout = Arrays<OneBlock, LaneColumn, Key, Cs...>;
};

}  // namespace stowage::parts
