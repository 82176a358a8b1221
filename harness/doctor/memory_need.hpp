#pragma once

#include <optional>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/doctor/judge_machine.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness::doctor {

/// Of the block of `blocks` that holds most, all of whose cells are in memory together; none of no blocks.
[[nodiscard]] std::optional<MemoryNeed> memory_need_of(const std::vector<Block>& blocks);

/// Of `run --preset standard` of all that `catalogue` has.
[[nodiscard]] std::optional<MemoryNeed> memory_need_of_standard(const Catalogue& catalogue);

}  // namespace stowage::harness::doctor
