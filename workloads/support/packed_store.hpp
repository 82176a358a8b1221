#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/parts/layout/columns.hpp>

#include "workloads/support/stored_array.hpp"

namespace stowage::workloads {

/// What a careful engineer writes for entities that all have the same components, under churn: a packed array for
/// each component, the last row moves into a hole, and a slot table with generations whose free slots are chained.
///
///     slots_    [gen|row] [gen|next free] [gen|row] ...     handle = slot + generation
///     columns_  [ S0 S1 ... | A0 A1 ... | B0 B1 ... ]       row -> slot and components, one allocation
///
/// The yardstick of the workloads in which a population changes: it has the members of a storage that they use, and
/// none of what makes a storage general.
template <class... Cs>
class PackedStore {
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t fewest_rows = 16;

 public:
  using entity_type = Entity;

  Entity create(const Cs&... components) {
    if (size_ == columns_.capacity()) make_room(std::max(fewest_rows, 2 * size_));
    const std::uint32_t slot = take_slot();
    slots_[slot].row_or_next = static_cast<std::uint32_t>(size_);
    columns_.keys()[size_] = slot;
    (columns_.template construct<Cs>(size_, components), ...);
    ++size_;
    return {slot, slots_[slot].generation};
  }

  void create(std::span<Entity> out, std::span<const Cs>... columns) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = create(columns[i]...);
  }

  bool destroy(Entity entity) {
    if (!alive(entity)) return false;
    const std::uint32_t row = slots_[entity.index()].row_or_next;
    --size_;
    const std::uint32_t moved = columns_.keys()[row] = columns_.keys()[size_];
    slots_[moved].row_or_next = row;
    ((cursor<Cs>()[row] = cursor<Cs>()[size_]), ...);
    slots_[entity.index()] = {entity.generation() + 1, first_free_};
    first_free_ = entity.index();
    return true;
  }

  [[nodiscard]] bool alive(Entity entity) const noexcept {
    return entity.index() < slots_.size() && slots_[entity.index()].generation == entity.generation();
  }

  template <class... Queried>
  [[nodiscard]] std::tuple<const Queried*...> find(Entity entity) const noexcept {
    if (!alive(entity)) return {};
    const std::uint32_t row = slots_[entity.index()].row_or_next;
    return {&cursor<const Queried>()[row]...};
  }

  template <class... Queried, class Visit>
  void each(Visit&& visit) const {
    for (std::size_t row = 0; row < size_; ++row) visit(cursor<const Queried>()[row]...);
  }

  /// Ends every life and keeps the memory; every slot is free, with its next generation. Not called clear(), because
  /// the memory pass calls that to measure what a storage keeps.
  void end_all() noexcept {
    size_ = 0;
    first_free_ = no_slot;
    for (std::size_t slot = slots_.size(); slot-- != 0;) {
      slots_[slot] = {slots_[slot].generation + 1, first_free_};
      first_free_ = static_cast<std::uint32_t>(slot);
    }
  }

  template <class... Reserved>
  void reserve(std::size_t count) {
    slots_.reserve(count);
    make_room(count);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t payload = (0 + ... + (size_ * sizeof(Cs)));
    const std::size_t index = slots_.size() * sizeof(Slot) + size_ * sizeof(std::uint32_t);
    const std::size_t held = slots_.capacity() * sizeof(Slot) + columns_.held_bytes();
    return {.payload_bytes = payload,
            .index_bytes = index,
            .slack_bytes = held - payload - index,
            .allocations = (slots_.capacity() != 0 ? 1u : 0u) + columns_.allocations()};
  }

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t row_or_next = 0;
  };

  template <class Q>
  [[nodiscard]] auto cursor() const noexcept {
    return columns_.template cursor<Q>();
  }

  void make_room(std::size_t rows) {
    if (rows > columns_.capacity()) columns_.reallocate(rows, size_);
  }

  std::uint32_t take_slot() {
    if (first_free_ == no_slot) {
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    return std::exchange(first_free_, slots_[first_free_].row_or_next);
  }

  StoredArray<Slot> slots_;
  parts::Columns<std::uint32_t, Cs...> columns_;
  std::size_t size_ = 0;
  std::uint32_t first_free_ = no_slot;
};

}  // namespace stowage::workloads
