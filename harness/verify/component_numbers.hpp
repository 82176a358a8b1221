#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/verify/model.hpp"

// The model knows a component by a number, from which it is made and which can be told of it again.

namespace stowage::harness::verify {

[[nodiscard]] inline std::uint32_t number_of(const Plain& c) {
  expect(c.inverse == ~c.number, "a component is torn");
  return c.number;
}
[[nodiscard]] inline std::uint32_t number_of(const Counted& c) { return c.number(); }
[[nodiscard]] inline std::uint32_t number_of(const Aligned& c) {
  expect(reinterpret_cast<std::uintptr_t>(&c) % alignof(Aligned) == 0, "an over-aligned component is misaligned");
  return c.number;
}
[[nodiscard]] inline std::uint32_t number_of(const Unaligned& c) { return c.number; }
[[nodiscard]] inline std::uint32_t number_of(const Tag&) { return 0; }
[[nodiscard]] inline std::uint32_t number_of(const Large& c) {
  expect(c.numbers.front() == c.numbers.back(), "a large component is torn");
  return c.numbers.front();
}

/// A component made of a number; the tag says nothing and makes it 0.
template <class C>
[[nodiscard]] C made_of(std::uint32_t number) {
  if constexpr (std::is_same_v<C, Plain>) {
    return {number, ~number};
  } else if constexpr (std::is_same_v<C, Large>) {
    Large large;
    large.numbers.fill(number);
    return large;
  } else if constexpr (std::is_same_v<C, Tag>) {
    return {};
  } else {
    return C{number};
  }
}

}  // namespace stowage::harness::verify
