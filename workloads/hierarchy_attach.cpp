#include "workloads/hierarchy_attach.hpp"

#include <algorithm>

#include "workloads/floors/matrix.hpp"

namespace stowage::workloads {

RotatedBlocks::RotatedBlocks(const Parameters& parameters)
    : seed_(parameters.seed), moves_(parameters.get("work") == "attach"), nodes_(parameters.entities) {
  const TreePlan plan = attached_tree(parameters);
  const std::size_t rows = 2 * nodes_ + 1;
  parents_.reserve(rows);
  locals_.reserve(rows);
  worlds_.reserve(rows);
  parents_.push_back(0);
  locals_.push_back(hierarchy::identity());
  worlds_.push_back(hierarchy::identity());
  for (std::size_t tree = 0; tree < 2; ++tree) {
    const std::size_t root = parents_.size();
    for (std::size_t node = 0; node < nodes_; ++node) {
      parents_.push_back(node == 0 ? 0 : static_cast<std::uint32_t>(root + plan.parents[node]));
      locals_.push_back(local_transform(seed_, root - 1 + node, 0));
      worlds_.push_back(product(worlds_[parents_[root + node]], locals_[root + node]));
    }
  }
}

void RotatedBlocks::run() {
  if (moves_) attach_and_detach(0);
  attach_and_detach(1);
  keep(locals_);
}

void RotatedBlocks::attach_and_detach(std::size_t child) {
  if (first_ == child) swap_blocks();
  const std::size_t row = root_of(child);
  parents_[row] = static_cast<std::uint32_t>(last_of(1 - child));
  sum_ += matrix_bits(product(worlds_[parents_[row]], locals_[row]));
  parents_[row] = 0;
}

void RotatedBlocks::swap_blocks() {
  const auto shift = static_cast<std::uint32_t>(nodes_);
  for (std::size_t row = 1; row <= nodes_; ++row) {
    const std::uint32_t moved_back = parents_[row];
    const std::uint32_t moved_forth = parents_[row + nodes_];
    parents_[row] = moved_forth == 0 ? 0 : moved_forth - shift;
    parents_[row + nodes_] = moved_back == 0 ? 0 : moved_back + shift;
  }
  for (auto* const matrices : {&locals_, &worlds_}) {
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
      sum.add(tree * nodes_ + node, matrix_bits(worlds_[root_of(tree) + node]));
    }
  }
  return sum.value();
}

MemoryBreakdown RotatedBlocks::memory() const {
  const std::size_t rows = locals_.size();
  return {.payload_bytes = 2 * rows * sizeof(Matrix),
          .index_bytes = rows * sizeof(std::uint32_t),
          .slack_bytes = 0,
          .allocations = 3};
}

}  // namespace stowage::workloads
