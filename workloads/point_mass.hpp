#pragma once

// Workload: the plain dense loop (velocity += acceleration dt; position += velocity dt), on which others are built.

#include "workloads/support/workload.hpp"

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
/// The same of the rows from `first` to `end` of hand-written arrays.
inline void simulate_rows(std::size_t first, std::size_t end, Velocity* velocities, Position* positions,
                          const Acceleration* accelerations) {
  constexpr auto step = [](Velocity& v, Position& p, const Acceleration& a) { simulate(v, p, a); };
  visit_arrays(first, end, step, no_entity, velocities, positions, accelerations);
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
class PointMassCase : public StorageCase<Storage> {
 public:
  explicit PointMassCase(const Parameters& parameters) {
    const Values values(parameters.seed);
    storage_.template reserve<Mass, Position, Velocity, Acceleration>(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      storage_.create(Values::mass(i), values.position(i), values.velocity(i), values.acceleration(i));
    }
  }

  void run() { simulate_all(storage_); }

  [[nodiscard]] std::uint64_t checksum() { return simulated_checksum(storage_); }

 protected:
  using StorageCase<Storage>::storage_;
};

/// The floor: an array for each component, in one allocation.
class PointMassReference {
 public:
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
    return {.payload_bytes = 40 * count_, .slack_bytes = columns_.held_bytes() - 40 * count_, .allocations = 1};
  }

 protected:
  /// A column as a flat array of 3 n scalars.
  template <class Vector>
  [[nodiscard]] float* scalars() noexcept {
    return reinterpret_cast<float*>(columns_.of<Vector>());
  }
  /// One step of the entities from `first` to `end`.
  void advance(std::size_t first, std::size_t end) {
    simulate_rows(first, end, columns_.of<Velocity>(), columns_.of<Position>(), columns_.of<Acceleration>());
  }
  [[nodiscard]] const auto& columns() const noexcept { return columns_; }

 private:
  std::size_t count_;
  Columns<Mass, Position, Velocity, Acceleration> columns_;
};

/// The fastest loop over interleaved rows that we know of, which interleaved designs are compared with.
class PointMassInterleaved : public InterleavedName {
 public:
  explicit PointMassInterleaved(const Parameters& parameters) {
    const Values values(parameters.seed);
    rows_.reserve(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      rows_.push_back({Values::mass(i), values.position(i), values.velocity(i), values.acceleration(i)});
    }
  }

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
    return {.payload_bytes = sizeof(Row) * rows_.size(), .allocations = 1};
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

/// Arrays of Bitsquid's component manager with an allocation for each, where the allocator puts it: its first form.
struct BufferForEach {
  explicit BufferForEach(std::size_t rows)
      : owners(rows), masses(rows), positions(rows), velocities(rows), accelerations(rows) {}

  static constexpr std::size_t allocations = 5;
  std::vector<std::uint32_t> owners;
  std::vector<Mass> masses;
  std::vector<Position> positions;
  std::vector<Velocity> velocities;
  std::vector<Acceleration> accelerations;
};

/// Its second: one buffer, in which each array begins where the one before ends.
struct OneBuffer {
  explicit OneBuffer(std::size_t rows)
      : buffer(rows * (sizeof(std::uint32_t) + sizeof(Mass) + 3 * sizeof(Position))),
        owners(reinterpret_cast<std::uint32_t*>(buffer.data())),
        masses(reinterpret_cast<Mass*>(owners + rows)),
        positions(reinterpret_cast<Position*>(masses + rows)),
        velocities(reinterpret_cast<Velocity*>(positions + rows)),
        accelerations(reinterpret_cast<Acceleration*>(velocities + rows)) {}

  static constexpr std::size_t allocations = 1;
  std::vector<std::byte> buffer;  // moves with its bytes where they are
  std::uint32_t* owners;
  Mass* masses;
  Position* positions;
  Velocity* velocities;
  Acceleration* accelerations;
};

/// Component managers with `Form::instances` entities each, one after the other.
template <class Form>
class PointMassManagers : public Form {
  using Arrays = typename Form::arrays;

 public:
  explicit PointMassManagers(const Parameters& parameters) : count_(parameters.entities) {
    const Values values(parameters.seed);
    for (std::size_t first = 0; first < count_; first += Form::instances) {
      Manager& manager = managers_.emplace_back(std::min(Form::instances, count_ - first));
      for (std::size_t i = 0; i < manager.rows; ++i) {
        const std::size_t ordinal = first + i;
        manager.arrays.owners[i] = static_cast<std::uint32_t>(ordinal);
        manager.arrays.masses[i] = Values::mass(ordinal);
        manager.arrays.positions[i] = values.position(ordinal);
        manager.arrays.velocities[i] = values.velocity(ordinal);
        manager.arrays.accelerations[i] = values.acceleration(ordinal);
      }
    }
  }

  void run() {
    for (Manager& manager : managers_) {
      for (std::size_t i = 0; i < manager.rows; ++i) {
        simulate(manager.arrays.velocities[i], manager.arrays.positions[i], manager.arrays.accelerations[i]);
      }
    }
    keep(managers_);
  }

  [[nodiscard]] std::uint64_t items() const { return count_; }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    for (const Manager& manager : managers_) {
      for (std::size_t i = 0; i < manager.rows; ++i) {
        const Position& p = manager.arrays.positions[i];
        const Velocity& v = manager.arrays.velocities[i];
        sum.add_floats(manager.arrays.owners[i], p.x, p.y, p.z, v.x, v.y, v.z);
      }
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = 40 * count_,
            .index_bytes = 4 * count_ + managers_.size() * sizeof(Manager),
            .slack_bytes = (managers_.capacity() - managers_.size()) * sizeof(Manager),
            .allocations = 1 + managers_.size() * Arrays::allocations};
  }

 private:
  struct Manager {
    explicit Manager(std::size_t instances) : rows(instances), arrays(instances) {}
    std::size_t rows;
    Arrays arrays;
  };

  std::size_t count_;
  std::vector<Manager> managers_;
};

/// All entities in one manager, or few in each of many.
struct ManyInVectors {
  static constexpr std::string_view name = "reference.vectors", form = "exact",
                                    summary = "a std::vector for each array, where the allocator puts it";
  using arrays = BufferForEach;
  static constexpr std::size_t instances = std::numeric_limits<std::size_t>::max();
};
struct ManyInBuffer {
  static constexpr std::string_view name = "reference.buffer", form = "exact",
                                    summary = "one buffer for the same arrays, end to end";
  using arrays = OneBuffer;
  static constexpr std::size_t instances = ManyInVectors::instances;
};
struct FewInVectors {
  static constexpr std::string_view name = "reference.vectors_of_16", form = "exact",
                                    summary = "a std::vector for each array of 16 entities";
  using arrays = BufferForEach;
  static constexpr std::size_t instances = 16;
};
struct FewInBuffer {
  static constexpr std::string_view name = "reference.buffer_of_16", form = "exact",
                                    summary = "one buffer for the arrays of 16 entities";
  using arrays = OneBuffer;
  static constexpr std::size_t instances = FewInVectors::instances;
};

struct PointMass {
  static constexpr const WorkloadCard& card = point_mass_card;
  using References =
      TypeList<PointMassReference, PointMassInterleaved, PointMassManagers<ManyInVectors>,
               PointMassManagers<ManyInBuffer>, PointMassManagers<FewInVectors>, PointMassManagers<FewInBuffer>>;

  [[nodiscard]] static std::vector<Axis> axes() { return {}; }
  /// Three components of 12 bytes are read, two of them written back to the same lines; the mass is not touched. Packed
  /// arrays walked in their order fetch no byte beside these: 36/64 = 0.5625.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr double bytes = sizeof(Velocity) + sizeof(Position) + sizeof(Acceleration);
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<PointMassCase<Strategy<PointMassSchema>>>(parameters);
  }
};

}  // namespace stowage::workloads
