#pragma once

// The game that `stowage build-cost` compiles: its components, and what main.cpp calls. game.cpp has it on a storage,
// hand_written.cpp on plain arrays.

#include <cstddef>
#include <cstdint>

struct Position {
  float x, y, z;
};
struct Velocity {
  float x, y, z;
};
struct Rotation {
  float x, y, z, w;
};
struct Health {
  std::int32_t points, most;
};
struct Weapon {
  std::int32_t damage;
  float wait_s;
};
struct Sprite {
  std::uint32_t image;
  float size;
};
struct Team {
  std::uint8_t number;
};
struct Burning {
  float left_s;
};

struct Game;
Game* new_game();
void delete_game(Game* game);
void add_rock(Game& game, float x);
void add_ship(Game& game, float x);
void remove_ship(Game& game, std::size_t ship);  ///< the last ship takes its number
void ignite(Game& game, std::size_t ship);
void extinguish(Game& game, std::size_t ship);
void move_all(Game& game, float seconds);      ///< a loop over a group
void reload(Game& game, float seconds);        ///< a loop over one component
void burn(Game& game, float seconds);          ///< a join
std::int64_t sum_of_places(const Game& game);  ///< looks each ship up
