#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>

namespace stowage::workloads::game {

/// Adds an array, whose bytes in use are `kind`.
template <class T>
void add_array(MemoryBreakdown& sum, const std::vector<T>& array, std::size_t MemoryBreakdown::* kind) noexcept {
  sum.*kind += array.size() * sizeof(T);
  sum.slack_bytes += (array.capacity() - array.size()) * sizeof(T);
  sum.allocations += array.capacity() != 0 ? 1 : 0;
}

/// The entities of a yardstick: an array of slots. `Place` is where the entity of a slot is, and has a `row`, which of
/// a free slot is the next free one. In `reference` handles are indices, and all are taken to be alive. The contract
/// asks for a generation in each slot, and that it is compared.
template <bool IsContract, class Place>
class PlainHandles {
  struct PlaceInContract : Place {
    std::uint32_t generation;
  };

 public:
  using entity_type = std::conditional_t<IsContract, Entity, EntityIndex>;

  [[nodiscard]] bool alive([[maybe_unused]] entity_type entity) const noexcept {
    if constexpr (IsContract) {
      return entity.index() < slots_.size() && slots_[entity.index()].generation == entity.generation();
    } else {
      return true;
    }
  }
  [[nodiscard]] static EntityIndex index_of(entity_type entity) noexcept {
    if constexpr (IsContract) {
      return entity.index();
    } else {
      return entity;
    }
  }

 protected:
  using Slot = std::conditional_t<IsContract, PlaceInContract, Place>;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Arrays grow as those of the strategies do.
  [[nodiscard]] static constexpr std::size_t grown(std::size_t capacity, std::size_t needed) noexcept {
    return (std::max)({std::size_t{16}, needed, capacity < 4096 ? capacity * 2 : capacity + capacity / 8 * 3});
  }

  [[nodiscard]] EntityIndex new_index() {
    if (free_ != none) return std::exchange(free_, slots_[free_].row);
    if (slots_.size() == slots_.capacity()) slots_.reserve(grown(slots_.size(), slots_.size() + 1));
    Slot slot{};
    if constexpr (IsContract) slot.generation = first_generation_;
    slots_.push_back(slot);
    return static_cast<EntityIndex>(slots_.size() - 1);
  }
  [[nodiscard]] entity_type handle_of(EntityIndex index) const noexcept {
    if constexpr (IsContract) {
      return Entity(index, slots_[index].generation);
    } else {
      return index;
    }
  }
  void free_index(EntityIndex index) noexcept {
    slots_[index].row = std::exchange(free_, index);
    if constexpr (IsContract) ++slots_[index].generation;
  }
  void free_all() noexcept {
    if constexpr (IsContract) {
      for (const Slot& slot : slots_) first_generation_ = (std::max)(first_generation_, slot.generation + 1);
    }
    slots_.clear();
    free_ = none;
  }

  std::vector<Slot> slots_;
  EntityIndex free_ = none;
  std::uint32_t first_generation_ = 0;
};

}  // namespace stowage::workloads::game
