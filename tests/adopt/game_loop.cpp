#include <cstdio>
#include <vector>

#include "indirection_map.hpp"

struct Position {
  float x, y;
};
struct Velocity {
  float x, y;
};
struct Fuse {
  int frames_left;
};

using Scene = stowage::Schema<stowage::Group<Position, Velocity>, Fuse>;  // what is used together lies together
using World = stowage::IndirectionMap<Scene>;

void move(World& world, float seconds) {
  world.each<Position, const Velocity>([=](Position& position, const Velocity& velocity) {
    position.x += velocity.x * seconds;
    position.y += velocity.y * seconds;
  });
}

void burn(World& world) {
  std::vector<stowage::Entity> over;  // destroyed after the loop: this storage does not promise it inside each()
  world.each<Fuse>([&](stowage::Entity entity, Fuse& fuse) {
    if (--fuse.frames_left == 0) over.push_back(entity);
  });
  for (const stowage::Entity entity : over) world.destroy(entity);
}

int main() {
  World world;
  const stowage::Entity hero = world.create(Position{0, 0}, Velocity{1, 0});
  for (int i = 1; i <= 100; ++i) world.create(Position{0, 0}, Velocity{0, 1}, Fuse{i});
  for (int frame = 0; frame < 60; ++frame) {
    move(world, 1.0f / 64);
    burn(world);
  }
  const auto [position, fuse] = world.find<Position, Fuse>(hero);
  std::printf("hero at %.4f, %s; %zu entities left\n", position->x, fuse ? "burning" : "safe", world.size());
}
