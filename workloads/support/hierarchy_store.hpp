#pragma once

// Hierarchies as a careful engineer writes them: arrays by breadth, a slot table with generations, and dirty flags.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/hierarchy.hpp>

namespace stowage::workloads {

// ---- where the transforms of a hand-written hierarchy lie. All are read and written by row

/// A column each, as in pools and sections.
///
///     locals     [ I ] [64 ] [64 ] ...     worlds  [ I ] [64 ] [64 ] ...     by row
struct TransformColumns {
  parts::GrowingArray<Matrix> locals, worlds;

  [[nodiscard]] Matrix* locals_of(const std::uint32_t*) noexcept { return locals.data(); }
  [[nodiscard]] Matrix* worlds_of(const std::uint32_t*) noexcept { return worlds.data(); }
  /// Of those that move with the rows.
  template <class Fn>
  void for_each_column(Fn&& fn) {
    fn(locals);
    fn(worlds);
  }
  void make_room_for_slots(std::size_t) noexcept {}
  [[nodiscard]] MemoryBreakdown memory() const noexcept { return hierarchy::memory_of(0, locals, worlds); }
};

/// Side by side, as in interleaved rows.
///
///     pairs      [ I  I ] [local world] [local world] ...      by row
struct TransformPairs {
  struct Pair {
    Matrix local, world;
  };
  template <auto Member>
  struct Cursor {
    Pair* pairs;
    [[nodiscard]] Matrix& operator[](std::size_t row) const noexcept { return pairs[row].*Member; }
  };
  parts::GrowingArray<Pair> pairs;

  [[nodiscard]] Cursor<&Pair::local> locals_of(const std::uint32_t*) noexcept { return {pairs.data()}; }
  [[nodiscard]] Cursor<&Pair::world> worlds_of(const std::uint32_t*) noexcept { return {pairs.data()}; }
  template <class Fn>
  void for_each_column(Fn&& fn) {
    fn(pairs);
  }
  void make_room_for_slots(std::size_t) noexcept {}
  [[nodiscard]] MemoryBreakdown memory() const noexcept { return hierarchy::memory_of(0, pairs); }
};

/// Where the nodes were created, as in direct rows: rows that are put in order take their slots along, not their
/// transforms.
///
///     locals     [ I ] [64 ] [64 ] ...     worlds  [ I ] [64 ] [64 ] ...     by slot, one further
struct DirectTransforms {
  struct Cursor {
    Matrix* first;
    const std::uint32_t* slot_of;
    [[nodiscard]] Matrix& operator[](std::size_t row) const noexcept { return first[slot_of[row] + 1]; }
  };
  parts::GrowingArray<Matrix> locals, worlds;

  [[nodiscard]] Cursor locals_of(const std::uint32_t* slot_of) noexcept { return {locals.data(), slot_of}; }
  [[nodiscard]] Cursor worlds_of(const std::uint32_t* slot_of) noexcept { return {worlds.data(), slot_of}; }
  template <class Fn>
  void for_each_column(Fn&&) noexcept {}
  void make_room_for_slots(std::size_t slots) {
    locals.extend_unwritten(slots + 1);
    worlds.extend_unwritten(slots + 1);
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept { return hierarchy::memory_of(0, locals, worlds); }
};

/// For nodes that all have both transforms and nothing else.
///
///     slots_     [gen|row] [gen|next free] [gen|row] ...     handle = slot + generation
///     parents_   [ 0 ] [ 0 ] [ 1 ] ...                       row -> row of the parent; row 0 is the origin
///     slot_of_   [ - ] [ 0 ] [ 2 ] ...                       by row, as dirty_ and changed_; - + 1 is 0
///
/// attach(), detach(): O(1) beside the look for a cycle. settle(): if one subtree has its parent behind it, that
/// subtree moves behind the parent; if several have, or nodes were removed, all rows are put in order by breadth.
///
/// The contract floors of hierarchies. What an operation means, and that a stale handle is refused, is the library's.
template <class Transforms>
class HierarchyRows : public hierarchy::Operations<HierarchyRows<Transforms>, std::uint32_t> {
  using Row = std::uint32_t;
  using Operations = hierarchy::Operations<HierarchyRows, Row>;
  using Nodes = typename Operations::Nodes;
  friend Operations;
  static constexpr Row origin = 0;
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

 public:
  using Handle = Entity;

  explicit HierarchyRows(std::size_t nodes);

  Entity create(const Matrix& local);
  /// A whole subtree below `top`: node i below that of number parents[i], parents first. As all is new and in order,
  /// nothing is to be settled.
  void create(std::span<Entity> out, std::span<const LocalTransform> locals, std::span<const WorldTransform> worlds,
              std::span<const std::uint32_t> parents, Entity top)
    requires std::same_as<Transforms, TransformColumns>;
  /// Ends every life and keeps the memory.
  void end_all() noexcept;
  void write_local(Entity node, const Matrix& local) { this->replace_local(node, local); }
  void touch_all() noexcept { all_dirty_ = true; }
  void settle();
  void update();
  /// The same for all nodes, without a look at what is dirty.
  void update_all();

  [[nodiscard]] MemoryBreakdown memory() const noexcept;

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t row_or_next = 0;
  };
  template <class T>
  using Column = parts::GrowingArray<T>;

  [[nodiscard]] Row find_node(Entity entity) const noexcept {
    if (entity.index() >= slots_.size()) return origin;
    const Slot slot = slots_[entity.index()];
    return slot.generation == entity.generation() ? slot.row_or_next : origin;
  }
  [[nodiscard]] Row parent_of(Row row) const noexcept { return parents_[row]; }
  [[nodiscard]] Entity owner_of(Row row) const noexcept { return {slot_of_[row], slots_[slot_of_[row]].generation}; }
  [[nodiscard]] auto locals() noexcept { return transforms_.locals_of(slot_of_.data()); }
  [[nodiscard]] auto worlds() noexcept { return transforms_.worlds_of(slot_of_.data()); }
  [[nodiscard]] Matrix& local_of(Row row) noexcept { return locals()[row]; }
  [[nodiscard]] const Matrix& local_of(Row row) const noexcept {
    return const_cast<HierarchyRows*>(this)->local_of(row);
  }
  [[nodiscard]] const Matrix& world_of(Row row) const noexcept {
    return const_cast<HierarchyRows*>(this)->worlds()[row];
  }
  [[nodiscard]] bool is_stale(Row row) const noexcept { return all_dirty_ || dirty_[row] != 0; }
  void mark(Row row) noexcept {
    dirty_[row] = 1;
    any_dirty_ = true;
  }
  void link(Row row, Row parent);
  void erase(std::span<const Row> nodes) noexcept;
  void append_children(Row row, Nodes& out) const;
  void append_nodes(Row row, Nodes& out) const;

  [[nodiscard]] Row end() const noexcept { return static_cast<Row>(parents_.size()); }
  template <class Fn>
  void for_each_column(Fn&& fn) {
    const auto each_of = [&](auto&... columns) { (fn(columns), ...); };
    each_of(parents_, slot_of_, dirty_, changed_);
    transforms_.for_each_column(fn);
  }
  /// One that waits, or a new one.
  [[nodiscard]] std::uint32_t take_slot();
  void move_subtree_behind(Row row, Row parent);
  void order_all();
  void compose_all() noexcept;
  void compose_dirty() noexcept;
  void clear_dirty() noexcept;

  Column<Slot> slots_;
  Column<Row> parents_;
  Column<std::uint32_t> slot_of_;
  Transforms transforms_;
  Column<std::uint8_t> dirty_, changed_;
  Column<Row> moved_;  ///< attached to a row behind them
  Column<Row> to_;
  std::uint32_t first_free_ = no_slot;
  bool has_holes_ = false;
  bool any_dirty_ = false;
  bool all_dirty_ = false;
};

extern template class HierarchyRows<TransformColumns>;
extern template class HierarchyRows<TransformPairs>;
extern template class HierarchyRows<DirectTransforms>;

using HierarchyStore = HierarchyRows<TransformColumns>;

}  // namespace stowage::workloads
