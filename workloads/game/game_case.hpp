#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/memory.hpp>
#include <stowage/contract/type_list.hpp>

#include "workloads/contract/array.hpp"
#include "workloads/contract/capabilities.hpp"
#include "workloads/contract/checksum.hpp"
#include "workloads/contract/keep.hpp"
#include "workloads/contract/measurement.hpp"
#include "workloads/contract/parameters.hpp"
#include "workloads/contract/random.hpp"
#include "workloads/game/component.hpp"
#include "workloads/game/description.hpp"
#include "workloads/game/parts.hpp"
#include "workloads/game/plan.hpp"
#include "workloads/game/population.hpp"
#include "workloads/game/scene.hpp"

namespace stowage::workloads::game {

/// `fn(component&)`; of what only stands for a component a copy, which is written back.
template <bool IsWritten, class Pointer, class Fn>
void with_component(const Pointer& found, Fn&& fn) {
  if constexpr (std::is_pointer_v<Pointer>) {
    fn(*found);
  } else {
    auto whole = static_cast<std::remove_const_t<typename Pointer::element_type>>(*found);
    fn(whole);
    if constexpr (IsWritten) *found = whole;
  }
}

/// A game on one storage: its population, and its frames.
template <class Game, class StorageType>
class GameCase {
  using Components = typename Game::Components;
  using Handle = typename StorageType::entity_type;
  using Scene = std::conditional_t<Game::tree.exists, TreeScene<StorageType>, NoScene<StorageType>>;

 public:
  static constexpr bool repeatable = true;

  GameCase(const Parameters& parameters, const Scale& scale) : GameCase(parameters, scale, Random(parameters.seed)) {}

  void prepare() {}
  void run() {
    for (std::size_t i = 0; i < frames_in_a_pass_; ++i) frame(NoPartClock{});
    keep(storage_);
  }
  /// Frames.
  [[nodiscard]] std::uint64_t items() const noexcept { return frames_in_a_pass_; }

  [[nodiscard]] std::size_t frames() const noexcept { return 48; }
  void step(std::size_t /*frame*/) {
    frame(PartClock(parts_.begin_frame()));
    parts_.end_frame();
  }
  [[nodiscard]] std::optional<StorageEvents> events() const { return events_of(storage_); }
  /// Of the parts that the game has.
  [[nodiscard]] PartTimes part_times() const {
    if (parts_.empty()) return {};
    PartTimes times;
    const FrameOfParts means = parts_.means();
    for (std::size_t part = 0; part < part_names.size(); ++part) {
      if (has_part(static_cast<Part>(part))) times.emplace_back(part_names[part], means[part]);
    }
    return times;
  }

  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    for (std::size_t place = 0; place < living_.size(); ++place) sum.add(place, bits_of(Components{}, place));
    sum.add(living_.size(), mixed(storage_.size(), read_));
    scene_.add_to(sum, living_);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory() + scene_.memory(); }
  void clear() {
    scene_.clear();
    storage_.clear();
  }
  [[nodiscard]] const StorageType& storage() const noexcept { return storage_; }

 private:
  /// In proportion to the entities: a game of twice as many creates twice as many, too.
  [[nodiscard]] static double growth(const Parameters& parameters) {
    return static_cast<double>(parameters.entities) / static_cast<double>(Game::entities);
  }
  [[nodiscard]] static double rates(const Parameters& parameters, const Scale& scale) {
    return growth(parameters) * scale.rates;
  }

  GameCase(const Parameters& parameters, const Scale& scale, Random random)
      : sets_(Game::owners, parameters.entities, scale.shares, random),
        maker_(parameters.seed),
        living_(parameters.entities),
        scene_(storage_, Game::tree, nodes(), parameters.entities, random),
        deaths_(scene_.childless(), Game::creations_per_frame * rates(parameters, scale), random),
        changes_(make_changes(typename Game::Changes{}, rates(parameters, scale), random)),
        lookups_(make_lookups(typename Game::Lookups{}, growth(parameters), random)) {
    for (const double runs : Game::runs_per_frame) runs_.emplace_back(runs);
    if constexpr (!can_grow<StorageType>) storage_.reserve(parameters.entities);
    for (std::size_t place = 0; place < living_.size(); ++place) living_[place] = create(place);
    scene_.build(living_);
    grow_old();
    count_frames_in_a_pass();
  }

  [[nodiscard]] Places nodes() const {
    if constexpr (Game::tree.exists) {
      return sets_.having(set_of<Components>(TypeList<LocalTransform>{}));
    } else {
      return {};
    }
  }

  // --- what is drawn beforehand

  template <class... Reads, class... Writes>
  [[nodiscard]] static consteval std::uint32_t named_by(TypeList<Access<TypeList<Reads...>, TypeList<Writes...>>>) {
    return set_of<Components>(TypeList<Reads..., Writes...>{});
  }
  /// The number of the rarest of these components that comes and goes; how many do where none of these does. Who has
  /// it is another question in every frame, so that whoever is looked up must be one of its owners at that time.
  template <class... Changed>
  [[nodiscard]] static constexpr std::size_t change_among(std::uint32_t named, TypeList<Changed...>) {
    std::size_t rarest = sizeof...(Changed);
    double share = 2;
    std::size_t number = 0;
    [[maybe_unused]] const auto ask = [&](std::size_t component) {
      if ((named >> component & 1U) != 0 && Game::owners[component].share < share) {
        rarest = number;
        share = Game::owners[component].share;
      }
      ++number;
    };
    (ask(place_of<Changed>(Components{})), ...);
    return rarest;
  }
  template <class... Changed>
  [[nodiscard]] static constexpr std::uint32_t changing(std::size_t number, TypeList<Changed...>) {
    const std::array<std::uint32_t, sizeof...(Changed)> bits{(1U << place_of<Changed>(Components{}))...};
    return bits[number];
  }
  [[nodiscard]] static constexpr bool has_everybody(std::uint32_t components) {
    for (std::size_t i = 0; i < Game::owners.size(); ++i) {
      if ((components >> i & 1U) != 0 && Game::owners[i].share < 1) return false;
    }
    return true;
  }
  static constexpr std::size_t no_change = Game::Changes::size;

  /// Places, or of what comes and goes the numbers of owners.
  template <class... Accesses>
  [[nodiscard]] std::vector<Walk, UncountedAllocator<Walk>> make_lookups(TypeList<Accesses...>, double scale,
                                                                         Random& random) const {
    std::vector<Walk, UncountedAllocator<Walk>> walks;
    [[maybe_unused]] const auto add = [&]<class A>(TypeList<A> access) {
      constexpr std::uint32_t named = named_by(access);
      constexpr std::size_t change = change_among(named, typename Game::Changes{});
      LookupRate rate = Game::lookups[walks.size()];
      if constexpr (change == no_change) {
        walks.emplace_back(sets_.having(named), rate, scale, random);
      } else {
        rate.local = false;  // owners change places: their numbers say nothing about when they were created
        walks.emplace_back(in_order(changes_[change].owners()), rate, scale, random);
      }
    };
    (add(TypeList<Accesses>{}), ...);
    return walks;
  }
  /// Whom the next look-up of these components is for: somebody who has all of them now.
  template <std::uint32_t named>
  [[nodiscard]] std::uint32_t next_target(Walk& walk) const {
    constexpr std::size_t change = change_among(named, typename Game::Changes{});
    const std::uint32_t drawn = walk.next_place();
    if constexpr (change == no_change) {
      return drawn;
    } else {
      const Swaps& swaps = changes_[change];
      if constexpr (!has_everybody(named & ~changing(change, typename Game::Changes{}))) {
        constexpr std::size_t most_asked = 256;  // it may be that nobody has all of them
        std::size_t number = drawn;
        for (std::size_t asked = 0; asked < most_asked; ++asked) {
          const std::uint32_t place = swaps.owner(number);
          if ((sets_.of(place) & named) == named) return place;
          number = number + 1 == swaps.owners() ? 0 : number + 1;
        }
      }
      return swaps.owner(drawn);
    }
  }
  template <class... Changed>
  [[nodiscard]] std::vector<Swaps, UncountedAllocator<Swaps>> make_changes(TypeList<Changed...>, double scale,
                                                                           Random& random) const {
    std::vector<Swaps, UncountedAllocator<Swaps>> swaps;
    (swaps.emplace_back(sets_, place_of<Changed>(Components{}), Game::changes_per_frame[swaps.size()] * scale, random),
     ...);
    return swaps;
  }
  void count_frames_in_a_pass() {
    std::vector<double> rates{deaths_.per_frame()};
    for (const Rate& runs : runs_) rates.push_back(runs.per_frame());
    for (const Swaps& swaps : changes_) rates.push_back(swaps.per_frame());
    frames_in_a_pass_ = frames_in_a_pass(rates);
  }

  /// Until each of those who may die, and each owner of what changes, has had its turn with even odds, or for 2000
  /// frames: games are measured as they are after a while. Who is drawn may have been drawn before, so that half of n
  /// take n ln 2 draws.
  void grow_old() {
    const auto frames_for = [](std::size_t count, double per_frame) {
      constexpr double most = 2000;
      const double draws = std::numbers::ln2 * static_cast<double>(count);
      return per_frame > 0 ? static_cast<std::size_t>(std::min(most, draws / per_frame)) : 0;
    };
    for (std::size_t i = frames_for(deaths_.candidates(), deaths_.per_frame()); i-- > 0;) turn_over();
    std::size_t longest = 0;
    for (const Swaps& swaps : changes_) longest = std::max(longest, frames_for(swaps.owners(), swaps.per_frame()));
    for (std::size_t i = longest; i-- > 0;) change_all_of(typename Game::Changes{});
  }

  // --- a frame

  template <class Clock>
  void frame(Clock clock) {
    clock.begin();
    run_systems(typename Game::Systems{});
    clock.end(Part::systems);
    look_up_all(typename Game::Lookups{});
    clock.end(Part::lookups);
    change_all_of(typename Game::Changes{});
    clock.end(Part::changes);
    scene_.frame(living_);
    clock.end(Part::hierarchy);
    turn_over();
    clock.end(Part::turnover);
  }

  [[nodiscard]] bool has_part(Part part) const {
    switch (part) {
      case Part::systems:
        return !runs_.empty();
      case Part::lookups:
        return !lookups_.empty();
      case Part::changes:
        return !changes_.empty();
      case Part::hierarchy:
        return Game::tree.exists;
      case Part::turnover:
        return Game::creations_per_frame > 0;
    }
    return false;
  }

  template <class... Accesses>
  void run_systems(TypeList<Accesses...>) {
    std::size_t number = 0;
    [[maybe_unused]] const auto run = [&]<class Reads, class Writes>(TypeList<Access<Reads, Writes>>) {
      for (std::size_t times = runs_[number++].next(); times > 0; --times) run_system(Reads{}, Writes{});
    };
    (run(TypeList<Accesses>{}), ...);
  }
  /// Without state where something is written, so that a compiler may take rows together; the sum of what was read
  /// where nothing is.
  template <class... Reads, class... Writes>
  void run_system(TypeList<Reads...>, TypeList<Writes...>) {
    if constexpr (sizeof...(Writes) > 0) {
      storage_.template each<const Reads..., Writes...>([](const Reads&... read, Writes&... written) {
        const std::uint32_t sum = (1U + ... + read_all(read));
        (change_all(written, sum), ...);
      });
    } else {
      std::uint32_t sum = 0;
      storage_.template each<const Reads...>([&sum](const Reads&... read) { sum += (0U + ... + read_all(read)); });
      read_ += sum;
    }
    keep(storage_);
  }

  template <class... Accesses>
  void look_up_all(TypeList<Accesses...>) {
    std::size_t number = 0;
    [[maybe_unused]] const auto look_up = [&]<class Reads, class Writes>(TypeList<Access<Reads, Writes>> access) {
      constexpr std::uint32_t named = named_by(access);
      Walk& walk = lookups_[number++];
      std::uint64_t sum = 0;
      for (std::size_t i = walk.next_count(); i > 0; --i) {
        sum += look_up_one(Reads{}, Writes{}, living_[next_target<named>(walk)]) * weight(i);
      }
      read_ += sum;
    };
    (look_up(TypeList<Accesses>{}), ...);
    keep(storage_);
  }
  /// Reads and writes what the entity has of these where it has all.
  template <class... Reads, class... Writes>
  [[nodiscard]] std::uint64_t look_up_one(TypeList<Reads...>, TypeList<Writes...>, Handle entity) {
    if constexpr (sizeof...(Reads) + sizeof...(Writes) == 1) {
      return use(TypeList<Reads...>{}, TypeList<Writes...>{},
                 std::tuple(storage_.template find<Reads..., Writes...>(entity)));
    } else {
      return use(TypeList<Reads...>{}, TypeList<Writes...>{}, storage_.template find<Reads..., Writes...>(entity));
    }
  }
  template <class... Reads, class... Writes, class Found>
  [[nodiscard]] static std::uint64_t use(TypeList<Reads...>, TypeList<Writes...>, const Found& found) {
    const bool has_all = std::apply([](const auto&... component) { return ((component != nullptr) && ...); }, found);
    if (!has_all) return 0;
    std::uint32_t sum = 1;
    [&]<std::size_t... R, std::size_t... W>(std::index_sequence<R...>, std::index_sequence<W...>) {
      (with_component<false>(std::get<R>(found), [&sum](const auto& component) { sum += read_all(component); }), ...);
      (with_component<true>(std::get<sizeof...(R) + W>(found), [sum](auto& component) { change_all(component, sum); }),
       ...);
    }(std::index_sequence_for<Reads...>{}, std::index_sequence_for<Writes...>{});
    return sum;
  }

  template <class... Changed>
  void change_all_of(TypeList<Changed...>) {
    std::size_t number = 0;
    [[maybe_unused]] const auto change = [&]<class C>(TypeList<C>) {
      Swaps& swaps = changes_[number++];
      for (std::size_t i = swaps.next_count(); i > 0; --i) {
        const auto [loser, winner] = swaps.next_pair();
        storage_.template remove<C>(living_[loser]);
        sets_.flip(loser, place_of<C>(Components{}));
        storage_.template emplace<C>(living_[winner], maker_.template value<C>());
        sets_.flip(winner, place_of<C>(Components{}));
      }
    };
    (change(TypeList<Changed>{}), ...);
  }

  void turn_over() {
    const std::span<const std::uint32_t> places = deaths_.next();
    for (const std::uint32_t place : places) {
      scene_.leave(place, living_[place]);
      storage_.destroy(living_[place]);
    }
    for (const std::uint32_t place : places) {
      living_[place] = create(place);
      scene_.join(place, living_);
    }
    collect(storage_);
  }

  Handle create(std::size_t place) { return maker_.create(storage_, sets_.of(place)); }

  template <class... Cs>
  [[nodiscard]] std::uint64_t bits_of(TypeList<Cs...>, std::size_t place) {
    std::uint64_t bits = 0;
    const auto add = [&]<class C>(TypeList<C>) {
      if constexpr (!std::is_same_v<C, WorldTransform> && !std::is_same_v<C, LocalTransform>) {
        const auto found = storage_.template find<C>(living_[place]);
        if (found == nullptr) return;
        with_component<false>(
            found, [&](const auto& component) { bits = mixed(bits + place_of<C>(Components{}), hash_all(component)); });
      }
    };
    (add(TypeList<Cs>{}), ...);
    return bits;
  }

  StorageType storage_;
  Sets sets_;
  Maker<Game, StorageType> maker_;
  Array<Handle> living_;
  Scene scene_;
  Draws deaths_;
  std::vector<Swaps, UncountedAllocator<Swaps>> changes_;
  std::vector<Walk, UncountedAllocator<Walk>> lookups_;
  Array<Rate> runs_;
  std::size_t frames_in_a_pass_ = 1;
  std::uint64_t read_ = 0;
  PartLog parts_;
};

}  // namespace stowage::workloads::game
