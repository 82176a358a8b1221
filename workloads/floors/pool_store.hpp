#pragma once

// Pools as a careful engineer writes them: a packed array per component, and a slot for each entity and component.

#include <stowage/contract/memory.hpp>

#include "workloads/floors/rows.hpp"
#include "workloads/floors/slot_table.hpp"

namespace stowage::workloads {

///     slots_   A: [handle^row] [handle^row ] ...            by entity, an array per component
///              B: [handle^row] [handle^none] ...
///     pools_   A: [ S0 S1 ... | A0 A1 ... ]                 row -> slot and component, one allocation
///              B: [ S0 ...    | B0 ...    ]
///
/// The contract floor of pools (see packed_store.hpp). A lookup or a change reads the slot of its component alone.
template <class... Cs>
class PoolStore {
  using Slots = SlotTable<sizeof...(Cs)>;
  static constexpr std::uint32_t no_row = Slots::none;
  template <class Q>
  static constexpr std::size_t number = number_in<std::remove_const_t<Q>, Cs...>;
  template <class C>
  static constexpr bool holds = (std::is_same_v<C, Cs> || ...);

 public:
  using entity_type = Entity;

  template <class... New>
  Entity create(const New&... components) {
    const Entity entity = slots_.add();
    (add(entity.index(), components), ...);
    ++size_;
    return entity;
  }

  bool destroy(Entity entity) {
    if (!slots_.alive(entity)) return false;
    (take_out<Cs>(slots_.template place<number<Cs>>(entity.index())), ...);
    slots_.remove(entity);
    --size_;
    return true;
  }

  [[nodiscard]] bool alive(Entity entity) const noexcept { return slots_.alive(entity); }

  /// Throws std::out_of_range for a stale handle, std::bad_alloc.
  template <class C, class... Arguments>
    requires holds<C>
  C& emplace(Entity entity, Arguments&&... arguments) {
    const std::uint64_t row = slots_.template difference<number<C>>(entity);
    if (row > no_row) refuse_stale_handle();
    const C made{std::forward<Arguments>(arguments)...};
    if (row == no_row) return add(entity.index(), made);
    return column<C>()[row] = made;
  }

  template <class C>
  bool remove(Entity entity) {
    const std::uint32_t row = slots_.template find<number<C>>(entity);
    if (row == no_row) return false;
    slots_.template set_place<number<C>>(entity.index(), no_row);
    take_out<C>(row);
    return true;
  }

  template <class... Qs>
  [[nodiscard]] Found<Qs...> find(Entity entity) const noexcept {
    return [&](auto*... columns) {  // which are there before the tests, so that a loop of lookups keeps them
      return Found<Qs...>{at(columns, slots_.template difference<number<Qs>>(entity))...};
    }(column<Qs>()...);
  }

  /// One packed array, or the first of several, and of the others what its entities have.
  template <class First, class... Rest, class Visit>
  void each(Visit&& visit) const {
    const std::size_t count = pool<First>().size;
    First* const components = column<First>();
    const std::uint32_t* const owners = pool<First>().owners();
    const auto entity_of = [this, owners](std::size_t row) { return slots_.entity(owners[row]); };
    if constexpr (sizeof...(Rest) == 0) {
      for (std::size_t row = 0; row < count; ++row) show(visit, [&] { return entity_of(row); }, components[row]);
    } else {
      const auto look_up = [&, columns = std::tuple(column<Rest>()...)](std::size_t row) {
        return std::apply(
            [&](auto*... rest) { return std::tuple(at(rest, slots_.template place<number<Rest>>(owners[row]))...); },
            columns);
      };
      const auto has_all = [](const auto& found) {
        return std::apply([](auto*... rest) { return ((rest != nullptr) && ...); }, found);
      };
      using Found = decltype(look_up(0));
      std::size_t row = 0;
      Found found{};
      while (row < count && !has_all(found = look_up(row))) ++row;
      if (row == count) return;
      for (std::size_t ahead = row + 1;; ++ahead) {  // looked up before `visit` writes: no lookup waits for that
        const bool is_last = ahead == count;
        Found next{};
        if (!is_last && !has_all(next = look_up(ahead))) continue;
        std::apply([&](auto*... rest) { show(visit, [&] { return entity_of(row); }, components[row], *rest...); },
                   found);
        if (is_last) return;
        row = ahead;
        found = next;
      }
    }
  }

  template <class C>
  [[nodiscard]] std::size_t count() const noexcept {
    if constexpr (holds<C>) return pool<C>().size;
    return 0;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  template <class... Reserved>
  void reserve(std::size_t count) {
    slots_.reserve(count);
    (pool<Reserved>().make_room(count), ...);
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes{.payload_bytes = ((count<Cs>() * sizeof(Cs)) + ...),
                          .index_bytes = slots_.used_bytes() + ((count<Cs>() * sizeof(std::uint32_t)) + ...),
                          .allocations = slots_.allocations() + (pool<Cs>().allocations() + ...)};
    const std::size_t held = slots_.held_bytes() + (pool<Cs>().held_bytes() + ...);
    bytes.slack_bytes = held - bytes.payload_bytes - bytes.index_bytes;
    return bytes;
  }

 private:
  template <class Q>
  [[nodiscard]] auto& pool() noexcept {
    return std::get<number<Q>>(pools_);
  }
  template <class Q>
  [[nodiscard]] const auto& pool() const noexcept {
    return std::get<number<Q>>(pools_);
  }
  template <class Q>
  [[nodiscard]] Q* column() const noexcept {
    return pool<Q>().template column<Q>();
  }
  template <class Q>
  [[nodiscard]] static Q* at(Q* components, std::uint64_t row) noexcept {
    return row < no_row ? not_null(components + row) : nullptr;
  }

  template <class C>
  C& add(std::uint32_t slot, const C& component) {
    ColumnRows<C>& into = pool<C>();
    into.make_room_for_one();
    const auto row = static_cast<std::uint32_t>(into.size++);
    slots_.template set_place<number<C>>(slot, row);
    into.owners()[row] = slot;
    return column<C>()[row] = component;
  }
  /// The last row moves into the hole.
  template <class C>
  void take_out(std::uint32_t row) noexcept {
    if (row == no_row) return;
    ColumnRows<C>& from = pool<C>();
    const std::size_t last = --from.size;
    if (row == last) return;
    const std::uint32_t owner = from.owners()[row] = from.owners()[last];
    slots_.template set_place<number<C>>(owner, row);
    from.put_from(from, last, row);
  }

  Slots slots_;
  std::tuple<ColumnRows<Cs>...> pools_;
  std::size_t size_ = 0;
};

}  // namespace stowage::workloads
