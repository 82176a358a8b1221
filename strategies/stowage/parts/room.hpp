#pragma once

#include <algorithm>
#include <cstddef>

#include <stowage/contract/errors.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// How a pool comes by room for its rows: stated by the index, which has to number them. A pool never has more capacity
/// than its index can number, so that nothing but growing has to look at the limit.
///
/// This one grows by grown_capacity(), up to `MostRows`.
template <std::size_t MostRows>
struct GrowingRoom {
  static constexpr std::size_t most_rows = MostRows;
  static constexpr bool fixed = false;  ///< whether the index is to have all the room that the rows have, at once

  /// The capacity to go on with where `capacity` has no room for `needed` rows. Throws RowsExhausted.
  [[nodiscard]] static constexpr std::size_t grown(std::size_t capacity, std::size_t needed) {
    return (std::min)(grown_capacity(capacity, reserved(needed)), MostRows);
  }
  /// The capacity that `count` rows asked for in advance take. Throws RowsExhausted.
  [[nodiscard]] static constexpr std::size_t reserved(std::size_t count) {
    if (count > MostRows) STOWAGE_THROW(RowsExhausted(MostRows));
    return count;
  }
};

using DefaultRoom = GrowingRoom<most_rows>;

/// This one never grows: there is room for `Rows` rows from the first on, and for more only where more were reserved.
template <std::size_t Rows>
struct FixedRoom {
  static constexpr std::size_t most_rows = parts::most_rows;
  static constexpr bool fixed = true;

  /// Throws CapacityExhausted.
  [[nodiscard]] static constexpr std::size_t grown(std::size_t capacity, std::size_t needed) {
    const std::size_t all = (std::max)(capacity, Rows);
    if (needed > all) STOWAGE_THROW(CapacityExhausted(all));
    return all;
  }
  /// Throws RowsExhausted.
  [[nodiscard]] static constexpr std::size_t reserved(std::size_t count) {
    return (std::max)(DefaultRoom::reserved(count), Rows);
  }
};

}  // namespace stowage::parts
