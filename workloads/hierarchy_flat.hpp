#pragma once

#include "workloads/support/hierarchies.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard hierarchy_flat_card{
    .name = "hierarchy_flat",
    .setup =
        "n nodes, all below one root; order:kept created by breadth, order:shuffled created in a random order and "
        "attached to strangers first",
    .measured =
        "dirty:100 all nodes are touched, dirty:1 and dirty:10 that share of them, drawn at random, by handle; then "
        "all "
        "world transforms that this changes are computed and written to their components; dirty:none_kept no node is "
        "touched, and all world transforms are computed, as by engines that neither keep nor read dirty flags",
    .item = "node",
    .checksum = hierarchy_checksum,
    .favours = hierarchy_favours,
    .disadvantages = hierarchy_disadvantages,
    .floor = hierarchy_floor,
    .sizes = {64 * 1024},
    .largest_entities = 4 * 1024 * 1024,
};

/// The orders and shares of dirty nodes that there are: what is touched is looked at if creation kept the order.
struct OrderAndDirt {
  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"order", {"kept", "shuffled"}, {"kept", "shuffled"}},
            {"dirty", {"1", "10", "100", "none_kept"}, {"100", "none_kept"}}};
  }
  [[nodiscard]] static bool exists(const Parameters& parameters) {
    return parameters.get("order") == "kept" || parameters.get("dirty") == "100";
  }
  [[nodiscard]] static TreePlan plan(Array<std::uint32_t> parents, const Parameters& parameters) {
    const Creation order = parameters.get("order") == "shuffled" ? Creation::shuffled : Creation::by_breadth;
    const bool all = is_all_dirty(parameters);
    const unsigned percent = all ? 100 : static_cast<unsigned>(std::stoul(parameters.get("dirty")));
    return plan_tree(std::move(parents), order, percent, parameters.seed);
  }
  [[nodiscard]] static bool keeps_dirty(const Parameters& parameters) { return parameters.get("dirty") != "none_kept"; }
  [[nodiscard]] static bool is_all_dirty(const Parameters& parameters) {
    return parameters.get("dirty") == "100" || !keeps_dirty(parameters);
  }
};

struct FlatPlan : OrderAndDirt {
  [[nodiscard]] static TreePlan plan(const Parameters& parameters) {
    return OrderAndDirt::plan(flat_parents(parameters.entities), parameters);
  }
};

struct HierarchyFlat : HierarchyWorkload<FlatPlan> {
  static constexpr const WorkloadCard& card = hierarchy_flat_card;
  [[nodiscard]] static std::vector<Axis> axes() { return FlatPlan::axes(); }
  [[nodiscard]] static Floor floor(const Parameters& parameters, Lines lines) {
    return update_floor(FlatPlan::is_all_dirty(parameters), lines);
  }
};

}  // namespace stowage::workloads
