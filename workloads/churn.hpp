#pragma once

// Workload: what it costs to destroy some entities and create as many in each frame, by rate and size.

#include "workloads/support/churn.hpp"
#include "workloads/support/published_managers.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard churn_card{
    .name = "churn",
    .setup =
        "n entities with three components of payload/4, payload/4 and payload/2 bytes, a group; half of them have been "
        "destroyed and replaced; which of them go in which frame is drawn beforehand. reference.managers_collecting "
        "begins with rows of the dead as well, as many as would stay: 2 to 13 rows for each that lives",
    .measured =
        "8 frames, or 1 if rate is 10: in each, rate % of the entities are destroyed, drawn at random, then as many "
        "created with all three components; a storage that destroys lazily collects once a frame",
    .item = "create + destroy pair",
    .checksum = "hash(place among the living, bits of all components) of every entity after the frames",
    .favours = "designs in which a hole may stay or is filled by one move, and few allocations an entity",
    .disadvantages = "heap objects, and hash maps, which erase and insert for each pair",
    .floor =
        "4/64 line of the list of places and components side by side at a random place, per pair: a loop that writes "
        "the new entity over the destroyed one, without handles",
    .sizes = {16 * 1024, 256 * 1024},
};

/// A component of so many bytes; `Which` makes three of a size different types.
template <std::size_t Bytes, int Which>
struct Chunk {
  std::array<std::uint32_t, Bytes / sizeof(std::uint32_t)> words;
};

/// The three components of an entity with so many bytes of payload.
template <std::size_t Payload>
struct ChurnComponents {
  using First = Chunk<Payload / 4, 0>;
  using Second = Chunk<Payload / 4, 1>;
  using Third = Chunk<Payload / 2, 2>;
  using Grouped = Schema<Group<First, Second, Third>>;
  template <template <class...> class Store>
  using In = Store<First, Second, Third>;
};

/// What entities are created from, one value after the other and again from the start. So few that they stay in the
/// cache between rows that do not, and a prime number of them, so that a place gets another value each time.
template <std::size_t Payload>
class ChurnValues {
  using Components = ChurnComponents<Payload>;
  static constexpr std::size_t count = 11;

 public:
  explicit ChurnValues(std::uint64_t seed) {
    for (std::size_t i = 0; i < count; ++i) {
      fill(firsts_.emplace_back(), seed + 1, i);
      fill(seconds_.emplace_back(), seed + 2, i);
      fill(thirds_.emplace_back(), seed + 3, i);
    }
  }

  /// Calls `make` with the next three.
  template <class Make>
  auto with_next(Make&& make) {
    const std::size_t i = next_;
    next_ = i + 1 == count ? 0 : i + 1;
    return make(firsts_[i], seconds_[i], thirds_[i]);
  }
  template <class Storage>
  typename Storage::entity_type create_next(Storage& storage) {
    return with_next([&](const auto&... components) { return storage.create(components...); });
  }

 private:
  template <class C>
  static void fill(C& component, std::uint64_t stream, std::size_t number) {
    std::uint64_t bits = mixed(stream, number);
    for (std::uint32_t& word : component.words) word = static_cast<std::uint32_t>(bits = mixed(bits));
  }

  Array<typename Components::First> firsts_;
  Array<typename Components::Second> seconds_;
  Array<typename Components::Third> thirds_;
  std::size_t next_ = 0;
};

/// What the checksum makes of an entity.
template <class... Components>
[[nodiscard]] std::uint64_t churned(std::uint64_t size, const Components&... components) {
  std::uint64_t bits = size;
  const auto mix = [&bits](const auto& component) {
    for (const std::uint32_t word : component.words) bits = mixed(bits, word);
  };
  (mix(components), ...);
  return bits;
}

/// So many frames in a pass: of few pairs many, so that what begins and ends a pass does not show.
[[nodiscard]] inline std::size_t churn_frames_of(const ChurnPlan& plan, const Parameters& parameters) noexcept {
  return plan.pairs() < parameters.entities / 20 ? 8 : 1;
}

/// `Storage` holds entities of `Payload` bytes.
template <class Storage, std::size_t Payload>
class ChurnCase {
  using Components = ChurnComponents<Payload>;
  using First = typename Components::First;
  using Second = typename Components::Second;
  using Third = typename Components::Third;

 public:
  explicit ChurnCase(const Parameters& parameters)
      : plan_(parameters.entities, per_mille_of(parameters.get("rate")), parameters.seed),
        frames_in_a_pass_(churn_frames_of(plan_, parameters)),
        values_(parameters.seed),
        living_(parameters.entities) {
    storage_.template reserve<First, Second, Third>(parameters.entities);
    if constexpr (requires { storage_.settle(0, 0, First{}, Second{}, Third{}); }) {
      storage_.settle(parameters.entities, plan_.pairs(), First{}, Second{}, Third{});
    }
    for (auto& entity : living_) entity = values_.create_next(storage_);
    for (std::size_t gone = 0; gone < parameters.entities / 2; gone += plan_.pairs()) step(0);
  }

  void run() {
    for (std::size_t frame = 0; frame < frames_in_a_pass_; ++frame) step(frame);
    keep(storage_);
  }

  /// Frames follow each other from pass to pass, whatever their number within one.
  [[nodiscard]] std::size_t frames() const noexcept { return 100; }
  /// Each place is drawn once, on average.
  [[nodiscard]] std::size_t warming_frames() const noexcept {
    return (living_.size() + plan_.pairs() - 1) / plan_.pairs();
  }
  void step(std::size_t /*frame*/) {
    const std::span<const std::uint32_t> places = plan_.frame(frame_++);
    destroy_at(storage_, living_, places);
    for (const std::uint32_t place : places) living_[place] = values_.create_next(storage_);
    collect(storage_);
  }
  [[nodiscard]] std::optional<StorageEvents> events() const { return events_of(storage_); }

  [[nodiscard]] std::uint64_t items() const { return frames_in_a_pass_ * plan_.pairs(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    for (std::size_t place = 0; place < living_.size(); ++place) {
      const auto [first, second, third] = storage_.template find<First, Second, Third>(living_[place]);
      if (first == nullptr || second == nullptr || third == nullptr) continue;
      // by type, because a layout may hand out something that stands for a component
      sum.add(place, churned<First, Second, Third>(storage_.size(), *first, *second, *third));
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory(); }
  void clear()
    requires requires(Storage& storage) { storage.clear(); }
  {
    storage_.clear();
  }

 protected:
  ChurnPlan plan_;
  std::size_t frames_in_a_pass_;
  ChurnValues<Payload> values_;
  Array<typename Storage::entity_type> living_;
  Storage storage_;
  std::size_t frame_ = 0;
};

/// The floor: an entity is its place, so a new one is written over a destroyed one. Nothing could find it again.
template <std::size_t Payload>
class ChurnRows {
  using Components = ChurnComponents<Payload>;

 public:
  explicit ChurnRows(const Parameters& parameters)
      : plan_(parameters.entities, per_mille_of(parameters.get("rate")), parameters.seed),
        frames_in_a_pass_(churn_frames_of(plan_, parameters)),
        values_(parameters.seed),
        rows_(parameters.entities) {
    for (Row& row : rows_) write_next(row);
    for (std::size_t gone = 0; gone < parameters.entities / 2; gone += plan_.pairs()) step(0);
  }

  void run() {
    for (std::size_t frame = 0; frame < frames_in_a_pass_; ++frame) step(frame);
    keep(rows_);
  }

  [[nodiscard]] std::size_t frames() const noexcept { return 100; }
  [[nodiscard]] std::size_t warming_frames() const noexcept {
    return (rows_.size() + plan_.pairs() - 1) / plan_.pairs();
  }
  void step(std::size_t /*frame*/) {
    for (const std::uint32_t place : plan_.frame(frame_++)) write_next(rows_[place]);
  }

  [[nodiscard]] std::uint64_t items() const { return frames_in_a_pass_ * plan_.pairs(); }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    for (std::size_t place = 0; place < rows_.size(); ++place) {
      const Row& row = rows_[place];
      sum.add(place, churned(rows_.size(), row.first, row.second, row.third));
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = rows_.size() * sizeof(Row), .allocations = 1};
  }

 protected:
  struct Row {
    typename Components::First first;
    typename Components::Second second;
    typename Components::Third third;
  };
  void write_next(Row& row) {
    values_.with_next([&row](const auto& first, const auto& second, const auto& third) {
      row.first = first;
      row.second = second;
      row.third = third;
    });
  }

  ChurnPlan plan_;
  std::size_t frames_in_a_pass_;
  ChurnValues<Payload> values_;
  StoredArray<Row> rows_;
  std::size_t frame_ = 0;
};

/// Calls `make` with the payload of the cell as a constant.
template <class Make>
[[nodiscard]] std::unique_ptr<Measurement> with_payload(const Parameters& parameters, Make&& make) {
  return with_number<16, 64, 256>(parameters.get("payload"), make);
}

struct ChurnReference {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_payload(parameters, [&](auto payload) { return make_case<ChurnRows<payload>>(parameters); });
  }
};
/// The same work on a hand-written store of these three components.
template <class Name, template <class...> class Store>
struct ChurnFloor : Name {
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_payload(parameters, [&](auto payload) {
      return make_case<ChurnCase<typename ChurnComponents<payload>::template In<Store>, payload>>(parameters);
    });
  }
};

/// What a claim about the end of components rests on: see published_managers.hpp.
template <class... Cs>
using CollectingManagers = PublishedManagers<false, Cs...>;
template <class... Cs>
using CalledManagers = PublishedManagers<true, Cs...>;
struct CollectingName {
  static constexpr std::string_view name = "reference.managers_collecting";
  static constexpr std::string_view form = "near";
  static constexpr std::string_view summary = "Bitsquid's managers: gc() of rows of the dead in each frame";
};
struct CalledName {
  static constexpr std::string_view name = "reference.managers_called";
  static constexpr std::string_view form = "near";
  static constexpr std::string_view summary = "the rival of gc(): Bitsquid's managers hear of each death by a call";
};

struct Churn {
  static constexpr const WorkloadCard& card = churn_card;
  using References =
      TypeList<ChurnReference, ChurnFloor<StoreName, PackedReusing>, ChurnFloor<SectionsName, TwoSectionsReusing>,
               ChurnFloor<DirectName, DirectReusing>, ChurnFloor<InterleavedName, InterleavedReusing>,
               ChurnFloor<CollectingName, CollectingManagers>, ChurnFloor<CalledName, CalledManagers>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"rate", {"0.1", "1", "10"}, {"1"}}, {"payload", {"16", "64", "256"}, {"64"}}};
  }
  /// A pair names its place in 4 bytes, next to each other; the payload there is in a place that nothing tells anything
  /// about: 4/64 + the lines that payload bytes at a multiple of them touch. What entities are made from is in the
  /// cache.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const std::size_t record = std::stoul(parameters.get("payload"));
    constexpr std::size_t listed = sizeof(std::uint32_t);
    return {.lines_per_item = lines.in_sequence(listed) + lines.touched({{0, record}}, record),
            .bytes_per_item = static_cast<double>(listed + record)};
  }
  [[nodiscard]] static bool framed(const Parameters&) { return true; }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return with_payload(parameters, [&](auto payload) {
      return make_case<ChurnCase<Strategy<typename ChurnComponents<payload>::Grouped>, payload>>(parameters);
    });
  }
};

}  // namespace stowage::workloads
