#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/measure/simulated/cache_model.hpp"
#include "harness/results/run.hpp"

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

/// What caused a miss.
enum class Side {
  index,    ///< finds the row of an entity: registry, maps, owners, pointers, the tables of sections
  payload,  ///< components, and the workload's own lists of handles, which are read where components are
  neither,  ///< the source file does not say: the C library copies, and the heap keeps books, for both
};

/// The side of the code in `file`, a path as the compiler has recorded it. `storage_folder` has the header of a storage
/// that is not of this repository; empty if there is none.
[[nodiscard]] Side side_of(std::string_view file, std::string_view storage_folder = {});

/// The dumps that the simulator wrote for one cell.
struct Simulation {
  CallgrindDump nothing;  ///< of a pass without work: the cost of measuring itself
  CallgrindDump pass;
  std::uint64_t items = 0;
  std::uint64_t checksum = 0;
};

/// The figures of the cache pass under their names in metrics.hpp; if lines are pages, misses are those of
/// translations, without sides and shares. `bytes_per_item` is what the work needs of an item. Absent are: the sides,
/// if more than 1 % of the misses, and more than one in 100 items, belong to neither; the share of the lines' bytes
/// that was used, if the work found bytes in the cache already, and over evicted lines, if those were few.
/// `storage_folder` as for side_of().
[[nodiscard]] Counters cache_counters(const Simulation& simulation, const CacheModel& model,
                                      std::optional<double> bytes_per_item, std::string_view storage_folder = {});

}  // namespace stowage::harness
