#pragma once

#include "harness/catalogue.hpp"

namespace stowage::harness {

/// What a simulated process does: says who it is, then reads one request after the other from stdin until that ends,
/// and answers each on stdout (protocol.hpp). Every cell runs in a fork of its own, and a request is read into a buffer
/// that is always there: a cell finds the same heap and the same empty caches whichever came before it. Of each cell
/// Callgrind writes two dumps: what measuring nothing costs, then the measured pass. Returns the exit code.
[[nodiscard]] int serve_simulation(const Catalogue& catalogue);

}  // namespace stowage::harness
