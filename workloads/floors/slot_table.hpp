#pragma once

// The slots of hand-written stores: what a handle leads to, and whether it is stale.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <stowage/contract/entity.hpp>

#include "workloads/floors/array.hpp"

namespace stowage::workloads {

/// For an operation that a stale handle cannot have.
[[noreturn, gnu::noinline, gnu::cold]] inline void refuse_stale_handle() {
  throw std::out_of_range("the entity is not alive");
}

/// How many lists of free slots gain most if most entities are created in the place of another.
inline constexpr std::size_t churn_lists = 4;

/// What every hand-written store begins with: for each entity its handle and `Places` places of its components,
/// exclusively ored to a word each, in an array for each place. Exclusively ored again with the handle that is looked
/// up, a word leaves the place; of a stale handle it leaves what no place is. So one comparison tells both.
///
///     slots_   [handle^place] [next life^freed before] [handle^place] ...  | ...
///              ... for each place                                          ^ next_: slots from here on had no life
///
/// The slot that was freed last is used first. With several lists of free slots, which take turns, a creation need not
/// wait for the slot of the one before, and a destruction takes longer.
template <std::size_t Places = 1, std::size_t FreeLists = 1>
class SlotTable {
  /// In the place of a word: a new place is one store, and a lookup one load of both.
  struct Halves {
    std::uint32_t place;  ///< exclusively ored with the index; of a free slot another one
    std::uint32_t generation;
  };
  static_assert(std::endian::native == std::endian::little, "a generation is the upper half of a handle");
  template <std::size_t... Is>
  static Columns<std::conditional_t<Is == Is, Halves, void>...> arrays_for(std::index_sequence<Is...>);

 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// All of its places are `place`.
  Entity add(std::uint32_t place = none) {
    if (free_count_ == 0) {
      if (used() == slots_.capacity()) grow(used() + 1);
      const Entity entity = next_;
      next_ = Entity::from_word(entity.word() + 1);
      put(entity, place);
      return entity;
    }
    std::uint32_t& last = freed_[--free_count_ % FreeLists];
    const std::uint32_t index = std::exchange(last, slots()[last].place);
    const Entity entity = this->entity(index);
    put(entity, place);
    ++reused_;
    return entity;
  }

  /// Entities whose places are `place_of(0)`, `place_of(1)` and so on. Returns how many are in slots that were free;
  /// the slots of the others follow each other.
  template <class PlaceOf>
    requires(Places == 1)
  std::size_t add(std::span<Entity> out, PlaceOf place_of) {
    std::uint32_t reused = 0;
    for (; reused < out.size() && free_count_ != 0; ++reused) out[reused] = add(place_of(reused));
    const auto count = static_cast<std::uint32_t>(out.size());
    if (used() + count - reused > slots_.capacity()) grow(used() + count - reused);
    Halves* const slots = this->slots() + used() - reused;
    const std::uint64_t first = next_.word() - reused;
    next_ = Entity::from_word(first + count);
    Entity* const handles = out.data();
    for (std::uint32_t i = reused; i < count; ++i) {
      handles[i] = Entity::from_word(first + i);
      const std::uint64_t word = (first + i) ^ place_of(i);
      std::memcpy(static_cast<void*>(&slots[i]), &word, sizeof word);  // whole: g++ 12 would store halves
    }
    return reused;
  }

  /// Half of a slot tells this, and takes less time than difference().
  [[nodiscard]] bool alive(Entity entity) const noexcept {
    const Halves* const slots = this->slots();
    return entity.index() < next_.index() && slots[entity.index()].generation == entity.generation();
  }
  /// The place of one that is alive; of a stale handle more than `none`.
  template <std::size_t Which = 0>
  [[nodiscard]] std::uint64_t difference(Entity entity) const noexcept {
    const Halves* const slots = this->slots<Which>();
    if (entity.index() >= next_.index()) return ~std::uint64_t{0};
    return std::bit_cast<std::uint64_t>(slots[entity.index()]) ^ entity.word();
  }
  /// `none` of a stale handle, too.
  template <std::size_t Which = 0>
  [[nodiscard]] std::uint32_t find(Entity entity) const noexcept {
    const std::uint64_t place = difference<Which>(entity);
    return place < none ? static_cast<std::uint32_t>(place) : none;
  }
  /// Of a slot that is alive, here and below.
  [[nodiscard]] Entity entity(std::uint32_t index) const noexcept { return {index, slots()[index].generation}; }
  template <std::size_t Which = 0>
  [[nodiscard]] std::uint32_t place(std::uint32_t index) const noexcept {
    return slots<Which>()[index].place ^ index;
  }
  template <std::size_t Which = 0>
  void set_place(std::uint32_t index, std::uint32_t place) noexcept {
    slots<Which>()[index].place = index ^ place;
  }

  /// Of an entity that is alive.
  void remove(Entity entity) noexcept {
    std::uint32_t& last = freed_[free_count_++ % FreeLists];
    slots_.for_each([&](Halves* slots) { slots[entity.index()] = {last, entity.generation() + 1}; });
    last = entity.index();
  }
  /// Ends every life and keeps the memory. No handle has had the generation that is given out next.
  void end_all() noexcept {
    next_ = {0, next_.generation() + std::exchange(reused_, 0) + 1};
    free_count_ = 0;
  }
  void reserve(std::size_t count) {
    if (count > slots_.capacity()) slots_.reallocate(count, used());
  }
  /// The lives of another.
  void copy_from(const SlotTable& other) {
    reserve(other.slots_.capacity());
    slots_.copy_rows(other.slots_, other.used());
    next_ = other.next_;
    reused_ = other.reused_;
    freed_ = other.freed_;
    free_count_ = other.free_count_;
  }

  /// Slots that have had a life since the last end_all().
  [[nodiscard]] std::size_t used() const noexcept { return next_.index(); }
  [[nodiscard]] std::size_t used_bytes() const noexcept { return used() * Places * sizeof(Halves); }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return slots_.held_bytes(); }
  [[nodiscard]] std::size_t allocations() const noexcept { return slots_.allocations(); }

 private:
  template <std::size_t Which = 0>
  [[nodiscard]] Halves* slots() const noexcept {
    return slots_.template number<Which>();
  }
  void put(Entity entity, std::uint32_t place) noexcept {
    slots_.for_each([&](Halves* slots) { slots[entity.index()] = std::bit_cast<Halves>(entity.word() ^ place); });
  }
  [[gnu::noinline, gnu::cold]] void grow(std::size_t needed) { reserve(grown(slots_.capacity(), needed)); }

  decltype(arrays_for(std::make_index_sequence<Places>{})) slots_;
  Entity next_{0, 0};         ///< if no slot is free
  std::uint32_t reused_ = 0;  ///< slots since the last end_all()
  std::uint32_t free_count_ = 0;
  std::array<std::uint32_t, FreeLists> freed_{};  ///< the last slot of each list
};

}  // namespace stowage::workloads
