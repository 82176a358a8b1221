#pragma once

#include "harness/catalogue.hpp"

namespace stowage::harness {

/// What a simulated process does: reads the path of a module from stdin and loads it (none if the line is empty), says
/// how it was built, then reads one request after the other until that ends, and answers each on stdout (protocol.hpp).
/// No other module is loaded, so that the counts of a strategy do not depend on which others were selected. Every cell runs in a fork of its own, and a request is read into a buffer
/// that is always there: a cell finds the same heap and the same empty caches whichever came before it. Of each cell
/// Callgrind writes two dumps: what measuring nothing costs, then the measured pass. Returns the exit code.
[[nodiscard]] int serve_simulation(Catalogue catalogue);

}  // namespace stowage::harness
