#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <stowage/contract/memory.hpp>
#include <stowage/hierarchy.hpp>

#include "workloads/contract/array.hpp"
#include "workloads/contract/checksum.hpp"
#include "workloads/contract/hierarchies.hpp"
#include "workloads/contract/trees.hpp"
#include "workloads/game/plan.hpp"

namespace stowage::workloads::game {

/// The hierarchy of a game that has none: nobody is a node.
template <class Storage>
class NoScene {
 public:
  using Handle = typename Storage::entity_type;

  NoScene(Storage&, const Tree&, Places, std::size_t entities, Random&) : everybody_(in_order(entities)) {}
  [[nodiscard]] Places childless() { return std::move(everybody_); }
  void build(const Array<Handle>&) {}
  void leave(std::uint32_t, Handle) {}
  void join(std::uint32_t, const Array<Handle>&) {}
  void frame(const Array<Handle>&) {}
  void add_to(Checksum&, const Array<Handle>&) {}
  [[nodiscard]] MemoryBreakdown memory() const { return {}; }
  void clear() {}

 private:
  Places everybody_;
};

/// Some of the entities as nodes of trees, by the form that the library offers by default.
template <class Storage>
class TreeScene {
  static constexpr std::size_t matrices = 61;

 public:
  using Handle = typename Storage::entity_type;

  TreeScene(Storage& storage, const Tree& tree, Places nodes, std::size_t entities, Random& random)
      : storage_(storage),
        forest_(tree, std::move(nodes), entities),
        all_move_(tree.dirty_share >= 1),
        dirty_(all_move_ ? Places() : forest_.nodes(), tree.dirty_share * static_cast<double>(forest_.nodes().size()),
               random),
        hierarchy_(storage) {
    for (std::size_t i = 0; i < matrices; ++i) locals_.push_back(local_transform(default_seed, i, 1));
  }

  [[nodiscard]] Places childless() const { return forest_.childless(); }

  void build(const Array<Handle>& living) {
    hierarchy_.reserve(forest_.nodes().size());
    for (const std::uint32_t place : forest_.nodes()) join(place, living);
    hierarchy_.update();
  }
  /// Before whoever has that place, and has no children, dies.
  void leave(std::uint32_t place, Handle entity) {
    if (forest_.is_node(place)) hierarchy_.remove(entity, Children::detach);
  }
  /// After somebody else has got the place.
  void join(std::uint32_t place, const Array<Handle>& living) {
    if (!forest_.is_node(place)) return;
    hierarchy_.add(living[place]);
    const std::uint32_t parent = forest_.parent_of(place);
    if (parent != Forest::no_parent) hierarchy_.attach(living[place], living[parent]);
  }

  /// Some nodes move, and the world transforms follow.
  void frame(const Array<Handle>& living) {
    if (all_move_) {
      const Matrix& next = next_local();
      storage_.template each<LocalTransform>([&next](LocalTransform& local) { local.matrix = next; });
      hierarchy_.touch_all();
    } else {
      for (const std::uint32_t place : dirty_.next()) {
        storage_.template find<LocalTransform>(living[place])->matrix = next_local();
        hierarchy_.touch(living[place]);
      }
    }
    hierarchy_.update();
  }

  void add_to(Checksum& sum, const Array<Handle>& living) {
    for (const std::uint32_t place : forest_.nodes()) {
      sum.add(place, matrix_bits(storage_.template find<WorldTransform>(living[place])->matrix));
    }
  }
  [[nodiscard]] MemoryBreakdown memory() const { return hierarchy_.memory(); }
  void clear() { hierarchy_.clear(); }

 private:
  [[nodiscard]] const Matrix& next_local() noexcept { return locals_[moved_++ % matrices]; }

  Storage& storage_;
  Forest forest_;
  bool all_move_;
  Draws dirty_;
  Hierarchy<Storage, PrecompiledForm> hierarchy_;
  Array<Matrix> locals_;
  std::size_t moved_ = 0;
};

}  // namespace stowage::workloads::game
