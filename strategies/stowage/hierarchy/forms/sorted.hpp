#pragma once

#include <cstddef>
#include <span>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/node_rows.hpp>

namespace stowage {

/// A linear hierarchy that is in order after every operation: parents before their children, and no holes.
///
///     parents  [ 0 ] [ 1 ] [ 1 ] [ 3 ] ...     row -> row of the parent, always a smaller one
///
/// attach(): nothing moves if the parent is before the child already; otherwise what is below the child moves behind
/// the parent, in one pass over the rows from child to parent (O(those), plus 4 bytes for each row behind them).
/// remove(): O(rows behind it). Nothing else is stored of a tree, so children are found by a pass forwards: O(rows).
///
/// Source: Wicked Engine's scene graph (2019). Its attach() looks for a child before every row behind it and moves
/// single rows, cubic in the worst case; here a whole subtree moves at once. Pick it if the tree hardly changes and
/// 12 bytes a node for links matter.
class SortedHierarchy : public hierarchy::RowForm<SortedHierarchy> {
  friend class hierarchy::Operations<SortedHierarchy, Row>;

 public:
  /// O(1) amortised.
  void add(Entity entity, const Matrix& local = hierarchy::identity()) {
    const Matrix kept = local;  // it may be the local of another node, which moves when the arrays grow
    rows_.make_room(entity);
    rows_.add(entity, kept);
  }
  /// O(nodes): each is looked at, those that changed are computed.
  void update() noexcept { rows_.update_forwards(); }

  void reserve(std::size_t nodes) {
    rows_.reserve(nodes);
    to_.reserve(nodes);
  }
  void clear() noexcept { rows_.clear(); }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    return rows_.memory() + scratch_memory() + hierarchy::memory_of(0, to_);
  }

 private:
  [[nodiscard]] bool may_be_below(Row row, Row above) const noexcept { return row > above; }
  void make_room_to_erase(std::size_t /*nodes*/) { to_.extend_unwritten(rows_.end()); }

  void link(Row row, Row parent) {
    if (parent > row) {
      to_.extend_unwritten(parent - row + 1);
      rows_.parents[row] = parent;
      move_subtree_behind(row, parent);
    } else {
      rows_.parents[row] = parent;
    }
  }

  /// A stable partition of the rows from `row` to `parent`: those that stay, then the subtree. `to_` first says
  /// which rows are of the subtree, then where each goes.
  void move_subtree_behind(Row row, Row parent) noexcept {
    constexpr Row stays = 0, moves = 1;
    const Row count = parent - row + 1;
    Row staying = 0;
    to_[0] = moves;
    for (Row i = 1; i < count; ++i) {
      const Row above = rows_.parents[row + i];
      to_[i] = above >= row && to_[above - row] == moves ? moves : stays;
      staying += to_[i] == stays ? 1U : 0U;
    }
    Row to_stay = 0, to_move = staying;
    for (Row i = 0; i < count; ++i) to_[i] = to_[i] == stays ? to_stay++ : to_move++;
    renumber_parents(row, count);
    rows_.permute(row, to_.data(), count);
  }

  void erase(std::span<const Row> nodes) noexcept {
    for (const Row row : nodes) rows_.end_row(row);
    const Row first = nodes.front();
    const Row count = rows_.end() - first;
    Row to_stay = 0, to_end = count - static_cast<Row>(nodes.size());
    for (Row i = 0; i < count; ++i) to_[i] = rows_.is_hole(first + i) ? to_end++ : to_stay++;
    renumber_parents(first, count);
    rows_.permute(first, to_.data(), count);
    rows_.truncate(first + to_stay);
  }

  /// Parents among `count` rows from `first` on are going to be moved by `to_`; rows before them have none there.
  void renumber_parents(Row first, Row count) noexcept {
    for (Row row = first; row < rows_.end(); ++row) {
      Row& parent = rows_.parents[row];
      if (parent - first < count) parent = first + to_[parent - first];
    }
  }

  void append_children(Row row, Nodes& out) const {
    for (Row below = row + 1; below < rows_.end(); ++below) {
      if (rows_.parents[below] == row) out.append(below);
    }
  }
  void append_nodes(Row row, Nodes& out) const {
    parts::GrowingArray<bool> is_below;
    is_below.extend(rows_.end() - row, false);
    is_below[0] = true;
    out.append(row);
    for (Row below = row + 1; below < rows_.end(); ++below) {
      const Row parent = rows_.parents[below];
      if (parent < row || !is_below[parent - row]) continue;
      is_below[below - row] = true;
      out.append(below);
    }
  }

  Nodes to_;
};

static_assert(HierarchyForm<SortedHierarchy>);

}  // namespace stowage
