#pragma once

#include <cstddef>

#include <stowage/hierarchy/node_rows.hpp>
#include <stowage/parts/growing_array.hpp>

namespace stowage::hierarchy {

/// Children by sibling links between rows, beside the parents that NodeRows has: the origin's children are the roots.
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
  void shrink(Row rows) noexcept {
    for (auto* const column : {&first, &next, &prev}) column->shrink(rows);
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
  void unlink(Row row, Row parent) noexcept {
    (first[parent] == row ? first[parent] : next[prev[row]]) = next[row];
    const Row behind = next[row] != origin ? next[row] : first[parent];
    if (behind != origin) prev[behind] = prev[row];
  }
  /// For a row with links of its own: what is beside and above it, and may still say `from`, where it was, points to
  /// it.
  void join(Row row, Row parent, Row from) noexcept {
    const bool is_first = first[parent] == from || first[parent] == row;
    (is_first ? first[parent] : next[prev[row]]) = row;
    prev[next[row] != origin ? next[row] : first[parent]] = row;
  }

  /// All below the rows in `out`, parents first, behind them; breadth first.
  void append_below(parts::GrowingArray<Row>& out) const {
    for (std::size_t done = 0; done < out.size(); ++done) append_children(out[done], out);
  }
  void append_children(Row row, parts::GrowingArray<Row>& out) const {
    for (Row child = first[row]; child != origin; child = next[child]) out.append(child);
  }

  void clear() noexcept { shrink(0); }
  [[nodiscard]] MemoryBreakdown memory(std::size_t nodes) const noexcept {
    MemoryBreakdown sum{.index_bytes = 3 * nodes * sizeof(Row)};
    for (const auto* const column : {&first, &next, &prev}) {
      sum.slack_bytes += column->held_bytes();
      sum.allocations += column->allocations();
    }
    sum.slack_bytes -= sum.index_bytes;
    return sum;
  }
};

}  // namespace stowage::hierarchy
