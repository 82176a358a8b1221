#include "harness/measure/memory.hpp"

#include <fmt/format.h>

#include <memory>
#include <string_view>

namespace stowage::harness {
namespace {

std::string disagreement(const MemoryBreakdown& said, const HeapUse& held, std::string_view when) {
  if (said.total_bytes() == held.live_bytes && said.allocations == held.live_blocks) return {};
  return fmt::format("memory() says {} bytes in {} blocks {}, the allocator says {} in {}", said.total_bytes(),
                     said.allocations, when, held.live_bytes, held.live_blocks);
}

}  // namespace

MemoryCount count_memory(MakeMeasurement make, const workloads::Parameters& parameters) {
  ThreadHeapTracker tracker;
  const std::unique_ptr<workloads::Measurement> measurement = make(parameters);
  tracker.leave_out(dynamic_cast<void*>(measurement.get()));  // it is the harness's
  measurement->prepare();
  measurement->run(1);
  MemoryCount count;
  count.entities = parameters.entities;
  count.held = tracker.use();
  count.said = measurement->memory();
  count.disagreement = disagreement(count.said, count.held, "after the pass");
  if (!measurement->destroy_all()) return count;
  const HeapUse emptied = tracker.use();
  count.bytes_emptied = emptied.live_bytes;
  if (count.disagreement.empty()) {
    count.disagreement = disagreement(measurement->memory(), emptied, "after everything was destroyed");
  }
  return count;
}

Counters memory_counters(const MemoryCount& count) {
  const auto per_entity = [&count](std::size_t bytes) {
    return static_cast<double>(bytes) / static_cast<double>(count.entities);
  };
  Counters counters{{"payload_bytes_per_entity", per_entity(count.said.payload_bytes)},
                    {"index_bytes_per_entity", per_entity(count.said.index_bytes)},
                    {"slack_bytes_per_entity", per_entity(count.said.slack_bytes)},
                    {"bytes_per_entity", per_entity(count.said.total_bytes())},
                    {"peak_bytes_per_entity", per_entity(count.held.peak_bytes)},
                    {"allocations", static_cast<double>(count.held.live_blocks)},
                    {"allocations_made", static_cast<double>(count.held.allocations)}};
  if (count.bytes_emptied) counters["bytes_per_entity_after_clear"] = per_entity(*count.bytes_emptied);
  if (usable_sizes_are_known) {
    counters["allocator_overhead_bytes_per_entity"] = per_entity(count.held.live_usable_bytes - count.held.live_bytes);
  }
  return counters;
}

}  // namespace stowage::harness
