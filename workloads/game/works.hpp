#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <stowage/contract/capabilities.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parallel/each_divided.hpp>
#include <stowage/serialize/serialize.hpp>

#include "workloads/game/game.hpp"
#include "workloads/game/work_cards.hpp"
#include "workloads/support/workers.hpp"

// Each kind of work of a world by itself, on its population. `Game` says beside what description.hpp lists
//
//   using Dense, Sparse, Joined = Access<TypeList<...>, TypeList<...>>;  // three of its systems; void if it lacks one
//   using LookedUp = TypeList<TypeList<...>, ...>;                       // one, two and four components, if it has
//   them
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

/// What a kind of work is measured on: a yardstick may name another storage for structural changes.
template <class Storage, Work work>
struct StorageFor {
  using type = Storage;
};
template <class Storage>
  requires requires { typename Storage::structural_type; }
struct StorageFor<Storage, Work::structural> {
  using type = typename Storage::structural_type;
};

/// Work that is repeated as it is.
template <class Game, class Storage, Work work>
class WorkCase : public GameCase<Game, Storage> {
  using Base = GameCase<Game, Storage>;

 public:
  WorkCase(const Parameters& parameters, bool is_aged) : Base(parameters, Scale{}, is_aged) {
    if constexpr (is_loop(work)) items_ = places_with(TypeList<SystemOf<Game, work>>{}).size();
    if constexpr (work == Work::churn || work == Work::structural || work == Work::hierarchy) {
      items_ = Base::items();
    }
  }

  void run() {
    if constexpr (is_loop(work)) {
      Base::run_once(TypeList<SystemOf<Game, work>>{}, 0);
    } else {
      for (std::size_t frame = 0; frame < items_; ++frame) {
        if constexpr (work == Work::churn) Base::turn_over();
        if constexpr (work == Work::structural) Base::change_all_of(typename Game::Changes{});
        if constexpr (work == Work::hierarchy) Base::scene_.frame(Base::living_);
      }
    }
    keep(Base::storage_);
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return items_; }
  std::size_t frames() const = delete;  // of the whole game alone

 private:
  template <class... Reads, class... Writes>
  [[nodiscard]] Places places_with(TypeList<Access<TypeList<Reads...>, TypeList<Writes...>>>) const {
    return Base::course_.places_with(
        set_of<typename Game::Components, most_components>(TypeList<Reads..., Writes...>{}));
  }

  std::size_t items_ = 1;
};

/// So many of the components that most entities have, of every entity that has the four commonest, in random order.
template <class Game, class Storage>
class WorkCase<Game, Storage, Work::lookup> : public GameCase<Game, Storage> {
  using Base = GameCase<Game, Storage>;

 public:
  WorkCase(const Parameters& parameters, bool is_aged)
      : Base(parameters, Scale{}, is_aged), components_(std::stoul(parameters.get("components"))) {
    Places places;
    each_list([&]<class... Cs>(TypeList<Cs...>) {
      places = Base::course_.places_with(set_of<typename Game::Components, most_components>(TypeList<Cs...>{}));
    });
    Random(parameters.seed).shuffle(places);
    for (const std::uint32_t place : places) targets_.push_back(Base::living_[place]);
  }

  void run() {
    each_list([&]<class... Cs>(TypeList<Cs...> components) {
      if (sizeof...(Cs) == components_) look_up_each(components);
    });
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return targets_.size(); }
  std::size_t frames() const = delete;

 private:
  template <class Fn>
  static void each_list(Fn fn) {
    stowage::detail::for_each_type(typename Game::LookedUp{}, [&fn]<class List>(TypeList<List>) { fn(List{}); });
  }
  template <class... Cs>
  STOWAGE_NOINLINE void look_up_each(TypeList<Cs...> components) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      sum += Base::look_up_one(components, TypeList<>{}, targets_[i]) * weight(i);
    }
    Base::read_ += sum;
    keep(Base::storage_);
  }

  std::size_t components_;
  Array<typename Storage::entity_type> targets_;
};

/// One sixteenth more entities, and gone again before the next time.
template <class Game, class Storage>
class WorkCase<Game, Storage, Work::spike> : public GameCase<Game, Storage> {
  using Base = GameCase<Game, Storage>;

 public:
  static constexpr bool repeatable = false;

  WorkCase(const Parameters& parameters, bool is_aged) : Base(parameters, Scale{}, is_aged) {
    more_.resize(std::max<std::size_t>(1, parameters.entities / 16));
  }

  /// May be called twice before a run. A yardstick does not know which entities are dead.
  void prepare() {
    if (std::exchange(made_, false)) {
      for (const auto& entity : more_) Base::storage_.destroy(entity);
      collect(Base::storage_);
    }
  }
  /// Every 16th of the population: as many of each kind, in proportion.
  void run() {
    const std::size_t places = Base::living_.size();
    for (std::size_t i = 0; i < more_.size(); ++i) more_[i] = Base::create(i * 16 % places);
    made_ = true;
    keep(Base::storage_);
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return more_.size(); }
  std::size_t frames() const = delete;

 private:
  Array<typename Storage::entity_type> more_;
  bool made_ = false;
};

/// Loads what SaveCase saves.
template <class Game, class Storage>
class WorkCase<Game, Storage, Work::load> {
 public:
  static constexpr bool repeatable = false;

  WorkCase(const Parameters& parameters, bool /*is_aged*/) {
    GameCase<Game, Storage> game(parameters, Scale{});
    save(game.storage(), file_);
  }

  void prepare() { loaded_.clear(); }
  void run() {
    load(loaded_, file_.bytes());
    keep(loaded_);
  }
  [[nodiscard]] std::uint64_t items() const noexcept { return 1; }
  /// Of what it saves again: the loaded entities have no places.
  [[nodiscard]] std::uint64_t checksum() {
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
  static constexpr std::size_t grain = 4096;

 public:
  WorkCase(const Parameters& parameters, bool is_aged)
      : Base(parameters, is_aged), workers_(std::stoul(parameters.get("threads"))) {}

  void run() { run_divided(TypeList<typename Game::Dense>{}); }

 private:
  template <class... Reads, class... Writes>
  void run_divided(TypeList<Access<TypeList<Reads...>, TypeList<Writes...>>>) {
    const auto work = [](const Reads&... read, Writes&... written) {
      const std::uint32_t sum = (1U + ... + read_all(read));
      (change_all(written, sum), ...);
    };
    const auto run = [this](std::size_t chunks, const auto& chunk) { workers_.run(chunks, ChunkWork(chunk)); };
    if constexpr (requires { Base::storage_.template each_chunk<const Reads..., Writes...>(grain, work, run); }) {
      Base::storage_.template each_chunk<const Reads..., Writes...>(grain, work, run);  // a yardstick
    } else {
      each_divided<const Reads..., Writes...>(Base::storage_, grain, work, run);
    }
    keep(Base::storage_);
  }

  Workers workers_;
};

/// A kind of work in the world of a profile.
template <class Game, Work work>
struct WorldWork {
  static constexpr const WorkloadCard& card = card_of(work);
  using References = TypeList<>;
  static constexpr bool saves = work == Work::save || work == Work::load;
  /// Whether there is such work, as far as types tell; `run` offers none that the profile lacks.
  static constexpr bool exists =
      is_loop(work) ? !std::is_void_v<SystemOf<Game, work>> : !saves || GameWorkload<Game>::saves;
  static constexpr auto needs = [] {
    if constexpr (saves) {
      return std::array{Capability::structural_change, Capability::table_exchange, Capability::const_iteration};
    } else if constexpr (work == Work::frame && GameWorkload<Game>::filters) {
      return std::array{Capability::structural_change, Capability::filters};
    } else {
      return std::array{Capability::structural_change};
    }
  }();

  template <template <class> class Strategy>
  [[nodiscard]] static std::string obstacle(const Parameters&) {
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
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    using Storage = typename StorageFor<Strategy<typename Game::Storage>, work>::type;
    const auto is_fresh = [](const Parameter& parameter) {
      return parameter.key == "age" && parameter.value == "fresh";
    };
    const bool is_aged = std::ranges::none_of(parameters.values, is_fresh);
    if constexpr (!exists) {
      return nullptr;  // never called
    } else if constexpr (work == Work::frame) {
      return std::make_unique<MeasurementOf<GameCase<Game, Storage>>>(parameters, Scale{}, is_aged);
    } else if constexpr (work == Work::save) {
      return std::make_unique<MeasurementOf<SaveCase<Game, Storage>>>(parameters, Scale{});
    } else if constexpr (work == Work::threads && !Strategy<ProbeSchema>::semantics.parallel_rows.kept) {
      return nullptr;  // never called: see obstacle()
    } else {
      return std::make_unique<MeasurementOf<WorkCase<Game, Storage, work>>>(parameters, is_aged);
    }
  }
};

/// All kinds of work that the world of a profile has.
template <class Game, std::size_t... Is>
auto works_of(std::index_sequence<Is...>) -> TypeList<WorldWork<Game, static_cast<Work>(Is)>...>;
template <class Game>
using WorldWorks = decltype(works_of<Game>(std::make_index_sequence<work_cards.size()>{}));

}  // namespace stowage::workloads::game
