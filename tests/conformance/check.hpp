#pragma once

// A check, and the standard headers that most checks need.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/capabilities.hpp>

// The conformance suite needs no test framework: a check is a function that throws if a storage fails it.
namespace stowage::conformance {

// The capabilities that checks ask for are named where they are listed.
using enum Capability;

/// Whether the check that takes longest may do with fewer entities: set by ctest if not all tests are asked for.
[[nodiscard]] inline bool is_brief() { return std::getenv("STOWAGE_TEST_BRIEFLY") != nullptr; }

/// One named check of one strategy.
struct Check {
  const char* name;
  void (*run)();                  ///< null if the storage lacks what is checked
  std::string_view lacking = {};  ///< by name, there
};

/// The check `name` of `Strategy`, in whose scope it stands, if that offers the capabilities that follow; without
/// them it is not compiled, and stays in the list. `function` makes it.
#define STOWAGE_CHECK_BY(function, name, ...)                                                   \
  [] {                                                                                          \
    using Probe = Strategy<ProbeSchema>;                                                        \
    if constexpr (offers<Probe __VA_OPT__(, ) __VA_ARGS__>) {                                   \
      return Check{#name, function};                                                            \
    } else {                                                                                    \
      return Check{#name, nullptr, name_of(first_lacking<Probe __VA_OPT__(, ) __VA_ARGS__>())}; \
    }                                                                                           \
  }()
/// The same of a function that is called like the check.
#define STOWAGE_CHECK(name, ...) STOWAGE_CHECK_BY(&name<Strategy>, name, __VA_ARGS__)

}  // namespace stowage::conformance
