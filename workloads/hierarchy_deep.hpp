#pragma once

#include "workloads/support/hierarchies.hpp"
#include "workloads/support/workload.hpp"

namespace stowage::workloads {

inline constexpr WorkloadCard hierarchy_deep_card{
    .name = "hierarchy_deep",
    .setup =
        "n nodes in chains of `depth` below one root. At powers of four, order:kept created by breadth, level after "
        "level, which scatters the objects of a chain, and order:chains one chain after the other, as skeletons are "
        "spawned; order:scattered, at depth 1, created in a random order and attached by breadth; order:shuffled "
        "created in a random order and attached to strangers first, at 100 and 1000",
    .measured =
        "dirty:100 all nodes are touched, then all world transforms are computed and written to their components; "
        "dirty:none_kept no node is touched, and all world transforms are computed, as by engines that neither keep "
        "nor read dirty flags; hierarchy_flat measures that at depth 1",
    .item = "node",
    .checksum = hierarchy_checksum,
    .favours = hierarchy_favours,
    .disadvantages = hierarchy_disadvantages,
    .floor = hierarchy_floor,
    .sizes = {64 * 1024},
    .largest_entities = 4 * 1024 * 1024,
};

struct ChainPlan {
  [[nodiscard]] static bool exists(const Parameters& parameters) {
    const std::string& depth = parameters.get("depth");
    const std::string& order = parameters.get("order");
    if (!keeps_dirty(parameters) && (order != "kept" || depth == "1")) return false;
    if (order == "scattered" && depth != "1") return false;
    return (depth == "100" || depth == "1000") == (order == "shuffled");
  }
  [[nodiscard]] static bool keeps_dirty(const Parameters& parameters) { return parameters.get("dirty") != "none_kept"; }
  [[nodiscard]] static TreePlan plan(const Parameters& parameters) {
    const std::string& order = parameters.get("order");
    const Creation creation = order == "shuffled"    ? Creation::shuffled
                              : order == "scattered" ? Creation::scattered
                              : order == "chains"    ? Creation::by_depth
                                                     : Creation::by_breadth;
    return plan_tree(chain_parents(parameters.entities, std::stoul(parameters.get("depth"))), creation, 100,
                     parameters.seed);
  }
};

struct HierarchyDeep : HierarchyWorkload<ChainPlan> {
  static constexpr const WorkloadCard& card = hierarchy_deep_card;
  [[nodiscard]] static std::vector<Axis> axes() {
    return {{"depth", {"1", "4", "16", "64", "100", "256", "1000", "1024", "4096"}, {"64", "4096"}},
            {"order", {"kept", "chains", "scattered", "shuffled"}, {"kept"}},
            {"dirty", {"100", "none_kept"}, {"100", "none_kept"}}};
  }
  [[nodiscard]] static Floor floor(const Parameters&, Lines lines) { return update_floor(true, lines); }
};

}  // namespace stowage::workloads
