// What `stowage build-cost` compiles for each strategy: the file of a game that uses its storage. The command writes
// storage.hpp, which includes the strategy and calls it Storage.
#include "game.hpp"

#include <vector>

#include "storage.hpp"

using World = Storage<stowage::Schema<stowage::Group<Position, Velocity>, Rotation, Health, Weapon, Sprite, Team,
                                      stowage::Sparse<Burning>>>;

struct Game {
  World world;
  std::vector<World::entity_type> ships;
};

Game* new_game() {
  Game* const game = new Game;
  game->world.reserve(2048);
  return game;
}
void delete_game(Game* game) { delete game; }

void add_rock(Game& game, float x) { game.world.create(Position{x, 0, 0}, Rotation{0, 0, 0, 1}, Sprite{1, 1}); }

void add_ship(Game& game, float x) {
  game.ships.push_back(game.world.create(Position{x, 0, 0}, Velocity{1, 2, 3}, Rotation{0, 0, 0, 1}, Health{100, 100},
                                         Weapon{5, 0}, Sprite{2, 1}, Team{1}));
}

void remove_ship(Game& game, std::size_t ship) {
  game.world.destroy(game.ships[ship]);
  game.ships[ship] = game.ships.back();
  game.ships.pop_back();
}

void ignite(Game& game, std::size_t ship) { game.world.emplace<Burning>(game.ships[ship], 3.0f); }
void extinguish(Game& game, std::size_t ship) { game.world.remove<Burning>(game.ships[ship]); }

void move_all(Game& game, float seconds) {
  game.world.each<Position, const Velocity>([seconds](Position& position, const Velocity& velocity) {
    position.x += velocity.x * seconds;
    position.y += velocity.y * seconds;
    position.z += velocity.z * seconds;
  });
}

void reload(Game& game, float seconds) {
  game.world.each<Weapon>([seconds](Weapon& weapon) { weapon.wait_s -= seconds; });
}

void burn(Game& game, float seconds) {
  game.world.each<Health, Burning>([seconds](Health& health, Burning& burning) {
    health.points -= 1;
    burning.left_s -= seconds;
  });
}

std::int64_t sum_of_places(const Game& game) {
  std::int64_t sum = 0;
  for (const auto ship : game.ships) {
    if (const auto position = game.world.find<Position>(ship)) sum += static_cast<std::int64_t>(position->x);
  }
  return sum;
}
