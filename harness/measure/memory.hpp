#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stowage/contract/memory.hpp>

#include "harness/catalogue.hpp"
#include "harness/measure/memory/heap.hpp"
#include "harness/measure/pass.hpp"
#include "harness/plan/selection.hpp"
#include "harness/results/run.hpp"

namespace stowage::harness {

/// What one cell holds: by its own account, and by the allocator's.
struct MemoryCount {
  std::size_t entities = 0;
  MemoryBreakdown said;                      ///< by memory(), after prepare() and one pass
  HeapUse held;                              ///< by the allocator, at the same time
  std::optional<std::size_t> bytes_emptied;  ///< by the allocator, after destroy_all(); none if the case cannot
  std::string disagreement;                  ///< empty if the two accounts are equal to the byte and to the block
};

/// The memory pass of one cell: makes it, runs it once and destroys everything in it, with every operator new counted
/// from before the beginning. Passes on what the case throws.
[[nodiscard]] MemoryCount count_memory(MakeMeasurement make, const workloads::Parameters& parameters);

/// The counters of the memory pass. Of a count without disagreement.
[[nodiscard]] Counters memory_counters(const MemoryCount& count);

/// Counts the bytes of every verified cell of `run` that has no such figures yet, and saves the run after each of its
/// blocks. A cell whose memory() contradicts the allocator, or that throws, gets an omission that says so. Sets
/// `run.state.interrupted` if `bench.stop` asked to stop.
void run_memory_pass(Run& run, const std::vector<Block>& blocks, const Bench& bench, const SaveRun& save);

}  // namespace stowage::harness
