#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/text.hpp"

// Random numbers and orders that are the same for the same generator, everywhere.
namespace stowage::harness {

/// A number below `bound`, each equally likely. Ours, because the standard's distributions differ between libraries.
[[nodiscard]] inline std::uint64_t below(std::mt19937_64& generator, std::uint64_t bound) {
  // Numbers from the last, incomplete multiple of `bound` would favour small results.
  const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / bound * bound;
  std::uint64_t number = generator();
  while (number >= limit) number = generator();
  return number % bound;
}

/// Fisher and Yates: the same order for the same generator, everywhere.
template <class T>
void shuffle(std::vector<T>& values, std::mt19937_64& generator) {
  for (std::size_t left = values.size(); left > 1; --left) {
    std::swap(values[left - 1], values[below(generator, left)]);
  }
}

/// A generator for the block of that name: what a block does depends neither on the blocks before it nor on its shard.
[[nodiscard]] inline std::mt19937_64 generator_for(std::uint64_t seed, std::string_view block) {
  return std::mt19937_64(seed ^ digest_of(block));
}

}  // namespace stowage::harness
