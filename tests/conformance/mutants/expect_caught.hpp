#pragma once

#include "tests/conformance/components.hpp"
#include "tests/support/catch.hpp"

namespace stowage::conformance {

/// The check objects to the mutant.
inline void expect_caught(void (*check_of_mutant)()) {
  Fragile::living = 0;  // a mutant may have left some
  CHECK_THROWS_AS(check_of_mutant(), harness::verify::Mismatch);
}

/// It has nothing to say about the same composition without its broken part: where no other test checks that.
inline void expect_caught(void (*check_of_mutant)(), void (*check_of_original)()) {
  Fragile::living = 0;
  REQUIRE_NOTHROW(check_of_original());
  expect_caught(check_of_mutant);
}

}  // namespace stowage::conformance
