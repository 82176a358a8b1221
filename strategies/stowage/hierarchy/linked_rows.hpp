#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/links.hpp>
#include <stowage/hierarchy/node_rows.hpp>
#include <stowage/hierarchy/operations.hpp>
#include <stowage/parts/growing_array.hpp>

namespace stowage::hierarchy {

/// What forms on rows with sibling links have in common.
template <class Form>
class LinkedRows : public Operations<Form, Row> {
  friend class Operations<Form, Row>;

 public:
  void touch_all() noexcept { rows_.mark_all(); }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

 protected:
  using Nodes = parts::GrowingArray<Row>;

  /// Throws NodeExists, std::bad_alloc; then nothing has changed. Like add_row() afterwards, which does not throw.
  void make_room_for(Entity entity) {
    links_.make_room(1);
    rows_.make_room(entity);
  }
  Row add_row(Entity entity, const Matrix& local) noexcept {
    const Row hole = std::exchange(hole_, hole_ != origin ? rows_.parents[hole_] : origin);
    const Row row = rows_.add(entity, local, hole);
    links_.grow(rows_.end());
    links_.link(row, origin);
    return row;
  }
  /// The rows of a whole subtree, parents first, become holes.
  void end_rows(std::span<const Row> nodes) noexcept {
    links_.unlink(nodes.front(), rows_.parents[nodes.front()]);
    for (const Row row : nodes) {
      rows_.end_row(row);
      links_.first[row] = links_.next[row] = links_.prev[row] = origin;
    }
  }
  /// Lets add_row() use a hole again.
  void recycle(Row hole) noexcept { rows_.parents[hole] = std::exchange(hole_, hole); }
  void relink(Row row, Row parent) noexcept {
    links_.unlink(row, rows_.parents[row]);
    links_.link(row, parent);
    rows_.parents[row] = parent;
  }

  void clear_rows() noexcept {
    rows_.clear();
    links_.clear();
    hole_ = origin;
  }
  [[nodiscard]] MemoryBreakdown rows_memory() const noexcept {
    return rows_.memory() + links_.memory(rows_.size()) +
           MemoryBreakdown{.slack_bytes = this->scratch_bytes(), .allocations = this->scratch_allocations()};
  }

  [[nodiscard]] Row find_node(Entity entity) const noexcept { return rows_.row_of(entity); }
  [[nodiscard]] Row parent_of(Row row) const noexcept { return rows_.parents[row]; }
  [[nodiscard]] Entity owner_of(Row row) const noexcept { return rows_.owners[row]; }
  [[nodiscard]] Matrix& local_of(Row row) noexcept { return rows_.locals[row]; }
  [[nodiscard]] const Matrix& local_of(Row row) const noexcept { return rows_.locals[row]; }
  [[nodiscard]] const Matrix& world_of(Row row) const noexcept { return rows_.worlds[row]; }
  [[nodiscard]] bool is_stale(Row row) const noexcept { return rows_.is_stale(row); }
  [[nodiscard]] bool may_be_below(Row /*row*/, Row above) const noexcept { return links_.first[above] != origin; }
  void make_room_for_roots(std::span<const Row> /*nodes*/) noexcept {}
  void make_room_to_erase(std::size_t /*nodes*/) noexcept {}
  void append_children(Row row, Nodes& out) const { links_.append_children(row, out); }
  void append_nodes(Row row, Nodes& out) const {
    out.append(row);
    links_.append_below(out);
  }

  NodeRows rows_;
  SiblingLinks links_;

 private:
  Row hole_ = origin;  ///< the first of those to be used again, which are chained through `parents`
};

}  // namespace stowage::hierarchy
