#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <stowage/contract/lines.hpp>
#include <stowage/contract/strided_span.hpp>
#include <stowage/parts/layout/interleaved.hpp>
#include <stowage/parts/sections/table.hpp>

namespace stowage::parts {

/// What a look-up touches of a row in which Cs lie side by side: see contract/lines.hpp. Nothing of those that are not
/// there, and of each other one word.
template <class... Qs, class... Cs>
[[nodiscard]] constexpr double interleaved_lines(TypeList<Cs...>) noexcept {
  using Row = RowPlan<Cs...>;
  constexpr auto word_of = []<class Q>(TypeList<Q>) {
    if constexpr (stowage::detail::is_one_of<Q, Cs...>) {
      return Touched{Row::template offset<Q>, Row::template offset<Q> + std::min(word_bytes, row_bytes<Q>)};
    } else {
      return Touched{};
    }
  };
  return lines_touched({word_of(TypeList<std::remove_const_t<Qs>>{})...}, Row::stride_bytes);
}

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

}  // namespace stowage::parts
