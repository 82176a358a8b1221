#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/matrix.hpp>

namespace stowage {

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

/// A tree of transforms, whatever holds it. Nodes are named by entity; the hierarchy neither knows nor asks who is
/// alive. Every operation has the strong guarantee, and throws std::bad_alloc where memory is short.
///
///   add(e, local)          a root. Throws NodeExists
///   attach(c, p, keep)     c and all below it go below p, from wherever they were. Throws CyclicAttachment,
///                          UnknownNode, NotInvertible (Keep::world)
///   detach(e)              a root that stays where it is in the world: local becomes world. Nothing for a root
///   remove(e, children)    no longer a node
///   set_local, touch       a new local transform; the same one, to be propagated again. touch_all() for all nodes
///   replace_local          a new local transform before touch_all(), by which it is propagated; false for no node
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

}  // namespace stowage
