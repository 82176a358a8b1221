#pragma once

// Workload: are three systems faster one after the other over all entities, or all three on one entity after the other?

#include "workloads/point_mass.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard by_entity_card{
    .name = "by_entity",
    .setup = "n entities with Mass, Position, Velocity and Acceleration (40 bytes); their handles in order of creation",
    .measured =
        "three systems, each once for every entity: velocity += acceleration dt; position += velocity dt; turn back at "
        "a wall. by:system runs one after the other, each over all entities; by:entity runs all three on an entity of "
        "the list before it goes on to the next, and each finds its components there",
    .item = "entity",
    .checksum = "hash(ordinal, bits of position and velocity) of every entity after the passes",
    .favours = "by:system columns, by:entity rows that lie side by side",
    .disadvantages =
        "by:entity designs with a long way from the handle to a component: each entity is looked up thrice",
    .floor =
        "36/64 lines per entity: velocity, position and acceleration, 12 bytes each, fetched once. Only a cache that "
        "holds all entities keeps them from system to system",
    .sizes = {16 * 1024, 1024, 256 * 1024, 1024 * 1024, 4096 * 1024},
};

/// The three systems: what each reads and writes, and its step for one entity.
struct Accelerate {
  using Components = TypeList<Velocity, const Acceleration>;
  static void step(Velocity& velocity, const Acceleration& acceleration) { integrate(velocity, acceleration); }
};
struct Move {
  using Components = TypeList<Position, const Velocity>;
  static void step(Position& position, const Velocity& velocity) { integrate(position, velocity); }
};
struct TurnBack {
  using Components = TypeList<Velocity, const Position>;
  [[nodiscard]] static float turned(float velocity, float position) noexcept {
    constexpr float wall = 0.5f;
    return position > wall ? -velocity : velocity;
  }
  static void step(Velocity& velocity, const Position& position) {
    velocity.x = turned(velocity.x, position.x);
    velocity.y = turned(velocity.y, position.y);
    velocity.z = turned(velocity.z, position.z);
  }
};
using ThreeSystems = TypeList<Accelerate, Move, TurnBack>;

/// As PointMassCase, with the systems instead of its loop.
template <class Storage, bool ByEntity>
class ByEntityCase : public StorageCase<Storage> {
 public:
  explicit ByEntityCase(const Parameters& parameters) {
    const Values values(parameters.seed);
    storage_.template reserve<Mass, Position, Velocity, Acceleration>(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      list_.push_back(storage_.create(Values::mass(i), values.position(i), values.velocity(i), values.acceleration(i)));
    }
  }

  void run() {
    run_systems(ThreeSystems{});
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return list_.size(); }
  [[nodiscard]] std::uint64_t checksum() { return simulated_checksum(storage_); }

 private:
  template <class... Systems>
  void run_systems(TypeList<Systems...>) {
    if constexpr (ByEntity) {
      for (const auto entity : list_) (step<Systems>(entity, typename Systems::Components{}), ...);
    } else {
      (each<Systems>(typename Systems::Components{}), ...);
    }
  }
  template <class System, class Written, class Read>
  void each(TypeList<Written, Read>) {
    storage_.template each<Written, Read>([](Written& written, Read& read) { System::step(written, read); });
  }
  template <class System, class Written, class Read>
  void step(typename Storage::entity_type entity, TypeList<Written, Read>) {
    const auto [written, read] = storage_.template find<Written, Read>(entity);
    if (written == nullptr || read == nullptr) return;
    Written component = *written;
    System::step(component, *read);
    *written = component;
  }

  using StorageCase<Storage>::storage_;
  Array<typename Storage::entity_type> list_;
};

/// Three float arrays in one allocation, walked as flat arrays of 3 n scalars: by each system, or once by all.
class ByEntityReference : public PointMassReference {
 public:
  explicit ByEntityReference(const Parameters& parameters)
      : PointMassReference(parameters), by_entity_(parameters.get("by") == "entity") {}

  void run() {
    auto* const position = scalars<Position>();
    auto* const velocity = scalars<Velocity>();
    const auto* const acceleration = scalars<Acceleration>();
    const std::size_t count = 3 * items();
    if (by_entity_) {
      for (std::size_t i = 0; i < count; ++i) {
        const float speed = velocity[i] + acceleration[i] * time_step;
        position[i] += speed * time_step;
        velocity[i] = TurnBack::turned(speed, position[i]);
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) velocity[i] += acceleration[i] * time_step;
      keep(columns());
      for (std::size_t i = 0; i < count; ++i) position[i] += velocity[i] * time_step;
      keep(columns());
      for (std::size_t i = 0; i < count; ++i) velocity[i] = TurnBack::turned(velocity[i], position[i]);
    }
    keep(columns());
  }

 private:
  bool by_entity_;
};

/// The contract floor of the lookups: without them it is the floor.
struct ByEntityStore
    : ContractFloor<StoreName, ByEntityCase<PackedStore<Mass, Position, Velocity, Acceleration>, true>> {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return parameters.get("by") == "entity"; }
};

struct ByEntity {
  static constexpr const WorkloadCard& card = by_entity_card;
  using References = TypeList<ByEntityReference, ByEntityStore>;

  [[nodiscard]] static std::vector<Axis> axes() { return {{"by", {"system", "entity"}, {"system", "entity"}}}; }
  /// As in point_mass: what no order of the work can do without is each byte once, 36/64 = 0.5625.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    return PointMass::floor(parameters, lines);
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<PointMassSchema>;
    if (parameters.get("by") == "entity") return make_case<ByEntityCase<Storage, true>>(parameters);
    return make_case<ByEntityCase<Storage, false>>(parameters);
  }
};

}  // namespace stowage::workloads
