#pragma once

#include <numeric>
#include <random>

#include "tests/conformance/components.hpp"

// Entities of World with the component sets that the checks need; few, because each costs compile time.
namespace stowage::conformance {

template <class Roster>
std::size_t create_whole_group(Roster& roster, std::uint32_t number) {
  return roster.template create<Position, Fragile, Wide>(number);
}
/// Parts of both groups.
template <class Roster>
std::size_t create_partial(Roster& roster, std::uint32_t number) {
  return roster.template create<Name, Fragile>(number);
}
template <class Roster>
std::size_t create_second_group(Roster& roster, std::uint32_t number) {
  return roster.template create<Unique, Half, Large, Name>(number);
}
/// The first group whole, the second in part, and more, not in the order of the schema.
template <class Roster>
std::size_t create_assorted(Roster& roster, std::uint32_t number) {
  return roster.template create<Name, Wide, Position, Frozen, Fragile, Unique>(number);
}

/// Entities of every set: whole groups, parts of groups, one component, none.
template <class Roster>
void populate(Roster& roster, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    create_whole_group(roster, i);
    create_partial(roster, i);
    create_second_group(roster, i);
    create_assorted(roster, i);
    roster.template create<>();
  }
}

/// 0 .. count - 1 in an order that is always the same and follows no pattern.
[[nodiscard]] inline std::vector<std::size_t> shuffled(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 engine(count);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[engine() % i]);
  return order;
}

}  // namespace stowage::conformance
