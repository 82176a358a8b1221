#include "workloads/support/hierarchy_store.hpp"

#include <stowage/hierarchy/forms/sorted.hpp>

#include "tests/support/catch.hpp"
#include "workloads/support/trees.hpp"

namespace stowage::workloads {
namespace {

TEMPLATE_TEST_CASE("a stale handle is no node of a hand-written hierarchy", "", TransformColumns, TransformPairs,
                   DirectTransforms) {
  HierarchyRows<TestType> store(3);
  const Entity root = store.create(local_transform(1, 0, 0));
  const Entity stale = store.create(local_transform(1, 1, 0));
  store.attach(stale, root);
  store.update();
  store.remove(stale, Children::destroy);
  const Entity next = store.create(local_transform(1, 2, 0));
  CHECK(next.index() == stale.index());
  CHECK(store.contains(next));
  CHECK_FALSE(store.contains(stale));
  CHECK_THROWS_AS(store.touch(stale), UnknownNode);
  CHECK_THROWS_AS(store.set_local(stale, Matrix(1.0f)), UnknownNode);
  CHECK_THROWS_AS(store.attach(stale, root), UnknownNode);
  CHECK_THROWS_AS(store.attach(root, stale), UnknownNode);
  CHECK_THROWS_AS(store.detach(stale), UnknownNode);
  CHECK_THROWS_AS(store.remove(stale, Children::destroy), UnknownNode);
  CHECK_THROWS_AS(store.attach(root, root), CyclicAttachment);
  if constexpr (std::is_same_v<TestType, TransformColumns>) {
    std::vector<Entity> out(1);
    const std::vector<LocalTransform> locals(1);
    const std::vector<WorldTransform> worlds(1);
    const std::vector<std::uint32_t> parents{0};
    CHECK_THROWS_AS(store.create(out, locals, worlds, parents, stale), UnknownNode);
    store.create(out, locals, worlds, parents, root);
    CHECK(store.parent(out[0]) == root);
  }
}

TEMPLATE_TEST_CASE("a hand-written hierarchy does what a form of the library does", "", TransformColumns,
                   TransformPairs, DirectTransforms) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    HierarchyRows<TestType> store(0);
    SortedHierarchy form;
    std::vector<Entity> nodes;
    std::mt19937_64 random(seed);
    const auto any = [&] { return nodes[random() % nodes.size()]; };
    for (std::size_t step = 0; step < 1500; ++step) {
      const std::uint64_t what = random() % 100;
      if (what < 25 || nodes.empty()) {
        const Matrix local = local_transform(seed, step, 0);
        nodes.push_back(store.create(local));
        form.add(nodes.back(), local);
      } else if (what < 55) {
        const Entity child = any(), parent = any();
        const Keep keep = random() % 2 == 0 ? Keep::local : Keep::world;
        try {
          form.attach(child, parent, keep);
        } catch (const CyclicAttachment&) {
          CHECK_THROWS_AS(store.attach(child, parent, keep), CyclicAttachment);
          continue;
        }
        store.attach(child, parent, keep);
      } else if (what < 62) {
        const Entity node = any();
        store.detach(node);
        form.detach(node);
      } else if (what < 66) {
        const Entity node = any();
        store.remove(node, Children::destroy);
        form.remove(node, Children::destroy);
        std::erase_if(nodes, [&](Entity known) { return !form.contains(known); });
      } else if (what < 80) {
        const Entity node = any();
        store.set_local(node, local_transform(seed, step, 1));
        form.set_local(node, local_transform(seed, step, 1));
      } else {
        if (what == 80) store.touch_all();
        store.settle();
        what == 81 ? store.update_all() : store.update();
        form.update();
        bool agrees = true;
        for (const Entity node : nodes) {
          agrees = agrees && store.parent(node) == form.parent(node) &&
                   matrix_bits(store.local(node)) == matrix_bits(form.local(node)) &&
                   matrix_bits(store.world(node)) == matrix_bits(form.world(node));
        }
        REQUIRE(agrees);
      }
    }
  }
}

}  // namespace
}  // namespace stowage::workloads
