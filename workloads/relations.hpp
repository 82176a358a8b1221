#pragma once

// Workload: what it costs to follow a handle in a component to another entity, near or far, shared or not.

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard relations_card{
    .name = "relations",
    .setup =
        "n entities with Position (12 bytes) and Aim (16 bytes: the handle of another entity, and what was seen of "
        "it); "
        "`fan_in` of them, on average, aim at the same one, drawn among 64 neighbours (target:near) or all "
        "(target:any)",
    .measured =
        "a loop over all Aims looks the Position of the other entity up and keeps its x; before that, `retarget` % of "
        "the entities, next in a shuffle, get another aim",
    .item = "hop (an aim that is followed)",
    .checksum = "hash(ordinal, bits of what each Aim has seen last)",
    .favours = "storages in which a handle leads to a component in few steps",
    .disadvantages = "hash maps and heap objects, with target:any",
    .floor =
        "16/64 line per hop for the Aim, and 16/64 (target:near) or a line (target:any) for generation and "
        "Position side by side of each entity that is aimed at; a list entry, handle and Aim for each that is "
        "retargeted",
    .sizes = {16 * 1024, 256 * 1024},
};

/// Handles are kept by their bits, because a schema does not know the handle of its storage.
struct Aim {
  std::uint64_t target = 0;
  float seen = 0;
};

/// Which entity aims at which: two lists of targets, by ordinal, which take turns.
class RelationsPlan {
 public:
  static constexpr std::size_t neighbours = 64;

  explicit RelationsPlan(const Parameters& parameters)
      : order_(Random(parameters.seed).permutation(parameters.entities)),
        retargeted_(parameters.entities * std::stoul(parameters.get("retarget")) / 100) {
    const std::size_t fan_in = std::stoul(parameters.get("fan_in"));
    const bool is_near = parameters.get("target") == "near";
    Random random(parameters.seed + 1);
    const Array<std::uint32_t> leaders = random.permutation(parameters.entities);
    const std::size_t wanted = std::max<std::size_t>((is_near ? neighbours : leaders.size()) / fan_in, 1);
    for (Array<std::uint32_t>& targets : targets_) {
      for (std::size_t i = 0; i < leaders.size(); ++i) {
        const std::size_t block = i / neighbours * neighbours;
        const std::size_t drawn = random.below(is_near ? std::min(wanted, leaders.size() - block) : wanted);
        targets.push_back(is_near ? static_cast<std::uint32_t>(block + drawn) : leaders[drawn]);
      }
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  /// The ordinal that this one aims at in the beginning.
  [[nodiscard]] std::uint32_t first_target(std::size_t ordinal) const noexcept { return targets_[0][ordinal]; }
  /// Calls `retarget(ordinal, ordinal of the new target)` for the next entities of the shuffle.
  template <class Retarget>
  void retarget_some(Retarget&& retarget) {
    for (std::size_t i = 0; i < retargeted_; ++i) {
      retarget(order_[next_], targets_[list_][order_[next_]]);
      if (++next_ < order_.size()) continue;
      next_ = 0;
      list_ = 1 - list_;
    }
  }

 private:
  Array<std::uint32_t> order_;
  std::array<Array<std::uint32_t>, 2> targets_;
  std::size_t retargeted_;
  std::size_t next_ = 0;
  std::size_t list_ = 1;
};

template <class Storage>
class RelationsCase : public StorageCase<Storage> {
  using Handle = typename Storage::entity_type;

 public:
  explicit RelationsCase(const Parameters& parameters) : plan_(parameters) {
    const Values values(parameters.seed);
    make_room<Position, Aim>(storage_, plan_.size());
    for (std::size_t i = 0; i < plan_.size(); ++i) handles_.push_back(storage_.create(values.position(i), Aim{}));
    for (std::size_t i = 0; i < plan_.size(); ++i) aim(i, plan_.first_target(i));
  }

  void run() {
    plan_.retarget_some([this](std::size_t i, std::size_t target) { aim(i, target); });
    storage_.template each<Aim>([&](Aim& aim) {
      const auto target = Handle::from_word(static_cast<typename Handle::word_type>(aim.target));
      const auto position = storage_.template find<const Position>(target);
      if (position != nullptr) aim.seen = position->x;
    });
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return handles_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      const auto aim = storage_.template find<const Aim>(handles_[i]);
      if (aim != nullptr) sum.add_floats(i, aim->seen);
    }
    return sum.value();
  }

 private:
  void aim(std::size_t ordinal, std::size_t target) {
    storage_.template find<Aim>(handles_[ordinal])->target = handles_[target].word();
  }

  RelationsPlan plan_;
  using StorageCase<Storage>::storage_;
  Array<Handle> handles_;
};

/// The floor: Aims in one array, and in another what is aimed at: generation and Position, at the entity's index.
class RelationsReference {
 public:
  explicit RelationsReference(const Parameters& parameters) : plan_(parameters) {
    const Values values(parameters.seed);
    places_.reserve(plan_.size());
    aims_.reserve(plan_.size());
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      places_.push_back({0, values.position(i)});
      aims_.push_back({.target = Entity(plan_.first_target(i), 0).word()});
    }
  }

  void run() {
    plan_.retarget_some([this](std::size_t i, std::uint32_t target) {
      if (places_[i].generation == 0) aims_[i].target = Entity(target, 0).word();
    });
    for (std::size_t i = 0; i < aims_.size(); ++i) {
      const Entity target = Entity::from_word(aims_[i].target);
      const Place& place = places_[target.index()];
      if (place.generation == target.generation()) aims_[i].seen = place.position.x;
    }
    keep(aims_);
  }

  [[nodiscard]] std::uint64_t items() const { return aims_.size(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (std::size_t i = 0; i < aims_.size(); ++i) sum.add_floats(i, aims_[i].seen);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = aims_.size() * (sizeof(Aim) + sizeof(Position)),
            .index_bytes = places_.size() * sizeof(std::uint32_t),
            .allocations = 2};
  }

 private:
  struct Place {
    std::uint32_t generation;
    Position position;
  };

  RelationsPlan plan_;
  StoredArray<Place> places_;
  StoredArray<Aim> aims_;
};

struct Relations {
  static constexpr const WorkloadCard& card = relations_card;
  using References = TypeList<RelationsReference, ContractFloor<StoreName, RelationsCase<PoolStore<Position, Aim>>>,
                              ContractFloor<SectionsName, RelationsCase<TwoSections<Position, Aim>>>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"target", {"near", "any"}, {"any"}}, {"fan_in", {"1", "16"}, {"1"}}, {"retarget", {"0", "10"}, {"10"}}};
  }
  /// A hop reads the handle (8 bytes) and writes what it has seen (4), of Aims of 16 bytes next to each other. Of what
  /// is aimed at it reads generation and Position, side by side: once for all that aim at it, among neighbours in 16
  /// bytes next to each other, and else in a line that nothing tells anything about. To retarget reads 4 bytes of a
  /// list and an 8-byte handle, next to each other, and writes a handle somewhere.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    constexpr double used = sizeof(Entity) + sizeof(float);
    constexpr double place = sizeof(std::uint32_t) + sizeof(Position);
    constexpr double listed = sizeof(std::uint32_t) + sizeof(Entity);
    const double fan_in = std::stod(parameters.get("fan_in"));
    const double share = std::stod(parameters.get("retarget")) / 100;
    const double line = parameters.get("target") == "near" ? lines.in_sequence(place) : 1;
    return {.lines_per_item = lines.in_sequence(sizeof(Aim)) + line / fan_in + share * (lines.in_sequence(listed) + 1),
            .bytes_per_item = used + place / fan_in + share * (listed + sizeof(Entity))};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<RelationsCase<Strategy<Schema<Position, Aim>>>>(parameters);
  }
};

}  // namespace stowage::workloads
