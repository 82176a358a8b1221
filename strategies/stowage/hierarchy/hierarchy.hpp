#pragma once

// Parents and children among the entities of any storage, with transforms as components.
//
//     storage, in the order of the nodes        form (LazySorted)
//     LocalTransform  [ A ] [ B ] [ C ] ...     places   [&I, &I] [&A, &A] [&B, &B] ...   row 0: the origin
//     WorldTransform  [ A ] [AB ] [AC ] ...     parents  [  0   ] [  0   ] [  1   ] ...   row -> row of the parent
//
// The transforms stay in the storage. The form has the tree, in the order in which worlds are computed: parents first.
// So an update is one loop over rows, which copies nothing.
//
//     add(es, parents, top)   rows behind the last one, in the order of the list, linked
//     attach(child, parent)   check for a cycle; links_.unlink(child), links_.link(child, parent); child is dirty
//     touch(e)                dirty[row of e] = 1
//     update()                if rows are out of order: move their subtrees behind the last row, parents first
//                             if storage.moves() is another: look every node up, places[row] = { local, world }
//                             if too many nodes do not lie behind each other: storage.order_rows()
//                             for each row: if (dirty[row] | changed[parent])
//                                 *places[row].world = *places[parent].world * *places[row].local
//     remove(e, children)     the rows of e and all below it become holes, or its children become roots
//
// What a storage may offer, and what happens if it does not (contract/moves.hpp):
//     moves()        every update() looks all nodes up
//     order_rows()   nodes are put in the order in which the storage has their transforms, as far as parents come first
//
// update() and settle() may move the rows of both transforms, and of what shares rows with them, in the storage. That
// invalidates pointers to them, and changes the order of loops over them.
// Right after settle(), update() moves nothing and asks a storage that counts moves for nothing else: it may run beside
// threads that use other components, whether of the same entities or not. touch_all() may, too.
// A LocalTransform may be used by the next update() once it is written; touch() makes sure that it is.
// The WorldTransform of a parent is read by update(). What else writes it is seen by the nodes below.
// A storage that records changes (Changed<WorldTransform>) does not see what update() writes, and records a write when
// update() looks a node up. form().each_changed(fn) shows the worlds that the last update computed.
// Without a LocalTransform an entity has the identity, whatever detach() or Keep::world would make of it. Without
// a WorldTransform it has its world in the hierarchy. An entity counts as touched if it has gained or lost one of them
// since the last update. If it has done both since then, call touch(). One that is dead and still a node has neither.
//
// Forms by themselves, in forms/, with matrices of their own and all with the operations of form.hpp; each header has
// its drawing and says when to pick it:
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

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/moves.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/lazy_sorted.hpp>
#include <stowage/hierarchy/matrices.hpp>

namespace stowage {

/// Within the space of the parent; what a game writes.
struct LocalTransform {
  Matrix matrix;
};
/// Within the world; written by Hierarchy::update(), read by everything else.
struct WorldTransform {
  Matrix matrix;
};
template <>
inline constexpr bool tracks_moves<LocalTransform> = true;
template <>
inline constexpr bool tracks_moves<WorldTransform> = true;

/// A form over transforms that lie elsewhere: the operations of form.hpp, but add(e, transforms), and
///
///   add(es, parents, top, transforms_of)    whole subtrees; transforms_of(i)
///
///   find_in(source)      what tells where transforms are, before anything else
///   find_places(find)    find(entity) tells it anew for every node
///   jumps(), in_order()  how many nodes do not lie close behind the node before; the nodes, and null handles between
///   take_order_is_new()  whether all nodes were put in order since it was asked last
template <class F>
concept PlacedForm = requires(F form, const hierarchy::TransformSource& source, Entity entity) {
  form.find_in(source);
  form.add(entity, hierarchy::Transforms{});
  form.add(std::span<const Entity>{}, std::span<const std::uint32_t>{}, entity,
           [](std::size_t) { return hierarchy::Transforms{}; });
  form.find_places([](Entity) { return hierarchy::Transforms{}; });
  { form.jumps() } -> std::same_as<std::size_t>;
  { form.in_order() } -> std::same_as<std::span<const Entity>>;
  { form.take_order_is_new() } -> std::same_as<bool>;
};

/// The form that Hierarchy takes. Another one is to have it compiled elsewhere.
using PlacedHierarchy = hierarchy::LazySorted<hierarchy::PlacedMatrices>;

/// The tree over a storage. Entities are to be ended by destroy(): if the storage ends one itself, its node stays a
/// parent of its children until remove(). A storage should have one hierarchy: each puts rows in its own order.
///
/// Operations have the strong guarantee towards the hierarchy and the locals in the storage. add() and attach() throw
/// DeadEntity for a handle that is not alive. What asks for a node throws UnknownNode for any other handle. Not
/// thread-safe. The storage must outlive the hierarchy.
template <class Storage, PlacedForm Form = PlacedHierarchy>
class Hierarchy final : private hierarchy::TransformSource {
  using Transforms = hierarchy::Transforms;

 public:
  using entity_type = typename Storage::entity_type;

  explicit Hierarchy(Storage& storage) : storage_(storage), moves_(moves()) { form_.find_in(*this); }

  /// A root. Throws NodeExists, DeadEntity.
  void add(entity_type entity) {
    check_alive(entity);
    form_.add(node(entity), transforms_of(entity));
  }
  /// Whole subtrees, as instances of a template: the i-th entity goes below that of number `parents[i]`, which is
  /// smaller, or, if this is its own number, below `top`, or is a root if `top` is the null handle. No entity is in the
  /// list twice. O(entities), and nothing is to be put in order afterwards. Throws NodeExists, DeadEntity, UnknownNode.
  void add(std::span<const entity_type> entities, std::span<const std::uint32_t> parents, entity_type top = {}) {
    for (const entity_type entity : entities) check_alive(entity);
    if (!top.is_null()) check_alive(top);
    const auto add_nodes = [&](std::span<const Entity> nodes) {
      form_.add(nodes, parents, node(top), [&](std::size_t i) { return transforms_of(entities[i]); });
    };
    if constexpr (std::is_same_v<entity_type, Entity>) {
      add_nodes(entities);
    } else {
      std::vector<Entity> nodes(entities.size());
      std::ranges::transform(entities, nodes.begin(), &Hierarchy::node);
      add_nodes(nodes);
    }
  }
  /// `child`, and all below it, goes below `parent`. Throws CyclicAttachment, UnknownNode, NotInvertible.
  void attach(entity_type child, entity_type parent, Keep keep = Keep::local) {
    check_alive(child);
    check_alive(parent);
    form_.attach(node(child), node(parent), keep);
  }
  /// A root where it is in the world: its LocalTransform becomes its world transform.
  void detach(entity_type entity) { form_.detach(node(entity)); }
  /// No longer a node; its children go with it or become roots where they are. No entity is destroyed.
  void remove(entity_type entity, Children children) { form_.remove(node(entity), children); }
  /// The same, and what is no longer a node is destroyed in the storage.
  void destroy(entity_type entity, Children children) {
    std::vector<Entity> ended;
    if (children == Children::destroy) {
      form_.append_subtree(node(entity), ended);
    } else {
      ended.push_back(node(entity));
    }
    form_.remove(node(entity), children);
    for (std::size_t i = ended.size(); i-- > 0;) storage_.destroy(handle(ended[i]));
  }

  /// Its LocalTransform was written. O(1), or as the form says.
  void touch(entity_type entity) { form_.touch(node(entity)); }
  /// Every LocalTransform may have been written. O(1).
  void touch_all() noexcept { form_.touch_all(); }
  /// Computes the worlds that may have changed, in the components of the entities. See above for what it may move.
  void update() {
    settle();
    form_.update();
  }
  /// Puts nodes, and their transforms in the storage, in order, as update() would. Throws std::bad_alloc; then they
  /// wait.
  void settle() {
    form_.settle();
    const bool had_moved = !places_hold();
    if (had_moved) find_places();
    // to put all nodes in order anew costs as much as their rows; what entities leave when they go is to be let alone
    const bool order_is_new = form_.take_order_is_new();
    if (order_is_new || had_moved) order_rows(form_.size() / (order_is_new ? 64 : 8));
  }

  [[nodiscard]] bool contains(entity_type entity) const noexcept { return form_.contains(node(entity)); }
  /// The null handle for a root.
  [[nodiscard]] entity_type parent(entity_type entity) const {
    const Entity above = form_.parent(node(entity));
    return above.is_null() ? entity_type{} : handle(above);
  }
  [[nodiscard]] std::size_t size() const noexcept { return form_.size(); }
  [[nodiscard]] const Form& form() const noexcept { return form_; }
  /// Room for so many nodes. Throws std::length_error if there cannot be so many entities, or std::bad_alloc; then the
  /// nodes are as they were.
  void reserve(std::size_t nodes) {
    if (nodes > entity_type::max_entities) STOWAGE_THROW(std::length_error("more nodes than there can be entities"));
    form_.reserve(nodes);
  }
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
    if (node.is_null()) return entity_type{};
    return entity_type(node.index(), static_cast<typename entity_type::generation_type>(node.generation()));
  }
  void check_alive(entity_type entity) const {
    if (!storage_.alive(entity)) STOWAGE_THROW(DeadEntity(entity.word()));
  }

  // ---- where transforms are

  [[nodiscard]] Transforms transforms_of(entity_type entity) const noexcept {
    const auto [local, world] = storage_.template find<LocalTransform, WorldTransform>(entity);
    return {local != nullptr ? &local->matrix : nullptr, world != nullptr ? &world->matrix : nullptr};
  }
  [[nodiscard]] Transforms find(Entity node) const noexcept override { return transforms_of(handle(node)); }
  [[nodiscard]] bool places_hold() const noexcept override { return CountsMoves<Storage> && moves() == moves_; }
  [[nodiscard]] bool follows_nodes() const noexcept override {
    return OrdersRows<Storage, LocalTransform, WorldTransform>;
  }
  [[nodiscard]] std::uint64_t moves() const noexcept {
    if constexpr (CountsMoves<Storage>) {
      return storage_.moves();
    } else {
      return 0;
    }
  }
  void find_places() {
    form_.find_places([this](Entity node) { return find(node); });
    moves_ = moves();
  }

  /// Transforms lie as nodes do, but for `most_jumps` and for what ordering leaves.
  void order_rows(std::size_t most_jumps) {
    if constexpr (OrdersRows<Storage, LocalTransform, WorldTransform>) {
      const std::size_t jumps = form_.jumps();
      least_jumps_ = (std::min)(least_jumps_, jumps);
      if (jumps <= least_jumps_ + most_jumps) return;
      const std::span<const Entity> nodes = form_.in_order();
      if constexpr (std::is_same_v<entity_type, Entity>) {
        storage_.template order_rows<LocalTransform, WorldTransform>(nodes);
      } else {
        std::vector<entity_type> handles(nodes.size());
        std::ranges::transform(nodes, handles.begin(), &Hierarchy::handle);
        storage_.template order_rows<LocalTransform, WorldTransform>(handles);
      }
      find_places();
      least_jumps_ = form_.jumps();
    }
  }

  Storage& storage_;
  Form form_;
  std::uint64_t moves_;          ///< of the storage when places were found
  std::size_t least_jumps_ = 0;  ///< that ordering leaves: entities of several component sets lie apart
};

}  // namespace stowage
