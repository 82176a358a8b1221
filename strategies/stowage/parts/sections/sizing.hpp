#pragma once

#include <cstddef>

namespace stowage::parts {

/// One section per set, which grows like an array.
struct GrowingSections {
  static constexpr bool fixed = false;
};

/// Sections of `Bytes` bytes (or one row, where that is more), as many as it takes.
template <std::size_t Bytes>
struct FixedSections {
  static constexpr bool fixed = true;
  static constexpr std::size_t section_bytes = Bytes;
};

}  // namespace stowage::parts
