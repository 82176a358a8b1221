#include <cstdio>
#include <vector>

#include "indirection_map.hpp"

struct Position {
  float x, y;
};
struct Velocity {
  float x, y;
};
struct Burning {};

using World = stowage::IndirectionMap<stowage::Schema<stowage::Group<Position, Velocity>, Burning>>;

int main() {
  World world;
  std::vector<stowage::Entity> crowd(1000);  // gets the handles, and says how many entities there are to be

  // A column of each component: entity i gets positions[i] and velocities[i].
  const std::vector<Position> positions(1000, Position{1, 2});
  const std::vector<Velocity> velocities(1000, Velocity{3, 4});
  world.create(crowd, positions, velocities);

  // The same components for all of them.
  std::vector<stowage::Entity> bullets(100);
  world.create_copies(bullets, Position{0, 0}, Velocity{0, 9}, Burning{});

  // No components: they come later, one by one.
  std::vector<stowage::Entity> empty(10);
  world.create(empty);
  for (const stowage::Entity entity : empty) world.emplace<Position>(entity, 5.0f, 6.0f);

  std::printf("%zu entities, %zu burn", world.size(), world.count<Burning>());
  world.clear<Burning>();  // takes the component from all that have it
  const bool moves = world.contains<Position, Velocity>(bullets.front());
  std::printf(", then %zu; a bullet %s\n", world.count<Burning>(), moves ? "moves" : "rests");
}
