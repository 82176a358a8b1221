#include "workloads/hierarchy_attach.hpp"

#include <algorithm>

#include "workloads/floors/matrix.hpp"

namespace stowage::workloads {

TwoBlocks::TwoBlocks(const Parameters& parameters) {
  const TreePlan plan = attached_tree(parameters);
  const std::size_t rows = 2 * plan.size() + 1;
  parents.reserve(rows);
  locals.reserve(rows);
  worlds.reserve(rows);
  parents.push_back(0);
  locals.push_back(hierarchy::identity());
  worlds.push_back(hierarchy::identity());
  for (std::size_t tree = 0; tree < 2; ++tree) {
    const std::size_t root = parents.size();
    for (std::size_t node = 0; node < plan.size(); ++node) {
      parents.push_back(node == 0 ? 0 : static_cast<std::uint32_t>(root + plan.parents[node]));
      locals.push_back(local_transform(parameters.seed, root - 1 + node, 0));
      worlds.push_back(product(worlds[parents[root + node]], locals[root + node]));
    }
  }
}

RotatedBlocks::RotatedBlocks(const Parameters& parameters)
    : moves_(parameters.get("work") == "attach"), nodes_(parameters.entities), rows_(parameters) {}

void RotatedBlocks::run() {
  if (moves_) attach_and_detach(0);
  attach_and_detach(1);
  keep(rows_.locals);
}

void RotatedBlocks::attach_and_detach(std::size_t child) {
  if (first_ == child) swap_blocks();
  const std::size_t row = root_of(child);
  rows_.parents[row] = static_cast<std::uint32_t>(last_of(1 - child));
  sum_ += matrix_bits(product(rows_.worlds[rows_.parents[row]], rows_.locals[row]));
  rows_.parents[row] = 0;
}

void RotatedBlocks::swap_blocks() {
  const auto shift = static_cast<std::uint32_t>(nodes_);
  for (std::size_t row = 1; row <= nodes_; ++row) {
    const std::uint32_t moved_back = rows_.parents[row];
    const std::uint32_t moved_forth = rows_.parents[row + nodes_];
    rows_.parents[row] = moved_forth == 0 ? 0 : moved_forth - shift;
    rows_.parents[row + nodes_] = moved_back == 0 ? 0 : moved_back + shift;
  }
  for (auto* const matrices : {&rows_.locals, &rows_.worlds}) {
    Matrix* const first = matrices->data() + 1;
    std::swap_ranges(first, first + nodes_, first + nodes_);
  }
  first_ = 1 - first_;
}

std::uint64_t RotatedBlocks::checksum() {
  Checksum sum;
  sum.add(2 * nodes_, sum_);
  for (std::size_t tree = 0; tree < 2; ++tree) {
    for (std::size_t node = 0; node < nodes_; ++node) {
      sum.add(tree * nodes_ + node, matrix_bits(rows_.worlds[root_of(tree) + node]));
    }
  }
  return sum.value();
}

MemoryBreakdown RotatedBlocks::memory() const {
  const std::size_t rows = rows_.locals.size();
  return {.payload_bytes = 2 * rows * sizeof(Matrix), .index_bytes = rows * sizeof(std::uint32_t), .allocations = 3};
}

}  // namespace stowage::workloads
