#pragma once

// Workload: what find() costs for handles in random order, of one component or of four.

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard lookup_card{
    .name = "lookup",
    .setup =
        "n entities with Mass, Position, Velocity and Acceleration (one group, 40 bytes); their handles in a shuffle",
    .measured =
        "find for every handle of the shuffle and one float read of each component found: components:1 Position, "
        "components:4 all four in one find",
    .item = "lookup",
    .checksum =
        "for each lookup three times the sum so far and the bits read, wrapping, accumulated by the pass itself",
    .favours = "designs that keep generation, row and components in few lines: interleaved rows",
    .disadvantages =
        "columns with components:4 (a line each) and heap objects (two pointers before the first component)",
    .floor =
        "1/8 line of the list of handles and a line of their own per lookup (components:1), half a line more if all "
        "four are read (36 bytes that straddle a boundary from half of their places), by generation and components "
        "side "
        "by side at the entity's index",
};

/// What a lookup reads of each component.
[[nodiscard]] inline std::uint64_t read(const Mass& mass) noexcept { return std::bit_cast<std::uint32_t>(mass.value); }
[[nodiscard]] inline std::uint64_t read(const Position& p) noexcept { return std::bit_cast<std::uint32_t>(p.x); }
[[nodiscard]] inline std::uint64_t read(const Velocity& v) noexcept { return std::bit_cast<std::uint32_t>(v.x); }
[[nodiscard]] inline std::uint64_t read(const Acceleration& a) noexcept { return std::bit_cast<std::uint32_t>(a.x); }

/// What it reads of all of `Cs` of one entity.
template <class... Cs, class Storage>
[[nodiscard]] std::uint64_t look_up(Storage& storage, typename Storage::entity_type entity) {
  const auto found = storage.template find<Cs...>(entity);
  if constexpr (sizeof...(Cs) == 1) {
    return found != nullptr ? read(*found) : 0;
  } else {
    return std::apply([](auto... component) { return ((component != nullptr) && ...) ? (read(*component) + ...) : 0; },
                      found);
  }
}

/// Of every entity of a list.
template <class... Cs, class Storage>
[[nodiscard]] std::uint64_t look_up_all(Storage& storage, const Array<typename Storage::entity_type>& handles) {
  std::uint64_t sum = 0;
  for (const auto entity : handles) sum = 3 * sum + look_up<Cs...>(storage, entity);
  return sum;
}

template <class Storage, class... Cs>
class LookupCase : public StorageCase<Storage>, public SummedCase {
 public:
  explicit LookupCase(const Parameters& parameters) {
    const Values values(parameters.seed);
    storage_.template reserve<Mass, Position, Velocity, Acceleration>(parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      handles_.push_back(
          storage_.create(Values::mass(i), values.position(i), values.velocity(i), values.acceleration(i)));
    }
    Random(parameters.seed).shuffle(handles_);
  }

  void run() { add_up(look_up_all<Cs...>(storage_, handles_)); }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }

 protected:
  using StorageCase<Storage>::storage_;
  Array<typename Storage::entity_type> handles_;
};

/// The floor: generation and components of an entity side by side, at its index. Only a storage in which every entity
/// has everything and nothing ever moves could be laid out so.
class LookupReference : public SummedCase {
 public:
  explicit LookupReference(const Parameters& parameters) : all_four_(parameters.get("components") == "4") {
    const Values values(parameters.seed);
    for (std::size_t i = 0; i < parameters.entities; ++i) handles_.push_back(Entity(static_cast<EntityIndex>(i), 0));
    Random(parameters.seed).shuffle(handles_);
    wide_.reserve(all_four_ ? parameters.entities : 0);
    narrow_.reserve(all_four_ ? 0 : parameters.entities);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      if (all_four_) {
        wide_.push_back({0, Values::mass(i), values.position(i), values.velocity(i), values.acceleration(i)});
      } else {
        narrow_.push_back({0, values.position(i)});
      }
    }
  }

  void run() { add_up(all_four_ ? look_up_all<true>() : look_up_all<false>()); }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t records = wide_.size() + narrow_.size();
    return {.payload_bytes = wide_.size() * 40 + narrow_.size() * 12, .index_bytes = records * 4, .allocations = 1};
  }

 private:
  struct Wide {
    std::uint32_t generation;
    Mass mass;
    Position position;
    Velocity velocity;
    Acceleration acceleration;
  };
  struct Narrow {
    std::uint32_t generation;
    Position position;
  };

  template <bool AllFour>
  [[nodiscard]] std::uint64_t look_up_all() const {
    std::uint64_t sum = 0;
    for (const Entity entity : handles_) sum = 3 * sum + look_up<AllFour>(entity);
    return sum;
  }
  template <bool AllFour>
  [[nodiscard]] std::uint64_t look_up(Entity entity) const {
    if constexpr (AllFour) {
      const Wide* const record = checked(wide_, entity);
      if (record == nullptr) return 0;
      return read(record->mass) + read(record->position) + read(record->velocity) + read(record->acceleration);
    } else {
      const Narrow* const record = checked(narrow_, entity);
      return record != nullptr ? read(record->position) : 0;
    }
  }

  template <class Record>
  [[nodiscard]] static const Record* checked(const StoredArray<Record>& records, Entity entity) {
    if (entity.index() >= records.size()) return nullptr;
    const Record& record = records[entity.index()];
    return record.generation == entity.generation() ? &record : nullptr;
  }

  bool all_four_;
  Array<Entity> handles_;
  StoredArray<Wide> wide_;
  StoredArray<Narrow> narrow_;
};

template <class Name, class Store>
struct LookupFloor : Name {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    if (parameters.get("components") == "1") return make_case<LookupCase<Store, Position>>(parameters);
    return make_case<LookupCase<Store, Mass, Position, Velocity, Acceleration>>(parameters);
  }
};

struct Lookup {
  static constexpr const WorkloadCard& card = lookup_card;
  using References =
      TypeList<LookupReference, LookupFloor<StoreName, PackedStore<Mass, Position, Velocity, Acceleration>>,
               LookupFloor<SectionsName, TwoSections<Mass, Position, Velocity, Acceleration>>,
               LookupFloor<InterleavedName, InterleavedStore<Mass, Position, Velocity, Acceleration>>>;

  [[nodiscard]] static std::vector<Axis> axes() { return {{"components", {"1", "4"}, {"1", "4"}}}; }
  /// A lookup reads its 8-byte handle, eight of which share a line, and then the generation and one float of each
  /// component, in a place that no earlier lookup tells anything about.
  /// components:1  records of 16 bytes never straddle a line: 8/64 + 1 = 1.125, for 8 + 4 + 4 bytes.
  /// components:4  records of 44 bytes begin at every multiple of 4 in a line equally often, and what is read of them
  ///               spans 36 bytes (of the last component only its first float), so half of them straddle:
  ///               8/64 + 1 + 32/64 = 1.625, for 8 + 4 + 16 bytes. Records padded to 64 bytes would save that half
  ///               line and pay for it in capacity: measured, they are slower from 1k to 1M entities.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const double components = parameters.get("components") == "1" ? 1 : 4;
    const double record_lines = components == 1 ? lines.touched({{0, 16}}, 16) : lines.touched({{0, 36}}, 44);
    return {.lines_per_item = lines.in_sequence(sizeof(Entity)) + record_lines,
            .bytes_per_item = sizeof(Entity) + sizeof(std::uint32_t) + components * sizeof(float)};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<PointMassSchema>;
    if (parameters.get("components") == "1") return make_case<LookupCase<Storage, Position>>(parameters);
    return make_case<LookupCase<Storage, Mass, Position, Velocity, Acceleration>>(parameters);
  }
};

}  // namespace stowage::workloads
