#pragma once

// Workload: is a state that changes often better a component that is added and removed, or a flag in one?

#include <cmath>

#include "workloads/support/churn.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard toggle_card{
    .name = "toggle",
    .setup =
        "n entities with Position and Velocity (24 bytes) and Health (4 bytes); a quarter of them, drawn at random, "
        "burn",
    .measured =
        "8 frames, or 1 if rate is 20: in each, rate % of the entities start to burn and as many others stop, then "
        "`loops` loops take the heat of those that burn from their Health. as:component: OnFire (8 bytes) is added and "
        "removed, or switched on and off by a storage that can; as:flag: a component of 8 bytes that all have says "
        "whether they burn",
    .item = "toggle (a start or a stop)",
    .checksum = "hash(ordinal, Health) of every entity after the frames, and the number of those that burn",
    .favours =
        "as:component: storages in which the other components stay where they are; as:flag: many toggles and few loops",
    .disadvantages = "as:component: sections, which move the whole entity; as:flag: loops, which read all entities",
    .floor =
        "8/64 line of the list of handles and a line for generation, state and Health side by side for each toggle, "
        "and once a frame 12/64 for state and Health of each other entity that burns; attained by no loop here: the "
        "reference keeps those that burn in packed arrays, and moves the last row into the hole",
    .sizes = {16 * 1024, 256 * 1024},
};

struct Health {
  std::uint32_t points;
};
struct OnFire {
  std::uint32_t heat;
  std::uint32_t since;
};
/// The same as a component that every entity has.
struct MayBurn {
  std::uint32_t heat;
  std::uint32_t burns;
};

/// How many entities burn, and how many start and stop in a frame.
struct ToggleCounts {
  static constexpr std::size_t share = 4;  ///< one of so many burns

  explicit ToggleCounts(const Parameters& parameters)
      : burning((parameters.entities + share - 1) / share),
        pairs(std::clamp<std::size_t>(per_mille_of(parameters.get("rate")) * parameters.entities / 1000, 1,
                                      std::max<std::size_t>(1, std::min(burning, parameters.entities - burning)))),
        loops(std::stoul(parameters.get("loops"))),
        frames(parameters.get("rate") == "20" ? 1 : 8) {}

  [[nodiscard]] std::size_t toggles() const noexcept { return 2 * pairs; }  ///< a frame

  std::size_t burning;
  std::size_t pairs;
  std::size_t loops;
  std::size_t frames;  ///< in a pass
};

/// Which entities burn: a stretch of a list in random order, which starts over behind its end. Those at its front stop,
/// and those behind its back start.
class TogglePlan {
 public:
  explicit TogglePlan(const Parameters& parameters)
      : order_(Random(parameters.seed).permutation(parameters.entities)), counts_(parameters) {}

  [[nodiscard]] std::size_t entities() const noexcept { return order_.size(); }
  [[nodiscard]] const ToggleCounts& counts() const noexcept { return counts_; }
  /// The entity at this place of the list.
  [[nodiscard]] std::uint32_t at(std::size_t place) const noexcept { return order_[place % order_.size()]; }
  /// After so many frames every entity has burnt once.
  [[nodiscard]] std::size_t frames_until_all_burnt() const noexcept { return entities() / counts_.pairs + 1; }
  /// Calls `stop(place)` and `start(place)` for the places of the list that change in the next frame.
  template <class Stop, class Start>
  void next_frame(Stop&& stop, Start&& start) {
    for (std::size_t i = 0; i < counts_.pairs; ++i) stop(wrapped(front_ + i));
    for (std::size_t i = 0; i < counts_.pairs; ++i) start(wrapped(front_ + counts_.burning + i));
    front_ = wrapped(front_ + counts_.pairs);
  }

 private:
  [[nodiscard]] std::size_t wrapped(std::size_t place) const noexcept {
    return place < order_.size() ? place : place - order_.size();
  }

  Array<std::uint32_t> order_;
  ToggleCounts counts_;
  std::size_t front_ = 0;
};

[[nodiscard]] inline std::uint32_t heat_of(std::size_t place) noexcept { return static_cast<std::uint32_t>(place) | 1; }

/// `AsFlag`: every entity has MayBurn. Otherwise those that burn have OnFire; if it can be switched off, all have it.
template <class Storage, bool AsFlag>
class ToggleCase : public StorageCase<Storage> {
  using Handle = typename Storage::entity_type;
  static constexpr bool switches =
      requires(Storage& storage, Handle entity) { storage.template set_enabled<OnFire>(entity, true); };

 public:
  explicit ToggleCase(const Parameters& parameters) : plan_(parameters) {
    const Values values(parameters.seed);
    const std::size_t entities = plan_.entities();
    if constexpr (AsFlag) {
      make_room<Position, Velocity, Health, MayBurn>(storage_, entities);
    } else {
      make_room<Position, Velocity, Health>(storage_, entities);
      make_room<OnFire>(storage_, switches ? entities : plan_.counts().burning + plan_.counts().toggles());
    }
    Array<Handle> created(entities);
    for (std::size_t i = 0; i < entities; ++i) {
      const Health health{static_cast<std::uint32_t>(i)};
      if constexpr (AsFlag) {
        created[i] = storage_.create(values.position(i), values.velocity(i), health, MayBurn{0, 0});
      } else if constexpr (switches) {
        created[i] = storage_.create(values.position(i), values.velocity(i), health, OnFire{0, 0});
        storage_.template set_enabled<OnFire>(created[i], false);
      } else {
        created[i] = storage_.create(values.position(i), values.velocity(i), health);
      }
    }
    for (std::size_t place = 0; place < entities; ++place) handles_.push_back(created[plan_.at(place)]);
    for (std::size_t place = 0; place < plan_.counts().burning; ++place) start(place);
  }

  void run() {
    for (std::size_t frame = 0; frame < plan_.counts().frames; ++frame) step(frame);
    keep(storage_);
  }
  /// Frames follow each other from pass to pass.
  [[nodiscard]] std::size_t frames() const noexcept { return 100; }
  [[nodiscard]] std::size_t warming_frames() const noexcept { return plan_.frames_until_all_burnt(); }
  void step(std::size_t /*frame*/) {
    plan_.next_frame([this](std::size_t place) { stop(place); }, [this](std::size_t place) { start(place); });
    for (std::size_t i = 0; i < plan_.counts().loops; ++i) burn();
    collect(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return plan_.counts().frames * plan_.counts().toggles(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    std::size_t burning = 0;
    if constexpr (AsFlag) {
      storage_.template each<const MayBurn>([&](const MayBurn& state) { burning += state.burns; });
    } else {
      storage_.template each<const OnFire>([&](const OnFire&) { ++burning; });
    }
    sum.add(0, burning);
    for (std::size_t place = 0; place < handles_.size(); ++place) {
      const auto health = storage_.template find<const Health>(handles_[place]);
      if (health != nullptr) sum.add(plan_.at(place), health->points);
    }
    return sum.value();
  }

 private:
  void start(std::size_t place) {
    const auto since = static_cast<std::uint32_t>(place);
    if constexpr (AsFlag) {
      *storage_.template find<MayBurn>(handles_[place]) = MayBurn{heat_of(place), 1};
    } else if constexpr (switches) {
      *storage_.template find<OnFire>(handles_[place]) = OnFire{heat_of(place), since};
      storage_.template set_enabled<OnFire>(handles_[place], true);
    } else {
      storage_.template emplace<OnFire>(handles_[place], heat_of(place), since);
    }
  }
  void stop(std::size_t place) {
    if constexpr (AsFlag) {
      storage_.template find<MayBurn>(handles_[place])->burns = 0;
    } else if constexpr (switches) {
      storage_.template set_enabled<OnFire>(handles_[place], false);
    } else {
      storage_.template remove<OnFire>(handles_[place]);
    }
  }
  void burn() {
    if constexpr (AsFlag) {
      storage_.template each<const MayBurn, Health>(
          [](const MayBurn& state, Health& health) { health.points -= state.heat & (0 - state.burns); });
    } else {
      storage_.template each<const OnFire, Health>(
          [](const OnFire& burning, Health& health) { health.points -= burning.heat; });
    }
  }

  TogglePlan plan_;
  using StorageCase<Storage>::storage_;
  Array<Handle> handles_;
};

/// Those that burn and the others in arrays of their own, packed, of which a start or stop moves an entity's Health.
/// What else an entity has need not be touched.
class ToggleReference {
 public:
  explicit ToggleReference(const Parameters& parameters)
      : plan_(parameters),
        slots_(plan_.entities()),
        calm_(plan_.entities()),
        burning_(plan_.entities()),
        fires_(plan_.entities()) {
    for (std::uint32_t i = 0; i < plan_.entities(); ++i) slots_[i].row = calm_.add(i, {i});
    for (std::size_t place = 0; place < plan_.entities(); ++place) handles_.push_back(Entity(plan_.at(place), 0));
    for (std::size_t place = 0; place < plan_.counts().burning; ++place) start(place);
  }

  void run() {
    for (std::size_t frame = 0; frame < plan_.counts().frames; ++frame) step(frame);
    keep(slots_);
  }
  [[nodiscard]] std::size_t frames() const noexcept { return 100; }
  [[nodiscard]] std::size_t warming_frames() const noexcept { return plan_.frames_until_all_burnt(); }
  void step(std::size_t /*frame*/) {
    plan_.next_frame([this](std::size_t place) { stop(place); }, [this](std::size_t place) { start(place); });
    for (std::size_t i = 0; i < plan_.counts().loops; ++i) burn();
  }

  [[nodiscard]] std::uint64_t items() const { return plan_.counts().frames * plan_.counts().toggles(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    sum.add(0, burning_.size);
    for (const Packed* rows : {&calm_, &burning_}) {
      for (std::size_t row = 0; row < rows->size; ++row) sum.add(rows->owners[row], rows->health[row].points);
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t n = slots_.size();
    const std::size_t payload = n * sizeof(Health) + burning_.size * sizeof(OnFire);
    const std::size_t index = n * (sizeof(Slot) + sizeof(std::uint32_t));
    const std::size_t held = n * (sizeof(Slot) + 2 * (sizeof(std::uint32_t) + sizeof(Health)) + sizeof(OnFire));
    return {.payload_bytes = payload, .index_bytes = index, .slack_bytes = held - payload - index, .allocations = 6};
  }

 private:
  struct Slot {
    std::uint32_t generation;
    std::uint32_t row;
  };
  struct Packed {
    explicit Packed(std::size_t most) : owners(most), health(most) {}
    std::uint32_t add(std::uint32_t owner, Health its) {
      owners[size] = owner;
      health[size] = its;
      return static_cast<std::uint32_t>(size++);
    }

    StoredArray<std::uint32_t> owners;
    StoredArray<Health> health;
    std::size_t size = 0;
  };

  void start(std::size_t place) {
    const std::uint32_t index = handles_[place].index();
    if (slots_[index].generation != handles_[place].generation()) return;
    fires_[burning_.size] = {heat_of(place), static_cast<std::uint32_t>(place)};
    move(calm_, burning_, index);
  }
  void stop(std::size_t place) {
    const std::uint32_t index = handles_[place].index();
    if (slots_[index].generation != handles_[place].generation()) return;
    fires_[slots_[index].row] = fires_[burning_.size - 1];
    move(burning_, calm_, index);
  }
  /// The last row fills the hole.
  void move(Packed& from, Packed& to, std::uint32_t index) {
    const std::uint32_t row = slots_[index].row;
    const std::uint32_t added = to.add(index, from.health[row]);
    const std::size_t last = --from.size;
    from.health[row] = from.health[last];
    slots_[from.owners[row] = from.owners[last]].row = row;
    slots_[index].row = added;
  }
  void burn() {
    for (std::size_t row = 0; row < burning_.size; ++row) burning_.health[row].points -= fires_[row].heat;
  }

  TogglePlan plan_;
  StoredArray<Slot> slots_;
  Packed calm_;
  Packed burning_;
  StoredArray<OnFire> fires_;
  Array<Entity> handles_;
};

/// The contract floors: OnFire is added and removed.
template <class Name, class Store>
struct ToggleFloor : ContractFloor<Name, ToggleCase<Store, false>> {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return parameters.get("as") == "component"; }
};
using TogglePools = PoolStore<Position, Velocity, Health, OnFire>;
using ToggleSections = SectionStore<TypeList<Position, Velocity, Health>, TypeList<Position, Velocity, Health, OnFire>>;

struct Toggle {
  static constexpr const WorkloadCard& card = toggle_card;
  static constexpr std::array needs{Capability::structural_change};
  using References =
      TypeList<ToggleReference, ToggleFloor<StoreName, TogglePools>, ToggleFloor<SectionsName, ToggleSections>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"rate", {"0.1", "1", "5", "20"}, {"1"}},
            {"loops", {"1", "10"}, {"1"}},
            {"as", {"component", "flag"}, {"component", "flag"}}};
  }
  /// A toggle reads its handle, eight of which share a line, and a line in a place that nothing tells anything about:
  /// the generation, and of an entity that starts to burn the 8 bytes of state that are written and 4 of Health; of one
  /// that stops a bit is written. The first loop of a frame loads state and Health of all others that burn, and needs 4
  /// bytes of each; for the other loops they are in the cache.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const ToggleCounts counts(parameters);
    const double others = static_cast<double>(counts.burning - counts.pairs) / static_cast<double>(counts.toggles());
    constexpr double toggled = sizeof(std::uint32_t) + (sizeof(OnFire) + sizeof(Health)) / 2.0;
    constexpr double needed = sizeof(OnFire::heat) + sizeof(Health);
    return {.lines_per_item =
                lines.in_sequence(sizeof(Entity)) + 1 + lines.in_sequence(others * (sizeof(OnFire) + sizeof(Health))),
            .bytes_per_item = std::floor(sizeof(Entity) + toggled + others * needed)};
  }
  [[nodiscard]] static bool framed(const Parameters&) { return true; }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using WithFlag = Strategy<Schema<Group<Position, Velocity>, Group<Health, MayBurn>>>;
    using WithState = Strategy<Schema<Group<Position, Velocity>, Health, Sparse<Toggled<OnFire>>>>;
    if (parameters.get("as") == "flag") return make_case<ToggleCase<WithFlag, true>>(parameters);
    return make_case<ToggleCase<WithState, false>>(parameters);
  }
};

}  // namespace stowage::workloads
