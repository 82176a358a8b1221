#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <stowage/contract/capabilities.hpp>

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

// The capabilities that checks ask for are named where they are listed.
using enum Capability;

/// One named check of one strategy.
struct Check {
  const char* name;
  void (*run)();                  ///< null where the storage lacks what is checked
  std::string_view lacking = {};  ///< by name, there
};

/// The check `name` of `Strategy`, in whose scope it stands, where that offers the capabilities that follow; without
/// them it is not compiled, and stays in the list.
#define STOWAGE_CHECK(name, ...)                                                                \
  [] {                                                                                          \
    using Probe = Strategy<ProbeSchema>;                                                        \
    if constexpr (offers<Probe __VA_OPT__(, ) __VA_ARGS__>) {                                   \
      return Check{#name, &name<Strategy>};                                                     \
    } else {                                                                                    \
      return Check{#name, nullptr, name_of(first_lacking<Probe __VA_OPT__(, ) __VA_ARGS__>())}; \
    }                                                                                           \
  }()

}  // namespace stowage::conformance
