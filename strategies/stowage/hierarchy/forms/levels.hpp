#pragma once

// A hierarchy by breadth: a list of rows for each depth, which threads can share level by level.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/linked_rows.hpp>
#include <stowage/parallel/each_divided.hpp>

namespace stowage {

///     levels_[0]  [row|  0] [row|  0]                     the roots
///     levels_[1]  [row|par] [row|par] [row|par] ...       their children, with the row of the parent
///     levels_[2]  [row|par] ...
///     place_      row -> its level and where in it        transforms stay in their rows (node_rows.hpp)
///
/// attach(), detach(), remove(): O(nodes moved), 8 bytes each; the last of a level moves into the hole. update() reads
/// and writes rows in the order of the lists, which is that of creation until nodes are attached anew.
///
/// Nodes of one level are independent of each other, so threads can share a level: update(grain, schedule). That is the
/// answer to Wicked Engine, for which a parallel for is "still not possible". Source: breadth-first scene graphs are
/// common; the levels as lists of rows are ours.
class LevelHierarchy : public hierarchy::LinkedRows<LevelHierarchy> {
  friend class hierarchy::Operations<LevelHierarchy, Row>;

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
    if (!rows_.begin_update()) return;
    for (const Level& level : levels_) {
      const auto nodes = static_cast<Row>(level.size());
      rows_.compose_in_order(nodes, [list = level.data()](Row i) noexcept { return list[i]; });
    }
    rows_.end_update();
  }

  /// The same by threads: each level in chunks of `grain` nodes, level after level. See each_divided() for `schedule`.
  /// It is not called for a level of one chunk, which is too short to be shared. `grain` is not 0.
  template <class Schedule>
  void update(std::size_t grain, Schedule&& schedule) {
    STOWAGE_ASSERT(grain != 0, "a chunk has one node at least");
    if (!rows_.begin_update()) return;
    for (const Level& level : levels_) {
      const auto compose = [&](std::size_t first_chunk, std::size_t end_chunk) {
        const std::size_t first = first_chunk * grain;
        const auto nodes = static_cast<Row>((std::min)(end_chunk * grain, level.size()) - first);
        rows_.compose_in_order(nodes, [list = level.data() + first](Row i) noexcept { return list[i]; });
      };
      const std::size_t chunks = (level.size() + grain - 1) / grain;
      if (chunks > 1) {
        schedule(chunks, ChunkWork(compose));
      } else if (chunks == 1) {
        compose(0, 1);
      }
    }
    rows_.end_update();
  }

  void reserve(std::size_t nodes) {
    reserve_rows(nodes);
    place_.reserve(nodes + 1);
  }
  void clear() noexcept {
    clear_rows();
    place_.clear();
    for (Level& level : levels_) level.clear();
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown sum = rows_memory() + hierarchy::memory_of(size() * sizeof(Place), place_, subtree_);
    std::size_t held = levels_.capacity() * sizeof(Level);
    sum.allocations += levels_.capacity() != 0 ? 1U : 0U;
    for (const Level& level : levels_) {
      held += level.held_bytes();
      sum.allocations += level.allocations();
    }
    const std::size_t used = size() * sizeof(hierarchy::NodeAndParent);
    sum.index_bytes += used;
    sum.slack_bytes += held - used;
    return sum;
  }

 private:
  struct Place {
    std::uint32_t level = 0;
    std::uint32_t position = 0;
  };
  using Level = parts::GrowingArray<hierarchy::NodeAndParent>;

  void link(Row row, Row parent) {
    const std::uint32_t from = place_[row].level;
    const std::uint32_t to = parent == origin ? 0 : place_[parent].level + 1;
    if (from != to) make_room_to_move(std::span<const Row>(&row, 1), from, to);
    LinkedRows::link(row, parent);
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

  /// Puts these nodes of level `from`, and all below them, in `subtree_`, and makes room for them from level `to` on.
  /// Breadth first, so that the levels in `subtree_` follow each other.
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
    const hierarchy::NodeAndParent last = list[list.size() - 1];
    list[position] = last;
    place_[last.node].position = position;
    list.shrink(list.size() - 1);
  }

  void erase(std::span<const Row> nodes) noexcept {
    for (const Row row : nodes) leave(row);
    LinkedRows::erase(nodes);
  }

  parts::GrowingArray<Place> place_;
  std::vector<Level> levels_;
  parts::GrowingArray<Row> subtree_;
};

static_assert(HierarchyForm<LevelHierarchy>);

}  // namespace stowage
