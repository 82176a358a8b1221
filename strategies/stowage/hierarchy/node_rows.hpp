#pragma once

// The nodes of a hierarchy in arrays by row: adding, moving and updating them, and what forms on rows have in common.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/matrices.hpp>
#include <stowage/parts/index/array.hpp>

namespace stowage::hierarchy {

/// The row that roots hang from: the identity, at the origin of the world. It has no owner, so it also says "no row".
inline constexpr Row origin = 0;

/// Rows from 1 on are nodes or holes; row 0 is the origin.
///
///     index_     [entity ^ row] [entity ^ row] ...           entity.index() -> row
///     owners     [  -  ] [ e ] [ e ] [ e ] ...               row -> entity, the null handle in a hole
///     parents    [  0  ] [ 0 ] [ 1 ] [ 1 ] ...               row -> row of the parent
///     transforms                                             row -> what `Matrices` has of it: matrices.hpp
///     dirty      [  0  ] [ 1 ] [ 0 ] [ 0 ] ...               row -> to be computed by the next update
///     changed    [  0  ] [ 1 ] [ 1 ] [ 1 ] ...               row -> computed by the last update
///
/// Rows that end become holes at the origin, whose transforms an update may compute without harm.
template <class Matrices>
class NodeRows {
 public:
  using Given = typename Matrices::Given;

  /// The row of a node; origin if the entity is none. O(1), one line.
  [[nodiscard]] Row row_of(Entity entity) const noexcept {
    if (entity.index() >= index_.size()) return origin;
    const Row row = Entry::row_of(index_[entity.index()], entity);
    return row != parts::no_row ? row : origin;
  }
  /// One past the last row, holes included.
  [[nodiscard]] Row end() const noexcept { return static_cast<Row>(owners.size()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_hole(Row row) const noexcept { return owners[row].is_null(); }
  [[nodiscard]] bool is_stale(Row row) const noexcept {
    return all_dirty || dirty[row] != 0 || !matrices.knows_world(row, owners[row]);
  }

  void reserve(std::size_t nodes) {
    for_each_column([&](auto& column) { column.reserve(nodes + 1); });
  }
  /// Room for one more node, which is not there yet. Throws NodeExists, std::bad_alloc; then nothing has changed.
  void make_room(Entity entity) {
    STOWAGE_ASSERT(!entity.is_null(), "the null handle is no node");
    const std::size_t index = entity.index();
    if (index < index_.size() && Entry::row_at(index_[index], entity.index()) != parts::no_row) {
      STOWAGE_THROW(NodeExists(entity));
    }
    if (end() == 0) make_origin();
    make_room_for_rows(1);
    const std::size_t known = index_.size();
    if (index < known) return;
    index_.extend_unwritten(index + 1);
    Entry::write_absent(index_.data(), known, index + 1);
  }
  /// The same for many, none of them twice.
  void make_room(std::span<const Entity> entities) {
    std::size_t indices = index_.size();
    for (const Entity entity : entities) {
      STOWAGE_ASSERT(!entity.is_null(), "the null handle is no node");
      const std::size_t index = entity.index();
      if (index < index_.size() && Entry::row_at(index_[index], entity.index()) != parts::no_row) {
        STOWAGE_THROW(NodeExists(entity));
      }
      indices = (std::max)(indices, index + 1);
    }
    if (end() == 0) make_origin();
    make_room_for_rows(entities.size());
    const std::size_t known = index_.size();
    index_.extend_unwritten(indices);
    Entry::write_absent(index_.data(), known, indices);
  }
  /// For a node without a world. After make_room(). Throws std::bad_alloc; then nothing has changed.
  void make_spare(Entity entity, const Given& given) { matrices.make_spare(entity, given); }
  void make_room_for_rows(std::size_t rows) {
    for_each_column([&](auto& column) { column.make_room(column.size() + rows); });
  }

  /// A root in a new row, or in a hole that is given. After make_room().
  Row add(Entity entity, const Given& given, Row hole = origin) noexcept {
    const Row row = hole != origin ? hole : end();
    if (hole == origin) {
      for_each_column([&](auto& column) { column.extend_unwritten(column.size() + 1); });
    }
    put(row, {matrices.held_of(entity, given), entity, origin, 1, 0});
    pending = true;
    ++size_;
    return row;
  }
  /// Many nodes in new rows, parents first: `parent_of(i)` is the row of the i-th node's parent. `matrices` hold the
  /// transforms of the new rows already.
  template <class ParentOf>
  void add(std::span<const Entity> entities, ParentOf&& parent_of) noexcept {
    const Row first = end();
    const auto count = static_cast<Row>(entities.size());
    for_each_column([&](auto& column) { column.extend_unwritten(first + std::size_t{count}); });
    for (Row i = 0; i < count; ++i) {
      owners[first + i] = entities[i];
      parents[first + i] = parent_of(i);
      index_[entities[i].index()] = Entry::of(entities[i], first + i);
    }
    std::memset(dirty.data() + first, 1, count);
    std::memset(changed.data() + first, 0, count);
    pending = pending || count != 0;
    size_ += count;
  }
  /// Makes a hole of a row.
  void end_row(Row row) noexcept {
    index_[owners[row].index()] = Entry::absent(owners[row].index());
    matrices.end_spare(owners[row]);
    make_hole(row);
    --size_;
  }
  /// Copies a row to the end, for which there is room, and leaves a hole.
  Row move_to_end(Row row) noexcept {
    const Row moved = end();
    for_each_column([&](auto& column) { column.extend_unwritten(column.size() + 1); });
    put(moved, record(row));
    make_hole(row);
    return moved;
  }

  /// Moves row first + i to first + to[i] for all i, and its owner's entry; `to` is a permutation and is spent. Parents
  /// are numbers as before.
  void permute(Row first, Row* to, std::size_t count) noexcept {
    for (Row start = 0; start < count; ++start) {
      if (to[start] == start) continue;
      Record carried = record(first + start);
      Row at = start;
      do {
        at = std::exchange(to[at], at);
        const Record displaced = record(first + at);
        put(first + at, carried);
        carried = displaced;
      } while (at != start);
    }
    matrices.note_order();
  }
  /// Gives up rows from `rows` on, all of them holes.
  void truncate(Row rows) noexcept {
    for_each_column([&](auto& column) { column.shrink(rows); });
  }
  /// Puts all nodes in this order, behind the origin, and gives up the holes; `to` says where each row goes. Column by
  /// column, so that no row waits for another. Throws std::bad_alloc; then nothing has changed.
  void put_in_order(std::span<const Row> order, const Row* to) {
    std::size_t widest = 0;
    for_each_column([&]<class T>(const parts::GrowingArray<T>&) { widest = (std::max)(widest, sizeof(T)); });
    parts::GrowingArray<std::byte> scratch;
    scratch.extend_unwritten(order.size() * widest);
    for (const Row row : order) parents[row] = to[parents[row]];
    for_each_column([&]<class T>(parts::GrowingArray<T>& column) {
      std::byte* next = scratch.data();
      for (const Row row : order) {
        std::memcpy(next, column.data() + row, sizeof(T));
        next += sizeof(T);
      }
      std::copy_n(scratch.data(), order.size() * sizeof(T), reinterpret_cast<std::byte*>(column.data() + 1));
      column.shrink(order.size() + 1);
    });
    for (Row row = 1; row < end(); ++row) index_[owners[row].index()] = Entry::of(owners[row], row);
    matrices.note_order();
  }

  void mark(Row row) noexcept {
    dirty[row] = 1;
    pending = true;
  }
  void mark_all() noexcept { all_dirty = pending = size_ != 0; }

  /// What every update begins with; false if there is nothing to do.
  [[nodiscard]] bool begin_update() noexcept {
    any_changed = pending;
    all_changed = all_dirty;
    return pending;
  }
  void end_update() noexcept {
    std::memset(dirty.data(), 0, end());
    pending = all_dirty = false;
  }
  /// Computes the worlds that are stale, parents first: those of `at(i)`, a row and its parent, for i below `count`. By
  /// pointers that nothing in the loops can move.
  template <class At>
  STOWAGE_NOINLINE void compose_in_order(Row count, At at) noexcept {
    const auto [world, local] = transforms();
    if (all_dirty) return compose_all(count, at, world, local);
    const std::uint8_t* const is_dirty = dirty.data();
    std::uint8_t* const is_changed = changed.data();
    for (Row i = 0; i < count; ++i) {
      const auto [row, parent] = at(i);
      const std::uint8_t is_stale = is_dirty[row] | is_changed[parent];
      is_changed[row] = is_stale;
      if (is_stale != 0) world[row] = compose(world[parent], local[row]);
    }
  }
  /// An update of rows in which parents come before their children. O(rows). The origin is its own parent, and stays
  /// the identity. Throws std::bad_alloc if a storage has the transforms; then nothing has changed.
  void update_forwards() noexcept(!Matrices::are_placed) {
    if constexpr (Matrices::are_placed) {
      if (all_dirty) matrices.find_runs();
    }
    if (!begin_update()) return;
    if (!compose_by_runs()) compose_in_order(end(), rows_from<0>(parents.data()));
    end_update();
  }

  /// Calls fn(entity, world) for every row that the last update computed.
  template <class Fn>
  void each_changed(Fn&& fn) const {
    if (!any_changed) return;
    for (Row row = 1; row < end(); ++row) {
      if (!all_changed && no_change_in(row)) {
        row += 7;
        continue;
      }
      if ((all_changed || changed[row] != 0) && !is_hole(row)) fn(owners[row], world(row));
    }
  }

  // ---- where a storage has the transforms

  /// Asks `find(entity)` for the places of all nodes. A node that has gained or lost a transform is stale. O(rows).
  /// Throws std::bad_alloc.
  template <class Find>
  void find_places(Find&& find) {
    for (Row row = 1; row < end(); ++row) {
      if (!is_hole(row) && matrices.place(row, owners[row], find(owners[row]))) mark(row);
    }
  }
  /// How many nodes do not lie close behind the node before them. O(rows).
  [[nodiscard]] std::size_t jumps() const noexcept {
    constexpr std::uintptr_t close_bytes = 512;
    const auto is_behind = [](const Matrix* place, const Matrix* before) {
      return reinterpret_cast<std::uintptr_t>(place) - reinterpret_cast<std::uintptr_t>(before) - 1 < close_bytes;
    };
    typename Matrices::Held before{};
    std::size_t sum = 0;
    for (Row row = 1; row < end(); ++row) {
      if (is_hole(row)) continue;
      const auto place = matrices.held(row);
      sum += is_behind(place.local, before.local) && is_behind(place.world, before.world) ? 0U : 1U;
      before = place;
    }
    return sum;
  }

  void clear() noexcept {
    for_each_column([](auto& column) { column.clear(); });
    matrices.clear();
    index_.clear();
    size_ = 0;
    pending = all_dirty = any_changed = all_changed = false;
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t index = index_.size() * sizeof(Entry::Word) + size_ * (sizeof(Entity) + sizeof(Row) + 2);
    return memory_of(index, index_, owners, parents, dirty, changed) + matrices.memory(size_);
  }

  [[nodiscard]] Matrix& local(Row row) noexcept { return matrices.local_at(row, owners[row]); }
  [[nodiscard]] const Matrix& local(Row row) const noexcept { return matrices.local_at(row, owners[row]); }
  [[nodiscard]] const Matrix& world(Row row) const noexcept { return matrices.world_at(row, owners[row]); }

  /// Worlds and locals by row for a loop that composes, in values that nothing in it can change.
  [[nodiscard]] auto transforms() noexcept { return matrices.cursor(); }

  parts::GrowingArray<Entity> owners;
  parts::GrowingArray<Row> parents;
  Matrices matrices;
  parts::GrowingArray<std::uint8_t> dirty;
  parts::GrowingArray<std::uint8_t> changed;
  bool pending = false;      ///< an update has something to do
  bool all_dirty = false;    ///< for all nodes
  bool any_changed = false;  ///< the last update had something to do
  bool all_changed = false;  ///< for all nodes

 private:
  using Entry = parts::RowEntry<Entity>;
  struct Record {
    typename Matrices::Held held;
    Entity owner;
    Row parent;
    std::uint8_t dirty, changed;
  };

  [[nodiscard]] Record record(Row row) const noexcept {
    return {matrices.held(row), owners[row], parents[row], dirty[row], changed[row]};
  }
  void put(Row row, const Record& record) noexcept {
    owners[row] = record.owner;
    parents[row] = record.parent;
    matrices.hold(row, record.held);
    dirty[row] = record.dirty;
    changed[row] = record.changed;
    if (!record.owner.is_null()) index_[record.owner.index()] = Entry::of(record.owner, row);
  }
  void make_hole(Row row) noexcept {
    owners[row] = Entity{};
    parents[row] = origin;
    matrices.hold_nothing(row);
    dirty[row] = changed[row] = 0;
  }
  [[nodiscard]] bool compose_by_runs() noexcept {
    if constexpr (Matrices::are_placed) {
      if (!all_dirty || !matrices.has_runs()) return false;
      matrices.compose_runs(parents.data());
      return true;
    } else {
      return false;
    }
  }
  void make_origin() {
    make_room_for_rows(1);
    for_each_column([](auto& column) { column.extend_unwritten(1); });
    matrices.hold_identity(origin);
    make_hole(origin);
  }
  [[nodiscard]] bool no_change_in(Row row) const noexcept {
    std::uint64_t flags = 1;
    if (end() - row >= 8) std::memcpy(&flags, changed.data() + row, 8);
    return flags == 0;
  }

  template <class Fn>
  void for_each_column(Fn&& fn) {
    const auto each_of = [&](auto&... columns) { (fn(columns), ...); };
    each_of(owners, parents);
    matrices.for_each_column(fn);
    each_of(dirty, changed);
  }

  parts::GrowingArray<Entry::Word> index_;
  std::size_t size_ = 0;
};

/// What Operations asks of a form on rows, and what such a form offers with no more than the rows.
template <class Form, class Matrices = OwnMatrices>
class RowForm : public Operations<Form, Row> {
  friend class Operations<Form, hierarchy::Row>;

 protected:
  using Row = hierarchy::Row;
  static constexpr Row origin = hierarchy::origin;

 public:
  void touch_all() noexcept { rows_.mark_all(); }
  /// O(rows), eight at a time if none of them has changed.
  template <class Fn>
  void each_changed(Fn&& fn) const {
    rows_.each_changed(fn);
  }
  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

  // ---- of forms over transforms that a storage has: see PlacedForm

  void find_in(const TransformSource& source) noexcept
    requires Matrices::are_placed
  {
    rows_.matrices.find_in(source);
  }
  template <class Find>
    requires Matrices::are_placed
  void find_places(Find&& find) {
    rows_.find_places(find);
  }
  [[nodiscard]] std::size_t jumps() const noexcept
    requires Matrices::are_placed
  {
    return rows_.jumps();
  }
  [[nodiscard]] bool take_order_is_new() noexcept
    requires Matrices::are_placed
  {
    return rows_.matrices.take_order_is_new();
  }
  [[nodiscard]] std::span<const Entity> in_order() const noexcept { return {rows_.owners.data(), rows_.owners.size()}; }

 protected:
  [[nodiscard]] Row find_node(Entity entity) const noexcept { return rows_.row_of(entity); }
  [[nodiscard]] Row parent_of(Row row) const noexcept { return rows_.parents[row]; }
  [[nodiscard]] Entity owner_of(Row row) const noexcept { return rows_.owners[row]; }
  [[nodiscard]] Matrix& local_of(Row row) noexcept { return rows_.local(row); }
  [[nodiscard]] const Matrix& local_of(Row row) const noexcept { return rows_.local(row); }
  [[nodiscard]] const Matrix& world_of(Row row) const noexcept { return rows_.world(row); }
  [[nodiscard]] bool is_stale(Row row) const noexcept { return rows_.is_stale(row); }
  void mark(Row row) noexcept { rows_.mark(row); }

  NodeRows<Matrices> rows_;
};

}  // namespace stowage::hierarchy
