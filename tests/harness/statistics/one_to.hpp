#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

namespace stowage::harness {

/// Samples of which each is its own rank: 1, 2, ..., last.
[[nodiscard]] inline std::vector<double> one_to(int last) {
  std::vector<double> samples(static_cast<std::size_t>(last));
  std::iota(samples.begin(), samples.end(), 1.0);
  return samples;
}

}  // namespace stowage::harness
