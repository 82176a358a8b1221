#pragma once

// The layout of a section whose record has the address of every column, so that a lookup is one read from the row.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/strided_span.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/sections/plan.hpp>

namespace stowage::parts {

/// `Arrangement` decides which components share a column:
///
///     column<C>                          how a column holds a component: layout/whole_column.hpp
///     Strides                            what the record must say beside, for steps that are no constants of the type
///     arrange(plan), strides(plan)       adds the columns of the plan's set; what came of it
///     cursor<Q, Known...>(start, strides)    Q is no tag; all of Known are in the section
///     is_column<Q>(strides)              if only the set tells whether the components of Q lie side by side
///     block_type<Q>, block<Q>(start, count, strides)
///     sharing_columns<Qs...>             TypeList of Qs and all that can be in one column with any of them
///     scalar_loop<Qs...>, lookup_lines<Qs...>()
template <class SchemaType, class Arrangement>
class SectionTable {
  static constexpr std::size_t component_count = SchemaType::component_count;
  template <class C>
  static constexpr std::size_t id = stowage::detail::component_id<C, SchemaType>;
  template <class... Qs>
  using Sharing = typename Arrangement::template sharing_columns<std::remove_const_t<Qs>...>;
  template <class... Qs>
  static constexpr bool shares_columns = Sharing<Qs...>::size > sizeof...(Qs);
  template <class Q>
  static constexpr bool may_be_column =
      !is_tag<std::remove_const_t<Q>> &&
      requires(typename Arrangement::Strides strides) { Arrangement::template is_column<Q>(strides); };

 public:
  using Plan = SectionPlan<SchemaType, Arrangement::template column>;
  using Mask = typename Plan::Mask;

  /// What the section lacks, and where its components start; null if it lacks one.
  struct Places {
    Mask absent;
    std::array<std::byte*, component_count> starts{};
    STOWAGE_NO_UNIQUE_ADDRESS typename Arrangement::Strides strides;
  };

  template <class Q>
  using reference = typename Arrangement::template column<std::remove_const_t<Q>>::template reference<Q>;
  template <class Q>
  using pointer = typename Arrangement::template column<std::remove_const_t<Q>>::template pointer<Q>;
  template <class C>
  using block_type =
      std::conditional_t<is_tag<std::remove_const_t<C>>, StridedSpan<C>, typename Arrangement::template block_type<C>>;
  template <class... Qs>
  static constexpr bool scalar_loop = Arrangement::template scalar_loop<Qs...>;

  [[nodiscard]] static Plan plan(const Mask& mask) noexcept {
    Plan plan(mask);
    Arrangement::arrange(plan);
    return plan;
  }
  /// Bytes of a row that say where its components are.
  [[nodiscard]] static std::size_t index_row_bytes(const Plan&) noexcept { return 0; }

  /// Of a block that was carved by the plan last.
  [[nodiscard]] static Places places(const Plan& plan, std::byte* block) noexcept {
    Places places{plan.mask().complement(), {}, Arrangement::strides(plan)};
    for (std::size_t c = 0; c < component_count; ++c) {
      if (plan.mask().has(c)) places.starts[c] = block + plan.start(c);
    }
    return places;
  }
  /// Writes into rows without components what must be there before them.
  static void prepare(const Places&, const Mask&, std::size_t) noexcept {}

  template <class C>
  [[nodiscard]] static bool has(const Places& places) noexcept {
    return places.starts[id<C>] != nullptr;
  }

  /// What a loop over rows of a section that has Q indexes, if it is known to have all of Known.
  template <class Q, class... Known>
  [[nodiscard]] static auto cursor(const Places& places) noexcept {
    if constexpr (is_tag<std::remove_const_t<Q>>) {
      return TagCursor<Q>{};
    } else {
      return Arrangement::template cursor<Q, Known...>(places.starts[id<Q>], places.strides);
    }
  }

  /// Whether cursors that know more of the section than that it has Qs are better: it may have everything that Qs share
  /// columns with, or nothing but a Q.
  template <class... Qs>
  static constexpr bool may_have_better_cursors =
      shares_columns<Qs...> || (sizeof...(Qs) == 1 && (may_be_column<Qs> && ...));

  /// Calls `visit(cursors...)` with such cursors for a section that has all of Qs; false if it has none.
  template <class... Qs, class Visit>
  static bool with_better_cursors(const Places& places, Visit&& visit) {
    if constexpr (shares_columns<Qs...>) {
      return [&]<class... Known>(TypeList<Known...>) {
        if (!places.absent.disjoint(mask_of<SchemaType, Known...>)) return false;
        visit(cursor<Qs, Known...>(places)...);
        return true;
      }(Sharing<Qs...>{});
    } else {
      if (!Arrangement::template is_column<Qs...>(places.strides)) return false;
      visit(reinterpret_cast<Qs*>(places.starts[id<Qs>])...);
      return true;
    }
  }

  /// The components of a row in a section that has all of them.
  template <class... Qs>
  [[nodiscard]] static std::tuple<pointer<Qs>...> addresses(const Places& places, std::size_t row) noexcept {
    const std::tuple cursors(cursor<Qs, Qs...>(places)...);
    return std::apply([row](const auto&... known) { return std::tuple<pointer<Qs>...>(address_of(known, row)...); },
                      cursors);
  }

  /// Null if the section does not have one. One test for several: that they are all there.
  template <class... Qs>
  [[nodiscard]] static std::tuple<pointer<Qs>...> find(const Places& places, std::size_t row) noexcept {
    if constexpr (sizeof...(Qs) > 1) {
      if (places.absent.disjoint(mask_of<SchemaType, std::remove_const_t<Qs>...>)) [[likely]]
        return addresses<Qs...>(places, row);
      return incomplete(find_each<Qs...>(places, row));
    } else {
      return {has<Qs>(places) ? address_of(cursor<Qs, Qs>(places), row) : nullptr...};
    }
  }

  template <class Q>
  [[nodiscard]] static block_type<Q> block(const Places& places, std::size_t first, std::size_t count) noexcept {
    if constexpr (is_tag<std::remove_const_t<Q>>) {
      return {address_of(TagCursor<Q>{}, 0), count, 0};
    } else {
      return Arrangement::template block<Q>(places.starts[id<Q>], first, count, places.strides);
    }
  }

  /// See contract/lines.hpp: of the rows, of an entity that has all components of the schema.
  template <class... Qs>
  [[nodiscard]] static constexpr double lookup_lines() noexcept {
    return Arrangement::template lookup_lines<Qs...>();
  }
  /// What a lookup reads of a record that begins with these places.
  template <class... Qs>
  [[nodiscard]] static constexpr Touched record_touched() noexcept {
    constexpr std::size_t first = (std::min)({id<std::remove_const_t<Qs>>...});
    constexpr std::size_t last = (std::max)({id<std::remove_const_t<Qs>>...});
    constexpr std::size_t starts = offsetof(Places, starts);
    constexpr bool reads_mask = sizeof...(Qs) > 1;
    return {reads_mask ? 0 : starts + first * sizeof(std::byte*), starts + (last + 1) * sizeof(std::byte*)};
  }

 private:
  template <class... Qs>
  [[nodiscard]] STOWAGE_COLD static std::tuple<pointer<Qs>...> find_each(const Places& places,
                                                                         std::size_t row) noexcept {
    return {std::get<0>(find<Qs>(places, row))...};
  }
};

}  // namespace stowage::parts
