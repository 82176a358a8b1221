#pragma once

#include <cstddef>
#include <initializer_list>

#include <stowage/contract/lines.hpp>

namespace stowage::workloads {

/// The least that one item of a workload costs in memory traffic, derived by counting in the workload's header: what
/// no layout can go below as long as nothing of the data is in the cache yet. The lists that the work itself reads
/// (values to create from, handles to look up) count, because every strategy has to read them. The hand-written
/// reference attains it. Both are 0 if counting says nothing; there is no figure then.
struct Floor {
  double lines_per_item = 0;  ///< cache lines that must be fetched, to be read or to be written
  double bytes_per_item = 0;  ///< bytes of them that the work needs

  [[nodiscard]] constexpr bool says_something() const noexcept { return lines_per_item > 0; }
};

/// The cache lines of a machine, in which floors are counted. Comments and cards compute with lines of 64 bytes.
struct Lines {
  std::size_t bytes = cache_line_bytes;

  /// Per item if items are next to each other and visited in their order.
  [[nodiscard]] constexpr double in_sequence(double bytes_per_item) const noexcept {
    return bytes_per_item / static_cast<double>(bytes);
  }
  /// Per item if items are visited in any other order: see lines_touched().
  [[nodiscard]] constexpr double touched(std::initializer_list<Touched> parts, std::size_t step) const noexcept {
    return lines_touched(parts, step, bytes);
  }
};

}  // namespace stowage::workloads
