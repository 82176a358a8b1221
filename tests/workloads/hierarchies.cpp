// Hierarchies beside those of strategies: hand-written ones beside a map of parents, and the published one beside the
// library's.
#include "workloads/floors/hierarchy_store.hpp"

#include <stowage/hierarchy/forms/sorted.hpp>
#include <stowage/hierarchy/hierarchy.hpp>

#include "tests/strategies/hierarchy/model.hpp"
#include "tests/support/catch.hpp"
#include "workloads/support/hierarchies.hpp"
#include "workloads/support/random.hpp"
#include "workloads/support/trees.hpp"
#include "workloads/support/wicked_scene.hpp"

namespace stowage::workloads {
namespace {

TEMPLATE_TEST_CASE("a stale handle is no node of a hand-written hierarchy", "", TransformColumns, TransformPairs,
                   DirectTransforms) {
  HierarchyRows<TestType> store(3);
  const Entity stale = store.create(local_transform(1, 0, 0));
  store.update();
  store.end_all();
  CHECK_FALSE(store.contains(stale));
  const Entity root = store.create(local_transform(1, 1, 0));
  CHECK(root.index() == stale.index());
  CHECK(store.contains(root));
  CHECK_FALSE(store.contains(stale));
  CHECK_THROWS_AS(store.touch(stale), std::out_of_range);
  CHECK_THROWS_AS(store.set_local(stale, Matrix(1.0f)), std::out_of_range);
  CHECK_THROWS_AS(store.write_local(stale, Matrix(1.0f)), std::out_of_range);
  CHECK_THROWS_AS(store.attach(stale, root), std::out_of_range);
  CHECK_THROWS_AS(store.attach(root, stale), std::out_of_range);
  CHECK_THROWS_AS(store.detach(stale), std::out_of_range);
  CHECK_THROWS_AS(store.destroy(stale), std::out_of_range);
  CHECK_THROWS_AS(store.attach(root, root), std::logic_error);
  if constexpr (std::is_same_v<TestType, TransformColumns>) {
    std::vector<Entity> out(1);
    const std::vector<LocalTransform> locals(1);
    const std::vector<WorldTransform> worlds(1);
    const std::vector<std::uint32_t> parents{0};
    CHECK_THROWS_AS(store.create(out, std::span(locals), std::span(worlds), parents, stale), std::out_of_range);
    store.create(out, std::span(locals), std::span(worlds), parents, root);
    CHECK(store.parent(out[0]) == root);
  }
}

TEMPLATE_TEST_CASE("a hand-written hierarchy does what a map of parents does", "", TransformColumns, TransformPairs,
                   DirectTransforms) {
  std::mt19937_64 random(1);
  HierarchyRows<TestType> store(0);
  testing::HierarchyModel model;
  std::vector<Entity> nodes;
  const auto any = [&] { return nodes[random() % nodes.size()]; };
  for (int step = 0; step < 5000; ++step) {
    const Matrix local = testing::drawn_transform(random);
    const std::uint64_t what = nodes.empty() ? 0 : random() % 100;
    if (what < 20) {
      nodes.push_back(store.create(local));
      model.add(nodes.back(), local);
    } else if (what < 60) {
      const Entity child = any();
      const Entity parent = any();
      if (model.would_be_cycle(child, parent)) {
        CHECK_THROWS_AS(store.attach(child, parent), std::logic_error);
      } else {
        store.attach(child, parent);
        model.attach(child, parent, Keep::local);
      }
    } else if (what < 70) {
      const Entity node = any();
      store.detach(node);
      model.detach(node);
    } else if (what < 71) {
      const Entity node = any();
      store.destroy(node);
      model.remove(node, Children::destroy);
      REQUIRE(store.size() == model.nodes.size());
      std::erase_if(nodes, [&](Entity each) {
        CHECK(store.contains(each) == model.nodes.contains(each));
        return !model.nodes.contains(each);
      });
    } else if (what < 90) {
      const Entity node = any();
      store.set_local(node, local);
      model.nodes.at(node).local = local;
    } else {
      what < 95 ? store.settle() : what < 98 ? store.update() : store.update_all();
      REQUIRE(testing::is_same(store, model, what >= 95));
    }
    if (nodes.size() == 300) {
      store.end_all();
      model.nodes.clear();
      nodes.clear();
    }
  }
}

// ---- the update that is measured

/// Its nodes cannot be touched.
struct NumbScene : BareScene<SortedHierarchy> {
  using BareScene::BareScene;
  void touch(Handle) {}
  void touch_all() {}
};

TEMPLATE_TEST_CASE("an update that was told of no change has another checksum", "", NumbScene,
                   BareScene<SortedHierarchy>) {
  for (const unsigned dirty : {10u, 100u}) {
    const TreePlan plan = plan_tree(tree_parents(100, 4), Creation::by_breadth, dirty, 1);
    HierarchyUpdate<TestType> measured(plan, 1);
    NodeArrays by_hand(plan, 1);
    for (int pass = 0; pass < 2; ++pass) {
      if (pass == 0) measured.prepare(), by_hand.prepare();
      measured.run();
      by_hand.run();
      CHECK((measured.checksum() == by_hand.checksum()) != std::is_same_v<TestType, NumbScene>);
    }
  }
}

// ---- the published hierarchy

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
