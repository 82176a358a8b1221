#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <entt/entity/group.hpp>
#include <entt/entity/registry.hpp>

#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy/form.hpp>

#include "peers/counting_allocator.hpp"

namespace stowage::peers {

/// A hierarchy as programs on EnTT write it: an owning group of both transforms and the parent, sorted by depth, and
/// one loop over it that looks the parent's world transform up. It keeps no dirty flags: update_all() computes all.
///
///     group    [ local world node ] [ local world node ] ...     by depth: the roots, their children, and so on
///     node     parent, depth
///
/// Source: "ECS back and forth" of EnTT's author, part 4 (2019): sorted pools for hierarchies of entities.
template <class Identifier, bool RawPages = false>
class EnttTree {
 public:
  using Handle = Identifier;

  explicit EnttTree(std::size_t nodes) {
    registry_.template storage<Identifier>().reserve(nodes);
    locals().reserve(nodes);
    worlds().reserve(nodes);
    nodes_of_tree().reserve(nodes);
  }
  Handle create(const Matrix& local) {
    const Identifier created = registry_.create();
    locals().emplace(created, Local{local});
    worlds().emplace(created);
    nodes_of_tree().emplace(created, Node{entt::null, 0});
    return created;
  }
  /// O(1); the next update sorts.
  void attach(Handle child, Handle parent) {
    nodes_of_tree().get(child).parent = parent;
    sorted_ = false;
  }
  void write_local(Handle node, const Matrix& local) { locals().get(node).matrix = local; }
  void update_all() {
    if (!sorted_) sort();
    const Worlds& known = worlds();
    if constexpr (RawPages) {
      constexpr std::size_t page = 1024;
      auto& nodes = nodes_of_tree();
      for (std::size_t first = 0; first < group_.size(); first += page) {
        const Node* const node = nodes.raw()[first / page];
        const Local* const local = locals().raw()[first / page];
        World* const world = worlds().raw()[first / page];
        const std::size_t rows = std::min(page, group_.size() - first);
        for (std::size_t row = 0; row < rows; ++row) {
          const Identifier parent = node[row].parent;
          const Matrix& above = parent == entt::null ? origin_ : known.get(parent).matrix;
          hierarchy::AboveMatrix(above).compose(local[row].matrix, world[row].matrix);
        }
      }
      return;
    }
    group_.each([&](const Node& node, const Local& local, World& world) {
      const Matrix& above = node.parent == entt::null ? origin_ : known.get(node.parent).matrix;
      hierarchy::AboveMatrix(above).compose(local.matrix, world.matrix);
    });
  }
  [[nodiscard]] Matrix world(Handle node) const { return registry_.template get<World>(node).matrix; }
  /// Index are the nodes, and the places in sparse and dense arrays: of identifiers, and of each component.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t payload = 2 * group_.size() * sizeof(Matrix);
    const std::size_t index = group_.size() * (sizeof(Node) + 2 * 4 * sizeof(Identifier));
    return {.payload_bytes = payload,
            .index_bytes = index,
            .slack_bytes = account_.bytes - payload - index,
            .allocations = account_.blocks};
  }
  void clear() { registry_.clear(); }

 private:
  struct Node {
    Identifier parent;
    std::uint32_t depth;  // 0 if it is not known
  };
  struct Local {
    Matrix matrix;
  };
  struct World {
    Matrix matrix;
  };
  using Allocator = CountingAllocator<Identifier>;
  using Registry = entt::basic_registry<Identifier, Allocator>;
  using Worlds = std::remove_reference_t<decltype(std::declval<Registry&>().template storage<World>())>;
  using Group = decltype(std::declval<Registry&>().template group<Node, Local, World>());

  [[nodiscard]] auto& locals() { return registry_.template storage<Local>(); }
  [[nodiscard]] Worlds& worlds() { return registry_.template storage<World>(); }
  [[nodiscard]] auto& nodes_of_tree() { return registry_.template storage<Node>(); }

  /// O(n log n).
  void sort() {
    auto& nodes = nodes_of_tree();
    for (Node& node : nodes) node.depth = 0;
    std::vector<Node*> path;
    for (Node& node : nodes) {
      path.clear();
      Node* above = &node;
      for (; above->depth == 0 && above->parent != entt::null; above = &nodes.get(above->parent)) path.push_back(above);
      if (above->depth == 0) above->depth = 1;
      for (std::uint32_t depth = above->depth; !path.empty(); path.pop_back()) path.back()->depth = ++depth;
    }
    group_.template sort<Node>(
        [](const Node& a, const Node& b) { return RawPages ? a.depth > b.depth : a.depth < b.depth; });
    sorted_ = true;
  }

  const Matrix origin_ = hierarchy::identity();  ///< above roots
  HeapAccount account_;
  Registry registry_{Allocator(account_)};
  Group group_ = registry_.template group<Node, Local, World>();
  bool sorted_ = true;
};

}  // namespace stowage::peers
