#pragma once

#include <stdexcept>

// Include before the first header of the library: a broken precondition becomes an exception that a test can catch.
namespace stowage::testing {

class AssertionFired : public std::logic_error {
  using std::logic_error::logic_error;
};

inline void assert_or_throw(bool condition, const char* message) {
  if (!condition) throw AssertionFired(message);
}

}  // namespace stowage::testing

#ifdef STOWAGE_ASSERT
#error "throwing_assert.hpp comes before the headers of the library"
#endif
#define STOWAGE_ASSERT(condition, message) ::stowage::testing::assert_or_throw(static_cast<bool>(condition), message)
