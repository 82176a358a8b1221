#pragma once

// Workload: what it saves to visit only what has changed, by ticks that a storage records or by versions in components.

#include <cmath>

#include <stowage/contract/changes.hpp>

#include "workloads/support/changes.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard changed_card{
    .name = "changed",
    .setup =
        "n entities with Position (12 bytes) and Bounds (24 bytes) around it; every fourth has a Velocity (12 bytes), "
        "too",
    .measured =
        "one frame: positions are written, of no entity, one by its handle, all that have a Velocity by a loop (set), "
        "half of all, drawn at random, by a list of handles, or all by a loop; then Bounds are made anew. how:record: "
        "of what has changed, which a storage knows if it records that, or shows by a means of its own, perhaps with "
        "rows beside it; for all others Position has the number of the frame in which it was written (16 bytes), which "
        "a loop over all compares. how:everything: of all",
    .item = "entity in the storage",
    .checksum = "hash(ordinal, Bounds) of every entity after the frame",
    .favours = "how:record: few changes, and storages that leave out many rows by one look; how:everything: many",
    .disadvantages =
        "how:record: a storage that keeps no ticks, or one that keeps them for sections if changes are "
        "spread; how:everything: few changes",
    .floor =
        "36/64 line for each entity whose Bounds are made, 12/64 for each Velocity and 8/64 for each handle that is "
        "read, by loops over arrays in which the rows that change come first; how:record: nothing is said if none or "
        "one changes",
    .sizes = {16 * 1024, 256 * 1024},
};

/// With the number of the frame in which it was last written.
struct VersionedPosition {
  float x, y, z;
  std::uint32_t version;
};
struct Bounds {
  float low_x, low_y, low_z;
  float high_x, high_y, high_z;

  template <class Place>
  [[nodiscard]] static Bounds around(const Place& place) noexcept {
    constexpr float radius = 0.5f;
    return {place.x - radius, place.y - radius, place.z - radius, place.x + radius, place.y + radius, place.z + radius};
  }
  void add_to(Checksum& sum, std::uint64_t ordinal) const noexcept {
    sum.add_floats(ordinal, low_x, low_y, low_z, high_x, high_y, high_z);
  }
};

enum class ChangedShare : std::uint8_t { none, one, set, half, all };

/// Which entities are written. Whatever can be read by a list is in the order of creation.
class ChangedPlan {
 public:
  explicit ChangedPlan(const Parameters& parameters) : entities_(parameters.entities), share_(share_of(parameters)) {
    if (share_ != ChangedShare::half) return;
    Random random(parameters.seed);
    for (std::size_t i = 0; i < entities_; ++i) {
      if (random.below(2) == 0) listed_.push_back(static_cast<std::uint32_t>(i));
    }
  }

  [[nodiscard]] static ChangedShare share_of(const Parameters& parameters) {
    const std::string& share = parameters.get("changed");
    if (share == "none") return ChangedShare::none;
    if (share == "one") return ChangedShare::one;
    if (share == "set") return ChangedShare::set;
    return share == "half" ? ChangedShare::half : ChangedShare::all;
  }
  [[nodiscard]] static bool moves(std::size_t ordinal) noexcept { return ordinal % 4 == 0; }

  [[nodiscard]] std::size_t entities() const noexcept { return entities_; }
  [[nodiscard]] ChangedShare share() const noexcept { return share_; }
  [[nodiscard]] std::size_t moving() const noexcept { return (entities_ + 3) / 4; }
  /// The ordinals of changed:half.
  [[nodiscard]] const Array<std::uint32_t>& listed() const noexcept { return listed_; }
  /// The ordinal of changed:one.
  [[nodiscard]] std::size_t one_of(std::uint32_t frame) const noexcept { return frame * std::size_t{7919} % entities_; }

 private:
  std::size_t entities_;
  ChangedShare share_;
  Array<std::uint32_t> listed_;
};

/// How a program knows what has changed: the storage records ticks, or what a loop has not seen yet; a component has a
/// version; or it does not ask.
enum class ChangesBy : std::uint8_t { tick, loop, version, nothing };

template <class Storage, ChangesBy By>
class ChangedCase : public StorageCase<Storage> {
  using Handle = typename Storage::entity_type;
  using Place = std::conditional_t<By == ChangesBy::version, VersionedPosition, Position>;

 public:
  explicit ChangedCase(const Parameters& parameters) : plan_(parameters) {
    const Values values(parameters.seed);
    make_room<Place, Bounds>(storage_, plan_.entities());
    make_room<Velocity>(storage_, plan_.moving());
    for (std::size_t i = 0; i < plan_.entities(); ++i) {
      const Place place = place_of(values.position(i));
      const Bounds bounds = Bounds::around(place);
      handles_.push_back(ChangedPlan::moves(i) ? storage_.create(place, bounds, values.velocity(i))
                                               : storage_.create(place, bounds));
    }
    for (const std::uint32_t ordinal : plan_.listed()) listed_.push_back(handles_[ordinal]);
  }

  void run() {
    ++frame_;
    if constexpr (By == ChangesBy::tick) seen_ = storage_.next_tick();
    write();
    make_bounds();
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return plan_.entities(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      const auto bounds = storage_.template find<const Bounds>(handles_[i]);
      if (bounds != nullptr) Bounds(*bounds).add_to(sum, i);
    }
    return sum.value();
  }

 private:
  void write() {
    switch (plan_.share()) {
      case ChangedShare::none:
        return;
      case ChangedShare::one:
        return move_one(handles_[plan_.one_of(frame_)]);
      case ChangedShare::set:
        return storage_.template each<Place, const Velocity>(
            [frame = frame_](Place& place, const Velocity& velocity) { move(place, velocity.x, frame); });
      case ChangedShare::half:
        for (const Handle handle : listed_) move_one(handle);
        return;
      case ChangedShare::all:
        return storage_.template each<Place>([frame = frame_](Place& place) { move(place, 1, frame); });
    }
  }
  void make_bounds() {
    const auto make = [](const Place& place, Bounds& bounds) { bounds = Bounds::around(place); };
    if constexpr (By == ChangesBy::tick) {
      storage_.template each_changed<const Place, Bounds>(seen_, make);
    } else if constexpr (By == ChangesBy::loop) {
      storage_.template each_changed<const Place, Bounds>(make);
    } else if constexpr (By == ChangesBy::version) {
      storage_.template each<const Place, Bounds>([make, frame = frame_](const Place& place, Bounds& bounds) {
        if (place.version == frame) make(place, bounds);
      });
    } else {
      storage_.template each<const Place, Bounds>(make);
    }
  }

  [[nodiscard]] static Place place_of(const Position& at) noexcept {
    if constexpr (By == ChangesBy::version) {
      return {at.x, at.y, at.z, 0};
    } else {
      return at;
    }
  }
  /// If a pointer only stands for a place, the whole component is read and written back.
  void move_one(Handle handle) {
    const auto found = storage_.template find<Place>(handle);
    if constexpr (std::is_pointer_v<decltype(found)>) {
      move(*found, 1, frame_);
    } else {
      Place place = *found;
      move(place, 1, frame_);
      *found = place;
    }
  }
  static void move(Place& place, float distance, [[maybe_unused]] std::uint32_t frame) noexcept {
    place.x += distance;
    if constexpr (By == ChangesBy::version) place.version = frame;
  }

  ChangedPlan plan_;
  using StorageCase<Storage>::storage_;
  Array<Handle> handles_;
  Array<Handle> listed_;
  std::uint32_t frame_ = 0;
  Tick seen_ = 0;
};

/// The floor: arrays in which the rows that change come first, in the order in which they are written. It knows them.
class ChangedReference {
 public:
  explicit ChangedReference(const Parameters& parameters)
      : plan_(parameters), makes_all_(parameters.get("how") == "everything") {
    const std::size_t n = plan_.entities();
    std::vector<bool> changes(n, plan_.share() == ChangedShare::all);
    for (const std::uint32_t ordinal : plan_.listed()) changes[ordinal] = true;
    for (std::size_t i = 0; i < n; ++i) {
      if (plan_.share() == ChangedShare::set && ChangedPlan::moves(i)) changes[i] = true;
    }
    for (const bool first : {true, false}) {
      for (std::uint32_t i = 0; i < n; ++i) {
        if (changes[i] == first) ordinals_.push_back(i);
      }
      if (first) changing_ = ordinals_.size();
    }
    columns_.reallocate(n, 0);
    velocities_.reserve(plan_.moving());
    const Values values(parameters.seed);
    for (std::uint32_t row = 0; row < n; ++row) {
      const Position place = values.position(ordinals_[row]);
      columns_.of<Position>()[row] = place;
      columns_.of<Bounds>()[row] = Bounds::around(place);
      if (ChangedPlan::moves(ordinals_[row])) velocities_.push_back(values.velocity(ordinals_[row]));
      if (plan_.share() == ChangedShare::half && row < changing_) listed_.push_back(Entity(row, 0));
    }
  }

  void run() {
    ++frame_;
    Position* const places = columns_.of<Position>();
    std::size_t first = 0;
    std::size_t end = changing_;
    switch (plan_.share()) {
      case ChangedShare::none:
        break;
      case ChangedShare::one:
        first = plan_.one_of(frame_);
        end = first + 1;
        places[first].x += 1;
        break;
      case ChangedShare::set:
        for (std::size_t row = 0; row < changing_; ++row) places[row].x += velocities_[row].x;
        break;
      case ChangedShare::half:
        for (const Entity entity : listed_) places[entity.index()].x += 1;
        break;
      case ChangedShare::all:
        for (std::size_t row = 0; row < changing_; ++row) places[row].x += 1;
        break;
    }
    make_bounds(makes_all_ ? 0 : first, makes_all_ ? plan_.entities() : end);
    keep(columns_);
  }

  [[nodiscard]] std::uint64_t items() const { return plan_.entities(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (std::size_t row = 0; row < ordinals_.size(); ++row) {
      columns_.of<Bounds>()[row].add_to(sum, ordinals_[row]);
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t payload =
        plan_.entities() * (sizeof(Position) + sizeof(Bounds)) + velocities_.size() * sizeof(Velocity);
    const std::size_t held = columns_.held_bytes() + velocities_.capacity() * sizeof(Velocity);
    return {.payload_bytes = payload, .slack_bytes = held - payload, .allocations = columns_.allocations() + 1};
  }

 private:
  void make_bounds(std::size_t first, std::size_t end) {
    const Position* const places = columns_.of<Position>();
    Bounds* const bounds = columns_.of<Bounds>();
    for (std::size_t row = first; row < end; ++row) bounds[row] = Bounds::around(places[row]);
  }

  ChangedPlan plan_;
  bool makes_all_;
  std::size_t changing_ = 0;  ///< rows that change in every frame
  Columns<Position, Bounds> columns_;
  StoredArray<Velocity> velocities_;  ///< of the rows that have one, in their order
  Array<std::uint32_t> ordinals_;
  Array<Entity> listed_;
  std::uint32_t frame_ = 0;
};

/// Pools: Position and Bounds of all entities in packed rows, and Velocities in others, with a slot for each entity
/// that has both rows.
///
///     slots_        [handle^row] [handle^row ] ...          rows of `rows_`
///                   [handle^row] [handle^none] ...          rows of `velocities_`
///     rows_         [ S0 S1 ... | Position Position ... | Bounds Bounds ... ]
///     velocities_   [ S0 ...    | Velocity ... ]
class MovingPools {
  template <class... Qs>
  static constexpr bool has_velocity = (std::is_same_v<std::remove_const_t<Qs>, Velocity> || ...);

 public:
  using entity_type = Entity;

  Entity create(const Position& position, const Bounds& bounds) {
    const Entity entity = slots_.add();
    rows_.make_room_for_one();
    rows_.owners()[rows_.size] = entity.index();
    rows_.put(rows_.size, position, bounds);
    slots_.set_place<0>(entity.index(), static_cast<std::uint32_t>(rows_.size++));
    return entity;
  }
  Entity create(const Position& position, const Bounds& bounds, const Velocity& velocity) {
    const Entity entity = create(position, bounds);
    velocities_.make_room_for_one();
    velocities_.owners()[velocities_.size] = entity.index();
    velocities_.put(velocities_.size, velocity);
    slots_.set_place<1>(entity.index(), static_cast<std::uint32_t>(velocities_.size++));
    return entity;
  }

  template <class... Qs>
  [[nodiscard]] Found<Qs...> find(Entity entity) const noexcept {
    const auto at = rows_of<Qs...>().template finder<Qs...>();  // before the test, so that loops keep it
    const std::uint32_t row = slots_.find<has_velocity<Qs...> ? 1 : 0>(entity);
    if (row == SlotTable<2>::none) return {};
    return at(row);
  }

  /// Components of one pool, or first those of `rows_` and then a Velocity.
  template <class... Qs, class Visit>
  void each(Visit&& visit) const {
    if constexpr (has_velocity<Qs...>) {
      const std::size_t count = velocities_.size;
      const std::uint32_t* const owners = velocities_.owners();
      const Velocity* const velocities = velocities_.column<const Velocity>();
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t row = slots_.place<0>(owners[i]);
        const auto component = [&]<class Q>(TypeList<Q>) -> Q& {
          if constexpr (has_velocity<Q>) {
            return velocities[i];
          } else {
            return rows_.column<Q>()[row];
          }
        };
        visit(component(TypeList<Qs>{})...);
      }
    } else {
      rows_.visit_all<Qs...>(visit, [](std::size_t) { return Entity(); });
    }
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t payload = rows_.size * (sizeof(Position) + sizeof(Bounds)) + velocities_.size * sizeof(Velocity);
    const std::size_t index = slots_.used_bytes() + (rows_.size + velocities_.size) * sizeof(std::uint32_t);
    const std::size_t held = slots_.held_bytes() + rows_.held_bytes() + velocities_.held_bytes();
    return {.payload_bytes = payload,
            .index_bytes = index,
            .slack_bytes = held - payload - index,
            .allocations = slots_.allocations() + rows_.allocations() + velocities_.allocations()};
  }

 private:
  template <class... Qs>
  [[nodiscard]] const auto& rows_of() const noexcept {
    if constexpr (has_velocity<Qs...>) {
      return velocities_;
    } else {
      return rows_;
    }
  }

  SlotTable<2> slots_;
  ColumnRows<Position, Bounds> rows_;
  ColumnRows<Velocity> velocities_;
};
using MovingSections = SectionStore<TypeList<Position, Bounds>, TypeList<Position, Bounds, Velocity>>;

/// What a careful engineer adds if few positions change: a list of the entities whose position was written by a handle
/// in this tick. If it is full, or a loop has written the positions of all or of those that move, these count as
/// changed.
///
///     stamps_   [tick][tick] ...       by slot: when it came into the list
///     list_     [handle][handle] ...   room for a thirty-second of the entities
template <class Store>
class ListedChanges {
 public:
  using entity_type = Entity;

  template <class... Cs>
  Entity create(const Cs&... components) {
    const Entity entity = store_.create(components...);
    if (entity.index() >= stamps_.size()) stamps_.push_back(0);
    list_.reserve(stamps_.capacity() / 32);
    have_all_changed_ = true;
    return entity;
  }

  template <class Q>
  [[nodiscard]] Q* find(Entity entity) {
    Q* const found = store_.template find<Q>(entity);
    if constexpr (std::is_same_v<Q, Position>) {
      if (!have_all_changed_ && found != nullptr) note(entity);
    }
    return found;
  }
  template <class First, class... Rest, class Visit>
  void each(Visit&& visit) {
    if constexpr (std::is_same_v<First, Position>) {
      (sizeof...(Rest) == 0 ? have_all_changed_ : have_moving_changed_) = true;
    }
    store_.template each<First, Rest...>(visit);
  }

  Tick next_tick() noexcept {
    list_.clear();
    have_all_changed_ = have_moving_changed_ = false;
    return ++now_;
  }
  /// Since the beginning of this tick.
  template <class C, class Q, class Visit>
  void each_changed(Tick, Visit&& visit) {
    if (have_all_changed_) return store_.template each<C, Q>(visit);
    if (have_moving_changed_) {
      store_.template each<C, Q, const Velocity>([&](C& c, Q& q, const Velocity&) { visit(c, q); });
    }
    for (const Entity entity : list_) {
      if (have_moving_changed_ && store_.template find<const Velocity>(entity) != nullptr) continue;
      const auto [c, q] = store_.template find<C, Q>(entity);
      if (c != nullptr) visit(*c, *q);
    }
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = store_.memory();
    const std::size_t used = stamps_.size() * sizeof(Tick) + list_.size() * sizeof(Entity);
    bytes.index_bytes += used;
    bytes.slack_bytes += stamps_.capacity() * sizeof(Tick) + list_.capacity() * sizeof(Entity) - used;
    bytes.allocations += (stamps_.capacity() != 0 ? 1 : 0) + (list_.capacity() != 0 ? 1 : 0);
    return bytes;
  }

 private:
  void note(Entity entity) {
    if (stamps_[entity.index()] == now_) return;
    stamps_[entity.index()] = now_;
    if (list_.size() == list_.capacity()) {
      have_all_changed_ = true;
    } else {
      list_.push_back(entity);
    }
  }

  Store store_;
  StoredArray<Tick> stamps_;
  StoredArray<Entity> list_;
  Tick now_ = 1;
  bool have_all_changed_ = false;
  bool have_moving_changed_ = false;
};

template <class Name, class Store>
struct ChangedFloor : Name {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    if (parameters.get("how") == "everything") return make_case<ChangedCase<Store, ChangesBy::nothing>>(parameters);
    return make_case<ChangedCase<ListedChanges<Store>, ChangesBy::tick>>(parameters);
  }
};

struct ChangedWork {
  static constexpr const WorkloadCard& card = changed_card;
  using References =
      TypeList<ChangedReference, ChangedFloor<StoreName, MovingPools>, ChangedFloor<SectionsName, MovingSections>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"changed", {"none", "one", "set", "half", "all"}, {"one", "set"}},
            {"how", {"record", "everything"}, {"record"}}};
  }
  /// Position is read where Bounds are written; the loop that writes it reads a Velocity or a handle, too.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const ChangedPlan plan(parameters);
    const bool makes_all = parameters.get("how") == "everything";
    const ChangedShare share = plan.share();
    const std::size_t n = plan.entities();
    const std::size_t with_velocity = share == ChangedShare::set ? plan.moving() : 0;
    const std::size_t with_handle = plan.listed().size();
    const std::size_t made = makes_all || share == ChangedShare::all ? n : with_velocity + with_handle;
    const auto bytes = static_cast<double>(made * (sizeof(Position) + sizeof(Bounds)) +
                                           with_velocity * sizeof(Velocity) + with_handle * sizeof(Entity)) /
                       static_cast<double>(n);
    return {.lines_per_item = lines.in_sequence(bytes), .bytes_per_item = std::floor(bytes)};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    if (parameters.get("how") == "everything") {
      using Storage = Strategy<Schema<Group<Position, Bounds>, Velocity>>;
      return make_case<ChangedCase<Storage, ChangesBy::nothing>>(parameters);
    }
    using Recording = Strategy<Schema<Group<stowage::Changed<Position>, Bounds>, Velocity>>;
    if constexpr (RecordsChanges<Recording, Position>) {
      return make_case<ChangedCase<Recording, ChangesBy::tick>>(parameters);
    } else if constexpr (ShowsChangesOnce<Recording, Position>) {
      return make_case<ChangedCase<Recording, ChangesBy::loop>>(parameters);
    } else {
      using Storage = Strategy<Schema<Group<VersionedPosition, Bounds>, Velocity>>;
      return make_case<ChangedCase<Storage, ChangesBy::version>>(parameters);
    }
  }
};

}  // namespace stowage::workloads
