#pragma once

#include <cstddef>

namespace stowage {

/// Where the bytes that a storage holds right now went. The three kinds add up to every byte the storage has asked
/// the heap for, to the byte: what is allocated and unused is slack.
struct MemoryBreakdown {
  std::size_t payload_bytes = 0;  ///< components that are alive: the sum of sizeof(C) over them
  std::size_t index_bytes = 0;    ///< what it takes to find them: generations, map entries, row owners, free indices
  std::size_t slack_bytes = 0;    ///< capacity not in use, alignment gaps, holes
  std::size_t allocations = 0;    ///< heap blocks held

  [[nodiscard]] constexpr std::size_t total_bytes() const noexcept { return payload_bytes + index_bytes + slack_bytes; }

  constexpr MemoryBreakdown& operator+=(const MemoryBreakdown& other) noexcept {
    payload_bytes += other.payload_bytes;
    index_bytes += other.index_bytes;
    slack_bytes += other.slack_bytes;
    allocations += other.allocations;
    return *this;
  }

  friend constexpr MemoryBreakdown operator+(MemoryBreakdown left, const MemoryBreakdown& right) noexcept {
    return left += right;
  }

  friend constexpr bool operator==(const MemoryBreakdown&, const MemoryBreakdown&) = default;
};

namespace parts {

/// What `arrays` hold: `used` bytes of index, the rest slack.
template <class... Arrays>
[[nodiscard]] MemoryBreakdown memory_of(std::size_t used, const Arrays&... arrays) noexcept {
  return {.payload_bytes = 0,
          .index_bytes = used,
          .slack_bytes = (arrays.held_bytes() + ...) - used,
          .allocations = (arrays.allocations() + ...)};
}

}  // namespace parts
}  // namespace stowage
