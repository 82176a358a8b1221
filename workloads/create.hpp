#pragma once

// Workload: what it costs to create n entities, one by one or in bulk, into reserved or growing memory.

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard create_card{
    .name = "create",
    .setup =
        "the component values in arrays of their own; memory:reserved an empty storage that has held n entities "
        "before (its pages have been touched), memory:growing a storage fresh from its constructor, "
        "from pages that the process has already",
    .measured =
        "creation of n entities with `components` of the schema's four (Mass and Position, 16 bytes, or all 40 bytes; "
        "with 0 handles alone): how:single one by one, how:bulk in one call; emptying and tearing down are not in it",
    .item = "entity",
    .checksum = "hash(ordinal, bits of its components) of every entity created; without components how many live",
    .favours = "designs without an index per entity, and bulk forms that copy a column at a time",
    .disadvantages =
        "heap objects (five allocations an entity) and hash maps (a probe each, and rehashing when growing); few "
        "components: rows with room for those that are not there",
    .floor =
        "80/64 lines per entity: 40 bytes of values read, 40 bytes written, row by row (how:single) or by a copy "
        "per column (how:bulk), into four columns; if they have to grow, it knows n beforehand. components:2 32/64, "
        "components:0 none",
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
  template <class C>
  [[nodiscard]] const Column<C>& of() const noexcept {
    if constexpr (std::is_same_v<C, Mass>) {
      return masses;
    } else if constexpr (std::is_same_v<C, Position>) {
      return positions;
    } else if constexpr (std::is_same_v<C, Velocity>) {
      return velocities;
    } else {
      return accelerations;
    }
  }
};

/// What entities are created from.
using PointMassInput = PointMassColumns<Array>;

inline void add_point_mass(Checksum& sum, const Mass& m, const Position& p, const Velocity& v, const Acceleration& a) {
  sum.add_floats(Values::ordinal(m), m.value, p.x, p.y, p.z, v.x, v.y, v.z, a.x, a.y, a.z);
}

inline void add_point_mass(Checksum& sum, const Mass& m, const Position& p) {
  sum.add_floats(Values::ordinal(m), m.value, p.x, p.y, p.z);
}

/// Creates entities with `Cs`: all components of the schema, some, or none.
template <class Storage, class... Cs>
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
    if constexpr (sizeof...(Cs) > 0) storage_->template reserve<Cs...>(parameters.entities);
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
      create_all();
    } else {
      const std::size_t count = input_.size();
      for (std::size_t i = 0; i < count; ++i) static_cast<void>(storage_->create(input_.template of<Cs>()[i]...));
    }
    keep(*storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return input_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    if constexpr (sizeof...(Cs) > 0) {
      storage_->template each<const Cs...>([&](const auto&... components) { add_point_mass(sum, components...); });
    } else {
      sum.add(0, storage_->size());
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_->memory(); }
  void clear()
    requires requires(Storage& storage) { storage.clear(); }
  {
    storage_->clear();
  }

 private:
  void create_all() {
    const std::span handles(handles_);
    if constexpr (sizeof...(Cs) > 0) {
      storage_->create(handles, std::span<const Cs>(input_.template of<Cs>())...);
    } else if constexpr (requires { storage_->create(handles); }) {
      storage_->create(handles);
    } else {
      for (auto& handle : handles) handle = storage_->create();
    }
  }

  bool bulk_;
  bool growing_;
  PointMassInput input_;
  Array<typename Storage::entity_type> handles_;
  std::optional<Storage> storage_;
};

/// The floor: a column for each of Mass and `Cs`, nothing that could find an entity again. memory:growing allocates
/// inside the clock as all do, but knows n, so that no component is written twice.
template <class... Cs>
class CreateColumns {
 public:
  static constexpr bool repeatable = false;

  explicit CreateColumns(const Parameters& parameters)
      : bulk_(parameters.get("how") == "bulk"), growing_(parameters.get("memory") == "growing"), input_(parameters) {
    run();
  }

  void prepare() {
    if (growing_) columns_ = {};
  }

  void run() {
    const std::size_t count = input_.size();
    if (columns_.capacity() < count) columns_.reallocate(count, 0);
    fill(count, columns_.template of<Mass>(), columns_.template of<Cs>()...);
    keep(*this);
  }

  [[nodiscard]] std::uint64_t items() const { return input_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (std::size_t i = 0; i < input_.size(); ++i) {
      add_point_mass(sum, columns_.template of<Mass>()[i], columns_.template of<Cs>()[i]...);
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t used = input_.size() * (sizeof(Mass) + ... + sizeof(Cs));
    return {.payload_bytes = used, .slack_bytes = columns_.held_bytes() - used, .allocations = columns_.allocations()};
  }

 private:
  void fill(std::size_t count, Mass* masses, Cs*... columns) {
    if (bulk_) {
      // not by std::ranges::copy: that of g++ 12 is a loop
      std::copy(input_.masses.begin(), input_.masses.end(), masses);
      (std::copy(input_.template of<Cs>().begin(), input_.template of<Cs>().end(), columns), ...);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      keep_scalar();  // or they would be copied column by column
      masses[i] = input_.masses[i];
      ((columns[i] = input_.template of<Cs>()[i]), ...);
    }
  }

  bool bulk_;
  bool growing_;
  PointMassInput input_;
  Columns<Mass, Cs...> columns_;
};

/// Entities without components: only a count, and the handles of how:bulk.
class CreateHandles {
 public:
  static constexpr bool repeatable = false;

  explicit CreateHandles(const Parameters& parameters)
      : bulk_(parameters.get("how") == "bulk"), handles_(parameters.entities) {}

  void prepare() { size_ = 0; }
  void run() {
    const std::size_t count = handles_.size();
    if (bulk_) {
      for (; size_ < count; ++size_) handles_[size_] = Entity(static_cast<EntityIndex>(size_), 0);
    }
    for (; size_ < count; ++size_) keep(size_);
    keep(*this);
  }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    sum.add(0, size_);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return {}; }

 private:
  bool bulk_;
  Array<Entity> handles_;
  std::size_t size_ = 0;
};

/// The case of a cell: of those with four components, two, or none.
template <class Four, class Two, class None>
[[nodiscard]] std::unique_ptr<Measurement> make_create(const Parameters& parameters) {
  const std::string& components = parameters.get("components");
  if (components == "4") return make_case<Four>(parameters);
  if (components == "2") return make_case<Two>(parameters);
  return make_case<None>(parameters);
}

struct CreateReference {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_create<CreateColumns<Position, Velocity, Acceleration>, CreateColumns<Position>, CreateHandles>(
        parameters);
  }
};
/// `Store<Cs...>` is a store for entities with Cs, `Empty` for those without components.
template <class Name, template <class...> class Store, class Empty>
struct CreateFloor : Name {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_create<
        CreateCase<Store<Mass, Position, Velocity, Acceleration>, Mass, Position, Velocity, Acceleration>,
        CreateCase<Store<Mass, Position>, Mass, Position>, CreateCase<Empty>>(parameters);
  }
};

/// Without components there are no rows, and `reference.store` is the floor.
template <class Name, template <class...> class Store>
struct CreateRows : CreateFloor<Name, Store, DirectByRow<>> {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return parameters.get("components") != "0"; }
};
using CreateDirect = CreateRows<DirectName, DirectByRow>;
using CreateInterleaved = CreateRows<InterleavedName, InterleavedStore>;

struct Create {
  static constexpr const WorkloadCard& card = create_card;
  using References =
      TypeList<CreateReference, CreateFloor<StoreName, PackedStore, DirectByRow<>>,
               CreateFloor<SectionsName, TwoSections, SectionStore<TypeList<>>>, CreateDirect, CreateInterleaved>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"how", {"single", "bulk"}, {"single", "bulk"}},
            {"memory", {"reserved", "growing"}, {"reserved", "growing"}},
            {"components", {"4", "2", "0"}, {"4"}}};
  }
  /// 40 bytes of values are read and 40 bytes of components written to where nothing was; an ordinary store fetches its
  /// line too. Both lie densely in the order of creation: 80/64 = 1.25. No layout has to move a component because it
  /// grows (sections do not), so memory:growing adds nothing. components:2 has 16 bytes: 32/64 = 0.5. An entity without
  /// components is a handle, and only how:bulk writes that: no floor.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    if (parameters.get("components") == "0") return {};
    constexpr double two = 2.0 * (sizeof(Mass) + sizeof(Position));
    constexpr double four = two + 2.0 * (sizeof(Velocity) + sizeof(Acceleration));
    const double bytes = parameters.get("components") == "2" ? two : four;
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return can_grow<Strategy<PointMassSchema>> || parameters.get("memory") == "reserved";
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::string obstacle(const Parameters& parameters) {
    if (parameters.get("how") != "bulk") return {};
    const bool empty = parameters.get("components") == "0";  // which StorageForms creates by columns that are not there
    return not_offered<Strategy<PointMassSchema>>(empty ? Capability::table_exchange : Capability::bulk_creation);
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<PointMassSchema>;
    return make_create<CreateCase<Storage, Mass, Position, Velocity, Acceleration>, CreateCase<Storage, Mass, Position>,
                       CreateCase<Storage>>(parameters);
  }
};

}  // namespace stowage::workloads
