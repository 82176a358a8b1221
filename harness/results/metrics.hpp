#pragma once

#include <array>
#include <string_view>

namespace stowage::harness {

/// One counter of a results file. Its name may not change: reports, claims and users' own scripts read it.
struct Metric {
  std::string_view name;
  std::string_view unit;
  std::string_view pass;
  std::string_view description;
};

inline constexpr std::string_view time_pass = "time";
inline constexpr std::string_view cache_pass = "cache";
inline constexpr std::string_view memory_pass = "memory";
inline constexpr std::string_view frames_pass = "frames";
/// Of frames that have parts: what `stowage recommend` measures.
inline constexpr std::string_view parts_pass = "parts";
/// Not measured: derived by counting, see the workload's header.
inline constexpr std::string_view floor_pass = "floor";

// clang-format off: one line each, however long
inline constexpr auto metrics = std::to_array<Metric>({
    {"ns_per_item", "ns", time_pass, "median time of one item over the repetitions"},
    {"ns_per_item_low", "ns", time_pass, "low end of the 95 % interval of that median"},
    {"ns_per_item_high", "ns", time_pass, "high end of the 95 % interval of that median"},
    {"ratio_to_reference", "1", time_pass,
     "median over the rounds of the time relative to the reference's in the same round"},
    {"ratio_to_reference_low", "1", time_pass, "low end of the 95 % interval of that ratio"},
    {"ratio_to_reference_high", "1", time_pass, "high end of the 95 % interval of that ratio"},
    {"ratio_to_contract", "1", time_pass,
     "the same relative to the contract floor, hand-written code that keeps the storage contract: `contract_floor`"},
    {"ratio_to_contract_low", "1", time_pass, "low end of the 95 % interval of that ratio"},
    {"ratio_to_contract_high", "1", time_pass, "high end of the 95 % interval of that ratio"},
    {"ratio_to_best", "1", time_pass,
     "median over the rounds of the time relative to the best strategy's of the block; 1 of that itself"},
    {"ratio_to_best_low", "1", time_pass,
     "low end of the 95 % interval of that ratio, judged together with all rivals of the best"},
    {"ratio_to_best_high", "1", time_pass, "high end of that interval"},
    {"items", "items", time_pass, "how many items one pass works through"},
    {"floor_lines_per_item", "lines", floor_pass,
     "least number of cache lines (of `line_bytes`) any layout must fetch for one item whose data is not cached yet"},
    {"instructions_per_item", "instructions", cache_pass, "instructions executed for one item"},
    {"data_reads_per_item", "reads", cache_pass, "instructions that read memory, for one item"},
    {"data_writes_per_item", "writes", cache_pass, "instructions that write memory, for one item"},
    {"l1d_misses_per_item", "misses", cache_pass, "first-level data cache misses for one item"},
    {"ll_misses_per_item", "misses", cache_pass, "last-level data misses for one item"},
    {"l1d_misses_index_per_item", "misses", cache_pass, "first-level misses on what finds the row"},
    {"l1d_misses_payload_per_item", "misses", cache_pass, "first-level misses on component data"},
    {"ll_misses_index_per_item", "misses", cache_pass, "last-level misses on what finds the row"},
    {"ll_misses_payload_per_item", "misses", cache_pass, "last-level misses on component data"},
    {"line_use_share", "1", cache_pass, "bytes the work needs for one item / (line_bytes x l1d_misses_per_item)"},
    {"line_use_share_evicted", "1", cache_pass,
     "share of their bytes that was read, over the lines that the first level evicted"},
    {"cycles_per_item", "cycles", cache_pass, "processor cycles for one item (hardware only)"},
    {"branch_misses_per_item", "misses", cache_pass, "mispredicted branches for one item (hardware only)"},
    {"l1_dtlb_misses_per_item", "misses", cache_pass,
     "data address translations that the first level did not have, for one item (--model tlb only)"},
    {"dtlb_misses_per_item", "misses", cache_pass,
     "data address translations that were not cached, for one item (hardware and --model tlb)"},
    {"page_faults_per_item", "faults", cache_pass, "page faults for one item (hardware only)"},
    {"task_clock_ns_per_item", "ns", cache_pass, "processor time for one item by the kernel's clock (hardware only)"},
    {"counted_time_share", "1", cache_pass,
     "share of the time that events which took turns were counted for; their figures are scaled up by it (hardware only)"},
    {"payload_bytes_per_entity", "bytes", memory_pass, "components of living entities"},
    {"index_bytes_per_entity", "bytes", memory_pass, "what finds the rows: registry, maps, owners, pointers, tables"},
    {"slack_bytes_per_entity", "bytes", memory_pass, "allocated and not in use"},
    {"bytes_per_entity", "bytes", memory_pass, "memory footprint: all that the storage holds after the pass"},
    {"peak_bytes_per_entity", "bytes", memory_pass, "most that it held at once since it was empty"},
    {"bytes_per_entity_after_clear", "bytes", memory_pass, "what it still holds after everything was destroyed"},
    {"allocations", "blocks", memory_pass, "blocks that it holds after the pass"},
    {"allocations_made", "allocations", memory_pass, "allocations it made since it was empty"},
    {"allocator_overhead_bytes_per_entity", "bytes", memory_pass,
     "bytes that the C library added to its blocks beyond what was requested"},
    {"frames", "frames", frames_pass, "how many frames were timed one by one; their times are in `frame_histogram`"},
    {"frame_p50_ns", "ns", frames_pass, "median time of a frame"},
    {"frame_p50_ns_low", "ns", frames_pass, "low end of the 95 % interval of that quantile"},
    {"frame_p50_ns_high", "ns", frames_pass, "high end of the 95 % interval of that quantile"},
    {"frame_p99_ns", "ns", frames_pass, "time that 99 % of the frames do not exceed"},
    {"frame_p99_ns_low", "ns", frames_pass, "low end of the 95 % interval of that quantile"},
    {"frame_p99_ns_high", "ns", frames_pass, "high end of the 95 % interval of that quantile"},
    {"frame_p999_ns", "ns", frames_pass, "time that 99.9 % of the frames do not exceed, if 1000 or more were timed"},
    {"frame_p999_ns_low", "ns", frames_pass, "low end of the 95 % interval of that quantile"},
    {"frame_p999_ns_high", "ns", frames_pass, "high end of the 95 % interval of that quantile"},
    {"frame_spike_ns", "ns", frames_pass,
     "time that 127 of 128 frames do not exceed: the middle one of the spikes, if one frame of 64 is one"},
    {"frame_spike_ns_low", "ns", frames_pass, "low end of the 95 % interval of that quantile"},
    {"frame_spike_ns_high", "ns", frames_pass, "high end of the 95 % interval of that quantile"},
    {"frame_max_ns", "ns", frames_pass, "time of the worst frame"},
    {"frame_over_8_3_ms_share", "1", frames_pass,
     "share of the frames that took longer than a display at 120 Hz leaves them"},
    {"frame_over_16_6_ms_share", "1", frames_pass,
     "share of the frames that took longer than a display at 60 Hz leaves them"},
    {"worst_frame_growths", "events", frames_pass, "arrays that moved to a larger allocation in the worst frame"},
    {"worst_frame_rehashes", "events", frames_pass, "hash tables that were built anew in the worst frame"},
    {"worst_frame_sections", "events", frames_pass, "sections or pages that were added in the worst frame"},
    {"worst_frame_collected_rows", "events", frames_pass,
     "rows of entities destroyed earlier that were ended in the worst frame"},
    {"frame_systems_ns", "ns", parts_pass, "mean time of a frame spent in loops over entities"},
    {"frame_lookups_ns", "ns", parts_pass, "mean time of a frame spent on lookups of single entities"},
    {"frame_changes_ns", "ns", parts_pass, "mean time of a frame spent on structural changes"},
    {"frame_hierarchy_ns", "ns", parts_pass,
     "mean time of a frame spent on moving nodes and their world transforms"},
    {"frame_turnover_ns", "ns", parts_pass, "mean time of a frame spent on churn: destroying and creating entities"},
    {"rows_moved_per_frame", "rows", frames_pass, "rows that defragmentation moved, which is called once a frame"},
    {"collected_rows_per_frame", "rows", frames_pass,
     "rows of entities destroyed earlier that were ended, of a storage that did so"},
});
// clang-format on

}  // namespace stowage::harness
