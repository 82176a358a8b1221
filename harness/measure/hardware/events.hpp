#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace stowage::harness {

/// What asking for one event gave: a handle, or the system's error number.
struct OpenedEvent {
  int handle = -1;
  int error = 0;
};

/// The state of a group of events. They are counted together or not at all, so that they may be compared.
struct GroupReading {
  std::uint64_t enabled_ns = 0;       ///< for how long they should have been counted
  std::uint64_t running_ns = 0;       ///< for how long they were: less if events take turns on the counters there are
  std::vector<std::uint64_t> counts;  ///< in the order in which the group's events were opened
};

/// The handle to open the first event of a group with.
inline constexpr int new_group = -1;

/// Counts events of this thread in user space. Behind an interface because few machines let one count at all: tests
/// put every refusal and every contradiction here.
class EventSource {
 public:
  EventSource() = default;
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
  virtual ~EventSource() = default;

  /// Opens an event under libpfm's name for it, in the group that began with the event `group`; not counting yet.
  [[nodiscard]] virtual OpenedEvent open(std::string_view name, int group) = 0;
  virtual void close(int handle) noexcept = 0;

  /// Starts and stops every open event.
  virtual void start() noexcept = 0;
  virtual void stop() noexcept = 0;

  /// Totals since the group was opened; `group` is the handle of its first event. Throws std::system_error.
  [[nodiscard]] virtual GroupReading read(int group) = 0;
};

/// The kernel's events. Null if this binary was built without them: elsewhere than on Linux, or without libpfm.
[[nodiscard]] std::unique_ptr<EventSource> system_events();

/// Events that are compared with each other are counted together. The groups are small, so that the kernel runs all of
/// them at once if there are counters enough and lets them take turns if there are not; one large group would
/// then never run. The kernel's own counters stand alone: in a group some kernels lose what they count after the first
/// restart.
enum class EventGroup { work, memory, alone };

/// What one figure is counted by.
struct Event {
  std::string_view metric;
  EventGroup group;
  /// libpfm's; the kernel's own name, which it maps to what the processor has, comes first.
  std::array<std::string_view, 3> names;
  bool may_be_zero = false;
};

// clang-format off: one line each, however long
inline constexpr std::array<Event, 8> counted_events{{
    {"cycles_per_item", EventGroup::work, {"CYCLES"}},
    {"instructions_per_item", EventGroup::work, {"INSTRUCTIONS"}},
    {"branch_misses_per_item", EventGroup::work, {"BRANCH-MISSES"}},
    {"l1d_misses_per_item", EventGroup::memory, {"L1-DCACHE-LOAD-MISSES"}},
    // The kernel maps no last level on AMD, whose L3 counts for all cores: what this core fetched from memory instead.
    {"ll_misses_per_item",
     EventGroup::memory,
     {"LLC-LOAD-MISSES", "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR:DRAM_IO_FAR",
      "DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL:MEM_IO_RMT"}},
    {"dtlb_misses_per_item", EventGroup::memory, {"DTLB-LOAD-MISSES"}},
    {"page_faults_per_item", EventGroup::alone, {"PAGE-FAULTS"}, true},
    {"task_clock_ns_per_item", EventGroup::alone, {"TASK-CLOCK"}},
}};
// clang-format on

}  // namespace stowage::harness
