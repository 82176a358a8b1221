#pragma once

// The slots of hand-written stores: what a handle leads to, and whether it is stale.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

#include <stowage/contract/entity.hpp>

#include "workloads/floors/array.hpp"

namespace stowage::workloads {

/// For an operation that a stale handle cannot have.
[[noreturn, gnu::noinline, gnu::cold]] inline void refuse_stale_handle() {
  throw std::out_of_range("the entity is not alive");
}

/// What every hand-written store begins with: for each entity its handle and `Places` places of its components,
/// exclusively ored to a word each. Exclusively ored again with the handle that is looked up, a word leaves the place;
/// of a stale handle it leaves what no place is. So one comparison tells both.
///
///     [handle^place] [next life^next free] [handle^place] ...  | [life] [life] ...
///                                                              ^ used_: slots from here on wait for a life
template <std::size_t Places = 1>
class SlotTable {
  /// In the place of a word: a new place is one store, and a lookup one load of both.
  struct Halves {
    std::uint32_t place = 0;  ///< exclusively ored with the index; of a free slot the next one
    std::uint32_t generation = 0;
  };
  static_assert(std::endian::native == std::endian::little, "a generation is the upper half of a handle");
  using Slot = std::array<Halves, Places>;

 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// All of its places are `place`.
  Entity add(std::uint32_t place = none) {
    std::uint32_t index = first_free_;
    if (index != none) {
      first_free_ = slots_[index][0].place;
    } else {
      index = used_++;
      if (index == slots_.size()) grow(index + std::size_t{1});
    }
    Slot& slot = slots_[index];
    for (Halves& halves : slot) halves.place = index ^ place;
    return {index, slot[0].generation};
  }

  /// Entities whose places are `first`, `first + 1` and so on; `owners` gets their slots.
  void add(std::span<Entity> out, std::uint32_t first, std::uint32_t* owners)
    requires(Places == 1)
  {
    std::uint32_t done = 0;
    for (; done < out.size() && first_free_ != none; ++done) {
      out[done] = add(first + done);
      owners[done] = out[done].index();
    }
    const std::uint32_t fresh = used_;
    const auto left = static_cast<std::uint32_t>(out.size()) - done;
    used_ += left;
    if (used_ > slots_.size()) grow(used_);
    Halves* const slots = slots_.data()->data() + fresh;
    Entity* const handles = out.data() + done;
    owners += done;
    first += done;
    for (std::uint32_t i = 0; i < left; ++i) {
      slots[i].place = (fresh + i) ^ (first + i);
      handles[i] = {fresh + i, slots[i].generation};
    }
    for (std::uint32_t i = 0; i < left; ++i) owners[i] = fresh + i;
  }

  [[nodiscard]] bool alive(Entity entity) const noexcept { return difference(entity) <= none; }
  /// The place of one that is alive; of a stale handle more than `none`.
  [[nodiscard]] std::uint64_t difference(Entity entity, std::size_t which = 0) const noexcept {
    const Slot* const slots = slots_.data();
    if (entity.index() >= used_) return ~std::uint64_t{0};
    return std::bit_cast<std::uint64_t>(slots[entity.index()][which]) ^ entity.word();
  }
  /// `none` of a stale handle, too.
  [[nodiscard]] std::uint32_t find(Entity entity, std::size_t which = 0) const noexcept {
    const std::uint64_t place = difference(entity, which);
    return place < none ? static_cast<std::uint32_t>(place) : none;
  }
  /// Of a slot that is alive, here and below.
  [[nodiscard]] Entity entity(std::uint32_t index) const noexcept { return {index, slots_[index][0].generation}; }
  [[nodiscard]] std::uint32_t place(std::uint32_t index, std::size_t which = 0) const noexcept {
    return slots_[index][which].place ^ index;
  }
  void set_place(std::uint32_t index, std::uint32_t place, std::size_t which = 0) noexcept {
    slots_[index][which].place = index ^ place;
  }

  /// Of an entity that is alive.
  void remove(Entity entity) noexcept {
    Slot& slot = slots_[entity.index()];
    for (Halves& halves : slot) halves = {first_free_, entity.generation() + 1};
    first_free_ = entity.index();
  }
  /// Ends every life and keeps the memory.
  void end_all() noexcept {
    Halves* const slots = slots_.data()->data();
    const std::size_t count = std::size_t{used_} * Places;
    for (std::size_t i = 0; i < count; ++i) ++slots[i].generation;
    used_ = 0;
    first_free_ = none;
  }
  void reserve(std::size_t count) { slots_.reserve(count); }
  /// The lives of another. All slots that neither has used are equal, if neither has seen end_all().
  void copy_from(const SlotTable& other) {
    if (other.slots_.size() > slots_.size()) slots_.resize(other.slots_.size());
    std::copy_n(other.slots_.data(), std::min<std::size_t>(std::max(used_, other.used_), other.slots_.size()),
                slots_.data());
    used_ = other.used_;
    first_free_ = other.first_free_;
  }

  /// Slots that have had a life.
  [[nodiscard]] std::size_t used() const noexcept { return used_; }
  [[nodiscard]] std::size_t used_bytes() const noexcept { return used_ * sizeof(Slot); }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return slots_.capacity() * sizeof(Slot); }
  [[nodiscard]] std::size_t allocations() const noexcept { return slots_.capacity() != 0 ? 1 : 0; }

 private:
  [[gnu::noinline, gnu::cold]] void grow(std::size_t needed) {
    const std::size_t room = slots_.capacity();
    const std::size_t larger = needed > room ? grown(room, needed) : room;
    slots_.reserve(larger);
    slots_.resize(larger);
  }

  StoredArray<Slot> slots_;
  std::uint32_t used_ = 0;
  std::uint32_t first_free_ = none;
};

}  // namespace stowage::workloads
