#pragma once

#include <stdexcept>
#include <string>
#include <utility>

// The conformance suite needs no test framework: a check is a function that throws where a storage fails it.
namespace stowage::conformance {

/// Where a requirement stands in the suite.
struct Where {
  const char* file;
  int line;

  [[nodiscard]] static Where here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  [[nodiscard]] std::string text() const { return std::string(file) + ":" + std::to_string(line); }
};

/// A storage did not keep what the contract or its semantics card promises.
class ConformanceFailure : public std::runtime_error {
 public:
  ConformanceFailure(const Where& where, const std::string& message)
      : std::runtime_error(where.text() + ": " + message) {}
};

/// Out of line, so that hundreds of requirements cost a call each and not a copy of this.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(const char* message, const char* file, int line) {
  throw ConformanceFailure({file, line}, message);
}

inline void require(bool condition, const char* message, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  if (!condition) fail(message, file, line);
}

/// Requires that `operation` throws an `Expected` and nothing else.
template <class Expected, class Operation>
void require_throws(Operation&& operation, const char* message, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
  try {
    std::forward<Operation>(operation)();
  } catch (const Expected&) {
    return;
  }
  fail(message, file, line);
}

/// One named check of one strategy.
struct Check {
  const char* name;
  void (*run)();
};

}  // namespace stowage::conformance
