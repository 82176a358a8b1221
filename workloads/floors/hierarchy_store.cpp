// The hand-written hierarchy of hierarchy_store.hpp, compiled once: how nodes are created, put in order and updated.

#include "workloads/floors/hierarchy_store.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace stowage::workloads {

bool parents_are_far(std::span<const std::uint32_t> parents) noexcept {
  constexpr std::uint32_t near = 256;
  const auto size = static_cast<std::uint32_t>(parents.size());
  std::uint32_t far = 0;
  for (std::uint32_t row = 1; row < size; ++row) {
    far += parents[row] != parents[row - 1] && row - parents[row] > near ? 1 : 0;
  }
  return far > size / 3;
}

StoredArray<std::uint32_t> order_with_near_parents(std::span<const std::uint32_t> parents) {
  using Row = std::uint32_t;
  const auto size = static_cast<Row>(parents.size());
  StoredArray<Row> first_child(size + std::size_t{1}, 0);
  for (Row row = 1; row < size; ++row) ++first_child[parents[row] + 1];
  for (Row row = 0; row < size; ++row) first_child[row + 1] += first_child[row];
  StoredArray<Row> children(size), next(first_child);
  for (Row row = 1; row < size; ++row) children[next[parents[row]]++] = row;
  StoredArray<Row> order{0};
  order.reserve(size);
  StoredArray<Row> waiting;  // the next one last
  const auto add_children = [&](Row above) {
    for (Row i = first_child[above + 1]; i-- > first_child[above];) waiting.push_back(children[i]);
  };
  add_children(0);
  while (!waiting.empty()) {
    const std::size_t count = std::min<std::size_t>(waiting.size(), 64);
    order.insert(order.end(), waiting.rbegin(), waiting.rbegin() + static_cast<std::ptrdiff_t>(count));
    waiting.resize(waiting.size() - count);
    for (std::size_t i = order.size(); i-- > order.size() - count;) add_children(order[i]);
  }
  return order;
}

template <class Transforms>
HierarchyRows<Transforms>::HierarchyRows(std::size_t nodes) {
  slots_.reserve(nodes);
  rows_.reallocate(nodes + 1, 0);
  transforms_.arrays.reallocate(nodes + 1, 0);
  size_ = 1;
  parents()[origin] = origin;
  slot_of()[origin] = no_slot;
  locals()[origin] = worlds()[origin] = glm::mat4(1.0f);
  dirty()[origin] = changed()[origin] = 0;
}

template <class Transforms>
void HierarchyRows<Transforms>::make_room(std::size_t rows) {
  const std::size_t room = rows_.capacity();
  if (rows <= room) return;
  const std::size_t larger = grown(room, rows);
  slots_.reserve(larger);
  rows_.reallocate(larger, size_);
  transforms_.arrays.reallocate(larger, room);  // those of slots without a life, too
}

template <class Transforms>
Entity HierarchyRows<Transforms>::take_slot(Row row) {
  std::uint32_t slot = first_free_;
  if (slot != no_slot) {
    first_free_ = slots_[slot].row_or_next;
  } else {
    slot = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back({});
  }
  slots_[slot].row_or_next = row;
  slot_of()[row] = slot;
  in_place_ &= slot + 1 == row;
  return {slot, slots_[slot].generation};
}

template <class Transforms>
Entity HierarchyRows<Transforms>::create(const glm::mat4& local) {
  const glm::mat4 kept = local;  // it may be one of these
  make_room(size_ + std::size_t{1});
  const Row row = size_++;
  const Entity created = take_slot(row);
  parents()[row] = origin;
  locals()[row] = worlds()[row] = kept;
  changed()[row] = 0;
  mark(row);
  return created;
}

template <class Transforms>
void HierarchyRows<Transforms>::create_all(std::span<Entity> out, const glm::mat4* locals, const glm::mat4* worlds,
                                           std::span<const std::uint32_t> parents, Entity top)
  requires std::same_as<Transforms, TransformColumns>
{
  const Row first = size_;
  const auto count = static_cast<Row>(out.size());
  const Row above = top.is_null() ? origin : node(top);
  make_room(first + std::size_t{count});
  size_ += count;
  std::memcpy(static_cast<void*>(&this->locals()[first]), locals, count * sizeof(glm::mat4));
  std::memcpy(static_cast<void*>(&this->worlds()[first]), worlds, count * sizeof(glm::mat4));
  std::memset(dirty() + first, 1, count);
  std::memset(changed() + first, 0, count);
  Row* const added = this->parents() + first;
  for (Row i = 0; i < count; ++i) added[i] = parents[i] == i ? above : first + parents[i];
  for (Row i = 0; i < count; ++i) out[i] = take_slot(first + i);
  any_dirty_ = true;
}

template <class Transforms>
void HierarchyRows<Transforms>::free_slot_of(Row row) noexcept {
  const std::uint32_t slot = slot_of()[row];
  slots_[slot] = {slots_[slot].generation + 1, std::exchange(first_free_, slot)};
}

/// Parents come first, so one loop forwards finds all below: a row goes if the row of its parent does. Rows that stay
/// move up, run by run.
template <class Transforms>
void HierarchyRows<Transforms>::destroy(Entity top) {
  constexpr Row goes = origin;
  settle();
  const Row first = node(top);
  if (to_.size() < size_) to_.resize(size_);
  Row* const to = to_.data();
  Row* const above = parents();
  StoredArray<Row>& runs = path_;  // where those that stay begin and end
  runs.clear();
  Row end = first;
  for (Row row = first; row < size_; ++row) {
    const Row parent = above[row];
    const bool stays = row != first && (parent < first || to[parent] != goes);
    if (stays != (runs.size() % 2 != 0)) runs.push_back(row);
    if (stays) {
      if (parent >= first) above[row] = to[parent];
      to[row] = end++;
    } else {
      free_slot_of(row);
      to[row] = goes;
    }
  }
  if (runs.size() % 2 != 0) runs.push_back(size_);
  for_each_array([&]<class T>(T* array) {
    T* next = array + first;
    for (std::size_t run = 0; run < runs.size(); run += 2) {
      const Row count = runs[run + 1] - runs[run];
      std::memmove(static_cast<void*>(next), array + runs[run], count * sizeof(T));
      next += count;
    }
  });
  size_ = end;
  find_rows_again(first, size_);
}

template <class Transforms>
void HierarchyRows<Transforms>::end_all() noexcept {
  for (Row row = size_ - 1; row != origin; --row) free_slot_of(row);
  size_ = 1;
  moved_.clear();
  in_place_ = true;
  any_dirty_ = all_dirty_ = false;
}

template <class Transforms>
Entity HierarchyRows<Transforms>::parent(Entity entity) const {
  const std::uint32_t slot = slot_of()[parents()[node(entity)]];
  return slot == no_slot ? Entity() : Entity(slot, slots_[slot].generation);
}

template <class Transforms>
void HierarchyRows<Transforms>::detach(Entity entity) {
  const Row row = node(entity);
  if (parents()[row] == origin) return;
  locals()[row] = world_now(row);
  parents()[row] = origin;
  mark(row);
}

/// From the highest dirty row above it down, in the order in which update() multiplies.
template <class Transforms>
glm::mat4 HierarchyRows<Transforms>::world_now(Row row) {
  path_.clear();
  std::size_t dirty_rows = 0;
  for (Row at = row; at != origin; at = parents()[at]) {
    path_.push_back(at);
    if (all_dirty_ || dirty()[at] != 0) dirty_rows = path_.size();
  }
  if (dirty_rows == 0) return worlds()[row];
  glm::mat4 world = worlds()[dirty_rows == path_.size() ? origin : path_[dirty_rows]];
  while (dirty_rows != 0) world = product(world, locals()[path_[--dirty_rows]]);
  return world;
}

template <class Transforms>
void HierarchyRows<Transforms>::settle() {
  const Row many = size_ / 8;
  const bool may_be_far = Transforms::follow_rows && attached_ > many;
  if (moved_.size() > 1 || (may_be_far && parents_are_far({parents(), size_}))) {
    order_all();
  } else if (!moved_.empty() && parents()[moved_[0]] > moved_[0]) {
    move_subtree_behind(moved_[0], parents()[moved_[0]]);
  }
  if (may_be_far) attached_ = 0;
  moved_.clear();
}

template <class Transforms>
void HierarchyRows<Transforms>::find_rows_again(Row first, Row end) noexcept {
  for (Row row = first; row < end; ++row) slots_[slot_of()[row]].row_or_next = row;
  if constexpr (!Transforms::follow_rows) {
    in_place_ |= end - first == size_ - 1;
    for (Row row = first; in_place_ && row < end; ++row) in_place_ = slot_of()[row] + 1 == row;
  }
}

/// A stable partition of the rows from `row` to `parent`: those that stay, then the subtree, by way of a copy.
template <class Transforms>
void HierarchyRows<Transforms>::move_subtree_behind(Row row, Row parent) {
  constexpr Row stays = 0, moves = 1;
  const Row count = parent - row + 1;
  Row* const above = parents();
  if (to_.size() < count) to_.resize(count);
  Row* const to = to_.data();
  to[0] = moves;
  Row staying = 0;
  for (Row i = 1; i < count; ++i) {
    const Row at = above[row + i];
    to[i] = at >= row && to[at - row] == moves ? moves : stays;
    staying += to[i] == stays ? 1 : 0;
  }
  Row to_stay = 0, to_move = staying;
  for (Row i = 0; i < count; ++i) to[i] = to[i] == stays ? to_stay++ : to_move++;
  for (Row at = row; at < size_; ++at) {
    if (above[at] - row < count) above[at] = row + to[above[at] - row];
  }
  for_each_array([&]<class T>(T* array) {
    const Columns<T> kept(count - staying);
    T* const subtree = kept.template number<0>();
    T* const first = array + row;
    Row moved = 0;
    for (Row i = 0; i < count; ++i) {
      if (to[i] < staying) {
        first[to[i]] = first[i];  // never forwards
      } else {
        subtree[moved++] = first[i];
      }
    }
    std::memcpy(static_cast<void*>(first + staying), subtree, moved * sizeof(T));
  });
  find_rows_again(row, row + count);
}

template <class Transforms>
void HierarchyRows<Transforms>::order_all() {
  const StoredArray<Row> order = order_with_near_parents({parents(), size_});
  to_.resize(size_);
  for (Row row = 0; row < size_; ++row) to_[order[row]] = row;
  for_each_array([&]<class T>(T* array) {
    const StoredArray<T> before(array, array + size_);
    for (Row row = 0; row < size_; ++row) array[row] = before[order[row]];
  });
  for (Row row = 1; row < size_; ++row) parents()[row] = to_[parents()[row]];
  find_rows_again(1, size_);
}

template <class Transforms>
void HierarchyRows<Transforms>::update() {
  settle();
  if (all_dirty_) {
    compute_all();
  } else if (any_dirty_) {
    multiply_dirty(size_, parents(), dirty(), changed(), worlds(), locals());
  }
  if (any_dirty_) clear_dirty();
  all_dirty_ = false;
}

template <class Transforms>
void HierarchyRows<Transforms>::update_all() {
  settle();
  compute_all();
  if (any_dirty_) clear_dirty();
}

/// The loop is inlined here, where it is known that both cursors have the same slots.
template <class Transforms>
void HierarchyRows<Transforms>::compute_all() noexcept {
  if constexpr (!Transforms::follow_rows) {
    const auto& arrays = transforms_.arrays;
    if (in_place_) return multiply_all(size_, parents(), arrays.template number<1>(), arrays.template number<0>());
  }
  multiply_all(size_, parents(), worlds(), locals());
}

template <class Transforms>
void HierarchyRows<Transforms>::clear_dirty() noexcept {
  std::memset(dirty(), 0, size_);
  any_dirty_ = false;
}

template <class Transforms>
MemoryBreakdown HierarchyRows<Transforms>::memory() const noexcept {
  const std::size_t nodes = size_ - 1;
  const std::size_t payload = nodes * 2 * sizeof(glm::mat4);
  const std::size_t index = slots_.size() * sizeof(Slot) + nodes * (2 * sizeof(Row) + 2);
  MemoryBreakdown bytes{.payload_bytes = payload,
                        .index_bytes = index,
                        .slack_bytes = rows_.held_bytes() + transforms_.arrays.held_bytes() - payload - index,
                        .allocations = rows_.allocations() + transforms_.arrays.allocations()};
  const auto add = [&](const auto& array) {
    bytes.slack_bytes += array.capacity() * sizeof array[0];
    bytes.allocations += array.capacity() != 0 ? 1 : 0;
  };
  add(slots_);
  add(moved_);
  add(path_);
  add(to_);
  return bytes;
}

template class HierarchyRows<TransformColumns>;
template class HierarchyRows<TransformPairs>;
template class HierarchyRows<DirectTransforms>;

}  // namespace stowage::workloads
