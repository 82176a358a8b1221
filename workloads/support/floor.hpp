#pragma once

#include <string_view>

namespace stowage::workloads {

inline constexpr double line_bytes = 64;

/// The least that one item of a workload costs in memory traffic, derived by counting in the workload's header: what
/// no layout can go below as long as nothing of the data is in the cache yet. The lists that the work itself reads
/// (values to create from, handles to look up) count, because every strategy has to read them. The hand-written
/// reference attains it. Both are 0 if counting says nothing; there is no figure then.
struct Floor {
  double lines_per_item = 0;  ///< cache lines of 64 bytes that must be fetched, to be read or to be written
  double bytes_per_item = 0;  ///< bytes of them that the work needs

  [[nodiscard]] constexpr bool says_something() const noexcept { return lines_per_item > 0; }
};

/// What lists say of `reference.store`, whichever workload has it: the fastest hand-written code that keeps the storage
/// contract for that workload.
inline constexpr std::string_view store_summary = "the contract floor: generations, packed rows, hand-written";

/// Lines per item if items are next to each other and visited in their order; lines_touched() has them if items
/// are visited in any other.
[[nodiscard]] constexpr double lines_in_sequence(double bytes_per_item) noexcept { return bytes_per_item / line_bytes; }

}  // namespace stowage::workloads
