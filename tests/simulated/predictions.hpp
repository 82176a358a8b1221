#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "workloads/support/components.hpp"

namespace stowage::predictions {

using workloads::Acceleration;
using workloads::Mass;
using workloads::Position;
using workloads::Render;
using workloads::Transform;
using workloads::Velocity;

/// The eighth of a line that a list of 8-byte handles costs each time: the workload's own part.
template <class Storage>
inline constexpr double listed_handle = static_cast<double>(sizeof(typename Storage::entity_type)) / 64;

inline void print(const std::string& cell, double lines) { std::printf("%s %.6f\n", cell.c_str(), lines); }

/// How many entities a lookup has to choose from.
inline constexpr std::size_t lookup_entities = 1'048'576;
template <class Storage>
inline constexpr bool numbers_that_many = [] {
  if constexpr (requires { Storage::row_limit; }) return Storage::row_limit >= lookup_entities;
  return true;
}();

/// What the header of a strategy predicts of `lookup`, if it does: the name of the cell and the lines for each item.
/// Nothing if there cannot be so many entities.
template <class Storage>
void print_lookup(const std::string& strategy) {
  if constexpr (numbers_that_many<Storage> && requires { Storage::template lookup_lines<Position>(); }) {
    const std::string cell = "lookup/" + strategy + "/entities:" + std::to_string(lookup_entities) + "/components:";
    print(cell + "1", listed_handle<Storage> + Storage::template lookup_lines<Position>());
    print(cell + "4",
          listed_handle<Storage> + Storage::template lookup_lines<Mass, Position, Velocity, Acceleration>());
  }
}

/// What it predicts of `join`, where the order in which things were made decides what a lookup costs.
template <class Storage>
void print_join(const std::string& strategy) {
  if constexpr (requires { Storage::template scattered_lookup_lines<Render>(); }) {
    print("join/" + strategy + "/entities:100000/order:unrelated/via:find",
          listed_handle<Storage> + Storage::template scattered_lookup_lines<Render, Transform>());
  }
}

}  // namespace stowage::predictions
