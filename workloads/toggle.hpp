#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/type_list.hpp>

#include "workloads/support/array.hpp"
#include "workloads/support/capabilities.hpp"
#include "workloads/support/checksum.hpp"
#include "workloads/support/churn.hpp"
#include "workloads/support/components.hpp"
#include "workloads/support/contract_floor.hpp"
#include "workloads/support/floor.hpp"
#include "workloads/support/keep.hpp"
#include "workloads/support/measurement.hpp"
#include "workloads/support/parameters.hpp"
#include "workloads/support/pool_store.hpp"
#include "workloads/support/random.hpp"
#include "workloads/support/section_store.hpp"
#include "workloads/support/stored_array.hpp"

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
        "8/64 line of the list of handles and a line for generation and state side by side for each toggle, and 8/64 "
        "for Health and heat of each burning entity in each loop; attained by no loop here: the reference keeps bits, "
        "and both values in an array at the entity's index",
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

/// Who burns: a stretch of a list in random order, which starts over behind its end. Those at its front stop, and those
/// behind its back start.
class TogglePlan {
 public:
  static constexpr std::size_t share = 4;  ///< one of so many burns

  explicit TogglePlan(const Parameters& parameters)
      : order_(Random(parameters.seed).permutation(parameters.entities)),
        burning_((parameters.entities + share - 1) / share),
        pairs_(std::clamp<std::size_t>(per_mille_of(parameters.get("rate")) * parameters.entities / 1000, 1,
                                       std::max<std::size_t>(1, std::min(burning_, parameters.entities - burning_)))),
        loops_(std::stoul(parameters.get("loops"))),
        frames_(parameters.get("rate") == "20" ? 1 : 8) {}

  [[nodiscard]] std::size_t entities() const noexcept { return order_.size(); }
  [[nodiscard]] std::size_t burning() const noexcept { return burning_; }
  [[nodiscard]] std::size_t loops() const noexcept { return loops_; }
  [[nodiscard]] std::size_t frames() const noexcept { return frames_; }
  [[nodiscard]] std::size_t toggles() const noexcept { return 2 * pairs_; }  ///< a frame
  /// The entity at this place of the list.
  [[nodiscard]] std::uint32_t at(std::size_t place) const noexcept { return order_[place % order_.size()]; }
  /// Calls `stop(place)` and `start(place)` for the places of the list that change in the next frame.
  template <class Stop, class Start>
  void next_frame(Stop&& stop, Start&& start) {
    for (std::size_t i = 0; i < pairs_; ++i) stop(wrapped(front_ + i));
    for (std::size_t i = 0; i < pairs_; ++i) start(wrapped(front_ + burning_ + i));
    front_ = wrapped(front_ + pairs_);
  }

 private:
  [[nodiscard]] std::size_t wrapped(std::size_t place) const noexcept {
    return place < order_.size() ? place : place - order_.size();
  }

  Array<std::uint32_t> order_;
  std::size_t burning_;
  std::size_t pairs_;
  std::size_t loops_;
  std::size_t frames_;
  std::size_t front_ = 0;
};

[[nodiscard]] inline std::uint32_t heat_of(std::size_t place) noexcept { return static_cast<std::uint32_t>(place) | 1; }

/// `AsFlag`: every entity has MayBurn. Otherwise those that burn have OnFire; where it can be switched off all have.
template <class Storage, bool AsFlag>
class ToggleCase {
  using Handle = typename Storage::entity_type;
  static constexpr bool switches =
      requires(Storage& storage, Handle entity) { storage.template set_enabled<OnFire>(entity, true); };

 public:
  static constexpr bool repeatable = true;

  explicit ToggleCase(const Parameters& parameters) : plan_(parameters) {
    const Values values(parameters.seed);
    const std::size_t entities = plan_.entities();
    make_room<Position, Velocity, Health, MayBurn>(storage_, entities);
    make_room<OnFire>(storage_, switches ? entities : plan_.burning() + plan_.toggles());
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
    for (std::size_t place = 0; place < plan_.burning(); ++place) start(place);
  }

  void prepare() {}
  void run() {
    for (std::size_t frame = 0; frame < plan_.frames(); ++frame) step(frame);
    keep(storage_);
  }
  /// Frames follow each other from pass to pass.
  [[nodiscard]] std::size_t frames() const noexcept { return 100; }
  /// Everybody has burnt once.
  [[nodiscard]] std::size_t warming_frames() const noexcept { return 2 * plan_.entities() / plan_.toggles() + 1; }
  void step(std::size_t /*frame*/) {
    plan_.next_frame([this](std::size_t place) { stop(place); }, [this](std::size_t place) { start(place); });
    for (std::size_t i = 0; i < plan_.loops(); ++i) burn();
    collect(storage_);
  }
  [[nodiscard]] std::optional<StorageEvents> events() const { return events_of(storage_); }

  [[nodiscard]] std::uint64_t items() const { return plan_.frames() * plan_.toggles(); }
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
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear()
    requires requires(Storage& storage) { storage.clear(); }
  {
    storage_.clear();
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
  Storage storage_;
  Array<Handle> handles_;
};

/// A bit for each entity, and Health and heat side by side at its index. What else an entity has need not be touched.
class ToggleReference {
 public:
  static constexpr std::string_view name = "reference";
  static constexpr std::string_view summary = "";
  static constexpr bool repeatable = true;

  explicit ToggleReference(const Parameters& parameters)
      : plan_(parameters), states_(plan_.entities()), burns_(plan_.entities() / word_bits + 1) {
    for (std::size_t i = 0; i < plan_.entities(); ++i) states_[i].health.points = static_cast<std::uint32_t>(i);
    for (std::size_t place = 0; place < plan_.entities(); ++place) handles_.push_back(Entity(plan_.at(place), 0));
    for (std::size_t place = 0; place < plan_.burning(); ++place) start(place);
  }

  void prepare() {}
  void run() {
    for (std::size_t frame = 0; frame < plan_.frames(); ++frame) step(frame);
    keep(states_);
  }
  [[nodiscard]] std::size_t frames() const noexcept { return 100; }
  [[nodiscard]] std::size_t warming_frames() const noexcept { return 1; }
  void step(std::size_t /*frame*/) {
    plan_.next_frame([this](std::size_t place) { stop(place); }, [this](std::size_t place) { start(place); });
    for (std::size_t i = 0; i < plan_.loops(); ++i) burn();
  }
  [[nodiscard]] std::optional<StorageEvents> events() const { return std::nullopt; }

  [[nodiscard]] std::uint64_t items() const { return plan_.frames() * plan_.toggles(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    std::size_t burning = 0;
    for (const std::uint64_t word : burns_) burning += static_cast<std::size_t>(std::popcount(word));
    sum.add(0, burning);
    for (std::size_t i = 0; i < states_.size(); ++i) sum.add(i, states_[i].health.points);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = states_.size() * (sizeof(State) - sizeof(std::uint32_t)),
            .index_bytes = states_.size() * sizeof(std::uint32_t) + burns_.size() * sizeof(std::uint64_t),
            .slack_bytes = 0,
            .allocations = 2};
  }

 private:
  static constexpr std::size_t word_bits = 64;
  struct State {
    Health health;
    OnFire burning;
    std::uint32_t generation;
  };

  void start(std::size_t place) {
    const std::uint32_t index = handles_[place].index();
    if (states_[index].generation != handles_[place].generation()) return;
    states_[index].burning = {heat_of(place), static_cast<std::uint32_t>(place)};
    burns_[index / word_bits] |= std::uint64_t{1} << index % word_bits;
  }
  void stop(std::size_t place) {
    const std::uint32_t index = handles_[place].index();
    if (states_[index].generation != handles_[place].generation()) return;
    burns_[index / word_bits] &= ~(std::uint64_t{1} << index % word_bits);
  }
  void burn() {
    for (std::size_t block = 0; block < burns_.size(); ++block) {
      for (std::uint64_t word = burns_[block]; word != 0; word &= word - 1) {
        State& state = states_[block * word_bits + static_cast<std::size_t>(std::countr_zero(word))];
        state.health.points -= state.burning.heat;
      }
    }
  }

  TogglePlan plan_;
  StoredArray<State> states_;
  StoredArray<std::uint64_t> burns_;
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
  /// A toggle reads its handle, eight of which share a line, and writes a line of generation and state in a place that
  /// nothing tells anything about. Each loop reads 4 bytes of heat and 4 of Health for each burning entity.
  [[nodiscard]] static Floor floor(const Parameters& parameters) {
    const TogglePlan plan(parameters);
    const double visits = static_cast<double>(plan.loops() * plan.burning()) / static_cast<double>(plan.toggles());
    constexpr double visited = sizeof(Health) + sizeof(std::uint32_t);
    constexpr double toggled = sizeof(std::uint32_t) + sizeof(OnFire);
    return {.lines_per_item = lines_in_sequence(sizeof(Entity)) + 1 + visits * lines_in_sequence(visited),
            .bytes_per_item = std::floor(sizeof(Entity) + toggled + visits * visited)};
  }
  [[nodiscard]] static bool framed(const Parameters&) { return true; }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<Schema<Group<Position, Velocity>, Group<Health, MayBurn>, Sparse<Toggled<OnFire>>>>;
    if (parameters.get("as") == "flag") return std::make_unique<MeasurementOf<ToggleCase<Storage, true>>>(parameters);
    return std::make_unique<MeasurementOf<ToggleCase<Storage, false>>>(parameters);
  }
};

}  // namespace stowage::workloads
