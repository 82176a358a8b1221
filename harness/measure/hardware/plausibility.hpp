#pragma once

#include <string>
#include <vector>

#include "harness/results/run.hpp"

namespace stowage::harness {

/// A figure that is not given, and why.
struct Doubt {
  std::string metric;
  std::string reason;

  friend bool operator==(const Doubt&, const Doubt&) = default;
};

/// Takes every figure out of `counters` that is always zero where that cannot be, or that another one contradicts, and
/// says why. Where two contradict each other neither can be trusted, and both go. Virtual machines in particular give
/// counters that open and count nonsense.
[[nodiscard]] std::vector<Doubt> remove_unbelievable(Counters& counters);

}  // namespace stowage::harness
