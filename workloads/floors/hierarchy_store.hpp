#pragma once

// Hierarchies as a careful engineer writes them: arrays with parents first, a slot table with generations, and dirty
// flags.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include <glm/ext/matrix_float4x4.hpp>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>

#include "workloads/floors/array.hpp"
#include "workloads/floors/matrix.hpp"
#include "workloads/floors/slot_table.hpp"

namespace stowage::workloads {

// ---- where the transforms of a hand-written hierarchy lie. All are read and written by row

/// A column each, as in pools and sections.
///
///     [ I ] [64 ] [64 ] ... | [ I ] [64 ] [64 ] ...     local and world, by row
struct TransformColumns {
  static constexpr bool follow_rows = true;
  Columns<glm::mat4, glm::mat4> arrays;

  [[nodiscard]] glm::mat4* locals(const std::uint32_t*) const noexcept { return arrays.number<0>(); }
  [[nodiscard]] glm::mat4* worlds(const std::uint32_t*) const noexcept { return arrays.number<1>(); }
};

/// Side by side, as in interleaved rows.
///
///     [ I  I ] [local world] [local world] ...          by row
struct TransformPairs {
  static constexpr bool follow_rows = true;
  struct Pair {
    glm::mat4 local, world;
  };
  template <auto Member>
  struct Cursor {
    Pair* pairs;
    [[nodiscard]] glm::mat4& operator[](std::size_t row) const noexcept { return pairs[row].*Member; }
  };
  Columns<Pair> arrays;

  [[nodiscard]] Cursor<&Pair::local> locals(const std::uint32_t*) const noexcept { return {arrays.number<0>()}; }
  [[nodiscard]] Cursor<&Pair::world> worlds(const std::uint32_t*) const noexcept { return {arrays.number<0>()}; }
};

/// Where the nodes were created, as in direct rows: rows that are put in order take their slots along, not their
/// transforms.
///
///     [ I ] [64 ] [64 ] ... | [ I ] [64 ] [64 ] ...     local and world, by slot, one further
struct DirectTransforms {
  static constexpr bool follow_rows = false;
  struct Cursor {
    glm::mat4* first;
    const std::uint32_t* slot_of;
    [[nodiscard]] glm::mat4& operator[](std::size_t row) const noexcept { return first[slot_of[row] + 1]; }
  };
  Columns<glm::mat4, glm::mat4> arrays;

  [[nodiscard]] Cursor locals(const std::uint32_t* slot_of) const noexcept { return {arrays.number<0>(), slot_of}; }
  [[nodiscard]] Cursor worlds(const std::uint32_t* slot_of) const noexcept { return {arrays.number<1>(), slot_of}; }
};

/// True if an update, row by row, would fetch many parents that have left a first-level cache. Rows have the row of
/// their parent here and below; row 0 is the origin.
[[nodiscard]] bool parents_are_far(std::span<const std::uint32_t> parents) noexcept;

/// The rows in an order in which no parent is far. Of the nodes whose parents have a row, a few at a time: by breadth
/// among these, so that no product waits for the one before, and then those below them, whose parents are still in a
/// first-level cache. Children in the order of their rows.
[[nodiscard]] StoredArray<std::uint32_t> order_with_near_parents(std::span<const std::uint32_t> parents);

/// For nodes that all have both transforms and nothing else. The contract floors of hierarchies: they have what the
/// workloads ask for, and a stale handle is refused.
///
///     slots_     [gen|row] [gen|next free] [gen|row] ...     handle = slot + generation
///     rows_      [ 0 ] [ 0 ] [ 1 ] ...                       row -> row of the parent; row 0 is the origin
///                [ - ] [ 0 ] [ 2 ] ...                       row -> slot; - + 1 is 0
///                [0|1] [0|1] ...   [0|1] [0|1] ...           row -> is it dirty, and did the last update compute it
///
/// attach(), detach(): O(1) beside the look for a cycle. settle(): if one subtree has its parent behind it, that
/// subtree moves behind the parent. All rows are put in order if several have, or if many were attached and the parents
/// of many are far. Where an operation takes an entity, it throws std::out_of_range for a stale handle; if memory is
/// short, std::bad_alloc.
template <class Transforms>
class HierarchyRows {
  using Row = std::uint32_t;
  static constexpr Row origin = 0;
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

 public:
  using Handle = Entity;

  explicit HierarchyRows(std::size_t nodes);

  Entity create(const glm::mat4& local);
  /// A whole subtree below `top`: node i below that of number parents[i], parents first. As all is new and in order,
  /// nothing is to be settled. A Local and a World is a struct of one matrix.
  template <class Local, class World>
    requires std::same_as<Transforms, TransformColumns>
  void create(std::span<Entity> out, std::span<const Local> locals, std::span<const World> worlds,
              std::span<const std::uint32_t> parents, Entity top) {
    static_assert(sizeof(Local) == sizeof(glm::mat4) && sizeof(World) == sizeof(glm::mat4));
    create_all(out, &locals.data()->matrix, &worlds.data()->matrix, parents, top);
  }
  /// Ends its life and those of all below it. The rows behind them move up. O(rows behind the first).
  void destroy(Entity top);
  /// Ends every life and keeps the memory.
  void end_all() noexcept;

  /// Throws std::logic_error if the parent is the child itself or below it.
  void attach(Entity child, Entity parent) {
    const Row below = node(child);
    const Row above = node(parent);
    if (above == below || (may_be_below(above, below) && is_below(above, below))) {
      throw std::logic_error("a node cannot be attached below itself");
    }
    if (above > below) moved_.push_back(below);
    ++attached_;
    parents()[below] = above;
    mark(below);
  }
  /// The node becomes a root that stays where it is in the world.
  void detach(Entity entity);
  void set_local(Entity entity, const glm::mat4& local) {
    const Row row = node(entity);
    locals()[row] = local;
    mark(row);
  }
  /// To be followed by touch(), touch_all() or update_all().
  void write_local(Entity entity, const glm::mat4& local) { locals()[node(entity)] = local; }
  void touch(Entity entity) { mark(node(entity)); }
  void touch_all() noexcept { all_dirty_ = true; }
  void settle();
  void update();
  /// The same for all nodes, without a look at what is dirty.
  void update_all();

  [[nodiscard]] bool contains(Entity entity) const noexcept { return find_node(entity) != origin; }
  [[nodiscard]] std::size_t size() const noexcept { return size_ - 1; }
  /// The null handle for a root.
  [[nodiscard]] Entity parent(Entity entity) const;
  [[nodiscard]] const glm::mat4& local(Entity entity) const { return locals()[node(entity)]; }
  [[nodiscard]] const glm::mat4& world(Entity entity) const { return worlds()[node(entity)]; }
  [[nodiscard]] MemoryBreakdown memory() const noexcept;

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t row_or_next = 0;
  };

  [[nodiscard]] Row* parents() const noexcept { return rows_.template number<0>(); }
  [[nodiscard]] std::uint32_t* slot_of() const noexcept { return rows_.template number<1>(); }
  [[nodiscard]] std::uint8_t* dirty() const noexcept { return rows_.template number<2>(); }
  [[nodiscard]] std::uint8_t* changed() const noexcept { return rows_.template number<3>(); }
  [[nodiscard]] auto locals() const noexcept { return transforms_.locals(slot_of()); }
  [[nodiscard]] auto worlds() const noexcept { return transforms_.worlds(slot_of()); }

  [[nodiscard]] Row find_node(Entity entity) const noexcept {
    if (entity.index() >= slots_.size()) return origin;
    const Slot slot = slots_[entity.index()];
    return slot.generation == entity.generation() ? slot.row_or_next : origin;
  }
  [[nodiscard]] Row node(Entity entity) const {
    const Row row = find_node(entity);
    if (row == origin) refuse_stale_handle();
    return row;
  }
  void mark(Row row) noexcept {
    dirty()[row] = 1;
    any_dirty_ = true;
  }
  /// Rows that are in order come after all they are below.
  [[nodiscard]] bool may_be_below(Row row, Row above) const noexcept { return row > above || !moved_.empty(); }
  [[nodiscard]] bool is_below(Row row, Row above) const noexcept {
    while (row != origin && row != above) row = parents()[row];
    return row != origin;
  }
  [[nodiscard]] glm::mat4 world_now(Row row);

  void create_all(std::span<Entity> out, const glm::mat4* locals, const glm::mat4* worlds,
                  std::span<const std::uint32_t> parents, Entity top)
    requires std::same_as<Transforms, TransformColumns>;
  /// Room for so many rows, and for as many slots, of which there are never more.
  void make_room(std::size_t rows);
  /// One that waits, or a new one, for a node at `row`.
  [[nodiscard]] Entity take_slot(Row row);
  void free_slot_of(Row row) noexcept;
  void move_subtree_behind(Row row, Row parent);
  void order_all();
  /// After rows have moved.
  void find_rows_again(Row first, Row end) noexcept;
  template <class Fn>
  void for_each_array(Fn&& fn) {
    rows_.for_each(fn);
    if constexpr (Transforms::follow_rows) transforms_.arrays.for_each(fn);
  }
  void compute_all() noexcept;
  void clear_dirty() noexcept;

  StoredArray<Slot> slots_;
  Columns<Row, std::uint32_t, std::uint8_t, std::uint8_t> rows_;
  Transforms transforms_;
  Row size_ = 0;            ///< rows, with the origin
  Row attached_ = 0;        ///< since the order was looked at
  StoredArray<Row> moved_;  ///< attached to a row behind them
  StoredArray<Row> path_;   ///< scratch, as to_
  StoredArray<Row> to_;
  std::uint32_t first_free_ = no_slot;
  bool in_place_ = true;  ///< row 1 has slot 0, and so on; may be false then, too
  bool any_dirty_ = false;
  bool all_dirty_ = false;
};

extern template class HierarchyRows<TransformColumns>;
extern template class HierarchyRows<TransformPairs>;
extern template class HierarchyRows<DirectTransforms>;

using HierarchyStore = HierarchyRows<TransformColumns>;

}  // namespace stowage::workloads
