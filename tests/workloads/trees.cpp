#include "workloads/support/trees.hpp"

#include "tests/support/catch.hpp"

namespace stowage::workloads {
namespace {

constexpr Creation orders[] = {Creation::by_breadth, Creation::by_depth, Creation::shuffled};

TEST_CASE("every node is created once, and no child before its parent") {
  for (const Creation order : orders) {
    const TreePlan plan = plan_tree(tree_parents(1000, 4), order, 100, 1);
    std::vector<bool> created(plan.size());
    for (const std::uint32_t node : plan.creation) {
      CHECK_FALSE(created[node]);
      CHECK((node == 0 || created[plan.parents[node]]));
      created[node] = true;
    }
    CHECK(plan.creation.size() == plan.size());
  }
}

TEST_CASE("by depth every node of a chain comes right after the one above it, by breadth after all of its level") {
  constexpr std::size_t depth = 10, chains = 100;
  const TreePlan deep = plan_tree(chain_parents(1 + depth * chains, depth), Creation::by_depth, 100, 1);
  const TreePlan broad = plan_tree(chain_parents(1 + depth * chains, depth), Creation::by_breadth, 100, 1);
  for (std::size_t i = 1; i < deep.size(); ++i) {
    const bool begins_a_chain = i % depth == 1;
    CHECK(deep.parents[deep.creation[i]] == (begins_a_chain ? 0 : deep.creation[i - 1]));
    CHECK(broad.parents[broad.creation[i]] == (i <= chains ? 0 : broad.creation[i - chains]));
  }
}

}  // namespace
}  // namespace stowage::workloads
