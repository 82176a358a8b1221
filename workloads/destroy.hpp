#pragma once

// Workload: what it costs to destroy all entities: in order, in a shuffle, by one call with a list, or by clear().

#include "workloads/create.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard destroy_card{
    .name = "destroy",
    .setup = "n entities with four components (40 bytes), created in bulk before every pass",
    .measured =
        "the end of all of them: how:each one by one in order of creation, how:each_shuffled one by one in a "
        "shuffle, how:list by one call with a list of them in that shuffle, how:clear by one call for all; a storage "
        "that destroys lazily collects all in the end",
    .item = "entity",
    .checksum =
        "hash(ordinal, whether its destroy() said yes, whether it is alive afterwards) of every entity, and how "
        "many are left",
    .favours = "designs in which a hole may stay (direct rows), and clear() that does not visit components",
    .disadvantages = "packed rows (the last row moves into every hole) and heap objects (five deallocations an entity)",
    .floor =
        "1/8 line of the list of handles per entity and 4 bytes of generation, dense (how:each) or in a line of their "
        "own (how:each_shuffled, how:list), by a loop over an array of generations; none for how:clear, where one "
        "flag ends all",
    .smallest_entities = 4096,
    .sizes = {16 * 1024, 256 * 1024},
};

[[nodiscard]] inline Array<std::uint32_t> destruction_order(const Parameters& parameters) {
  const std::string& how = parameters.get("how");
  if (how == "each" || how == "clear") return in_order(parameters.entities);
  return Random(parameters.seed).permutation(parameters.entities);
}

/// The checksum of both forms: which entities were destroyed, and which still live.
template <class Alive>
[[nodiscard]] std::uint64_t destruction_checksum(std::size_t destroyed, std::size_t left, std::size_t count,
                                                 Alive&& alive) {
  Checksum sum;
  sum.add(destroyed, left);
  for (std::size_t i = 0; i < count; ++i) sum.add(i, alive(i) ? 1 : 0);
  return sum.value();
}

template <class Storage>
class DestroyCase {
 public:
  static constexpr bool repeatable = false;

  explicit DestroyCase(const Parameters& parameters)
      : at_once_(parameters.get("how") == "clear"),
        by_list_(parameters.get("how") == "list"),
        input_(parameters),
        order_(destruction_order(parameters)),
        handles_(parameters.entities),
        doomed_(parameters.entities) {
    storage_.template reserve<Mass, Position, Velocity, Acceleration>(parameters.entities);
  }

  void prepare() {
    end_all(storage_);
    storage_.create(std::span(handles_), std::span<const Mass>(input_.masses),
                    std::span<const Position>(input_.positions), std::span<const Velocity>(input_.velocities),
                    std::span<const Acceleration>(input_.accelerations));
    for (std::size_t i = 0; i < order_.size(); ++i) doomed_[i] = handles_[order_[i]];
    destroyed_ = 0;
  }

  void run() {
    if (at_once_) {
      destroyed_ = storage_.size();
      end_all(storage_);
    } else if (by_list_) {
      destroyed_ = destroy_all(storage_, std::span<const typename Storage::entity_type>(doomed_));
      collect_all(storage_);
    } else {
      for (const auto entity : doomed_) destroyed_ += storage_.destroy(entity) ? 1 : 0;
      collect_all(storage_);
    }
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    return destruction_checksum(destroyed_, storage_.size(), handles_.size(),
                                [&](std::size_t i) { return storage_.alive(handles_[i]); });
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear()
    requires requires(Storage& storage) { storage.clear(); }
  {
    storage_.clear();
  }

 private:
  bool at_once_;
  bool by_list_;
  PointMassInput input_;
  Array<std::uint32_t> order_;
  Array<typename Storage::entity_type> handles_;
  Array<typename Storage::entity_type> doomed_;
  Storage storage_;
  std::size_t destroyed_ = 0;
};

/// The components of a hand-written store.
using StoredColumns = PointMassColumns<StoredArray>;

/// The floor: generations, and the components stay where they are. No index is ever given out again, and no hole
/// filled.
class DestroyReference {
 public:
  static constexpr bool repeatable = false;

  explicit DestroyReference(const Parameters& parameters)
      : at_once_(parameters.get("how") == "clear"), live_(parameters), generations_(parameters.entities, 0) {
    for (const std::uint32_t ordinal : destruction_order(parameters)) doomed_.push_back(Entity(ordinal, 0));
  }

  void prepare() {
    std::ranges::fill(generations_, 0u);
    ended_ = false;
    destroyed_ = 0;
    size_ = live_.size();
  }

  void run() {
    if (at_once_) {
      destroyed_ = size_;
      ended_ = true;
    } else {
      for (const Entity entity : doomed_) destroyed_ += destroy(entity) ? 1 : 0;
    }
    size_ -= destroyed_;
    keep(*this);
  }

  [[nodiscard]] std::uint64_t items() const { return doomed_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    return destruction_checksum(destroyed_, size_, doomed_.size(),
                                [this](std::size_t i) { return !ended_ && generations_[i] == 0; });
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = 40 * size_,
            .index_bytes = generations_.size() * sizeof(std::uint32_t),
            .slack_bytes = 40 * (live_.size() - size_),
            .allocations = 5};
  }

 private:
  bool destroy(Entity entity) {
    if (entity.index() >= generations_.size() || generations_[entity.index()] != entity.generation()) return false;
    ++generations_[entity.index()];
    return true;
  }

  bool at_once_;
  StoredColumns live_;
  StoredArray<std::uint32_t> generations_;
  bool ended_ = false;  ///< all of them
  Array<Entity> doomed_;
  std::size_t size_ = 0;
  std::size_t destroyed_ = 0;
};

struct Destroy {
  static constexpr const WorkloadCard& card = destroy_card;
  using References =
      TypeList<DestroyReference,
               ContractFloor<StoreName, DestroyCase<PackedStore<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<SectionsName, DestroyCase<TwoSections<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<DirectName, DestroyCase<DirectByRow<Mass, Position, Velocity, Acceleration>>>,
               ContractFloor<InterleavedName, DestroyCase<InterleavedStore<Mass, Position, Velocity, Acceleration>>>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"how", {"each", "each_shuffled", "list", "clear"}, {"each", "each_shuffled", "clear"}}};
  }
  /// These components end without a trace, so an end is an 8-byte handle read, eight of which share a line, and 4 bytes
  /// of generation written, after which the handle is stale.
  /// how:each           generations in their order: (8 + 4)/64 = 0.1875.
  /// how:each_shuffled, how:list
  ///                    a generation in a place that nothing tells anything about: 8/64 + 1 = 1.125.
  /// how:clear          one flag for all ends them at once: nothing per entity.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    constexpr std::size_t generation_bytes = sizeof(EntityIndex);
    const std::string& how = parameters.get("how");
    if (how == "clear") return {};
    const double generation_lines =
        how == "each" ? lines.in_sequence(generation_bytes) : lines.touched({{0, generation_bytes}}, generation_bytes);
    return {.lines_per_item = lines.in_sequence(sizeof(Entity)) + generation_lines,
            .bytes_per_item = sizeof(Entity) + generation_bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<DestroyCase<Strategy<PointMassSchema>>>(parameters);
  }
};

}  // namespace stowage::workloads
