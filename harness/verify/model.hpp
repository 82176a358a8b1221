#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <stowage/contract/schema.hpp>

#include "harness/verify/components.hpp"
#include "harness/verify/require.hpp"

// The random work that a storage and the roster beside it are given, and the schema for it.
namespace stowage::harness::verify {

/// `Alignment` is that of the over-aligned component: 16 for a storage that lacks over_alignment.
template <std::size_t Alignment>
using ModelSchemaWith = Schema<Group<Position, Unique, WideOf<Alignment>>, Frozen, Large>;
using ModelSchema = ModelSchemaWith<64>;

// ---- work

enum class Kind : std::uint8_t {
  create_empty,
  create_group,    // Position, Unique, WideOf: a complete group
  create_partial,  // Unique, Large: part of the group and something else
  create_bulk,     // up to 64 entities with Position, Large, Frozen
  destroy,
  destroy_stale,  // a handle whose entity is gone
  emplace,        // component `pick % 5`
  remove,         // component `pick % 5`
  look_up,
  clear,
  audit,
  collect,  // where rows outlive their entities
  count_of_kinds
};
inline constexpr std::size_t kind_count = static_cast<std::size_t>(Kind::count_of_kinds);

struct Operation {
  Kind kind = Kind::audit;
  std::uint32_t pick = 0;   ///< which entity, reduced modulo how many there are
  std::uint32_t value = 0;  ///< what components are made of
};

/// `count` operations from `seed`, in waves of growth to thousands of entities and decline to a handful, so that every
/// growth step and section boundary is crossed both ways.
[[nodiscard]] std::vector<Operation> random_operations(std::uint64_t seed, std::size_t count);

/// One operation per 9 bytes of a fuzzer's input.
[[nodiscard]] std::vector<Operation> decode_operations(const std::uint8_t* bytes, std::size_t size);

/// The mismatch with the operation that showed it: "... after operation 8123 of 20000, remove (pick 57, value 12)".
[[nodiscard]] std::string describe(const Mismatch& mismatch, const std::vector<Operation>& operations,
                                   std::size_t position);

}  // namespace stowage::harness::verify
