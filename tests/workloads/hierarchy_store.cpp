#include "workloads/floors/hierarchy_store.hpp"

#include <stowage/hierarchy/hierarchy.hpp>

#include "tests/strategies/hierarchy/model.hpp"
#include "tests/support/catch.hpp"
#include "workloads/support/trees.hpp"

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

}  // namespace
}  // namespace stowage::workloads
