#include <stowage/archetype_sections.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/hierarchy/hierarchy.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/naive_objects.hpp>
#include <vector>

#include "tests/strategies/hierarchy/model.hpp"
#include "tests/support/catch.hpp"

namespace stowage {
namespace {

using testing::shift;

struct Name {
  int value;
};
using Scene = Schema<LocalTransform, WorldTransform, Name>;
template <class S, class F>
struct On {
  using Storage = S;
  using Form = F;
};
#define STORAGES                                                                                    \
  (On<IndirectionMap<Scene>, LazySortedHierarchy>), (On<ArchetypeSections<Scene>, LevelHierarchy>), \
      (On<NaiveObjects<Scene>, PointerHierarchy>), (On<IndirectionMap<Scene, QueuedRegistry>, SiblingHierarchy>)

/// A chain of three, each shifted by one.
template <class Pair>
struct Chain {
  using Storage = typename Pair::Storage;

  Chain() : hierarchy(storage) {
    for (int i = 0; i < 3; ++i) {
      nodes.push_back(storage.create(LocalTransform{shift(1)}, WorldTransform{}));
      hierarchy.add(nodes.back());
      if (i != 0) hierarchy.attach(nodes.back(), nodes[static_cast<std::size_t>(i - 1)]);
    }
    hierarchy.update();
  }
  float local(std::size_t node) { return storage.template find<LocalTransform>(nodes[node])->matrix[3].x; }
  float world(std::size_t node) { return storage.template find<WorldTransform>(nodes[node])->matrix[3].x; }
  void set_local(std::size_t node, float x) { storage.template find<LocalTransform>(nodes[node])->matrix = shift(x); }

  Storage storage;
  Hierarchy<Storage, typename Pair::Form> hierarchy;
  std::vector<typename Storage::entity_type> nodes;
};

TEMPLATE_TEST_CASE("hierarchy of a storage: what was touched is read, what changed is written", "", STORAGES) {
  Chain<TestType> chain;
  CHECK(chain.world(2) == 3.0f);
  CHECK(chain.hierarchy.parent(chain.nodes[2]) == chain.nodes[1]);
  CHECK(chain.hierarchy.parent(chain.nodes[0]).is_null());

  chain.set_local(1, 5);
  chain.hierarchy.update();
  CHECK(chain.world(2) == 3.0f);  // not touched
  chain.storage.template find<WorldTransform>(chain.nodes[0])->matrix = shift(-1);
  chain.hierarchy.touch(chain.nodes[1]);
  chain.hierarchy.update();
  CHECK(chain.world(2) == 7.0f);
  CHECK(chain.world(0) == -1.0f);  // not above a change, so not written

  chain.set_local(0, 2);
  chain.set_local(2, 3);
  chain.hierarchy.touch_all();
  chain.hierarchy.update();
  CHECK(chain.world(0) == 2.0f);
  CHECK(chain.world(2) == 10.0f);
}

TEMPLATE_TEST_CASE("hierarchy of a storage: detached locals are written back", "", STORAGES) {
  Chain<TestType> chain;
  chain.hierarchy.detach(chain.nodes[1]);
  CHECK(chain.local(1) == 2.0f);
  chain.hierarchy.attach(chain.nodes[1], chain.nodes[0], Keep::world);
  CHECK(chain.local(1) == 1.0f);
  chain.hierarchy.update();
  CHECK(chain.world(2) == 3.0f);
}

TEMPLATE_TEST_CASE("hierarchy of a storage: a parent dies with its children or leaves them behind", "", STORAGES) {
  for (const Children children : {Children::destroy, Children::detach}) {
    Chain<TestType> chain;
    chain.hierarchy.destroy(chain.nodes[1], children);
    const bool stay = children == Children::detach;
    CHECK_FALSE(chain.storage.alive(chain.nodes[1]));
    CHECK(chain.storage.alive(chain.nodes[0]));
    CHECK(chain.storage.alive(chain.nodes[2]) == stay);
    CHECK(chain.hierarchy.size() == (stay ? 2 : 1));
    CHECK(chain.storage.size() == chain.hierarchy.size());
    if (!stay) continue;
    CHECK(chain.local(2) == 3.0f);
    chain.hierarchy.update();
    CHECK(chain.world(2) == 3.0f);
  }
}

TEMPLATE_TEST_CASE("hierarchy of a storage: entities that are dead or lack a transform", "", STORAGES) {
  Chain<TestType> chain;
  const auto dead = chain.storage.create();
  chain.storage.destroy(dead);
  CHECK_THROWS_AS(chain.hierarchy.add(dead), DeadEntity);
  CHECK_THROWS_AS(chain.hierarchy.attach(dead, chain.nodes[0]), DeadEntity);
  CHECK_THROWS_AS(chain.hierarchy.attach(chain.nodes[0], dead), DeadEntity);
  CHECK_THROWS_AS(chain.hierarchy.touch(dead), UnknownNode);

  const auto bare = chain.storage.create(Name{7});
  CHECK_THROWS_AS(chain.hierarchy.attach(bare, chain.nodes[0]), UnknownNode);
  chain.hierarchy.add(bare);
  chain.hierarchy.attach(bare, chain.nodes[2]);
  chain.hierarchy.attach(chain.nodes[1], chain.nodes[0]);
  chain.hierarchy.update();  // without a WorldTransform to write
  CHECK(chain.storage.template find<WorldTransform>(bare) == nullptr);
  CHECK(chain.hierarchy.form().world(Entity(bare.index(), bare.generation()))[3].x == 3.0f);

  chain.storage.destroy(chain.nodes[2]);  // the hierarchy is not told
  chain.hierarchy.touch_all();
  chain.hierarchy.update();
  chain.hierarchy.remove(chain.nodes[2], Children::detach);
  CHECK(chain.hierarchy.parent(bare).is_null());
  chain.hierarchy.clear();
  CHECK(chain.hierarchy.size() == 0);
  CHECK(chain.storage.size() == 3);
}

}  // namespace
}  // namespace stowage
