#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/errors.hpp>
#include <stowage/hierarchy/matrix.hpp>
#include <stowage/parts/growing_array.hpp>
#include <stowage/parts/index/row_entry.hpp>

namespace stowage::hierarchy {

using Row = parts::RowNumber;
/// The row that roots hang from: the identity, at the origin of the world. Nobody's, so it also says "no row".
inline constexpr Row origin = 0;

/// The nodes of a form in arrays.
///
///     index_     [entity ^ row] [entity ^ row] ...           entity.index() -> row
///     owners     [  -  ] [ e ] [ e ] [ e ] ...               row -> entity, the null handle in a hole
///     parents    [  0  ] [ 0 ] [ 1 ] [ 1 ] ...               row -> row of the parent
///     locals     [  I  ] [64 ] [64 ] [64 ] ...               row -> transform within the parent, on a line of its own
///     worlds     [  I  ] [64 ] [64 ] [64 ] ...               row -> transform within the world, on a line of its own
///     dirty      [  0  ] [ 1 ] [ 0 ] [ 0 ] ...               row -> to be computed by the next update
///     changed    [  0  ] [ 1 ] [ 1 ] [ 1 ] ...               row -> computed by the last update
///
/// Rows that end become holes at the origin, whose transforms an update may compute without harm.
class NodeRows {
 public:
  /// The row of a node; origin where the entity is none. O(1), one line.
  [[nodiscard]] Row row_of(Entity entity) const noexcept {
    if (entity.index() >= index_.size()) return origin;
    const Row row = Entry::row_of(index_[entity.index()], entity);
    return row != parts::no_row ? row : origin;
  }
  /// Rows from 1 on, holes included; the origin is before them.
  [[nodiscard]] Row end() const noexcept { return static_cast<Row>(owners.size()); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_hole(Row row) const noexcept { return owners[row].is_null(); }
  [[nodiscard]] bool is_stale(Row row) const noexcept { return all_dirty || dirty[row] != 0; }

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
  void make_room_for_rows(std::size_t rows) {
    for_each_column([&](auto& column) { column.make_room(column.size() + rows); });
  }

  /// A root in a new row, or in a hole that is given. After make_room().
  Row add(Entity entity, const Matrix& local, Row hole = origin) noexcept {
    const Row row = hole != origin ? hole : end();
    if (hole == origin) {
      for_each_column([&](auto& column) { column.extend_unwritten(column.size() + 1); });
    }
    put(row, {local, local, entity, origin, 1, 0});
    pending = true;
    ++size_;
    return row;
  }
  /// Makes a hole of a row.
  void end_row(Row row) noexcept {
    index_[owners[row].index()] = Entry::absent(owners[row].index());
    make_hole(row);
    --size_;
  }
  /// Copies a row to the end, which is in room, and makes a hole where it was.
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
  }
  /// Gives up rows from `rows` on, all of them holes.
  void truncate(Row rows) noexcept {
    for_each_column([&](auto& column) { column.shrink(rows); });
  }

  void mark(Row row) noexcept {
    dirty[row] = 1;
    pending = true;
  }
  void mark_all() noexcept { all_dirty = pending = size_ != 0; }

  /// Calls fn(entity, world) for every row that the last update computed.
  template <class Fn>
  void each_changed(Fn&& fn) const {
    if (!any_changed) return;
    for (Row row = 1; row < end(); ++row) {
      if (!all_changed && no_change_in(row)) {
        row += 7;
        continue;
      }
      if ((all_changed || changed[row] != 0) && !is_hole(row)) fn(owners[row], worlds[row]);
    }
  }

  void clear() noexcept {
    for_each_column([](auto& column) { column.clear(); });
    index_.clear();
    size_ = 0;
    pending = all_dirty = any_changed = all_changed = false;
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t payload = size_ * 2 * sizeof(Matrix);
    const std::size_t index = index_.size() * sizeof(Entry::Word) + size_ * (sizeof(Entity) + sizeof(Row) + 2);
    std::size_t held = index_.held_bytes();
    std::size_t blocks = index_.allocations();
    for_each_column([&](const auto& column) {
      held += column.held_bytes();
      blocks += column.allocations();
    });
    return {payload, index, held - payload - index, blocks};
  }

  parts::GrowingArray<Entity> owners;
  parts::GrowingArray<Row> parents;
  parts::GrowingArray<Matrix> locals;
  parts::GrowingArray<Matrix> worlds;
  parts::GrowingArray<std::uint8_t> dirty;
  parts::GrowingArray<std::uint8_t> changed;
  bool pending = false;      ///< an update has something to do
  bool all_dirty = false;    ///< for all nodes
  bool any_changed = false;  ///< the last update had something to do
  bool all_changed = false;  ///< for all nodes

 private:
  using Entry = parts::RowEntry<Entity>;
  struct Record {
    Matrix local, world;
    Entity owner;
    Row parent;
    std::uint8_t dirty, changed;
  };

  [[nodiscard]] Record record(Row row) const noexcept {
    return {locals[row], worlds[row], owners[row], parents[row], dirty[row], changed[row]};
  }
  void put(Row row, const Record& record) noexcept {
    owners[row] = record.owner;
    parents[row] = record.parent;
    locals[row] = record.local;
    worlds[row] = record.world;
    dirty[row] = record.dirty;
    changed[row] = record.changed;
    if (!record.owner.is_null()) index_[record.owner.index()] = Entry::of(record.owner, row);
  }
  void make_hole(Row row) noexcept {
    owners[row] = Entity{};
    parents[row] = origin;
    dirty[row] = changed[row] = 0;
  }
  void make_origin() {
    make_room_for_rows(1);
    for_each_column([](auto& column) { column.extend_unwritten(1); });
    locals[origin] = worlds[origin] = identity();
    make_hole(origin);
  }
  [[nodiscard]] bool no_change_in(Row row) const noexcept {
    std::uint64_t flags = 1;
    if (end() - row >= 8) std::memcpy(&flags, changed.data() + row, 8);
    return flags == 0;
  }

  template <class Fn>
  void for_each_column(Fn&& fn) {
    each_of(fn, owners, parents, locals, worlds, dirty, changed);
  }
  template <class Fn>
  void for_each_column(Fn&& fn) const {
    each_of(fn, owners, parents, locals, worlds, dirty, changed);
  }
  template <class Fn, class... Columns>
  static void each_of(Fn& fn, Columns&... columns) {
    (fn(columns), ...);
  }

  parts::GrowingArray<Entry::Word> index_;
  std::size_t size_ = 0;
};

}  // namespace stowage::hierarchy
