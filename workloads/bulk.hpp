#pragma once

// Workload: what it costs to add and remove a component of many entities at once, beside one after the other.

#include "workloads/structural.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard bulk_card{
    .name = "bulk",
    .setup =
        "n entities with `others` components of 16 bytes, in a schema of nine such components; a list of them in the "
        "order of their creation, as a query gives it",
    .measured =
        "a component of 16 bytes is added to every entity of the list, from an array of them, then removed from every "
        "one: how:each one after the other, how:bulk by one call for all of each",
    .item = "change (an addition or a removal)",
    .checksum =
        "how many were added and removed, how many are left, and hash(place, bits of what was added last, if it is the "
        "last entity's, and of another component) of every entity",
    .favours = "how:bulk sections, which move neighbouring rows together",
    .disadvantages = "how:each sections: each change moves the whole entity",
    .floor =
        "29/64 lines: of handle, generation and presence, and half of what is read and written of a component, by a "
        "loop over an array of each",
    .sizes = {16 * 1024, 256 * 1024},
};

/// What is added.
[[nodiscard]] inline Array<Changed> bulk_values(const Parameters& parameters) {
  Array<Changed> values;
  for (std::size_t i = 0; i < parameters.entities; ++i) values.push_back({mixed(parameters.seed, i), i});
  return values;
}

/// `Counts` are the numbers of other components that there may be.
template <class Storage, std::size_t... Counts>
class BulkCase {
  using Handle = typename Storage::entity_type;

 public:
  explicit BulkCase(const Parameters& parameters)
      : at_once_(parameters.get("how") == "bulk"), values_(bulk_values(parameters)) {
    const std::size_t others = std::stoul(parameters.get("others"));
    make_room<Changed>(storage_, parameters.entities);
    ((others == Counts ? populate(parameters, std::make_index_sequence<Counts>{}) : void()), ...);
  }

  void prepare() { changed_ = 0; }
  void run() {
    const std::span<const Changed> values(values_);
    if (at_once_) {
      changed_ += emplace_all<Changed>(storage_, std::span<const Handle>(handles_), values);
      changed_ += remove_all<Changed>(storage_, std::span<const Handle>(handles_));
    } else {
      for (std::size_t i = 0; i < handles_.size(); ++i) storage_.template emplace<Changed>(handles_[i], values[i]);
      changed_ += handles_.size();
      for (const Handle entity : handles_) changed_ += storage_.template remove<Changed>(entity) ? 1 : 0;
    }
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return 2 * handles_.size(); }
  /// Adds once more, to see what.
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    sum.add(storage_.template count<Changed>(), changed_);
    emplace_all<Changed>(storage_, std::span<const Handle>(handles_), std::span<const Changed>(values_));
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      const auto added = storage_.template find<const Changed>(handles_[i]);
      const auto other = storage_.template find<const Other<0>>(handles_[i]);
      if (added != nullptr && other != nullptr) sum.add(i, mixed(added->value, other->value));
    }
    remove_all<Changed>(storage_, std::span<const Handle>(handles_));
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear()
    requires requires(Storage& storage) { storage.clear(); }
  {
    storage_.clear();
  }

 private:
  template <std::size_t... Numbers>
  void populate(const Parameters& parameters, std::index_sequence<Numbers...>) {
    (make_room<Other<Numbers>>(storage_, parameters.entities), ...);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      handles_.push_back(storage_.create(Other<Numbers>{other_value(parameters, i) + Numbers, 0}...));
    }
  }

  bool at_once_;
  Array<Changed> values_;
  Storage storage_;
  Array<Handle> handles_;
  std::uint64_t changed_ = 0;
};

/// The floor: generations, presence and components in an array each, at the entity's index. What else an entity has
/// need not be touched.
class BulkReference {
 public:
  explicit BulkReference(const Parameters& parameters)
      : values_(bulk_values(parameters)),
        generations_(parameters.entities),
        has_it_(parameters.entities),
        components_(parameters.entities) {
    others_.reserve(parameters.entities);
    for (std::uint32_t i = 0; i < parameters.entities; ++i) {
      handles_.push_back(Entity(i, 0));
      others_.push_back(other_value(parameters, i));
    }
  }

  void prepare() { changed_ = 0; }
  void run() {
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (!is_alive(handles_[i])) continue;
      components_[handles_[i].index()] = values_[i];
      has_it_[handles_[i].index()] = 1;
      ++changed;
    }
    for (const Entity entity : handles_) {
      if (is_alive(entity)) changed += std::exchange(has_it_[entity.index()], std::uint8_t{0});
    }
    changed_ += changed;
    keep(components_);
  }

  [[nodiscard]] std::uint64_t items() const { return 2 * handles_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    std::size_t left = 0;
    for (const std::uint8_t has_it : has_it_) left += has_it;
    sum.add(left, changed_);
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      sum.add(i, mixed(components_[handles_[i].index()].value, others_[handles_[i].index()]));
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t index_bytes = has_it_.size() * (sizeof(std::uint32_t) + sizeof(std::uint8_t));
    return {.payload_bytes = others_.size() * sizeof(std::uint64_t),
            .index_bytes = index_bytes,
            .slack_bytes = components_.size() * sizeof(Changed),
            .allocations = 4};
  }

 private:
  [[nodiscard]] bool is_alive(Entity entity) const noexcept {
    return entity.index() < generations_.size() && generations_[entity.index()] == entity.generation();
  }

  Array<Changed> values_;
  StoredArray<std::uint32_t> generations_;
  StoredArray<std::uint8_t> has_it_;
  StoredArray<Changed> components_;
  StoredArray<std::uint64_t> others_;
  Array<Entity> handles_;
  std::uint64_t changed_ = 0;
};

/// One schema for all cells: each further one costs sections more than two seconds of compilation.
template <template <class...> class Of>
using OverBulk = Of<Changed, Other<0>, Other<1>, Other<2>, Other<3>, Other<4>, Other<5>, Other<6>, Other<7>>;
template <class Storage>
using AnyBulkCase = BulkCase<Storage, 1, 4, 8>;

/// Hand-written sections are those that entities need.
struct BulkSections : SectionsName {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_number<1, 4, 8>(parameters.get("others"),
                                [&](auto count) { return make_with(parameters, std::make_index_sequence<count>{}); });
  }

 private:
  template <std::size_t... Numbers>
  [[nodiscard]] static std::unique_ptr<Measurement> make_with(const Parameters& parameters,
                                                              std::index_sequence<Numbers...>) {
    using Store = SectionStore<TypeList<Other<Numbers>...>, TypeList<Other<Numbers>..., Changed>>;
    return make_case<BulkCase<Store, sizeof...(Numbers)>>(parameters);
  }
};

struct Bulk {
  static constexpr const WorkloadCard& card = bulk_card;
  static constexpr std::array needs{Capability::structural_change};
  using References = TypeList<BulkReference, ContractFloor<StoreName, AnyBulkCase<OverBulk<PoolStore>>>, BulkSections,
                              ContractFloor<DirectName, AnyBulkCase<OverBulk<DirectStore>>>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"how", {"each", "bulk"}, {"each", "bulk"}}, {"others", {"1", "4", "8"}, {"4"}}};
  }
  /// All next to each other: of each change a handle, a generation and a byte of presence; of each other one 16 bytes
  /// that are read and 16 that are written.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    const double bytes = sizeof(Entity) + sizeof(std::uint32_t) + 1 + sizeof(Changed);
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<AnyBulkCase<Strategy<OverBulk<Schema>>>>(parameters);
  }
};

}  // namespace stowage::workloads
