#pragma once

#include <cstddef>
#include <type_traits>

#include <stowage/parts/layout/rows.hpp>

namespace stowage::parts {

/// What a loop over rows at a constant distance indexes: the address of one component of row 0. `Stride` is
/// std::size_t, or a constant of the type where it is known when compiling.
template <class C, class Stride>
struct StridedCursor {
  using Byte = std::conditional_t<std::is_const_v<C>, const std::byte, std::byte>;

  Byte* first;
  STOWAGE_NO_UNIQUE_ADDRESS Stride stride;

  C& operator[](std::size_t row) const noexcept {
    return *reinterpret_cast<C*>(first + row * static_cast<std::size_t>(stride));
  }
};

/// Calls `visit(from, to, count)` for rows that lie side by side in both places: all at once, or one by one where they
/// are at a distance.
template <class Cursor, class Visit>
void for_each_contiguous(const Cursor& from, const Cursor& to, std::size_t count, Visit&& visit) {
  if constexpr (std::is_pointer_v<Cursor>) {
    visit(from, to, count);
  } else {
    for (std::size_t row = 0; row < count; ++row) visit(address_of(from, row), address_of(to, row), std::size_t{1});
  }
}

}  // namespace stowage::parts
