#pragma once

// Children as lists linked by row numbers, which makes attaching O(1), and what the forms that use them have in common.

#include <cstddef>
#include <span>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/node_rows.hpp>

namespace stowage::hierarchy {

/// Beside the parents that NodeRows has. The children of the origin are the roots.
///
///     first  [ 1 ] [ 3 ] [ - ] [ - ] ...      row -> its first child
///     next   [ - ] [ 2 ] [ - ] [ 4 ] ...      row -> the next child of its parent
///     prev   [ - ] [ 2 ] [ 1 ] [ 4 ] ...      row -> the one before, of the first child the last
struct SiblingLinks {
  parts::GrowingArray<Row> first;
  parts::GrowingArray<Row> next;
  parts::GrowingArray<Row> prev;

  void reserve(std::size_t nodes) {
    for (auto* const column : {&first, &next, &prev}) column->reserve(nodes + 1);
  }
  /// Room for the origin and `rows` more rows.
  void make_room(std::size_t rows) {
    for (auto* const column : {&first, &next, &prev}) column->make_room(column->size() + rows + 1);
  }
  /// Links of rows below `rows`, of which new ones have none. After make_room().
  void grow(Row rows) {
    for (auto* const column : {&first, &next, &prev}) column->extend(rows, origin);
  }
  void clear() noexcept {
    for (auto* const column : {&first, &next, &prev}) column->clear();
  }

  /// Becomes the last child. O(1), because what is before the first child is the last.
  void link(Row row, Row parent) noexcept {
    const Row oldest = first[parent];
    next[row] = origin;
    if (oldest == origin) {
      first[parent] = prev[row] = row;
      return;
    }
    prev[row] = prev[oldest];
    next[prev[row]] = prev[oldest] = row;
  }
  /// Makes all links anew, in the order of the rows. `parents` has the parent of each row below `rows`, of which there
  /// are no more than before.
  void link_all(const Row* parents, Row rows) noexcept {
    first.clear();
    first.extend(rows, origin);
    next.shrink(rows);
    prev.shrink(rows);
    for (Row row = 1; row < rows; ++row) link(row, parents[row]);
  }
  void unlink(Row row, Row parent) noexcept {
    (first[parent] == row ? first[parent] : next[prev[row]]) = next[row];
    const Row behind = next[row] != origin ? next[row] : first[parent];
    if (behind != origin) prev[behind] = prev[row];
  }
  /// For a row that was moved from row `from` with its links: makes its siblings and its parent point to it.
  void join(Row row, Row parent, Row from) noexcept {
    const bool is_first = first[parent] == from || first[parent] == row;
    (is_first ? first[parent] : next[prev[row]]) = row;
    prev[next[row] != origin ? next[row] : first[parent]] = row;
  }

  void append_children(Row row, parts::GrowingArray<Row>& out) const {
    for (Row child = first[row]; child != origin; child = next[child]) out.append(child);
  }
  /// All below the rows in `out`, parents first, behind them; breadth first.
  void append_below(parts::GrowingArray<Row>& out) const {
    for (std::size_t done = 0; done < out.size(); ++done) append_children(out[done], out);
  }

  [[nodiscard]] MemoryBreakdown memory(std::size_t nodes) const noexcept {
    return memory_of(3 * nodes * sizeof(Row), first, next, prev);
  }
};

template <class Form, class Matrices = OwnMatrices>
class LinkedRows : public RowForm<Form, Matrices> {
  friend class Operations<Form, Row>;

 protected:
  using typename Operations<Form, Row>::Nodes;
  using RowForm<Form, Matrices>::rows_;

  /// Throws NodeExists, std::bad_alloc; then nothing has changed. Like add_row() afterwards, which does not throw.
  void make_room_for(Entity entity) {
    links_.make_room(1);
    rows_.make_room(entity);
  }
  Row add_row(Entity entity, const typename Matrices::Given& given) noexcept {
    const Row hole = std::exchange(hole_, hole_ != origin ? rows_.parents[hole_] : origin);
    const Row row = rows_.add(entity, given, hole);
    links_.grow(rows_.end());
    links_.link(row, origin);
    return row;
  }
  /// Rows at the end: see NodeRows::add().
  template <class ParentOf>
  void add_rows(std::span<const Entity> entities, ParentOf&& parent_of) noexcept {
    const Row first = rows_.end();
    rows_.add(entities, parent_of);
    links_.grow(rows_.end());
    for (Row row = first; row < rows_.end(); ++row) links_.link(row, rows_.parents[row]);
  }
  /// Another parent. O(1).
  void link(Row row, Row parent) noexcept {
    links_.unlink(row, rows_.parents[row]);
    links_.link(row, parent);
    rows_.parents[row] = parent;
  }
  /// The rows of a whole subtree, parents first, become holes.
  void end_rows(std::span<const Row> nodes) noexcept {
    links_.unlink(nodes.front(), rows_.parents[nodes.front()]);
    for (const Row row : nodes) {
      rows_.end_row(row);
      links_.first[row] = links_.next[row] = links_.prev[row] = origin;
    }
  }
  /// The same, and add_row() uses them again.
  void erase(std::span<const Row> nodes) noexcept {
    end_rows(nodes);
    for (const Row row : nodes) rows_.parents[row] = std::exchange(hole_, row);
  }

  void reserve_rows(std::size_t nodes) {
    rows_.reserve(nodes);
    links_.reserve(nodes);
  }
  void clear_rows() noexcept {
    rows_.clear();
    links_.clear();
    hole_ = origin;
  }
  [[nodiscard]] MemoryBreakdown rows_memory() const noexcept {
    return rows_.memory() + links_.memory(rows_.size()) + this->scratch_memory();
  }

  [[nodiscard]] bool may_be_below(Row /*row*/, Row above) const noexcept { return links_.first[above] != origin; }
  void append_children(Row row, Nodes& out) const { links_.append_children(row, out); }
  void append_nodes(Row row, Nodes& out) const {
    out.append(row);
    links_.append_below(out);
  }

  SiblingLinks links_;

 private:
  Row hole_ = origin;  ///< the first of those to be used again, which are chained through `parents`
};

}  // namespace stowage::hierarchy
