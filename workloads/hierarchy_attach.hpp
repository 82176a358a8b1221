#pragma once

// Workload: what it costs to attach a whole tree to another and detach it, if rows have to move and if not.

#include "workloads/support/hierarchies.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard hierarchy_attach_card{
    .name = "hierarchy_attach",
    .setup = "two trees of n nodes, each node with four children as far as there are any, one made after the other",
    .measured =
        "work:attach the first tree is attached to the last node of the second, rows are put in order, and it is "
        "detached again; then the second to the last node of the first: all of a tree has to move each time; "
        "work:detach the second is attached to the last node of the first and detached: nothing has to move. What "
        "detaching made of a local transform is set back; world transforms are not computed",
    .item = "node of a tree that is attached",
    .checksum = "wrapping sum of the local transforms that detaching made, and hash(node, bits of its world) of all",
    .favours = "trees of pointers and links, in which nothing has to move",
    .disadvantages = "rows in order, which have to",
    .floor = "none by counting; hand-written: two blocks of rows by breadth that are rotated",
    .sizes = {10'000, 1000},
    .largest_entities = 1024 * 1024,
};

/// The shape of both trees.
[[nodiscard]] inline TreePlan attached_tree(const Parameters& parameters) {
  return plan_tree(tree_parents(parameters.entities, 4), Creation::by_breadth, 100, parameters.seed);
}

/// Makes both, one after the other, and gives their nodes in that order.
template <class Scene>
[[nodiscard]] Array<typename Scene::Handle> make_two_trees(Scene& scene, const Parameters& parameters) {
  const TreePlan plan = attached_tree(parameters);
  Array<typename Scene::Handle> nodes;
  for (const std::size_t root : {std::size_t{0}, plan.size()}) {
    for (std::size_t node = 0; node < plan.size(); ++node) {
      nodes.push_back(scene.create(local_transform(parameters.seed, root + node, 0)));
      if (node != 0) scene.attach(nodes.back(), nodes[root + plan.parents[node]]);
    }
  }
  scene.update();
  return nodes;
}

template <class Scene>
class HierarchyAttach {
  using Handle = typename Scene::Handle;

 public:
  explicit HierarchyAttach(const Parameters& parameters)
      : moves_(parameters.get("work") == "attach"),
        scene_(2 * parameters.entities),
        nodes_(make_two_trees(scene_, parameters)) {
    for (std::size_t tree = 0; tree < 2; ++tree) {
      const std::size_t root = tree * parameters.entities;
      trees_[tree] = {nodes_[root], nodes_[root + parameters.entities - 1], local_transform(parameters.seed, root, 0)};
    }
  }

  void prepare() { sum_ = 0; }
  void run() {
    if (moves_) attach_and_detach(trees_[0], trees_[1]);
    attach_and_detach(trees_[1], trees_[0]);
    keep(scene_);
  }

  [[nodiscard]] std::uint64_t items() const { return moves_ ? nodes_.size() : nodes_.size() / 2; }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    sum.add(nodes_.size(), sum_);
    scene_.update();
    for (std::size_t node = 0; node < nodes_.size(); ++node) sum.add(node, matrix_bits(scene_.world(nodes_[node])));
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return scene_.memory(); }
  void clear()
    requires requires(Scene& scene) { scene.clear(); }
  {
    scene_.clear();
  }

 private:
  struct Tree {
    Handle root;
    Handle last;
    Matrix local;  ///< of the root
  };

  void attach_and_detach(const Tree& child, const Tree& parent) {
    scene_.attach(child.root, parent.last);
    scene_.settle();
    scene_.detach(child.root);
    sum_ += matrix_bits(scene_.local(child.root));
    scene_.set_local(child.root, child.local);
  }

  bool moves_;
  Scene scene_;
  Array<Handle> nodes_;
  Tree trees_[2];
  std::uint64_t sum_ = 0;
};

/// Both in arrays, in the order of their nodes. Row 0 is the identity, which is above both roots.
struct TwoBlocks {
  explicit TwoBlocks(const Parameters& parameters);

  StoredArray<std::uint32_t> parents;
  StoredArray<Matrix> locals, worlds;
};

/// Hand-written: the two trees are two blocks of rows, which change places as they are.
class RotatedBlocks {
 public:
  explicit RotatedBlocks(const Parameters& parameters);

  void prepare() { sum_ = 0; }
  void run();

  [[nodiscard]] std::uint64_t items() const { return moves_ ? 2 * nodes_ : nodes_; }
  [[nodiscard]] std::uint64_t checksum();
  [[nodiscard]] MemoryBreakdown memory() const;

 private:
  void attach_and_detach(std::size_t child);
  void swap_blocks();
  [[nodiscard]] std::size_t root_of(std::size_t tree) const { return tree == first_ ? 1 : 1 + nodes_; }
  [[nodiscard]] std::size_t last_of(std::size_t tree) const { return root_of(tree) + nodes_ - 1; }

  bool moves_;
  std::size_t nodes_;      ///< of one tree
  std::size_t first_ = 0;  ///< the tree whose rows come first
  TwoBlocks rows_;
  std::uint64_t sum_ = 0;
};

template <class Form>
using AttachFormRow = ContractFloor<FormName<Form>, HierarchyAttach<BareScene<Form>>>;

/// Only of small trees: to attach one of 10,000 nodes takes 10,000 moves of up to 10,000 rows and map entries each.
struct WickedAttachRow : ContractFloor<WickedForm, HierarchyAttach<WickedScene>> {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return parameters.entities <= 1000; }
};

struct HierarchyAttachWork {
  static constexpr const WorkloadCard& card = hierarchy_attach_card;
  using References = TypeList<RotatedBlocks, ContractFloor<StoreName, HierarchyAttach<HierarchyStore>>,
                              ContractFloor<InterleavedName, HierarchyAttach<HierarchyRows<TransformPairs>>>,
                              ContractFloor<DirectName, HierarchyAttach<HierarchyRows<DirectTransforms>>>,
                              WickedAttachRow, AttachFormRow<SortedHierarchy>, AttachFormRow<LazySortedHierarchy>,
                              AttachFormRow<LevelHierarchy>, AttachFormRow<SiblingHierarchy>,
                              AttachFormRow<PointerHierarchy>, AttachFormRow<StackedPointerHierarchy>>;

  [[nodiscard]] static std::vector<Axis> axes() { return {{"work", {"attach", "detach"}, {"attach"}}}; }
  /// Links and pointers move nothing; what order must be kept by moving depends on where nodes are.
  [[nodiscard]] static Floor floor(const Parameters&, Lines) { return {}; }
  /// Of both trees.
  [[nodiscard]] static std::size_t rows(const Parameters& parameters) { return 2 * parameters.entities; }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<HierarchyAttach<StoredScene<Strategy<HierarchySchema>>>>(parameters);
  }
};

}  // namespace stowage::workloads
