#pragma once

// Workload: what it costs to add and remove a component, by what else entities have and how many sets there are.

#include <stowage/contract/errors.hpp>

#include "workloads/support/markers.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard structural_card{
    .name = "structural",
    .setup =
        "n entities with `others` components of 16 bytes and a combination of ten markers, components without state: "
        "`sets` different component sets, drawn at random for each entity; their handles in a shuffle",
    .measured =
        "a component of 16 bytes is added to every entity of the shuffle, then removed from every one; grouped:yes one "
        "that makes up a group with the first of the others",
    .item = "change (an addition or a removal)",
    .checksum =
        "wrapping sum of an odd weight of the place in the shuffle over what was added and removed, and hash(place, "
        "bits "
        "of another component) of every entity afterwards",
    .favours = "pools: the other components of an entity stay where they are",
    .disadvantages =
        "sections: every change moves the whole entity from one to another, the more so the more it has; pools that "
        "keep groups together (grouped:yes): an entity that completes a group moves to its rows, and back",
    .floor =
        "1/8 line of the list of handles and a line for generation and component side by side, by a loop over records "
        "at the entity's index",
    .sizes = {16 * 1024, 256 * 1024},
};

/// What is added and removed.
struct Changed {
  std::uint64_t value;
  std::uint64_t padding;
};
/// The same, in a group with the first of the others.
struct ChangedInGroup {
  std::uint64_t value;
  std::uint64_t padding;
};
/// What the entity has besides.
template <std::size_t Number>
struct Other {
  std::uint64_t value;
  std::uint64_t padding;
};

inline constexpr std::size_t structural_markers = 10;
using StructuralSchema = SchemaWithMarkers<structural_markers, Group<ChangedInGroup, Other<0>>, Changed, Other<1>,
                                           Other<2>, Other<3>, Other<4>, Other<5>, Other<6>, Other<7>>;

/// In which order entities change: positions in the order of their creation.
[[nodiscard]] inline Array<std::uint32_t> change_order(const Parameters& parameters) {
  return Random(parameters.seed).permutation(parameters.entities);
}
[[nodiscard]] inline std::uint64_t other_value(const Parameters& parameters, std::size_t ordinal) {
  return mixed(parameters.seed, ordinal);
}

/// `Counts` are the numbers of other components that there may be.
template <class Storage, std::size_t... Counts>
class StructuralCase : public StorageCase<Storage> {
  using Handle = typename Storage::entity_type;

 public:
  explicit StructuralCase(const Parameters& parameters) : grouped_(parameters.get("grouped") == "yes") {
    const std::size_t others = std::stoul(parameters.get("others"));
    ((others == Counts ? populate<Counts>(parameters) : void()), ...);
  }

  void prepare() { sum_ = 0; }
  void run() {
    sum_ += grouped_ ? change_all<ChangedInGroup>() : change_all<Changed>();
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return 2 * handles_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    sum.add(storage_.template count<Changed>() + storage_.template count<ChangedInGroup>(), sum_);
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      const auto other = storage_.template find<const Other<0>>(handles_[i]);
      if (other != nullptr) sum.add(i, other->value);
    }
    return sum.value();
  }

 private:
  template <class C>
  std::uint64_t change_all() {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      const C& added = storage_.template emplace<C>(handles_[i], weight(i), 0u);
      sum += added.value;
    }
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (storage_.template remove<C>(handles_[i])) sum += weight(i);
    }
    return sum;
  }

  template <std::size_t Count>
  void populate(const Parameters& parameters) {
    const std::size_t sets = std::stoul(parameters.get("sets"));
    Random random(parameters.seed + 1);
    Array<Handle> created;
    make_room<Changed>(storage_, parameters.entities);
    make_room<ChangedInGroup, Other<0>>(storage_, parameters.entities);
    make_room_for_markers<structural_markers>(storage_, parameters.entities);
    stowage::detail::for_each_index<Count>(
        [&](auto number) { make_room<Other<number>>(storage_, parameters.entities); });
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      created.push_back(create(other_value(parameters, i), std::make_index_sequence<Count>{}));
      const std::size_t set = random.below(sets);
      if constexpr (requires { storage_.template emplace<Marker<0>>(created.back()); }) {
        mark<structural_markers>(storage_, created.back(), set);
      }
    }
    for (const std::uint32_t ordinal : change_order(parameters)) handles_.push_back(created[ordinal]);
  }

  template <std::size_t... Numbers>
  Handle create(std::uint64_t value, std::index_sequence<Numbers...>) {
    return storage_.create(Other<Numbers>{value + Numbers, 0}...);
  }

  bool grouped_;
  using StorageCase<Storage>::storage_;
  Array<Handle> handles_;
  std::uint64_t sum_ = 0;
};

/// The floor: generation, presence and the component side by side at the entity's index. What else an entity has need
/// not be touched, and only a storage in which nothing ever moves could be laid out so.
class StructuralReference {
 public:
  explicit StructuralReference(const Parameters& parameters) : records_(parameters.entities) {
    others_.reserve(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) others_.push_back(other_value(parameters, i));
    for (const std::uint32_t ordinal : change_order(parameters)) handles_.push_back(Entity(ordinal, 0));
  }

  void prepare() { sum_ = 0; }
  void run() {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      Record* const record = checked(handles_[i]);
      if (record == nullptr) continue;
      record->changed = {weight(i), 0};
      record->has_it = 1;
      sum += record->changed.value;
    }
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      Record* const record = checked(handles_[i]);
      if (record == nullptr || record->has_it == 0) continue;
      record->has_it = 0;
      sum += weight(i);
    }
    sum_ += sum;
    keep(records_);
  }

  [[nodiscard]] std::uint64_t items() const { return 2 * handles_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    std::size_t left = 0;
    for (const Record& record : records_) left += record.has_it;
    sum.add(left, sum_);
    for (std::size_t i = 0; i < handles_.size(); ++i) sum.add(i, others_[handles_[i].index()]);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = others_.size() * sizeof(std::uint64_t),
            .index_bytes = records_.size() * 2 * sizeof(std::uint32_t),
            .slack_bytes = records_.size() * (sizeof(Record) - 2 * sizeof(std::uint32_t)),
            .allocations = 2};
  }

 private:
  struct alignas(32) Record {
    std::uint32_t generation = 0;
    std::uint32_t has_it = 0;
    Changed changed{};
  };

  [[nodiscard]] Record* checked(Entity entity) {
    if (entity.index() >= records_.size()) return nullptr;
    Record& record = records_[entity.index()];
    return record.generation == entity.generation() ? &record : nullptr;
  }

  StoredArray<Record> records_;
  StoredArray<std::uint64_t> others_;
  Array<Entity> handles_;
  std::uint64_t sum_ = 0;
};

/// A bit for each marker that an entity has. In hand-written code, markers need no component sets of their own.
struct MarkerBits {
  std::uint32_t bits;
};
/// A hand-written store with MarkerBits, to which entities and markers come as to any other.
template <class Store>
class Marked : public Store {
 public:
  template <class... Cs>
  Entity create(const Cs&... components) {
    return Store::create(MarkerBits{0}, components...);
  }
  template <class C, class... Arguments>
  auto& emplace(Entity entity, Arguments&&... arguments) {
    if constexpr (requires { Store::template emplace<C>(entity, arguments...); }) {
      return Store::template emplace<C>(entity, std::forward<Arguments>(arguments)...);
    } else {
      MarkerBits* const marks = this->template find<MarkerBits>(entity);
      if (marks == nullptr) STOWAGE_THROW(DeadEntity(entity.word()));
      marks->bits |= 1u << marker_of(C{});
      return *marks;
    }
  }

 private:
  template <std::size_t Bit>
  static constexpr std::size_t marker_of(Marker<Bit>) noexcept {
    return Bit;
  }
};

/// The contract floors. That a component belongs to a group is a hint, and here no reason to move it.
template <class Name, template <class...> class StoreOf>
struct StructuralFloor : Name {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_number<1, 4, 8>(parameters.get("others"),
                                [&](auto count) { return make_with(parameters, std::make_index_sequence<count>{}); });
  }

 private:
  template <std::size_t... Numbers>
  [[nodiscard]] static std::unique_ptr<Measurement> make_with(const Parameters& parameters,
                                                              std::index_sequence<Numbers...>) {
    if (parameters.get("sets") == "1") {
      return make_case<StructuralCase<StoreOf<Other<Numbers>...>, sizeof...(Numbers)>>(parameters);
    }
    using Store = Marked<StoreOf<MarkerBits, Other<Numbers>...>>;
    return make_case<StructuralCase<Store, sizeof...(Numbers)>>(parameters);
  }
};
template <class... Others>
using StructuralPools = PoolStore<Changed, ChangedInGroup, Others...>;
template <class... Others>
using StructuralDirect = DirectStore<Changed, ChangedInGroup, Others...>;
template <class... Others>
using StructuralSections =
    SectionStore<TypeList<Others...>, TypeList<Others..., Changed>, TypeList<Others..., ChangedInGroup>>;

struct Structural {
  static constexpr const WorkloadCard& card = structural_card;
  static constexpr std::array needs{Capability::structural_change};
  using References =
      TypeList<StructuralReference, StructuralFloor<StoreName, StructuralPools>,
               StructuralFloor<SectionsName, StructuralSections>, StructuralFloor<DirectName, StructuralDirect>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"others", {"1", "4", "8"}, {"4"}},
            {"sets", {"1", "10", "100", "1000"}, {"1"}},
            {"grouped", {"no", "yes"}, {"no", "yes"}}};
  }
  /// A change reads its 8-byte handle, eight of which share a line, and the generation in a place that no earlier
  /// change tells anything about. An addition writes 16 bytes, which may lie in the line of the generation, a removal a
  /// bit: 8/64 + 1 = 1.125, for 8 + 4 + (16 + 0)/2 bytes.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr std::size_t record = 32;
    return {.lines_per_item = lines.in_sequence(sizeof(Entity)) + lines.touched({{0, 24}}, record),
            .bytes_per_item = sizeof(Entity) + sizeof(std::uint32_t) + sizeof(Changed) / 2.0};
  }
  /// With grouped:yes nothing else matters to pools that keep groups together; to all others the group does not matter.
  template <template <class> class>
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return parameters.get("grouped") == "no" || (parameters.get("others") == "4" && parameters.get("sets") == "1");
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<StructuralCase<Strategy<StructuralSchema>, 1, 4, 8>>(parameters);
  }
};

}  // namespace stowage::workloads
