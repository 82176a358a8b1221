#pragma once

#include <string>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// The bytes that every strategy holds for an entity, in one table at the size that most workloads have, which workloads
/// have not, and the cells that the memory pass left out. Empty where it has not run.
[[nodiscard]] std::string memory_text(const Run& run);

}  // namespace stowage::harness
