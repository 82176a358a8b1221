#pragma once

#include <optional>
#include <string>

#include "harness/measure/hardware/event_source.hpp"

namespace stowage::harness {

/// Whether hardware counters can be had, and if not what is in the way and what would help, in one line.
struct HardwareAvailability {
  std::string obstacle;  ///< empty where they can

  [[nodiscard]] bool usable() const noexcept { return obstacle.empty(); }
};

/// What decides how a refusal is to be read.
struct CountingPolicy {
  std::optional<int> perf_event_paranoid;  ///< none where the kernel has no such setting
  std::string virtualisation;              ///< the hypervisor, "none" or "unknown"
};

/// Tries to count the cycles of a short loop on `events`, which is null where there is no source at all.
[[nodiscard]] HardwareAvailability availability_of(EventSource* events, const CountingPolicy& policy);

/// The same for this process on this machine: what `--source auto` asks.
[[nodiscard]] HardwareAvailability hardware_availability();

}  // namespace stowage::harness
