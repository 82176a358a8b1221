#pragma once

// Workload: what changes cost that wait until a loop has ended, in a list of handles, as commands, or batched.

#include <cmath>

#include <stowage/commands/commands.hpp>

#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard deferred_card{
    .name = "deferred",
    .setup =
        "n entities with Timer and Calm (4 bytes each), Position and Velocity (24 bytes); the timers of a tenth of "
        "them, drawn at random, are due",
    .measured =
        "a loop over all timers writes down what the due ones gain and lose, and when it has ended, that is done: "
        "Burning (16 bytes) is added; changes:3 also Slowed (8 bytes) added and Calm removed. A second loop takes all "
        "of it back. how:list keeps handles in an array and changes one component after the other; how:commands "
        "writes commands and makes them one after the other; how:batched makes the sum of an entity's commands at "
        "once, by a library's own commands if it has some",
    .item = "change (an addition or a removal)",
    .checksum =
        "the number of changes made, the number of components left, and hash(place, bits of Burning, Slowed and Calm) "
        "of every due entity after another first half",
    .favours = "pools: the other components of an entity stay where they are",
    .disadvantages =
        "sections, if each change is made by itself: an entity with three moves three times, and with how:batched once",
    .floor =
        "1/16 line of timers for each entity that is looked at, and a line of generation and components side by side "
        "for each one that changes, by a loop over records at the entity's index",
    .sizes = {16 * 1024},
};

struct Timer {
  std::uint32_t left;
};
struct Burning {
  std::uint64_t since, heat;
};
struct Slowed {
  std::uint64_t factor;
};
struct Calm {
  std::uint32_t since;
};

inline constexpr std::uint32_t deferred_share = 10;  ///< one of so many is due
[[nodiscard]] inline bool is_due(Timer timer) noexcept { return timer.left % deferred_share == 0; }

[[nodiscard]] inline Array<Timer> deferred_timers(const Parameters& parameters) {
  Array<Timer> timers(parameters.entities);
  const Array<std::uint32_t> drawn = Random(parameters.seed).permutation(parameters.entities);
  for (std::uint32_t i = 0; i < drawn.size(); ++i) timers[drawn[i]] = {i};
  return timers;
}
[[nodiscard]] inline std::size_t due_of(std::size_t entities) {
  return (entities + deferred_share - 1) / deferred_share;
}
[[nodiscard]] inline std::size_t changes_of(const Parameters& parameters) {
  return std::stoul(parameters.get("changes"));
}

[[nodiscard]] inline Burning burning(Timer timer) noexcept { return {timer.left, weight(timer.left)}; }
[[nodiscard]] inline Calm calm(Timer timer) noexcept { return {timer.left}; }
[[nodiscard]] inline Slowed slowed(Timer timer) noexcept { return {weight(timer.left + 1)}; }
/// What the checksum has of an entity; null for what it lacks. Pointers of any kind.
void add_changed(Checksum& sum, std::size_t place, const auto& burns, const auto& slow, const auto& calm) {
  sum.add(place, burns != nullptr ? burns->heat : 0);
  sum.add(place, (slow != nullptr ? 2 * slow->factor : 0) + (calm != nullptr ? 1 + std::uint64_t{calm->since} : 0));
}

/// `HasCommands`: false for a hand-written store.
template <class Storage, bool HasCommands = true>
class DeferredCase {
  using Handle = typename Storage::entity_type;
  enum class How : std::uint8_t { list, commands, batched };

 public:
  explicit DeferredCase(const Parameters& parameters) : how_(how_of(parameters)), changes_(changes_of(parameters)) {
    const Values values(parameters.seed);
    const Array<Timer> timers = deferred_timers(parameters);
    make_room<Timer, Position, Velocity, Calm>(storage_, parameters.entities);
    make_room<Burning, Slowed>(storage_, due_of(parameters.entities));
    for (std::size_t i = 0; i < parameters.entities; ++i) {
      const Handle made = storage_.create(timers[i], values.position(i), values.velocity(i), calm(timers[i]));
      if (is_due(timers[i])) due_.push_back(made);
    }
  }

  void prepare() { made_ = 0; }
  void run() {
    change_all<true>();
    change_all<false>();
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return 2 * changes_ * due_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    sum.add(0, made_);
    sum.add(storage_.template count<Burning>() + storage_.template count<Slowed>(), storage_.template count<Calm>());
    change_all<true>();
    for (std::size_t i = 0; i < due_.size(); ++i) {
      add_changed(sum, i, storage_.template find<const Burning>(due_[i]), storage_.template find<const Slowed>(due_[i]),
                  storage_.template find<const Calm>(due_[i]));
    }
    change_all<false>();
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    if constexpr (HasCommands) {
      return storage_.memory() + commands_.memory();
    } else {
      return storage_.memory();
    }
  }
  void clear()
    requires requires(Storage& storage) { storage.clear(); }
  {
    storage_.clear();
  }

 private:
  [[nodiscard]] static How how_of(const Parameters& parameters) {
    const std::string& how = parameters.get("how");
    if (how == "list" || (how == "commands" && !HasCommands)) return How::list;
    return how == "commands" ? How::commands : How::batched;
  }

  /// Runs the loop, then makes the changes: those of the first half, or those that take them back.
  template <bool Adds>
  void change_all() {
    if (how_ == How::list || !HasCommands) {
      noted_.clear();
      each_due([&](Handle entity, const Timer& timer) { noted_.push_back({entity, timer}); });
      if (how_ == How::list) {
        for (const Noted& noted : noted_) change<Adds>(storage_, noted.entity, noted.timer);
      } else {
        for (const Noted& noted : noted_) change_at_once<Adds>(noted.entity, noted.timer);
      }
      made_ += changes_ * noted_.size();
    } else if constexpr (HasCommands) {
      if (how_ == How::batched) return change_batched<Adds>();
      each_due([&](Handle entity, const Timer& timer) { change<Adds>(commands_, entity, timer); });
      made_ += commands_.apply(storage_, Commands<Storage>::Order::one_by_one).made;
    }
  }
  /// By the library's own commands if an adapter says that it has some.
  template <bool Adds>
  void change_batched() {
    if constexpr (requires { storage_.defer([](auto&) {}); }) {
      storage_.defer([&](auto& deferred) {
        each_due([&](Handle entity, const Timer& timer) {
          change<Adds>(deferred, entity, timer);
          made_ += changes_;
        });
      });
    } else {
      each_due([&](Handle entity, const Timer& timer) { change<Adds>(commands_, entity, timer); });
      made_ += commands_.apply(storage_).made;
    }
  }
  template <class Fn>
  void each_due(Fn&& fn) {
    storage_.template each<const Timer>([&](Handle entity, const Timer& timer) {
      if (is_due(timer)) fn(entity, timer);
    });
  }
  template <bool Adds, class Target>
  void change(Target& target, Handle entity, Timer timer) const {
    if constexpr (Adds) {
      target.template emplace<Burning>(entity, burning(timer));
      if (changes_ == 1) return;
      target.template emplace<Slowed>(entity, slowed(timer));
      target.template remove<Calm>(entity);
    } else {
      target.template remove<Burning>(entity);
      if (changes_ == 1) return;
      target.template remove<Slowed>(entity);
      target.template emplace<Calm>(entity, calm(timer));
    }
  }

  /// All changes of an entity by one move of its row, if a hand-written store moves rows.
  template <bool Adds>
  void change_at_once(Handle entity, Timer timer) {
    if constexpr (requires { storage_.change(entity, TypeList<Slowed>{}, calm(timer)); }) {
      if (changes_ == 1) return change<Adds>(storage_, entity, timer);
      if constexpr (Adds) {
        storage_.change(entity, TypeList<Calm>{}, burning(timer), slowed(timer));
      } else {
        storage_.change(entity, TypeList<Burning, Slowed>{}, calm(timer));
      }
    } else {
      change<Adds>(storage_, entity, timer);
    }
  }

  struct Noted {
    Handle entity;
    Timer timer;
  };
  struct NoCommands {};

  How how_;
  std::size_t changes_;
  Storage storage_;
  Array<Handle> due_;
  Array<Noted> noted_;
  std::conditional_t<HasCommands, Commands<Storage>, NoCommands> commands_;
  std::uint64_t made_ = 0;
};

/// The floor: generation, presence and components side by side at the entity's index. What else an entity has need not
/// be touched, and only a storage in which nothing ever moves could be laid out so.
class DeferredReference {
 public:
  explicit DeferredReference(const Parameters& parameters)
      : changes_(changes_of(parameters)), records_(parameters.entities) {
    timers_.reserve(parameters.entities);
    for (const Timer timer : deferred_timers(parameters)) {
      records_[timers_.size()].calm = calm(timer);
      timers_.push_back(timer);
    }
  }

  void prepare() { made_ = 0; }
  void run() {
    change_all<true>();
    change_all<false>();
    keep(records_);
  }

  [[nodiscard]] std::uint64_t items() const { return 2 * changes_ * due_of(timers_.size()); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    sum.add(0, made_);
    std::size_t added = 0, calm_ones = 0;
    for (const Record& record : records_) {
      added += (record.has & 1) + (record.has >> 1 & 1);
      calm_ones += record.has >> 2 & 1;
    }
    sum.add(added, calm_ones);
    change_all<true>();
    std::size_t place = 0;
    for (std::size_t i = 0; i < timers_.size(); ++i) {
      const Record& record = records_[i];
      if (!is_due(timers_[i])) continue;
      add_changed(sum, place++, (record.has & 1) != 0 ? &record.burns : nullptr,
                  (record.has & 2) != 0 ? &record.slow : nullptr, (record.has & 4) != 0 ? &record.calm : nullptr);
    }
    change_all<false>();
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    return {.payload_bytes = timers_.size() * sizeof(Timer),
            .index_bytes = records_.size() * 2 * sizeof(std::uint32_t),
            .slack_bytes = records_.size() * (sizeof(Record) - 2 * sizeof(std::uint32_t)),
            .allocations = 2};
  }

 private:
  struct alignas(64) Record {
    std::uint32_t generation = 0;
    std::uint32_t has = 4;  ///< bits: Burning, Slowed, Calm
    Slowed slow{};
    Burning burns{};
    Calm calm{};
  };

  template <bool Adds>
  void change_all() {
    for (std::size_t i = 0; i < timers_.size(); ++i) {
      if (!is_due(timers_[i])) continue;
      Record& record = records_[i];
      made_ += changes_;
      if constexpr (Adds) {
        record.burns = burning(timers_[i]);
        if (changes_ == 3) record.slow = slowed(timers_[i]);
        record.has = changes_ == 3 ? 3 : 5;
      } else {
        record.has = 4;
        record.calm = calm(timers_[i]);
      }
    }
  }

  std::size_t changes_;
  StoredArray<Record> records_;
  StoredArray<Timer> timers_;
  std::uint64_t made_ = 0;
};

/// The contract floors: a list of handles, and behind it the changes; those of an entity at once if they are batched.
template <class Name, class Store>
using DeferredFloor = ContractFloor<Name, DeferredCase<Store, false>>;
using DeferredPools = PoolStore<Timer, Position, Velocity, Calm, Burning, Slowed>;
using DeferredDirect = DirectStore<Timer, Position, Velocity, Calm, Burning, Slowed>;
template <class... Cs>
using DeferredSet = TypeList<Timer, Position, Velocity, Cs...>;
using DeferredSections = SectionStore<DeferredSet<Calm>, DeferredSet<Calm, Burning>, DeferredSet<Calm, Burning, Slowed>,
                                      DeferredSet<Burning, Slowed>, DeferredSet<Slowed>, DeferredSet<>>;

struct Deferred {
  static constexpr const WorkloadCard& card = deferred_card;
  static constexpr std::array needs{Capability::structural_change};
  using References = TypeList<DeferredReference, DeferredFloor<StoreName, DeferredPools>,
                              DeferredFloor<SectionsName, DeferredSections>, DeferredFloor<DirectName, DeferredDirect>>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"changes", {"1", "3"}, {"3"}}, {"how", {"list", "commands", "batched"}, {"list", "batched"}}};
  }
  /// Ten timers are read for each entity that changes, and one line with its generation and components: (10 * 4/64 + 1)
  /// for as many changes as it has. Of the components of a change, an addition writes all bytes and a removal none.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const auto changes = static_cast<double>(changes_of(parameters));
    const double timers = deferred_share * sizeof(Timer);
    const double written = (sizeof(Burning) + (changes > 1 ? sizeof(Slowed) + sizeof(Calm) : 0)) / 2.0;
    return {.lines_per_item = (lines.in_sequence(timers) + 1) / changes,
            .bytes_per_item = std::floor((timers + 2 * sizeof(std::uint32_t) + written) / changes)};
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<Schema<Group<Position, Velocity>, Timer, Calm, Burning, Slowed>>;
    return make_case<DeferredCase<Storage>>(parameters);
  }
};

}  // namespace stowage::workloads
