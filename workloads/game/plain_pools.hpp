#pragma once

// The yardstick of structural changes: hand-written pools, because tables move all that an entity has.

#include <stowage/contract/assert.hpp>
#include <stowage/contract/component.hpp>
#include <stowage/contract/schema.hpp>

#include "workloads/game/plain_commands.hpp"
#include "workloads/game/plain_handles.hpp"
#include "workloads/game/plain_hierarchy.hpp"

namespace stowage::workloads::game {

struct PlaceInPools {
  std::uint32_t row;  ///< of a dead entity: the next dead one
};

///     a pool for each component     rows        entity -> row
///                                   owners      [ e ] [ e ] ...
///                                   components  [ C ] [ C ] ...     the last one fills a hole
template <class SchemaType, bool IsContract>
class PlainPools : public PlainHandles<IsContract, PlaceInPools> {
  using Base = PlainHandles<IsContract, PlaceInPools>;
  using Base::none, Base::slots_;

 public:
  using Base::alive, Base::index_of;
  using typename Base::entity_type;
  template <class Local, class World>
  using hierarchy_type = PlainHierarchy<PlainPools, Local, World>;
  using commands_type = PlainCommands<PlainPools, typename SchemaType::components>;

  /// See PlainTables.
  template <class List, class Fill>
  entity_type create_of(List, const std::uint64_t*, Fill&& fill) {
    const EntityIndex index = this->new_index();
    if (index >= room_) make_room();
    fill([&]<class C, class Component>(TypeList<C>, Component&& component) {
      add(pool<C>(), index, std::forward<Component>(component));
    });
    ++size_;
    return this->handle_of(index);
  }
  bool destroy(entity_type entity) {
    if (!alive(entity)) return false;
    const EntityIndex index = index_of(entity);
    for_each_pool([&](auto& pool) {
      if (pool.rows[index] != none) take(pool, index);
    });
    this->free_index(index);
    --size_;
    return true;
  }

  template <class... Cs>
  [[nodiscard]] auto find(entity_type entity) noexcept {
    using Found =
        std::conditional_t<sizeof...(Cs) == 1, stowage::detail::element_at<0, TypeList<Cs*...>>, std::tuple<Cs*...>>;
    if (!alive(entity)) return Found{};
    return Found{address(pool<Cs>(), index_of(entity))...};
  }
  template <class C>
  void emplace(entity_type entity, auto&& component) {
    if (!alive(entity)) return;
    if (C* const found = address(pool<C>(), index_of(entity))) {
      if constexpr (!is_tag<C>) *found = std::forward<decltype(component)>(component);
    } else {
      add(pool<C>(), index_of(entity), std::forward<decltype(component)>(component));
    }
  }
  template <class C>
  bool remove(entity_type entity) {
    if (!alive(entity) || pool<C>().rows[index_of(entity)] == none) return false;
    take(pool<C>(), index_of(entity));
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::uint64_t moves() const noexcept { return moves_; }
  void clear() noexcept {
    for_each_pool([](auto& pool) {
      for (const EntityIndex owner : pool.owners) pool.rows[owner] = none;
      pool.owners.clear();
      pool.components.clear();
    });
    this->free_all();
    size_ = 0;
    ++moves_;
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown sum;
    add_array(sum, slots_, &MemoryBreakdown::index_bytes);
    for_each_pool(
        [&sum](const auto& pool) {
          add_array(sum, pool.rows, &MemoryBreakdown::index_bytes);
          add_array(sum, pool.owners, &MemoryBreakdown::index_bytes);
          add_array(sum, pool.components, &MemoryBreakdown::payload_bytes);
        },
        *this);
    return sum;
  }

 private:
  template <class C>
  struct Pool {
    std::vector<std::uint32_t> rows;
    std::vector<EntityIndex> owners;
    std::vector<C> components;  ///< none of a tag
  };
  template <class... Cs>
  static auto pools_of(TypeList<Cs...>) -> std::tuple<Pool<Cs>...>;

  template <class C>
  [[nodiscard]] Pool<C>& pool() noexcept {
    return std::get<stowage::detail::component_id<C, SchemaType>>(pools_);
  }
  template <class Fn>
  void for_each_pool(Fn&& fn) {
    for_each_pool(fn, *this);
  }
  template <class Fn, class Self>
  static void for_each_pool(Fn&& fn, Self& self) {
    std::apply([&fn](auto&... pools) { (fn(pools), ...); }, self.pools_);
  }

  template <class C>
  [[nodiscard]] static C* address(Pool<C>& pool, EntityIndex index) noexcept {
    const std::uint32_t row = pool.rows[index];
    if (row == none) return nullptr;
    if constexpr (is_tag<C>) {
      return &stowage::detail::tag_instance<C>;
    } else {
      return &pool.components[row];
    }
  }
  template <class C, class Component>
  void add(Pool<C>& pool, EntityIndex index, [[maybe_unused]] Component&& component) {
    if (pool.owners.size() == pool.owners.capacity()) grow(pool);
    pool.rows[index] = static_cast<std::uint32_t>(pool.owners.size());
    pool.owners.push_back(index);
    if constexpr (!is_tag<C>) pool.components.push_back(std::forward<Component>(component));
  }
  template <class C>
  STOWAGE_NOINLINE void grow(Pool<C>& pool) {
    const std::size_t capacity = this->grown(pool.owners.size(), pool.owners.size() + 1);
    pool.owners.reserve(capacity);
    if constexpr (!is_tag<C>) pool.components.reserve(capacity);
    ++moves_;
  }
  template <class C>
  void take(Pool<C>& pool, EntityIndex index) noexcept {
    const std::uint32_t row = std::exchange(pool.rows[index], none);
    const EntityIndex moved = pool.owners.back();
    if (moved != index) {
      pool.owners[row] = moved;
      pool.rows[moved] = row;
      if constexpr (!is_tag<C>) pool.components[row] = std::move(pool.components.back());
    }
    pool.owners.pop_back();
    if constexpr (!is_tag<C>) pool.components.pop_back();
    ++moves_;
  }
  void make_room() {
    room_ = slots_.capacity();
    for_each_pool([this](auto& pool) { pool.rows.resize(room_, none); });
  }

  decltype(pools_of(typename SchemaType::components{})) pools_;
  std::size_t room_ = 0;  ///< entities that the pools have rows for
  std::size_t size_ = 0;
  std::uint64_t moves_ = 0;
};

}  // namespace stowage::workloads::game
