#pragma once

// Workload: is a value better looked up where it is, or copied to where it is read?

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard duplicated_card{
    .name = "duplicated",
    .setup =
        "n targets with a Position, and n watchers, each of a target of its own, made in a shuffle of the targets. "
        "read:lookup: a watcher has the handle of its target (16 bytes with a weight); read:copy: a copy of its "
        "target's position instead (16 bytes, too)",
    .measured =
        "`writes` % of the targets, in a shuffle, get another position, and with read:copy their watchers' copies, "
        "too; "
        "then one pass over all watchers reads x of each target, by find or from the copy",
    .item = "watcher",
    .checksum = "wrapping sum over watchers of the bits read times the watcher's odd weight, accumulated by the pass",
    .favours = "read:copy every storage that iterates well, as long as writes are rare",
    .disadvantages = "read:lookup designs with a long way from the handle to a component",
    .floor =
        "16/64 lines of the watcher, with read:lookup a line for the float of a position in no order; the "
        "writes are not counted",
    .smallest_entities = 2,
    .sizes = {16 * 1024, 1024, 256 * 1024, 1024 * 1024, 4096 * 1024},
};

template <class Handle>
struct Watcher {
  Handle target;
  std::uint32_t weight;
};
/// Has a copy of the target's position instead of its handle.
struct Copy {
  Position position;
  std::uint32_t weight;
};

/// Which ordinals the watchers watch, and the ordinals of the watchers whose targets are written, in their orders.
struct DuplicatedPlan {
  Array<std::uint32_t> target_of, written;

  explicit DuplicatedPlan(const Parameters& parameters) {
    Random random(parameters.seed);
    target_of = random.permutation(parameters.entities);
    written = random.permutation(parameters.entities);
    written.resize(parameters.entities * std::stoul(parameters.get("writes")) / 100);
  }
};

[[nodiscard]] inline std::uint32_t watcher_weight(std::size_t ordinal) {
  return static_cast<std::uint32_t>(weight(ordinal));
}
/// What a target's position is changed to.
[[nodiscard]] inline Position moved(const Position& position) { return {-position.x, position.y, position.z}; }
[[nodiscard]] inline std::uint64_t seen(const Position& position) { return std::bit_cast<std::uint32_t>(position.x); }

template <class Storage, class Reader>
class DuplicatedCase : public StorageCase<Storage>, public SummedCase {
  using Handle = typename Storage::entity_type;
  static constexpr bool copies = std::is_same_v<Reader, Copy>;

 public:
  explicit DuplicatedCase(const Parameters& parameters) {
    const Values values(parameters.seed);
    const DuplicatedPlan plan(parameters);
    storage_.template reserve<Position>(parameters.entities);
    storage_.template reserve<Reader>(parameters.entities);
    Array<Handle> targets;
    Array<Handle> watchers;
    for (std::size_t i = 0; i < parameters.entities; ++i) targets.push_back(storage_.create(values.position(i)));
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      const std::uint32_t target = plan.target_of[i];
      if constexpr (copies) {
        watchers.push_back(storage_.create(Copy{values.position(target), watcher_weight(i)}));
      } else {
        watchers.push_back(storage_.create(Watcher<Handle>{targets[target], watcher_weight(i)}));
      }
    }
    for (const std::uint32_t watcher : plan.written) {
      written_.push_back({targets[plan.target_of[watcher]], watchers[watcher]});
    }
  }

  void run() {
    for (const auto& [target, watcher] : written_) {
      const auto position = storage_.template find<Position>(target);
      if (position == nullptr) continue;
      const Position changed = moved(*position);
      *position = changed;
      if constexpr (copies) {
        if (const auto copy = storage_.template find<Copy>(watcher)) copy->position = changed;
      }
    }
    std::uint64_t sum = 0;
    storage_.template each<const Reader>([&](const Reader& reader) {
      if constexpr (copies) {
        sum += seen(reader.position) * reader.weight;
      } else if (const auto position = storage_.template find<const Position>(reader.target)) {
        sum += seen(*position) * reader.weight;
      }
    });
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return storage_.size() / 2; }

 private:
  struct Written {
    Handle target, watcher;
  };

  using StorageCase<Storage>::storage_;
  Array<Written> written_;
};

/// The floor: positions at the place of their ordinal, watchers that hold it, and no handle that could be stale.
template <class Reader>
class DuplicatedByHand : public SummedCase {
  static constexpr bool copies = std::is_same_v<Reader, Copy>;

 public:
  explicit DuplicatedByHand(const Parameters& parameters) {
    const Values values(parameters.seed);
    const DuplicatedPlan plan(parameters);
    positions_.reserve(parameters.entities);
    readers_.reserve(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) positions_.push_back(values.position(i));
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      const std::uint32_t target = plan.target_of[i];
      if constexpr (copies) {
        readers_.push_back({positions_[target], watcher_weight(i)});
      } else {
        readers_.push_back({Entity(target, 0), watcher_weight(i)});
      }
    }
    for (const std::uint32_t watcher : plan.written) written_.push_back({plan.target_of[watcher], watcher});
  }

  void run() {
    for (const auto& [target, watcher] : written_) {
      positions_[target] = moved(positions_[target]);
      if constexpr (copies) readers_[watcher].position = positions_[target];
    }
    std::uint64_t sum = 0;
    for (const Reader& reader : readers_) {
      if constexpr (copies) {
        sum += seen(reader.position) * reader.weight;
      } else {
        sum += seen(positions_[reader.target.index()]) * reader.weight;
      }
    }
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return readers_.size(); }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = positions_.size() * sizeof(Position) + readers_.size() * sizeof(Reader), .allocations = 2};
  }

 private:
  struct Written {
    std::uint32_t target, watcher;
  };

  StoredArray<Position> positions_;
  StoredArray<Reader> readers_;
  Array<Written> written_;
};

struct DuplicatedReference {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    if (parameters.get("read") == "copy") return make_case<DuplicatedByHand<Copy>>(parameters);
    return make_case<DuplicatedByHand<Watcher<Entity>>>(parameters);
  }
};

struct DuplicatedStore : StoreName {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    if (parameters.get("read") == "copy") return make_over<Copy>(parameters);
    return make_over<Watcher<Entity>>(parameters);
  }

 private:
  template <class Reader>
  [[nodiscard]] static std::unique_ptr<Measurement> make_over(const Parameters& parameters) {
    return make_case<DuplicatedCase<PoolStore<Position, Reader>, Reader>>(parameters);
  }
};

struct Duplicated {
  static constexpr const WorkloadCard& card = duplicated_card;
  using References = TypeList<DuplicatedReference, DuplicatedStore>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"read", {"lookup", "copy"}, {"lookup", "copy"}}, {"writes", {"0", "10", "50", "100"}, {"10"}}};
  }
  /// A watcher of 16 bytes, read in order: 16/64 = 0.25. With read:lookup a position of 12 bytes, of which 4 are read,
  /// in a place that no other tells anything about: 1 line, as x never straddles.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const double watchers = lines.in_sequence(sizeof(Copy));
    if (parameters.get("read") == "copy") return {.lines_per_item = watchers, .bytes_per_item = sizeof(Copy)};
    return {.lines_per_item = watchers + lines.touched({{0, sizeof(float)}}, sizeof(Position)),
            .bytes_per_item = sizeof(Copy) + sizeof(float)};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Handle = typename Strategy<Schema<Position>>::entity_type;
    if (parameters.get("read") == "copy") return make_over<Strategy<Schema<Position, Copy>>, Copy>(parameters);
    return make_over<Strategy<Schema<Position, Watcher<Handle>>>, Watcher<Handle>>(parameters);
  }

 private:
  template <class Storage, class Reader>
  [[nodiscard]] static std::unique_ptr<Measurement> make_over(const Parameters& parameters) {
    return make_case<DuplicatedCase<Storage, Reader>>(parameters);
  }
};

}  // namespace stowage::workloads
