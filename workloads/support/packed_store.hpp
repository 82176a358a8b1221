#pragma once

// Packed rows as a careful engineer writes them for entities that all have the same components: a contract floor.

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/type_list.hpp>
#include <stowage/parts/layout/columns.hpp>
#include <stowage/parts/layout/interleaved.hpp>
#include <stowage/parts/layout/rows.hpp>
#include <stowage/parts/loop.hpp>

#include "workloads/support/slot_table.hpp"

namespace stowage::workloads {

/// What `find` gives: a pointer, or a tuple of several, null if there is nothing.
template <class... Queried>
using Found = std::conditional_t<sizeof...(Queried) == 1, stowage::detail::element_at<0, TypeList<Queried*...>>,
                                 std::tuple<Queried*...>>;

/// A packed array for each component, of which the last row moves into a hole, and a slot table with generations
/// (slot_table.hpp).
///
///     slots_    [handle^row] [handle^row] ...               slot -> row
///     columns_  [ S0 S1 ... | A0 A1 ... | B0 B1 ... ]       row -> slot and components, one allocation
///
/// It keeps the promises of a storage that the workloads ask for, and has none of what makes a storage general. It has
/// the members of a storage that they use, and it grows as strategies do.
template <class Layout, class... Cs>
class PackedRows {
  using Columns = typename Layout::template layout<std::uint32_t, Cs...>;
  static constexpr bool is_scalar = parts::wants_scalar_loop<Columns>;

 public:
  using entity_type = Entity;
  static constexpr std::uint32_t no_row = SlotTable<>::none;

  Entity create(const Cs&... components) {
    if (size_ == columns_.capacity()) make_room(parts::grown_capacity(size_, size_ + 1));
    const Entity entity = slots_.add(static_cast<std::uint32_t>(size_));
    columns_.keys()[size_] = entity.index();
    (columns_.template construct<Cs>(size_, components), ...);
    ++size_;
    return entity;
  }

  void create(std::span<Entity> out, std::span<const Cs>... columns) {
    make_room(size_ + out.size());
    slots_.add(out, static_cast<std::uint32_t>(size_), columns_.keys() + size_);
    if constexpr (requires { columns_.construct_rows(size_, columns...); }) {
      columns_.construct_rows(size_, columns...);
    } else {
      (columns_.template construct_copies<Cs>(size_, columns), ...);
    }
    size_ += out.size();
  }

  /// The same for components that `fill(first row)` writes to where no row is yet. If it says false, there are no
  /// new entities.
  template <class Fill>
  bool create_filled(std::span<Entity> out, Fill&& fill) {
    make_room(size_ + out.size());
    if (!fill(size_)) return false;
    slots_.add(out, static_cast<std::uint32_t>(size_), columns_.keys() + size_);
    size_ += out.size();
    return true;
  }

  bool destroy(Entity entity) {
    const std::uint32_t row = slots_.find(entity);
    if (row == no_row) return false;
    --size_;
    const std::uint32_t moved = columns_.keys()[row] = columns_.keys()[size_];
    slots_.set_place(moved, row);
    ((cursor<Cs>()[row] = cursor<Cs>()[size_]), ...);
    slots_.remove(entity);
    return true;
  }

  [[nodiscard]] bool alive(Entity entity) const noexcept { return slots_.alive(entity); }

  template <class... Queried>
  [[nodiscard]] Found<Queried...> find(Entity entity) const noexcept {
    const std::tuple columns(cursor<Queried>()...);  // read first, so that a loop of lookups keeps them in registers
    const std::uint32_t row = slots_.find(entity);
    if (row == no_row) return {};
    return std::apply([row](auto... column) { return Found<Queried...>{parts::address_of(column, row)...}; }, columns);
  }

  template <class... Queried, class Visit>
  void each(Visit&& visit) const {
    const auto entity_of = [this, owners = owners()](std::size_t row) { return slots_.entity(owners[row]); };
    parts::visit_rows<is_scalar>({0, size_}, visit, entity_of, cursor<Queried>()...);
  }

  /// Ends every life and keeps the memory; every slot is free, with its next generation. Not called clear(), because
  /// the memory pass calls that to measure what a storage keeps.
  void end_all() noexcept {
    size_ = 0;
    slots_.end_all();
  }

  template <class... Reserved>
  void reserve(std::size_t count) {
    slots_.reserve(count);
    make_room(count);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// By row: the slot of each entity, and its component.
  [[nodiscard]] const std::uint32_t* owners() const noexcept { return columns_.keys(); }
  /// A pointer to the components, or what stands for one if they do not lie side by side.
  template <class C>
  [[nodiscard]] auto column() const noexcept {
    return cursor<C>();
  }
  /// `no_row` of a stale handle.
  [[nodiscard]] std::uint32_t row_of(Entity entity) const noexcept { return slots_.find(entity); }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t payload = (0 + ... + (size_ * sizeof(Cs)));
    const std::size_t index = slots_.used_bytes() + size_ * sizeof(std::uint32_t);
    const std::size_t held = slots_.held_bytes() + columns_.held_bytes();
    return {.payload_bytes = payload,
            .index_bytes = index,
            .slack_bytes = held - payload - index,
            .allocations = slots_.allocations() + columns_.allocations()};
  }

 private:
  template <class Q>
  [[nodiscard]] auto cursor() const noexcept {
    return columns_.template cursor<Q>();
  }

  void make_room(std::size_t rows) {
    if (rows > columns_.capacity()) columns_.reallocate(rows, size_);
  }

  SlotTable<> slots_;
  Columns columns_;
  std::size_t size_ = 0;
};

template <class... Cs>
using PackedStore = PackedRows<parts::ColumnsLayout, Cs...>;
/// The same with all components of an entity side by side.
template <class... Cs>
using InterleavedStore = PackedRows<parts::InterleavedLayout, Cs...>;

}  // namespace stowage::workloads
