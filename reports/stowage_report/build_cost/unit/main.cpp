// Plays the game, then does what Callgrind counts: counted_loop() and counted_lookups(). Compiled without optimisation,
// so that both stay functions. Prints the number of ships, and a sum that is the same for every storage.
#include <cstdio>

#include "game.hpp"

extern "C" void counted_loop(Game& game) { move_all(game, 1); }
extern "C" std::int64_t counted_lookups(const Game& game) { return sum_of_places(game); }

int main() {
  constexpr std::size_t ships = 1024;
  Game& game = *new_game();
  for (std::size_t ship = 0; ship < ships; ++ship) {
    add_ship(game, static_cast<float>(ship));
    if (ship % 4 == 0) add_rock(game, 0);
  }
  for (std::size_t ship = 0; ship < ships; ship += 4) ignite(game, ship);
  for (std::size_t ship = 0; ship < ships; ship += 64) {
    remove_ship(game, ship);
    add_ship(game, 0);
  }
  move_all(game, 1);
  reload(game, 1);
  burn(game, 1);
  for (std::size_t ship = 0; ship < ships; ship += 8) extinguish(game, ship);
  std::int64_t sum = sum_of_places(game);  // what is done once, at first use, is done
  counted_loop(game);
  sum += counted_lookups(game);
  std::printf("%zu %lld\n", ships, static_cast<long long>(sum));
  delete_game(&game);
}
