#include "harness/doctor/memory_need.hpp"

#include <algorithm>
#include <cstdint>

#include "harness/errors.hpp"

namespace stowage::harness::doctor {
namespace {

/// Of an entity in a cell. A whole `standard` run, of 10 cells in its largest block, was seen to hold 3.34 GiB at once,
/// or 342 bytes for each of 1M entities: 274 of them were in storages with 256 bytes of components
/// (`point_mass_subset`, `bytes:256`), the rest in lists of the workload and lost to the heap.
constexpr std::uint64_t bytes_per_entity = 350;

std::uint64_t bytes_of(const Block& block) {
  return bytes_per_entity * block.parameters.entities * block.strategies.size();
}

}  // namespace

std::optional<MemoryNeed> memory_need_of(const std::vector<Block>& blocks) {
  const auto largest = std::ranges::max_element(blocks, {}, bytes_of);
  if (largest == blocks.end()) return std::nullopt;
  return MemoryNeed{.entities = largest->parameters.entities,
                    .cells = largest->strategies.size(),
                    .bytes_per_entity = bytes_per_entity};
}

std::optional<MemoryNeed> memory_need_of_standard(const Catalogue& catalogue) {
  SelectionRequest request;
  request.preset = "standard";
  try {
    std::vector<Block> blocks = expand(resolve(request, catalogue), catalogue);
    for (const StrategyEntry& entry : catalogue.strategies()) {
      if (entry.is_variant() || catalogue.has_cells(entry.name)) continue;  // no variant is in the largest blocks
      for (Block& block : blocks) block.strategies.push_back(&entry);       // whose module is not loaded
    }
    return memory_need_of(blocks);
  } catch (const UserError&) {  // the catalogue has nothing at these sizes
    return std::nullopt;
  }
}

}  // namespace stowage::harness::doctor
