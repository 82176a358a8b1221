#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include <stowage/contract/component.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/contract/schema.hpp>

namespace stowage::parts {

/// Whether components lie in memory as a whole, so that each has a place.
template <class Storage, class... Cs>
[[nodiscard]] consteval bool lie_whole(TypeList<Cs...>) noexcept {
  return stowage::detail::all_of<std::is_pointer_v<typename Storage::template pointer<Cs>>...>();
}

/// How many rows make a table, so that what is gathered of a wide schema still fits on any stack.
[[nodiscard]] consteval std::size_t rows_to_gather(std::size_t columns) noexcept {
  return std::clamp<std::size_t>(2048 / columns, 16, 128);
}

/// Rows that have the same components and lie one by one, brought together for each_table(): to its caller a table
/// costs as much as many rows, so each gets as many as there is room for. At most `Columns` components.
template <std::size_t Columns, std::size_t Most = rows_to_gather(Columns)>
class ScatteredRows {
 public:
  /// Where component `column` of the row is that add() completes.
  void place(std::size_t column, const void* component) noexcept { places_[column][rows_] = component; }
  void add(EntityIndex owner) noexcept { owners_[rows_++] = owner; }
  [[nodiscard]] bool is_full() const noexcept { return rows_ == Most; }

  template <class C>
  [[nodiscard]] TableColumn column(std::size_t column, std::size_t component) const noexcept {
    return {component, is_tag<C> ? nullptr : places_[column].data()};
  }
  /// Hands the rows out as a table, if there are any, and has room again.
  template <class Fn>
  void show(std::span<const TableColumn> columns, Fn& fn) {
    if (rows_ != 0 && !columns.empty()) fn(RowTable{{owners_.data(), rows_}, 0, rows_, columns});
    rows_ = 0;
  }

 private:
  std::array<EntityIndex, Most> owners_;
  std::array<std::array<const void*, Most>, Columns> places_;
  std::size_t rows_ = 0;
};

}  // namespace stowage::parts
