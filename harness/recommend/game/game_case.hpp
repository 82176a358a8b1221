#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/hierarchy/hierarchy.hpp>

#include "harness/recommend/game/component.hpp"
#include "harness/recommend/game/course.hpp"
#include "harness/recommend/game/description.hpp"
#include "harness/recommend/game/parts.hpp"
#include "harness/recommend/game/population.hpp"
#include "harness/recommend/game/scene.hpp"
#include "workloads/support/array.hpp"
#include "workloads/support/capabilities.hpp"
#include "workloads/support/checksum.hpp"
#include "workloads/support/keep.hpp"
#include "workloads/support/measurement.hpp"
#include "workloads/support/parameters.hpp"
#include "workloads/support/random.hpp"

namespace stowage::workloads::game {

/// What the types of a game say, for code that is compiled once for all games.
template <class Game>
class NumbersOf {
  using Components = typename Game::Components;

  template <class... Reads, class... Writes>
  [[nodiscard]] static consteval std::uint32_t named_by(TypeList<Access<TypeList<Reads...>, TypeList<Writes...>>>) {
    return set_of<Components>(TypeList<Reads..., Writes...>{});
  }
  template <class... Accesses>
  [[nodiscard]] static consteval auto sets_of(TypeList<Accesses...>) {
    return std::array<std::uint32_t, sizeof...(Accesses)>{named_by(TypeList<Accesses>{})...};
  }
  template <class... Cs>
  [[nodiscard]] static consteval auto places_of(TypeList<Cs...>) {
    return std::array<std::uint32_t, sizeof...(Cs)>{static_cast<std::uint32_t>(place_of<Cs>(Components{}))...};
  }
  [[nodiscard]] static consteval std::uint32_t of_nodes() {
    if constexpr (Game::tree.exists) {
      return set_of<Components>(TypeList<LocalTransform>{});
    } else {
      return 0;
    }
  }

  static constexpr auto looked_up = sets_of(typename Game::Lookups{});
  static constexpr auto changing = places_of(typename Game::Changes{});

 public:
  static constexpr GameNumbers value{.entities = Game::entities,
                                     .owners = Game::owners,
                                     .runs_per_frame = Game::runs_per_frame,
                                     .lookups = Game::lookups,
                                     .looked_up = looked_up,
                                     .changes_per_frame = Game::changes_per_frame,
                                     .changing = changing,
                                     .creations_per_frame = Game::creations_per_frame,
                                     .tree = Game::tree,
                                     .of_nodes = of_nodes()};
};

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

  GameCase(const Parameters& parameters, const Scale& scale)
      : GameCase(parameters, Course(NumbersOf<Game>::value, parameters.entities, scale, Random(parameters.seed))) {}

  void prepare() {}
  void run() {
    for (std::size_t i = course_.frames_in_a_pass(); i-- > 0;) frame(NoPartClock{});
    keep(storage_);
  }
  /// Frames.
  [[nodiscard]] std::uint64_t items() const noexcept { return course_.frames_in_a_pass(); }

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
  GameCase(const Parameters& parameters, Course course)
      : course_(std::move(course)), maker_(parameters.seed), living_(parameters.entities), scene_(storage_, course_) {
    if constexpr (!can_grow<StorageType>) storage_.reserve(parameters.entities);
    for (std::size_t place = 0; place < living_.size(); ++place) living_[place] = create(place);
    scene_.build(living_);
    grow_old();
  }

  /// Until each entity that may be destroyed, and each owner of what changes, has had its turn with even odds, or for
  /// 2000 frames: games are measured as they are after a while.
  void grow_old() {
    for (std::size_t i = course_.frames_of_deaths(); i-- > 0;) turn_over();
    for (std::size_t i = course_.frames_of_changes(); i-- > 0;) change_all_of(typename Game::Changes{});
  }

  // --- a frame. What does the work is a function of its own, as a game's systems are: frames come in two forms, with
  // and without clocks, and ageing takes parts of them, so that inlined it would be compiled three times.

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
        return Game::Systems::size > 0;
      case Part::lookups:
        return Game::Lookups::size > 0;
      case Part::changes:
        return Game::Changes::size > 0;
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
      for (std::size_t times = course_.next_runs(number++); times > 0; --times) run_system(Reads{}, Writes{});
    };
    (run(TypeList<Accesses>{}), ...);
  }
  /// If something is written, the loop has no state, so a compiler may take rows together; otherwise it sums what it
  /// reads.
  template <class... Reads, class... Writes>
  STOWAGE_NOINLINE void run_system(TypeList<Reads...>, TypeList<Writes...>) {
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
    [[maybe_unused]] std::size_t number = 0;
    (look_up(TypeList<Accesses>{}, number++), ...);
    keep(storage_);
  }
  template <class Reads, class Writes>
  STOWAGE_NOINLINE void look_up(TypeList<Access<Reads, Writes>>, std::size_t number) {
    std::uint64_t sum = 0;
    for (std::size_t i = course_.next_lookups(number); i > 0; --i) {
      sum += look_up_one(Reads{}, Writes{}, living_[course_.next_target(number)]) * weight(i);
    }
    read_ += sum;
  }
  /// Reads and writes these components if the entity has all of them.
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
    [[maybe_unused]] std::size_t number = 0;
    (change<Changed>(number++), ...);
  }
  template <class C>
  STOWAGE_NOINLINE void change(std::size_t number) {
    for (std::size_t i = course_.next_changes(number); i > 0; --i) {
      const auto [loser, winner] = course_.next_change(number);
      storage_.template remove<C>(living_[loser]);
      course_.flip(loser, place_of<C>(Components{}));
      storage_.template emplace<C>(living_[winner], maker_.template value<C>());
      course_.flip(winner, place_of<C>(Components{}));
    }
  }

  STOWAGE_NOINLINE void turn_over() {
    const std::span<const std::uint32_t> places = course_.next_deaths();
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

  STOWAGE_NOINLINE Handle create(std::size_t place) { return maker_.create(storage_, course_.set_of(place)); }

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
  Course course_;
  Maker<Game, StorageType> maker_;
  Array<Handle> living_;
  Scene scene_;
  std::uint64_t read_ = 0;
  PartLog parts_;
};

}  // namespace stowage::workloads::game
