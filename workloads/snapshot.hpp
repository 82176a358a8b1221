#pragma once

// Workload: copying a whole storage to another by copy_from(), as games do that roll frames back.

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard snapshot_card{
    .name = "snapshot",
    .setup =
        "n entities with Position and Velocity (24 bytes), half of them with Armour (4 bytes), and a second storage "
        "with the same world, `changed` % of whose entities have changed since: half of these have moved, a quarter "
        "have been destroyed and replaced by others, and a quarter have lost or gained Armour",
    .measured =
        "a copy of the whole storage to the second one, by copy_from(): what saving a frame costs, and rolling back "
        "to it. changed:all: the second storage is made as well, and has no memory before",
    .item = "entity",
    .checksum =
        "hash(ordinal, components) of every entity of the second storage, found by the handles of the first, and the "
        "number of those alive that are in neither",
    .favours = "few large arrays, which are copied as bytes",
    .disadvantages = "heap objects, hash maps, and arrays with holes",
    .floor =
        "generation (4 bytes) and components (24 bytes, and 4 for half of the entities) read once and written once: "
        "60/64 line",
    .sizes = {16 * 1024, 256 * 1024},
};

struct Armour {
  std::uint32_t points;
};
using SnapshotSchema = Schema<Group<Position, Velocity>, Armour>;

[[nodiscard]] constexpr bool has_armour(std::size_t ordinal) noexcept { return ordinal % 2 == 1; }
[[nodiscard]] constexpr Armour armour_of(std::size_t ordinal) noexcept {
  return {static_cast<std::uint32_t>(ordinal) * 3 + 1};
}

/// Whether the storage that is copied to is made anew.
[[nodiscard]] inline bool is_new(const Parameters& parameters) { return parameters.get("changed") == "all"; }

/// Which entities change after the copy, by ordinal.
class SnapshotPlan {
 public:
  explicit SnapshotPlan(const Parameters& parameters) {
    if (is_new(parameters)) return;
    order_ = Random(parameters.seed).permutation(parameters.entities);
    order_.resize(std::max<std::size_t>(1, parameters.entities * std::stoul(parameters.get("changed")) / 100));
  }

  /// Calls one of these for each: `move(ordinal)`, `replace(ordinal)` and `rearm(ordinal)`.
  template <class Move, class Replace, class Rearm>
  void change(Move&& move, Replace&& replace, Rearm&& rearm) const {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i % 2 == 0) {
        move(order_[i]);
      } else if (i % 4 == 1) {
        replace(order_[i]);
      } else {
        rearm(order_[i]);
      }
    }
  }

 private:
  Array<std::uint32_t> order_;
};

inline void add_to(Checksum& sum, std::size_t ordinal, const Position& position, const Velocity& velocity) {
  sum.add_floats(ordinal, position.x, position.y, position.z, velocity.x, velocity.y, velocity.z);
}

template <class Storage>
class SnapshotCase {
  using Handle = typename Storage::entity_type;

 public:
  static constexpr bool repeatable = false;

  explicit SnapshotCase(const Parameters& parameters)
      : plan_(parameters), into_new_(is_new(parameters)), handles_(parameters.entities) {
    const Values values(parameters.seed);
    make_room<Position, Velocity, Armour>(world_, parameters.entities);
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      handles_[i] = has_armour(i) ? world_.create(values.position(i), values.velocity(i), armour_of(i))
                                  : world_.create(values.position(i), values.velocity(i));
    }
    if (into_new_) return;
    copy_.emplace();
    make_room<Position, Velocity, Armour>(*copy_, parameters.entities);
    copy_->copy_from(world_);
  }

  void prepare() {
    newcomers_.clear();
    if (into_new_) return copy_.reset();
    plan_.change(
        [this](std::size_t ordinal) { *copy_->template find<Position>(handles_[ordinal]) = Position{-1, -2, -3}; },
        [this](std::size_t ordinal) {
          copy_->destroy(handles_[ordinal]);
          newcomers_.push_back(copy_->create(Position{1, 2, 3}, Velocity{4, 5, 6}));
        },
        [this](std::size_t ordinal) {
          if (!copy_->template remove<Armour>(handles_[ordinal])) {
            copy_->template emplace<Armour>(handles_[ordinal], 0u);
          }
        });
    collect(*copy_);
  }
  void run() {
    if (into_new_) copy_.emplace();
    copy_->copy_from(world_);
    keep(*copy_);
  }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    std::size_t strangers = copy_->size();
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (!copy_->alive(handles_[i])) continue;
      --strangers;
      const auto [position, velocity] = copy_->template find<const Position, const Velocity>(handles_[i]);
      add_to(sum, i, *position, *velocity);
      const auto armour = copy_->template find<const Armour>(handles_[i]);
      if (armour != nullptr) sum.add(i, armour->points);
    }
    for (const Handle newcomer : newcomers_) strangers += copy_->alive(newcomer) ? 1 : 0;
    sum.add(handles_.size(), strangers);
    return sum.value();
  }
  /// Of both storages.
  [[nodiscard]] MemoryBreakdown memory() const {
    return copy_.has_value() ? world_.memory() + copy_->memory() : world_.memory();
  }
  void clear()
    requires requires(Storage& storage) { storage.clear(); }
  {
    world_.clear();
    if (copy_.has_value()) copy_->clear();
  }

 private:
  SnapshotPlan plan_;
  bool into_new_;
  Array<Handle> handles_;
  Array<Handle> newcomers_;
  Storage world_;
  std::optional<Storage> copy_;
};

/// An array for each component and one of generations, in the order of the entities.
class SnapshotReference {
  struct World {
    void copy_from(const World& other, std::size_t entities) {
      if (columns.capacity() == 0) columns.reallocate(entities, 0);
      columns.copy_rows(other.columns, entities);
      armours = other.armours;
    }

    Columns<std::uint32_t, Position, Velocity> columns;  ///< of generations and components
    StoredArray<Armour> armours;
  };

 public:
  static constexpr bool repeatable = false;

  explicit SnapshotReference(const Parameters& parameters)
      : plan_(parameters), into_new_(is_new(parameters)), entities_(parameters.entities) {
    const Values values(parameters.seed);
    world_.columns.reallocate(entities_, 0);
    world_.armours.reserve(entities_ / 2);
    for (std::size_t i = 0; i < entities_; ++i) {
      world_.columns.of<std::uint32_t>()[i] = 0;
      world_.columns.of<Position>()[i] = values.position(i);
      world_.columns.of<Velocity>()[i] = values.velocity(i);
      if (has_armour(i)) world_.armours.push_back(armour_of(i));
    }
    if (into_new_) return;
    copy_.emplace();
    copy_->copy_from(world_, entities_);
  }

  void prepare() {
    if (into_new_) return copy_.reset();
    plan_.change([this](std::size_t ordinal) { copy_->columns.of<Position>()[ordinal] = {-1, -2, -3}; },
                 [this](std::size_t ordinal) { ++copy_->columns.of<std::uint32_t>()[ordinal]; }, [](std::size_t) {});
  }
  void run() {
    if (into_new_) copy_.emplace();
    copy_->copy_from(world_, entities_);
    keep(*copy_);
  }

  [[nodiscard]] std::uint64_t items() const { return entities_; }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    std::uint64_t strangers = 0;
    for (std::size_t i = 0; i < entities_; ++i) {
      strangers += copy_->columns.of<std::uint32_t>()[i];
      add_to(sum, i, copy_->columns.of<Position>()[i], copy_->columns.of<Velocity>()[i]);
      if (has_armour(i)) sum.add(i, copy_->armours[i / 2].points);
    }
    sum.add(entities_, strangers);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return copy_.has_value() ? memory_of(world_) + memory_of(*copy_) : memory_of(world_);
  }

 private:
  [[nodiscard]] MemoryBreakdown memory_of(const World& world) const {
    const std::size_t payload = entities_ * (sizeof(Position) + sizeof(Velocity)) + entities_ / 2 * sizeof(Armour);
    const std::size_t index = entities_ * sizeof(std::uint32_t);
    const std::size_t held = world.columns.held_bytes() + world.armours.capacity() * sizeof(Armour);
    return {.payload_bytes = payload,
            .index_bytes = index,
            .slack_bytes = held - payload - index,
            .allocations = world.columns.allocations() + (world.armours.capacity() != 0 ? 1 : 0)};
  }

  SnapshotPlan plan_;
  bool into_new_;
  std::size_t entities_;
  World world_;
  std::optional<World> copy_;
};

struct Snapshot {
  static constexpr const WorkloadCard& card = snapshot_card;
  static constexpr std::array needs{Capability::structural_change};
  using Store = SectionStore<TypeList<Position, Velocity>, TypeList<Position, Velocity, Armour>>;
  using References = TypeList<SnapshotReference, ContractFloor<StoreName, SnapshotCase<Store>>>;

  [[nodiscard]] static std::vector<Axis> axes() { return {{"changed", {"1", "10", "50", "all"}, {"10"}}}; }
  /// 24 bytes of components and 4 of generation for each entity, and 4 of Armour for every other one: 60 bytes for two
  /// entities, all of which are read and written.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr double bytes = 2 * 30;
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::string obstacle(const Parameters&) {
    return CopyableStorage<Strategy<SnapshotSchema>> ? "" : "it has no copy_from()";
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    if constexpr (CopyableStorage<Strategy<SnapshotSchema>>) {
      return make_case<SnapshotCase<Strategy<SnapshotSchema>>>(parameters);
    } else {
      return nullptr;  // never called: see obstacle()
    }
  }
};

}  // namespace stowage::workloads
