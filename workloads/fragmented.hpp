#pragma once

// Workload: how much slower a loop over one component gets if entities are spread over many component sets.

#include "workloads/support/markers.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard fragmented_card{
    .name = "fragmented",
    .setup =
        "n entities with Position (12 bytes) and a combination of six markers, from 1024 sets on of fourteen, "
        "components without state: `sets` different component sets, drawn at random for each entity. With few entities "
        "for each set some sets are empty; n entities are in at most n of them",
    .measured = "one pass over all entities: position += constant",
    .item = "entity",
    .checksum = "hash(bits of position) of every entity after the passes",
    .favours = "pools: to them the other components of an entity are nothing",
    .disadvantages =
        "sections: a loop for each set, and thin ones if sets are many. No storage takes part whose sets would take "
        "more than 512 MiB, because each of them has sections of a fixed size",
    .floor = "12/64 lines per entity, by a loop over one array of positions",
    .sizes = {16 * 1024, 256 * 1024},
};

/// With no more markers than `sets` needs, because pools and direct rows have an index or a bit for each.
inline constexpr std::size_t fragmented_markers = 6, fragmented_most_markers = 14;

[[nodiscard]] inline std::size_t set_count(const Parameters& parameters) { return std::stoul(parameters.get("sets")); }

/// Exact in binary, as all sums of it with a coordinate are.
inline constexpr float fragmented_step = 1.0f / 1024.0f;

inline void move_on(Position& position) {
  position.x += fragmented_step;
  position.y += fragmented_step;
  position.z += fragmented_step;
}

template <class Storage, std::size_t Markers>
class FragmentedCase : public StorageCase<Storage> {
 public:
  explicit FragmentedCase(const Parameters& parameters) {
    const Values values(parameters.seed);
    const std::size_t sets = set_count(parameters);
    Random random(parameters.seed);
    make_room<Position>(storage_, parameters.entities);
    make_room_for_markers<Markers>(storage_, parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      mark<Markers>(storage_, storage_.create(values.position(i)), random.below(sets));
    }
  }

  void run() {
    storage_.template each<Position>([](Position& position) { move_on(position); });
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    storage_.template each<const Position>([&](const Position& p) { sum.add_floats(0, p.x, p.y, p.z); });
    return sum.value();
  }

 private:
  using StorageCase<Storage>::storage_;
};

/// The floor: the positions of all in one array. As positions and not as 3 n scalars, because three vectors of them are
/// one step of the loop then: 1.1 instructions an entity instead of 1.9.
class FragmentedReference {
 public:
  explicit FragmentedReference(const Parameters& parameters) {
    const Values values(parameters.seed);
    positions_.reserve(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) positions_.push_back(values.position(i));
  }

  void run() {
    constexpr auto move = [](Position& position) { move_on(position); };
    visit_arrays(0, positions_.size(), move, no_entity, positions_.data());
    keep(positions_);
  }

  [[nodiscard]] std::uint64_t items() const { return positions_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (const Position& p : positions_) sum.add_floats(0, p.x, p.y, p.z);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = positions_.size() * sizeof(Position), .allocations = 1};
  }

 private:
  StoredArray<Position> positions_;
};

/// The contract floor of sections: the same loop over an array for each set.
class FragmentedSections : public SectionsName {
 public:
  explicit FragmentedSections(const Parameters& parameters)
      : items_(parameters.entities), sections_(set_count(parameters)) {
    const Values values(parameters.seed);
    Random random(parameters.seed);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      sections_[random.below(sections_.size())].push_back(values.position(i));
    }
  }

  void run() {
    for (StoredArray<Position>& positions : sections_) {
      for (Position& position : positions) move_on(position);
    }
    keep(sections_);
  }

  [[nodiscard]] std::uint64_t items() const { return items_; }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (const StoredArray<Position>& positions : sections_) {
      for (const Position& p : positions) sum.add_floats(0, p.x, p.y, p.z);
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    MemoryBreakdown bytes{.payload_bytes = items_ * sizeof(Position)};
    for (const StoredArray<Position>& positions : sections_) {
      bytes.slack_bytes += (positions.capacity() - positions.size()) * sizeof(Position);
      bytes.allocations += positions.capacity() != 0 ? 1 : 0;
    }
    return bytes;
  }

 private:
  std::size_t items_;
  Array<StoredArray<Position>> sections_;
};

/// The case over `Of<Position, markers ...>`.
template <template <class...> class Of>
[[nodiscard]] std::unique_ptr<Measurement> make_fragmented(const Parameters& parameters) {
  const auto with = [&]<std::size_t Markers>(std::integral_constant<std::size_t, Markers>) {
    return make_case<FragmentedCase<WithMarkers<Of, Markers, Position>, Markers>>(parameters);
  };
  if (set_count(parameters) <= std::size_t{1} << fragmented_markers) {
    return with(std::integral_constant<std::size_t, fragmented_markers>());
  }
  return with(std::integral_constant<std::size_t, fragmented_most_markers>());
}

struct FragmentedDirect : DirectName {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_fragmented<DirectStore>(parameters);
  }
};

struct Fragmented {
  static constexpr const WorkloadCard& card = fragmented_card;
  static constexpr std::array needs{Capability::structural_change};
  using References = TypeList<FragmentedReference, FragmentedSections, FragmentedDirect>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"sets", {"1", "4", "16", "64", "1024", "10000"}, {"1", "64"}}};
  }
  /// A position is read and written back to the same line: 12/64 = 0.1875. That the sets differ adds nothing, because
  /// the loop does not ask for the set.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr double bytes = sizeof(Position);
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  /// A storage says what a component set takes at least, if that is much.
  template <template <class> class Strategy>
  [[nodiscard]] static std::string obstacle(const Parameters& parameters) {
    using Storage = Strategy<ProbeSchema>;
    if constexpr (requires { Storage::least_bytes_per_set; }) {
      constexpr std::size_t most_mib = 512, mib = 1024 * 1024;
      const std::size_t needed_mib = set_count(parameters) * Storage::least_bytes_per_set / mib;
      if (needed_mib > most_mib) {
        return "its " + parameters.get("sets") + " component sets would take " + std::to_string(needed_mib) +
               " MiB, and " + std::to_string(most_mib) + " MiB are the most that a case may take for them";
      }
    }
    return {};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_fragmented<OverSchema<Strategy>::template Of>(parameters);
  }
};

}  // namespace stowage::workloads
