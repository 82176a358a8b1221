#pragma once

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard my_work_card{.name = "my_work",
                                           .setup = "n entities with a Position; their handles in a shuffle",
                                           .measured = "find for share % of the handles, and a read of one float",
                                           .item = "lookup",
                                           .checksum = "wrapping sum of the bits that were read",
                                           .favours = "which strategies, and why",
                                           .disadvantages = "which strategies, and why",
                                           .floor = "what MyWorkReference does, and the cache lines that it takes",
                                           .smallest_entities = 2};

/// Values of parameters are strings.
inline std::size_t lookups_of(const Parameters& parameters) {
  return parameters.entities * std::stoul(parameters.get("share")) / 100;
}

template <class Storage>
class MyWorkCase {  // the work, written once for every strategy
 public:
  explicit MyWorkCase(const Parameters& parameters) : count_(lookups_of(parameters)) {  // never timed
    const Values values(parameters.seed);
    storage_.template reserve<Position>(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) handles_.push_back(storage_.create(values.position(i)));
    Random(parameters.seed).shuffle(handles_);
  }

  void prepare() { sum_ = 0; }  // never timed; resets what checksum() digests
  void run() {                  // one timed pass
    for (std::size_t i = 0; i < count_; ++i) {
      const auto position = storage_.template find<const Position>(handles_[i]);
      sum_ += std::bit_cast<std::uint32_t>(position->x);
    }
    keep(sum_);
  }

  std::uint64_t items() const { return count_; }                // what the time of a pass is divided by
  std::uint64_t checksum() { return sum_; }                     // equal for all strategies
  MemoryBreakdown memory() const { return storage_.memory(); }  // all bytes that it holds
  void clear() { storage_.clear(); }                            // never timed

 private:
  Storage storage_;
  Array<typename Storage::entity_type> handles_;  // a vector that is not counted as memory of the storage
  std::size_t count_;
  std::uint64_t sum_ = 0;
};

class MyWorkReference {  // attains the floor with plain arrays; the members of the case, and a name
 public:
  static constexpr std::string_view name = "reference", summary = "";

  explicit MyWorkReference(const Parameters& parameters) : count_(lookups_of(parameters)) {
    const Values values(parameters.seed);
    positions_.reserve(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      positions_.push_back(values.position(i));
      handles_.push_back(Entity(static_cast<EntityIndex>(i), 0));
    }
    Random(parameters.seed).shuffle(handles_);
  }

  void prepare() { sum_ = 0; }
  void run() {
    for (std::size_t i = 0; i < count_; ++i) sum_ += std::bit_cast<std::uint32_t>(positions_[handles_[i].index()].x);
    keep(sum_);
  }

  std::uint64_t items() const { return count_; }
  std::uint64_t checksum() { return sum_; }
  MemoryBreakdown memory() const {
    const std::size_t bytes = positions_.size() * sizeof(Position);
    return {.payload_bytes = bytes, .index_bytes = 0, .slack_bytes = 0, .allocations = 1};
  }

 private:
  std::vector<Position> positions_;  // in place of a storage, so it is counted
  Array<Entity> handles_;
  std::size_t count_;
  std::uint64_t sum_ = 0;
};

struct MyWork {  // what the list of workloads names
  static constexpr const WorkloadCard& card = my_work_card;
  using References = TypeList<MyWorkReference>;  // others would be yardsticks, named reference.*
  /// The key, all its values, and those that `quick` takes.
  static std::vector<Axis> axes() { return {{"share", {"50", "100"}, {"100"}}}; }
  /// Derived here, by counting: the cache lines that every layout must fetch, and the bytes of them that the work
  /// needs. The list of handles is read in order; positions, of 12 bytes each, are not.
  static Floor floor(const Parameters&, Lines lines) {
    return {
        .lines_per_item = lines.in_sequence(sizeof(Entity)) + lines.touched({{0, sizeof(Position)}}, sizeof(Position)),
        .bytes_per_item = sizeof(Entity) + sizeof(Position)};
  }
  template <template <class> class Strategy>
  static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return std::make_unique<MeasurementOf<MyWorkCase<Strategy<Schema<Position>>>>>(parameters);
  }
};

}  // namespace stowage::workloads
