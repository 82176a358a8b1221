// The hand-written hierarchy of hierarchy_store.hpp, compiled once: how nodes are created, put in order and updated.

#include "workloads/support/hierarchy_store.hpp"

#include <cstring>
#include <utility>

namespace stowage::workloads {

template <class Transforms>
HierarchyRows<Transforms>::HierarchyRows(std::size_t nodes) {
  slots_.reserve(nodes);
  transforms_.make_room_for_slots(nodes);
  for_each_column([&](auto& column) {
    column.reserve(nodes + 1);
    column.extend_unwritten(1);
  });
  parents_[origin] = origin;
  slot_of_[origin] = no_slot;
  local_of(origin) = worlds()[origin] = hierarchy::identity();
  dirty_[origin] = changed_[origin] = 0;
}

template <class Transforms>
Entity HierarchyRows<Transforms>::create(const Matrix& local) {
  const Row row = end();
  const Matrix kept = local;
  for_each_column([&](auto& column) { column.make_room(row + std::size_t{1}); });
  const std::uint32_t slot = take_slot();
  for_each_column([&](auto& column) { column.extend_unwritten(row + std::size_t{1}); });
  slots_[slot].row_or_next = row;
  slot_of_[row] = slot;
  parents_[row] = origin;
  local_of(row) = worlds()[row] = kept;
  changed_[row] = 0;
  mark(row);
  return {slot, slots_[slot].generation};
}

template <class Transforms>
void HierarchyRows<Transforms>::create(std::span<Entity> out, std::span<const LocalTransform> locals,
                                       std::span<const WorldTransform> worlds, std::span<const std::uint32_t> parents,
                                       Entity top)
  requires std::same_as<Transforms, TransformColumns>
{
  const Row first = end();
  const auto count = static_cast<Row>(out.size());
  const Row above = top.is_null() ? origin : this->node(top);
  for_each_column([&](auto& column) {
    column.make_room(first + std::size_t{count});
    column.extend_unwritten(first + std::size_t{count});
  });
  std::memcpy(static_cast<void*>(transforms_.locals.data() + first), locals.data(), locals.size_bytes());
  std::memcpy(static_cast<void*>(transforms_.worlds.data() + first), worlds.data(), worlds.size_bytes());
  std::memset(dirty_.data() + first, 1, count);
  std::memset(changed_.data() + first, 0, count);
  for (Row i = 0; i < count; ++i) parents_[first + i] = parents[i] == i ? above : first + parents[i];
  for (Row i = 0; i < count; ++i) {
    const std::uint32_t slot = take_slot();
    slots_[slot].row_or_next = first + i;
    slot_of_[first + i] = slot;
    out[i] = {slot, slots_[slot].generation};
  }
  any_dirty_ = true;
}

template <class Transforms>
std::uint32_t HierarchyRows<Transforms>::take_slot() {
  const std::uint32_t slot = first_free_;
  if (slot != no_slot) {
    first_free_ = slots_[slot].row_or_next;
    return slot;
  }
  const auto added = static_cast<std::uint32_t>(slots_.size());
  slots_.append({});
  transforms_.make_room_for_slots(slots_.size());
  return added;
}

template <class Transforms>
void HierarchyRows<Transforms>::end_all() noexcept {
  for (Row row = end() - 1; row != origin; --row) {
    const std::uint32_t slot = slot_of_[row];
    if (slot != no_slot) slots_[slot] = {slots_[slot].generation + 1, std::exchange(first_free_, slot)};
  }
  for_each_column([](auto& column) { column.shrink(1); });
  moved_.clear();
  has_holes_ = any_dirty_ = all_dirty_ = false;
}

template <class Transforms>
void HierarchyRows<Transforms>::link(Row row, Row parent) {
  if (parent > row) moved_.append(row);
  parents_[row] = parent;
}

template <class Transforms>
void HierarchyRows<Transforms>::erase(std::span<const Row> nodes) noexcept {
  for (const Row row : nodes) {
    const std::uint32_t slot = std::exchange(slot_of_[row], no_slot);
    slots_[slot] = {slots_[slot].generation + 1, std::exchange(first_free_, slot)};
    parents_[row] = origin;
  }
  has_holes_ = true;
}

template <class Transforms>
void HierarchyRows<Transforms>::append_children(Row row, Nodes& out) const {
  for (Row below = 1; below < end(); ++below) {
    if (parents_[below] == row && slot_of_[below] != no_slot) out.append(below);
  }
}
template <class Transforms>
void HierarchyRows<Transforms>::append_nodes(Row row, Nodes& out) const {
  out.append(row);
  for (std::size_t done = 0; done < out.size(); ++done) append_children(out[done], out);
}

template <class Transforms>
void HierarchyRows<Transforms>::settle() {
  if (moved_.size() == 0 && !has_holes_) return;
  if (moved_.size() == 1 && !has_holes_) {
    const Row row = moved_[0];
    if (parents_[row] > row) move_subtree_behind(row, parents_[row]);
  } else {
    order_all();
  }
  moved_.clear();
}

/// A stable partition of the rows from `row` to `parent`: those that stay, then the subtree, by way of a copy.
template <class Transforms>
void HierarchyRows<Transforms>::move_subtree_behind(Row row, Row parent) {
  constexpr Row stays = 0, moves = 1;
  const Row count = parent - row + 1;
  to_.extend_unwritten(count);
  Row* const to = to_.data();
  to[0] = moves;
  Row staying = 0;
  for (Row i = 1; i < count; ++i) {
    const Row above = parents_[row + i];
    to[i] = above >= row && to[above - row] == moves ? moves : stays;
    staying += to[i] == stays ? 1 : 0;
  }
  Row to_stay = 0, to_move = staying;
  for (Row i = 0; i < count; ++i) to[i] = to[i] == stays ? to_stay++ : to_move++;
  for (Row at = row; at < end(); ++at) {
    if (parents_[at] - row < count) parents_[at] = row + to[parents_[at] - row];
  }
  for_each_column([&]<class T>(Column<T>& column) {
    Column<T> subtree;
    subtree.reserve(count - staying);
    T* const first = column.data() + row;
    for (Row i = 0; i < count; ++i) {
      if (to[i] < staying) {
        first[to[i]] = first[i];  // never forwards
      } else {
        subtree.append(first[i]);
      }
    }
    std::memcpy(first + staying, subtree.data(), subtree.size() * sizeof(T));
  });
  for (Row at = row; at < row + count; ++at) slots_[slot_of_[at]].row_or_next = at;
}

/// By breadth, children in the order of their rows.
template <class Transforms>
void HierarchyRows<Transforms>::order_all() {
  const Row rows = end();
  Column<Row> first_child, children, order;
  first_child.extend(rows + std::size_t{1}, 0);
  children.extend_unwritten(rows);
  order.reserve(rows);
  for (Row row = 1; row < rows; ++row) first_child[parents_[row] + 1] += slot_of_[row] != no_slot ? 1 : 0;
  for (Row row = 0; row < rows; ++row) first_child[row + 1] += first_child[row];
  to_.extend_unwritten(rows);
  for (Row row = 0; row < rows; ++row) to_[row] = first_child[row];
  for (Row row = 1; row < rows; ++row) {
    if (slot_of_[row] != no_slot) children[to_[parents_[row]]++] = row;
  }
  order.append(origin);
  for (std::size_t done = 0; done < order.size(); ++done) {
    const Row above = order[done];
    for (Row i = first_child[above]; i < first_child[above + 1]; ++i) order.append(children[i]);
  }
  for (Row row = 0; row < order.size(); ++row) to_[order[row]] = row;
  for_each_column([&]<class T>(Column<T>& column) {
    Column<T> ordered;
    ordered.reserve(column.capacity());
    for (std::size_t row = 0; row < order.size(); ++row) ordered.append(column[order[row]]);
    column = std::move(ordered);
  });
  for (Row row = 1; row < end(); ++row) {
    parents_[row] = to_[parents_[row]];
    slots_[slot_of_[row]].row_or_next = row;
  }
  has_holes_ = false;
}

template <class Transforms>
void HierarchyRows<Transforms>::update() {
  settle();
  if (all_dirty_) {
    compose_all();
  } else if (any_dirty_) {
    compose_dirty();
  }
  if (any_dirty_) clear_dirty();
  all_dirty_ = false;
}

template <class Transforms>
void HierarchyRows<Transforms>::update_all() {
  settle();
  compose_all();
  if (any_dirty_) clear_dirty();
}

template <class Transforms>
void HierarchyRows<Transforms>::clear_dirty() noexcept {
  std::memset(dirty_.data(), 0, dirty_.size());
  any_dirty_ = false;
}

template <class Transforms>
void HierarchyRows<Transforms>::compose_all() noexcept {
  hierarchy::compose_all(end() - 1, hierarchy::rows_from<1>(parents_.data()), worlds(), locals());
}

template <class Transforms>
void HierarchyRows<Transforms>::compose_dirty() noexcept {
  const auto worlds = this->worlds();
  const auto locals = this->locals();
  const Row* const parents = parents_.data();
  const std::uint8_t* const dirty = dirty_.data();
  std::uint8_t* const changed = changed_.data();
  const std::size_t rows = parents_.size();
  for (std::size_t row = 1; row < rows; ++row) {
    const std::uint8_t is_stale = dirty[row] | changed[parents[row]];
    changed[row] = is_stale;
    if (is_stale != 0) worlds[row] = hierarchy::compose(worlds[parents[row]], locals[row]);
  }
}

template <class Transforms>
MemoryBreakdown HierarchyRows<Transforms>::memory() const noexcept {
  const std::size_t nodes = parents_.size() - 1;
  const std::size_t index = slots_.size() * sizeof(Slot) + nodes * (sizeof(Row) + sizeof(std::uint32_t) + 2);
  MemoryBreakdown sum = hierarchy::memory_of(index, slots_, parents_, slot_of_, dirty_, changed_, moved_, to_) +
                        transforms_.memory() + this->scratch_memory();
  sum.payload_bytes = nodes * 2 * sizeof(Matrix);
  sum.slack_bytes -= sum.payload_bytes;
  return sum;
}

template class HierarchyRows<TransformColumns>;
template class HierarchyRows<TransformPairs>;
template class HierarchyRows<DirectTransforms>;

}  // namespace stowage::workloads
