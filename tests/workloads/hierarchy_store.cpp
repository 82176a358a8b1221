#include "workloads/support/hierarchy_store.hpp"

#include "tests/strategies/hierarchy/model.hpp"
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

TEMPLATE_TEST_CASE("a hand-written hierarchy does what a map of parents does", "", TransformColumns, TransformPairs,
                   DirectTransforms) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    testing::RandomWork<HierarchyRows<TestType>> work(seed, 0U);
    for (std::size_t step = 0; step < 1500; ++step) work.step();
    work.finish();
  }
}

}  // namespace
}  // namespace stowage::workloads
