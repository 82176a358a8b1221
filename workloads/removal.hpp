#pragma once

// Workload: what it costs to remove a component from some entities, with and without keeping the order of the others.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/contract/type_list.hpp>

#include "workloads/floors/array.hpp"
#include "workloads/fragmented.hpp"
#include "workloads/support/array.hpp"
#include "workloads/support/capabilities.hpp"
#include "workloads/support/checksum.hpp"
#include "workloads/support/components.hpp"
#include "workloads/support/floor.hpp"
#include "workloads/support/keep.hpp"
#include "workloads/support/measurement.hpp"
#include "workloads/support/parameters.hpp"
#include "workloads/support/random.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard removal_card{
    .name = "removal",
    .setup = "n entities with Position (12 bytes), created one by one before every pass; which is drawn at random",
    .measured =
        "one entity in 64 loses its component: rows:any by remove(), rows:ordered by remove_ordered(), after which the "
        "rows of all others are in the order in which they came",
    .item = "removal",
    .checksum =
        "wrapping sum over the removals of an odd weight; rows:any hash(bits of position) of what is left, "
        "rows:ordered "
        "with its place in the order in which each() visits",
    .favours = "rows:any designs in which a hole stays, or is filled by one move",
    .disadvantages =
        "rows:ordered all that offer it, because every row behind moves and every entry of its index with it: hash "
        "maps "
        "more than arrays; the others do not offer it",
    .floor =
        "1.125 lines of handle and generation for each; attained by no loop here: the reference is a packed array "
        "with a hand-written slot table, with the last row moved into the hole or all behind it moved down",
    .smallest_entities = 64,
    .sizes = {1024, 16 * 1024},
};

/// Whether the storage has remove_ordered(): see parts/pool_storage.hpp.
template <class Storage>
inline constexpr bool keeps_order = requires(Storage& storage, typename Storage::entity_type entity) {
  storage.template remove_ordered<Position>(entity);
};

/// The entities that lose the component, by ordinal.
[[nodiscard]] inline Array<std::uint32_t> removal_order(const Parameters& parameters) {
  Array<std::uint32_t> order = Random(parameters.seed).permutation(parameters.entities);
  order.resize(std::max<std::size_t>(1, parameters.entities / 64));
  return order;
}

template <class Storage>
class RemovalCase {
 public:
  static constexpr bool repeatable = false;

  explicit RemovalCase(const Parameters& parameters)
      : ordered_(parameters.get("rows") == "ordered"),
        values_(parameters.seed),
        order_(removal_order(parameters)),
        handles_(parameters.entities),
        losing_(order_.size()) {
    make_room<Position>(storage_, parameters.entities);
  }

  void prepare() {
    storage_.clear();
    for (std::size_t i = 0; i < handles_.size(); ++i) handles_[i] = storage_.create(values_.position(i));
    for (std::size_t i = 0; i < order_.size(); ++i) losing_[i] = handles_[order_[i]];
    sum_ = 0;
  }

  void run() {
    if constexpr (keeps_order<Storage>) {
      if (ordered_) {
        remove_all([&](auto entity) { return storage_.template remove_ordered<Position>(entity); });
        return;
      }
    }
    remove_all([&](auto entity) { return storage_.template remove<Position>(entity); });
  }

  [[nodiscard]] std::uint64_t items() const { return losing_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    sum.add(storage_.template count<Position>(), sum_);
    std::size_t row = 0;
    storage_.template each<const Position>(
        [&](const Position& p) { sum.add_floats(ordered_ ? row++ : 0, p.x, p.y, p.z); });
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear() { storage_.clear(); }

 private:
  template <class Remove>
  void remove_all(Remove remove) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < losing_.size(); ++i) sum += remove(losing_[i]) ? weight(i) : 0;
    sum_ += sum;
    keep(storage_);
  }

  bool ordered_;
  Values values_;
  Array<std::uint32_t> order_;
  Array<typename Storage::entity_type> handles_;
  Array<typename Storage::entity_type> losing_;
  Storage storage_;
  std::uint64_t sum_ = 0;
};

/// A packed array of positions, their owners, and the row of each entity.
class RemovalReference {
  static constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();

 public:
  static constexpr bool repeatable = false;

  explicit RemovalReference(const Parameters& parameters)
      : ordered_(parameters.get("rows") == "ordered"), slots_(parameters.entities) {
    const Values values(parameters.seed);
    for (std::size_t i = 0; i < parameters.entities; ++i) all_.push_back(values.position(i));
    for (const std::uint32_t ordinal : removal_order(parameters)) losing_.push_back(Entity(ordinal, 0));
    positions_.reserve(all_.size());
    owners_.reserve(all_.size());
  }

  void prepare() {
    positions_.assign(all_.begin(), all_.end());
    owners_.clear();
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      owners_.push_back(i);
      slots_[i] = {0, i};
    }
    sum_ = 0;
  }

  void run() {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < losing_.size(); ++i) sum += remove(losing_[i]) ? weight(i) : 0;
    sum_ += sum;
    keep(*this);
  }

  [[nodiscard]] std::uint64_t items() const { return losing_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    sum.add(positions_.size(), sum_);
    std::size_t row = 0;
    for (const Position& p : positions_) sum.add_floats(ordered_ ? row++ : 0, p.x, p.y, p.z);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t payload = positions_.size() * sizeof(Position);
    const std::size_t index = owners_.size() * sizeof(std::uint32_t) + slots_.size() * sizeof(Slot);
    const std::size_t held = positions_.capacity() * sizeof(Position) + owners_.capacity() * sizeof(std::uint32_t) +
                             slots_.capacity() * sizeof(Slot);
    return {.payload_bytes = payload, .index_bytes = index, .slack_bytes = held - payload - index, .allocations = 3};
  }

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t row = 0;
  };

  bool remove(Entity entity) {
    if (entity.index() >= slots_.size()) return false;
    Slot& slot = slots_[entity.index()];
    if (slot.generation != entity.generation() || slot.row == no_row) return false;
    const std::uint32_t row = std::exchange(slot.row, no_row);
    if (ordered_) {
      positions_.erase(positions_.begin() + row);
      owners_.erase(owners_.begin() + row);
      for (std::size_t moved = row; moved < owners_.size(); ++moved) --slots_[owners_[moved]].row;
    } else {
      const std::uint32_t owner = owners_.back();
      positions_[row] = positions_.back();
      owners_[row] = owner;
      if (owner != entity.index()) slots_[owner].row = row;
      positions_.pop_back();
      owners_.pop_back();
    }
    return true;
  }

  bool ordered_;
  Array<Position> all_;
  Array<Entity> losing_;
  StoredArray<Slot> slots_;
  StoredArray<Position> positions_;
  StoredArray<std::uint32_t> owners_;
  std::uint64_t sum_ = 0;
};

struct Removal {
  static constexpr const WorkloadCard& card = removal_card;
  static constexpr std::array needs{Capability::structural_change};
  using References = TypeList<RemovalReference>;

  [[nodiscard]] static std::vector<Axis> axes() { return {{"rows", {"any", "ordered"}, {"any", "ordered"}}}; }
  /// A removal reads its 8-byte handle, eight of which share a line, and the generation and a bit in a place that
  /// nothing tells anything about: 8/64 + 1 = 1.125, for 8 + 4 bytes. That rows keep their order asks for no more, if
  /// holes may stay.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr std::size_t generation_bytes = sizeof(EntityIndex);
    return {
        .lines_per_item = lines.in_sequence(sizeof(Entity)) + lines.touched({{0, generation_bytes}}, generation_bytes),
        .bytes_per_item = sizeof(Entity) + generation_bytes};
  }
  /// Storage of a workload that is there anyway: one more would cost its compilation for every strategy.
  template <template <class> class Strategy>
  using StorageOf = Strategy<SchemaWithMarkers<fragmented_markers, Position>>;

  template <template <class> class Strategy>
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return parameters.get("rows") == "any" || keeps_order<StorageOf<Strategy>>;
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return std::make_unique<MeasurementOf<RemovalCase<StorageOf<Strategy>>>>(parameters);
  }
};

}  // namespace stowage::workloads
