#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <stowage/contract/schema.hpp>

#include "tests/conformance/require.hpp"

// Component types of every kind that the contract allows. Each is made of a number and tells it back; what goes wrong
// with its bytes on the way shows in the number.
namespace stowage::conformance {

struct Position {
  std::uint32_t number, twice, thrice;
};

struct Velocity {
  std::uint32_t number;
};

/// One byte, so that columns and rows get odd sizes.
struct Team {
  std::uint8_t number;
};

struct Frozen {};

// The suite is compiled with less, in an executable of its own, for storages that lack over_alignment.
#ifndef STOWAGE_CONFORMANCE_ALIGNMENT
#define STOWAGE_CONFORMANCE_ALIGNMENT 64
#endif
inline constexpr std::size_t most_alignment = STOWAGE_CONFORMANCE_ALIGNMENT;

struct alignas(most_alignment / 2) Half {
  std::uint32_t number;
};

struct alignas(most_alignment) Wide {
  std::uint32_t number;
  std::array<std::uint32_t, 15> rest;
};

struct Large {
  std::array<std::uint32_t, 64> numbers;
};

/// Owns memory of operator new when it is copied: a copy can fail.
struct Name {
  std::string text;
};

class Injected : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "a component's constructor threw, as told to"; }
};

/// Counts its instances, knows where it lives, and throws when told to: a constructor or destructor that is left out,
/// run twice or replaced by a copy of bytes shows.
class Fragile {
 public:
  explicit Fragile(std::uint32_t number) : number_(number), home_(this) {
    burn_fuse();
    ++living;
  }
  Fragile(const Fragile& other) : number_(other.number()), home_(this) {
    burn_fuse();
    ++living;
  }
  Fragile(Fragile&& other) noexcept : number_(std::exchange(other.number_, moved_from)), home_(this) { ++living; }
  Fragile& operator=(const Fragile&) = delete;
  ~Fragile() {
    --living;
    home_ = nullptr;
  }

  [[nodiscard]] std::uint32_t number() const {
    require(home_ == this, "a component was moved as bytes, or used after its destructor");
    return number_;
  }

  static constexpr std::uint32_t moved_from = 0xdead;
  static inline std::ptrdiff_t living = 0;

  /// While it lives, the construction number `nth` from now on (counted from 1; moves do not count) throws Injected.
  class Fuse {
   public:
    explicit Fuse(std::size_t nth) { until_throw = nth; }
    Fuse(const Fuse&) = delete;
    Fuse& operator=(const Fuse&) = delete;
    ~Fuse() { until_throw = 0; }
  };

 private:
  static void burn_fuse() {
    if (until_throw == 0) return;
    --until_throw;
    if (until_throw == 0) throw Injected();
  }

  static inline std::size_t until_throw = 0;

  std::uint32_t number_;
  const Fragile* home_;
};

/// Can be moved only, and owns memory that operator new does not count.
class Unique {
 public:
  explicit Unique(std::uint32_t number) : number_(static_cast<std::uint32_t*>(std::malloc(sizeof number))) {
    *number_ = number;
  }

  [[nodiscard]] std::uint32_t number() const { return number_ != nullptr ? *number_ : Fragile::moved_from; }

 private:
  struct Free {
    void operator()(std::uint32_t* number) const noexcept { std::free(number); }
  };
  std::unique_ptr<std::uint32_t, Free> number_;
};

// ---- schemas

/// Every kind of component in two groups and alone.
using World = Schema<Group<Position, Fragile, Wide>, Group<Name, Large>, Unique, Half, Frozen>;

/// Nothing but plain bytes: cheap in thousands, and trivially destructible.
using Plain = Schema<Group<Position, Velocity>, Team, Frozen>;

/// The component lists that iteration is checked with, beside each component alone: a part of a group, a whole group,
/// components of two groups, of a group and of none.
template <class SchemaType>
struct JoinsOf;
template <>
struct JoinsOf<World> {
  using type = TypeList<TypeList<Position, Fragile>, TypeList<Wide, Position, Fragile>, TypeList<Large, Wide>,
                        TypeList<Unique, Fragile, Frozen>>;
};
template <>
struct JoinsOf<Plain> {
  using type = TypeList<TypeList<Velocity, Position>, TypeList<Team, Position>, TypeList<Frozen, Velocity, Team>>;
};

// ---- numbers

template <class C>
[[nodiscard, gnu::noinline]] C made_of(std::uint32_t number) {
  if constexpr (std::is_same_v<C, Position>) {
    return {number, number * 2, number * 3};
  } else if constexpr (std::is_same_v<C, Team>) {
    return {static_cast<std::uint8_t>(number)};
  } else if constexpr (std::is_same_v<C, Wide>) {
    Wide wide{number, {}};
    wide.rest.fill(number);
    return wide;
  } else if constexpr (std::is_same_v<C, Large>) {
    Large large;
    large.numbers.fill(number);
    return large;
  } else if constexpr (std::is_same_v<C, Name>) {
    return {"too long for a small string: " + std::to_string(number)};
  } else if constexpr (is_tag<C>) {
    return {};
  } else {
    return C{number};
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
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Velocity& c) { return c.number; }
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Team& c) { return c.number; }
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Frozen&) { return 0; }
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Half& c) { return c.number; }
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Wide& c) {
  require(c.rest.front() == c.number && c.rest.back() == c.number, "an over-aligned component is torn");
  return c.number;
}
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Large& c) {
  require(c.numbers.front() == c.numbers.back(), "a large component is torn");
  return c.numbers.front();
}
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Name& c) {
  const std::size_t digits = c.text.find_last_of(' ');
  return digits == std::string::npos ? Fragile::moved_from
                                     : static_cast<std::uint32_t>(std::stoul(c.text.substr(digits + 1)));
}
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Fragile& c) { return c.number(); }
[[nodiscard, gnu::noinline]] inline std::uint32_t number_of(const Unique& c) { return c.number(); }

/// What number_of() tells of a component made of `number`.
template <class C>
[[nodiscard]] std::uint32_t seen_of(std::uint32_t number) {
  if constexpr (std::is_same_v<C, Team>) {
    return number % 256;
  } else {
    return is_tag<C> ? 0 : number;
  }
}

}  // namespace stowage::conformance
