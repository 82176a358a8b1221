#include "workloads/support/trees.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "workloads/support/random.hpp"

namespace stowage::workloads {
namespace {

/// An order in which parents come first: at each step `choose(ready)` moves one of those whose parents have come to the
/// back. Left alone, that is by depth, and the last of siblings first.
template <class Choose>
Array<std::uint32_t> creation_by(const Array<std::uint32_t>& parents, Choose&& choose) {
  const auto nodes = static_cast<std::uint32_t>(parents.size());
  Array<std::uint32_t> first_child(nodes + 1, 0);  // children follow each other, because nodes are numbered by breadth
  for (std::uint32_t node = 1; node < nodes; ++node) ++first_child[parents[node] + 1];
  first_child[0] = 1;
  for (std::uint32_t node = 0; node < nodes; ++node) first_child[node + 1] += first_child[node];
  Array<std::uint32_t> ready{0};
  Array<std::uint32_t> creation;
  while (!ready.empty()) {
    choose(ready);
    const std::uint32_t node = ready.back();
    ready.pop_back();
    creation.push_back(node);
    for (std::uint32_t child = first_child[node]; child < first_child[node + 1]; ++child) ready.push_back(child);
  }
  return creation;
}

}  // namespace

Array<std::uint32_t> flat_parents(std::size_t nodes) { return Array<std::uint32_t>(nodes, 0); }

Array<std::uint32_t> tree_parents(std::size_t nodes, std::size_t arity) {
  Array<std::uint32_t> parents(nodes, 0);
  for (std::size_t node = 1; node < nodes; ++node) parents[node] = static_cast<std::uint32_t>((node - 1) / arity);
  return parents;
}

Array<std::uint32_t> chain_parents(std::size_t nodes, std::size_t depth) {
  Array<std::uint32_t> parents(nodes, 0);
  const std::size_t chains = std::max<std::size_t>(1, (nodes - 1 + depth - 1) / depth);
  for (std::size_t node = chains + 1; node < nodes; ++node) parents[node] = static_cast<std::uint32_t>(node - chains);
  return parents;
}

TreePlan plan_tree(Array<std::uint32_t> parents, Creation order, unsigned dirty_percent, std::uint64_t seed) {
  const std::size_t nodes = parents.size();
  Random random(seed);
  TreePlan plan{std::move(parents), in_order(nodes), {}, {}, {}};
  if (order == Creation::by_depth) plan.creation = creation_by(plan.parents, [](auto& /*ready*/) {});
  if (order == Creation::scattered || order == Creation::shuffled) {
    plan.creation =
        creation_by(plan.parents, [&](auto& ready) { std::swap(ready[random.below(ready.size())], ready.back()); });
  }
  if (order == Creation::scattered) plan.attachment = in_order(nodes);
  if (order == Creation::shuffled) {
    plan.strangers.resize(nodes);
    for (std::size_t i = 1; i < nodes; ++i) plan.strangers[plan.creation[i]] = plan.creation[random.below(i)];
  }
  if (dirty_percent == 100) return plan;
  const std::size_t most = std::max<std::size_t>(1, nodes - 1);
  for (const std::uint32_t drawn : random.permutation(most)) {
    plan.dirty.push_back(nodes > 1 ? drawn + 1 : drawn);
  }
  plan.dirty.resize(std::max<std::size_t>(1, most * dirty_percent / 100));
  return plan;
}

Matrix local_transform(std::uint64_t seed, std::size_t node, unsigned which) {
  const std::uint64_t drawn = mixed(seed + which, node);
  const float tangent = unit_float(drawn);
  const float cosine = (1 - tangent * tangent) / (1 + tangent * tangent);
  const float sine = 2 * tangent / (1 + tangent * tangent);
  Matrix matrix(1.0f);
  matrix[0] = {cosine, sine, 0.0f, 0.0f};
  matrix[1] = {-sine, cosine, 0.0f, 0.0f};
  matrix[3] = {unit_float(mixed(drawn, 1)), unit_float(mixed(drawn, 2)), unit_float(mixed(drawn, 3)), 1.0f};
  return matrix;
}

std::uint64_t matrix_bits(const Matrix& matrix) {
  std::uint64_t bits = 0;
  for (int column = 0; column < 4; ++column) {
    for (int row = 0; row < 4; ++row) bits = mixed(bits, std::bit_cast<std::uint32_t>(matrix[column][row]));
  }
  return bits;
}

}  // namespace stowage::workloads
