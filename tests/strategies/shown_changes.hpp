#pragma once

#include <cstdint>
#include <set>

namespace stowage {

struct Position {
  std::uint32_t number;
};
struct Mass {
  std::uint32_t number;
};
struct Tag {};

/// The numbers of the positions that a loop is shown because they may have changed, of entities that have a mass.
template <class Storage>
std::multiset<std::uint32_t> changed(Storage& storage) {
  std::multiset<std::uint32_t> numbers;
  storage.template each_changed<const Position, Mass>([&](const Position& at, Mass& mass) {
    numbers.insert(at.number);
    ++mass.number;
  });
  return numbers;
}

}  // namespace stowage
