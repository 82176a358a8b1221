#pragma once

#include "workloads/hierarchy_flat.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard hierarchy_tree_card{
    .name = "hierarchy_tree",
    .setup =
        "n nodes, each with four children as far as there are any; order:kept created by breadth, order:shuffled "
        "created in a random order and attached to strangers first",
    .measured = hierarchy_flat_card.measured,
    .item = "node",
    .checksum = hierarchy_checksum,
    .favours = hierarchy_favours,
    .disadvantages = hierarchy_disadvantages,
    .floor = hierarchy_floor,
    .sizes = {64 * 1024},
    .largest_entities = 4 * 1024 * 1024,
};

struct TreeOfFours : OrderAndDirt {
  [[nodiscard]] static TreePlan plan(const Parameters& parameters) {
    return OrderAndDirt::plan(tree_parents(parameters.entities, 4), parameters);
  }
};

struct HierarchyTree : HierarchyWorkload<TreeOfFours> {
  static constexpr const WorkloadCard& card = hierarchy_tree_card;
  [[nodiscard]] static std::vector<Axis> axes() { return TreeOfFours::axes(); }
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    return update_floor(TreeOfFours::is_all_dirty(parameters), lines);
  }
};

}  // namespace stowage::workloads
