#pragma once

#include <string>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// For each block with frames: the quantiles of their times, the worst one and what the storage did in it beside its
/// work. Then a line for each cell that the frames pass left out. Empty where the pass has nothing to say.
[[nodiscard]] std::string frames_text(const Run& run);

}  // namespace stowage::harness
