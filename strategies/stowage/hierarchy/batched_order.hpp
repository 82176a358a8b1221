#pragma once

#include <algorithm>
#include <cstddef>

#include <stowage/hierarchy/links.hpp>
#include <stowage/hierarchy/node_rows.hpp>
#include <stowage/parts/growing_array.hpp>

namespace stowage::hierarchy {

/// An order with parents before children that is good for the cache and for the processor: breadth first among up to
/// `batch` nodes, depth first from batch to batch.
///
/// Breadth-first order comes back to a parent a whole level later, when its line has left the cache: up to one more
/// line a node. Depth-first order does so at once, when its world is not computed yet: in a chain every product waits
/// for the one before. Here up to `batch` products are independent, and parents are `batch` nodes back or (the last of
/// many children) as far as the tree below the batch is large.
class BatchedOrder {
 public:
  static constexpr std::size_t batch = 32;

  /// Room for `nodes` more in order().
  void reserve(std::size_t nodes) {
    order_.make_room(order_.size() + nodes);
    waiting_.reserve(nodes);
    runs_.reserve(nodes);
  }
  void clear() noexcept { order_.clear(); }

  /// Appends all below `row`, without itself, and at most until `most` nodes are in the order; false where there are
  /// more.
  bool append_below(const SiblingLinks& links, Row row, std::size_t most) {
    waiting_.clear();
    runs_.clear();
    push_children(links, row);
    close_run(0);
    while (runs_.size() != 0) {
      if (order_.size() > most) return false;
      const std::size_t taken = take_batch();
      const std::size_t first_child = waiting_.size();
      for (std::size_t i = 0; i < taken; ++i) push_children(links, order_[order_.size() - 1 - i]);
      close_run(first_child);
    }
    return order_.size() <= most;
  }
  void append(Row row) { order_.append(row); }

  [[nodiscard]] const parts::GrowingArray<Row>& order() const noexcept { return order_; }

  [[nodiscard]] std::size_t held_bytes() const noexcept {
    return order_.held_bytes() + waiting_.held_bytes() + runs_.held_bytes();
  }
  [[nodiscard]] std::size_t allocations() const noexcept {
    return order_.allocations() + waiting_.allocations() + runs_.allocations();
  }

 private:
  void push_children(const SiblingLinks& links, Row row) {
    const std::size_t first = waiting_.size();
    for (Row child = links.first[row]; child != origin; child = links.next[child]) waiting_.append(child);
    std::reverse(waiting_.data() + first, waiting_.data() + waiting_.size());
  }
  /// What was pushed since is taken from before anything that waited then.
  void close_run(std::size_t first) {
    if (waiting_.size() != first) runs_.append(static_cast<Row>(waiting_.size() - first));
  }
  std::size_t take_batch() {
    Row& left = runs_[runs_.size() - 1];
    const std::size_t batches = (left + batch - 1) / batch;  // of equal size: in a small one products would wait
    const std::size_t taken = (left + batches - 1) / batches;
    for (std::size_t i = 0; i < taken; ++i) order_.append(waiting_[waiting_.size() - 1 - i]);
    waiting_.shrink(waiting_.size() - taken);
    left -= static_cast<Row>(taken);
    if (left == 0) runs_.shrink(runs_.size() - 1);
    return taken;
  }

  parts::GrowingArray<Row> order_;
  parts::GrowingArray<Row> waiting_;  ///< to be taken from the end
  parts::GrowingArray<Row> runs_;     ///< how many of those that wait are children of one batch
};

}  // namespace stowage::hierarchy
