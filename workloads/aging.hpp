#pragma once

// Workload: how much slower iteration, joins and lookups get as a storage ages, and what defragmentation gains back.

#include "workloads/create.hpp"
#include "workloads/join.hpp"
#include "workloads/lookup.hpp"
#include "workloads/point_mass.hpp"
#include "workloads/support/churn.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard aging_card{
    .name = "aging",
    .setup =
        "n entities of work:point_mass (and lookup) or of work:join in unrelated order (work:join_grouped: with both "
        "components in a group), then `frames` frames in which "
        "1 % of them are destroyed, drawn at random, and created again with equal components, among visitors: 2 % more "
        "are created in each of five frames and destroyed in the next five; defragment:yes collects and defragments "
        "after each frame, "
        "at most as many rows as were destroyed and left in it. work:despawn: of n entities of point_mass a random "
        "tenth is left; defragment:yes collects all that it left behind and defragments until nothing moves",
    .measured =
        "work:point_mass one pass of point_mass; work:join and join_grouped one of join by via:each; work:lookup one "
        "of lookup with all "
        "four components; work:despawn one of point_mass over the survivors",
    .item = "entity",
    .checksum = "that of the workload that is named; aging changes no value",
    .favours = "designs that stay packed and in which the components of an entity stay together",
    .disadvantages = "holes that stay, pools whose orders drift apart, and allocations that are spread over the heap",
    .floor = "that of the workload that is named, as if nothing had ever been destroyed",
    .sizes = {16 * 1024, 100'000},
    .largest_entities = 1024 * 1024,
};

/// One in a hundred is replaced in each frame.
inline constexpr std::size_t aging_per_mille = 10;
/// Visitors: in each of so many frames twice as many as are replaced are created; in as many they are destroyed again.
inline constexpr std::size_t visiting_frames = 5;
[[nodiscard]] constexpr std::size_t most_visitors(std::size_t entities) noexcept {
  return visiting_frames * 2 * ChurnPlan::pairs_of(entities, aging_per_mille);
}

/// Entities of point_mass, created one after the other and again in the places of destroyed ones.
template <class Storage>
class PointMassHerd {
  using Living = Array<typename Storage::entity_type>;

 public:
  explicit PointMassHerd(const Parameters& parameters) : input_(parameters) {}

  void create_all(Storage& storage, Living& living, std::size_t most) const {
    storage.template reserve<Mass, Position, Velocity, Acceleration>(most);
    for (std::size_t place = 0; place < living.size(); ++place) living[place] = create(storage, place);
  }
  void create_again(Storage& storage, Living& living, std::span<const std::uint32_t> places) const {
    for (const std::uint32_t place : places) living[place] = create(storage, place);
  }
  typename Storage::entity_type create(Storage& storage, std::size_t place) const {
    return storage.create(input_.masses[place], input_.positions[place], input_.velocities[place],
                          input_.accelerations[place]);
  }

 private:
  PointMassInput input_;
};

/// Entities of join, whose components are made in two different orders each time.
template <class Storage>
class JoinHerd {
  using Living = Array<typename Storage::entity_type>;

 public:
  explicit JoinHerd(const Parameters& parameters) : values_(parameters.seed), seed_(parameters.seed) {}

  void create_all(Storage& storage, Living& living, std::size_t most) const {
    const JoinOrders orders(living.size(), seed_, "unrelated");
    storage.template reserve<Render, Transform>(most);
    make_room<Render>(storage, most);  // until the other one comes, if both are a group
    for (const std::uint32_t place : orders.entities) living[place] = storage.create();
    for (const std::uint32_t place : orders.renders) add_render(storage, living, place);
    for (const std::uint32_t place : orders.transforms) add_transform(storage, living, place);
  }
  void create_again(Storage& storage, Living& living, std::span<const std::uint32_t> places) const {
    for (const std::uint32_t place : places) living[place] = storage.create();
    for (const std::uint32_t place : places) add_render(storage, living, place);
    for (std::size_t i = places.size(); i-- > 0;) add_transform(storage, living, places[i]);
  }
  typename Storage::entity_type create(Storage& storage, std::size_t place) const {
    return storage.create(values_.render(place), values_.transform(place));
  }

 private:
  void add_render(Storage& storage, const Living& living, std::size_t place) const {
    storage.template emplace<Render>(living[place], values_.render(place));
  }
  void add_transform(Storage& storage, const Living& living, std::size_t place) const {
    storage.template emplace<Transform>(living[place], values_.transform(place));
  }

  Values values_;
  std::uint64_t seed_;
};

/// A storage and its herd, which age frame by frame.
template <class Storage, template <class> class Herd>
class AgedStorage : public StorageCase<Storage> {
 public:
  explicit AgedStorage(const Parameters& parameters)
      : tidies_up_(parameters.get("defragment") == "yes"),
        herd_(parameters),
        plan_(parameters.entities, aging_per_mille, parameters.seed),
        living_(parameters.entities),
        visitors_(most_visitors(parameters.entities)) {
    herd_.create_all(storage_, living_, living_.size() + visitors_.size());
    const std::size_t frames = std::stoul(parameters.get("frames"));
    while (age_ < frames) live_through_frame();
  }

 protected:
  void live_through_frame() {
    const std::span<const std::uint32_t> places = plan_.frame(age_);
    destroy_at(storage_, living_, places);
    const std::size_t gone = places.size() + let_visitors_come_or_go();
    herd_.create_again(storage_, living_, places);
    ++age_;
    if (!tidies_up_) return;
    collect(storage_);
    rows_moved_ += defragment(storage_, gone);
  }

  [[nodiscard]] const Array<typename Storage::entity_type>& living() const noexcept { return living_; }
  [[nodiscard]] std::optional<std::uint64_t> rows_moved() const {
    return tidies_up_ && defragments<Storage> ? std::optional(rows_moved_) : std::nullopt;
  }
  using StorageCase<Storage>::storage_;

 private:
  /// The oldest visitors leave first. After a whole number of visits only the population is left. Returns how many
  /// left.
  std::size_t let_visitors_come_or_go() {
    const std::size_t phase = age_ % (2 * visiting_frames);
    const std::size_t party = visitors_.size() / visiting_frames;
    const auto visitors = std::span(visitors_).subspan(phase % visiting_frames * party, party);
    if (phase >= visiting_frames) {
      for (const auto entity : visitors) storage_.destroy(entity);
      return party;
    }
    for (std::size_t i = 0; i < party; ++i) visitors[i] = herd_.create(storage_, i % living_.size());
    return 0;
  }

  bool tidies_up_;
  Herd<Storage> herd_;
  ChurnPlan plan_;
  Array<typename Storage::entity_type> living_;
  Array<typename Storage::entity_type> visitors_;
  std::size_t age_ = 0;
  std::uint64_t rows_moved_ = 0;
};

template <class Storage>
class AgedPointMass : public AgedStorage<Storage, PointMassHerd> {
  using Base = AgedStorage<Storage, PointMassHerd>;

 public:
  using Base::Base, Base::rows_moved;

  void run() { simulate_all(this->storage_); }

  [[nodiscard]] std::size_t frames() const noexcept { return 100; }
  /// Each place is drawn once, on average.
  [[nodiscard]] std::size_t warming_frames() const noexcept {
    return this->living().size() / ChurnPlan::pairs_of(this->living().size(), aging_per_mille) + 1;
  }
  void step(std::size_t /*frame*/) { this->live_through_frame(); }

  [[nodiscard]] std::uint64_t checksum() { return simulated_checksum(this->storage_); }
};

template <class Storage>
class AgedJoin : public AgedStorage<Storage, JoinHerd>, public SummedCase {
 public:
  using AgedStorage<Storage, JoinHerd>::AgedStorage;

  void run() { add_up(seen_by_each(this->storage_)); }
};

template <class Storage>
class AgedLookup : public AgedStorage<Storage, PointMassHerd>, public SummedCase {
 public:
  explicit AgedLookup(const Parameters& parameters)
      : AgedStorage<Storage, PointMassHerd>(parameters), handles_(this->living()) {
    Random(parameters.seed).shuffle(handles_);
  }

  void run() { add_up(look_up_all<Mass, Position, Velocity, Acceleration>(this->storage_, handles_)); }

 private:
  Array<typename Storage::entity_type> handles_;
};

/// Entities that a mass despawn leaves.
[[nodiscard]] inline std::size_t survivors(const Parameters& parameters) {
  return std::max<std::size_t>(1, parameters.entities / 10);
}

/// The storage after all but the survivors, which are spread over it at random, have been destroyed at once.
template <class Storage>
class DespawnedPointMass : public StorageCase<Storage> {
 public:
  explicit DespawnedPointMass(const Parameters& parameters) {
    const PointMassInput input(parameters);
    Array<typename Storage::entity_type> handles(parameters.entities);
    storage_.template reserve<Mass, Position, Velocity, Acceleration>(parameters.entities);
    // the ordinals of a shuffle: those below the number of survivors survive
    for (const std::uint32_t i : Random(parameters.seed).permutation(parameters.entities)) {
      handles[i] = storage_.create(input.masses[i], input.positions[i], input.velocities[i], input.accelerations[i]);
    }
    for (std::size_t i = survivors(parameters); i < handles.size(); ++i) storage_.destroy(handles[i]);
    if (parameters.get("defragment") == "yes") tidy_up(storage_);
  }

  void run() { simulate_all(storage_); }

  [[nodiscard]] std::uint64_t checksum() { return simulated_checksum(storage_); }

 private:
  using StorageCase<Storage>::storage_;
};

[[nodiscard]] inline bool joins(const Parameters& parameters) { return parameters.get("work").starts_with("join"); }

/// The cell of the named workload without aging.
[[nodiscard]] inline Parameters unaged(const Parameters& parameters) {
  const std::string& work = parameters.get("work");
  Parameters fresh{.entities = parameters.entities, .values = {}, .seed = parameters.seed};
  if (joins(parameters)) fresh.values = {{"order", "same"}, {"via", "each"}};
  if (work == "lookup") fresh.values = {{"components", "4"}};
  if (work == "despawn") fresh.entities = survivors(parameters);
  return fresh;
}

/// The floor: that of the named workload, over entities without aging.
struct AgingReference {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    const std::string& work = parameters.get("work");
    if (joins(parameters)) return make_case<JoinReference>(unaged(parameters));
    if (work == "lookup") return make_case<LookupReference>(unaged(parameters));
    return make_case<PointMassReference>(unaged(parameters));
  }
};

/// The contract floor: aged as the strategies are, and it never has to tidy up.
struct AgingStore : StoreName {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Store = PackedStore<Mass, Position, Velocity, Acceleration>;
    const std::string& work = parameters.get("work");
    if (work == "join") return make_case<AgedJoin<PoolStore<Render, Transform>>>(parameters);
    if (work == "join_grouped") return make_case<AgedJoin<JoinSections>>(parameters);
    if (work == "lookup") return make_case<AgedLookup<Store>>(parameters);
    if (work == "despawn") return make_case<DespawnedPointMass<Store>>(parameters);
    return make_case<AgedPointMass<Store>>(parameters);
  }
};

struct AgingSections : ContractFloor<SectionsName, AgedJoin<JoinSections>> {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return parameters.get("work") == "join"; }
};

struct Aging {
  static constexpr const WorkloadCard& card = aging_card;
  static constexpr std::array needs{Capability::structural_change};
  using References = TypeList<AgingReference, AgingStore, AgingSections>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"work", {"point_mass", "join", "join_grouped", "lookup", "despawn"}, {"point_mass", "join", "lookup"}},
            {"frames", {"0", "10", "100", "1000"}, {"0", "100"}},
            {"defragment", {"no", "yes"}, {"no", "yes"}}};
  }
  /// Age is no reason to fetch more: as in point_mass, join and lookup.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const std::string& work = parameters.get("work");
    if (joins(parameters)) return Join::floor(unaged(parameters), lines);
    if (work == "lookup") return Lookup::floor(unaged(parameters), lines);
    return PointMass::floor(unaged(parameters), lines);
  }
  /// With the visitors.
  [[nodiscard]] static std::size_t rows(const Parameters& parameters) {
    return parameters.entities + most_visitors(parameters.entities);
  }
  /// A frame costs the same whatever is measured between frames, and other ages come to the same frames.
  [[nodiscard]] static bool framed(const Parameters& parameters) {
    return parameters.get("work") == "point_mass" && parameters.get("frames") == "100";
  }
  /// A mass despawn has no frames. Without frames or a despawn there is nothing to defragment, and only some storages
  /// can. What a group changes does not depend on it.
  template <template <class> class Strategy>
  [[nodiscard]] static bool supports(const Parameters& parameters) {
    using Storage = Strategy<PointMassSchema>;
    const bool despawns = parameters.get("work") == "despawn";
    const bool is_young = parameters.get("frames") == "0";
    if (despawns && !is_young) return false;
    if (parameters.get("work") == "join_grouped" && parameters.get("defragment") == "yes") return false;
    if (parameters.get("defragment") == "no") return true;
    return (despawns || !is_young) && (collects<Storage> || defragments<Storage>);
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<PointMassSchema>;
    const std::string& work = parameters.get("work");
    if (work == "join") return make_case<AgedJoin<Strategy<Schema<Render, Transform>>>>(parameters);
    if (work == "join_grouped") return make_case<AgedJoin<Strategy<Schema<Group<Render, Transform>>>>>(parameters);
    if (work == "lookup") return make_case<AgedLookup<Storage>>(parameters);
    if (work == "despawn") return make_case<DespawnedPointMass<Storage>>(parameters);
    return make_case<AgedPointMass<Storage>>(parameters);
  }
};

}  // namespace stowage::workloads
