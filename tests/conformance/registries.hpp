#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stowage/contract/errors.hpp>
#include <stowage/contract/registry.hpp>

#include "tests/conformance/components.hpp"
#include "tests/conformance/memory.hpp"
#include "tests/conformance/require.hpp"
#include "tests/conformance/roster.hpp"

// Handles of few bits: indices run out, generations come round. For strategies as templates of schema and registry.
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

template <template <class, class> class StrategyWith>
inline constexpr std::array registry_checks{
    Check{"exhaustion_changes_nothing", &exhaustion_changes_nothing<StrategyWith>},
    Check{"generations_wrap_around", &generations_wrap_around<StrategyWith>},
    Check{"freed_indices_wait", &freed_indices_wait<StrategyWith>},
    Check{"a_small_world_goes_on_and_on", &a_small_world_goes_on_and_on<StrategyWith>},
    Check{"memory_adds_up_with_a_queued_registry", &memory_adds_up_with_a_queued_registry<StrategyWith>},
};

}  // namespace stowage::conformance
