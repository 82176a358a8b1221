#pragma once

#include <string>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// The bytes that every strategy holds for an entity, in one table for all workloads at the largest size that they have
/// in common, and the cells that the memory pass left out. Empty where it has not run.
[[nodiscard]] std::string memory_text(const Run& run);

}  // namespace stowage::harness
