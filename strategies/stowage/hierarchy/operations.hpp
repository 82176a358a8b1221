#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/hierarchy/errors.hpp>
#include <stowage/hierarchy/form.hpp>
#include <stowage/hierarchy/matrix.hpp>
#include <stowage/parts/growing_array.hpp>

namespace stowage::hierarchy {

/// What is the same in every form: what an operation means, what it refuses, and what happens before anything changes.
/// `Node` is how the form names a node: a row or a pointer, false where there is none, which is also the parent of
/// a root. `Form` lends its friend
///
///   find_node(e), parent_of(n), owner_of(n), local_of(n), world_of(n), is_stale(n)
///   may_be_below(n, above)   false where the form knows without looking
///   link(n, parent)          another parent; throws before it changes anything
///   make_room_for_roots(ns)  so that linking these nodes, all children of one, to none cannot throw
///   mark(n)                  its world is to be computed anew. Never throws
///   erase(nodes)             a whole subtree, parents first. Never throws after make_room_to_erase(their number)
///   append_children(n, out)  its children, in no order
///   append_nodes(n, out)     itself and all below it, parents first, into what is empty
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

  void set_local(Entity entity, const Matrix& local) {
    const Node found = node(entity);
    form().local_of(found) = local;
    form().mark(found);
  }
  void touch(Entity entity) { form().mark(node(entity)); }
  bool replace_local(Entity entity, const Matrix& local) {
    const Node found = form().find_node(entity);
    if (found == Node{}) return false;
    form().local_of(found) = local;
    return true;
  }

  /// O(depth of the parent) beside what the form's link() takes; less where the form knows at once that the child is
  /// not above the parent.
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

  [[nodiscard]] Matrix current_world(Entity entity) { return world_now(node(entity)); }

  void append_subtree(Entity entity, std::vector<Entity>& out) const {
    parts::GrowingArray<Node> nodes;
    form().append_nodes(node(entity), nodes);
    out.reserve(out.size() + nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) out.push_back(form().owner_of(nodes[i]));
  }

 protected:
  Operations() = default;
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;
  ~Operations() = default;

  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return nodes_.held_bytes() + path_.held_bytes(); }
  [[nodiscard]] std::size_t scratch_allocations() const noexcept { return nodes_.allocations() + path_.allocations(); }

 private:
  [[nodiscard]] Form& form() noexcept { return static_cast<Form&>(*this); }
  [[nodiscard]] const Form& form() const noexcept { return static_cast<const Form&>(*this); }

  [[nodiscard]] Node node(Entity entity) const {
    const Node found = form().find_node(entity);
    if (found == Node{}) STOWAGE_THROW(UnknownNode(entity));
    return found;
  }

  [[nodiscard]] bool is_below(Node node, Node above) const noexcept {
    while (node != Node{} && node != above) node = form().parent_of(node);
    return node != Node{};
  }

  /// From the highest stale ancestor down, in the order in which update() multiplies.
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

  parts::GrowingArray<Node> nodes_;
  parts::GrowingArray<Node> path_;
};

}  // namespace stowage::hierarchy
