// hybrid: sparse components lie apart and move nothing, and loops walk the smallest pool.
#include <stowage/archetype_sections.hpp>
#include <stowage/hybrid.hpp>

#include "tests/support/catch.hpp"

namespace stowage {
namespace hybrid_test {

struct Position {
  std::uint64_t number;
};
struct Mass {
  std::uint64_t number;
};
struct Burning {
  std::string cause;
};
struct Cursed {};

using Scene = Schema<Position, Mass, Sparse<Burning>, Sparse<Cursed>>;
using Storage = Hybrid<Scene>;

TEST_CASE("hybrid: a sparse component comes and goes, and nothing moves or splits") {
  Storage storage;
  std::map<Entity, const Position*> places;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const Entity entity = i % 2 == 0 ? storage.create(Position{i}) : storage.create(Position{i}, Mass{i});
    places[entity] = nullptr;
  }
  for (auto& [entity, place] : places) place = storage.find<Position>(entity);
  const std::uint64_t sections = storage.events().sections;
  for (const auto& [entity, place] : places) {
    storage.emplace<Burning>(entity, "a dragon that has a long name");
    if (place->number % 3 == 0) storage.emplace<Cursed>(entity);
    if (place->number % 4 != 0) storage.remove<Burning>(entity);
  }
  bool stayed = true;
  for (const auto& [entity, place] : places) stayed = stayed && storage.find<Position>(entity) == place;
  CHECK(stayed);
  CHECK(storage.events().sections == sections);
  CHECK(storage.count<Burning>() == 250);
  CHECK(storage.count<Cursed>() == 334);
}

TEST_CASE("hybrid: without a mark it holds what archetype_sections does") {
  Hybrid<Schema<Position, Mass>> storage;
  ArchetypeSections<Schema<Position, Mass>> sections;
  const auto fill = [](auto& world) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
      static_cast<void>(i % 2 == 0 ? world.create(Position{i}) : world.create(Position{i}, Mass{i}));
    }
    return world.memory();
  };
  CHECK(fill(storage) == fill(sections));
}

TEST_CASE("hybrid: a loop walks the smallest sparse pool that it requires, or else sections") {
  Storage storage;
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Entity entity = storage.create(Position{i});
    if (i < 30) storage.emplace<Burning>(entity, "lightning");
    if (i >= 20 && i < 40) storage.emplace<Cursed>(entity);
  }
  CHECK(storage.loop_steps<const Burning>() == 30);
  CHECK(storage.loop_steps<const Position, const Burning>() == 30);
  CHECK((storage.loop_steps<const Position, With<Burning>, Without<Mass>, With<Cursed>>() == 20));
  CHECK((storage.loop_steps<const Position, Without<Burning>>() == storage.loop_steps<const Position>()));
  std::uint64_t sum = 0;
  storage.each<Optional<const Mass>, With<Burning>, const Position, Optional<const Cursed>>(
      [&](Entity entity, const Mass* mass, const Position& position, const Cursed* cursed) {
        CHECK(storage.find<Position>(entity) == &position);
        CHECK(mass == nullptr);
        CHECK((cursed != nullptr) == (position.number >= 20));
        sum += position.number;
      });
  CHECK(sum == 30 * 29 / 2);
  std::size_t calm = 0;
  storage.each<Without<Burning>, With<Position>, Without<Cursed>>([&] { ++calm; });
  CHECK(calm == 60);
}

/// An argument that lies in a row that moves when the entity is created.
struct Torch {
  Burning flame;
};

TEST_CASE("hybrid: an argument may be a part of a component of the other kind") {
  Hybrid<Schema<Torch, Sparse<Burning>>> storage;
  const Entity first = storage.create(Torch{{"a flame that is kept on the heap"}});
  for (int i = 0; i < 100; ++i) {
    static_cast<void>(storage.create(Torch{}, storage.find<Torch>(first)->flame));
  }
  std::size_t alight = 0;
  storage.each<const Torch, const Burning>([&](const Torch&, const Burning& burning) {
    alight += burning.cause == "a flame that is kept on the heap" ? 1 : 0;
  });
  CHECK(alight == 100);
}

}  // namespace hybrid_test
}  // namespace stowage
