#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace stowage::parts {

using RowNumber = std::uint32_t;
inline constexpr RowNumber no_row = (std::numeric_limits<RowNumber>::max)();
/// Rows have 31 bits, so that an instruction can hold the number which it compares 64 bits with.
inline constexpr RowNumber last_row = no_row / 2 - 1;
inline constexpr std::size_t most_rows = std::size_t{last_row} + 1;

}  // namespace stowage::parts
