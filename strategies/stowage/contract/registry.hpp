#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/parts/growing_array.hpp>
#include <stowage/parts/index_queue.hpp>
#include <stowage/parts/new_entities.hpp>

namespace stowage {

/// A registry slot that holds nothing but the generation.
struct NoSlotData {};

/// Knows which entities are alive: one slot per index with its current generation; `alive` is one array read.
///
///     slots_   [gen data][gen data][gen data] ...        free_  FIFO of indices that wait for their next life
///                 ^ index
///
/// A freed index is used again only while at least `MinimumFree` others wait, so that a generation of b bits comes back
/// after 2^b x MinimumFree destructions at the earliest; only when no fresh index is left does the queue drain below.
/// `SlotData` is room beside the generation for what a strategy wants to find in the same cache line.
/// Source: the idea, the FIFO and its length are Bitsquid's entity manager (2014).
template <class EntityType = Entity, std::size_t MinimumFree = 0, class SlotData = NoSlotData>
class EntityRegistry {
  struct Slot {
    typename EntityType::generation_type generation = 0;
    STOWAGE_NO_UNIQUE_ADDRESS SlotData data;
  };

 public:
  using entity_type = EntityType;
  using slot_data_type = SlotData;
  static constexpr std::size_t minimum_free = MinimumFree;

  /// The same registry with other data in its slots.
  template <class OtherData>
  using with_slot_data = EntityRegistry<EntityType, MinimumFree, OtherData>;

  /// A new entity. O(1) amortised. Throws IndexExhausted when all indices are alive, std::bad_alloc; then nothing has
  /// changed.
  [[nodiscard]] EntityType create() {
    if (free_.size() >= reuse_threshold) return revive(free_.pop_front());
    if (fresh_ == slots_.size()) [[unlikely]] {
      if (slots_.size() == EntityType::max_entities) return drain();
      slots_.append(Slot{});
    }
    return revive(fresh_++);
  }

  /// out.size() new entities. Throws like create(); then nothing has changed.
  parts::NewEntities<EntityType> create(std::span<EntityType> out) {
    const std::size_t reusable = free_.size() >= reuse_threshold ? free_.size() - reuse_threshold + 1 : 0;
    const std::size_t reused = std::min(reusable, out.size());
    const std::size_t fresh = std::min<std::size_t>(out.size() - reused, EntityType::max_entities - fresh_);
    const std::size_t drained = out.size() - reused - fresh;
    if (drained > free_.size() - reused) throw IndexExhausted(EntityType::max_entities);
    slots_.extend(fresh_ + fresh, Slot{});
    for (std::size_t i = 0; i < reused; ++i) out[i] = entity_at(free_.pop_front());
    EntityType* const run = out.data() + reused;
    const Slot* const slots = slots_.data() + fresh_;
    const auto first = static_cast<EntityIndex>(fresh_);
    for (std::size_t i = 0; i < fresh; ++i) {
      run[i] = EntityType(first + static_cast<EntityIndex>(i), slots[i].generation);
    }
    for (std::size_t i = 0; i < drained; ++i) run[fresh + i] = entity_at(free_.pop_front());
    fresh_ += fresh;
    size_ += out.size();
    return {out, fresh == out.size()};
  }

  /// Ends an entity's life. False, and nothing changes, when it is not alive. O(1). Where not even 4 bytes can be had
  /// to queue its index, the index is given up instead of failing.
  bool destroy(EntityType entity) noexcept {
    if (!alive(entity)) return false;
    end_life(entity.index());
    --size_;
    return true;
  }

  [[nodiscard]] bool alive(EntityType entity) const noexcept {
    const Slot* const slots = slots_.data();  // see find()
    return entity.index() < slots_.size() && slots[entity.index()].generation == entity.generation();
  }

  /// The handle of the living entity at `index`.
  [[nodiscard]] EntityType entity_at(EntityIndex index) const noexcept {
    return EntityType(index, slots_[index].generation);
  }

  /// What the strategy keeps beside the generation of `index`; invalidated by create() and reserve().
  [[nodiscard]] SlotData& data(EntityIndex index) noexcept { return slots_[index].data; }
  [[nodiscard]] const SlotData& data(EntityIndex index) const noexcept { return slots_[index].data; }

  /// The slot data of a living entity, null for any other handle: liveness and data in one read.
  [[nodiscard]] const SlotData* find(EntityType entity) const noexcept {
    const Slot* const slots = slots_.data();  // read before the test, so that a loop of look-ups keeps it in a register
    if (entity.index() >= slots_.size()) return nullptr;
    const Slot& slot = slots[entity.index()];
    return slot.generation == entity.generation() ? &slot.data : nullptr;
  }

  /// Entities alive.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Indices ever handed out: every living entity's index is below it.
  [[nodiscard]] std::size_t index_count() const noexcept { return fresh_; }

  /// Room for `count` entities in all: creating up to that many allocates nothing.
  void reserve(std::size_t count) { slots_.reserve(count); }

  /// Ends every life. O(indices), one linear pass over the generations. Keeps the memory.
  void clear() {
    if constexpr (MinimumFree == 0) {
      for (std::size_t index = 0; index < fresh_; ++index) bump(slots_[index]);
      free_.clear();
      fresh_ = 0;  // no index needs to wait: hand them out again from the first, with their next generation
    } else {
      std::vector<bool> waiting(fresh_, false);
      for (std::size_t i = 0; i < free_.size(); ++i) waiting[free_[i]] = true;
      for (std::size_t index = 0; index < fresh_; ++index) {
        if (!waiting[index]) end_life(static_cast<EntityIndex>(index));
      }
    }
    size_ = 0;
  }

  /// Generations of living entities and waiting indices are index; all else is slack.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    MemoryBreakdown bytes = free_.memory();
    const std::size_t used = fresh_ * sizeof(Slot);
    bytes.index_bytes += used;
    bytes.slack_bytes += slots_.held_bytes() - used;
    bytes.allocations += slots_.allocations();
    return bytes;
  }

 private:
  static constexpr std::size_t reuse_threshold = MinimumFree == 0 ? 1 : MinimumFree;

  [[nodiscard]] EntityType revive(std::size_t index) noexcept {
    ++size_;
    return EntityType(static_cast<EntityIndex>(index), slots_[index].generation);
  }

  STOWAGE_COLD [[nodiscard]] EntityType drain() {
    if (free_.size() == 0) throw IndexExhausted(EntityType::max_entities);
    return revive(free_.pop_front());
  }

  void end_life(EntityIndex index) noexcept {
    bump(slots_[index]);
    try {
      free_.push_back(index);
    } catch (const std::bad_alloc&) {
      // the index is given up: it stays dead, which is all that a caller may rely on
    }
  }

  static void bump(Slot& slot) noexcept {
    slot.generation = static_cast<typename EntityType::generation_type>((slot.generation + 1u) &
                                                                        EntityType::generation_mask);
  }

  parts::GrowingArray<Slot> slots_;
  parts::IndexQueue free_;
  std::size_t fresh_ = 0;  // indices from here on have not been handed out (since the last clear)
  std::size_t size_ = 0;
};

/// Bitsquid's registry as published: 22 + 8 bits, at least 1024 freed indices wait, so that a handle needs 256 x 1024
/// destructions to come back. 1 byte per entity.
using QueuedRegistry = EntityRegistry<Entity30, 1024>;

}  // namespace stowage
