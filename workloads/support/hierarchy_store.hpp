#pragma once

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

/// What a careful engineer writes for nodes that all have both transforms and nothing else: arrays by breadth, a slot
/// table with generations, and flags of what is dirty.
///
///     slots_     [gen|row] [gen|next free] [gen|row] ...     handle = slot + generation
///     parents_   [ 0 ] [ 0 ] [ 1 ] ...                       row -> row of the parent; row 0 is the origin
///     locals_    [ I ] [64 ] [64 ] ...     worlds_  [ I ] [64 ] [64 ] ...     slot_of_, dirty_, changed_ by row, too
///
/// attach(), detach(): O(1) beside the look for a cycle. settle(): if one subtree has its parent behind it, that
/// subtree moves behind the parent; if several have, or nodes were removed, all rows are put in order by breadth.
///
/// The contract floor of hierarchies. What an operation means, and that a stale handle is refused, is the library's.
class HierarchyStore : public hierarchy::Operations<HierarchyStore, std::uint32_t> {
  using Row = std::uint32_t;
  friend class hierarchy::Operations<HierarchyStore, Row>;
  static constexpr Row origin = 0;
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

 public:
  using Handle = Entity;

  explicit HierarchyStore(std::size_t nodes);

  Entity create(const Matrix& local);
  /// A whole subtree below `top`: node i below that of number parents[i], parents first. As all is new and in order,
  /// nothing is to be settled.
  void create(std::span<Entity> out, std::span<const LocalTransform> locals, std::span<const WorldTransform> worlds,
              std::span<const std::uint32_t> parents, Entity top);
  /// Ends every life and keeps the memory.
  void end_all() noexcept;
  void write_local(Entity node, const Matrix& local) { replace_local(node, local); }
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
  [[nodiscard]] Matrix& local_of(Row row) noexcept { return locals_[row]; }
  [[nodiscard]] const Matrix& local_of(Row row) const noexcept { return locals_[row]; }
  [[nodiscard]] const Matrix& world_of(Row row) const noexcept { return worlds_[row]; }
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
    each_of(parents_, slot_of_, locals_, worlds_, dirty_, changed_);
  }
  void move_subtree_behind(Row row, Row parent);
  void order_all();
  void compose_all() noexcept;
  void compose_dirty() noexcept;
  void clear_dirty() noexcept;

  Column<Slot> slots_;
  Column<Row> parents_;
  Column<std::uint32_t> slot_of_;
  Column<Matrix> locals_, worlds_;
  Column<std::uint8_t> dirty_, changed_;
  Column<Row> moved_;  ///< attached to a row behind them
  Column<Row> to_;
  std::uint32_t first_free_ = no_slot;
  bool has_holes_ = false;
  bool any_dirty_ = false;
  bool all_dirty_ = false;
};

}  // namespace stowage::workloads
