#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stowage/contract/type_list.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/loop.hpp>

#include "workloads/support/array.hpp"
#include "workloads/support/capabilities.hpp"
#include "workloads/support/checksum.hpp"
#include "workloads/support/components.hpp"
#include "workloads/support/contract_floor.hpp"
#include "workloads/support/floor.hpp"
#include "workloads/support/keep.hpp"
#include "workloads/support/measurement.hpp"
#include "workloads/support/packed_store.hpp"
#include "workloads/support/parameters.hpp"
#include "workloads/support/section_store.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard create_card{
    .name = "create",
    .setup =
        "the component values in arrays of their own; memory:reserved an empty storage that has held n entities "
        "before (its pages have been touched), memory:growing a storage fresh from its constructor, "
        "from pages that the process has already",
    .measured =
        "creation of n entities with four components (40 bytes): how:single one by one, how:bulk in one call; "
        "emptying and tearing down are not in it",
    .item = "entity",
    .checksum = "hash(ordinal, bits of all components) of every entity created",
    .favours = "designs without an index per entity, and bulk forms that copy a column at a time",
    .disadvantages =
        "heap objects (five allocations an entity) and hash maps (a probe each, and rehashing when growing)",
    .floor =
        "80/64 lines per entity: 40 bytes of values read, 40 bytes written, row by row (how:single) or by a copy "
        "per column (how:bulk), into four columns; if they have to grow, it knows n beforehand",
};

/// The components of n entities, a column each.
template <template <class> class Column>
struct PointMassColumns {
  Column<Mass> masses;
  Column<Position> positions;
  Column<Velocity> velocities;
  Column<Acceleration> accelerations;

  explicit PointMassColumns(const Parameters& parameters) {
    const Values values(parameters.seed);
    masses.reserve(parameters.entities);
    positions.reserve(parameters.entities);
    velocities.reserve(parameters.entities);
    accelerations.reserve(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      masses.push_back(Values::mass(i));
      positions.push_back(values.position(i));
      velocities.push_back(values.velocity(i));
      accelerations.push_back(values.acceleration(i));
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return masses.size(); }
};

/// Those of entities to come.
using PointMassInput = PointMassColumns<Array>;

inline void add_point_mass(Checksum& sum, const Mass& m, const Position& p, const Velocity& v, const Acceleration& a) {
  sum.add_floats(Values::ordinal(m), m.value, p.x, p.y, p.z, v.x, v.y, v.z, a.x, a.y, a.z);
}

template <class Storage>
class CreateCase {
 public:
  static constexpr bool repeatable = false;

  explicit CreateCase(const Parameters& parameters)
      : bulk_(parameters.get("how") == "bulk"),
        growing_(parameters.get("memory") == "growing"),
        input_(parameters),
        handles_(parameters.entities),
        storage_(std::in_place) {
    if (growing_) return;
    storage_->template reserve<Mass, Position, Velocity, Acceleration>(parameters.entities);
    run();
  }

  void prepare() {
    if (growing_) {
      storage_.emplace();
    } else {
      end_all(*storage_);
    }
  }

  void run() {
    if (bulk_) {
      storage_->create(std::span(handles_), std::span<const Mass>(input_.masses),
                       std::span<const Position>(input_.positions), std::span<const Velocity>(input_.velocities),
                       std::span<const Acceleration>(input_.accelerations));
    } else {
      const std::size_t count = input_.size();
      for (std::size_t i = 0; i < count; ++i) {
        storage_->create(input_.masses[i], input_.positions[i], input_.velocities[i], input_.accelerations[i]);
      }
    }
    keep(*storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return input_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    storage_->template each<const Mass, const Position, const Velocity, const Acceleration>(
        [&](const auto&... components) { add_point_mass(sum, components...); });
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_->memory(); }
  void clear()
    requires requires(Storage& storage) { storage.clear(); }
  {
    storage_->clear();
  }

 private:
  bool bulk_;
  bool growing_;
  PointMassInput input_;
  Array<typename Storage::entity_type> handles_;
  std::optional<Storage> storage_;
};

/// The floor: four columns, nothing that could find an entity again. memory:growing allocates inside the clock as all
/// do, but knows n, so that no component is written twice.
class CreateReference {
 public:
  static constexpr std::string_view name = "reference";
  static constexpr std::string_view summary = "";
  static constexpr bool repeatable = false;

  explicit CreateReference(const Parameters& parameters)
      : bulk_(parameters.get("how") == "bulk"), growing_(parameters.get("memory") == "growing"), input_(parameters) {
    run();
  }

  void prepare() {
    if (growing_) columns_ = {};
  }

  void run() {
    const std::size_t count = input_.size();
    if (columns_.capacity() < count) columns_.reallocate(count, 0);
    Mass* const masses = columns_.keys();
    Position* const positions = columns_.cursor<Position>();
    Velocity* const velocities = columns_.cursor<Velocity>();
    Acceleration* const accelerations = columns_.cursor<Acceleration>();
    if (bulk_) {
      std::ranges::copy(input_.masses, masses);
      std::ranges::copy(input_.positions, positions);
      std::ranges::copy(input_.velocities, velocities);
      std::ranges::copy(input_.accelerations, accelerations);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        parts::keep_scalar();  // or they would be copied column by column
        masses[i] = input_.masses[i];
        positions[i] = input_.positions[i];
        velocities[i] = input_.velocities[i];
        accelerations[i] = input_.accelerations[i];
      }
    }
    keep(*this);
  }

  [[nodiscard]] std::uint64_t items() const { return input_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (std::size_t i = 0; i < input_.size(); ++i) {
      add_point_mass(sum, columns_.keys()[i], columns_.cursor<Position>()[i], columns_.cursor<Velocity>()[i],
                     columns_.cursor<Acceleration>()[i]);
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t used = input_.size() * 40;
    return {.payload_bytes = used,
            .index_bytes = 0,
            .slack_bytes = columns_.held_bytes() - used,
            .allocations = columns_.allocations()};
  }

 private:
  bool bulk_;
  bool growing_;
  PointMassInput input_;
  parts::Columns<Mass, Position, Velocity, Acceleration> columns_;
};

struct Create {
  static constexpr const WorkloadCard& card = create_card;
  using References =
      TypeList<CreateReference,
               ContractFloor<StoreName, CreateCase<PackedStore<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<SectionsName, CreateCase<TwoSections<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<InterleavedName, CreateCase<InterleavedStore<Mass, Position, Velocity, Acceleration>>>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"how", {"single", "bulk"}, {"single", "bulk"}},
            {"memory", {"reserved", "growing"}, {"reserved", "growing"}}};
  }
  /// 40 bytes of values are read and 40 bytes of components written to where nothing was; an ordinary store fetches its
  /// line too. Both lie densely in the order of creation: 80/64 = 1.25. No layout has to move a component because it
  /// grows (sections do not), so memory:growing adds nothing.
  [[nodiscard]] static Floor floor(const Parameters&) {
    constexpr double bytes = 2.0 * (sizeof(Mass) + sizeof(Position) + sizeof(Velocity) + sizeof(Acceleration));
    return {.lines_per_item = lines_in_sequence(bytes), .bytes_per_item = bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return can_grow<Strategy<PointMassSchema>> || parameters.get("memory") == "reserved";
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::string obstacle(const Parameters& parameters) {
    const bool bulk = parameters.get("how") == "bulk";
    return bulk ? not_offered<Strategy<PointMassSchema>>(Capability::bulk_creation) : std::string();
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return std::make_unique<MeasurementOf<CreateCase<Strategy<PointMassSchema>>>>(parameters);
  }
};

}  // namespace stowage::workloads
