#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/type_list.hpp>

#include "workloads/support/packed_store.hpp"
#include "workloads/support/slot_table.hpp"
#include "workloads/support/stored_array.hpp"

namespace stowage::workloads {

/// What a careful engineer writes for components that come and go: a packed array for each, and a slot for each entity
/// that has its generation and a row in every array, side by side, so that one line tells all of an entity.
///
///     slots_   [gen|rowA|rowB] [gen|rowA| -- ] ...      handle = slot + generation
///     pools_   A: [ S0 S2 ... ] [ A0 A2 ... ]           row -> slot, row -> component
///              B: [ S0 S1 ... ] [ B0 B1 ... ]
///
/// The contract floor of pools (see packed_store.hpp): a general storage cannot have a slot as wide as there are
/// component types.
template <class... Cs>
class PoolStore {
  static constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();
  using Rows = std::array<std::uint32_t, sizeof...(Cs)>;
  template <class Q>
  static constexpr std::size_t number = stowage::detail::position_of<std::remove_const_t<Q>, Cs...>();
  template <class C>
  static constexpr bool holds = (std::is_same_v<C, Cs> || ...);

 public:
  using entity_type = Entity;

  template <class... New>
  Entity create(const New&... components) {
    Rows rows;
    rows.fill(no_row);
    const Entity entity = slots_.add(rows);
    (add(entity.index(), components), ...);
    ++size_;
    return entity;
  }

  bool destroy(Entity entity) {
    const Rows* const rows = slots_.find(entity);
    if (rows == nullptr) return false;
    (((*rows)[number<Cs>] != no_row ? take_out<Cs>((*rows)[number<Cs>]) : void()), ...);
    slots_.remove(entity);
    --size_;
    return true;
  }

  [[nodiscard]] bool alive(Entity entity) const noexcept { return slots_.alive(entity); }

  /// The entity must be alive.
  template <class C, class... Arguments>
    requires holds<C>
  C& emplace(Entity entity, Arguments&&... arguments) {
    const std::uint32_t row = slots_.place(entity.index())[number<C>];
    const C made{std::forward<Arguments>(arguments)...};
    if (row == no_row) return add(entity.index(), made);
    return pool<C>().components[row] = made;
  }

  template <class C>
  bool remove(Entity entity) {
    Rows* const rows = slots_.find(entity);
    if (rows == nullptr || (*rows)[number<C>] == no_row) return false;
    take_out<C>(std::exchange((*rows)[number<C>], no_row));
    return true;
  }

  template <class... Qs>
  [[nodiscard]] Found<Qs...> find(Entity entity) noexcept {
    const Rows* const rows = slots_.find(entity);
    if (rows == nullptr) return {};
    return Found<Qs...>{at<Qs>(*rows)...};
  }

  /// One packed array, or the first of several, and of the others what its entities have.
  template <class First, class... Rest, class Visit>
  void each(Visit&& visit) {
    auto& driver = pool<First>();
    const std::size_t count = driver.components.size();
    First* const components = driver.components.data();
    if constexpr (sizeof...(Rest) == 0) {
      for (std::size_t row = 0; row < count; ++row) visit(components[row]);
    } else {
      const std::uint32_t* const owners = driver.owners.data();
      for (std::size_t row = 0; row < count; ++row) {
        const Rows& rows = slots_.place(owners[row]);
        const std::tuple<Rest*...> found{at<Rest>(rows)...};
        std::apply([&](auto*... rest) { ((rest != nullptr) && ...) ? visit(components[row], *rest...) : void(); },
                   found);
      }
    }
  }

  template <class C>
  [[nodiscard]] std::size_t count() const noexcept {
    if constexpr (holds<C>) return pool<C>().components.size();
    return 0;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  template <class... Reserved>
  void reserve(std::size_t count) {
    slots_.reserve(count);
    ((pool<Reserved>().owners.reserve(count), pool<Reserved>().components.reserve(count)), ...);
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes{.payload_bytes = ((count<Cs>() * sizeof(Cs)) + ...),
                          .index_bytes = slots_.used_bytes() + ((count<Cs>() * sizeof(std::uint32_t)) + ...),
                          .slack_bytes = 0,
                          .allocations = slots_.allocations()};
    std::size_t held = slots_.held_bytes();
    const auto add = [&](const auto& array) {
      held += array.capacity() * sizeof array[0];
      bytes.allocations += array.capacity() != 0 ? 1 : 0;
    };
    ((add(pool<Cs>().owners), add(pool<Cs>().components)), ...);
    bytes.slack_bytes = held - bytes.payload_bytes - bytes.index_bytes;
    return bytes;
  }

 private:
  template <class C>
  struct Pool {
    StoredArray<std::uint32_t> owners;
    StoredArray<C> components;
  };

  template <class Q>
  [[nodiscard]] auto& pool() noexcept {
    return std::get<number<Q>>(pools_);
  }
  template <class Q>
  [[nodiscard]] const auto& pool() const noexcept {
    return std::get<number<Q>>(pools_);
  }
  template <class Q>
  [[nodiscard]] Q* at(const Rows& rows) noexcept {
    Q* const components = pool<Q>().components.data();
    return rows[number<Q>] != no_row ? components + rows[number<Q>] : nullptr;
  }

  template <class C>
  C& add(std::uint32_t slot, const C& component) {
    Pool<C>& into = pool<C>();
    slots_.place(slot)[number<C>] = static_cast<std::uint32_t>(into.components.size());
    into.owners.push_back(slot);
    into.components.push_back(component);
    return into.components.back();
  }
  /// The last row moves into the hole.
  template <class C>
  void take_out(std::uint32_t row) noexcept {
    Pool<C>& from = pool<C>();
    const std::uint32_t last = static_cast<std::uint32_t>(from.components.size() - 1);
    if (row != last) {
      const std::uint32_t owner = from.owners[row] = from.owners[last];
      slots_.place(owner)[number<C>] = row;
      from.components[row] = from.components[last];
    }
    from.owners.pop_back();
    from.components.pop_back();
  }

  SlotTable<Rows> slots_;
  std::tuple<Pool<Cs>...> pools_;
  std::size_t size_ = 0;
};

}  // namespace stowage::workloads
