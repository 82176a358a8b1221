#include <cstdio>

#include <stowage/indirection_map.hpp>

#include "probing_map.hpp"

struct Position {
  float x, y;
};
struct Velocity {
  float x, y;
};

using Scene = stowage::Schema<stowage::Group<Position, Velocity>>;

/// Where a hero is after some frames.
template <class Storage>
float play() {
  Storage scene;
  const auto hero = scene.create(Position{0, 0}, Velocity{1, 0});
  for (int i = 0; i < 1000; ++i) scene.create(Position{0, 0});
  for (int frame = 0; frame < 60; ++frame) {
    scene.template each<Position, const Velocity>([](Position& p, const Velocity& v) { p.x += v.x; });
  }
  return scene.template find<Position>(hero)->x;
}

int main() {
  const float theirs = play<stowage::IndirectionMap<Scene>>();
  const float ours = play<mine::ProbingMap<Scene>>();
  std::printf("%g %g\n", theirs, ours);
  return theirs == 60 && ours == 60 ? 0 : 1;
}
