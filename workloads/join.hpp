#pragma once

// Workload: a pass that reads two components of every entity, made in the same or in unrelated orders.

#include "workloads/support/cerulean_loops.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard join_card{
    .name = "join",
    .setup =
        "n entities with Render (16 bytes) and Transform (32). order:same: entities, renders and transforms made in "
        "the order of the list that via:find walks; order:scattered: only the entities in a shuffle; order:unrelated: "
        "each in a shuffle of its own; order:grouped: as unrelated, but declared a group",
    .measured =
        "one pass that reads Render.texture (8 bytes) and Transform.position (12) of every entity: via:each by "
        "iteration, via:find by looking both up for each entity of the list",
    .item = "entity",
    .checksum =
        "wrapping sum over entities of what was read of both components (the texture is a hash of the ordinal), "
        "by via:find times an odd weight of the place in the list; accumulated by the pass itself",
    .favours = "sections, where both components of an entity are at the same row whatever the order of creation",
    .disadvantages = "pools in unrelated order: every second component is a random access",
    .floor =
        "48/64 lines per entity as long as components stay whole (of 48 bytes 20 are read), by a loop over two dense "
        "arrays in list order",
};

/// What the pass reads of an entity, folded so that it is cheap to sum and tells entities apart.
[[nodiscard]] inline std::uint64_t seen(const Render& render, const Transform& transform) noexcept {
  const std::uint64_t x = std::bit_cast<std::uint32_t>(transform.position[0]);
  const std::uint64_t y = std::bit_cast<std::uint32_t>(transform.position[1]);
  const std::uint64_t z = std::bit_cast<std::uint32_t>(transform.position[2]);
  return render.texture ^ (x + (y << 16) + (z << 32));
}

/// Adds that up. Row by row: of every 48 bytes 20 are read, which g++ 12 would collect by permutations in a third more
/// time.
struct AddSeen {
  static constexpr bool scalar_loop = true;
  std::uint64_t& sum;
  void operator()(const Render& render, const Transform& transform) const { sum += seen(render, transform); }
};

/// What it reads of all entities of a storage.
template <class Storage>
[[nodiscard]] std::uint64_t seen_by_each(Storage& storage) {
  std::uint64_t sum = 0;
  storage.template each<const Render, const Transform>(AddSeen{sum});
  return sum;
}

/// In which order entities, renders and transforms are made; an ordinal is a position in the list of via:find.
struct JoinOrders {
  Array<std::uint32_t> entities, renders, transforms;

  explicit JoinOrders(const Parameters& parameters)
      : JoinOrders(parameters.entities, parameters.seed, parameters.get("order")) {}
  JoinOrders(std::size_t count, std::uint64_t seed, std::string_view order) {
    Random random(seed);
    const bool components_in_order = order == "same" || order == "scattered";
    entities = order == "same" ? in_order(count) : random.permutation(count);
    renders = components_in_order ? in_order(count) : random.permutation(count);
    transforms = components_in_order ? in_order(count) : random.permutation(count);
  }
};

template <class Storage, bool ByFind>
class JoinCase : public StorageCase<Storage>, public SummedCase {
  using Handle = typename Storage::entity_type;

 public:
  explicit JoinCase(const Parameters& parameters) : list_(parameters.entities) {
    const Values values(parameters.seed);
    const JoinOrders orders(parameters);
    storage_.template reserve<Render, Transform>(parameters.entities);
    make_room<Render>(storage_, parameters.entities);  // which all of them have before they have both
    for (const std::uint32_t ordinal : orders.entities) list_[ordinal] = storage_.create();
    for (const std::uint32_t ordinal : orders.renders) {
      storage_.template emplace<Render>(list_[ordinal], values.render(ordinal));
    }
    for (const std::uint32_t ordinal : orders.transforms) {
      storage_.template emplace<Transform>(list_[ordinal], values.transform(ordinal));
    }
  }

  void run() {
    std::uint64_t sum = 0;
    if constexpr (ByFind) {
      for (std::size_t i = 0; i < list_.size(); ++i) {
        const auto [render, transform] = storage_.template find<Render, Transform>(list_[i]);
        if (render != nullptr && transform != nullptr) sum += seen(*render, *transform) * weight(i);
      }
    } else {
      sum = seen_by_each(storage_);
    }
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return list_.size(); }

 private:
  using StorageCase<Storage>::storage_;
  Array<Handle> list_;
};

/// The floor: both components of every entity in arrays that are in the order of the list.
class JoinReference : public SummedCase {
 public:
  explicit JoinReference(const Parameters& parameters) : by_find_(parameters.get("via") == "find") {
    const Values values(parameters.seed);
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      renders_.push_back(values.render(i));
      transforms_.push_back(values.transform(i));
    }
  }

  void run() {
    std::uint64_t sum = 0;
    AddSeen add{sum};
    if (by_find_) {
      sum = weighted_sum();
    } else {
      visit_arrays(0, renders_.size(), add, no_entity, renders_.data(), transforms_.data());
    }
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return renders_.size(); }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t used = renders_.size() * (sizeof(Render) + sizeof(Transform));
    const std::size_t held = renders_.capacity() * sizeof(Render) + transforms_.capacity() * sizeof(Transform);
    return {.payload_bytes = used, .slack_bytes = held - used, .allocations = 2};
  }

 private:
  /// Row by row, as AddSeen.
  [[nodiscard]] std::uint64_t weighted_sum() const {
    std::uint64_t sum = 0;
    std::size_t place = 0;
    const Transform* transform = transforms_.data();
    for (const Render& render : renders_) {
      keep_scalar();
      sum += seen(render, *transform++) * weight(place++);
    }
    return sum;
  }

  bool by_find_;
  StoredArray<Render> renders_;
  StoredArray<Transform> transforms_;
};

template <template <class...> class Rows>
using JoinRows = SectionRows<1, Rows, Types<Render, Transform>, Types<Render>, Types<>>;
using JoinSections = JoinRows<ColumnRows>;

/// The contract floor of pools: they walk one packed array and reach the other through the slots of its entities. Those
/// of a group have both in the same row, as sections have in any order.
struct JoinStore : StoreName {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    const bool are_grouped = parameters.get("order") == "grouped";
    return are_grouped ? make_over<JoinSections>(parameters) : make_over<PoolStore<Render, Transform>>(parameters);
  }
  template <class Over>
  [[nodiscard]] static std::unique_ptr<Measurement> make_over(const Parameters& parameters) {
    if (parameters.get("via") == "find") return make_case<JoinCase<Over, true>>(parameters);
    return make_case<JoinCase<Over, false>>(parameters);
  }
};
struct JoinSectionsRow : SectionsName {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return parameters.get("order") != "grouped"; }
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return JoinStore::make_over<JoinSections>(parameters);
  }
};
/// Interleaved rows have both components side by side only if they are a group.
struct JoinInterleaved : InterleavedName {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return parameters.get("order") == "grouped"; }
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return JoinStore::make_over<JoinRows<StructRows>>(parameters);
  }
};
struct JoinDirect : DirectName {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return JoinStore::make_over<DirectStore<Render, Transform>>(parameters);
  }
};

/// A loop of Cerulean Skies' article.
template <class Name, class Storage>
class CeruleanLoop : public Name, public SummedCase {
 public:
  static constexpr std::size_t most_entities = most_cerulean_entities;
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    return parameters.get("order") == "same" && parameters.get("via") == "find";
  }

  explicit CeruleanLoop(const Parameters& parameters)
      : items_(parameters.entities), storage_(items_, Values(parameters.seed)) {}

  void run() {
    std::uint64_t sum = 0;
    std::size_t place = 0;
    storage_.loop(
        [&](const Render& render, const Transform& transform) { sum += seen(render, transform) * weight(place++); });
    add_up(sum);
  }

  [[nodiscard]] std::uint64_t items() const { return items_; }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }

 private:
  std::size_t items_;
  Storage storage_;
};

struct Join {
  static constexpr const WorkloadCard& card = join_card;
  static constexpr std::array needs{Capability::structural_change};
  using References =
      TypeList<JoinReference, JoinStore, JoinSectionsRow, JoinDirect, JoinInterleaved,
               CeruleanLoop<MixingHash, CeruleanMapped<MixingHash>>,
               CeruleanLoop<NumberItself, CeruleanMapped<NumberItself>>, CeruleanLoop<OnlyTwo, CeruleanSection<0, 0>>,
               CeruleanLoop<FirstTwo, CeruleanSection<0, 6>>, CeruleanLoop<LastTwo, CeruleanSection<6, 0>>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"order", {"same", "scattered", "unrelated", "grouped"}, {"same", "unrelated", "grouped"}},
            {"via", {"each", "find"}, {"each", "find"}}};
  }
  /// 8 bytes of a Render and 12 of a Transform are read. A component is handed out as a reference, so it stays whole
  /// and the 28 bytes in between come along: (16 + 32)/64 = 0.75, if both lie densely in the order of the walk. A
  /// storage with all rows in the order of the list needs no handle to find them, so the list adds nothing.
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) {
    constexpr double read_bytes = sizeof(Render::texture) + sizeof(Transform::position);
    return {.lines_per_item = lines.in_sequence(sizeof(Render) + sizeof(Transform)), .bytes_per_item = read_bytes};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return parameters.get("order") == "grouped" ? make_over<Strategy<Schema<Group<Render, Transform>>>>(parameters)
                                                : make_over<Strategy<Schema<Render, Transform>>>(parameters);
  }

 private:
  template <class Storage>
  [[nodiscard]] static std::unique_ptr<Measurement> make_over(const Parameters& parameters) {
    if (parameters.get("via") == "find") return make_case<JoinCase<Storage, true>>(parameters);
    return make_case<JoinCase<Storage, false>>(parameters);
  }
};

}  // namespace stowage::workloads
