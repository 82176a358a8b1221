#pragma once

// The hand-written trees of the yardsticks (plain_tables.hpp), whose transforms are components in their tables.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>

#include "workloads/floors/matrix.hpp"
#include "workloads/game/plain_handles.hpp"

namespace stowage::workloads::game {

///     parents_  [  0   ] [ 0 ] [ 1 ] [ 1 ] ...     node -> node of the parent; in the order of creation, parents first
///     changed_  [  0   ] [ 1 ] [ 0 ] ...
///     places_   [&I, &I] [&local, &world] ...      empty again when rows have moved
///     update()  for each node: if it or its parent has changed: list it
///               for each in the list: world = world of the parent * local
///
/// It does what a world does with its trees: a node gets a parent that was added before it, and has no children when it
/// is removed. Removed nodes stay as holes until they are a quarter of all.
template <class Tables, class Local, class World>
class PlainHierarchy {
  using Entity = typename Tables::entity_type;
  using Number = std::uint32_t;
  static constexpr Number origin = 0;

 public:
  explicit PlainHierarchy(Tables& tables) : tables_(tables) { clear(); }

  void reserve(std::size_t nodes) {
    parents_.reserve(nodes + 1);
    changed_.reserve(nodes + 1);
    places_.reserve(nodes + 1);
    owners_.reserve(nodes + 1);
    list_.reserve(nodes + 1);
  }
  void add(Entity entity) {
    const EntityIndex index = Tables::index_of(entity);
    if (index >= numbers_.size()) numbers_.resize(index + index / 2 + 1);
    numbers_[index] = static_cast<Number>(parents_.size());
    parents_.push_back(origin);
    changed_.push_back(1);
    places_.push_back({});
    owners_.push_back({entity, true});
  }
  void attach(Entity child, Entity parent) {
    const Number number = number_of(child);
    parents_[number] = number_of(parent);
    changed_[number] = 1;
  }
  template <class Children>
  void remove(Entity entity, Children) {
    const Number number = number_of(entity);
    parents_[number] = origin;
    changed_[number] = 0;
    owners_[number].is_there = false;
    ++holes_;
  }
  void touch(Entity entity) { changed_[number_of(entity)] = 1; }
  void touch_all() {
    for (std::size_t i = 0; i < owners_.size(); ++i) changed_[i] |= owners_[i].is_there ? 1 : 0;
  }

  void update() {
    if (holes_ > parents_.size() / 4) close_holes();
    if (std::exchange(moves_, tables_.moves()) != tables_.moves()) forget_places();
    list_.resize(parents_.size());
    compose(list_.data(), list_changed(parents_.size(), parents_.data(), changed_.data(), list_.data()));
    std::ranges::fill(changed_, 0);
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown sum;
    const auto add = [&sum](const auto&... arrays) { (add_array(sum, arrays, &MemoryBreakdown::index_bytes), ...); };
    add(parents_, changed_, places_, owners_, list_, numbers_);
    return sum;
  }
  void clear() {
    parents_.assign(1, origin);
    changed_.assign(1, 0);
    owners_.assign(1, {});
    places_.assign(1, {});
    forget_places();
    holes_ = 0;
  }

 private:
  struct Owner {
    Entity entity{};
    bool is_there = false;
  };
  struct Places {
    const Local* local = nullptr;
    World* world = nullptr;
  };

  [[nodiscard]] Number number_of(Entity entity) const noexcept { return numbers_[Tables::index_of(entity)]; }
  /// Returns how many there are. Has no branch, because a processor cannot predict which nodes move.
  [[nodiscard]] static std::size_t list_changed(std::size_t count, const Number* parents, std::uint8_t* changed,
                                                Number* list) noexcept {
    std::size_t listed = 0;
    for (std::size_t i = 1; i < count; ++i) {
      const std::uint8_t is_changed = changed[i] | changed[parents[i]];
      changed[i] = is_changed;
      list[listed] = static_cast<Number>(i);
      listed += is_changed;
    }
    return listed;
  }
  void compose(const Number* list, std::size_t count) noexcept {
    const Number* const parents = parents_.data();
    Number known = origin;
    ParentWorld above(identity_.matrix);
    for (std::size_t i = 0; i < count; ++i) {
      const Number number = list[i];
      const Places at = places_of(number);
      if (parents[number] != known) {
        known = parents[number];
        above = ParentWorld(places_of(known).world->matrix);
      }
      above.times(at.local->matrix, at.world->matrix);
    }
  }
  [[nodiscard]] Places places_of(Number number) noexcept {
    Places& places = places_[number];
    if (places.world == nullptr) {
      const auto [local, world] = tables_.template find<Local, World>(owners_[number].entity);
      places = {local, world};
    }
    return places;
  }
  void forget_places() noexcept {
    std::ranges::fill(places_, Places{});
    places_[origin].world = &identity_;
  }
  void close_holes() {
    list_.resize(parents_.size());
    list_[origin] = origin;
    Number end = 1;
    for (Number number = 1; number < parents_.size(); ++number) {
      if (!owners_[number].is_there) continue;
      list_[number] = end;  // where it goes
      numbers_[Tables::index_of(owners_[number].entity)] = end;
      parents_[end] = list_[parents_[number]];
      changed_[end] = changed_[number];
      places_[end] = places_[number];
      owners_[end++] = owners_[number];
    }
    parents_.resize(end);
    changed_.resize(end);
    places_.resize(end);
    owners_.resize(end);
    holes_ = 0;
  }

  Tables& tables_;
  std::vector<Number> parents_;
  std::vector<std::uint8_t> changed_;
  std::vector<Places> places_;
  std::vector<Owner> owners_;
  std::vector<Number> list_;     ///< of the nodes that an update computes
  std::vector<Number> numbers_;  ///< by the index of an entity
  std::size_t holes_ = 0;
  std::uint64_t moves_ = 0;  ///< of the tables when places were found
  World identity_{decltype(World::matrix)(1.0F)};
};

}  // namespace stowage::workloads::game
