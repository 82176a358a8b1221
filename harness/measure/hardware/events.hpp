#pragma once

#include <array>
#include <string_view>

namespace stowage::harness {

/// Events that are compared with each other are counted together. The groups are small, so that the kernel runs all of
/// them at once where there are counters enough and lets them take turns where there are not; one large group would
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
