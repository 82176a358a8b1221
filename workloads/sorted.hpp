#pragma once

// Workload: what it costs to visit entities in the order of a key, of which some change in each frame.

#include <stowage/contract/moves.hpp>

#include "workloads/lookup.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard sorted_card{
    .name = "sorted",
    .setup =
        "n entities with SortKey (8 bytes: a depth and, for ties, the ordinal) and Position (12 bytes), a group; they "
        "were created in an order that is unrelated to their depths",
    .measured =
        "one frame: one entity in 64, drawn at random, gets another depth by its handle, 11 places from the old one on "
        "average; then the key and one float of Position of every entity are read in the order of the keys. "
        "how:collected: each() collects all keys and handles in an array, std::sort sorts it, each entity is looked "
        "up. how:index: such an array is kept in order, changed entries are taken out and merged back, each entity is "
        "looked up. how:in_place: the storage puts its rows in order and each() visits them: by sort_rows() (an "
        "insertion sort), or by order_rows() and the array of how:index",
    .item = "entity",
    .checksum =
        "for each visited entity three times the sum so far and the bits read, wrapping, accumulated by the pass "
        "itself",
    .favours = "how:in_place packed rows; how:index quick lookups",
    .disadvantages =
        "how:in_place hash maps, in which each moved row is an entry to find; storages whose rows have a place of "
        "their own do not offer it",
    .floor =
        "20/64 line for all of them, by arrays that are kept in the order of the keys, beside slots that check "
        "handles; "
        "what the changes read is not counted",
    .sizes = {16 * 1024, 256 * 1024},
};

/// No two are equal.
struct SortKey {
  std::uint64_t bits;  ///< depth and ordinal

  [[nodiscard]] static constexpr SortKey last() noexcept { return {~std::uint64_t{0}}; }
  [[nodiscard]] std::uint32_t ordinal() const noexcept { return static_cast<std::uint32_t>(bits); }
};
struct KeyOrder {
  [[nodiscard]] bool operator()(const SortKey& key, const SortKey& other) const noexcept {
    return key.bits < other.bits;
  }
};
using SortedSchema = Schema<Group<SortKey, Position>>;

/// Adds an entity to the sum of those before.
[[nodiscard]] inline std::uint64_t drawn_after(std::uint64_t sum, SortKey key, const Position& at) noexcept {
  return 3 * sum + (key.bits ^ read(at));
}

/// Which entities get which keys. A depth stays near where the entity began, so that the order ages no further.
class SortedPlan {
  static constexpr std::size_t share = 64;  ///< one entity of so many changes in a frame
  static constexpr std::size_t frames = 2 * share;
  static constexpr std::uint64_t depths = std::uint64_t{1} << 31;

 public:
  explicit SortedPlan(const Parameters& parameters)
      : seed_(parameters.seed),
        changing_(std::max<std::size_t>(1, parameters.entities / share)),
        reach_(std::min(16 * depths / parameters.entities, depths / 2)) {
    Random random(parameters.seed);
    Array<std::uint32_t> ordinals = in_order(parameters.entities);
    for (std::size_t frame = 0; frame < frames; ++frame) {
      for (std::size_t i = 0; i < changing_; ++i) {  // no entity twice in a frame
        std::swap(ordinals[i], ordinals[i + random.below(ordinals.size() - i)]);
        changes_.push_back(key(ordinals[i], random.below(2 * reach_)));
      }
    }
  }

  [[nodiscard]] SortKey first_key(std::size_t ordinal) const noexcept {
    return key(static_cast<std::uint32_t>(ordinal), reach_);
  }
  /// The new keys, which name their entities.
  [[nodiscard]] std::span<const SortKey> frame(std::size_t number) const noexcept {
    return std::span(changes_).subspan(number % frames * changing_, changing_);
  }

 private:
  [[nodiscard]] SortKey key(std::uint32_t ordinal, std::uint64_t moved) const noexcept {
    return {(mixed(seed_, ordinal) % depths + moved) << 32 | ordinal};
  }

  std::uint64_t seed_;
  std::size_t changing_;
  std::uint64_t reach_;
  Array<SortKey> changes_;
};

/// Puts rows in order by an insertion sort: see parts/pool_storage.hpp.
template <class Storage>
inline constexpr bool sorts_rows = requires(Storage& storage) { storage.template sort_rows<SortKey>(KeyOrder{}); };

/// Of EnTT: as sort_rows(), for rows in any order.
template <class Storage>
inline constexpr bool sorts_rows_anew =
    requires(Storage& storage) { storage.template sort_rows_anew<SortKey>(KeyOrder{}); };

template <class Storage>
class SortedCase : public StorageCase<Storage>, public SummedCase {
  using Handle = typename Storage::entity_type;
  struct Entry {
    SortKey key;
    Handle entity;
    friend bool operator<(const Entry& entry, const Entry& other) noexcept { return entry.key.bits < other.key.bits; }
  };

 public:
  explicit SortedCase(const Parameters& parameters)
      : plan_(parameters),
        collects_(parameters.get("how") == "collected"),
        in_place_(parameters.get("how") == "in_place"),
        keeps_entries_(!collects_ && !(in_place_ && sorts_rows<Storage>)) {
    const Values values(parameters.seed);
    make_room<SortKey, Position>(storage_, parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      handles_.push_back(storage_.create(plan_.first_key(i), values.position(i)));
    }
    collect_entries();
    if (in_place_) order_rows();
  }

  void run() {
    change_keys();
    if (collects_) collect_entries();
    if (keeps_entries_) merge_changes();
    if (in_place_) {
      if constexpr (sorts_rows<Storage>) {
        storage_.template sort_rows<SortKey>(KeyOrder{});
      } else {
        order_rows();
      }
      draw_rows();
    } else {
      draw_entries();
    }
    keep(sum_);
  }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }

 private:
  void change_keys() {
    for (const SortKey key : plan_.frame(frame_++)) {
      const Handle entity = handles_[key.ordinal()];
      const auto found = storage_.template find<SortKey>(entity);
      if (found == nullptr) continue;
      if (keeps_entries_) {
        outdated_.push_back({*found, entity});
        added_.push_back({key, entity});
      }
      *found = key;
    }
  }
  void collect_entries() {
    entries_.clear();
    storage_.template each<const SortKey>(
        [this](Handle entity, const SortKey& key) { entries_.push_back({key, entity}); });
    std::sort(entries_.begin(), entries_.end());
  }
  /// One pass over all entries. Both lists end with a key that comes after all others.
  void merge_changes() {
    std::sort(outdated_.begin(), outdated_.end());
    std::sort(added_.begin(), added_.end());
    outdated_.push_back({SortKey::last(), Handle{}});
    added_.push_back({SortKey::last(), Handle{}});
    merged_.resize(entries_.size());
    const Entry* outdated = outdated_.data();
    const Entry* added = added_.data();
    Entry* to = merged_.data();
    for (const Entry& entry : entries_) {
      while (*added < entry) *to++ = *added++;
      if (entry.key.bits == outdated->key.bits) {
        ++outdated;
      } else {
        *to++ = entry;
      }
    }
    while (to != merged_.data() + merged_.size()) *to++ = *added++;
    entries_.swap(merged_);
    outdated_.clear();
    added_.clear();
  }
  void order_rows() {
    if constexpr (sorts_rows_anew<Storage>) {
      storage_.template sort_rows_anew<SortKey>(KeyOrder{});
    } else if constexpr (OrdersRows<Storage, SortKey, Position>) {
      in_order_.clear();
      for (const Entry& entry : entries_) in_order_.push_back(entry.entity);
      storage_.template order_rows<SortKey, Position>(std::span<const Handle>(in_order_));
    }
  }

  void draw_entries() {
    std::uint64_t sum = sum_;
    for (const Entry& entry : entries_) {
      const auto found = storage_.template find<const Position>(entry.entity);
      if (found != nullptr) sum = drawn_after(sum, entry.key, *found);
    }
    sum_ = sum;
  }
  void draw_rows() {
    std::uint64_t sum = sum_;
    storage_.template each<const SortKey, const Position>(
        [&sum](const SortKey& key, const Position& at) { sum = drawn_after(sum, key, at); });
    sum_ = sum;
  }

  SortedPlan plan_;
  bool collects_;
  bool in_place_;
  bool keeps_entries_;
  using StorageCase<Storage>::storage_;
  Array<Handle> handles_;
  Array<Handle> in_order_;
  Array<Entry> entries_;  ///< in the order of their keys
  Array<Entry> merged_, outdated_, added_;
  std::size_t frame_ = 0;
};

/// The floor, which keeps the contract: rows that are kept in the order of their keys, and slots that check handles. A
/// row that gets another key moves past its neighbours.
class SortedReference : public SummedCase {
 public:
  explicit SortedReference(const Parameters& parameters) : plan_(parameters), rows_(parameters.entities) {
    const Values values(parameters.seed);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      rows_.of<SortKey>()[i] = plan_.first_key(i);
      handles_.push_back(slots_.add());
    }
    std::sort(rows_.of<SortKey>(), rows_.of<SortKey>() + handles_.size(), KeyOrder{});
    for (std::size_t row = 0; row < handles_.size(); ++row) {
      const SortKey key = rows_.of<SortKey>()[row];
      put(row, key, values.position(key.ordinal()));
    }
  }

  void run() {
    for (const SortKey key : plan_.frame(frame_++)) {
      const std::uint32_t row = slots_.find(handles_[key.ordinal()]);
      if (row != SlotTable<>::none) move(row, key);
    }
    const SortKey* const keys = rows_.of<SortKey>();
    const Position* const positions = rows_.of<Position>();
    std::uint64_t sum = sum_;
    for (std::size_t row = 0; row < handles_.size(); ++row) sum = drawn_after(sum, keys[row], positions[row]);
    sum_ = sum;
    keep(sum_);
  }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t payload = handles_.size() * (sizeof(SortKey) + sizeof(Position));
    const std::size_t held = rows_.held_bytes() + slots_.held_bytes();
    return {.payload_bytes = payload,
            .index_bytes = slots_.used_bytes(),
            .slack_bytes = held - payload - slots_.used_bytes(),
            .allocations = 2};
  }

 private:
  void move(std::size_t row, SortKey key) noexcept {
    const SortKey* const keys = rows_.of<SortKey>();
    const Position* const positions = rows_.of<Position>();
    const Position position = positions[row];
    const std::size_t last = handles_.size() - 1;
    for (; row < last && keys[row + 1].bits < key.bits; ++row) put(row, keys[row + 1], positions[row + 1]);
    for (; row > 0 && keys[row - 1].bits > key.bits; --row) put(row, keys[row - 1], positions[row - 1]);
    put(row, key, position);
  }
  void put(std::size_t row, SortKey key, Position position) noexcept {
    rows_.of<SortKey>()[row] = key;
    rows_.of<Position>()[row] = position;
    slots_.set_place(key.ordinal(), static_cast<std::uint32_t>(row));
  }

  SortedPlan plan_;
  SlotTable<> slots_;
  Columns<SortKey, Position> rows_;
  Array<Entity> handles_;
  std::size_t frame_ = 0;
};

/// Of how:collected and how:index; that of how:in_place is the floor.
template <class Name, class Store>
struct SortedFloor : ContractFloor<Name, SortedCase<Store>> {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return parameters.get("how") != "in_place"; }
};

struct Sorted {
  static constexpr const WorkloadCard& card = sorted_card;
  using References = TypeList<SortedReference, SortedFloor<StoreName, PackedStore<SortKey, Position>>,
                              SortedFloor<SectionsName, TwoSections<SortKey, Position>>,
                              SortedFloor<InterleavedName, InterleavedStore<SortKey, Position>>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"how", {"collected", "index", "in_place"}, {"collected", "index", "in_place"}}};
  }
  /// Keys and positions in their order, all of a key and of a position next to each other.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr double bytes = sizeof(SortKey) + sizeof(Position);
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    using Storage = Strategy<SortedSchema>;
    return parameters.get("how") != "in_place" || OrdersRows<Storage, SortKey, Position> || sorts_rows_anew<Storage>;
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<SortedCase<Strategy<SortedSchema>>>(parameters);
  }
};

}  // namespace stowage::workloads
