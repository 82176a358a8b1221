#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/linked_rows.hpp>

namespace stowage {

/// A tree in arrays: first child, next sibling, parent, and no order at all.
///
///     first, next, prev, parents      row -> rows (links.hpp, node_rows.hpp); a row never moves
///     below_   [ 1 ] [ 0 ] [ 1 ] ...  row -> something below it is dirty
///
/// attach(), detach(): O(1) beside the look for a cycle. remove(): O(nodes removed). update(): a walk along the links
/// without a stack, O(nodes that are dirty, below a dirty one or above one, and the children of these); whatever is
/// clean as a whole is passed by. touch(): O(depth), until it comes to a node that knows already.
///
/// Pick it where trees change all the time, or where little of a large one does. Source: sibling-linked arrays are
/// common knowledge; marks on the way up are how engines leave static trees alone.
class SiblingHierarchy : public hierarchy::LinkedRows<SiblingHierarchy> {
  using Row = hierarchy::Row;
  friend class hierarchy::Operations<SiblingHierarchy, Row>;
  static constexpr Row origin = hierarchy::origin;

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
    below_[origin] = 1;  // where looking up for who knows already ends
  }

  void update() noexcept {
    rows_.any_changed = rows_.pending;
    rows_.all_changed = rows_.all_dirty;
    for (std::size_t i = 0; i < changed_rows_.size(); ++i) rows_.changed[changed_rows_[i]] = 0;
    changed_rows_.clear();
    if (!rows_.pending) return;
    if (rows_.all_dirty) {
      compose_all();
      std::memset(rows_.dirty.data(), 0, rows_.end());
      std::memset(below_.data() + 1, 0, rows_.end() - 1);
    } else {
      compose_dirty();
    }
    rows_.pending = rows_.all_dirty = false;
  }
  void settle() noexcept {}
  /// O(nodes changed).
  template <class Fn>
  void each_changed(Fn&& fn) const {
    if (rows_.all_changed) return rows_.each_changed(fn);
    for (std::size_t i = 0; i < changed_rows_.size(); ++i) {
      const Row row = changed_rows_[i];
      if (!rows_.is_hole(row)) fn(rows_.owners[row], rows_.worlds[row]);
    }
  }

  void reserve(std::size_t nodes) {
    rows_.reserve(nodes);
    links_.reserve(nodes);
    below_.reserve(nodes + 1);
    changed_rows_.reserve(nodes + 1);
  }
  void clear() noexcept {
    clear_rows();
    below_.clear();
    changed_rows_.clear();
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t used = size() * (sizeof(std::uint8_t) + sizeof(Row));
    return rows_memory() + MemoryBreakdown{.index_bytes = used,
                                           .slack_bytes = below_.held_bytes() + changed_rows_.held_bytes() - used,
                                           .allocations = below_.allocations() + changed_rows_.allocations()};
  }

 private:
  void mark(Row row) noexcept {
    rows_.mark(row);
    for (Row above = rows_.parents[row]; below_[above] == 0; above = rows_.parents[above]) below_[above] = 1;
  }
  void link(Row row, Row parent) noexcept { relink(row, parent); }
  void erase(std::span<const Row> nodes) noexcept {
    end_rows(nodes);
    for (const Row row : nodes) recycle(row);
  }

  /// The row after all below `row`, on the way back up; origin behind the last.
  [[nodiscard]] static Row after(Row row, const Row* next, const Row* parents) noexcept {
    while (row != origin && next[row] == origin) row = parents[row];
    return row != origin ? next[row] : origin;
  }

  STOWAGE_NOINLINE void compose_all() noexcept {
    Matrix* const worlds = rows_.worlds.data();
    const Matrix* const locals = rows_.locals.data();
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
        rows_.worlds[row] = hierarchy::compose(rows_.worlds[parents[row]], rows_.locals[row]);
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
