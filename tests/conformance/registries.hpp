#pragma once

// Checks with other registries: indices of few bits run out, generations come round, indices wait, listeners hear.
#include <stowage/contract/errors.hpp>
#include <stowage/contract/notifying_registry.hpp>
#include <stowage/contract/registry.hpp>

#include "tests/conformance/memory.hpp"
#include "tests/conformance/tables.hpp"

namespace stowage::conformance {

/// 31 indices, 4 generations; freed indices come back at once, or after 8 others wait.
using SmallEntity = BasicEntity<std::uint32_t, 5, 2>;
using SmallRegistry = EntityRegistry<SmallEntity>;
using SmallQueuedRegistry = EntityRegistry<SmallEntity, 8>;

template <class Storage>
void fill_every_index(Roster<Storage>& roster) {
  while (roster.living() < SmallEntity::max_entities) {
    roster.template create<Position, Velocity, Team>(static_cast<std::uint32_t>(roster.created()));
  }
}

/// Refuses one more in each form, changes nothing, and goes on when there is an index again.
template <class Storage>
void exhaust_indices() {
  Roster<Storage> roster;
  fill_every_index(roster);
  const auto refuses_one_more = [&] {
    require_throws<IndexExhausted>([&] { static_cast<void>(roster.storage.create()); },
                                   "create() without an index left did not throw IndexExhausted");
    require_throws<IndexExhausted>([&] { roster.template create<Position, Team>(1); },
                                   "create(cs...) without an index left did not throw IndexExhausted");
    require_throws<IndexExhausted>([&] { roster.template create_many<Position, Velocity>(2, 1); },
                                   "bulk creation without an index left did not throw IndexExhausted");
    roster.check();
  };
  refuses_one_more();
  roster.destroy(7);
  require_throws<IndexExhausted>([&] { roster.template create_many<Position, Velocity>(2, 1); },
                                 "bulk creation with too few indices left did not throw IndexExhausted");
  roster.check();
  roster.template create<Position, Team>(50);
  refuses_one_more();
  for (std::size_t i = 0; i < 5; ++i) roster.destroy(i);
  roster.template create_many<Position, Velocity>(5, 60);
  refuses_one_more();
}

template <template <class, class> class StrategyWith>
void exhaustion_changes_nothing() {
  exhaust_indices<StrategyWith<Plain, SmallRegistry>>();
  exhaust_indices<StrategyWith<Plain, SmallQueuedRegistry>>();
}

/// A handle is dead from the end of its life until its generation comes round and its index lives again; then it is the
/// handle of the new entity. Whether lives end one by one or all at once makes no difference.
template <class Storage>
void wrap_generations(void (*end_life)(Roster<Storage>&, std::size_t entity)) {
  Roster<Storage> roster;
  for (std::uint32_t life = 0; life < 11; ++life) {
    const std::size_t entity = roster.template create<Position, Velocity>(life);
    roster.check();
    if (life >= 4) require(roster[entity] == roster[entity - 4], "a generation of two bits has not come round");
    end_life(roster, entity);
    for (std::size_t earlier = 0; earlier <= entity; ++earlier) {
      require(!roster.storage.alive(roster[earlier]), "the handle of a dead entity is alive");
      require(!roster.storage.destroy(roster[earlier]), "the handle of a dead entity can be destroyed again");
    }
    roster.check();
  }
}

template <template <class, class> class StrategyWith>
void generations_wrap_around() {
  using Storage = StrategyWith<Plain, SmallRegistry>;
  wrap_generations<Storage>([](Roster<Storage>& roster, std::size_t entity) { roster.destroy(entity); });
  wrap_generations<Storage>([](Roster<Storage>& roster, std::size_t) { roster.clear(); });
}

/// An entity created after clear() is alive, whether its index was in use or waiting.
template <class Storage>
void live_after_clear() {
  Roster<Storage> roster;
  for (std::uint32_t i = 0; i < 6; ++i) roster.template create<Position, Velocity, Team>(i);
  for (const std::size_t gone : {1u, 4u}) roster.destroy(gone);
  roster.clear();
  for (std::uint32_t i = 0; i < 6; ++i) roster.template create<Position, Velocity, Team>(i);
  roster.check();
  require(roster.living() == 6, "an entity created after clear() is not alive");
}

template <template <class, class> class StrategyWith>
void waiting_indices_live_again_after_clear() {
  live_after_clear<StrategyWith<Plain, SmallRegistry>>();
  live_after_clear<StrategyWith<Plain, SmallQueuedRegistry>>();
}

/// Freed indices wait for each other: none comes back before 8 have been freed.
template <template <class, class> class StrategyWith>
void freed_indices_wait() {
  Roster<StrategyWith<Plain, SmallQueuedRegistry>> roster;
  std::vector<bool> used(SmallEntity::max_entities, false);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::size_t entity = roster.template create<Position, Velocity, Team>(i);
    require(!used[roster[entity].index()], "a freed index came back before others waited");
    used[roster[entity].index()] = true;
    roster.destroy(entity);
  }
  const std::size_t reused = roster.template create<Position, Velocity, Team>(8);
  require(roster[reused].index() == roster[0].index(), "the index that waited longest does not come back first");
  roster.check();
}

/// Few indices, lived through many times with all that can happen in between.
template <template <class, class> class StrategyWith>
void a_small_world_goes_on_and_on() {
  Roster<StrategyWith<Plain, SmallQueuedRegistry>> roster;
  for (std::uint32_t round = 0; round < 40; ++round) {
    for (std::uint32_t i = 0; i < 3 && roster.living() < SmallEntity::max_entities; ++i) {
      roster.template create<Position, Velocity, Team>(round * 3 + i);
    }
    if (round % 3 == 2) roster.destroy(roster.created() - 2);
    if (roster.living() == SmallEntity::max_entities || round == 20) roster.clear();
    roster.check();
  }
}

/// The published registry, with 22 bits for the index, 8 for the generation and 1024 indices that wait.
template <template <class, class> class StrategyWith>
void memory_adds_up_with_a_queued_registry() {
  using Storage = StrategyWith<Plain, QueuedRegistry>;
  constexpr std::size_t row = sizeof(Position) + sizeof(Velocity) + sizeof(Team);
  std::vector<typename Storage::entity_type> handles(3000);
  Accounted<Storage> storage;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    handles[i] = storage->create(made_of<Position>(i), made_of<Velocity>(i), made_of<Team>(i));
  }
  storage.check(3000 * row);
  for (std::size_t i = 0; i < 2000; ++i) storage->destroy(handles[i]);
  storage.check(1000 * row);
  for (std::uint32_t i = 0; i < 1500; ++i) {
    static_cast<void>(storage->create(made_of<Position>(i), made_of<Velocity>(i), made_of<Team>(i)));
  }
  storage.check(2500 * row);
  storage->clear();
  storage.check(0);
}

// ---- listeners

/// Hears of deaths, and finds out whether the dying still are what the roster knows of them.
template <class Storage>
class Obituary {
 public:
  explicit Obituary(Roster<Storage>& roster) : roster_(roster) { roster.storage.on_destroy(*this); }

  void operator()(typename Storage::entity_type dying) noexcept {
    heard_.push_back(dying);
    if (!roster_.knows(dying)) return;  // was never alive: the check of heard() reports it
    const auto& numbers = roster_.entry(roster_.ordinal_of(dying)).numbers;
    const auto is_there = [&]<class C>(TypeList<C>) {
      const auto found = std::as_const(roster_.storage).template find<C>(dying);
      const auto& expected = numbers[Roster<Storage>::template id<C>];
      return (found != nullptr) == expected.has_value() && (found == nullptr || number_of(*found) == expected);
    };
    intact_ = intact_ && roster_.storage.alive(dying) && [&]<class... Cs>(TypeList<Cs...>) {
      return (is_there(TypeList<Cs>{}) && ...);
    }(typename Storage::schema_type::components{});
  }

  /// What was heard since the last call.
  [[nodiscard]] std::vector<typename Storage::entity_type> heard() {
    require(intact_, "a listener finds an entity dead, or without its components");
    return std::exchange(heard_, {});
  }

 private:
  Roster<Storage>& roster_;
  std::vector<typename Storage::entity_type> heard_;
  bool intact_ = true;
};

template <class Storage>
void announce_every_death() {
  Roster<Storage> roster;
  Obituary<Storage> first(roster);
  for (std::uint32_t i = 0; i < 9; ++i) roster.template create<Position, Velocity>(i);
  roster.template create_many<Position, Team>(9, 9);
  for (int i = 0; i < 9; ++i) roster.template create<>();
  require(first.heard().empty(), "a listener hears of created entities");
  Obituary<Storage> second(roster);
  for (const std::size_t ordinal : {4, 12, 22}) {
    roster.destroy(ordinal);
    require(first.heard() == std::vector{roster[ordinal]}, "a listener does not hear of a death, once");
    require(second.heard() == std::vector{roster[ordinal]}, "a listener that came later does not hear of a death");
    require(!roster.storage.destroy(roster[ordinal]), "a dead entity was destroyed again");
    roster.template remove<Position>(ordinal + 1);
    require(first.heard().empty(), "a listener hears of deaths that are none");
  }
  std::vector<typename Storage::entity_type> living;
  for (std::size_t ordinal = 0; ordinal < roster.created(); ++ordinal) {
    if (roster.entry(ordinal).alive) living.push_back(roster[ordinal]);
  }
  roster.clear();
  auto heard = first.heard();
  std::ranges::sort(heard);
  std::ranges::sort(living);
  require(heard == living, "listeners do not hear of every entity that clear() destroys, each once");
  require(second.heard().size() == living.size(), "clear() tells one listener only");
  roster.clear();
  require(first.heard().empty(), "clear() tells of the dead");
  roster.template create<Position>(7);
  roster.check();
}

/// Whether handles are wide or narrow, and freed indices wait or not.
template <template <class, class> class StrategyWith>
void listeners_hear_of_every_death() {
  announce_every_death<StrategyWith<Plain, NotifyingRegistry<>>>();
  announce_every_death<StrategyWith<Plain, NotifyingRegistry<SmallQueuedRegistry>>>();
}

/// Of a creation in which any allocation fails no listener hears, and there is no entity.
template <class Storage>
void fail_unheard(RosterOperation<Storage> create) {
  for (std::size_t nth = 1, threw = 1; threw != 0; ++nth) {
    Roster<Storage> poor;
    Obituary<Storage> of_poor(poor);
    threw = testing::refuse(nth, testing::Shortage::passing, [&] { create(poor); }).threw ? 1 : 0;
    require(of_poor.heard().empty(), "a listener hears of a creation without memory");
    poor.check();
  }
}

/// An entity that was never alive does not die.
template <template <class, class> class StrategyWith>
void listeners_hear_nothing_of_failed_creations() {
  using Storage = StrategyWith<World, NotifyingRegistry<>>;
  Roster<Storage> roster;
  Obituary<Storage> obituary(roster);
  const std::vector<Fragile> fragiles(5, Fragile(1));
  std::vector<typename Storage::entity_type> out(5);
  {
    const Fragile& given = fragiles.front();
    const Fragile::Fuse fuse(1);
    require_throws<Injected>([&] { static_cast<void>(roster.storage.create(given)); }, "no constructor threw");
  }
  {
    const Fragile::Fuse fuse(3);
    require_throws<Injected>([&] { roster.storage.create(std::span(out), std::span<const Fragile>(fragiles)); },
                             "no constructor threw");
  }
  require(obituary.heard().empty(), "a listener hears of a creation that failed");
  roster.storage.clear();
  require(obituary.heard().empty(), "clear() tells of a creation that failed");
  fail_unheard<Storage>([](Roster<Storage>& poor) { create_assorted(poor, 1); });
  fail_unheard<Storage>([](Roster<Storage>& poor) { create_by_columns<Frozen, Fragile, Unique>(poor, 50, 1); });
  using Small = StrategyWith<Plain, NotifyingRegistry<>>;
  fail_unheard<Small>([](Roster<Small>& poor) { poor.template create_many<Position, Team, Frozen>(50, 1); });
}

template <template <class, class> class StrategyWith>
void memory_adds_up_with_listeners() {
  using Storage = StrategyWith<Plain, NotifyingRegistry<>>;
  std::vector<typename Storage::entity_type> handles(200);
  Accounted<Storage> storage;
  std::size_t deaths = 0;
  const auto listener = [&](typename Storage::entity_type) { ++deaths; };
  storage->on_destroy(listener);
  storage.check(0);
  for (std::uint32_t i = 0; i < 200; ++i) handles[i] = storage->create(made_of<Position>(i));
  storage.check(200 * sizeof(Position));
  for (std::size_t i = 0; i < 200; i += 2) storage->destroy(handles[i]);
  storage.check(100 * sizeof(Position));
  storage->clear();
  storage.check(0);
  require(deaths == 200, "listeners do not hear of every entity that clear() destroys, each once");
}

template <template <class, class> class StrategyWith>
inline constexpr std::array registry_checks{
    Check{"exhaustion_changes_nothing", &exhaustion_changes_nothing<StrategyWith>},
    Check{"generations_wrap_around", &generations_wrap_around<StrategyWith>},
    Check{"waiting_indices_live_again_after_clear", &waiting_indices_live_again_after_clear<StrategyWith>},
    Check{"freed_indices_wait", &freed_indices_wait<StrategyWith>},
    Check{"a_small_world_goes_on_and_on", &a_small_world_goes_on_and_on<StrategyWith>},
    Check{"memory_adds_up_with_a_queued_registry", &memory_adds_up_with_a_queued_registry<StrategyWith>},
    Check{"listeners_hear_of_every_death", &listeners_hear_of_every_death<StrategyWith>},
    Check{"listeners_hear_nothing_of_failed_creations", &listeners_hear_nothing_of_failed_creations<StrategyWith>},
    Check{"memory_adds_up_with_listeners", &memory_adds_up_with_listeners<StrategyWith>},
};

}  // namespace stowage::conformance
