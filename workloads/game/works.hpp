#pragma once

// Each kind of work of a world by itself (loops, lookups, churn, saving and so on), on the population of its game.

#include <map>

#include "workloads/game/game.hpp"
#include "workloads/game/work_cards.hpp"

// `Game` has, beside what description.hpp lists,
//
//   using Dense, Sparse, Joined = Access<TypeList<...>, TypeList<...>>;  // three of its systems; void if it lacks one
//   using LookedUp = TypeList<TypeList<...>, ...>;                       // 1, 2 and 4 components, if it has them
//
// for which harness/recommend/world.hpp has the rule.

namespace stowage::workloads::game {

/// The system that is the work, if that is one.
template <class Game, Work work>
using SystemOf =
    std::conditional_t<work == Work::iterate_sparse, typename Game::Sparse,
                       std::conditional_t<work == Work::join, typename Game::Joined, typename Game::Dense>>;
[[nodiscard]] constexpr bool is_loop(Work work) {
  return work == Work::iterate_dense || work == Work::iterate_sparse || work == Work::join || work == Work::threads;
}

/// The populations of cases: one for each case or, while they are shared, one for all. Making one takes longer than
/// measuring most work.
template <class Game, class Storage>
class Populations {
 public:
  using World = GameCase<Game, Storage>;

  /// From here on the first case makes a population, and the others take it as they find it. Only if all their
  /// parameters are those of one population.
  static void share() { is_shared_ = true; }
  static void part() {
    is_shared_ = false;
    worlds_.clear();
  }
  [[nodiscard]] STOWAGE_COLD static std::shared_ptr<World> take(const Parameters& parameters) {
    const auto known = worlds_.find(parameters.copy);
    if (known != worlds_.end()) return known->second;
    auto world = std::allocate_shared<World>(UncountedAllocator<World>(), parameters, Scale{}, is_aged(parameters));
    if (is_shared_) worlds_.emplace(parameters.copy, world);
    return world;
  }

 private:
  inline static bool is_shared_ = false;
  inline static std::map<std::size_t, std::shared_ptr<World>> worlds_;  // by the copy of the strategy
};

/// What all kinds of work have in common: they do it on a population.
template <class Game, class Storage>
class WorkOn {
 public:
  STOWAGE_COLD explicit WorkOn(const Parameters& parameters) : world_(Populations<Game, Storage>::take(parameters)) {}

  [[nodiscard]] STOWAGE_COLD std::uint64_t checksum() { return world_->checksum(); }
  [[nodiscard]] MemoryBreakdown memory() const { return world_->memory(); }
  void clear() { world_->clear(); }

 protected:
  std::shared_ptr<GameCase<Game, Storage>> world_;
};

/// Work that is repeated as it is.
template <class Game, class Storage, Work work>
class WorkCase : public WorkOn<Game, Storage> {
  using Base = WorkOn<Game, Storage>;

 public:
  STOWAGE_COLD explicit WorkCase(const Parameters& parameters) : Base(parameters) {
    if constexpr (is_loop(work)) items_ = made_with(TypeList<SystemOf<Game, work>>{});
    if constexpr (work == Work::churn || work == Work::structural || work == Work::hierarchy) {
      items_ = world_->items();
    }
  }

  void run() {
    if constexpr (is_loop(work)) {
      world_->run_once(TypeList<SystemOf<Game, work>>{}, 0);
    } else {
      for (std::size_t frame = 0; frame < items_; ++frame) {
        if constexpr (work == Work::churn) world_->turn_over(world_->course_.next_deaths());
        if constexpr (work == Work::structural) world_->change_all_of(typename Game::Changes{});
        if constexpr (work == Work::hierarchy) world_->scene_.frame(world_->living_);
      }
    }
    keep(world_->storage_);
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return items_; }

 protected:
  using Base::world_;

 private:
  /// Other work on the population may have moved the components of a state, so that some more or fewer have all of
  /// them.
  template <class... Reads, class... Writes>
  [[nodiscard]] std::size_t made_with(TypeList<Access<TypeList<Reads...>, TypeList<Writes...>>>) const {
    return world_->course_.made_with(
        set_of<typename Game::Components, most_components>(TypeList<Reads..., Writes...>{}));
  }

  std::size_t items_ = 1;
};

/// Structural changes of a yardstick that makes them in another storage. Those of the shared population follow untimed,
/// as many of them.
template <class Game, class Storage>
  requires requires { typename Storage::structural_type; }
class WorkCase<Game, Storage, Work::structural> : public WorkOn<Game, Storage> {
  using Own = WorkCase<Game, typename Storage::structural_type, Work::structural>;

 public:
  STOWAGE_COLD explicit WorkCase(const Parameters& parameters) : WorkOn<Game, Storage>(parameters), own_(parameters) {}

  void prepare() {
    for (; to_repeat_ > 0; --to_repeat_) world_->change_all_of(typename Game::Changes{});
  }
  void run() {
    own_.run();
    to_repeat_ += own_.items();
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return own_.items(); }
  [[nodiscard]] STOWAGE_COLD std::uint64_t checksum() { return own_.checksum(); }
  [[nodiscard]] MemoryBreakdown memory() const { return own_.memory(); }

 private:
  using WorkOn<Game, Storage>::world_;

  Own own_;
  std::size_t to_repeat_ = 0;
};

template <class Game, class Storage>
class WorkCase<Game, Storage, Work::frame> : public WorkOn<Game, Storage> {
 public:
  STOWAGE_COLD explicit WorkCase(const Parameters& parameters) : WorkOn<Game, Storage>(parameters) {}

  void run() { world_->run(); }
  [[nodiscard]] std::uint64_t items() const noexcept { return world_->items(); }
  [[nodiscard]] std::size_t frames() const noexcept { return world_->frames(); }
  void step(std::size_t frame) { world_->step(frame); }
  [[nodiscard]] std::optional<StorageEvents> events() const { return world_->events(); }
  [[nodiscard]] PartTimes part_times() const { return world_->part_times(); }

 private:
  using WorkOn<Game, Storage>::world_;
};

/// Looks up some of the commonest components, of every entity that has the four commonest, in random order.
template <class Game, class Storage>
class WorkCase<Game, Storage, Work::lookup> : public WorkOn<Game, Storage> {
 public:
  STOWAGE_COLD explicit WorkCase(const Parameters& parameters)
      : WorkOn<Game, Storage>(parameters), components_(std::stoul(parameters.get("components"))) {
    each_list([&]<class... Cs>(TypeList<Cs...>) {
      constexpr auto looked_up = set_of<typename Game::Components, most_components>(TypeList<Cs...>{});
      places_ = world_->course_.places_with(looked_up);
      items_ = world_->course_.made_with(looked_up);
    });
    Random(parameters.seed).shuffle(places_);
    targets_.resize(places_.size());
  }

  /// Other work on the population may have replaced its entities.
  void prepare() {
    for (std::size_t i = 0; i < places_.size(); ++i) targets_[i] = world_->living_[places_[i]];
  }
  void run() {
    each_list([&]<class... Cs>(TypeList<Cs...> components) {
      if (sizeof...(Cs) == components_) look_up_each(components);
    });
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return items_; }

 private:
  using WorkOn<Game, Storage>::world_;

  template <class Fn>
  static void each_list(Fn fn) {
    stowage::detail::for_each_type(typename Game::LookedUp{}, [&fn]<class List>(TypeList<List>) { fn(List{}); });
  }
  template <class... Cs>
  STOWAGE_NOINLINE void look_up_each(TypeList<Cs...> components) {
    auto& world = *world_;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      sum += world.look_up_one(components, TypeList<>{}, targets_[i]) * weight(i);
    }
    world.read_ += sum;
    keep(world.storage_);
  }

  std::size_t components_;
  Places places_;  ///< in the order in which they are looked up
  std::size_t items_ = 0;
  Array<typename Storage::entity_type> targets_;
};

/// Creates one sixteenth more entities, and destroys them before the next time.
template <class Game, class Storage>
class WorkCase<Game, Storage, Work::spike> : public WorkOn<Game, Storage> {
 public:
  static constexpr bool repeatable = false;

  STOWAGE_COLD explicit WorkCase(const Parameters& parameters) : WorkOn<Game, Storage>(parameters) {
    more_.resize(std::max<std::size_t>(1, parameters.entities / 16));
  }

  /// A yardstick does not know which entities are dead: none is destroyed twice.
  void prepare() {
    if (!made_) return;
    for (const auto& entity : more_) world_->storage_.destroy(entity);
    collect(world_->storage_);
    made_ = false;
  }
  /// Every 16th of the population: as many of each kind, in proportion.
  void run() {
    const std::size_t places = world_->living_.size();
    for (std::size_t i = 0; i < more_.size(); ++i) more_[i] = world_->create(i * 16 % places);
    made_ = true;
    keep(world_->storage_);
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return more_.size(); }
  /// Of the game, and of what was created.
  [[nodiscard]] STOWAGE_COLD std::uint64_t checksum() {
    Checksum sum;
    for (std::size_t i = 0; made_ && i < more_.size(); i += checked_every(more_.size())) {
      sum.add(i, world_->bits_of(typename Game::Components{}, more_[i]));
    }
    return mixed(world_->checksum(), sum.value());
  }

 private:
  using WorkOn<Game, Storage>::world_;

  Array<typename Storage::entity_type> more_;
  bool made_ = false;
};

template <class Game, class Storage>
class WorkCase<Game, Storage, Work::save> : public WorkOn<Game, Storage> {
 public:
  STOWAGE_COLD explicit WorkCase(const Parameters& parameters) : WorkOn<Game, Storage>(parameters) { run(); }

  void run() {
    save(world_->storage(), file_);
    keep(file_);
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return 1; }
  /// Of the game, and of what the file has.
  [[nodiscard]] STOWAGE_COLD std::uint64_t checksum() {
    return mixed(world_->checksum(), digest_of_save_by<Game, Storage>(file_.bytes()));
  }

 private:
  using WorkOn<Game, Storage>::world_;

  MemoryFile file_;
};

template <class Game, class Storage>
class WorkCase<Game, Storage, Work::load> {
 public:
  static constexpr bool repeatable = false;

  STOWAGE_COLD explicit WorkCase(const Parameters& parameters) {
    save(Populations<Game, Storage>::take(parameters)->storage(), file_);
  }

  void prepare() { loaded_.clear(); }
  void run() {
    load(loaded_, file_.bytes());
    keep(loaded_);
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return 1; }
  /// Of what it saves again: the loaded entities have no places.
  [[nodiscard]] STOWAGE_COLD std::uint64_t checksum() {
    MemoryFile again;
    save(loaded_, again);
    return digest_of_save_by<Game, Storage>(again.bytes());
  }
  [[nodiscard]] MemoryBreakdown memory() const { return loaded_.memory(); }
  void clear() { loaded_.clear(); }

 private:
  MemoryFile file_;
  Storage loaded_;
};

/// The densest system by several threads.
template <class Game, class Storage>
class WorkCase<Game, Storage, Work::threads> : public WorkCase<Game, Storage, Work::iterate_dense> {
  using Base = WorkCase<Game, Storage, Work::iterate_dense>;
  static constexpr std::size_t grain = 1024;  // small enough to share the 3.9k rows of a world of 16k entities

 public:
  STOWAGE_COLD explicit WorkCase(const Parameters& parameters)
      : Base(parameters), workers_(std::stoul(parameters.get("threads"))) {}

  void run() { run_divided(TypeList<typename Game::Dense>{}); }

 private:
  template <class... Reads, class... Writes>
  void run_divided(TypeList<Access<TypeList<Reads...>, TypeList<Writes...>>>) {
    const auto work = [](const Reads&... read, Writes&... written) {
      const std::uint32_t sum = (1U + ... + read_all(read));
      (change_in_loop<Storage>(written, sum), ...);
    };
    auto& storage = Base::world_->storage_;
    const auto run = [this](std::size_t chunks, const auto& chunk) { workers_.run(chunks, ChunkWork(chunk)); };
    if constexpr (requires { storage.template each_chunk<const Reads..., Writes...>(grain, work, run); }) {
      storage.template each_chunk<const Reads..., Writes...>(grain, work, run);  // a yardstick
    } else {
      each_divided<const Reads..., Writes...>(storage, grain, work, run);
    }
    keep(storage);
  }

  Workers workers_;
};

template <class Game, Work work>
struct WorldWork {
  static constexpr const WorkloadCard& card = card_of(work);
  using References = TypeList<>;
  static constexpr bool saves = work == Work::save || work == Work::load;
  /// Whether there is such work, as far as types tell; `run` offers none that the profile lacks.
  static constexpr bool exists =
      is_loop(work) ? !std::is_void_v<SystemOf<Game, work>> : !saves || GameWorkload<Game>::saves;
  static constexpr bool has_filters = work == Work::frame && GameWorkload<Game>::filters;
  static constexpr bool is_shared = saves || (work == Work::frame && has_threads<Game>);
  static constexpr auto needs = needs_of<saves, is_shared, has_filters>();

  template <template <class> class Strategy>
  [[nodiscard]] STOWAGE_COLD static std::string obstacle(const Parameters&) {
    if constexpr (saves && !exists) return "a type of the profile cannot be saved: give it a codec, or its 'bytes'";
    if constexpr (saves && exists && requires { Strategy<typename Game::Storage>::writes_files; }) {
      if (!Strategy<typename Game::Storage>::writes_files) return "its files have components that are bytes alone";
    }
    if constexpr (work == Work::threads) {
      constexpr Promise promise = Strategy<ProbeSchema>::semantics.parallel_rows;
      if constexpr (!promise.kept) {
        return "its rows may not be visited by several threads: " + std::string(promise.reason);
      }
    }
    return {};
  }

  template <template <class> class Strategy>
  [[nodiscard]] STOWAGE_COLD static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = Strategy<typename Game::Storage>;
    if constexpr (!exists || (work == Work::threads && !Strategy<ProbeSchema>::semantics.parallel_rows.kept)) {
      return nullptr;  // never called: see obstacle()
    } else {
      return make_case<WorkCase<Game, Storage, work>>(parameters);
    }
  }
};

template <class Game, std::size_t... Is>
auto works_of(std::index_sequence<Is...>) -> TypeList<WorldWork<Game, static_cast<Work>(Is)>...>;
template <class Game>
using WorldWorks = decltype(works_of<Game>(std::make_index_sequence<work_cards.size()>{}));

}  // namespace stowage::workloads::game
