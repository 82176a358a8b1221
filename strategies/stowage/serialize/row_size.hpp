#pragma once

#include <cstddef>
#include <type_traits>

namespace stowage::serialize {

/// Calls `copy_each(bytes)`, the size of the components that it copies, with the sizes that most have as constants:
/// these are copied in registers.
template <class CopyEach>
void with_row_size(std::size_t bytes, CopyEach&& copy_each) {
  switch (bytes) {
    case 4:
      return copy_each(std::integral_constant<std::size_t, 4>{});
    case 8:
      return copy_each(std::integral_constant<std::size_t, 8>{});
    case 12:
      return copy_each(std::integral_constant<std::size_t, 12>{});
    case 16:
      return copy_each(std::integral_constant<std::size_t, 16>{});
    default:
      return copy_each(bytes);
  }
}

}  // namespace stowage::serialize
