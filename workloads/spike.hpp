#pragma once

// Workload: the frame in which a quarter more entities are created at once, among frames with a little churn.

#include "workloads/create.hpp"
#include "workloads/support/churn.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard spike_card{
    .name = "spike",
    .setup =
        "n entities with four components (40 bytes), created in bulk before every pass; memory:reserved with room for "
        "those to come, memory:growing in a storage fresh from its constructor",
    .measured =
        "64 frames: in each, 0.1 % of the entities are destroyed, drawn at random, and as many created; in the 33rd "
        "n/4 more are created",
    .item = "created entity",
    .checksum = "hash(ordinal, bits of all components) of every entity after the frames",
    .favours = "designs that add room in pieces (sections, pages, heap objects): no frame pays for moving all there is",
    .disadvantages = "arrays and hash maps that grow: the frame of the spike moves every row (memory:growing)",
    .floor =
        "80/64 lines per entity, 40 bytes of values read and 40 written: a loop that writes each new entity over a "
        "destroyed one, or behind the last, without handles; in memory:growing into an array of their own, so that "
        "nothing moves",
    .smallest_entities = 64,
    .sizes = {16 * 1024, 256 * 1024},
};

/// Fewer than 100, so that the p99 is the frame with the spike.
inline constexpr std::size_t spike_frames = 64;
inline constexpr std::size_t spike_at = 32;
/// Entities that the spike adds to so many.
[[nodiscard]] constexpr std::size_t spike_of(std::size_t entities) noexcept { return entities / 4; }

template <class Storage>
class SpikeCase {
 public:
  static constexpr bool repeatable = false;

  explicit SpikeCase(const Parameters& parameters)
      : growing_(parameters.get("memory") == "growing"),
        input_(parameters),
        plan_(parameters.entities, 1, parameters.seed),
        living_(parameters.entities),
        storage_(std::in_place) {
    if (growing_) return;
    storage_->template reserve<Mass, Position, Velocity, Acceleration>(input_.size() + spike_of(input_.size()));
    prepare();
    run();  // so that the pages of what was reserved have been touched
  }

  void prepare() {
    if (growing_) {
      storage_.emplace();
    } else {
      end_all(*storage_);
    }
    storage_->create(std::span(living_), std::span<const Mass>(input_.masses),
                     std::span<const Position>(input_.positions), std::span<const Velocity>(input_.velocities),
                     std::span<const Acceleration>(input_.accelerations));
  }

  void run() {
    for (std::size_t frame = 0; frame < spike_frames; ++frame) step(frame);
    keep(*storage_);
  }

  [[nodiscard]] std::size_t frames() const noexcept { return spike_frames; }
  void step(std::size_t frame) {
    const std::span<const std::uint32_t> places = plan_.frame(frame);
    destroy_at(*storage_, living_, places);
    for (const std::uint32_t place : places) living_[place] = create(place);
    if (frame == spike_at) {
      for (std::size_t i = 0; i < spike_of(input_.size()); ++i) create(i);
    }
    collect(*storage_);
  }
  [[nodiscard]] std::optional<StorageEvents> events() const { return events_of(*storage_); }

  [[nodiscard]] std::uint64_t items() const { return spike_frames * plan_.pairs() + spike_of(input_.size()); }
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
  typename Storage::entity_type create(std::size_t i) {
    return storage_->create(input_.masses[i], input_.positions[i], input_.velocities[i], input_.accelerations[i]);
  }

  bool growing_;
  PointMassInput input_;
  ChurnPlan plan_;
  Array<typename Storage::entity_type> living_;
  std::optional<Storage> storage_;
};

/// The floor: rows that nothing could find again. Those of the spike have a block of their own.
class SpikeReference {
 public:
  static constexpr bool repeatable = false;

  explicit SpikeReference(const Parameters& parameters)
      : growing_(parameters.get("memory") == "growing"),
        input_(parameters),
        plan_(parameters.entities, 1, parameters.seed),
        rows_(parameters.entities) {
    prepare();
    run();  // so that all pages have been touched
  }

  void prepare() {
    if (growing_) added_ = {};
    added_count_ = 0;
    for (std::size_t i = 0; i < rows_.capacity(); ++i) write(rows_.number<0>()[i], i);
  }

  void run() {
    for (std::size_t frame = 0; frame < spike_frames; ++frame) step(frame);
    keep(*this);
  }

  [[nodiscard]] std::size_t frames() const noexcept { return spike_frames; }
  void step(std::size_t frame) {
    for (const std::uint32_t place : plan_.frame(frame)) write(rows_.number<0>()[place], place);
    if (frame == spike_at) add_rows(spike_of(input_.size()));
  }

  [[nodiscard]] std::uint64_t items() const { return spike_frames * plan_.pairs() + spike_of(input_.size()); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    const auto add = [&sum](const Row* rows, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        add_point_mass(sum, rows[i].mass, rows[i].position, rows[i].velocity, rows[i].acceleration);
      }
    };
    add(rows_.number<0>(), rows_.capacity());
    add(added_.number<0>(), added_count_);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t used = (rows_.capacity() + added_count_) * sizeof(Row);
    return {.payload_bytes = used,
            .slack_bytes = rows_.held_bytes() + added_.held_bytes() - used,
            .allocations = rows_.allocations() + added_.allocations()};
  }

 private:
  struct Row {
    Mass mass;
    Position position;
    Velocity velocity;
    Acceleration acceleration;
  };

  void write(Row& row, std::size_t i) const {
    row.mass = input_.masses[i];
    row.position = input_.positions[i];
    row.velocity = input_.velocities[i];
    row.acceleration = input_.accelerations[i];
  }
  void add_rows(std::size_t count) {
    if (added_.capacity() < count) added_.reallocate(count, 0);
    Row* const rows = added_.number<0>();
    for (std::size_t i = 0; i < count; ++i) {
      keep_scalar();
      write(rows[i], i);
    }
    added_count_ = count;
  }

  bool growing_;
  PointMassInput input_;
  ChurnPlan plan_;
  Columns<Row> rows_;
  Columns<Row> added_;
  std::size_t added_count_ = 0;
};

struct Spike {
  static constexpr const WorkloadCard& card = spike_card;
  using References =
      TypeList<SpikeReference, ContractFloor<StoreName, SpikeCase<PackedStore<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<SectionsName, SpikeCase<TwoSections<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<DirectName, SpikeCase<DirectByRow<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<InterleavedName, SpikeCase<InterleavedStore<Mass, Position, Velocity, Acceleration>>>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"memory", {"reserved", "growing"}, {"reserved", "growing"}}};
  }
  [[nodiscard]] static std::size_t rows(const Parameters& parameters) {
    return parameters.entities + parameters.entities / 4;
  }
  /// As in create: 40 bytes of values are read and 40 written, by the entities of the spike next to each other:
  /// 80/64 = 1.25. Those of the churn cost more, and are fewer than half.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr double bytes = 2.0 * (sizeof(Mass) + sizeof(Position) + sizeof(Velocity) + sizeof(Acceleration));
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  [[nodiscard]] static bool framed(const Parameters&) { return true; }
  template <template <class> class Strategy>
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return can_grow<Strategy<PointMassSchema>> || parameters.get("memory") == "reserved";
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<SpikeCase<Strategy<PointMassSchema>>>(parameters);
  }
};

}  // namespace stowage::workloads
