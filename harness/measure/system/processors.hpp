#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>

namespace stowage::harness {

/// How many threads this machine runs at once; one where it does not say.
[[nodiscard]] inline std::size_t processors() noexcept { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace stowage::harness
