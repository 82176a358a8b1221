#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop_slice.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// Visits every row that has all of what `resolve` finds. `resolve(row, owner)` finds one component; all are values, so
/// that the loop keeps what they read in registers.
template <class OnRow, class... Resolvers>
void join_rows(RowRange rows, const EntityIndex* owners, OnRow& on_row, Resolvers... resolve) {
  for (std::size_t row = rows.first; row < rows.end; ++row) {
    const EntityIndex owner = owners[row];
    std::tuple<decltype(resolve(row, owner))...> found{};
    const bool complete = [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      return (((std::get<Is>(found) = resolve(row, owner)) != nullptr) && ...);
    }(std::index_sequence_for<Resolvers...>{});
    if (complete) std::apply([&](auto... components) { on_row(owner, components...); }, found);
  }
}

/// How a storage over packed pools visits who has a set of components: pools whose rows all have them as a whole, and
/// of the others the rows of the rarest component, with a look-up for each of the rest. The parameters are those of
/// PoolLookup.
template <class Self, class Layout, class Places>
class PoolLoops {
  template <class Q>
  using PointerTo = typename Layout::template pointer<Q>;

  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }
  template <std::size_t P>
  [[nodiscard]] const auto& pool() const noexcept {
    return self().template pool<P>();
  }

 protected:
  /// Calls `on_rows(pool, first, end)` for runs of rows that all have Qs and a living owner, and `on_row` for every
  /// other entity that has them, as far as they are in the slice (see loop_slice.hpp).
  template <class... Qs, class Slice, class OnRows, class OnRow>
  void visit_living(Slice& slice, OnRows&& on_rows, OnRow&& on_row) const {
    if constexpr (Self::is_lazy) {
      const bool any_left = self().registry().left_rows() != 0;
      visit<Qs...>(
          slice, [&](const auto& pool, RowRange rows) { visit_runs(pool, rows, any_left, on_rows); },
          [&, any_left](EntityIndex owner, auto... found) {
            if (!any_left || !self().registry().is_dead(owner)) on_row(owner, found...);
          });
    } else {
      visit<Qs...>(slice, [&](const auto& pool, RowRange rows) { on_rows(pool, rows.first, rows.end); }, on_row);
    }
  }

  /// Calls `on_rows(pool, first, end)` for the runs of rows of one pool whose owners live.
  template <class PoolType, class OnRows>
  void each_living_run(const PoolType& pool, OnRows&& on_rows) const {
    if constexpr (Self::is_lazy) {
      visit_runs(pool, RowRange{0, pool.size()}, self().registry().left_rows() != 0, on_rows);
    } else {
      on_rows(pool, 0, pool.size());
    }
  }

  /// Calls `on_pool` for every pool whose rows all have Qs, and `on_row` for every other entity that has them.
  template <class... Qs, class Slice, class OnPool, class OnRow>
  void visit(Slice& slice, OnPool&& on_pool, OnRow&& on_row) const {
    const auto show = [&](const auto& pool) { on_pool(pool, slice.take(pool.size())); };
    using First = std::remove_const_t<stowage::detail::element_at<0, TypeList<Qs...>>>;
    if constexpr (sizeof...(Qs) == 1) {
      if constexpr (Places::template is_grouped<First>) show(pool<Places::template group_pool<First>>());
      show(pool<Places::template single_pool<First>>());
    } else if constexpr (is_within_one_group<First, Qs...>()) {
      constexpr std::size_t group = Places::template group_pool<First>;
      show(pool<group>());
      // whoever has all of Qs but not the whole group has each of them in its single pool
      if constexpr (!Places::template is_covered_by<group, Qs...>) join<false, Qs...>(slice, on_row);
    } else {
      join<true, Qs...>(slice, on_row);
    }
  }

 private:
  /// All rows are one run where nobody has left any. The loop is in one place for both cases, because a function that
  /// is called in two may be inlined in none.
  template <class PoolType, class OnRows>
  void visit_runs(const PoolType& pool, RowRange rows, bool any_left, OnRows& on_rows) const {
    const auto is_owned = [&](std::size_t row) { return !self().registry().is_dead(pool.owner(row)); };
    for (std::size_t first = rows.first; first < rows.end;) {
      std::size_t end = rows.end;
      if (any_left) [[unlikely]] {
        while (first < rows.end && !is_owned(first)) ++first;
        for (end = first; end < rows.end && is_owned(end);) ++end;
      }
      on_rows(pool, first, end);
      first = end;
    }
  }

  template <class First, class... Qs>
  [[nodiscard]] static consteval bool is_within_one_group() {
    if constexpr (Places::template is_grouped<First>) {
      return Places::template holds_all<Places::template group_pool<First>, Qs...>;
    } else {
      return false;
    }
  }

  /// Walks the rows of the rarest of Qs and looks the others up.
  template <bool WithGroups, class... Qs, class Slice, class OnRow>
  void join(Slice& slice, OnRow& on_row) const {
    const std::array<std::size_t, sizeof...(Qs)> counts{rows_of<WithGroups, std::remove_const_t<Qs>>()...};
    const std::size_t rarest = static_cast<std::size_t>(std::ranges::min_element(counts) - counts.begin());
    std::size_t position = 0;
    ((position++ == rarest ? drive<WithGroups, Qs, Qs...>(slice, on_row) : void()), ...);
  }

  template <bool WithGroups, class C>
  [[nodiscard]] std::size_t rows_of() const noexcept {
    std::size_t rows = pool<Places::template single_pool<C>>().size();
    if constexpr (WithGroups && Places::template is_grouped<C>) rows += pool<Places::template group_pool<C>>().size();
    return rows;
  }

  template <bool WithGroups, class Driver, class... Qs, class Slice, class OnRow>
  void drive(Slice& slice, OnRow& on_row) const {
    if constexpr (WithGroups && Places::template is_grouped<Driver>) {
      drive_pool<Places::template group_pool<Driver>, Qs...>(slice, on_row);
    }
    drive_pool<Places::template single_pool<Driver>, Qs...>(slice, on_row);
  }

  template <std::size_t P, class... Qs, class Slice, class OnRow>
  void drive_pool(Slice& slice, OnRow& on_row) const {
    join_rows(slice.take(pool<P>().size()), pool<P>().layout().keys(), on_row, resolver<P, Qs>()...);
  }

  /// Finds Q of the living entity that owns a row of pool P: in the same row, or through the index.
  template <std::size_t P, class Q>
  [[nodiscard]] auto resolver() const noexcept {
    constexpr std::size_t single = Places::template single_pool<Q>;
    if constexpr (Places::template holds_all<P, Q>) {
      return [column = pool<P>().layout().template cursor<Q>()](std::size_t row, EntityIndex) -> PointerTo<Q> {
        return address_of(column, row);
      };
    } else if constexpr (!Places::template is_grouped<Q>) {
      return [rows = self().index().template reader<single>(), column = pool<single>().layout().template cursor<Q>()](
                 std::size_t, EntityIndex owner) -> PointerTo<Q> {
        const RowNumber row = rows(owner);
        return row != no_row ? address_of(column, row) : nullptr;
      };
    } else {
      constexpr std::size_t group = Places::template group_pool<Q>;
      return
          [in_group = self().index().template reader<group>(),
           group_column = pool<group>().layout().template cursor<Q>(), alone = self().index().template reader<single>(),
           column = pool<single>().layout().template cursor<Q>()](std::size_t, EntityIndex owner) -> PointerTo<Q> {
            if (const RowNumber row = in_group(owner); row != no_row) return address_of(group_column, row);
            const RowNumber row = alone(owner);
            return row != no_row ? address_of(column, row) : nullptr;
          };
    }
  }
};

}  // namespace stowage::parts
