#pragma once

// Parents and children among the entities of any storage, with transforms as components.
//
//     storage                            form (here LazySortedHierarchy, the default)
//     LocalTransform --add(), touch()->  locals  [ I ] [ A ] [ B ] [ C ] [ D ] ...    row 0: the origin of the world
//                                        parents [ 0 ] [ 0 ] [ 1 ] [ 1 ] [ 3 ] ...    row -> row of the parent
//     WorldTransform <-update()--------  worlds  [ I ] [ A ] [AB ] [AC ] [ACD] ...    worlds[parent] * local
//
// The form keeps transforms of its own, in the order in which they are computed: parents first. So an update is one
// loop over arrays, whatever the storage is. What was touched is copied in and what changed is copied out, with one
// lookup each.
//
//     attach(child, parent)   check for a cycle; links_.unlink(child), links_.link(child, parent); local is dirty
//     touch(e)                locals[row of e] = LocalTransform of e; dirty[row] = 1
//     update()                if rows are out of order: move their subtrees behind the last row, parents first
//                             for each row: if (dirty[row] | changed[parent]) world = worlds[parent] * local
//                             for each changed row: WorldTransform of its entity = world
//     remove(e, children)     the rows of e and all below it become holes, or its children become roots
//
// Forms, all with the operations of form.hpp; each header has its drawing and says when to pick it:
//
//     form                      order of nodes                        attach()            update()
//     LazySortedHierarchy       parents first, when update() needs it O(1)                O(nodes)
//     SortedHierarchy           parents first, always                 O(rows between)     O(nodes)
//     LevelHierarchy            a list of rows for each depth         O(nodes moved)      O(nodes)
//     SiblingHierarchy          none: links between rows              O(1)                O(nodes dirty, above, below)
//     PointerHierarchy          none: objects on the heap, recursion  O(1)                O(nodes dirty, above, below)
//     StackedPointerHierarchy   the same, walked with a stack
//
// attach() also looks for a cycle: O(depth). A change of the tree invalidates references that a form has handed out.
// Errors: DeadEntity, UnknownNode, NodeExists, CyclicAttachment, NotInvertible, std::bad_alloc; nothing has changed
// then. Source: Wicked Engine, "Entity-component system" (2019), for the linear order and for "inverse bind".

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/lazy_sorted.hpp>
#include <stowage/hierarchy/levels.hpp>
#include <stowage/hierarchy/pointers.hpp>
#include <stowage/hierarchy/siblings.hpp>
#include <stowage/hierarchy/sorted.hpp>

namespace stowage {

/// Within the space of the parent; what a game writes.
struct LocalTransform {
  Matrix matrix;
};
/// Within the world; written by Hierarchy::update(), read by everything else.
struct WorldTransform {
  Matrix matrix;
};

/// The tree over a storage. Entities are to be ended by destroy(): if the storage ends one itself, its node stays a
/// parent of its children until remove().
///
/// Operations have the strong guarantee towards the hierarchy and the locals in the storage. Handles that are not alive
/// throw DeadEntity, those that are no node UnknownNode. Not thread-safe. The storage must outlive the hierarchy.
template <class Storage, HierarchyForm Form = LazySortedHierarchy>
class Hierarchy {
 public:
  using entity_type = typename Storage::entity_type;

  explicit Hierarchy(Storage& storage) : storage_(storage) {}

  /// A root, with the LocalTransform that it has, or none, which is the identity. Throws NodeExists, DeadEntity.
  void add(entity_type entity) {
    check_alive(entity);
    form_.add(node(entity), local_in_storage(entity));
  }
  /// `child`, and all below it, goes below `parent`. Throws CyclicAttachment, UnknownNode, NotInvertible.
  void attach(entity_type child, entity_type parent, Keep keep = Keep::local) {
    check_alive(child);
    check_alive(parent);
    form_.attach(node(child), node(parent), keep);
    if (keep == Keep::world) give_back_local(child);
  }
  /// A root where it is in the world: its LocalTransform becomes its world transform.
  void detach(entity_type entity) {
    form_.detach(node(entity));
    give_back_local(entity);
  }
  /// No longer a node; its children go with it or become roots where they are. No entity is destroyed.
  void remove(entity_type entity, Children children) { end_nodes(entity, children, false); }
  /// The same, and what is no longer a node is destroyed in the storage.
  void destroy(entity_type entity, Children children) { end_nodes(entity, children, true); }

  /// Its LocalTransform was written. O(1), or as the form says.
  void touch(entity_type entity) { form_.set_local(node(entity), local_in_storage(entity)); }
  /// Every LocalTransform may have been written. O(entities that have one).
  void touch_all() {
    storage_.template each<const LocalTransform>(
        [this](entity_type entity, const LocalTransform& local) { form_.replace_local(node(entity), local.matrix); });
    form_.touch_all();
  }
  /// Computes the worlds that may have changed, and writes them to the entities that have a WorldTransform.
  void update() {
    form_.update();
    form_.each_changed([this](Entity entity, const Matrix& world) {
      const auto published = storage_.template find<WorldTransform>(handle(entity));
      if (published != nullptr) published->matrix = world;
    });
  }

  [[nodiscard]] bool contains(entity_type entity) const noexcept { return form_.contains(node(entity)); }
  /// The null handle for a root.
  [[nodiscard]] entity_type parent(entity_type entity) const {
    const Entity above = form_.parent(node(entity));
    return above.is_null() ? entity_type{} : handle(above);
  }
  [[nodiscard]] std::size_t size() const noexcept { return form_.size(); }
  [[nodiscard]] const Form& form() const noexcept { return form_; }
  void settle() { form_.settle(); }
  void reserve(std::size_t nodes) { form_.reserve(nodes); }
  /// No nodes; the storage is as it was.
  void clear() noexcept { form_.clear(); }
  /// Of the hierarchy alone.
  [[nodiscard]] MemoryBreakdown memory() const noexcept { return form_.memory(); }

 private:
  [[nodiscard]] static Entity node(entity_type entity) noexcept {
    if constexpr (std::is_same_v<entity_type, Entity>) {
      return entity;
    } else {
      return entity.is_null() ? Entity{} : Entity(entity.index(), entity.generation());
    }
  }
  [[nodiscard]] static entity_type handle(Entity node) noexcept {
    return entity_type(node.index(), static_cast<typename entity_type::generation_type>(node.generation()));
  }
  void check_alive(entity_type entity) const {
    if (!storage_.alive(entity)) STOWAGE_THROW(DeadEntity(entity.word()));
  }
  [[nodiscard]] Matrix local_in_storage(entity_type entity) const {
    const auto local = std::as_const(storage_).template find<LocalTransform>(entity);
    return local != nullptr ? local->matrix : hierarchy::identity();
  }
  void give_back_local(entity_type entity) {
    const auto local = storage_.template find<LocalTransform>(entity);
    if (local != nullptr) local->matrix = form_.local(node(entity));
  }

  void end_nodes(entity_type entity, Children children, bool die) {
    std::vector<Entity> subtree;
    form_.append_subtree(node(entity), subtree);
    form_.remove(node(entity), children);
    if (children == Children::detach) {
      for (const Entity below : subtree) {
        if (below != node(entity) && form_.parent(below).is_null()) give_back_local(handle(below));
      }
      subtree.resize(1);
    }
    if (!die) return;
    for (std::size_t i = subtree.size(); i-- > 0;) storage_.destroy(handle(subtree[i]));
  }

  Storage& storage_;
  Form form_;
};

}  // namespace stowage
