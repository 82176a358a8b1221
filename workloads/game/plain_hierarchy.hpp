#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>

namespace stowage::workloads::game {

/// The trees of a yardstick (plain_tables.hpp), whose transforms are components of its tables.
///
///     nodes_    [origin] [entity, parent] [entity, parent] ...     in the order of creation, parents first
///     flags_    [   0  ] [ changed      ] ...
///     update()  for each node: if it or its parent has changed: world = world of the parent * local
///
/// It does what a world does with its trees: a node gets a parent that was added before it, and has no children when it
/// is removed. What is removed stays as a hole until a quarter are.
template <class Tables, class Local, class World>
class PlainHierarchy {
  using Entity = typename Tables::entity_type;
  using Number = std::uint32_t;
  static constexpr Number origin = 0;
  static constexpr std::uint8_t is_changed = 1, is_known = 2;

 public:
  explicit PlainHierarchy(Tables& tables) : tables_(tables) { clear(); }

  void reserve(std::size_t nodes) {
    nodes_.reserve(nodes + 1);
    flags_.reserve(nodes + 1);
    places_.reserve(nodes + 1);
  }
  void add(Entity entity) {
    const EntityIndex index = Tables::index_of(entity);
    if (index >= numbers_.size()) numbers_.resize(index + index / 2 + 1);
    numbers_[index] = static_cast<Number>(nodes_.size());
    nodes_.push_back({entity, origin, false});
    flags_.push_back(is_changed);
    places_.push_back({});
  }
  void attach(Entity child, Entity parent) {
    const Number number = number_of(child);
    nodes_[number].parent = number_of(parent);
    flags_[number] |= is_changed;
  }
  template <class WithChildren>
  void remove(Entity entity, WithChildren) {
    const Number number = number_of(entity);
    nodes_[number].parent = origin;
    nodes_[number].is_hole = true;
    flags_[number] = 0;
    ++holes_;
  }
  void touch(Entity entity) { flags_[number_of(entity)] |= is_changed; }
  void touch_all() {
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (!nodes_[i].is_hole) flags_[i] |= is_changed;
    }
  }

  void update() {
    if (holes_ > nodes_.size() / 4) close_holes();
    if (std::exchange(moves_, tables_.moves()) != tables_.moves()) {
      for (std::uint8_t& flags : flags_) flags &= is_changed;
    }
    const std::size_t count = nodes_.size();
    Number known = origin;
    Above above(identity_);
    for (std::size_t i = 1; i < count; ++i) {
      const Number parent = nodes_[i].parent;
      if (((flags_[i] | flags_[parent]) & is_changed) == 0) continue;
      const Places at = places_of(i);
      flags_[i] |= is_changed;
      if (parent != known) {
        known = parent;
        above = Above(parent == origin ? identity_ : *places_of(parent).world);
      }
      above.compose(*at.local, *at.world);
    }
    for (std::uint8_t& flags : flags_) flags &= is_known;
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown sum;
    const auto add = [&sum]<class T>(const std::vector<T>& array) {
      sum.index_bytes += array.size() * sizeof(T);
      sum.slack_bytes += (array.capacity() - array.size()) * sizeof(T);
      sum.allocations += array.capacity() != 0 ? 1 : 0;
    };
    add(nodes_);
    add(flags_);
    add(places_);
    add(numbers_);
    return sum;
  }
  void clear() {
    nodes_.assign(1, {});
    flags_.assign(1, 0);
    places_.assign(1, {});
    holes_ = 0;
  }

 private:
  struct Node {
    Entity entity{};
    Number parent = origin;
    bool is_hole = false;
  };
  struct Places {
    const Local* local = nullptr;
    World* world = nullptr;
  };

  /// A transform, each of whose columns stands twice in a register: two columns of a product are made at once. Sums are
  /// made in the order of the columns, so that equal trees have equal bits.
  class Above {
    using Two [[gnu::vector_size(32)]] = float;

   public:
    template <class Transform>
    explicit Above(const Transform& above) noexcept {
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t half = 0; half < 32; half += 16) {
          std::memcpy(reinterpret_cast<std::byte*>(&columns_[i]) + half, &above.matrix[static_cast<int>(i)], 16);
        }
      }
    }
    void compose(const Local& local, World& world) const noexcept {
      for (int i = 0; i < 4; i += 2) {
        Two two;
        std::memcpy(&two, &local.matrix[i], sizeof two);
        const Two sum = columns_[0] * spread<0>(two) + columns_[1] * spread<1>(two) + columns_[2] * spread<2>(two) +
                        columns_[3] * spread<3>(two);
        std::memcpy(&world.matrix[i], &sum, sizeof sum);
      }
    }

   private:
    template <int n>
    [[nodiscard]] static Two spread(Two two) noexcept {
#if defined(__clang__) || __GNUC__ > 11
      return __builtin_shufflevector(two, two, n, n, n, n, n + 4, n + 4, n + 4, n + 4);
#else
      return Two{two[n], two[n], two[n], two[n], two[n + 4], two[n + 4], two[n + 4], two[n + 4]};
#endif
    }
    Two columns_[4];
  };

  [[nodiscard]] Number number_of(Entity entity) const noexcept { return numbers_[Tables::index_of(entity)]; }
  [[nodiscard]] Places places_of(std::size_t number) noexcept {
    if ((flags_[number] & is_known) == 0) {
      const auto [local, world] = tables_.template find<Local, World>(nodes_[number].entity);
      places_[number] = {local, world};
      flags_[number] |= is_known;
    }
    return places_[number];
  }
  void close_holes() {
    std::vector<Number> moved_to(nodes_.size(), origin);
    Number end = 1;
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (nodes_[i].is_hole) continue;
      moved_to[i] = end;
      numbers_[Tables::index_of(nodes_[i].entity)] = end;
      nodes_[end] = {nodes_[i].entity, moved_to[nodes_[i].parent], false};
      flags_[end] = flags_[i];
      places_[end++] = places_[i];
    }
    nodes_.resize(end);
    flags_.resize(end);
    places_.resize(end);
    holes_ = 0;
  }

  Tables& tables_;
  std::vector<Node> nodes_;
  std::vector<std::uint8_t> flags_;
  std::vector<Places> places_;   ///< of the nodes that are known
  std::vector<Number> numbers_;  ///< by the index of an entity
  std::size_t holes_ = 0;
  std::uint64_t moves_ = 0;  ///< of the tables when places were found
  World identity_{decltype(World::matrix)(1.0F)};
};

}  // namespace stowage::workloads::game
