#pragma once

// Workload: the frame in which most entities die at once, and the frames after it, in which lazy storages clean up.

#include <cmath>

#include "workloads/create.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard despawn_card{
    .name = "despawn",
    .setup =
        "n entities with four components (40 bytes), created in bulk before every pass; the dying ones are drawn at "
        "random",
    .measured =
        "64 frames: in the first, `dead` % of the entities are destroyed in a shuffle; in each of the others nothing "
        "is destroyed or created, a storage that destroys lazily collects once, and one that can defragment does, at "
        "most n/100 rows",
    .item = "frame",
    .checksum = "hash(ordinal, bits of all components) of every entity after the frames",
    .favours =
        "designs that leave the rows of the dead for later (the first frame), and those without a later (all others)",
    .disadvantages =
        "designs that end everything at once: four components of each of the dead, and the last row moved into the "
        "hole, in one frame",
    .floor =
        "4/64 line of the list for each of the dead, and the bits that say who lives, spread over the frames, by a "
        "loop "
        "over an array of flags: rows stay where they are; none for dead:0",
    .smallest_entities = 100,
    .sizes = {16 * 1024, 100'000},
};

[[nodiscard]] inline std::size_t doomed_of(const Parameters& parameters) {
  return parameters.entities * std::stoul(parameters.get("dead")) / 100;
}

/// Fewer than 100, so that the p99 is the frame in which they die.
inline constexpr std::size_t despawn_frames = 64;

template <class Storage>
class DespawnCase {
 public:
  static constexpr bool repeatable = false;

  explicit DespawnCase(const Parameters& parameters)
      : input_(parameters),
        order_(Random(parameters.seed).permutation(parameters.entities)),
        budget_(std::max<std::size_t>(1, parameters.entities / 100)),
        handles_(parameters.entities),
        doomed_(doomed_of(parameters)) {
    storage_.template reserve<Mass, Position, Velocity, Acceleration>(parameters.entities);
  }

  void prepare() {
    end_all(storage_);
    storage_.create(std::span(handles_), std::span<const Mass>(input_.masses),
                    std::span<const Position>(input_.positions), std::span<const Velocity>(input_.velocities),
                    std::span<const Acceleration>(input_.accelerations));
    for (std::size_t i = 0; i < doomed_.size(); ++i) doomed_[i] = handles_[order_[i]];
  }

  void run() {
    for (std::size_t frame = 0; frame < despawn_frames; ++frame) step(frame);
    keep(storage_);
  }

  [[nodiscard]] std::size_t frames() const noexcept { return despawn_frames; }
  void step(std::size_t frame) {
    if (frame == 0) {
      for (const auto entity : doomed_) storage_.destroy(entity);
    } else {
      collect(storage_);
      rows_moved_ += defragment(storage_, budget_);
    }
  }
  [[nodiscard]] std::optional<StorageEvents> events() const { return events_of(storage_); }
  [[nodiscard]] std::optional<std::uint64_t> rows_moved() const {
    return defragments<Storage> ? std::optional(rows_moved_) : std::nullopt;
  }

  [[nodiscard]] std::uint64_t items() const noexcept { return despawn_frames; }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    storage_.template each<const Mass, const Position, const Velocity, const Acceleration>(
        [&](const auto&... components) { add_point_mass(sum, components...); });
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear()
    requires requires(Storage& storage) { storage.clear(); }
  {
    storage_.clear();
  }

 private:
  PointMassInput input_;
  Array<std::uint32_t> order_;
  std::size_t budget_;
  Array<typename Storage::entity_type> handles_;
  Array<typename Storage::entity_type> doomed_;
  Storage storage_;
  std::uint64_t rows_moved_ = 0;
};

/// The floor: a flag for each entity, and the components stay where they are. A byte each takes fewer instructions than
/// a bit.
class DespawnReference {
 public:
  static constexpr bool repeatable = false;

  explicit DespawnReference(const Parameters& parameters)
      : rows_(parameters), doomed_(Random(parameters.seed).permutation(parameters.entities)), lives_(rows_.size()) {
    doomed_.resize(doomed_of(parameters));
  }

  void prepare() { std::ranges::fill(lives_, std::uint8_t{1}); }

  void run() {
    for (std::size_t frame = 0; frame < despawn_frames; ++frame) step(frame);
    keep(lives_);
  }

  [[nodiscard]] std::size_t frames() const noexcept { return despawn_frames; }
  void step(std::size_t frame) {
    if (frame != 0) return;
    std::uint8_t* const lives = lives_.data();
    for (const std::uint32_t row : doomed_) lives[row] = 0;
  }

  [[nodiscard]] std::uint64_t items() const noexcept { return despawn_frames; }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (std::size_t i = 0; i < lives_.size(); ++i) {
      if (lives_[i] == 0) continue;
      add_point_mass(sum, rows_.masses[i], rows_.positions[i], rows_.velocities[i], rows_.accelerations[i]);
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const auto living = static_cast<std::size_t>(std::ranges::count(lives_, std::uint8_t{1}));
    return {.payload_bytes = 40 * living,
            .index_bytes = lives_.size(),
            .slack_bytes = 40 * (rows_.size() - living),
            .allocations = 5};
  }

 private:
  PointMassColumns<StoredArray> rows_;
  Array<std::uint32_t> doomed_;
  StoredArray<std::uint8_t> lives_;
};

struct Despawn {
  static constexpr const WorkloadCard& card = despawn_card;
  using References =
      TypeList<DespawnReference,
               ContractFloor<StoreName, DespawnCase<PackedStore<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<SectionsName, DespawnCase<TwoSections<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<DirectName, DespawnCase<DirectByRow<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<InterleavedName, DespawnCase<InterleavedStore<Mass, Position, Velocity, Acceleration>>>>;

  /// If nothing is dead, a frame is a handful of instructions, which the simulator counts and no clock sees.
  [[nodiscard]] static std::vector<Axis> axes() { return {{"dead", {"0", "1", "50", "90", "99"}, {"0", "90"}}}; }
  /// Each of the dead is named in 4 bytes, 16 of which share a line, and has a bit of its own, somewhere in the n/512
  /// lines of all bits: 1/64 of that in each frame. Where 64 does not divide their bytes a part of a byte is left out.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const auto dead = static_cast<double>(doomed_of(parameters));
    const double of_bits = std::min(dead, lines.in_sequence(static_cast<double>(parameters.entities) / 8));
    const double of_list = lines.in_sequence(dead * sizeof(std::uint32_t));
    const double bytes = std::floor(dead * (sizeof(std::uint32_t) + 1.0 / 8) / despawn_frames);
    return bytes > 0 ? Floor{.lines_per_item = (of_list + of_bits) / despawn_frames, .bytes_per_item = bytes} : Floor{};
  }
  [[nodiscard]] static bool framed(const Parameters&) { return true; }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<DespawnCase<Strategy<PointMassSchema>>>(parameters);
  }
};

}  // namespace stowage::workloads
