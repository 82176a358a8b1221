#pragma once

#include <stdexcept>
#include <string>
#include <utility>

// What the checks of storages need in place of a test framework: a requirement that is not met throws.
namespace stowage::harness::verify {

/// A storage showed something else than it should.
class Mismatch : public std::runtime_error {
 public:
  /// what() says where in the checks that was found.
  Mismatch(std::string message, const char* file, int line)
      : std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + message),
        message_(std::move(message)) {}

  /// The same without the place.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }

 private:
  std::string message_;
};

/// Out of line, so that hundreds of requirements cost a call each and not a copy of this.
[[noreturn, gnu::cold, gnu::noinline]] inline void fail(const char* message, const char* file, int line) {
  throw Mismatch(message, file, line);
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

}  // namespace stowage::harness::verify
