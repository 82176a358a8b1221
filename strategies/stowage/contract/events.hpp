#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

namespace stowage {

/// Extra work of a storage since it was made, which makes some frames slower than others. Counted where it happens, on
/// rare paths, so that it costs nothing elsewhere.
struct StorageEvents {
  std::uint64_t growths = 0;         ///< arrays (of rows, map entries, slots) that moved to a larger allocation
  std::uint64_t rehashes = 0;        ///< hash tables that were built anew
  std::uint64_t sections = 0;        ///< sections (or pages) added
  std::uint64_t collected_rows = 0;  ///< rows of entities destroyed earlier that were ended by collection

  /// The events with the names that the results and the report use.
  [[nodiscard]] constexpr std::array<std::pair<std::string_view, std::uint64_t>, 4> lines() const noexcept {
    return {{{"growths", growths}, {"rehashes", rehashes}, {"sections", sections}, {"collected_rows", collected_rows}}};
  }

  constexpr StorageEvents& operator+=(const StorageEvents& other) noexcept {
    growths += other.growths;
    rehashes += other.rehashes;
    sections += other.sections;
    collected_rows += other.collected_rows;
    return *this;
  }
  friend constexpr StorageEvents operator+(StorageEvents left, const StorageEvents& right) noexcept {
    return left += right;
  }
  /// What came between two counts.
  friend constexpr StorageEvents operator-(StorageEvents later, const StorageEvents& earlier) noexcept {
    later.growths -= earlier.growths;
    later.rehashes -= earlier.rehashes;
    later.sections -= earlier.sections;
    later.collected_rows -= earlier.collected_rows;
    return later;
  }

  friend constexpr bool operator==(const StorageEvents&, const StorageEvents&) = default;
};

/// Beyond the contract: the storage counts them.
template <class S>
concept CountsEvents = requires(const S& storage) {
  { storage.events() } -> std::same_as<StorageEvents>;
};

}  // namespace stowage
