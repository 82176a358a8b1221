#pragma once

#include "tests/conformance/components.hpp"
#include "tests/conformance/require.hpp"
#include "tests/support/catch.hpp"

namespace stowage::conformance {

/// The check objects to the mutant, and has nothing to say about the same composition without its broken part.
inline void expect_caught(void (*check_of_mutant)(), void (*check_of_original)()) {
  Fragile::living = 0;  // a mutant may have left some
  REQUIRE_NOTHROW(check_of_original());
  CHECK_THROWS_AS(check_of_mutant(), ConformanceFailure);
}

}  // namespace stowage::conformance
