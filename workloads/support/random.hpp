#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>

#include "workloads/support/array.hpp"

namespace stowage::workloads {

/// Spreads 64 bits over 64 bits (the finaliser of splitmix64): equal everywhere, and cheap enough to call per value.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t first, std::uint64_t second) noexcept {
  return mixed(mixed(first) + second);
}

/// A float in [-1, 1) made of 24 bits of `bits`, so exactly representable and equal everywhere.
[[nodiscard]] constexpr float unit_float(std::uint64_t bits) noexcept {
  return static_cast<float>(bits >> 40) / 8388608.0f - 1.0f;
}

/// 0 .. count - 1.
[[nodiscard]] inline Array<std::uint32_t> in_order(std::size_t count) {
  Array<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

/// The seeded sequence that all orders come from. The engine is specified by the standard; the distributions of the
/// standard library are not, so they are not used.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// A number below `bound`, which is not 0. Unbiased.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t unusable = (std::uint64_t{0} - bound) % bound;  // 2^64 mod bound
    for (;;) {
      const std::uint64_t drawn = engine_();
      if (drawn >= unusable) return drawn % bound;
    }
  }

  template <class T>
  void shuffle(Array<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

  /// 0 .. count - 1 in random order.
  [[nodiscard]] Array<std::uint32_t> permutation(std::size_t count) {
    Array<std::uint32_t> order = in_order(count);
    shuffle(order);
    return order;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace stowage::workloads
