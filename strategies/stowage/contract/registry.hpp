#pragma once

// Which entities are alive: one slot per index with its current generation, and the queue of indices to use again.

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/new_entities.hpp>

namespace stowage {

namespace parts {

/// FIFO of entity indices in a ring whose size is a power of two. Allocates only when it has never been this long.
///
///     [  ][ 7 ][ 2 ][ 9 ][  ][  ]
///           ^ head_       ^ head_ + size_
class IndexQueue {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] EntityIndex operator[](std::size_t position) const noexcept {
    return ring_[(head_ + position) & (ring_.capacity() - 1)];
  }

  /// Throws std::bad_alloc; then nothing has changed.
  void push_back(EntityIndex index) {
    if (size_ == ring_.capacity()) grow();
    ring_[(head_ + size_) & (ring_.capacity() - 1)] = index;
    ++size_;
  }

  /// The queue must not be empty.
  EntityIndex pop() noexcept {
    const EntityIndex index = ring_[head_];
    head_ = (head_ + 1) & (ring_.capacity() - 1);
    --size_;
    return index;
  }

  void clear() noexcept { head_ = size_ = 0; }

  /// Throws std::bad_alloc; then nothing has changed.
  void copy_from(const IndexQueue& other) {
    if (other.size_ > ring_.capacity()) {
      growths_ += ring_.capacity() == 0 ? 0U : 1U;
      ring_.reserve(other.ring_.capacity());
    }
    for (std::size_t i = 0; i < other.size_; ++i) ring_[i] = other[i];
    head_ = 0;
    size_ = other.size_;
  }

  /// How often the ring moved to a larger allocation.
  [[nodiscard]] std::uint64_t growths() const noexcept { return growths_; }

  [[nodiscard]] MemoryBreakdown memory() const noexcept { return memory_of(size_ * sizeof(EntityIndex), ring_); }

 private:
  STOWAGE_COLD void grow() {
    GrowingArray<EntityIndex> larger;
    larger.reserve(ring_.capacity() == 0 ? 16 : ring_.capacity() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = (*this)[i];
    growths_ += ring_.capacity() == 0 ? 0U : 1U;
    ring_ = std::move(larger);
    head_ = 0;
  }

  GrowingArray<EntityIndex> ring_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  std::uint64_t growths_ = 0;
};

/// The same, last in, first out.
class IndexStack : public GrowingArray<EntityIndex> {
 public:
  void push_back(EntityIndex index) { append(index); }
  EntityIndex pop() noexcept {
    const std::size_t last = size() - 1;
    shrink(last);
    return (*this)[last];
  }
  [[nodiscard]] MemoryBreakdown memory() const noexcept { return memory_of(size() * sizeof(EntityIndex), *this); }
};

}  // namespace parts

/// A registry slot that holds nothing but the generation.
struct NoSlotData {};

namespace parts {

/// Slot data in which a waiting index can name the next one, so that no queue is needed.
template <class SlotData>
concept NamesNextWaiting = requires(SlotData& data, EntityIndex index) {
  data.wait(index);
  { data.next() } -> std::same_as<EntityIndex>;
};

}  // namespace parts

///     slots_   [data life][data life][data life] ...     free_  indices that wait for their next life
///                 ^ index
///
/// `alive` is one array read. A freed index is used again only while at least `MinimumFree` wait, so that a generation
/// of b bits comes back after 2^b x MinimumFree destructions at the earliest (one of 32 bits after 2^31 x MinimumFree).
/// The queue drains below that only when no fresh index is left. If none has to wait, the one that was freed last is
/// used first: its slot is still in the cache. `SlotData` is room beside the generation for what a strategy wants to
/// find in the same cache line. If it can name an index (parts::NamesNextWaiting) and none has to wait, freeing takes
/// no memory. Source: the idea, the FIFO and its length are from Bitsquid's entity manager (2014).
template <class EntityType = Entity, std::size_t MinimumFree = 0, class SlotData = NoSlotData>
class EntityRegistry {
  static constexpr unsigned bits = EntityType::generation_bits;
  /// A generation and whether the index is alive: without that a handle from 2^bits lives ago, or from a life that
  /// copy_from() has undone, would look alive while its index waits. One read and one comparison either way.
  /// The flag is the bit above the generation, set while the index is alive. A generation of 32 bits leaves none: its
  /// own highest bit is set while the index waits, so no handle is given out with it, and 2^31 lives are told apart.
  using Life = std::conditional_t<(bits < 16), std::uint16_t, std::uint32_t>;
  static constexpr bool has_flag = bits < 32;
  static constexpr Life flag = static_cast<Life>(std::uint32_t{1} << (std::min)(bits, 31u));
  static constexpr Life living = has_flag ? flag : Life{0};

  struct Slot {
    STOWAGE_NO_UNIQUE_ADDRESS SlotData data;
    Life life = living;

    [[nodiscard]] typename EntityType::generation_type generation() const noexcept {
      return static_cast<typename EntityType::generation_type>(life & EntityType::generation_mask);
    }
    /// The handle of a slot neither half of which was written just before. The slot is read as one word, so that a loop
    /// over slots is vectorised without taking them apart.
    [[nodiscard]] EntityType settled_entity(EntityIndex index) const noexcept {
      if constexpr (sizeof(Slot) == sizeof(std::uint64_t) && sizeof(Life) == sizeof(std::uint32_t) && !has_flag &&
                    std::endian::native == std::endian::little) {
        std::uint64_t word;
        std::memcpy(&word, static_cast<const void*>(this), sizeof word);
        return EntityType::from_word((word & ~std::uint64_t{(std::numeric_limits<EntityIndex>::max)()}) | index);
      } else {
        return EntityType(index, generation());
      }
    }
  };
  [[nodiscard]] static constexpr Life life_of(EntityType entity) noexcept {
    return static_cast<Life>(entity.generation() | living);
  }

 public:
  EntityRegistry() = default;
  EntityRegistry(const EntityRegistry&) = delete;
  EntityRegistry& operator=(const EntityRegistry&) = delete;

  using entity_type = EntityType;
  using slot_type = Slot;
  static constexpr std::size_t minimum_free = MinimumFree;
  static constexpr std::size_t slot_bytes = sizeof(Slot);

  template <class OtherData>
  using with_slot_data = EntityRegistry<EntityType, MinimumFree, OtherData>;

  /// A new entity. O(1) amortised. Throws IndexExhausted when all indices are alive, std::bad_alloc; then nothing has
  /// changed.
  [[nodiscard]] EntityType create() {
    if (may_reuse()) {
      const EntityType entity = awaken();
      ++size_;
      return entity;
    }
    if (fresh_ == slots_.size()) [[unlikely]] {
      if (slots_.size() == EntityType::max_entities) return drain();
      slots_.append(Slot{});
    }
    return revive(fresh_++);
  }

  /// out.size() new entities. Throws like create(); then nothing has changed. The caller writes their slot data.
  parts::NewEntities<EntityType> create(std::span<EntityType> out) {
    const std::size_t reusable = waiting() >= reuse_threshold ? waiting() - reuse_threshold + 1 : 0;
    const std::size_t reused = (std::min)(reusable, out.size());
    const std::size_t fresh = std::min<std::size_t>(out.size() - reused, EntityType::max_entities - fresh_);
    const std::size_t drained = out.size() - reused - fresh;
    if (drained > waiting() - reused) STOWAGE_THROW(IndexExhausted(EntityType::max_entities));
    slots_.extend(fresh_ + fresh, Slot{});
    for (std::size_t i = 0; i < reused; ++i) out[i] = awaken();
    EntityType* const run = out.data() + reused;
    const Slot* const unused = slots_.data() + fresh_;
    const auto first = static_cast<EntityIndex>(fresh_);
    for (std::size_t i = 0; i < fresh; ++i) run[i] = unused[i].settled_entity(first + static_cast<EntityIndex>(i));
    for (std::size_t i = 0; i < drained; ++i) run[fresh + i] = awaken();
    fresh_ += fresh;
    size_ += out.size();
    return {out, fresh == out.size()};
  }

  /// Ends an entity's life. False, and nothing changes, if it is not alive. O(1). If there is no memory to note its
  /// index, the index is given up; destroy() does not fail.
  bool destroy(EntityType entity) noexcept {
    if (!alive(entity)) return false;
    end(entity);
    return true;
  }
  /// The same for an entity that is alive.
  void end(EntityType entity) noexcept {
    end_life(entity.index());
    --size_;
  }

  [[nodiscard]] bool alive(EntityType entity) const noexcept {
    const Slot* const all_slots = slots_.data();  // see find()
    return entity.index() < fresh_ && all_slots[entity.index()].life == life_of(entity);
  }

  /// The handle of the living entity at `index`.
  [[nodiscard]] EntityType entity_at(EntityIndex index) const noexcept {
    return EntityType(index, slots_[index].generation());
  }
  /// The last handle of an index that waits.
  [[nodiscard]] EntityType ended_at(EntityIndex index) const noexcept {
    return EntityType(index,
                      static_cast<typename EntityType::generation_type>((slots_[index].life - 1u) & (flag - 1u)));
  }

  /// What the strategy keeps beside the generation of `index`; invalidated by create() and reserve().
  [[nodiscard]] SlotData& data(EntityIndex index) noexcept { return slots_[index].data; }
  [[nodiscard]] const SlotData& data(EntityIndex index) const noexcept { return slots_[index].data; }

  /// The slot data of a living entity, null for any other handle: liveness and data in one read.
  [[nodiscard]] const SlotData* find(EntityType entity) const noexcept {
    const Slot* const all_slots =
        slots_.data();  // read before the test, so that a loop of lookups keeps it in a register
    if (entity.index() >= fresh_) return nullptr;
    const Slot& slot = all_slots[entity.index()];
    return slot.life == life_of(entity) ? &slot.data : nullptr;
  }

  /// One for each index below index_count(); invalidated by create() and reserve().
  [[nodiscard]] Slot* slot_data() noexcept { return slots_.data(); }
  [[nodiscard]] const Slot* slot_data() const noexcept { return slots_.data(); }

  /// Entities alive.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Indices ever handed out: every living entity's index is below it.
  [[nodiscard]] std::size_t index_count() const noexcept { return fresh_; }

  /// Room for `count` entities in all, and for the indices that may wait beside them: creating up to that many takes no
  /// slots from the heap. Throws std::length_error when the handle cannot express so many.
  void reserve(std::size_t count) {
    if (count > EntityType::max_entities) STOWAGE_THROW(std::length_error("more entities than the handle can express"));
    const std::uint64_t wanted = std::uint64_t{count} + reuse_threshold - 1;
    slots_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, EntityType::max_entities)));
  }

  /// Ends every life. O(indices), one linear pass over the generations. Keeps the memory.
  void clear() {
    if constexpr (MinimumFree == 0 || !has_flag) {
      for (std::size_t index = 0; index < fresh_; ++index) {
        slots_[index].life = static_cast<Life>(next_generation(slots_[index].life) | living);  // as beyond fresh_
      }
      free_.clear();
      fresh_ = 0;  // no index needs to wait: hand them out again from the first, with their next generation
    } else {
      for (std::size_t index = 0; index < fresh_; ++index) {
        if ((slots_[index].life & living) != 0) end_life(static_cast<EntityIndex>(index));
      }
    }
    size_ = 0;
  }

  /// Takes over the entities that live in `other`: both hand out the same handles from here on. Throws std::bad_alloc;
  /// then nothing has changed.
  void copy_from(const EntityRegistry& other) {
    STOWAGE_ASSERT(&other != this, "a copy is of another one");
    if (other.slots_.size() > slots_.capacity()) slots_.reserve(other.slots_.capacity());
    free_.copy_from(other.free_);
    slots_.copy_from(other.slots_);
    fresh_ = other.fresh_;
    size_ = other.size_;
  }

  /// Generations of living entities and waiting indices are index; all else is slack.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    return free_.memory() + parts::memory_of(fresh_ * sizeof(Slot), slots_);
  }
  [[nodiscard]] StorageEvents events() const noexcept { return {.growths = slots_.growths() + free_.growths()}; }

 private:
  static constexpr std::size_t reuse_threshold = MinimumFree == 0 ? 1 : MinimumFree;

  static constexpr bool is_chained = MinimumFree == 0 && parts::NamesNextWaiting<SlotData>;
  /// The index that was freed last, or none; its slot has the one that was freed before it.
  struct Chain {
    static constexpr EntityIndex none = (std::numeric_limits<EntityIndex>::max)();
    EntityIndex last = none;

    void clear() noexcept { last = none; }
    void copy_from(const Chain& other) noexcept { last = other.last; }
    [[nodiscard]] static std::uint64_t growths() noexcept { return 0; }
    [[nodiscard]] static MemoryBreakdown memory() noexcept { return {}; }
  };

  [[nodiscard]] bool may_reuse() const noexcept {
    if constexpr (is_chained) {
      return free_.last != Chain::none;
    } else {
      return free_.size() >= reuse_threshold;
    }
  }
  /// Indices that wait for their next life.
  [[nodiscard]] std::size_t waiting() const noexcept {
    if constexpr (is_chained) {
      return fresh_ - size_;
    } else {
      return free_.size();
    }
  }

  [[nodiscard]] EntityType revive(std::size_t index) noexcept {
    ++size_;
    begin(slots_[index], static_cast<EntityIndex>(index));
    return entity_at(static_cast<EntityIndex>(index));
  }

  /// An index that waited begins its next life.
  EntityType awaken() noexcept {
    EntityIndex index;
    if constexpr (is_chained) {
      index = std::exchange(free_.last, slots_[free_.last].data.next());
    } else {
      index = free_.pop();
    }
    slots_[index].life ^= flag;
    begin(slots_[index], index);
    return entity_at(index);
  }

  static void begin([[maybe_unused]] Slot& slot, [[maybe_unused]] EntityIndex index) noexcept {
    if constexpr (requires { SlotData::of_new(index); }) slot.data = SlotData::of_new(index);
  }

  [[nodiscard]] STOWAGE_COLD EntityType drain() {
    if (waiting() == 0) STOWAGE_THROW(IndexExhausted(EntityType::max_entities));
    const EntityType entity = awaken();
    ++size_;
    return entity;
  }

  void end_life(EntityIndex index) noexcept {
    Slot& slot = slots_[index];
    slot.life = static_cast<Life>(next_generation(slot.life) | (living ^ flag));
    if constexpr (is_chained) {
      slot.data.wait(std::exchange(free_.last, index));
    } else {
      STOWAGE_TRY { free_.push_back(index); }
      STOWAGE_CATCH(const std::bad_alloc&) {
        // the index is given up: it stays dead, which is all that a caller may rely on
      }
    }
  }

  /// Without the flag.
  [[nodiscard]] static constexpr Life next_generation(Life life) noexcept {
    return static_cast<Life>((life + 1u) & (flag - 1u));
  }

  parts::GrowingArray<Slot> slots_;
  using List = std::conditional_t<MinimumFree == 0, parts::IndexStack, parts::IndexQueue>;
  std::conditional_t<is_chained, Chain, List> free_;
  std::size_t fresh_ = 0;  // indices from here on have not been handed out (since the last clear)
  std::size_t size_ = 0;
};

/// Bitsquid's numbers: 22 + 8 bits, at least 1024 freed indices wait, so that a handle needs 256 x 1024 destructions to
/// come back. 2 bytes per index: the article's one byte does not tell whether the index is alive.
using QueuedRegistry = EntityRegistry<Entity30, 1024>;

}  // namespace stowage
