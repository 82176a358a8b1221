#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <stowage/serialize/component_format.hpp>

namespace stowage {

/// The older way to load a file twice, as a rival of places: entities are known by random numbers of 31 bits that the
/// program keeps in components of its own, and a seed per load makes others of all of them. Nothing is looked up, and
/// nothing says that the new numbers are free: two of n numbers that were drawn at random are equal in
/// n (n - 1) / 2^32 pairs, 16 of 262,144, and so are those of two loads. 0 is nobody, and stays 0; that another number
/// becomes 0 is one of the collisions. Source: Wicked Engine, "Entity-component system" (2019).
[[nodiscard]] constexpr std::uint32_t seeded_id(std::uint32_t id, std::uint32_t seed) noexcept {
  return id != 0 && seed != 0 ? ((id << 1) ^ seed) >> 1 : id;
}

namespace serialize {

/// Makes others of the ids in a column of `rows` components.
inline void seed_ids(std::span<const Field> fields, std::uint32_t seed, std::byte* column, std::size_t rows,
                     std::size_t stride) noexcept {
  for (const Field& field : fields) {
    std::byte* at = column + field.offset;
    for (std::size_t row = 0; row < rows; ++row, at += stride) {
      std::uint32_t id;
      std::memcpy(&id, at, sizeof id);
      id = seeded_id(id, seed);
      std::memcpy(at, &id, sizeof id);
    }
  }
}

}  // namespace serialize
}  // namespace stowage
