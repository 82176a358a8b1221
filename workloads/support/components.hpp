#pragma once

#include <array>
#include <cstdint>

#include <stowage/contract/schema.hpp>

#include "workloads/support/random.hpp"

namespace stowage::workloads {

// The point mass of Bitsquid: 40 bytes of components, of which the simulation touches 36.
struct Mass {
  float value;
};
struct Position {
  float x, y, z;
};
struct Velocity {
  float x, y, z;
};
struct Acceleration {
  float x, y, z;
};
using PointMassSchema = Schema<Group<Mass, Position, Velocity, Acceleration>>;

// The render loop of Cerulean Skies: 16 bytes of which 8 are read, 32 bytes of which 12 are read.
struct Render {
  std::uint64_t texture;
  std::uint64_t shader;
};
struct Transform {
  std::array<float, 3> position;
  std::array<float, 4> orientation;
  float scale;
};

/// The components that the entity with a given ordinal has: the same for every strategy, in whatever order they are
/// asked for.
class Values {
 public:
  explicit Values(std::uint64_t seed) : seed_(seed) {}

  /// Tells the ordinal back: floats hold integers below 2^24 exactly.
  [[nodiscard]] static Mass mass(std::uint64_t ordinal) { return {static_cast<float>(ordinal + 1)}; }
  [[nodiscard]] static std::uint64_t ordinal(Mass mass) { return static_cast<std::uint64_t>(mass.value) - 1; }

  [[nodiscard]] Position position(std::uint64_t ordinal) const { return vector<Position>(ordinal, 1); }
  [[nodiscard]] Velocity velocity(std::uint64_t ordinal) const { return vector<Velocity>(ordinal, 2); }
  [[nodiscard]] Acceleration acceleration(std::uint64_t ordinal) const { return vector<Acceleration>(ordinal, 3); }
  [[nodiscard]] Render render(std::uint64_t ordinal) const { return {bits(ordinal, 4), bits(ordinal, 5)}; }
  [[nodiscard]] Transform transform(std::uint64_t ordinal) const {
    const auto at = vector<Position>(ordinal, 6);
    return {{at.x, at.y, at.z}, {0.0f, 0.0f, 0.0f, 1.0f}, 1.0f};
  }

 private:
  [[nodiscard]] std::uint64_t bits(std::uint64_t ordinal, std::uint64_t stream) const {
    return mixed(seed_ + stream, ordinal);
  }
  template <class Vector>
  [[nodiscard]] Vector vector(std::uint64_t ordinal, std::uint64_t stream) const {
    const std::uint64_t drawn = bits(ordinal, stream);
    return {unit_float(drawn), unit_float(mixed(drawn, 1)), unit_float(mixed(drawn, 2))};
  }

  std::uint64_t seed_;
};

}  // namespace stowage::workloads
