#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/linked_rows.hpp>

namespace stowage {

/// A tree in arrays: first child, next sibling, parent, and no order at all.
///
///     first, next, prev, parents      row -> rows (linked_rows.hpp, node_rows.hpp); a row never moves
///     below_   [ 1 ] [ 0 ] [ 1 ] ...  row -> something below it is dirty
///
/// attach(), detach(): O(1) beside the look for a cycle. remove(): O(nodes removed). update(): a walk along the links
/// without a stack, O(nodes that are dirty, below a dirty one or above one, and the children of these); subtrees
/// without a dirty node are skipped. touch(): O(depth), until it comes to a node that is marked already.
///
/// Pick it if trees change all the time, or if little of a large one does. Source: sibling-linked arrays are common
/// knowledge; marks on the way up are how engines leave static trees alone.
class SiblingHierarchy : public hierarchy::LinkedRows<SiblingHierarchy> {
  friend class hierarchy::Operations<SiblingHierarchy, Row>;

 public:
  /// O(1) amortised.
  void add(Entity entity, const Matrix& local = hierarchy::identity()) {
    const Matrix kept = local;
    make_room_for(entity);
    const std::size_t rows = rows_.end() + std::size_t{1};
    below_.make_room(rows);
    changed_rows_.make_room(rows);
    const Row row = add_row(entity, kept);
    below_.extend(rows_.end(), 0);
    below_[row] = 0;
    below_[origin] = 1;  // where mark() ends
  }

  void update() noexcept {
    for (std::size_t i = 0; i < changed_rows_.size(); ++i) rows_.changed[changed_rows_[i]] = 0;
    changed_rows_.clear();
    if (!rows_.begin_update()) return;
    if (rows_.all_dirty) {
      compose_all();
      std::memset(below_.data() + 1, 0, rows_.end() - 1);
      rows_.end_update();
    } else {
      compose_dirty();  // the flags too
      rows_.pending = false;
    }
  }
  /// O(nodes changed).
  template <class Fn>
  void each_changed(Fn&& fn) const {
    if (rows_.all_changed) return rows_.each_changed(fn);
    for (std::size_t i = 0; i < changed_rows_.size(); ++i) {
      const Row row = changed_rows_[i];
      if (!rows_.is_hole(row)) fn(rows_.owners[row], rows_.world(row));
    }
  }

  void reserve(std::size_t nodes) {
    reserve_rows(nodes);
    below_.reserve(nodes + 1);
    changed_rows_.reserve(nodes + 1);
  }
  void clear() noexcept {
    clear_rows();
    below_.clear();
    changed_rows_.clear();
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    return rows_memory() + hierarchy::memory_of(size() * (sizeof(std::uint8_t) + sizeof(Row)), below_, changed_rows_);
  }

 private:
  void mark(Row row) noexcept {
    rows_.mark(row);
    for (Row above = rows_.parents[row]; below_[above] == 0; above = rows_.parents[above]) below_[above] = 1;
  }

  /// The row after all below `row`, on the way back up; origin behind the last.
  [[nodiscard]] static Row after(Row row, const Row* next, const Row* parents) noexcept {
    while (row != origin && next[row] == origin) row = parents[row];
    return row != origin ? next[row] : origin;
  }

  STOWAGE_NOINLINE void compose_all() noexcept {
    const auto [worlds, locals] = rows_.transforms();
    const Row* const parents = rows_.parents.data();
    const Row* const first = links_.first.data();
    const Row* const next = links_.next.data();
    for (Row row = first[origin]; row != origin;) {
      worlds[row] = hierarchy::compose(worlds[parents[row]], locals[row]);
      row = first[row] != origin ? first[row] : after(row, next, parents);
    }
  }

  /// In room: a row for every node.
  STOWAGE_NOINLINE void compose_dirty() noexcept {
    const Row* const parents = rows_.parents.data();
    const Row* const first = links_.first.data();
    const Row* const next = links_.next.data();
    std::uint8_t* const changed = rows_.changed.data();
    for (Row row = first[origin]; row != origin;) {
      const bool is_stale = (rows_.dirty[row] | changed[parents[row]]) != 0;
      const bool descends = is_stale || below_[row] != 0;
      rows_.dirty[row] = below_[row] = 0;
      if (is_stale) {
        const auto [worlds, locals] = rows_.transforms();
        worlds[row] = hierarchy::compose(worlds[parents[row]], locals[row]);
        changed[row] = 1;
        changed_rows_.append(row);
      }
      row = descends && first[row] != origin ? first[row] : after(row, next, parents);
    }
  }

  parts::GrowingArray<std::uint8_t> below_;
  parts::GrowingArray<Row> changed_rows_;
};

static_assert(HierarchyForm<SiblingHierarchy>);

}  // namespace stowage
