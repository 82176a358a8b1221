#pragma once

// Workload: what it costs to destroy a tree with all of its entities.

#include "workloads/hierarchy_attach.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard hierarchy_destroy_card{
    .name = "hierarchy_destroy",
    .setup = "the two trees of hierarchy_attach, made anew before each pass, in a storage that is new as well",
    .measured = "the first tree is destroyed through its root: all of its entities and nodes",
    .item = "destroyed node",
    .checksum = "how many entities are left, and hash(node, bits of its world) of all nodes that are left",
    .favours = "rows that stay where they are: links, direct rows, and forms that leave holes",
    .disadvantages = "packed rows, which have to move up or into the holes, and trees of heap objects",
    .floor = "none by counting; hand-written: a flag is cleared for each row until the next root",
    .sizes = {10'000, 1000},
    .largest_entities = 1024 * 1024,
};

template <class Scene>
class HierarchyDestroy {
 public:
  static constexpr bool repeatable = false;

  explicit HierarchyDestroy(const Parameters& parameters) : parameters_(parameters) {}

  void prepare() {
    scene_.emplace(2 * parameters_.entities);
    nodes_ = make_two_trees(*scene_, parameters_);
  }
  void run() {
    scene_->destroy(nodes_.front());
    keep(*scene_);
  }

  [[nodiscard]] std::uint64_t items() const { return parameters_.entities; }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    sum.add(nodes_.size(), scene_->size());
    scene_->update();
    for (std::size_t node = 0; node < nodes_.size(); ++node) {
      if (scene_->contains(nodes_[node])) sum.add(node, matrix_bits(scene_->world(nodes_[node])));
    }
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const { return scene_->memory(); }
  void clear()
    requires requires(Scene& scene) { scene.clear(); }
  {
    scene_->clear();
  }

 private:
  Parameters parameters_;
  std::optional<Scene> scene_;
  Array<typename Scene::Handle> nodes_;
};

/// Hand-written: the rows of a tree follow each other, and its last one is before the next root.
class ClearedFlags {
 public:
  static constexpr bool repeatable = false;

  explicit ClearedFlags(const Parameters& parameters) : rows_(parameters), lives_(rows_.parents.size()) {}

  void prepare() { std::ranges::fill(lives_, std::uint8_t{1}); }
  void run() {
    std::size_t row = 1;
    do {
      lives_[row] = 0;
    } while (rows_.parents[++row] != 0);
    keep(lives_);
  }

  [[nodiscard]] std::uint64_t items() const { return lives_.size() / 2; }
  [[nodiscard]] std::uint64_t checksum() const {
    Checksum sum;
    std::size_t left = 0;
    for (std::size_t row = 1; row < lives_.size(); ++row) {
      if (lives_[row] == 0) continue;
      ++left;
      sum.add(row - 1, matrix_bits(rows_.worlds[row]));
    }
    sum.add(lives_.size() - 1, left);
    return sum.value();
  }
  [[nodiscard]] MemoryBreakdown memory() const {
    const std::size_t rows = lives_.size();
    return {.payload_bytes = 2 * rows * sizeof(Matrix),
            .index_bytes = rows * (sizeof(std::uint32_t) + 1),
            .allocations = 4};
  }

 private:
  TwoBlocks rows_;
  StoredArray<std::uint8_t> lives_;
};

template <class Form>
using DestroyFormRow = ContractFloor<FormName<Form>, HierarchyDestroy<BareScene<Form>>>;

/// Only of small trees: it looks through all rows for each node.
struct WickedDestroyRow : ContractFloor<WickedForm, HierarchyDestroy<WickedScene>> {
  [[nodiscard]] static bool supports(const Parameters& parameters) { return parameters.entities <= 1000; }
};

struct HierarchyDestroyWork {
  static constexpr const WorkloadCard& card = hierarchy_destroy_card;
  using References = TypeList<ClearedFlags, ContractFloor<StoreName, HierarchyDestroy<HierarchyStore>>,
                              ContractFloor<InterleavedName, HierarchyDestroy<HierarchyRows<TransformPairs>>>,
                              ContractFloor<DirectName, HierarchyDestroy<HierarchyRows<DirectTransforms>>>,
                              WickedDestroyRow, DestroyFormRow<SortedHierarchy>, DestroyFormRow<LazySortedHierarchy>,
                              DestroyFormRow<LevelHierarchy>, DestroyFormRow<SiblingHierarchy>,
                              DestroyFormRow<PointerHierarchy>, DestroyFormRow<StackedPointerHierarchy>>;

  [[nodiscard]] static std::vector<Axis> axes() { return {}; }
  /// Nodes are found by links or by the order of rows, and end by a flag or a generation.
  [[nodiscard]] static Floor floor(const Parameters&, Lines) { return {}; }
  /// Of both trees.
  [[nodiscard]] static std::size_t rows(const Parameters& parameters) { return 2 * parameters.entities; }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    return make_case<HierarchyDestroy<StoredScene<Strategy<HierarchySchema>>>>(parameters);
  }
};

}  // namespace stowage::workloads
