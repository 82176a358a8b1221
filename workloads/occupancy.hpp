#pragma once

#include "workloads/point_mass.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard occupancy_card{
    .name = "occupancy",
    .setup =
        "n entities, of which `share` % drawn at random have Mass, Position, Velocity and Acceleration (40 bytes); of "
        "the others every second has a Render (16 bytes), the rest nothing; created in one order",
    .measured = "one pass over the owners: velocity += acceleration dt; position += velocity dt",
    .item = "owning entity",
    .checksum = "hash(ordinal, bits of position and velocity) of every owner after the passes",
    .favours = "packed rows: entities without the component are not visited",
    .disadvantages = "arrays as long as the entity array: their holes are read (or skipped, by presence bits) too",
    .floor = "36/64 lines per owner, as in point_mass, by the same loop over arrays of the owners alone",
    .sizes = {16 * 1024, 1024, 1024 * 1024},
};

/// The entities that own the four components.
class Owners {
 public:
  explicit Owners(const Parameters& parameters) : owns_(parameters.entities, false) {
    const Array<std::uint32_t> drawn = Random(parameters.seed).permutation(parameters.entities);
    for (std::size_t i = 0; i < count(parameters); ++i) owns_[drawn[i]] = true;
  }

  [[nodiscard]] static std::size_t count(const Parameters& parameters) {
    return std::max<std::size_t>(1, parameters.entities * std::stoul(parameters.get("share")) / 100);
  }
  [[nodiscard]] bool include(std::size_t entity) const { return owns_[entity]; }

 private:
  Array<bool> owns_;
};

template <class Storage>
class OccupancyCase : public StorageCase<Storage> {
 public:
  explicit OccupancyCase(const Parameters& parameters) {
    const Values values(parameters.seed);
    const Owners owners(parameters);
    const std::size_t count = Owners::count(parameters);
    storage_.template reserve<Mass, Position, Velocity, Acceleration>(count);
    storage_.template reserve<Render>((parameters.entities - count + 1) / 2);
    std::size_t ordinal = 0;
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      if (owners.include(i)) {
        storage_.create(Values::mass(ordinal), values.position(ordinal), values.velocity(ordinal),
                        values.acceleration(ordinal));
        ++ordinal;
      } else if ((i - ordinal) % 2 == 0) {  // every second of those without components
        storage_.create(values.render(i));
      } else {
        static_cast<void>(storage_.create());
      }
    }
  }

  void run() { simulate_all(storage_); }

  [[nodiscard]] std::uint64_t items() const { return storage_.template count<Mass>(); }
  [[nodiscard]] std::uint64_t checksum() { return simulated_checksum(storage_); }

 private:
  using StorageCase<Storage>::storage_;
};

/// A hand-written loop of point_mass over as many entities as own the components.
template <class Loop>
class OverOwners : public Loop {
 public:
  explicit OverOwners(const Parameters& parameters)
      : Loop(Parameters{.entities = Owners::count(parameters), .values = {}, .seed = parameters.seed}) {}
};

struct Occupancy {
  static constexpr const WorkloadCard& card = occupancy_card;
  using Direct = DirectStore<Mass, Position, Velocity, Acceleration, Render>;
  using References = TypeList<OverOwners<PointMassReference>, OverOwners<PointMassInterleaved>,
                              ContractFloor<DirectName, OccupancyCase<Direct>>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"share", {"1", "5", "10", "25", "50", "75", "100"}, {"1", "25", "100"}}};
  }
  /// Of an owner point_mass reads and writes 36 bytes; entities without the components need not be known: 36/64 =
  /// 0.5625.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    return PointMass::floor(parameters, lines);
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<Schema<Group<Mass, Position, Velocity, Acceleration>, Render>>;
    return make_case<OccupancyCase<Storage>>(parameters);
  }
};

}  // namespace stowage::workloads
