#pragma once

#include <cstddef>
#include <cstdint>

#include <stowage/hierarchy/form.hpp>

#include "workloads/support/array.hpp"
#include "workloads/support/parameters.hpp"

namespace stowage::workloads {

/// A tree and what is done to it. Nodes are numbered by breadth: 0 is the root, and no node's number is smaller
/// than that of its parent.
struct TreePlan {
  Array<std::uint32_t> parents;     ///< that of the root is itself
  Array<std::uint32_t> creation;    ///< the nodes in the order in which they are created, parents first
  Array<std::uint32_t> attachment;  ///< the order in which they are attached; empty if it is that of creation
  Array<std::uint32_t> strangers;   ///< the first parents of the nodes, before they move to their own; or empty
  Array<std::uint32_t> dirty;       ///< the nodes touched before each update; empty if all are

  [[nodiscard]] std::size_t size() const noexcept { return parents.size(); }
};

/// All below one root.
[[nodiscard]] Array<std::uint32_t> flat_parents(std::size_t nodes);
/// Each with `arity` children, as far as there are any.
[[nodiscard]] Array<std::uint32_t> tree_parents(std::size_t nodes, std::size_t arity);
/// Chains of `depth` nodes below one root.
[[nodiscard]] Array<std::uint32_t> chain_parents(std::size_t nodes, std::size_t depth);

/// The order in which nodes are created, parents first in each. What lies where it was made lies in that order.
enum class Creation {
  by_breadth,  ///< level after level
  by_depth,    ///< each node, and all below it, before the next of its siblings: as whole skeletons are spawned
  scattered,   ///< at random, and attached by breadth: what is made in this order lies apart
  shuffled,    ///< at random, and attached to any existing node before each is attached to its parent
};

/// `dirty_percent` of the nodes other than the root, drawn at random, are touched; all if it is 100.
[[nodiscard]] TreePlan plan_tree(Array<std::uint32_t> parents, Creation order, unsigned dirty_percent,
                                 std::uint64_t seed);

/// The transform of a node: a turn and a shift, so that products of many stay in bounds. There are two of each node,
/// because a transform must change for an update to be seen.
[[nodiscard]] Matrix local_transform(std::uint64_t seed, std::size_t node, unsigned which);

/// What a world transform adds to a checksum.
[[nodiscard]] std::uint64_t matrix_bits(const Matrix& matrix);

}  // namespace stowage::workloads
