#pragma once

// Workload: what a second thread gains if it runs systems beside the update of a tree in the same storage.

#include <stowage/contract/moves.hpp>

#include "workloads/point_mass.hpp"
#include "workloads/support/hierarchies.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard hierarchy_beside_card{
    .name = "hierarchy_beside",
    .setup =
        "n entities with both transforms (128 bytes) and the components of point_mass (40 bytes) in one storage; they "
        "are nodes of a tree, created by breadth: shape:fours each with four children as far as there are any, "
        "shape:one_parent all others below the first. A oneTBB arena of `threads` threads, which have begun",
    .measured =
        "rows are put in order, if that is needed, with the storage to itself; then an update of all world transforms "
        "and, beside it, 16 passes of point_mass. threads:2: on two threads, until both are done, by the clock on the "
        "wall; threads:1: one after the other",
    .item = "entity",
    .checksum = "hash(node, bits of its world transform), and that of point_mass, of all entities",
    .favours = "no strategy in particular with two threads: what the hierarchy writes, the passes do not read",
    .disadvantages =
        "rows side by side: both threads fetch and write the same lines. No storage takes part that does not say if "
        "rows "
        "have moved: its nodes would be looked up while the passes run",
    .floor = "132/64 line per entity for the tree, and 36/64 for each pass: hierarchy_tree and point_mass by arrays",
    .sizes = {16 * 1024, 256 * 1024},
    .largest_entities = 4 * 1024 * 1024,
};

/// So many take about as long as the tree does in arrays, if neither fits into a cache.
inline constexpr std::size_t beside_passes = 16;

[[nodiscard]] inline TreePlan beside_tree(const Parameters& parameters) {
  const bool in_fours = parameters.get("shape") == "fours";
  return plan_tree(in_fours ? tree_parents(parameters.entities, 4) : flat_parents(parameters.entities),
                   Creation::by_breadth, 100, parameters.seed);
}

/// Does one thing on one thread and the other on another, or one after the other.
class Beside {
 public:
  explicit Beside(const Parameters& parameters)
      : workers_(std::min<std::size_t>(Workers::most(), parameters.get("threads") == "1" ? 1 : 2)) {}

  template <class One, class Other>
  void run(One&& one, Other&& other) const {
    const auto work = [&](std::size_t first, std::size_t end) {
      for (; first != end; ++first) first == 0 ? one() : other();
    };
    workers_.run(2, ChunkWork(work));
  }

 private:
  Workers workers_;
};

using BesideSchema = Schema<Group<LocalTransform, WorldTransform>, Group<Mass, Position, Velocity, Acceleration>>;

/// Both in one storage.
template <class Storage>
class HierarchyBesideCase {
  using Handle = typename Storage::entity_type;

 public:
  explicit HierarchyBesideCase(const Parameters& parameters)
      : seed_(parameters.seed), beside_(parameters), hierarchy_(storage_), nodes_(parameters.entities) {
    const Values values(seed_);
    const TreePlan plan = beside_tree(parameters);
    storage_.template reserve<LocalTransform, WorldTransform, Mass, Position, Velocity, Acceleration>(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i] = storage_.create(LocalTransform{local_transform(seed_, i, 0)}, WorldTransform{}, Values::mass(i),
                                  values.position(i), values.velocity(i), values.acceleration(i));
    }
    hierarchy_.reserve(nodes_.size());
    hierarchy_.add(std::span<const Handle>(nodes_), std::span(plan.parents));
    hierarchy_.update();
  }

  /// Every local transform has changed since the last update.
  void prepare() {
    set_locals(0);
    hierarchy_.touch_all();
    hierarchy_.update();
    set_locals(1);
  }
  void run() {
    hierarchy_.settle();
    beside_.run(
        [this] {
          hierarchy_.touch_all();
          hierarchy_.update();
        },
        [this] {
          for (std::size_t pass = 0; pass < beside_passes; ++pass) simulate_all(storage_);
        });
    keep(storage_);
  }

  [[nodiscard]] std::uint64_t items() const { return nodes_.size(); }
  [[nodiscard]] std::uint64_t checksum() {
    Checksum sum;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      sum.add(i, matrix_bits(storage_.template find<const WorldTransform>(nodes_[i])->matrix));
    }
    return sum.value() + simulated_checksum(storage_);
  }
  [[nodiscard]] MemoryBreakdown memory() const { return storage_.memory() + hierarchy_.memory(); }
  void clear() {
    hierarchy_.clear();
    storage_.clear();
  }

 private:
  void set_locals(unsigned which) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      storage_.template find<LocalTransform>(nodes_[i])->matrix = local_transform(seed_, i, which);
    }
  }

  std::uint64_t seed_;
  Beside beside_;
  Storage storage_;
  Hierarchy<Storage, PrecompiledForm> hierarchy_;
  Array<Handle> nodes_;
};

/// A hand-written tree and hand-written systems, which have nothing in common.
template <class Tree, class Systems>
class TreeBesideSystems {
 public:
  explicit TreeBesideSystems(const Parameters& parameters)
      : beside_(parameters), tree_(beside_tree(parameters), parameters.seed), systems_(parameters) {}

  void prepare() { tree_.prepare(); }
  void run() {
    beside_.run([this] { tree_.run(); },
                [this] {
                  for (std::size_t pass = 0; pass < beside_passes; ++pass) systems_.run();
                });
  }

  [[nodiscard]] std::uint64_t items() const { return tree_.items(); }
  [[nodiscard]] std::uint64_t checksum() { return tree_.checksum() + systems_.checksum(); }
  [[nodiscard]] MemoryBreakdown memory() const { return tree_.memory() + systems_.memory(); }

 private:
  Beside beside_;
  Tree tree_;
  Systems systems_;
};

using BesideReference = TreeBesideSystems<NodeArrays, PointMassReference>;
using BesideContractFloor =
    ContractFloor<StoreName, TreeBesideSystems<HierarchyUpdate<HierarchyStore>, PointMassReference>>;

struct HierarchyBeside {
  static constexpr const WorkloadCard& card = hierarchy_beside_card;
  using References = TypeList<BesideReference, BesideContractFloor>;

  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"threads", {"1", "2"}, {"1", "2"}}, {"shape", {"fours", "one_parent"}, {"fours"}}};
  }
  /// The floors of hierarchy_tree with all nodes dirty, and of so many passes of point_mass.
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    const Floor tree = HierarchyWorkload<void>::update_floor(true, lines);
    const Floor pass = PointMass::floor(parameters, lines);
    return {.lines_per_item = tree.lines_per_item + beside_passes * pass.lines_per_item,
            .bytes_per_item = tree.bytes_per_item + beside_passes * pass.bytes_per_item};
  }
  [[nodiscard]] static std::string why_uncounted(const Parameters& parameters) {
    return parameters.get("threads") == "1" ? std::string() : std::string(counted_for_one_thread);
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::string obstacle(const Parameters&) {
    return CountsMoves<Strategy<BesideSchema>> ? "" : "it does not say if rows have moved";
  }
  template <template <class> class Strategy>
  [[nodiscard]] static std::unique_ptr<Measurement> make(const Parameters& parameters) {
    if constexpr (CountsMoves<Strategy<BesideSchema>>) {
      return make_case<HierarchyBesideCase<Strategy<BesideSchema>>>(parameters);
    } else {
      return nullptr;  // never called: see obstacle()
    }
  }
};

}  // namespace stowage::workloads
