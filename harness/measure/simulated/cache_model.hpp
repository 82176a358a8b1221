#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// Lines of so many bytes and more are pages.
inline constexpr std::uint64_t smallest_page_bytes = 4096;

/// One simulated cache. The number of its sets is a power of two: the simulator picks a set by bits of the address.
struct CacheGeometry {
  std::uint64_t bytes = 0;
  std::uint64_t ways = 0;
  std::uint64_t line_bytes = 0;

  [[nodiscard]] std::uint64_t lines() const noexcept { return bytes / line_bytes; }
  [[nodiscard]] std::uint64_t sets() const noexcept { return lines() / ways; }
  /// "48 KiB, 12-way, 64-byte lines", or "64 pages of 4 KiB, 4-way"
  [[nodiscard]] std::string text() const;

  friend bool operator==(const CacheGeometry&, const CacheGeometry&) = default;
};

/// The caches of the simulated machine.
struct CacheModel {
  std::string name;  ///< `reference`, `apple-m1`, `host`, `tlb` or the text that was parsed
  CacheGeometry l1i = {};
  CacheGeometry l1d = {};
  CacheGeometry ll = {};
  /// Caches that cannot be simulated as they are: the real one and the simulated one, in words.
  std::vector<std::string> roundings = {};

  /// Then what misses is the translation of an address, and the caches are the two levels of a TLB.
  [[nodiscard]] bool is_tlb() const noexcept { return l1d.line_bytes >= smallest_page_bytes; }
};

/// Where Linux describes the caches of a processor.
inline constexpr std::string_view cache_directory = "/sys/devices/system/cpu/cpu0/cache";

/// `reference`, the default, and `apple-m1`, `zen2` and `cortex-a53`: the same on every machine. `host`: this machine's
/// first-level and last-level caches, the sets rounded down to a power of two. `tlb`: 64 pages of 4 KiB, and 1,536 in
/// the second level; `tlb-2M`: 32 pages of 2 MiB, and 512. `L1=48k:12,LL=2M:16[,L1i=32k:8][,line=64]`: what is not
/// named is as in the reference. Throws UserError for another name and for caches that cannot be, EnvironmentError if
/// `directory` does not say what the machine has.
[[nodiscard]] CacheModel parse_cache_model(std::string_view text,
                                           const std::filesystem::path& directory = cache_directory);

/// The size of this machine's cache lines, in which its hardware counts misses; 0 if `directory` does not say.
[[nodiscard]] std::uint64_t host_line_bytes(const std::filesystem::path& directory = cache_directory);

}  // namespace stowage::harness
