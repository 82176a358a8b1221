#pragma once

// Workload: a dense loop that mixes the fields of a vector, for which Bitsquid expects an array per scalar to be good.

#include <cmath>

#include "workloads/point_mass.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard point_mass_mixed_card{
    .name = "point_mass_mixed",
    .setup = "n entities with Mass, Position, Velocity and Acceleration (40 bytes), created one after the other",
    .measured =
        "one pass over all entities that mixes x, y and z: velocity += acceleration dt; what is faster than a limit is "
        "slowed to it, by a dot product, a square root and a division; position += velocity dt",
    .item = "entity",
    .checksum = "hash(ordinal, bits of position and velocity) of every entity after the passes",
    .favours = "an array per scalar field: one instruction computes the lengths of several vectors",
    .disadvantages = "arrays of vectors, whose x, y and z must be taken apart first, and everything without a loop",
    .floor =
        "36/64 lines per entity: velocity, position and acceleration, 12 bytes each, by a loop over an array for each "
        "of the nine scalars",
};

/// Some velocities are above it: their components are between -1 and 1.
inline constexpr float speed_limit = 0.75f;

/// What the velocity is multiplied with so that it keeps to the limit. Without a branch, so that it can be vectorised.
[[nodiscard]] inline float slowed(float x, float y, float z) noexcept {
  const float squared = x * x + y * y + z * z;
  return speed_limit / std::max(speed_limit, std::sqrt(squared));
}

inline void simulate_mixed(Velocity& velocity, Position& position, const Acceleration& acceleration) {
  const float x = velocity.x + acceleration.x * time_step;
  const float y = velocity.y + acceleration.y * time_step;
  const float z = velocity.z + acceleration.z * time_step;
  const float factor = slowed(x, y, z);
  velocity = {x * factor, y * factor, z * factor};
  integrate(position, velocity);
}

template <class Storage>
class PointMassMixedCase : public PointMassCase<Storage> {
 public:
  using PointMassCase<Storage>::PointMassCase;

  void run() {
    this->storage_.template each<Velocity, Position, const Acceleration>(
        [](Velocity& velocity, Position& position, const Acceleration& acceleration) {
          simulate_mixed(velocity, position, acceleration);
        });
    keep(this->storage_);
  }
};

/// The floor: an array for each scalar, in one allocation.
class PointMassMixedReference {
 public:
  explicit PointMassMixedReference(const Parameters& parameters) : count_(parameters.entities) {
    const Values values(parameters.seed);
    scalars_.reallocate(count_, 0);
    for (std::size_t i = 0; i < count_; ++i) {
      scalars_.of<Mass>()[i] = Values::mass(i);
      construct<0>(i, values.position(i));
      construct<3>(i, values.velocity(i));
      construct<6>(i, values.acceleration(i));
    }
  }

  void run() {
    advance(count_, array<0>(), array<1>(), array<2>(), array<3>(), array<4>(), array<5>(), array<6>(), array<7>(),
            array<8>());
    keep(scalars_);
  }

  [[nodiscard]] std::uint64_t items() const { return count_; }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    for (std::size_t i = 0; i < count_; ++i) {
      sum.add_floats(i, array<0>()[i], array<1>()[i], array<2>()[i], array<3>()[i], array<4>()[i], array<5>()[i]);
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = 40 * count_, .slack_bytes = scalars_.held_bytes() - 40 * count_, .allocations = 1};
  }

 private:
  STOWAGE_NOINLINE static void advance(std::size_t count, float* __restrict px, float* __restrict py,
                                       float* __restrict pz, float* __restrict vx, float* __restrict vy,
                                       float* __restrict vz, const float* __restrict ax, const float* __restrict ay,
                                       const float* __restrict az) {
    for (std::size_t i = 0; i < count; ++i) {
      const float x = vx[i] + ax[i] * time_step;
      const float y = vy[i] + ay[i] * time_step;
      const float z = vz[i] + az[i] * time_step;
      const float factor = slowed(x, y, z);
      vx[i] = x * factor;
      vy[i] = y * factor;
      vz[i] = z * factor;
      px[i] += vx[i] * time_step;
      py[i] += vy[i] * time_step;
      pz[i] += vz[i] * time_step;
    }
  }

  /// px, py, pz, vx, vy, vz, ax, ay, az.
  template <int Place>
  struct Scalar {
    float value;
  };
  template <int Place>
  [[nodiscard]] float* array() noexcept {
    return reinterpret_cast<float*>(scalars_.of<Scalar<Place>>());
  }
  template <int First, class Vector>
  void construct(std::size_t row, const Vector& vector) {
    array<First>()[row] = vector.x;
    array<First + 1>()[row] = vector.y;
    array<First + 2>()[row] = vector.z;
  }

  std::size_t count_;
  Columns<Mass, Scalar<0>, Scalar<1>, Scalar<2>, Scalar<3>, Scalar<4>, Scalar<5>, Scalar<6>, Scalar<7>, Scalar<8>>
      scalars_;
};

struct PointMassMixed {
  static constexpr const WorkloadCard& card = point_mass_mixed_card;
  using References = TypeList<PointMassMixedReference>;

  [[nodiscard]] static std::vector<Axis> axes() { return {}; }
  /// As in point_mass: 36/64 = 0.5625.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    return PointMass::floor(parameters, lines);
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<PointMassMixedCase<Strategy<PointMassSchema>>>(parameters);
  }
};

}  // namespace stowage::workloads
