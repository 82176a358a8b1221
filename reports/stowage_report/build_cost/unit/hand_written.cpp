// The same game without a storage: a row per ship in packed arrays, and a table that takes a handle to its row and
// rejects it once its ship is gone. A ship that does not burn has Burning with 0 s left.
#include <vector>

#include "game.hpp"

struct Handle {
  std::uint32_t index, generation;
};
struct Slot {
  std::uint32_t row, generation;
};

struct Game {
  std::vector<Position> positions;
  std::vector<Velocity> velocities;
  std::vector<Rotation> rotations;
  std::vector<Health> healths;
  std::vector<Weapon> weapons;
  std::vector<Sprite> sprites;
  std::vector<Team> teams;
  std::vector<Burning> burning;
  std::vector<std::uint32_t> owners;  ///< of rows, as indices of slots
  std::vector<Slot> slots;
  std::vector<std::uint32_t> free_slots;
  std::vector<Handle> ships;
  std::vector<Position> rock_positions;
  std::vector<Rotation> rock_rotations;
  std::vector<Sprite> rock_sprites;
};

Game* new_game() { return new Game; }
void delete_game(Game* game) { delete game; }

void add_rock(Game& game, float x) {
  game.rock_positions.push_back({x, 0, 0});
  game.rock_rotations.push_back({0, 0, 0, 1});
  game.rock_sprites.push_back({1, 1});
}

void add_ship(Game& game, float x) {
  if (game.free_slots.empty()) {
    game.free_slots.push_back(static_cast<std::uint32_t>(game.slots.size()));
    game.slots.push_back({0, 0});
  }
  const std::uint32_t index = game.free_slots.back();
  game.free_slots.pop_back();
  game.slots[index].row = static_cast<std::uint32_t>(game.owners.size());
  game.owners.push_back(index);
  game.positions.push_back({x, 0, 0});
  game.velocities.push_back({1, 2, 3});
  game.rotations.push_back({0, 0, 0, 1});
  game.healths.push_back({100, 100});
  game.weapons.push_back({5, 0});
  game.sprites.push_back({2, 1});
  game.teams.push_back({1});
  game.burning.push_back({0});
  game.ships.push_back({index, game.slots[index].generation});
}

void remove_ship(Game& game, std::size_t ship) {
  const std::uint32_t index = game.ships[ship].index;
  const std::uint32_t row = game.slots[index].row;
  game.slots[game.owners.back()].row = row;
  const auto take_out = [row](auto&... arrays) { ((arrays[row] = arrays.back(), arrays.pop_back()), ...); };
  take_out(game.owners, game.positions, game.velocities, game.rotations, game.healths, game.weapons, game.sprites,
           game.teams, game.burning);
  ++game.slots[index].generation;
  game.free_slots.push_back(index);
  game.ships[ship] = game.ships.back();
  game.ships.pop_back();
}

void ignite(Game& game, std::size_t ship) { game.burning[game.slots[game.ships[ship].index].row] = {3}; }
void extinguish(Game& game, std::size_t ship) { game.burning[game.slots[game.ships[ship].index].row] = {0}; }

void move_all(Game& game, float seconds) {
  for (std::size_t row = 0; row < game.positions.size(); ++row) {
    game.positions[row].x += game.velocities[row].x * seconds;
    game.positions[row].y += game.velocities[row].y * seconds;
    game.positions[row].z += game.velocities[row].z * seconds;
  }
}

void reload(Game& game, float seconds) {
  for (Weapon& weapon : game.weapons) weapon.wait_s -= seconds;
}

void burn(Game& game, float seconds) {
  for (std::size_t row = 0; row < game.burning.size(); ++row) {
    if (game.burning[row].left_s <= 0) continue;
    game.healths[row].points -= 1;
    game.burning[row].left_s -= seconds;
  }
}

std::int64_t sum_of_places(const Game& game) {
  std::int64_t sum = 0;
  for (const Handle ship : game.ships) {
    const Slot slot = game.slots[ship.index];
    if (slot.generation == ship.generation) sum += static_cast<std::int64_t>(game.positions[slot.row].x);
  }
  return sum;
}
