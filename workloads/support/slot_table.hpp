#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include <stowage/contract/entity.hpp>

#include "workloads/support/stored_array.hpp"

namespace stowage::workloads {

/// What every hand-written store begins with: a generation and a place for each entity, side by side, and free slots
/// chained through their places.
///
///     [gen|place] [gen|next free] [gen|place] ...  | [gen] [gen] ...      handle = slot + generation
///                                                  ^ used_: slots from here on wait for their first or next life
///
/// `Place` says where the components of an entity are, in 4 bytes or more.
template <class Place>
class SlotTable {
  static_assert(std::is_trivially_copyable_v<Place> && sizeof(Place) >= sizeof(std::uint32_t));
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  struct Slot {
    std::uint32_t generation = 0;
    Place place{};
  };

 public:
  Entity add(const Place& place) {
    std::uint32_t index = first_free_;
    if (index != none) {
      std::memcpy(&first_free_, &slots_[index].place, sizeof first_free_);
    } else {
      index = used_++;
      if (index == slots_.size()) slots_.emplace_back();
    }
    Slot& slot = slots_[index];
    slot.place = place;
    return {index, slot.generation};
  }

  /// Entities whose places are `first`, `first + 1` and so on; `owners` gets their slots.
  void add(std::span<Entity> out, Place first, std::uint32_t* owners) {
    std::size_t done = 0;
    for (; done < out.size() && first_free_ != none; ++done) {
      out[done] = add(static_cast<Place>(first + done));
      owners[done] = out[done].index();
    }
    const std::uint32_t fresh = used_;
    const auto left = static_cast<std::uint32_t>(out.size() - done);
    used_ += left;
    if (used_ > slots_.size()) slots_.resize(used_);
    Slot* const slots = slots_.data() + fresh;
    Entity* const handles = out.data() + done;
    for (std::uint32_t i = 0; i < left; ++i) {
      slots[i].place = first + static_cast<Place>(done) + i;
      handles[i] = {fresh + i, slots[i].generation};
      owners[done + i] = fresh + i;
    }
  }

  [[nodiscard]] bool alive(Entity entity) const noexcept { return find(entity) != nullptr; }
  /// Null for a stale handle.
  [[nodiscard]] const Place* find(Entity entity) const noexcept {
    const Slot* const slots = slots_.data();
    if (entity.index() >= used_) return nullptr;
    const Slot& slot = slots[entity.index()];
    return slot.generation == entity.generation() ? &slot.place : nullptr;
  }
  [[nodiscard]] Place* find(Entity entity) noexcept {
    return const_cast<Place*>(static_cast<const SlotTable&>(*this).find(entity));
  }
  /// Of a slot that is alive.
  [[nodiscard]] Place& place(std::uint32_t index) noexcept { return slots_[index].place; }

  /// Of an entity that is alive.
  void remove(Entity entity) noexcept {
    Slot& slot = slots_[entity.index()];
    ++slot.generation;
    std::memcpy(&slot.place, &first_free_, sizeof first_free_);
    first_free_ = entity.index();
  }
  /// Ends every life and keeps the memory.
  void end_all() noexcept {
    Slot* const slots = slots_.data();
    for (std::uint32_t i = 0; i < used_; ++i) ++slots[i].generation;
    used_ = 0;
    first_free_ = none;
  }
  void reserve(std::size_t count) { slots_.reserve(count); }

  [[nodiscard]] std::size_t used_bytes() const noexcept { return used_ * sizeof(Slot); }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return slots_.capacity() * sizeof(Slot); }
  [[nodiscard]] std::size_t allocations() const noexcept { return slots_.capacity() != 0 ? 1 : 0; }

 private:
  StoredArray<Slot> slots_;
  std::uint32_t used_ = 0;
  std::uint32_t first_free_ = none;
};

}  // namespace stowage::workloads
