#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

namespace stowage::harness {

/// What Callgrind counted. Misses are those of data; `unused_bytes` are bytes of lines that the first level evicted
/// without their having been read or written (`SpLoss1`).
struct CacheEvents {
  std::uint64_t instructions = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t l1d_misses = 0;
  std::uint64_t ll_misses = 0;
  std::uint64_t unused_bytes = 0;

  CacheEvents& operator+=(const CacheEvents& other) noexcept;
  friend bool operator==(const CacheEvents&, const CacheEvents&) = default;
};

/// One dump: the costs by the source file of the instruction that caused them. What has been inlined counts for the
/// file that it was written in.
struct CallgrindDump {
  std::map<std::string, CacheEvents> by_file;

  [[nodiscard]] CacheEvents total() const;
};

/// Reads Callgrind's profile format, with its compressed names and positions. Throws std::runtime_error that names the
/// line where `in` is something else, ends too early, or lacks the events of the cache simulation.
[[nodiscard]] CallgrindDump parse_dump(std::istream& in);

}  // namespace stowage::harness
