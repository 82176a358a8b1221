#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include <stowage/contract/component.hpp>
#include <stowage/parts/sections/table.hpp>

namespace stowage::parts {

/// A column for each component.
///
///     block  [ owner owner ... | A A A ... | B B B ... ]
struct ColumnArrangement {
  template <class C>
  using column = WholeColumn<C>;
  struct Strides {};
  template <class Q>
  using block_type = std::span<Q>;
  template <class...>
  static constexpr bool scalar_loop = false;

  template <class... Qs>
  using sharing_columns = TypeList<Qs...>;

  template <class Plan>
  static void arrange(Plan& plan) noexcept {
    for (std::size_t c = 0; c < Plan::component_count; ++c) {
      if (plan.mask().has(c)) plan.add_column_of(typename Plan::Mask().toggled(c));
    }
  }
  template <class Plan>
  [[nodiscard]] static Strides strides(const Plan&) noexcept {
    return {};
  }

  template <class Q, class...>
  [[nodiscard]] static Q* cursor(std::byte* start, Strides) noexcept {
    return reinterpret_cast<Q*>(start);
  }
  template <class Q>
  [[nodiscard]] static block_type<Q> block(std::byte* start, std::size_t first, std::size_t count, Strides) noexcept {
    return {reinterpret_cast<Q*>(start) + first, count};
  }

  /// See contract/lines.hpp: a line for each column, and none for a tag.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return (0.0 + ... + (is_tag<std::remove_const_t<Qs>> ? 0 : 1));
  }
};

template <class SchemaType>
using SectionColumns = SectionTable<SchemaType, ColumnArrangement>;

}  // namespace stowage::parts
