#pragma once

#include "harness/catalogue.hpp"

namespace stowage::harness {

/// The whole command line for the strategies and workloads of `catalogue`; returns the process's exit code. A binary
/// with other strategies is a main() that calls this with another catalogue.
[[nodiscard]] int harness_main(int argc, char** argv, Catalogue catalogue);

}  // namespace stowage::harness
