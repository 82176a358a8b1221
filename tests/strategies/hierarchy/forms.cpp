// One test body for all forms of a hierarchy: attach, detach, remove and update give the same worlds in each.
#include <new>
#include <stowage/hierarchy/forms/levels.hpp>
#include <stowage/hierarchy/forms/pointers.hpp>
#include <stowage/hierarchy/forms/siblings.hpp>
#include <stowage/hierarchy/forms/sorted.hpp>
#include <stowage/hierarchy/lazy_sorted.hpp>
#include <stowage/hierarchy/matrices.hpp>

#include "tests/strategies/hierarchy/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/counting_new.hpp"

#define EVERY_FORM                                                                                          \
  SortedHierarchy, LazySortedHierarchy, LevelHierarchy, LevelsInChunks, SiblingHierarchy, PointerHierarchy, \
      StackedPointerHierarchy

namespace stowage {
namespace {

/// LevelHierarchy by chunks, the last of a level first, as threads might take them.
class LevelsInChunks : public LevelHierarchy {
 public:
  void update() {
    LevelHierarchy::update(2, [](std::size_t chunks, ChunkWork work) {
      while (chunks-- != 0) work(chunks, chunks + 1);
    });
  }
};

using testing::HierarchyModel;
using testing::same_bits;
using testing::shift;

Entity node(EntityIndex index, std::uint32_t generation = 0) { return Entity(index, generation); }

template <class Form>
std::set<Entity> changed_in(Form& form) {
  form.update();
  std::set<Entity> changed;
  form.each_changed([&](Entity entity, const Matrix&) { changed.insert(entity); });
  return changed;
}

TEMPLATE_TEST_CASE("hierarchy: an impossible operation is refused and changes nothing", "", EVERY_FORM) {
  TestType form;
  HierarchyModel model;
  for (EntityIndex i = 0; i < 4; ++i) {
    form.add(node(i), shift(1));
    model.add(node(i), shift(1));
  }
  for (EntityIndex i = 1; i < 3; ++i) {
    form.attach(node(i), node(i - 1));
    model.attach(node(i), node(i - 1), Keep::local);
  }
  testing::update_both(form, model);
  CHECK_THROWS_AS(form.attach(node(0), node(0)), CyclicAttachment);
  CHECK_THROWS_AS(form.attach(node(0), node(2)), CyclicAttachment);
  CHECK_THROWS_AS(form.attach(node(0), node(2), Keep::world), CyclicAttachment);
  const Entity strangers[] = {node(9), node(1, 1), Entity{}};
  for (const Entity stranger : strangers) {
    CHECK_FALSE(form.contains(stranger));
    CHECK_THROWS_AS(form.attach(stranger, node(0)), UnknownNode);
    CHECK_THROWS_AS(form.attach(node(3), stranger), UnknownNode);
    CHECK_THROWS_AS(form.detach(stranger), UnknownNode);
    CHECK_THROWS_AS(form.remove(stranger, Children::destroy), UnknownNode);
    CHECK_THROWS_AS(form.set_local(stranger, shift(2)), UnknownNode);
    CHECK_THROWS_AS(form.touch(stranger), UnknownNode);
    CHECK_THROWS_AS(form.world(stranger), UnknownNode);
    CHECK_THROWS_AS(form.parent(stranger), UnknownNode);
    CHECK_THROWS_AS(form.current_world(stranger), UnknownNode);
  }
  CHECK_THROWS_AS(form.add(node(1), shift(2)), NodeExists);
  CHECK_THROWS_AS(form.add(node(1, 7), shift(2)), NodeExists);
  CHECK(testing::is_same(form, model, true));
  CHECK(changed_in(form).empty());

  form.set_local(node(2), Matrix(0.0f));
  CHECK_THROWS_AS(form.attach(node(3), node(2), Keep::world), NotInvertible);
  CHECK(form.parent(node(3)).is_null());
  CHECK(same_bits(form.local(node(3)), shift(1)));

  form.remove(node(3), Children::destroy);
  CHECK_FALSE(form.contains(node(3)));
  form.add(node(3, 2), shift(2));  // an index can be added again
  CHECK_FALSE(form.contains(node(3)));
  form.update();
  CHECK(form.world(node(3, 2))[3].x == 2.0f);
}

TEMPLATE_TEST_CASE("hierarchy: append_subtree() lists parents first", "", EVERY_FORM) {
  TestType form;
  for (EntityIndex i = 0; i < 15; ++i) form.add(node(i));
  for (EntityIndex i = 14; i > 0; --i) form.attach(node(i), node((i - 1) / 2));
  std::vector<Entity> subtree{node(99)};
  form.append_subtree(node(2), subtree);
  CHECK(subtree[0] == node(99));
  CHECK(subtree[1] == node(2));
  CHECK(std::set(subtree.begin() + 1, subtree.end()) ==
        std::set{node(2), node(5), node(6), node(11), node(12), node(13), node(14)});
  for (std::size_t i = 2; i < subtree.size(); ++i) {
    const auto before = subtree.begin() + static_cast<std::ptrdiff_t>(i);
    CHECK(std::find(subtree.begin() + 1, before, form.parent(subtree[i])) != before);
  }
}

TEMPLATE_TEST_CASE("hierarchy: a chain of 100,000 does not overflow the stack", "", EVERY_FORM) {
  constexpr EntityIndex count = 100'000;
  TestType form;
  form.reserve(count);
  for (EntityIndex i = 0; i < count; ++i) form.add(node(i), shift(1));
  // in halves: every attach() looks for a cycle up to the root, so from the root on it would take 5 billion steps
  for (EntityIndex step = 1; step < count; step *= 2) {
    for (EntityIndex i = step; i < count; i += 2 * step) form.attach(node(i), node(i - 1));
  }
  form.update();
  CHECK(form.world(node(count - 1))[3].x == static_cast<float>(count));
  form.touch(node(1));
  form.update();
  std::size_t changed = 0;
  form.each_changed([&](Entity, const Matrix&) { ++changed; });
  CHECK(changed == count - 1);
  CHECK(form.current_world(node(count - 1))[3].x == static_cast<float>(count));
  form.remove(node(count / 2), Children::destroy);
  CHECK(form.size() == count / 2);
}

/// In which operations fail at each of their allocations in turn, and every time nothing has changed.
template <class Form>
class ShortOfMemory : public testing::RandomWork<Form> {
 public:
  using testing::RandomWork<Form>::RandomWork;
  std::size_t failures = 0;

 private:
  void attempt(const std::function<void()>& operation) override {
    for (std::size_t nth = 1;; ++nth) {
      try {
        const testing::FailingAllocation failing(nth, testing::Shortage::passing);
        operation();
        if (!failing.happened()) return;
        FAIL("a failed allocation went unnoticed");
      } catch (const std::bad_alloc&) {
        ++failures;
      }
      this->compare();
    }
  }
};

TEMPLATE_TEST_CASE("hierarchy: random work agrees with a map of parents", "", EVERY_FORM) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    testing::RandomWork<TestType> work(seed);
    for (int i = 0; i < 400; ++i) {
      work.step();
      work.compare();
      work.compare_current_worlds();
    }
    work.finish();
  }
}

TEMPLATE_TEST_CASE("hierarchy: if memory is short nothing has changed", "", EVERY_FORM) {
  std::size_t failures = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ShortOfMemory<TestType> work(seed);
    for (int i = 0; i < 200; ++i) work.step();
    work.finish();
    failures += work.failures;
  }
  CHECK(failures > 20);
}

TEMPLATE_TEST_CASE("hierarchy: memory() is right to the byte and to the block", "", EVERY_FORM) {
  const harness::HeapUse before = testing::heap();
  auto form = std::make_unique<TestType>();
  const harness::HeapUse empty = testing::heap();
  const auto check = [&] {
    const harness::HeapUse now = testing::heap();
    const MemoryBreakdown told = form->memory();
    CHECK(told.total_bytes() == now.live_bytes - empty.live_bytes);
    CHECK(told.allocations == now.live_blocks - empty.live_blocks);
    CHECK(told.payload_bytes == form->size() * 2 * sizeof(Matrix));
  };
  check();
  for (EntityIndex i = 0; i < 200; ++i) form->add(node(i), shift(1));
  for (EntityIndex i = 199; i > 0; --i) form->attach(node(i), node((i - 1) / 3));
  check();
  form->update();
  check();
  form->detach(node(7));
  form->remove(node(4), Children::destroy);
  form->remove(node(5), Children::detach);
  check();
  form->update();
  form->clear();
  CHECK(form->size() == 0);
  check();
  form->add(node(0), shift(1));
  form->update();
  CHECK(form->world(node(0))[3].x == 1.0f);
  form.reset();
  CHECK(testing::heap().live_bytes == before.live_bytes);
}

}  // namespace
}  // namespace stowage
