#pragma once

// What every form of a hierarchy has: transforms and their multiplication, the errors, and what the operations mean.

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef __AVX__
#include <immintrin.h>
#endif

#include <glm/ext/matrix_float4x4.hpp>
#include <glm/matrix.hpp>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>

namespace stowage {

/// A transform as renderers upload it: four columns of four floats, 64 bytes, one cache line if it is aligned. Three
/// rows of four would save a quarter of the bytes of affine transforms, but every reader would have to convert them.
using Matrix = glm::mat4;

/// What stays as it is when a node gets another parent.
enum class Keep {
  local,  ///< its local transform: it moves along into the new parent's space
  world,  ///< its place in the world: local becomes inverse(world of the parent) * world, Wicked Engine's inverse bind
};

/// What becomes of the children when a node is removed.
enum class Children {
  destroy,  ///< they go with it, and all below them
  detach,   ///< they become roots and stay where they are in the world
};

/// An operation named an entity that is no node of the hierarchy: it was never added, was removed, or is an earlier
/// life of its index. Nothing was changed.
class UnknownNode : public std::logic_error {
 public:
  explicit UnknownNode(Entity entity)
      : std::logic_error("entity handle " + std::to_string(entity.word()) + " is no node of this hierarchy") {}
};

/// The index of an added entity has a node already: its own, or that of an earlier life that was not removed. Nothing
/// was changed.
class NodeExists : public std::logic_error {
 public:
  explicit NodeExists(Entity entity)
      : std::logic_error("entity index " + std::to_string(entity.index()) + " has a node in this hierarchy already") {}
};

/// A node was to be attached to itself or below itself. Nothing was changed.
class CyclicAttachment : public std::logic_error {
 public:
  CyclicAttachment(Entity child, Entity parent)
      : std::logic_error("entity handle " + std::to_string(child.word()) + " cannot be attached to " +
                         std::to_string(parent.word()) + ", which is itself or below it") {}
};

/// A node was to keep its place in the world below a parent whose world transform has no inverse. Nothing was changed.
class NotInvertible : public std::domain_error {
 public:
  explicit NotInvertible(Entity parent)
      : std::domain_error("the world transform of entity handle " + std::to_string(parent.word()) +
                          " has no inverse: a child cannot keep its place in the world below it") {}
};

/// A tree of transforms. Nodes are named by entity; a form does not know which entities are alive. Every operation has
/// the strong guarantee, and throws std::bad_alloc if memory is short.
///
///   add(e, local)          a root. Throws NodeExists
///   attach(c, p, keep)     c and all below it go below p, from wherever they were. Throws CyclicAttachment,
///                          UnknownNode, NotInvertible (Keep::world)
///   detach(e)              a root that stays where it is in the world: local becomes world. Nothing for a root
///   remove(e, children)    no longer a node
///   set_local, touch       a new local transform; the same one, to be propagated again. touch_all() for all nodes
///   replace_local          a new local transform before touch_all(), which propagates it; false if e is no node
///   update()               worlds of all that was set, attached, detached or touched since, and of all below them
///   settle()               what update() would do to the order of nodes, without the transforms
///   each_changed(fn)       fn(entity, world) for what the last update() computed; before any other change
///   current_world(e)       the world transform that update() would compute, without it: O(depth)
///   world(e), local(e)     as of the last update(); as it was last set. References are valid until the next change
///   parent(e)              the null handle for a root
///   append_subtree(e, out) e and all below it, parents first
template <class F>
concept HierarchyForm =
    requires(F form, const F& fixed, Entity entity, const Matrix& matrix, std::vector<Entity>& out, std::size_t n) {
      form.add(entity, matrix);
      form.attach(entity, entity, Keep::world);
      form.detach(entity);
      form.remove(entity, Children::destroy);
      form.set_local(entity, matrix);
      form.touch(entity);
      form.touch_all();
      { form.replace_local(entity, matrix) } -> std::same_as<bool>;
      form.update();
      form.settle();
      fixed.each_changed([](Entity, const Matrix&) {});
      fixed.append_subtree(entity, out);
      { form.current_world(entity) } -> std::same_as<Matrix>;
      { fixed.world(entity) } -> std::same_as<const Matrix&>;
      { fixed.local(entity) } -> std::same_as<const Matrix&>;
      { fixed.parent(entity) } -> std::same_as<Entity>;
      { fixed.contains(entity) } -> std::same_as<bool>;
      { fixed.size() } -> std::same_as<std::size_t>;
      { fixed.memory() } -> std::same_as<MemoryBreakdown>;
      form.reserve(n);
      form.clear();
    };

namespace hierarchy {

// STOWAGE_SPREAD(two, n): element n of each of the two columns, four times. g++ has the builtin from 12 on.
#if defined(__clang__) || __GNUC__ > 11
#define STOWAGE_SPREAD(two, n) __builtin_shufflevector(two, two, n, n, n, n, n + 4, n + 4, n + 4, n + 4)
#else
#define STOWAGE_SPREAD(two, n) \
  Pair { two[n], two[n], two[n], two[n], two[n + 4], two[n + 4], two[n + 4], two[n + 4] }
#endif

/// A transform, ready to be composed with many below it: each of its columns is in a register twice, because two
/// columns of a product are made at once. g++ does not find this by itself.
class AboveMatrix {
 public:
  explicit AboveMatrix(const Matrix& above) noexcept {
    for (int i = 0; i < 4; ++i) {
#ifdef __AVX__
      // One load. g++ 12 takes two to twenty instructions for what stands below.
      columns_[i] = reinterpret_cast<Pair>(_mm256_broadcast_ps(reinterpret_cast<const __m128*>(&above[i])));
#else
      const auto& column = above[i];
      columns_[i] = Pair{column[0], column[1], column[2], column[3], column[0], column[1], column[2], column[3]};
#endif
    }
  }
  /// above * local, each column as ((a + b) + c) + d. Every form multiplies here, in this order, so that equal trees
  /// have equal bits in every form.
  void compose(const Matrix& local, Matrix& world) const noexcept {
    for (int i = 0; i < 4; i += 2) {
      Pair two;
      std::memcpy(&two, &local[i], sizeof two);
      const Pair sum = columns_[0] * STOWAGE_SPREAD(two, 0) + columns_[1] * STOWAGE_SPREAD(two, 1) +
                       columns_[2] * STOWAGE_SPREAD(two, 2) + columns_[3] * STOWAGE_SPREAD(two, 3);
      std::memcpy(&world[i], &sum, sizeof sum);
    }
  }

 private:
  using Pair [[gnu::vector_size(2 * sizeof(Matrix::col_type))]] = float;
  Pair columns_[4];
};
#undef STOWAGE_SPREAD

/// parent * local.
[[nodiscard]] inline Matrix compose(const Matrix& parent, const Matrix& local) noexcept {
  Matrix world;
  AboveMatrix(parent).compose(local, world);
  return world;
}

struct NodeAndParent {
  std::uint32_t node;
  std::uint32_t parent;
};

/// Nodes that lie in rows from `First` on, for compose_all(): number -> row and row of the parent.
template <std::uint32_t First>
[[nodiscard]] inline auto rows_from(const std::uint32_t* parents) noexcept {
  return [above = parents + First](std::uint32_t i) noexcept { return NodeAndParent{First + i, above[i]}; };
}

/// The worlds of nodes that come after their parents: those of `at(i)` for i below `count`. Children of one parent that
/// follow each other fetch its world once.
template <class At, class Worlds, class Locals>
inline void compose_all(std::uint32_t count, At at, Worlds worlds, Locals locals) noexcept {
  std::uint32_t known = 0;
  AboveMatrix above(worlds[known]);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto [node, parent] = at(i);
    if (parent != known) above = AboveMatrix(worlds[known = parent]);
    above.compose(locals[node], worlds[node]);
  }
}

/// What roots are composed with, so that no loop asks which nodes are roots.
[[nodiscard]] inline Matrix identity() noexcept { return Matrix(1.0f); }

/// Whether inverted() has an answer: not for a transform that flattens space, or that holds infinities.
[[nodiscard]] inline bool is_invertible(const Matrix& matrix) noexcept {
  return std::isnormal(glm::determinant(matrix));
}
[[nodiscard]] inline Matrix inverted(const Matrix& matrix) noexcept { return glm::inverse(matrix); }

using parts::memory_of;

/// What is the same in every form: what an operation means, what it refuses, and what happens before anything changes.
/// `Node` is how the form names a node: a row or a pointer, false if there is none, which is also the parent of
/// a root. `Form` makes this class a friend and has
///
///   find_node(e), parent_of(n), owner_of(n), local_of(n), world_of(n), is_stale(n)
///   link(n, parent)          another parent; throws before it changes anything
///   mark(n)                  its world is to be computed anew. Never throws
///   erase(nodes)             a whole subtree, parents first. Never throws after make_room_to_erase(their number)
///   append_children(n, out)  its children, in no order
///   append_nodes(n, out)     itself and all below it, parents first, into an empty array
///
/// and its own may_be_below(), make_room_for_roots(), make_room_to_erase() and settle() if these do not suffice.
template <class Form, class Node>
class Operations {
 public:
  [[nodiscard]] bool contains(Entity entity) const noexcept { return form().find_node(entity) != Node{}; }
  [[nodiscard]] Entity parent(Entity entity) const {
    const Node above = form().parent_of(node(entity));
    return above != Node{} ? form().owner_of(above) : Entity{};
  }
  [[nodiscard]] const Matrix& local(Entity entity) const { return form().local_of(node(entity)); }
  [[nodiscard]] const Matrix& world(Entity entity) const { return form().world_of(node(entity)); }

  void set_local(Entity entity, const Matrix& local) { replace(node(entity), local); }
  void touch(Entity entity) { form().mark(node(entity)); }
  bool replace_local(Entity entity, const Matrix& local) {
    const Node found = form().find_node(entity);
    if (found == Node{}) return false;
    form().local_of(found) = local;
    return true;
  }

  /// O(depth of the parent) beside what the form's link() takes; less if the form knows at once that the child is not
  /// above the parent.
  void attach(Entity child, Entity parent, Keep keep = Keep::local) {
    const Node below = node(child);
    const Node above = node(parent);
    if (below == above || (form().may_be_below(above, below) && is_below(above, below))) {
      STOWAGE_THROW(CyclicAttachment(child, parent));
    }
    const Matrix local = keep == Keep::world ? place_below(above, below) : form().local_of(below);
    form().link(below, above);
    replace(form().find_node(child), local);  // linking may have moved it
  }

  /// O(depth) beside what the form's link() takes.
  void detach(Entity entity) {
    const Node found = node(entity);
    if (form().parent_of(found) == Node{}) return;
    const Matrix world = world_now(found);
    form().make_room_for_roots(std::span<const Node>(&found, 1));
    make_root(found, world);
  }

  /// O(nodes removed) or O(children * depth), beside what the form's erase() and link() take.
  void remove(Entity entity, Children children) {
    const Node found = node(entity);
    nodes_.clear();
    if (children == Children::destroy) {
      form().append_nodes(found, nodes_);
      form().make_room_to_erase(nodes_.size());
      return form().erase(std::span<const Node>(nodes_.data(), nodes_.size()));
    }
    form().append_children(found, nodes_);
    const Matrix world = world_now(found);
    form().make_room_for_roots(std::span<const Node>(nodes_.data(), nodes_.size()));
    form().make_room_to_erase(1);
    for (std::size_t i = 0; i < nodes_.size(); ++i) make_root(nodes_[i], compose(world, form().local_of(nodes_[i])));
    form().erase(std::span<const Node>(&found, 1));
  }

  void settle() noexcept {}
  [[nodiscard]] Matrix current_world(Entity entity) { return world_now(node(entity)); }

  void append_subtree(Entity entity, std::vector<Entity>& out) const {
    parts::GrowingArray<Node> nodes;
    form().append_nodes(node(entity), nodes);
    out.reserve(out.size() + nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) out.push_back(form().owner_of(nodes[i]));
  }

 protected:
  using Nodes = parts::GrowingArray<Node>;

  Operations() = default;
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;
  ~Operations() = default;

  /// False if the form knows without looking that `node` is not below `above`.
  [[nodiscard]] bool may_be_below(Node /*node*/, Node /*above*/) const noexcept { return true; }
  /// Makes room, so that turning these nodes, all children of one parent, into roots cannot throw.
  void make_room_for_roots(std::span<const Node> /*nodes*/) noexcept {}
  void make_room_to_erase(std::size_t /*nodes*/) noexcept {}

  [[nodiscard]] MemoryBreakdown scratch_memory() const noexcept { return memory_of(0, nodes_, path_); }

  [[nodiscard]] Node node(Entity entity) const {
    const Node found = form().find_node(entity);
    if (found == Node{}) STOWAGE_THROW(UnknownNode(entity));
    return found;
  }

 private:
  [[nodiscard]] Form& form() noexcept { return static_cast<Form&>(*this); }
  [[nodiscard]] const Form& form() const noexcept { return static_cast<const Form&>(*this); }

  [[nodiscard]] bool is_below(Node node, Node above) const noexcept {
    while (node != Node{} && node != above) node = form().parent_of(node);
    return node != Node{};
  }

  /// Computed from the highest stale ancestor down, in the order in which update() multiplies.
  [[nodiscard]] Matrix world_now(Node node) {
    path_.clear();
    std::size_t stale = 0;
    for (Node at = node; at != Node{}; at = form().parent_of(at)) {
      path_.append(at);
      if (form().is_stale(at)) stale = path_.size();
    }
    if (stale == 0) return form().world_of(node);
    Matrix world = stale == path_.size() ? identity() : form().world_of(path_[stale]);
    while (stale != 0) world = compose(world, form().local_of(path_[--stale]));
    return world;
  }

  [[nodiscard]] Matrix place_below(Node above, Node below) {
    const Matrix parent = world_now(above);
    if (!is_invertible(parent)) STOWAGE_THROW(NotInvertible(form().owner_of(above)));
    return compose(inverted(parent), world_now(below));
  }

  void replace(Node node, const Matrix& local) noexcept {
    form().local_of(node) = local;
    form().mark(node);
  }
  void make_root(Node node, const Matrix& world) noexcept {
    form().link(node, Node{});
    replace(node, world);
  }

  Nodes nodes_;
  Nodes path_;
};

}  // namespace hierarchy
}  // namespace stowage
