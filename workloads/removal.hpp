#pragma once

// Workload: what it costs to remove a component from some entities, with and without keeping the order of the others.

#include "workloads/support/workload.hpp"

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
        "4/64 line of the list for each removal, and the bits that say which rows are left, by a loop that clears a "
        "bit: rows stay where they are, in the order in which they came",
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
class RemovalCase : public StorageCase<Storage> {
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
  using StorageCase<Storage>::storage_;
  std::uint64_t sum_ = 0;
};

/// Rows stay where they are, and a bit says which are left. A row is named by its number, or by a handle that may be
/// stale.
template <class Handle>
class RemovalInPlace {
  static constexpr std::size_t bits = 64;
  static constexpr bool checks = std::is_same_v<Handle, Entity>;

 public:
  static constexpr bool repeatable = false;

  explicit RemovalInPlace(const Parameters& parameters)
      : ordered_(parameters.get("rows") == "ordered"),
        left_((parameters.entities + bits - 1) / bits),
        generations_(checks ? parameters.entities : 0) {
    const Values values(parameters.seed);
    for (std::size_t i = 0; i < parameters.entities; ++i) positions_.push_back(values.position(i));
    for (const std::uint32_t ordinal : removal_order(parameters)) {
      if constexpr (checks) {
        losing_.push_back(Entity(ordinal, 0));
      } else {
        losing_.push_back(ordinal);
      }
    }
  }

  void prepare() {
    std::ranges::fill(left_, ~std::uint64_t{0});
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
    std::size_t left = 0;
    for (std::size_t row = 0; row < positions_.size(); ++row) {
      if ((left_[row / bits] >> row % bits & 1U) == 0) continue;
      const Position& p = positions_[row];
      sum.add_floats(ordered_ ? left : 0, p.x, p.y, p.z);
      ++left;
    }
    sum.add(left, sum_);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const auto left = positions_.size() - losing_.size();
    return {.payload_bytes = left * sizeof(Position),
            .index_bytes = left_.size() * sizeof(std::uint64_t) + generations_.size() * sizeof(std::uint32_t),
            .slack_bytes = (positions_.capacity() - left) * sizeof(Position),
            .allocations = checks ? 3U : 2U};
  }

 private:
  bool remove(std::uint32_t row) {
    std::uint64_t& word = left_[row / bits];
    const std::uint64_t former = std::exchange(word, word & ~(std::uint64_t{1} << row % bits));
    return former != word;
  }
  bool remove(Entity entity) {
    return entity.index() < generations_.size() && generations_[entity.index()] == entity.generation() &&
           remove(entity.index());
  }

  bool ordered_;
  Array<Handle> losing_;
  StoredArray<Position> positions_;
  StoredArray<std::uint64_t> left_;
  StoredArray<std::uint32_t> generations_;
  std::uint64_t sum_ = 0;
};

using RemovalReference = RemovalInPlace<std::uint32_t>;
/// The contract floor of direct rows.
struct RemovalDirect : RemovalInPlace<Entity>, DirectName {
  using RemovalInPlace::RemovalInPlace;
};

/// The contract floor: a packed array of positions, their owners, and the row of each entity. The last row moves into
/// the hole, or all behind it move down.
class RemovalStore : public StoreName {
  static constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();

 public:
  static constexpr bool repeatable = false;

  explicit RemovalStore(const Parameters& parameters)
      : ordered_(parameters.get("rows") == "ordered"), slots_(parameters.entities) {
    const Values values(parameters.seed);
    for (std::size_t i = 0; i < parameters.entities; ++i) all_.push_back(values.position(i));
    for (const std::uint32_t ordinal : removal_order(parameters)) losing_.push_back(Entity(ordinal, 0));
    owners_.resize(all_.size());
  }

  void prepare() {
    positions_.assign(all_.begin(), all_.end());
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
      owners_[i] = i;
      slots_[i] = {0, i};
    }
    rows_ = slots_.size();
    sum_ = 0;
  }

  void run() { ordered_ ? remove_all<true>() : remove_all<false>(); }

  [[nodiscard]] std::uint64_t items() const { return losing_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    sum.add(rows_, sum_);
    for (std::size_t row = 0; row < rows_; ++row) {
      const Position& p = positions_[row];
      sum.add_floats(ordered_ ? row : 0, p.x, p.y, p.z);
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t payload = rows_ * sizeof(Position);
    const std::size_t index = rows_ * sizeof(std::uint32_t) + slots_.size() * sizeof(Slot);
    const std::size_t held = positions_.capacity() * sizeof(Position) + owners_.capacity() * sizeof(std::uint32_t) +
                             slots_.capacity() * sizeof(Slot);
    return {.payload_bytes = payload, .index_bytes = index, .slack_bytes = held - payload - index, .allocations = 3};
  }

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t row = 0;
  };

  template <bool Ordered>
  void remove_all() {
    Slot* const slots = slots_.data();
    Position* const positions = positions_.data();
    std::uint32_t* const owners = owners_.data();
    const std::size_t entities = slots_.size();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < losing_.size(); ++i) {
      const Entity entity = losing_[i];
      if (entity.index() >= entities) continue;
      Slot& slot = slots[entity.index()];
      if (slot.generation != entity.generation() || slot.row == no_row) continue;
      const std::uint32_t row = slot.row;
      const std::size_t last = --rows_;
      if constexpr (Ordered) {
        std::copy_n(positions + row + 1, last - row, positions + row);
        std::copy_n(owners + row + 1, last - row, owners + row);
        for (std::size_t moved = row; moved < last; ++moved) --slots[owners[moved]].row;
      } else {
        positions[row] = positions[last];
        owners[row] = owners[last];
        slots[owners[row]].row = row;
      }
      slot.row = no_row;
      sum += weight(i);
    }
    sum_ += sum;
    keep(*this);
  }

  bool ordered_;
  Array<Position> all_;
  Array<Entity> losing_;
  StoredArray<Slot> slots_;
  StoredArray<Position> positions_;
  StoredArray<std::uint32_t> owners_;
  std::size_t rows_ = 0;
  std::uint64_t sum_ = 0;
};

struct Removal {
  static constexpr const WorkloadCard& card = removal_card;
  static constexpr std::array needs{Capability::structural_change};
  using References = TypeList<RemovalReference, RemovalStore, RemovalDirect>;

  [[nodiscard]] static std::vector<Axis> axes() { return {{"rows", {"any", "ordered"}, {"any", "ordered"}}}; }
  /// Each removal is named in 4 bytes, 16 of which share a line, and has a bit of its own, somewhere in the n/512 lines
  /// of all bits. That rows keep their order asks for no more, if holes may stay. A bit is no whole byte.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const auto removals = static_cast<double>(std::max<std::size_t>(1, parameters.entities / 64));
    const double of_bits = std::min(removals, lines.in_sequence(static_cast<double>(parameters.entities) / 8));
    return {.lines_per_item = lines.in_sequence(sizeof(std::uint32_t)) + of_bits / removals,
            .bytes_per_item = sizeof(std::uint32_t)};
  }
  template <template <class> class Strategy>
  using StorageOf = Strategy<Schema<Position>>;

  template <template <class> class Strategy>
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return parameters.get("rows") == "any" || keeps_order<StorageOf<Strategy>>;
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<RemovalCase<StorageOf<Strategy>>>(parameters);
  }
};

}  // namespace stowage::workloads
