// A hierarchy over a storage: transforms are found and computed in place, however rows move, are ordered or end.
#include <bit>
#include <stowage/archetype_sections.hpp>
#include <stowage/archetype_sections_free_list.hpp>
#include <stowage/contract/registry.hpp>
#include <stowage/hash_index.hpp>
#include <stowage/hierarchy/hierarchy.hpp>
#include <stowage/indirection_map.hpp>
#include <stowage/indirection_map_lazy.hpp>
#include <stowage/indirection_map_paired.hpp>
#include <stowage/interleaved_pairs.hpp>
#include <stowage/naive_objects.hpp>
#include <stowage/object_indices.hpp>
#include <stowage/sparse_direct.hpp>

#include "tests/strategies/hierarchy/model.hpp"
#include "tests/support/catch.hpp"

namespace stowage {
namespace {

using testing::shift;

struct Name {
  int value;
};
using Scene = Schema<Group<LocalTransform, WorldTransform>, Name>;
using Apart = Schema<LocalTransform, WorldTransform, Name>;
/// Does not count moves of rows, and cannot order them.
template <class Storage>
class Unaware : private Storage {
 public:
  using Storage::alive, Storage::create, Storage::destroy, Storage::emplace, Storage::find, Storage::remove,
      Storage::size;
  using typename Storage::entity_type;
};
/// Rows in pools and in sections, that move and that stay; the others differ in what finds a row.
#define STORAGES_OF_A_SHORT_RUN                                                        \
  IndirectionMap<Scene>, (IndirectionMap<Scene, QueuedRegistry>), SparseDirect<Scene>, \
      ArchetypeSectionsFixed4k<Scene>, ArchetypeSectionsFreeList<Scene>, Unaware<IndirectionMap<Scene>>
#ifdef STOWAGE_TEST_ALL
#define STORAGES                                                                                          \
  STORAGES_OF_A_SHORT_RUN, IndirectionMap<Apart>, IndirectionMapLazy<Scene>, IndirectionMapPaired<Scene>, \
      InterleavedPairs<Scene>, HashIndex<Scene>, ObjectIndices<Scene>, NaiveObjects<Scene>,               \
      NaiveObjectsInlineFields<Scene>, ArchetypeSections<Scene>, Unaware<ArchetypeSections<Scene>>
#else
#define STORAGES STORAGES_OF_A_SHORT_RUN
#endif

/// Nodes that are shifted by one, in no order yet.
template <class Storage>
std::vector<typename Storage::entity_type> add_nodes(Storage& storage, Hierarchy<Storage>& hierarchy,
                                                     std::size_t count) {
  std::vector<typename Storage::entity_type> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    nodes.push_back(storage.create(LocalTransform{shift(1)}, WorldTransform{}));
    hierarchy.add(nodes.back());
  }
  return nodes;
}

/// A chain of three, each shifted by one.
template <class S>
struct Chain {
  using Storage = S;

  Chain() : hierarchy(storage), nodes(add_nodes(storage, hierarchy, 3)) {
    for (const std::size_t i : {1, 2}) hierarchy.attach(nodes[i], nodes[i - 1]);
    hierarchy.update();
  }
  float local(std::size_t node) { return storage.template find<LocalTransform>(nodes[node])->matrix[3].x; }
  float world(std::size_t node) { return storage.template find<WorldTransform>(nodes[node])->matrix[3].x; }
  void set_local(std::size_t node, float x) { storage.template find<LocalTransform>(nodes[node])->matrix = shift(x); }

  Storage storage;
  Hierarchy<Storage> hierarchy;
  std::vector<typename Storage::entity_type> nodes;
};

TEMPLATE_TEST_CASE("hierarchy of a storage: what is below a touched node is computed in place", "", STORAGES) {
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
  CHECK(chain.world(0) == -1.0f);  // not below what was touched, so it is what it was made
  CHECK(chain.world(2) == 5.0f);

  chain.set_local(0, 2);
  chain.set_local(2, 3);
  chain.hierarchy.touch_all();
  chain.hierarchy.update();
  CHECK(chain.world(0) == 2.0f);
  CHECK(chain.world(2) == 10.0f);
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
  chain.hierarchy.detach(bare);  // it has no local to keep it where it is
  chain.hierarchy.attach(bare, chain.nodes[2], Keep::world);
  chain.hierarchy.update();
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

TEMPLATE_TEST_CASE("hierarchy of a storage: the dead have no transform, collected or not", "", IndirectionMap<Scene>,
                   IndirectionMapLazy<Scene>) {
  Chain<TestType> chain;
  chain.set_local(0, 5);
  chain.hierarchy.touch_all();
  chain.hierarchy.update();
  REQUIRE(chain.world(1) == 6.0f);
  chain.storage.destroy(chain.nodes[0]);
  chain.hierarchy.touch_all();
  chain.hierarchy.update();
  CHECK(chain.world(1) == 1.0f);
}

TEMPLATE_TEST_CASE("hierarchy of a storage: a transform that is gained or lost counts as touched", "", STORAGES) {
  Chain<TestType> chain;
  chain.storage.template remove<LocalTransform>(chain.nodes[1]);
  chain.hierarchy.update();
  CHECK(chain.world(2) == 2.0f);
  chain.storage.template emplace<LocalTransform>(chain.nodes[1], LocalTransform{shift(4)});
  chain.hierarchy.update();
  CHECK(chain.world(2) == 6.0f);

  chain.storage.template remove<WorldTransform>(chain.nodes[1]);
  chain.hierarchy.detach(chain.nodes[2]);  // by way of a world that nothing has
  CHECK(chain.local(2) == 6.0f);
  chain.hierarchy.attach(chain.nodes[2], chain.nodes[1], Keep::world);
  CHECK(chain.local(2) == 1.0f);
  chain.hierarchy.update();
  CHECK(chain.world(2) == 6.0f);
  chain.storage.template emplace<WorldTransform>(chain.nodes[1], WorldTransform{shift(-1)});
  chain.hierarchy.update();
  CHECK(chain.world(1) == 5.0f);
  CHECK(chain.world(2) == 6.0f);
}

TEMPLATE_TEST_CASE("hierarchy of a storage: a transform that is gained counts at once", "", STORAGES) {
  Chain<TestType> chain;
  auto& [storage, hierarchy, nodes] = chain;
  nodes.push_back(storage.create(LocalTransform{shift(2)}));
  nodes.push_back(storage.create(WorldTransform{}));
  nodes.push_back(storage.create(LocalTransform{shift(1)}, WorldTransform{}));
  for (const std::size_t i : {3, 4, 5}) {
    hierarchy.add(nodes[i]);
    hierarchy.attach(nodes[i], i == 5 ? nodes[4] : nodes[2]);
  }
  hierarchy.update();
  storage.template emplace<WorldTransform>(nodes[3], WorldTransform{shift(-1)});
  hierarchy.detach(nodes[3]);
  CHECK(chain.local(3) == 5.0f);
  storage.template emplace<LocalTransform>(nodes[4], LocalTransform{shift(4)});
  hierarchy.remove(nodes[4], Children::detach);
  CHECK(chain.local(5) == 8.0f);
}

/// Entities come, go, and gain and lose components, and nodes move in the tree, between updates and without any.
TEMPLATE_TEST_CASE("hierarchy of a storage: random work agrees with a map of parents", "", STORAGES) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    std::mt19937_64 random(seed);
    TestType storage;
    Hierarchy<TestType> hierarchy(storage);
    testing::HierarchyModel model;
    using Handle = typename TestType::entity_type;
    std::vector<Handle> strangers;
    const auto handle = [](Entity node) { return Handle(node.index(), node.generation()); };
    const auto entity = [](Handle node) { return Entity(node.index(), node.generation()); };
    const auto any = [&] {
      return std::next(model.nodes.begin(), static_cast<std::ptrdiff_t>(random() % model.nodes.size()))->first;
    };
    for (int step = 0; step < 3000; ++step) {
      const std::uint64_t what = random() % 100;
      if (what < 3 && !model.nodes.empty()) {  // a subtree of a template, below a node or alone
        const Entity top = what == 0 ? Entity{} : any();
        const std::vector<std::uint32_t> parents{0, 0, 1, 0, 4, 3};
        std::vector<Handle> made(parents.size());
        for (Handle& node : made) {
          const Matrix local = testing::drawn_transform(random);
          node = storage.create(LocalTransform{local}, WorldTransform{});
          model.add(entity(node), local);
        }
        for (std::size_t i = 0; i < made.size(); ++i) {
          if (parents[i] != i) model.attach(entity(made[i]), entity(made[parents[i]]), Keep::local);
          if (parents[i] == i && !top.is_null()) model.attach(entity(made[i]), top, Keep::local);
        }
        hierarchy.add(std::span<const Handle>(made), std::span(parents), top.is_null() ? Handle{} : handle(top));
      } else if (what < 22 || model.nodes.empty()) {
        const Matrix local = testing::drawn_transform(random);
        const Handle created = storage.create(LocalTransform{local}, WorldTransform{});
        hierarchy.add(created);
        model.add(entity(created), local);
      } else if (what < 27) {
        strangers.push_back(storage.create(LocalTransform{shift(1)}, WorldTransform{}, Name{7}));
      } else if (what < 31 && !strangers.empty()) {
        storage.destroy(strangers.back());
        strangers.pop_back();
      } else if (what < 36) {
        storage.template emplace<Name>(handle(any()), Name{step});
      } else if (what < 41) {
        storage.template remove<Name>(handle(any()));
      } else if (what < 60) {
        const Entity child = any(), parent = any();
        const Keep keep = random() % 2 == 0 ? Keep::local : Keep::world;
        if (model.would_be_cycle(child, parent)) continue;
        hierarchy.attach(handle(child), handle(parent), keep);
        model.attach(child, parent, keep);
      } else if (what < 66) {
        const Entity node = any();
        hierarchy.detach(handle(node));
        model.detach(node);
      } else if (what < 70) {
        const Entity node = any();
        const Children children = random() % 2 == 0 ? Children::destroy : Children::detach;
        hierarchy.destroy(handle(node), children);
        model.remove(node, children);
      } else if (what < 92) {
        const Entity node = any();
        const Matrix local = testing::drawn_transform(random);
        storage.template find<LocalTransform>(handle(node))->matrix = local;
        hierarchy.touch(handle(node));
        model.nodes.at(node).local = local;
      } else {
        if (what == 92) hierarchy.touch_all();
        hierarchy.update();
        bool agrees = hierarchy.size() == model.nodes.size();
        for (const auto& [node, known] : model.nodes) {
          const auto [local, world] = storage.template find<LocalTransform, WorldTransform>(handle(node));
          const Handle above = hierarchy.parent(handle(node));
          agrees = agrees && testing::same_bits(local->matrix, known.local) &&
                   testing::same_bits(world->matrix, model.world(node)) &&
                   (above.is_null() ? known.parent.is_null() : entity(above) == known.parent);
        }
        REQUIRE(agrees);
      }
    }
    for (const Handle stranger : strangers) {
      REQUIRE(storage.template find<LocalTransform>(stranger)->matrix[3].x == 1.0f);
      REQUIRE(storage.template find<Name>(stranger)->value == 7);
    }
  }
}

TEMPLATE_TEST_CASE("hierarchy of a storage: subtrees that cannot be added are not there", "", STORAGES) {
  Chain<TestType> chain;
  using Handle = typename TestType::entity_type;
  const std::vector<std::uint32_t> parents{0, 0, 1};
  std::vector<Handle> made;
  for (int i = 0; i < 3; ++i) made.push_back(chain.storage.create(LocalTransform{shift(1)}));
  std::vector<Handle> with_a_node{made[0], made[1], chain.nodes[2]};
  const Handle stranger = chain.storage.create();
  const std::span<const std::uint32_t> above(parents);
  CHECK_THROWS_AS(chain.hierarchy.add(std::span<const Handle>(with_a_node), above, chain.nodes[0]), NodeExists);
  CHECK_THROWS_AS(chain.hierarchy.add(std::span<const Handle>(made), above, stranger), UnknownNode);
  chain.storage.destroy(stranger);
  CHECK_THROWS_AS(chain.hierarchy.add(std::span<const Handle>(made), above, stranger), DeadEntity);
  CHECK(chain.hierarchy.size() == 3);
  for (const Handle node : made) CHECK_FALSE(chain.hierarchy.contains(node));
  chain.hierarchy.add(std::span<const Handle>(made), above, chain.nodes[2]);
  chain.hierarchy.update();
  CHECK(chain.hierarchy.size() == 6);
  CHECK(chain.hierarchy.parent(made[2]) == made[1]);
  chain.storage.template emplace<WorldTransform>(made[2]);
  chain.hierarchy.update();
  CHECK(chain.storage.template find<WorldTransform>(made[2])->matrix[3].x == 6);
}

TEMPLATE_TEST_CASE("hierarchy of a storage: new nodes after the last one has gone", "", STORAGES) {
  Chain<TestType> chain;
  chain.hierarchy.destroy(chain.nodes[0], Children::destroy);
  chain.hierarchy.touch_all();
  chain.hierarchy.update();
  CHECK(chain.hierarchy.size() == 0);
  chain.nodes[0] = chain.storage.create(LocalTransform{shift(4)}, WorldTransform{});
  chain.hierarchy.add(chain.nodes[0]);
  chain.hierarchy.update();
  CHECK(chain.world(0) == 4.0f);
}

/// Transforms lie behind each other, but for nodes that have another component or lack one, and for holes.
TEMPLATE_TEST_CASE("hierarchy of a storage: all worlds are computed anew wherever transforms lie", "", STORAGES) {
  constexpr std::size_t count = 600;
  TestType storage;
  Hierarchy<TestType> hierarchy(storage);
  const auto nodes = add_nodes(storage, hierarchy, count);
  std::vector<float> steps(count, 1);
  for (std::size_t i = 1; i < count; ++i) hierarchy.attach(nodes[i], nodes[(i - 1) / 4]);
  std::size_t nodes_left = count;
  const auto check_worlds = [&] {
    hierarchy.touch_all();
    hierarchy.update();
    std::vector<float> worlds(count);
    for (std::size_t i = 0; i < nodes_left; ++i) {
      worlds[i] = (i == 0 ? 0 : worlds[(i - 1) / 4]) + steps[i];
      const auto* const world = storage.template find<WorldTransform>(nodes[i]);
      if (world != nullptr) REQUIRE(world->matrix[3].x == worlds[i]);
    }
  };
  const auto set_steps = [&](std::size_t every, float step) {
    for (std::size_t i = 0; i < nodes_left; i += every) {
      storage.template find<LocalTransform>(nodes[i])->matrix = shift(step);
      steps[i] = step;
    }
  };
  check_worlds();
  set_steps(7, 2);
  check_worlds();
  for (std::size_t i = 0; i < count; i += 90) storage.template emplace<Name>(nodes[i], Name{1});
  check_worlds();
  storage.template remove<WorldTransform>(nodes[20]);
  storage.template remove<WorldTransform>(nodes[500]);
  set_steps(5, 3);
  check_worlds();
  for (std::size_t i = count; i-- > count - 40;) hierarchy.destroy(nodes[i], Children::destroy);
  nodes_left -= 40;
  check_worlds();
  hierarchy.detach(nodes[50]);  // stays where it is, and so does what is below it
  check_worlds();
}

TEMPLATE_TEST_CASE("hierarchy of a storage: room for more nodes than there can be is refused, and nothing changes", "",
                   IndirectionMap<Scene>, ArchetypeSections<Scene>, NaiveObjects<Scene>) {
  Chain<TestType> chain;
  const std::size_t bytes = chain.hierarchy.memory().total_bytes();
  for (const std::size_t count :
       {std::size_t{1} << 62, std::size_t{1} << 33, SIZE_MAX, SIZE_MAX / sizeof(Matrix) + 1}) {
    CHECK_THROWS_AS(chain.hierarchy.reserve(count), std::length_error);
    CHECK_THROWS_AS(chain.storage.reserve(count), std::length_error);
    CHECK_THROWS_AS(chain.storage.template reserve<Name>(count), std::length_error);
  }
  CHECK(chain.hierarchy.memory().total_bytes() == bytes);
  for (int i = 0; i < 100; ++i) chain.hierarchy.add(chain.storage.create(LocalTransform{}, WorldTransform{}));
  CHECK(chain.hierarchy.size() == 103);
}

TEST_CASE("hierarchy of a storage: transforms come to lie as nodes do") {
  IndirectionMap<Scene> storage;
  Hierarchy hierarchy(storage);
  constexpr std::size_t count = 300;
  std::vector<Entity> nodes = add_nodes(storage, hierarchy, count);
  std::mt19937_64 random(1);
  for (std::size_t i = count; i-- > 1;) std::swap(nodes[i], nodes[random() % (i + 1)]);
  for (std::size_t i = 1; i < count; ++i) hierarchy.attach(nodes[i], nodes[(i - 1) / 2]);
  hierarchy.update();
  CHECK(hierarchy.form().jumps() == 1);  // to the first
  for (std::size_t i = 0; i < count; ++i) {
    float depth = 1;
    for (std::size_t at = i; at != 0; at = (at - 1) / 2) ++depth;
    REQUIRE(storage.find<WorldTransform>(nodes[i])->matrix[3].x == depth);
  }
  const std::uint64_t moves = storage.moves();
  hierarchy.update();
  CHECK(storage.moves() == moves);
}

TEST_CASE("hierarchy of a storage: rows that others have moved come back if they are more than an eighth") {
  constexpr std::size_t count = 400;
  std::mt19937_64 random(2);
  for (const std::size_t swapped : {5, 60}) {
    IndirectionMap<Scene> storage;
    Hierarchy hierarchy(storage);
    std::vector<Entity> nodes = add_nodes(storage, hierarchy, count);
    for (std::size_t i = 1; i < count; ++i) hierarchy.attach(nodes[i], nodes[i - 1]);
    hierarchy.update();
    for (std::size_t i = 0; i < swapped; ++i) std::swap(nodes[random() % count], nodes[random() % count]);
    storage.order_rows<LocalTransform, WorldTransform>(std::span<const Entity>(nodes));
    const std::uint64_t moves = storage.moves();
    hierarchy.update();
    CHECK((storage.moves() == moves) == (swapped == 5));
  }
}

TEST_CASE("hierarchy of a storage: nodes that were created by breadth stay where they are") {
  constexpr std::size_t count = 900;
  for (const std::size_t children : {1, 2, 4}) {
    IndirectionMap<Scene> storage;
    Hierarchy hierarchy(storage);
    std::vector<Entity> nodes;
    for (std::size_t i = 0; i < count; ++i) {
      nodes.push_back(storage.create(LocalTransform{shift(1)}, WorldTransform{}));
      hierarchy.add(nodes.back());
      if (i != 0) hierarchy.attach(nodes.back(), nodes[(i - 1) / children]);
    }
    const std::uint64_t moves = storage.moves();
    hierarchy.update();
    const auto order = hierarchy.form().in_order().subspan(1);
    CHECK(std::ranges::equal(order, nodes) == (children != 2));  // a chain has one order
    CHECK((storage.moves() == moves) == (children != 2));
    CHECK(storage.find<WorldTransform>(nodes.back())->matrix[3].x > 1);
  }
}

TEST_CASE("hierarchy of a storage: where transforms stay, nodes come to lie as they do") {
  constexpr std::size_t count = 255;
  for (const bool parents_first : {true, false}) {
    SparseDirect<Scene> storage;
    storage.reserve<LocalTransform, WorldTransform>(count);  // in one piece: addresses rise with the index
    Hierarchy hierarchy(storage);
    std::vector<Entity> nodes = add_nodes(storage, hierarchy, count);  // a full binary tree, from the root on
    if (!parents_first) std::ranges::reverse(nodes);
    for (std::size_t i = count; i-- > 1;) hierarchy.attach(nodes[i], nodes[(i - 1) / 2]);
    hierarchy.update();
    const auto order = hierarchy.form().in_order().subspan(1);  // behind the origin
    REQUIRE(order.size() == count);
    std::size_t backwards = 0;
    for (std::size_t i = 1; i < count; ++i) backwards += order[i].index() < order[i - 1].index() ? 1 : 0;
    CHECK(backwards == (parents_first ? 0 : 7));  // a pass for each level
    for (std::size_t i = 0; i < count; ++i) {
      REQUIRE(storage.find<WorldTransform>(nodes[i])->matrix[3].x == static_cast<float>(std::bit_width(i + 1)));
    }
  }
}

}  // namespace
}  // namespace stowage
