#pragma once

// A game on one storage: makes its population, ages it, and runs its frames of systems, lookups, changes and deaths.

#include <stowage/commands/commands.hpp>
#include <stowage/contract/changes.hpp>

#include "workloads/game/parts.hpp"
#include "workloads/game/population.hpp"
#include "workloads/game/scene.hpp"
#include "workloads/support/changes.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads::game {

/// What the types of a game say, for code that is compiled once for all games.
template <class Game>
class NumbersOf {
  using Components = typename Game::Components;

  template <class... Reads, class... Writes>
  [[nodiscard]] static consteval ComponentSet named_by(TypeList<Access<TypeList<Reads...>, TypeList<Writes...>>>) {
    return set_of<Components, most_components>(TypeList<Reads..., Writes...>{});
  }
  template <class... Accesses>
  [[nodiscard]] static consteval auto sets_of(TypeList<Accesses...>) {
    return std::array<ComponentSet, sizeof...(Accesses)>{named_by(TypeList<Accesses>{})...};
  }
  template <class... Cs>
  [[nodiscard]] static consteval auto places_of(TypeList<Cs...>) {
    return std::array<std::uint32_t, sizeof...(Cs)>{static_cast<std::uint32_t>(place_of<Cs>(Components{}))...};
  }
  [[nodiscard]] static consteval ComponentSet of_nodes() {
    if constexpr (Game::tree.exists) {
      return set_of<Components, most_components>(TypeList<LocalTransform, WorldTransform>{});
    } else {
      return {};
    }
  }

  static constexpr auto looked_up = sets_of(typename Game::Lookups{});
  static constexpr auto changing = places_of(typename Game::Changes{});

 public:
  static constexpr GameNumbers value{.entities = Game::entities,
                                     .owners = Game::owners,
                                     .kinds = Game::kinds,
                                     .children = Game::children,
                                     .runs_per_frame = Game::runs_per_frame,
                                     .lookups = Game::lookups,
                                     .looked_up = looked_up,
                                     .changes_per_frame = Game::changes_per_frame,
                                     .changing = changing,
                                     .creations_per_frame = Game::creations_per_frame,
                                     .tree = Game::tree,
                                     .of_nodes = of_nodes()};
};

/// What writes down changes of a storage: its own form, or that of the library.
template <class Storage>
struct CommandsOf {
  using type = Commands<Storage>;
};
template <class Storage>
  requires requires { typename Storage::commands_type; }
struct CommandsOf<Storage> {
  using type = typename Storage::commands_type;
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

enum class Work : std::uint8_t;
template <class Game, class Storage, Work work>
class WorkCase;

template <class Game, class StorageType>
class GameCase {
  using Components = typename Game::Components;
  using Handle = typename StorageType::entity_type;
  /// The changes that no system writes down.
  template <class... Changed, class Deferred>
  static auto without(TypeList<Changed...>, Deferred) -> stowage::detail::concatenated<
      stowage::detail::TypeListIf<!stowage::detail::list_contains<Changed, Deferred>, Changed>...>;
  template <class... Deferred>
  static auto immediate(TypeList<Deferred...>)
      -> decltype(without(typename Game::Changes{}, stowage::detail::concatenated<Deferred...>{}));
  using Immediate = decltype(immediate(typename Game::Deferred{}));
  struct NothingRecorded {
    [[nodiscard]] MemoryBreakdown memory() const noexcept { return {}; }
  };
  struct OneThread {};
  struct SeveralThreads : Workers {
    SeveralThreads() : Workers(std::min(Game::threads, most())) {}
  };
  using Threads = std::conditional_t<has_threads<Game>, SeveralThreads, OneThread>;
  static constexpr bool defers = Immediate::size < Game::Changes::size;
  using Recorder =
      typename std::conditional_t<defers, CommandsOf<StorageType>, std::type_identity<NothingRecorded>>::type;
  using Scene = std::conditional_t<Game::tree.exists, TreeScene<StorageType>, NoScene<StorageType>>;

 public:
  /// As after a while, if it `is_aged`; else as it was made.
  GameCase(const Parameters& parameters, const Scale& scale, bool is_aged = true)
      : GameCase(parameters, Course(NumbersOf<Game>::value, parameters.entities, scale, Random(parameters.seed)),
                 is_aged) {}

  void run() {
    for (std::size_t i = course_.frames_in_a_pass(); i-- > 0;) frame(NoPartClock{});
    keep(storage_);
  }
  /// Frames.
  [[nodiscard]] std::uint64_t items() const noexcept { return course_.frames_in_a_pass(); }

  [[nodiscard]] std::size_t frames() const noexcept { return 48; }
  void step(std::size_t /*frame*/) {
    frame(PartClock(parts_.begin_frame(), false));
    parts_.end_frame();
  }
  [[nodiscard]] std::optional<StorageEvents> events() const { return events_of(storage_); }
  /// Of the parts that the game has.
  [[nodiscard]] PartTimes part_times() const {
    if (parts_.empty()) return {};
    PartTimes times;
    const std::vector<double> means = parts_.means();
    for (std::size_t part = 0; part < part_names.size(); ++part) {
      if (has_part[part]) times.emplace_back(part_names[part], means[part]);
    }
    return times;
  }
  /// Of frames more than those that are timed whole; empty if all of them were interrupted.
  [[nodiscard]] std::vector<double> system_times() {
    if constexpr (Game::Systems::size == 0) return {};
    PartLog log(Game::Systems::size);
    for (std::size_t i = frames(); i-- > 0;) {
      frame(PartClock(log.begin_frame(), true));
      log.end_frame();
    }
    return log.empty() ? std::vector<double>() : log.means();
  }

  [[nodiscard]] STOWAGE_COLD std::uint64_t checksum() {
    Checksum sum;
    for (std::size_t place = 0; place < living_.size(); place += checked_every(living_.size())) {
      sum.add(place, bits_of(Components{}, living_[place]));
    }
    sum.add(living_.size(), mixed(storage_.size(), read_));
    scene_.add_to(sum, living_);
    return sum.value();
  }
  [[nodiscard]] STOWAGE_COLD MemoryBreakdown memory() const {
    return storage_.memory() + scene_.memory() + commands_.memory();
  }
  STOWAGE_COLD void clear() {
    scene_.clear();
    storage_.clear();
  }
  [[nodiscard]] const StorageType& storage() const noexcept { return storage_; }

 private:
  template <class, class, Work>
  friend class WorkCase;  // of which each is a part of what a game does

  STOWAGE_COLD GameCase(const Parameters& parameters, Course course, bool is_aged)
      : course_(std::move(course)), maker_(parameters.seed), living_(parameters.entities), scene_(storage_, course_) {
    if constexpr (!can_grow<StorageType>) storage_.reserve(parameters.entities);
    for (std::size_t place = 0; place < living_.size(); ++place) living_[place] = create(place);
    scene_.build(living_);
    if (is_aged) grow_old();
    course_.remember();
  }

  /// Until each entity that may be destroyed, and each owner of what changes, has had its turn with even odds: games
  /// are measured as they are after a while.
  STOWAGE_COLD void grow_old() {
    for (std::size_t i = Course::ageing_frames; i-- > 0;) turn_over(course_.next_deaths_of_age());
    stowage::detail::for_each_type(typename Game::Changes{}, [&]<class C>(TypeList<C>) {
      constexpr std::size_t number = place_of<C>(typename Game::Changes{});
      change<C>(number, course_.changes_of_age(number));
    });
  }

  // --- a frame. What does the work is a function of its own, as a game's systems are: frames come in two forms, with
  // and without clocks, and ageing takes parts of them, so that inlined it would be compiled three times.

  template <class Clock>
  void frame(Clock clock) {
    clock.begin();
    if (has_threads<Game> && !clock.is_of_systems()) {
      run_stages(typename Game::Systems{}, typename Game::Deferred{});
    } else {
      run_systems(typename Game::Systems{}, typename Game::Deferred{}, clock);
    }
    clock.end(Part::systems);
    look_up_all(typename Game::Lookups{});
    clock.end(Part::lookups);
    change_all_of(Immediate{});
    clock.end(Part::changes);
    scene_.frame(living_);
    clock.end(Part::hierarchy);
    turn_over(course_.next_deaths());
    clock.end(Part::turnover);
  }

  /// The parts of a frame that the game has, by their numbers.
  static constexpr std::array has_part{Game::Systems::size > 0, Game::Lookups::size > 0, Game::Changes::size > 0,
                                       Game::tree.exists, Game::creations_per_frame > 0};
  static_assert(has_part.size() == part_names.size());

  template <class... Accesses, class... Deferred, class Clock>
  void run_systems(TypeList<Accesses...>, TypeList<Deferred...>, Clock& clock) {
    std::size_t number = 0;
    [[maybe_unused]] const auto run = [&]<class System>(TypeList<System> system) {
      for (std::size_t times = course_.next_runs(number); times > 0; --times) run_once(system, number);
    };
    static_cast<void>(std::initializer_list<int>{
        0, (run(TypeList<Accesses>{}), change_at_once(Deferred{}), clock.end_system(number++), 0)...});
  }
  /// Stage by stage: the systems of one, beside each other, and then what they have written down.
  template <class... Accesses, class... Deferred>
  void run_stages(TypeList<Accesses...>, TypeList<Deferred...>) {
    if constexpr (has_threads<Game>) {
      using Step = void (*)(GameCase&, std::size_t);
      static constexpr std::array<Step, Game::Systems::size> runs{
          [](GameCase& game, std::size_t number) { game.run_once(TypeList<Accesses>{}, number); }...};
      static constexpr std::array<Step, Game::Systems::size> changes{
          [](GameCase& game, std::size_t) { game.change_at_once(Deferred{}); }...};
      static constexpr std::array<Step, Game::Systems::size> expected{
          [](GameCase& game, std::size_t) { game.expect(TypeList<Accesses>{}); }...};
      std::array<std::size_t, Game::Systems::size> times{};
      for (std::size_t first = 0, end = 0; first < times.size(); first = end) {
        for (; end < times.size() && Game::stages[end] == Game::stages[first]; ++end) {
          times[end] = course_.next_runs(end);
          if constexpr (notes_tables) expected[end](*this, end);
        }
        const auto run = [&](std::size_t chunk, std::size_t behind) {
          for (std::size_t number = first + chunk; number < first + behind; ++number) {
            for (std::size_t left = times[number]; left > 0; --left) runs[number](*this, number);
          }
        };
        workers_.run(end - first, ChunkWork(run));
        for (std::size_t number = first; number < end; ++number) changes[number](*this, number);
      }
    }
  }
  /// A yardstick notes which tables a loop visits when it first runs, or when there are more: not in several threads.
  static constexpr bool notes_tables = requires(StorageType& storage) { storage.template note_tables<>(); };
  template <class... Reads, class... Writes, class... Filters>
  void expect(TypeList<Access<TypeList<Reads...>, TypeList<Writes...>, Filters...>>) {
    if constexpr (notes_tables) storage_.template note_tables<const Reads..., Writes..., Filters...>();
  }
  template <class System, std::size_t parts>
  void expect(TypeList<InParts<System, parts>>) {
    expect(TypeList<System>{});
  }
  template <class Source, class... Writes>
  void expect(TypeList<Derivation<Source, TypeList<Writes...>>>) {
    if constexpr (notes_tables) storage_.template note_tables<const Source, Writes...>();
  }
  /// What the system reads of an entity says to which part it belongs, so that all storages agree on that. If it reads
  /// no bytes, what it writes says so.
  template <class... Reads, class... Writes, class... Filters, std::size_t parts>
  STOWAGE_NOINLINE void run_once(TypeList<InParts<Access<TypeList<Reads...>, TypeList<Writes...>, Filters...>, parts>>,
                                 std::size_t number) {
    const std::uint32_t turn = turns_[number]++;
    storage_.template each<const Reads..., Writes..., Filters...>(
        [turn](const Reads&... read, Writes&... written, const auto&... optional) {
          const std::uint32_t sum = (1U + ... + read_all(read)) + (0U + ... + read_if_there(optional));
          constexpr bool reads_bytes = (!is_tag<Reads> || ... || false);
          const std::uint32_t seen = reads_bytes ? sum : (sum + ... + read_all(written));
          constexpr std::uint32_t odd = 0x9e37'79b1;
          constexpr auto count = std::uint32_t{parts};
          if ((seen * odd >> 16U) % count == turn % count) (change_all(written, sum), ...);
        });
    keep(storage_);
  }
  template <class Source, class... Writes>
  STOWAGE_NOINLINE void run_once(TypeList<Derivation<Source, TypeList<Writes...>>>,
                                 [[maybe_unused]] std::size_t number) {
    const auto make = [](const Source& source, Writes&... written) {
      const std::uint32_t value = read_all(source);
      (set_all(written, value), ...);
    };
    if constexpr (RecordsChanges<StorageType, Source>) {
      storage_.template each_changed<const Source, Writes...>(derived_[number], make);
      derived_[number] = storage_.next_tick();
    } else if constexpr (ShowsChangesOnce<StorageType, Source>) {
      storage_.template each_changed<const Source, Writes...>(make);
    } else {
      storage_.template each<const Source, Writes...>(make);
    }
    keep(storage_);
  }
  /// If something is written, the loop has no state, so a compiler may take rows together; otherwise it sums what it
  /// reads.
  template <class... Reads, class... Writes, class... Filters>
  STOWAGE_NOINLINE void run_once(TypeList<Access<TypeList<Reads...>, TypeList<Writes...>, Filters...>>,
                                 std::size_t /*number*/) {
    if constexpr (sizeof...(Writes) > 0) {
      storage_.template each<const Reads..., Writes..., Filters...>(
          [](const Reads&... read, Writes&... written, const auto&... optional) {
            const std::uint32_t sum = (1U + ... + read_all(read)) + (0U + ... + read_if_there(optional));
            (change_in_loop<StorageType>(written, sum), ...);
          });
    } else {
      std::uint32_t sum = 0;
      storage_.template each<const Reads..., Filters...>([&sum](const Reads&... read, const auto&... optional) {
        sum += (0U + ... + read_all(read)) + (0U + ... + read_if_there(optional));
      });
      add_read(sum);
    }
    keep(storage_);
  }
  void add_read(std::uint64_t sum) {
    if constexpr (has_threads<Game>) {
      std::atomic_ref(read_) += sum;
    } else {
      read_ += sum;
    }
  }
  template <class Pointer>
  [[nodiscard]] static std::uint32_t read_if_there(const Pointer& found) {
    std::uint32_t sum = 0;
    if (found != nullptr) with_component<false>(found, [&sum](const auto& component) { sum = read_all(component); });
    return sum;
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
      return use(TypeList<Reads...>{}, TypeList<Writes...>{}, entity,
                 std::tuple(storage_.template find<Reads..., Writes...>(entity)));
    } else {
      return use(TypeList<Reads...>{}, TypeList<Writes...>{}, entity,
                 storage_.template find<Reads..., Writes...>(entity));
    }
  }
  template <class... Reads, class... Writes, class Found>
  [[nodiscard]] std::uint64_t use(TypeList<Reads...>, TypeList<Writes...>, [[maybe_unused]] Handle entity,
                                  const Found& found) const {
    const bool has_all = std::apply([](const auto&... component) { return ((component != nullptr) && ...); }, found);
    if (!has_all || !(has<Reads>(entity) && ...) || !(has<Writes>(entity) && ...)) return 0;
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
    stowage::detail::for_each_type(TypeList<Changed...>{},
                                   [&]<class C>(TypeList<C>) { change<C>(place_of<C>(typename Game::Changes{})); });
  }
  /// What a system has written down.
  template <class... Changed>
  STOWAGE_NOINLINE void change_at_once(TypeList<Changed...>) {
    if constexpr (sizeof...(Changed) > 0) {
      stowage::detail::for_each_type(
          TypeList<Changed...>{}, [&]<class C>(TypeList<C>) { write_down<C>(place_of<C>(typename Game::Changes{})); });
      commands_.apply(storage_);
    }
  }
  /// Enable bits are no structural change, so a loop may set them at once.
  template <class C>
  void write_down(std::size_t number) {
    if constexpr (may_be_off<C, StorageType>) {
      change<C>(number);
    } else {
      for (std::size_t i = course_.next_changes(number); i > 0; --i) {
        const auto [loser, winner] = course_.next_change(number);
        commands_.template remove<C>(living_[loser]);
        course_.flip(loser, place_of<C>(Components{}));
        commands_.template emplace<C>(living_[winner], maker_.template value<C>());
        course_.flip(winner, place_of<C>(Components{}));
      }
    }
  }
  template <class C>
  void change(std::size_t number) {
    change<C>(number, course_.next_changes(number));
  }
  template <class C>
  STOWAGE_NOINLINE void change(std::size_t number, std::size_t times) {
    for (; times > 0; --times) {
      const auto [loser, winner] = course_.next_change(number);
      lose<C>(living_[loser]);
      course_.flip(loser, place_of<C>(Components{}));
      gain<C>(living_[winner]);
      course_.flip(winner, place_of<C>(Components{}));
    }
  }

  template <class C>
  void lose(Handle entity) {
    if constexpr (may_be_off<C, StorageType>) {
      storage_.template set_enabled<C>(entity, false);
    } else {
      storage_.template remove<C>(entity);
    }
  }
  template <class C>
  void gain(Handle entity) {
    if constexpr (may_be_off<C, StorageType>) {
      [[maybe_unused]] decltype(auto) value =
          maker_.template value<C>();  // of a tag as well: every storage takes as many
      if constexpr (!is_tag<C>) *storage_.template find<C>(entity) = std::forward<decltype(value)>(value);
      storage_.template set_enabled<C>(entity, true);
    } else {
      storage_.template emplace<C>(entity, maker_.template value<C>());
    }
  }

  STOWAGE_NOINLINE void turn_over(std::span<const std::uint32_t> places) {
    for (const std::uint32_t place : places) {
      scene_.leave(place, living_[place]);
      storage_.destroy(living_[place]);
    }
    for (std::size_t i = places.size(); i-- > 0;) {
      living_[places[i]] = create(places[i]);
      scene_.join(places[i], living_);
    }
    collect(storage_);
    if constexpr (requires { storage_.end_frame(); }) storage_.end_frame();  // of a library that has frames
  }

  STOWAGE_NOINLINE Handle create(std::size_t place) { return maker_.create(storage_, course_.set_of(place)); }

  template <class... Cs>
  [[nodiscard]] std::uint64_t bits_of(TypeList<Cs...>, Handle entity) {
    std::uint64_t bits = 0;
    const auto add = [&]<class C>(TypeList<C>) {
      if constexpr (!std::is_same_v<C, WorldTransform> && !std::is_same_v<C, LocalTransform>) {
        const auto found = storage_.template find<C>(entity);
        if (found == nullptr || !has<C>(entity)) return;
        with_component<false>(
            found, [&](const auto& component) { bits = mixed(bits + place_of<C>(Components{}), hash_all(component)); });
      }
    };
    stowage::detail::for_each_type(TypeList<Cs...>{}, add);
    return bits;
  }

  /// Whether an entity of which C is found has it: C may be off.
  template <class C>
  [[nodiscard]] bool has([[maybe_unused]] Handle entity) const {
    if constexpr (may_be_off<C, StorageType>) {
      return storage_.template enabled<C>(entity);
    } else {
      return true;
    }
  }

  StorageType storage_;
  Course course_;
  [[no_unique_address]] Recorder commands_;
  Maker<Game, StorageType> maker_;
  Array<Handle> living_;
  Scene scene_;
  std::uint64_t read_ = 0;
  std::array<Tick, Game::Systems::size> derived_{};         ///< when each system that derives something last ran
  std::array<std::uint32_t, Game::Systems::size> turns_{};  ///< how often each system has run that writes one part
  PartLog parts_{part_names.size(), has_threads<Game>};
  [[no_unique_address]] Threads workers_;
};

}  // namespace stowage::workloads::game
