#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/linked_rows.hpp>

namespace stowage {

/// A hierarchy by breadth: a list of rows for each depth.
///
///     levels_[0]  [row|  0] [row|  0]                     the roots
///     levels_[1]  [row|par] [row|par] [row|par] ...       their children, with the row of the parent
///     levels_[2]  [row|par] ...
///     place_      row -> its level and where in it        transforms stay in their rows (node_rows.hpp)
///
/// attach(), detach(), remove(): O(nodes moved), 8 bytes each; the last of a level moves into the hole. update() reads
/// and writes rows in the order of the lists, which is that of creation until nodes are attached anew.
///
/// Nodes of one level are independent of each other: whoever has threads to spare can split a level over them. That is
/// the answer to "a linear hierarchy cannot use a parallel for". Source: breadth-first scene graphs are common; the
/// levels as lists of rows are ours.
class LevelHierarchy : public hierarchy::LinkedRows<LevelHierarchy> {
  using Row = hierarchy::Row;
  friend class hierarchy::Operations<LevelHierarchy, Row>;
  static constexpr Row origin = hierarchy::origin;

 public:
  /// O(1) amortised.
  void add(Entity entity, const Matrix& local = hierarchy::identity()) {
    const Matrix kept = local;
    make_room_for(entity);
    place_.make_room(rows_.end() + std::size_t{1});
    if (levels_.empty()) levels_.emplace_back();
    levels_.front().make_room(levels_.front().size() + 1);
    const Row row = add_row(entity, kept);
    place_.extend(rows_.end(), Place{});
    enter(row, 0, origin);
  }

  /// O(nodes): each is looked at, those that changed are computed.
  void update() noexcept {
    rows_.any_changed = rows_.pending;
    rows_.all_changed = rows_.all_dirty;
    if (!rows_.pending) return;
    for (const Level& level : levels_) {
      const auto count = static_cast<Row>(level.size());
      if (rows_.all_dirty) {
        compose_all(rows_.worlds.data(), rows_.locals.data(), level.data(), count);
      } else {
        compose_dirty(rows_.worlds.data(), rows_.locals.data(), level.data(), rows_.dirty.data(), rows_.changed.data(),
                      count);
      }
    }
    std::memset(rows_.dirty.data(), 0, rows_.end());
    rows_.pending = rows_.all_dirty = false;
  }
  void settle() noexcept {}
  template <class Fn>
  void each_changed(Fn&& fn) const {
    rows_.each_changed(fn);
  }

  void reserve(std::size_t nodes) {
    rows_.reserve(nodes);
    links_.reserve(nodes);
    place_.reserve(nodes + 1);
  }
  void clear() noexcept {
    clear_rows();
    place_.clear();
    for (Level& level : levels_) level.clear();
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown sum = rows_memory();
    std::size_t held = place_.held_bytes() + levels_.capacity() * sizeof(Level) + subtree_.held_bytes();
    sum.allocations += place_.allocations() + (levels_.capacity() != 0 ? 1 : 0) + subtree_.allocations();
    for (const Level& level : levels_) {
      held += level.held_bytes();
      sum.allocations += level.allocations();
    }
    const std::size_t used = size() * (sizeof(Place) + sizeof(Entry));
    sum.index_bytes += used;
    sum.slack_bytes += held - used;
    return sum;
  }

 private:
  struct Entry {
    Row row;
    Row parent;
  };
  struct Place {
    std::uint32_t level = 0;
    std::uint32_t position = 0;
  };
  using Level = parts::GrowingArray<Entry>;

  STOWAGE_NOINLINE static void compose_all(Matrix* worlds, const Matrix* locals, const Entry* level,
                                           Row count) noexcept {
    for (Row i = 0; i < count; ++i) {
      const auto [row, parent] = level[i];
      worlds[row] = hierarchy::compose(worlds[parent], locals[row]);
    }
  }
  STOWAGE_NOINLINE static void compose_dirty(Matrix* worlds, const Matrix* locals, const Entry* level,
                                             const std::uint8_t* dirty, std::uint8_t* changed, Row count) noexcept {
    for (Row i = 0; i < count; ++i) {
      const auto [row, parent] = level[i];
      const std::uint8_t is_stale = dirty[row] | changed[parent];
      changed[row] = is_stale;
      if (is_stale != 0) worlds[row] = hierarchy::compose(worlds[parent], locals[row]);
    }
  }

  void mark(Row row) noexcept { rows_.mark(row); }

  void link(Row row, Row parent) {
    const std::uint32_t from = place_[row].level;
    const std::uint32_t to = parent == origin ? 0 : place_[parent].level + 1;
    if (from != to) make_room_to_move(std::span<const Row>(&row, 1), from, to);
    relink(row, parent);
    if (from == to) {
      levels_[to][place_[row].position].parent = parent;
      return;
    }
    for (std::size_t i = 0; i < subtree_.size(); ++i) {
      const Row moved = subtree_[i];
      const std::uint32_t level = place_[moved].level - from + to;
      leave(moved);
      enter(moved, level, rows_.parents[moved]);
    }
  }
  void make_room_for_roots(std::span<const Row> nodes) {
    if (!nodes.empty()) make_room_to_move(nodes, place_[nodes.front()].level, 0);
  }

  /// For nodes of level `from` and all below them, which are in `subtree_` then: breadth first, so that its levels
  /// follow each other.
  void make_room_to_move(std::span<const Row> nodes, std::uint32_t from, std::uint32_t to) {
    subtree_.clear();
    for (const Row row : nodes) subtree_.append(row);
    links_.append_below(subtree_);
    for (std::size_t i = 0; i < subtree_.size();) {
      const std::uint32_t level = place_[subtree_[i]].level;
      std::size_t end = i + 1;
      while (end < subtree_.size() && place_[subtree_[end]].level == level) ++end;
      const std::size_t wanted = level - from + to;
      if (wanted >= levels_.size()) levels_.resize(wanted + 1);
      levels_[wanted].make_room(levels_[wanted].size() + (end - i));
      i = end;
    }
  }
  void enter(Row row, std::uint32_t level, Row parent) noexcept {
    place_[row] = {level, static_cast<std::uint32_t>(levels_[level].size())};
    levels_[level].append({row, parent});
  }
  void leave(Row row) noexcept {
    const auto [level, position] = place_[row];
    Level& list = levels_[level];
    const Entry last = list[list.size() - 1];
    list[position] = last;
    place_[last.row].position = position;
    list.shrink(list.size() - 1);
  }

  void erase(std::span<const Row> nodes) noexcept {
    for (const Row row : nodes) leave(row);
    end_rows(nodes);
    for (const Row row : nodes) recycle(row);
  }

  parts::GrowingArray<Place> place_;
  std::vector<Level> levels_;
  parts::GrowingArray<Row> subtree_;
};

static_assert(HierarchyForm<LevelHierarchy>);

}  // namespace stowage
