#pragma once

#include "workloads/game/course.hpp"
#include "workloads/support/hierarchies.hpp"

namespace stowage::workloads::game {

/// The hierarchy of a game that has none.
template <class Storage>
class NoScene {
 public:
  using Handle = typename Storage::entity_type;

  NoScene(Storage&, Course&) {}
  void build(const Array<Handle>&) {}
  void leave(std::uint32_t, Handle) {}
  void join(std::uint32_t, const Array<Handle>&) {}
  void frame(const Array<Handle>&) {}
  void add_to(Checksum&, const Array<Handle>&) {}
  [[nodiscard]] MemoryBreakdown memory() const { return {}; }
  void clear() {}
};

/// The form that the library offers by default, or that of a yardstick.
template <class Storage>
struct HierarchyOf {
  using type = Hierarchy<Storage, PrecompiledForm>;
};
template <class Storage>
  requires requires { typename Storage::template hierarchy_type<LocalTransform, WorldTransform>; }
struct HierarchyOf<Storage> {
  using type = typename Storage::template hierarchy_type<LocalTransform, WorldTransform>;
};

/// Some of the entities as nodes of trees.
template <class Storage>
class TreeScene {
  static constexpr std::size_t matrices = 61;

 public:
  using Handle = typename Storage::entity_type;

  TreeScene(Storage& storage, Course& course) : storage_(storage), course_(course), hierarchy_(storage) {
    for (std::size_t i = 0; i < matrices; ++i) locals_.push_back(local_transform(default_seed, i, 1));
  }

  void build(const Array<Handle>& living) {
    hierarchy_.reserve(course_.forest().nodes().size());
    for (const std::uint32_t place : course_.forest().nodes()) join(place, living);
    hierarchy_.update();
  }
  /// Before the entity of that place, which has no children, is destroyed.
  void leave(std::uint32_t place, Handle entity) {
    if (course_.forest().is_node(place)) hierarchy_.remove(entity, Children::detach);
  }
  /// After a new entity has got the place.
  void join(std::uint32_t place, const Array<Handle>& living) {
    if (!course_.forest().is_node(place)) return;
    hierarchy_.add(living[place]);
    const std::uint32_t parent = course_.forest().parent_of(place);
    if (parent != no_parent) hierarchy_.attach(living[place], living[parent]);
  }

  /// Some nodes move, and the world transforms follow.
  void frame(const Array<Handle>& living) {
    if (course_.all_nodes_move()) {
      const Matrix& next = next_local();
      storage_.template each<LocalTransform>([&next](LocalTransform& local) { local.matrix = next; });
      hierarchy_.touch_all();
    } else {
      for (const std::uint32_t place : course_.next_moving()) {
        storage_.template find<LocalTransform>(living[place])->matrix = next_local();
        hierarchy_.touch(living[place]);
      }
    }
    hierarchy_.update();
  }

  void add_to(Checksum& sum, const Array<Handle>& living) {
    const Places& nodes = course_.forest().nodes();
    for (std::size_t i = 0; i < nodes.size(); i += checked_every(nodes.size())) {
      const std::uint32_t place = nodes[i];
      sum.add(place, matrix_bits(storage_.template find<WorldTransform>(living[place])->matrix));
    }
  }
  [[nodiscard]] MemoryBreakdown memory() const { return hierarchy_.memory(); }
  void clear() { hierarchy_.clear(); }

 private:
  [[nodiscard]] const Matrix& next_local() noexcept { return locals_[moved_++ % matrices]; }

  Storage& storage_;
  Course& course_;
  typename HierarchyOf<Storage>::type hierarchy_;
  Array<Matrix> locals_;
  std::size_t moved_ = 0;
};

}  // namespace stowage::workloads::game
