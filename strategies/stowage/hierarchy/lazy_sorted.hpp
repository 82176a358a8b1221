#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/batched_order.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/forward_pass.hpp>
#include <stowage/hierarchy/linked_rows.hpp>

namespace stowage {

/// A linear hierarchy that is put in order once, before an update that needs it.
///
///     parents  [ 0 ] [ 1 ] [ 1 ] [hole] [ 2 ] ...      row -> row of the parent, a smaller one after settle()
///     first, next, prev                                sibling links between rows: what is to be put in order
///
/// attach(), detach(): O(1) beside the look for a cycle. settle(): subtrees whose parents are behind them move to the
/// end, in the order of batched_order.hpp, and leave holes; where holes, or nodes attached since, are more than an
/// eighth, all rows are put in that order instead. So a subtree costs its own nodes, amortised, however large the rest
/// is, and rows are never far from the best order. remove(): O(nodes removed).
///
/// Pick it by default: updates are a loop over arrays that fetches every line once, whatever the shape.
/// Source: the linear order is Wicked Engine's (2019); sorting late and in batches is ours.
class LazySortedHierarchy : public hierarchy::LinkedRows<LazySortedHierarchy> {
  using Row = hierarchy::Row;
  friend class hierarchy::Operations<LazySortedHierarchy, Row>;
  static constexpr Row origin = hierarchy::origin;

 public:
  /// O(1) amortised.
  void add(Entity entity, const Matrix& local = hierarchy::identity()) {
    const Matrix kept = local;
    make_room_for(entity);
    add_row(entity, kept);
  }

  /// Puts nodes in order where attach() left them out of it. Throws std::bad_alloc; then they wait.
  void settle() {
    if (is_ordered()) return;
    if (find_tops() && order_tops()) {
      move_to_end();
    } else {
      order_all();
    }
    moved_.clear();
  }
  /// O(nodes): each is looked at, those that changed are computed; and settle().
  void update() {
    settle();
    hierarchy::update_forwards(rows_);
  }
  template <class Fn>
  void each_changed(Fn&& fn) const {
    rows_.each_changed(fn);
  }

  void reserve(std::size_t nodes) {
    rows_.reserve(nodes);
    links_.reserve(nodes);
  }
  void clear() noexcept {
    clear_rows();
    moved_.clear();
    holes_ = attached_ = 0;
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown sum = rows_memory();
    sum.slack_bytes += moved_.held_bytes() + tops_.held_bytes() + to_.held_bytes() + order_.held_bytes();
    sum.allocations += moved_.allocations() + tops_.allocations() + to_.allocations() + order_.allocations();
    return sum;
  }

 private:
  [[nodiscard]] bool is_ordered() const noexcept { return moved_.size() == 0 && !is_worn(); }
  /// Holes are read in vain, and rows that were attached one by one lie anywhere behind their parents.
  [[nodiscard]] bool is_worn() const noexcept { return std::max(holes_, attached_) > rows_.end() / 8; }

  void mark(Row row) noexcept { rows_.mark(row); }
  void link(Row row, Row parent) {
    if (parent > row) moved_.append(row);
    relink(row, parent);
    ++attached_;
  }
  void erase(std::span<const Row> nodes) noexcept {
    end_rows(nodes);
    holes_ += nodes.size();
  }

  /// The highest rows with a parent behind them: what is below each of them moves together, and nobody's parent is
  /// among them. False where looking for them would take more than looking at all rows.
  bool find_tops() {
    if (is_worn()) return false;
    tops_.clear();
    std::size_t steps = 0;
    for (std::size_t i = 0; i < moved_.size(); ++i) {
      Row top = origin;
      for (Row row = moved_[i]; row != origin; row = rows_.parents[row]) {
        if (rows_.parents[row] > row) top = row;
        if (++steps > rows_.end()) return false;
      }
      if (top != origin) tops_.append(top);
    }
    Row* const end = tops_.data() + tops_.size();
    std::sort(tops_.data(), end);
    tops_.shrink(static_cast<std::size_t>(std::unique(tops_.data(), end) - tops_.data()));
    return true;
  }

  /// False where the holes would be too many.
  bool order_tops() {
    const std::size_t most = rows_.end() / 8 - holes_;
    order_.clear();
    for (std::size_t i = 0; i < tops_.size(); ++i) {
      order_.append(tops_[i]);
      if (!order_.append_below(links_, tops_[i], most)) return false;
    }
    rows_.make_room_for_rows(order_.order().size());
    links_.make_room(order_.order().size());
    return true;
  }

  /// Rows that have moved leave in `parents` where they went.
  void move_to_end() noexcept {
    const auto& order = order_.order();
    const Row first = rows_.end();
    const auto count = static_cast<Row>(order.size());
    links_.grow(first + count);
    for (Row i = 0; i < count; ++i) {
      const Row row = order[i];
      rows_.move_to_end(row);
      rows_.parents[row] = first + i;
      links_.first[first + i] = links_.first[row];
      links_.next[first + i] = links_.next[row];
      links_.prev[first + i] = links_.prev[row];
    }
    const auto moved = [&](Row row) { return row != origin && rows_.is_hole(row) ? rows_.parents[row] : row; };
    for (Row row = first; row < first + count; ++row) renumber(row, moved);
    for (Row i = 0; i < count; ++i) links_.join(first + i, rows_.parents[first + i], order[i]);
    for (Row i = 0; i < count; ++i) rows_.parents[order[i]] = origin;
    holes_ += count;
  }
  template <class Moved>
  void renumber(Row row, Moved&& moved) noexcept {
    rows_.parents[row] = moved(rows_.parents[row]);
    links_.first[row] = moved(links_.first[row]);
    links_.next[row] = moved(links_.next[row]);
    links_.prev[row] = moved(links_.prev[row]);
  }
  void order_all() {
    const Row end = rows_.end();
    order_.clear();
    order_.reserve(rows_.size());
    to_.extend_unwritten(end);
    order_.append_below(links_, origin, rows_.size());
    const auto& order = order_.order();
    auto to_end = static_cast<Row>(order.size() + 1);
    const Row kept = to_end;
    to_[origin] = origin;
    for (Row i = 0; i < order.size(); ++i) to_[order[i]] = i + 1;
    for (Row row = 1; row < end; ++row) {
      if (rows_.is_hole(row)) to_[row] = to_end++;
    }
    for (const Row row : std::span(order.data(), order.size())) rows_.parents[row] = to_[rows_.parents[row]];
    rows_.permute(origin, to_.data(), end);
    rows_.truncate(kept);
    links_.shrink(0);
    links_.grow(kept);
    for (Row row = 1; row < kept; ++row) links_.link(row, rows_.parents[row]);  // siblings are in their order
    holes_ = attached_ = 0;
  }
  parts::GrowingArray<Row> moved_;  ///< rows that were attached to a row behind them, and perhaps moved on or ended
  parts::GrowingArray<Row> tops_;
  parts::GrowingArray<Row> to_;
  hierarchy::BatchedOrder order_;
  std::size_t holes_ = 0;
  std::size_t attached_ = 0;  ///< nodes that got another parent since all rows were put in order
};

static_assert(HierarchyForm<LazySortedHierarchy>);

}  // namespace stowage
