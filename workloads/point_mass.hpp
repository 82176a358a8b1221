#pragma once

// Workload: the plain dense loop (velocity += acceleration dt; position += velocity dt), on which others are built.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <stowage/contract/type_list.hpp>

#include "workloads/floors/array.hpp"
#include "workloads/support/checksum.hpp"
#include "workloads/support/components.hpp"
#include "workloads/support/contract_floor.hpp"
#include "workloads/support/floor.hpp"
#include "workloads/support/keep.hpp"
#include "workloads/support/measurement.hpp"
#include "workloads/support/parameters.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard point_mass_card{
    .name = "point_mass",
    .setup = "n entities with Mass, Position, Velocity and Acceleration (40 bytes), created one after the other",
    .measured = "one pass over all entities: velocity += acceleration dt; position += velocity dt",
    .item = "entity",
    .checksum = "hash(ordinal, bits of position and velocity) of every entity after the passes",
    .favours = "designs that keep each component contiguous: the loop becomes a handful of vector instructions",
    .disadvantages = "interleaved rows (they drag the mass along and defeat the vector unit) and heap objects",
    .floor = "36/64 lines per entity: velocity, position and acceleration, 12 bytes each, by a loop over three arrays",
};

inline constexpr float time_step = 1.0f / 1024.0f;

template <class Vector, class Rate>
void integrate(Vector& vector, const Rate& rate) {
  vector.x += rate.x * time_step;
  vector.y += rate.y * time_step;
  vector.z += rate.z * time_step;
}

/// One step of one entity; every form of the workload rounds the same way.
inline void simulate(Velocity& velocity, Position& position, const Acceleration& acceleration) {
  integrate(velocity, acceleration);
  integrate(position, velocity);
}

/// One step of every entity of a storage over PointMassSchema.
template <class Storage>
void simulate_all(Storage& storage) {
  storage.template each<Velocity, Position, const Acceleration>(
      [](Velocity& velocity, Position& position, const Acceleration& acceleration) {
        simulate(velocity, position, acceleration);
      });
  keep(storage);
}

/// The checksum of where that has brought them.
template <class Storage>
[[nodiscard]] std::uint64_t simulated_checksum(Storage& storage) {
  Checksum sum;
  storage.template each<const Mass, const Position, const Velocity>(
      [&](const Mass& mass, const Position& p, const Velocity& v) {
        sum.add_floats(Values::ordinal(mass), p.x, p.y, p.z, v.x, v.y, v.z);
      });
  return sum.value();
}

template <class Storage>
class PointMassCase {
 public:
  static constexpr bool repeatable = true;

  explicit PointMassCase(const Parameters& parameters) {
    const Values values(parameters.seed);
    storage_.template reserve<Mass, Position, Velocity, Acceleration>(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      storage_.create(Values::mass(i), values.position(i), values.velocity(i), values.acceleration(i));
    }
  }

  void prepare() {}
  void run() { simulate_all(storage_); }

  [[nodiscard]] std::uint64_t items() const { return storage_.size(); }
  [[nodiscard]] std::uint64_t checksum() { return simulated_checksum(storage_); }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear() { storage_.clear(); }

 protected:
  [[nodiscard]] Storage& storage() noexcept { return storage_; }

 private:
  Storage storage_;
};

/// The floor: an array for each component, in one allocation.
class PointMassReference {
 public:
  static constexpr bool repeatable = true;

  explicit PointMassReference(const Parameters& parameters) : count_(parameters.entities) {
    const Values values(parameters.seed);
    columns_.reallocate(count_, 0);
    for (std::size_t i = 0; i < count_; ++i) {
      columns_.of<Mass>()[i] = Values::mass(i);
      columns_.of<Position>()[i] = values.position(i);
      columns_.of<Velocity>()[i] = values.velocity(i);
      columns_.of<Acceleration>()[i] = values.acceleration(i);
    }
  }

  void prepare() {}
  void run() {
    advance(0, count_);
    keep(columns_);
  }

  [[nodiscard]] std::uint64_t items() const { return count_; }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    for (std::size_t i = 0; i < count_; ++i) {
      const Position& p = columns_.of<Position>()[i];
      const Velocity& v = columns_.of<Velocity>()[i];
      sum.add_floats(i, p.x, p.y, p.z, v.x, v.y, v.z);
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = 40 * count_,
            .index_bytes = 0,
            .slack_bytes = columns_.held_bytes() - 40 * count_,
            .allocations = 1};
  }

 protected:
  /// A column as a flat array of 3 n scalars.
  template <class Vector>
  [[nodiscard]] float* scalars() noexcept {
    return reinterpret_cast<float*>(columns_.of<Vector>());
  }
  /// One step of the entities from `first` to `end`.
  void advance(std::size_t first, std::size_t end) {
    Velocity* const velocities = columns_.of<Velocity>();
    Position* const positions = columns_.of<Position>();
    const Acceleration* const accelerations = columns_.of<Acceleration>();
    for (std::size_t i = first; i < end; ++i) simulate(velocities[i], positions[i], accelerations[i]);
  }
  [[nodiscard]] const auto& columns() const noexcept { return columns_; }

 private:
  std::size_t count_;
  Columns<Mass, Position, Velocity, Acceleration> columns_;
};

/// The fastest loop over interleaved rows that we know of, which interleaved designs are compared with.
class PointMassInterleaved : public InterleavedName {
 public:
  static constexpr bool repeatable = true;

  explicit PointMassInterleaved(const Parameters& parameters) {
    const Values values(parameters.seed);
    rows_.reserve(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      rows_.push_back({Values::mass(i), values.position(i), values.velocity(i), values.acceleration(i)});
    }
  }

  void prepare() {}
  void run() {
    for (Row& row : rows_) {
      keep_scalar();
      simulate(row.velocity, row.position, row.acceleration);
    }
    keep(rows_);
  }

  [[nodiscard]] std::uint64_t items() const { return rows_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    for (const auto& [mass, p, v, a] : rows_) sum.add_floats(Values::ordinal(mass), p.x, p.y, p.z, v.x, v.y, v.z);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = sizeof(Row) * rows_.size(), .index_bytes = 0, .slack_bytes = 0, .allocations = 1};
  }

 private:
  struct Row {
    Mass mass;
    Position position;
    Velocity velocity;
    Acceleration acceleration;
  };
  StoredArray<Row> rows_;
};

struct PointMass {
  static constexpr const WorkloadCard& card = point_mass_card;
  using References = TypeList<PointMassReference, PointMassInterleaved>;

  [[nodiscard]] static std::vector<Axis> axes() { return {}; }
  /// Three components of 12 bytes are read, two of them written back to the same lines; the mass is not touched. Packed
  /// arrays walked in their order fetch no byte beside these: 36/64 = 0.5625.
  [[nodiscard]] static Floor floor(const Parameters&) {
    constexpr double bytes = sizeof(Velocity) + sizeof(Position) + sizeof(Acceleration);
    return {.lines_per_item = lines_in_sequence(bytes), .bytes_per_item = bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return std::make_unique<MeasurementOf<PointMassCase<Strategy<PointMassSchema>>>>(parameters);
  }
};

}  // namespace stowage::workloads
