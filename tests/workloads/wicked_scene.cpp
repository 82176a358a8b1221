#include "workloads/support/wicked_scene.hpp"

#include <stowage/hierarchy/forms/sorted.hpp>

#include "tests/support/catch.hpp"
#include "workloads/support/random.hpp"
#include "workloads/support/trees.hpp"

namespace stowage::workloads {
namespace {

/// The published form and one of the library, to which the same is done. The library's refuses cycles.
template <class Scene = WickedScene>
class Pair {
 public:
  explicit Pair(std::size_t nodes) : scene_(nodes) {
    for (std::size_t node = 0; node < nodes; ++node) {
      nodes_.push_back(scene_.create(local_transform(1, node, 0)));
      form_.add(nodes_.back(), local_transform(1, node, 0));
    }
  }
  void load(std::size_t child, std::size_t parent) {
    scene_.attach(nodes_[child], nodes_[parent]);
    form_.attach(nodes_[child], nodes_[parent]);
  }
  void attach(std::size_t child, std::size_t parent, Keep keep) {
    try {
      form_.attach(nodes_[child], nodes_[parent], keep);
    } catch (const CyclicAttachment&) {
      return;
    }
    scene_.attach(nodes_[child], nodes_[parent], keep);
  }
  void detach(std::size_t node) {
    scene_.detach(nodes_[node]);
    form_.detach(nodes_[node]);
  }
  void set_local(std::size_t node) {
    scene_.set_local(nodes_[node], local_transform(1, node, 1));
    form_.set_local(nodes_[node], local_transform(1, node, 1));
  }
  void update() {
    scene_.update();
    form_.update();
  }
  [[nodiscard]] std::size_t differences() {
    update();
    std::size_t found = 0;
    for (const Entity node : nodes_) {
      found += scene_.world(node) != form_.world(node) ? 1 : 0;
      found += scene_.local(node) != form_.local(node) ? 1 : 0;
    }
    return found;
  }

 private:
  Scene scene_;
  SortedHierarchy form_;
  std::vector<Entity> nodes_;
};

TEMPLATE_TEST_CASE("the published hierarchy computes what the library's do", "", WickedScene, SharedWickedScene) {
  constexpr std::size_t count = 60;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    Random random(seed);
    Pair<TestType> pair(count);
    for (std::size_t node = 1; node < count; node += 2) pair.load(node, random.below(node));
    CHECK(pair.differences() == 0);
    for (int step = 0; step < 300; ++step) {
      const std::size_t node = random.below(count);
      switch (random.below(5)) {
        case 0:
          pair.attach(node, random.below(count), Keep::local);
          break;
        case 1:
          pair.attach(node, random.below(count), Keep::world);
          break;
        case 2:
          pair.detach(node);
          break;
        case 3:
          pair.set_local(node);
          break;
        default:
          REQUIRE(pair.differences() == 0);
      }
    }
    CHECK(pair.differences() == 0);
  }
}

TEST_CASE("threads share the rows of a level, and of all levels if no row is the parent of another") {
  constexpr std::size_t count = 6000;
  for (const std::size_t children : {count, count / 2}) {  // the others below these
    Pair<SharedWickedScene> pair(count);
    for (std::size_t node = 1; node < count; ++node) pair.load(node, node <= children ? 0 : node - children);
    CHECK(pair.differences() == 0);
  }
}

TEST_CASE("the published hierarchy keeps a whole tree in order that is attached below a later one") {
  constexpr std::size_t count = 20;
  Pair pair(2 * count);
  for (std::size_t node = 1; node < count; ++node) {
    pair.load(node, node - 1);
    pair.load(count + node, count + node - 1);
  }
  pair.update();
  pair.attach(0, 2 * count - 1, Keep::local);
  CHECK(pair.differences() == 0);
  pair.detach(0);
  pair.attach(count, count - 1, Keep::world);
  CHECK(pair.differences() == 0);
}

}  // namespace
}  // namespace stowage::workloads
