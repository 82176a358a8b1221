#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// What Linux says of itself, read from its texts. Nothing here looks at the machine: tests hand in stored texts.
namespace stowage::harness::doctor {

/// What all processors have done together since the system was started, in ticks.
struct ProcessorTicks {
  std::uint64_t busy = 0;    ///< of all programs and of the kernel
  std::uint64_t stolen = 0;  ///< a virtual processor wanted to run and the host ran something else

  friend bool operator==(const ProcessorTicks&, const ProcessorTicks&) = default;
};

/// Of /proc/stat; none where that is not its text.
[[nodiscard]] std::optional<ProcessorTicks> parse_ticks(std::string_view stat);

struct MemoryState {
  std::uint64_t available_bytes = 0;  ///< without taking from anybody
  std::uint64_t swap_used_bytes = 0;

  friend bool operator==(const MemoryState&, const MemoryState&) = default;
};

/// Of /proc/meminfo; none where that is not its text.
[[nodiscard]] std::optional<MemoryState> parse_memory(std::string_view meminfo);

/// A file in /sys that says "0" or "1"; none where it says anything else, or nothing.
[[nodiscard]] std::optional<bool> parse_switch(std::string_view text);

/// A stretch of time, as this process knows it.
struct Stretch {
  double wall_s = 0;
  double own_s = 0;  ///< processor time of this process
  double ticks_per_s = 100;
};

/// What went on beside us meanwhile.
struct Company {
  double processors = 0;    ///< that other programs kept busy, in the mean
  double stolen_share = 0;  ///< of the time in which something was to run, what the host took

  friend bool operator==(const Company&, const Company&) = default;
};

/// From the ticks at the beginning and at the end of a stretch. Never negative, though ticks are coarse.
[[nodiscard]] Company company_between(const ProcessorTicks& before, const ProcessorTicks& after,
                                      const Stretch& stretch);

}  // namespace stowage::harness::doctor
