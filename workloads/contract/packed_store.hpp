#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>

namespace stowage::workloads {

/// What a careful engineer writes for entities that all have the same components and come and go: a packed array for
/// each component, the last row moves into a hole, and a slot table with generations whose free slots are chained.
///
///     slots_    [gen|row] [gen|next free] [gen|row] ...     handle = slot + generation
///     owners_   [slot   ] [slot         ] ...               row -> slot
///     columns_  [ A0 A1 ... ] [ B0 B1 ... ]                 row -> components
///
/// The yardstick of the workloads in which a population changes: it has the members of a storage that they use, and
/// none of what makes a storage general.
template <class... Cs>
class PackedStore {
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

 public:
  using entity_type = Entity;

  Entity create(const Cs&... components) {
    const std::uint32_t slot = take_slot();
    slots_[slot].row_or_next = static_cast<std::uint32_t>(owners_.size());
    owners_.push_back(slot);
    (column<Cs>().push_back(components), ...);
    return {slot, slots_[slot].generation};
  }

  void create(std::span<Entity> out, std::span<const Cs>... columns) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = create(columns[i]...);
  }

  bool destroy(Entity entity) {
    if (!alive(entity)) return false;
    const std::uint32_t row = slots_[entity.index()].row_or_next;
    slots_[owners_[row] = owners_.back()].row_or_next = row;
    owners_.pop_back();
    (fill_hole(column<Cs>(), row), ...);
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
    return {&std::get<std::vector<Queried>>(columns_)[row]...};
  }

  template <class... Queried, class Visit>
  void each(Visit&& visit) const {
    for (std::size_t row = 0; row < owners_.size(); ++row) {
      visit(std::get<std::vector<std::remove_const_t<Queried>>>(columns_)[row]...);
    }
  }

  /// Ends every life and keeps the memory; every slot is free, with its next generation. Not clear(), which is what a
  /// storage is emptied by where it is asked what it holds on to.
  void end_all() noexcept {
    owners_.clear();
    (column<Cs>().clear(), ...);
    first_free_ = no_slot;
    for (std::size_t slot = slots_.size(); slot-- != 0;) {
      slots_[slot] = {slots_[slot].generation + 1, first_free_};
      first_free_ = static_cast<std::uint32_t>(slot);
    }
  }

  template <class... Reserved>
  void reserve(std::size_t count) {
    slots_.reserve(count);
    owners_.reserve(count);
    (column<Reserved>().reserve(count), ...);
  }

  [[nodiscard]] std::size_t size() const noexcept { return owners_.size(); }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t payload = (0 + ... + (owners_.size() * sizeof(Cs)));
    const std::size_t index = slots_.size() * sizeof(Slot) + owners_.size() * sizeof(std::uint32_t);
    const std::size_t held = bytes_of(slots_) + bytes_of(owners_) + (0 + ... + bytes_of(column<Cs>()));
    return {.payload_bytes = payload,
            .index_bytes = index,
            .slack_bytes = held - payload - index,
            .allocations = blocks_of(slots_) + blocks_of(owners_) + (0 + ... + blocks_of(column<Cs>()))};
  }

 private:
  struct Slot {
    std::uint32_t generation = 0;
    std::uint32_t row_or_next = 0;
  };

  template <class T>
  [[nodiscard]] static std::size_t bytes_of(const std::vector<T>& array) noexcept {
    return array.capacity() * sizeof(T);
  }
  template <class T>
  [[nodiscard]] static std::size_t blocks_of(const std::vector<T>& array) noexcept {
    return array.capacity() != 0 ? 1 : 0;
  }
  template <class T>
  static void fill_hole(std::vector<T>& array, std::uint32_t row) {
    array[row] = array.back();
    array.pop_back();
  }

  template <class C>
  [[nodiscard]] std::vector<C>& column() noexcept {
    return std::get<std::vector<C>>(columns_);
  }
  template <class C>
  [[nodiscard]] const std::vector<C>& column() const noexcept {
    return std::get<std::vector<C>>(columns_);
  }

  std::uint32_t take_slot() {
    if (first_free_ == no_slot) {
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    return std::exchange(first_free_, slots_[first_free_].row_or_next);
  }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> owners_;
  std::tuple<std::vector<Cs>...> columns_;
  std::uint32_t first_free_ = no_slot;
};

}  // namespace stowage::workloads
