#pragma once

// A hierarchy as a scene graph of heap objects: for programs in which other code holds pointers to nodes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>

namespace stowage {

namespace hierarchy {

struct PointerNode;

/// Pointers to children, of which up to four lie in the list itself: then they are on the line of their parent, and a
/// step down a chain or a tree waits for one line and not for two.
class ChildList {
 public:
  ChildList() = default;
  ChildList(const ChildList&) = delete;
  ChildList& operator=(const ChildList&) = delete;
  ~ChildList() { free_heap(); }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] PointerNode* const* begin() const noexcept { return is_on_heap() ? heap_ : here_; }
  [[nodiscard]] PointerNode* const* end() const noexcept { return begin() + size_; }
  [[nodiscard]] std::size_t heap_bytes() const noexcept { return is_on_heap() ? capacity_ * sizeof(PointerNode*) : 0; }

  void make_room(std::size_t more) {
    const std::size_t needed = size_ + more;
    if (needed <= capacity_) return;
    const std::size_t capacity = std::max<std::size_t>(needed, 2 * std::size_t{capacity_});
    PointerNode** const larger = std::allocator<PointerNode*>().allocate(capacity);
    std::copy(begin(), end(), larger);
    free_heap();
    heap_ = larger;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  /// Needs room.
  void push_back(PointerNode* child) noexcept { places()[size_++] = child; }
  /// The last child takes the place and is returned.
  PointerNode* erase(std::uint32_t position) noexcept { return places()[position] = places()[--size_]; }
  void clear() noexcept { size_ = 0; }

 private:
  static constexpr std::uint32_t in_place = 4;

  [[nodiscard]] bool is_on_heap() const noexcept { return capacity_ > in_place; }
  [[nodiscard]] PointerNode** places() noexcept { return is_on_heap() ? heap_ : here_; }
  void free_heap() noexcept {
    if (is_on_heap()) std::allocator<PointerNode*>().deallocate(heap_, capacity_);
  }

  union {
    PointerNode* here_[in_place];
    PointerNode** heap_;
  };
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = in_place;
};

/// Each transform is on a cache line of its own, and what finds the others is on a third.
struct alignas(64) PointerNode {
  Matrix local;
  Matrix world;
  ChildList children;
  PointerNode* parent = nullptr;
  Entity owner;
  std::uint32_t position = 0;  ///< among the children of its parent
  bool is_dirty = true;
  bool is_changed = false;  ///< in the last update that visited it
  bool has_dirty_below = false;
};
static_assert(sizeof(PointerNode) == 3 * 64);

}  // namespace hierarchy

/// How a tree of pointers is walked.
enum class Walk {
  recursion,  ///< a call for each node with children; from recursion_limit levels on, the stack, so that no depth ends
              ///< the program
  stack,      ///< an explicit stack of nodes whose children are to be computed
};

///     nodes_   [ * ] [ - ] [ * ] ...       entity.index() -> its object
///                |
///                v
///     [local 64][world 64][children * * * * ][parent *]      more children than four: an array of pointers on the heap
///
/// attach(), detach(): O(1) beside the look for a cycle; nothing ever moves. remove(): O(nodes removed). update(): as
/// in siblings.hpp, subtrees without a dirty node are skipped; touch(): O(depth), until it comes to a marked node.
///
/// Source: the usual scene graph, which Wicked Engine (2019) compares its linear one with. Pointers to children side by
/// side, not a list through them, let their lines be fetched together.
template <Walk Way>
class BasicPointerHierarchy : public hierarchy::Operations<BasicPointerHierarchy<Way>, hierarchy::PointerNode*> {
  using Node = hierarchy::PointerNode;
  using Nodes = parts::GrowingArray<Node*>;
  friend class hierarchy::Operations<BasicPointerHierarchy, Node*>;

 public:
  /// Levels that recursion goes down before the stack goes on: some 100 KiB of the program's own stack.
  static constexpr unsigned recursion_limit = 1000;

  BasicPointerHierarchy() { origin_.local = origin_.world = hierarchy::identity(); }
  ~BasicPointerHierarchy() { clear(); }
  BasicPointerHierarchy(const BasicPointerHierarchy&) = delete;
  BasicPointerHierarchy& operator=(const BasicPointerHierarchy&) = delete;

  /// O(1) amortised.
  void add(Entity entity, const Matrix& local = hierarchy::identity()) {
    STOWAGE_ASSERT(!entity.is_null(), "the null handle is no node");
    const std::size_t index = entity.index();
    if (index < nodes_.size() && nodes_[index] != nullptr) STOWAGE_THROW(NodeExists(entity));
    auto node = std::make_unique<Node>();
    stack_.make_room(size_ + 1);
    changed_.make_room(size_ + 1);
    origin_.children.make_room(1);
    nodes_.extend(index + 1, nullptr);
    node->local = node->world = local;
    node->owner = entity;
    enter(*node, origin_);
    nodes_[index] = node.release();
    origin_.has_dirty_below = true;
    ++size_;
  }
  void touch_all() noexcept { all_dirty_ = origin_.has_dirty_below = size_ != 0; }

  void update() noexcept {
    changed_.clear();
    all_changed_ = all_dirty_;
    if (!origin_.has_dirty_below) return;
    stack_.clear();
    if (all_dirty_) {
      compose_all(origin_);
    } else {
      compose_dirty(origin_);
    }
    all_dirty_ = origin_.has_dirty_below = false;
  }
  /// O(nodes changed); O(entity indices) after touch_all().
  template <class Fn>
  void each_changed(Fn&& fn) const {
    const Nodes& nodes = all_changed_ ? nodes_ : changed_;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i] != nullptr) fn(nodes[i]->owner, nodes[i]->world);
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Room for handles with indices below `nodes`; the nodes themselves are made one by one.
  void reserve(std::size_t nodes) {
    nodes_.reserve(nodes);
    stack_.reserve(nodes);
    changed_.reserve(nodes);
  }
  void clear() noexcept {
    for (std::size_t i = 0; i < nodes_.size(); ++i) delete nodes_[i];
    nodes_.clear();
    changed_.clear();
    origin_.children.clear();
    origin_.has_dirty_below = all_dirty_ = all_changed_ = false;
    size_ = 0;
  }
  /// O(entity indices).
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    // entries, and of each node what is no transform; arrays of more than four children count as slack
    const std::size_t index = nodes_.size() * sizeof(Node*);
    MemoryBreakdown sum = this->scratch_memory() + hierarchy::memory_of(index, nodes_, stack_, changed_);
    sum.payload_bytes = size_ * 2 * sizeof(Matrix);
    sum.index_bytes += size_ * (sizeof(Node) - 2 * sizeof(Matrix));
    sum.allocations += size_;
    const auto count_children = [&](const Node& node) {
      sum.slack_bytes += node.children.heap_bytes();
      sum.allocations += node.children.heap_bytes() != 0 ? 1U : 0U;
    };
    count_children(origin_);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i] != nullptr) count_children(*nodes_[i]);
    }
    return sum;
  }

 private:
  [[nodiscard]] Node* find_node(Entity entity) const noexcept {
    Node* const node = entity.index() < nodes_.size() ? nodes_[entity.index()] : nullptr;
    return node != nullptr && node->owner == entity ? node : nullptr;
  }
  [[nodiscard]] Node* parent_of(const Node* node) const noexcept {
    return node->parent != &origin_ ? node->parent : nullptr;
  }
  [[nodiscard]] Entity owner_of(const Node* node) const noexcept { return node->owner; }
  [[nodiscard]] Matrix& local_of(Node* node) const noexcept { return node->local; }
  [[nodiscard]] const Matrix& world_of(const Node* node) const noexcept { return node->world; }
  [[nodiscard]] bool is_stale(const Node* node) const noexcept { return all_dirty_ || node->is_dirty; }
  [[nodiscard]] bool may_be_below(const Node* /*node*/, const Node* above) const noexcept {
    return !above->children.empty();
  }
  void mark(Node* node) noexcept {
    node->is_dirty = true;
    for (Node* above = node->parent; above != nullptr && !above->has_dirty_below; above = above->parent) {
      above->has_dirty_below = true;
    }
  }

  void link(Node* node, Node* parent) {
    Node& above = parent != nullptr ? *parent : origin_;
    above.children.make_room(1);
    leave(*node);
    enter(*node, above);
  }
  void make_room_for_roots(std::span<Node* const> nodes) { origin_.children.make_room(nodes.size()); }
  static void enter(Node& node, Node& parent) noexcept {
    node.parent = &parent;
    node.position = static_cast<std::uint32_t>(parent.children.size());
    parent.children.push_back(&node);
  }
  static void leave(Node& node) noexcept { node.parent->children.erase(node.position)->position = node.position; }
  void erase(std::span<Node* const> nodes) noexcept {
    leave(*nodes.front());
    changed_.clear();
    for (Node* const node : nodes) {
      nodes_[node->owner.index()] = nullptr;
      delete node;
    }
    size_ -= nodes.size();
  }
  void append_children(const Node* node, Nodes& out) const {
    for (Node* const child : node->children) out.append(child);
  }
  void append_nodes(Node* node, Nodes& out) const {
    out.append(node);
    for (std::size_t done = 0; done < out.size(); ++done) append_children(out[done], out);
  }

  /// Computes the worlds of the children of a node, and descends to those that have children.
  template <class Descend>
  static void compose_children(const Node& node, Descend&& descend) noexcept {
    const hierarchy::AboveMatrix above(node.world);
    for (Node* const child : node.children) {
      above.compose(child->local, child->world);
      child->is_dirty = child->has_dirty_below = false;
      if (!child->children.empty()) descend(*child);
    }
  }
  /// The same for children that are dirty or below a changed node; also descends to those with dirty nodes below them.
  template <class Descend>
  void compose_dirty_children(const Node& node, Descend&& descend) noexcept {
    for (Node* const child : node.children) {
      const bool descends = node.is_changed || child->is_dirty || child->has_dirty_below;
      if (!descends) continue;
      child->is_changed = node.is_changed || child->is_dirty;
      child->is_dirty = child->has_dirty_below = false;
      if (child->is_changed) {
        child->world = hierarchy::compose(node.world, child->local);
        changed_.append(child);
      }
      if (!child->children.empty()) descend(*child);
    }
  }

  STOWAGE_NOINLINE void compose_all(Node& node, unsigned depth = 0) noexcept {
    if (Way == Walk::recursion && depth < recursion_limit) {
      return compose_children(node, [&](Node& child) { compose_all(child, depth + 1); });
    }
    walk_from(node, [&](Node& next, auto&& push) { compose_children(next, push); });
  }
  STOWAGE_NOINLINE void compose_dirty(Node& node, unsigned depth = 0) noexcept {
    if (Way == Walk::recursion && depth < recursion_limit) {
      return compose_dirty_children(node, [&](Node& child) { compose_dirty(child, depth + 1); });
    }
    walk_from(node, [&](Node& next, auto&& push) { compose_dirty_children(next, push); });
  }
  /// The stack has room: no node is on it twice.
  template <class Visit>
  void walk_from(Node& node, Visit&& visit) noexcept {
    const auto push = [this](Node& next) { stack_.append(&next); };
    visit(node, push);
    while (stack_.size() != 0) {
      Node& next = *stack_[stack_.size() - 1];
      stack_.shrink(stack_.size() - 1);
      visit(next, push);
    }
  }

  Node origin_;  ///< what roots are the children of; never changed, so that only they are computed
  Nodes nodes_;
  Nodes stack_;
  Nodes changed_;
  std::size_t size_ = 0;
  bool all_dirty_ = false;
  bool all_changed_ = false;
};

using PointerHierarchy = BasicPointerHierarchy<Walk::recursion>;
using StackedPointerHierarchy = BasicPointerHierarchy<Walk::stack>;

static_assert(HierarchyForm<PointerHierarchy>);
static_assert(HierarchyForm<StackedPointerHierarchy>);

}  // namespace stowage
