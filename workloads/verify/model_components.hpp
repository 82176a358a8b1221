#pragma once

// What the checks of storages are made of: requirements that throw, and components that storages treat differently.
// Each component is made of a number and returns it; damage to its bytes shows in the number. The conformance suite
// adds more of them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <stowage/contract/schema.hpp>

namespace stowage::workloads::verify {

// ---- requirements

/// A storage broke a requirement.
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

/// Out of line, so that each of hundreds of requirements costs a call and not a copy of this.
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
  } catch (const Mismatch&) {
    throw;
  } catch (...) {  // is reported as what is wrong, like no exception at all
  }
  fail(message, file, line);
}

// ---- components

/// Plain bytes, of several scalars: layouts may take them apart.
struct Position {
  std::uint32_t number, twice, thrice;

  [[nodiscard]] static Position made_of(std::uint32_t number) { return {number, number * 2, number * 3}; }
};

/// A tag: it takes no bytes.
struct Frozen {};

/// Over-aligned, if a storage takes that.
template <std::size_t Alignment>
struct alignas(Alignment) WideOf {
  std::uint32_t number;
  std::array<std::uint32_t, 15> rest;

  [[nodiscard]] static WideOf made_of(std::uint32_t number) {
    WideOf wide{number, {}};
    wide.rest.fill(number);
    return wide;
  }
};

struct Large {
  std::array<std::uint32_t, 64> numbers;

  [[nodiscard]] static Large made_of(std::uint32_t number) {
    Large large;
    large.numbers.fill(number);
    return large;
  }
};

inline constexpr std::uint32_t moved_from = 0xdead;

/// Can only be moved, owns memory that operator new does not count, and counts its instances: a destructor that is
/// skipped or run twice shows.
class Unique {
 public:
  explicit Unique(std::uint32_t number) : number_(static_cast<std::uint32_t*>(std::malloc(sizeof number))) {
    *number_ = number;
    ++living;
  }
  Unique(Unique&& other) noexcept : number_(std::move(other.number_)) { ++living; }
  Unique& operator=(Unique&&) = delete;
  ~Unique() { --living; }

  [[nodiscard]] std::uint32_t number() const { return number_ != nullptr ? *number_ : moved_from; }

  static inline thread_local std::ptrdiff_t living = 0;

 private:
  struct Free {
    void operator()(std::uint32_t* number) const noexcept { std::free(number); }
  };
  std::unique_ptr<std::uint32_t, Free> number_;
};

// ---- numbers

template <class C>
[[nodiscard, gnu::noinline]] C made_of(std::uint32_t number) {
  if constexpr (requires { C::made_of(number); }) {
    return C::made_of(number);
  } else if constexpr (is_tag<C>) {
    return {};
  } else {
    return C{number};
  }
}

/// What number_of() returns for a component made of `number`.
template <class C>
[[nodiscard]] constexpr std::uint32_t seen_of(std::uint32_t number) {
  if constexpr (is_tag<C>) {
    return 0;
  } else {
    return sizeof(C) == 1 ? number % 256 : number;
  }
}

/// Goes through memory, so that a compiler which knows the type's alignment cannot answer from that.
[[nodiscard]] inline bool is_aligned(const void* component, std::size_t alignment) {
  const volatile auto address = reinterpret_cast<std::uintptr_t>(component);
  return address % alignment == 0;
}

[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Position& c) {
  require(c.twice == c.number * 2 && c.thrice == c.number * 3, "a component is torn");
  return c.number;
}
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Frozen&) { return 0; }
template <std::size_t Alignment>
[[nodiscard, gnu::noinline]] std::uint32_t number_of(const WideOf<Alignment>& c) {
  require(is_aligned(&c, Alignment), "an over-aligned component is misaligned");
  require(c.rest.front() == c.number && c.rest.back() == c.number, "an over-aligned component is torn");
  return c.number;
}
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Large& c) {
  require(c.numbers.front() == c.numbers.back(), "a large component is torn");
  return c.numbers.front();
}
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Unique& c) { return c.number(); }

}  // namespace stowage::workloads::verify
