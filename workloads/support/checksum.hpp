#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "workloads/support/random.hpp"

namespace stowage::workloads {

/// Digest of a result: a wrapping sum of hash(entity ordinal, bits of the value). Depends neither on the order in which
/// entities were visited nor on how sums were rounded.
class Checksum {
 public:
  void add(std::uint64_t ordinal, std::uint64_t bits) noexcept { sum_ += mixed(ordinal, bits); }
  template <class... Floats>
  void add_floats(std::uint64_t ordinal, Floats... values) noexcept {
    std::uint64_t bits = 0;
    ((bits = mixed(bits, std::bit_cast<std::uint32_t>(values))), ...);
    add(ordinal, bits);
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

/// What a pass over a list multiplies the bits with that it read for the item at `position`, before it sums them: odd
/// and different for each, so that answers given to the wrong question show, for one instruction an item.
[[nodiscard]] constexpr std::uint64_t weight(std::size_t position) noexcept { return 2 * position + 1; }

}  // namespace stowage::workloads
