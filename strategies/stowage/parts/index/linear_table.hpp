#pragma once

// The hash table of hash_index and interleaved_pairs: entity to row by linear probing in one array, no tombstones.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/errors.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// The slots of a table: a power of two of them, four at least.
struct SlotRange {
  std::uint32_t last = 3;
  unsigned unused_bits = 30;  ///< upper bits of 32 that no slot's number has

  [[nodiscard]] std::size_t count() const noexcept { return last + std::size_t{1}; }
};

// Where the search for an entity begins, and how many slots it passes on average, for consecutive indices in a half
// full table.

/// Fibonacci hashing (Knuth, volume 3) of four indices at a time: the upper bits of the product with 2^32 / golden
/// ratio. Indices that follow each other, as a registry hands them out, lie in runs of four, and runs evenly apart:
/// hardly one is in the way of another, and a loop in the order of indices fetches a line for every two or three
/// entities.
struct FibonacciHash {
  static constexpr double slots_passed = 0;
  [[nodiscard]] static std::uint32_t slot(EntityIndex index, const SlotRange& range) noexcept {
    const std::uint32_t hash = index / 4 * std::uint32_t{0x9E3779B9};
    return (hash >> range.unused_bits & ~std::uint32_t{3}) + index % 4;
  }
};

/// The finaliser of MurmurHash3: every bit of the index changes every bit of the hash, so entities lie as if drawn at
/// random, whatever their indices.
struct MixedHash {
  static constexpr double slots_passed = 0.5;
  [[nodiscard]] static std::uint32_t slot(EntityIndex index, const SlotRange& range) noexcept {
    index = (index ^ (index >> 16)) * std::uint32_t{0x85EBCA6B};
    index = (index ^ (index >> 13)) * std::uint32_t{0xC2B2AE35};
    return (index ^ (index >> 16)) & range.last;
  }
};

/// The index itself: entities lie in the order of their indices. Indices a multiple of the slots apart meet, so two
/// runs of such indices are looked for past each other.
struct IdentityHash {
  static constexpr double slots_passed = 0;
  [[nodiscard]] static std::uint32_t slot(EntityIndex index, const SlotRange& range) noexcept {
    return index & range.last;
  }
};

/// Open addressing with linear probing: key and value together in one flat array of 12-byte slots, a power of two of
/// them, three quarters in use at most.
///
///     [ - ][index gen row][index gen row][ - ][index gen row] ...     an entity is in the slot that its hash names,
///             ^ hash(index)                                           or in one of the next
///
/// Rows are numbered from 1 in a slot, so zeroed memory is a table of free slots (Nomad's 0 for "none"). Entities that
/// are not where their hash names stand in the order of their hashes (Celis's Robin Hood hashing). So removal moves
/// what follows the hole up by one, until a slot that is free or that its entity's hash names, and a search for what is
/// not there ends at that slot or before. There are no tombstones, so churn never makes a table be built anew. And a
/// long run of entities in slots of their own, as IdentityHash makes them, costs nothing.
template <class Hash>
class LinearTable {
  struct Slot {
    EntityIndex index = 0;
    std::uint32_t generation = 0;
    std::uint32_t number = 0;  ///< of the row, from 1; 0 if the slot is free, whatever the rest says

    [[nodiscard]] bool is_free() const noexcept { return number == 0; }
    [[nodiscard]] RowNumber row() const noexcept { return number - 1; }
  };
  static_assert(sizeof(Slot) == 12 && static_cast<RowNumber>(0 - 1) == no_row);

 public:
  /// See contract/lines.hpp: a slot, and those before it that are looked at.
  static constexpr double lookup_lines =
      lines_touched({{0, sizeof(Slot)}}, sizeof(Slot)) + Hash::slots_passed * sizeof(Slot) / cache_line_bytes;

  LinearTable() = default;
  LinearTable(const LinearTable&) = delete;
  LinearTable& operator=(const LinearTable&) = delete;

  /// The row of this very entity, no_row if it has none or the handle is stale.
  template <class EntityType>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    return at_slot_of(entity.index(), [&](std::uint32_t at) {
      return slots_[at].generation == entity.generation() ? slots_[at].row() : no_row;
    });
  }
  /// The row of the living entity at `index`, no_row if it has none.
  [[nodiscard]] RowNumber row_at(EntityIndex index) const noexcept {
    return at_slot_of(index, [&](std::uint32_t at) { return slots_[at].row(); });
  }

  /// The entity is not in the table. Amortised O(1). Throws std::bad_alloc; then nothing has changed.
  template <class EntityType>
  void insert(EntityType entity, RowNumber row) {
    if (size_ == limit_) [[unlikely]]
      reserve(grown_capacity(limit_, limit_ + 1));
    ++size_;
    enter({entity.index(), entity.generation(), row + 1});
  }
  /// Changes the row of an entity that is in the table.
  void assign(EntityIndex index, RowNumber row) noexcept {
    at_slot_of(index, [&](std::uint32_t at) { return slots_[at].number = row + 1; });
  }

  /// find(), and the entity is no longer in the table.
  template <class EntityType>
  [[nodiscard]] RowNumber take(EntityType entity) noexcept {
    return at_slot_of(entity.index(), [&](std::uint32_t at) {
      const RowNumber row = slots_[at].generation == entity.generation() ? slots_[at].row() : no_row;
      if (row != no_row) close(at);
      return row;
    });
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool has_room(std::size_t count) const noexcept { return count <= limit_; }
  /// Room for `count` entities in all. Throws like insert().
  void reserve(std::size_t count) {
    if (!has_room(count)) rebuild(std::bit_ceil((std::max)(SlotRange{}.count(), count + (count + 2) / 3)));
  }
  void clear() noexcept {
    if (size_ != 0) std::fill_n(slots_, range_.count(), Slot{});
    size_ = 0;
  }

  /// Takes more memory only if `other` has more entities than fit. Throws std::bad_alloc; then nothing has changed.
  void copy_from(const LinearTable& other) {
    if (range_.last > other.range_.last || other.held_ == nullptr) {
      clear();
      for (std::size_t i = 0; i < other.range_.count(); ++i) {
        if (!other.slots_[i].is_free()) enter(other.slots_[i]);
      }
      size_ = other.size_;
      return;
    }
    if (held_ == nullptr || range_.last != other.range_.last) {
      std::unique_ptr<Slot[]> copy = std::make_unique<Slot[]>(other.range_.count());
      rehashes_ += held_ != nullptr ? 1U : 0U;
      held_ = std::move(copy);
      slots_ = held_.get();
      range_ = other.range_;
      limit_ = other.limit_;
    }
    std::copy_n(other.slots_, range_.count(), slots_);
    size_ = other.size_;
  }

  /// Slots in use are index; the rest of the array is slack.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t held = held_ != nullptr ? range_.count() * sizeof(Slot) : 0;
    const std::size_t used = size_ * sizeof(Slot);
    return {
        .payload_bytes = 0, .index_bytes = used, .slack_bytes = held - used, .allocations = held_ != nullptr ? 1u : 0u};
  }
  [[nodiscard]] StorageEvents events() const noexcept { return {.rehashes = rehashes_}; }

 private:
  static constexpr std::uint32_t no_slot = (std::numeric_limits<std::uint32_t>::max)();

  [[nodiscard]] std::uint32_t home(EntityIndex index) const noexcept { return Hash::slot(index, range_); }
  [[nodiscard]] std::uint32_t after(std::uint32_t at) const noexcept { return (at + 1) & range_.last; }
  /// How many slots the entity in a slot has passed.
  [[nodiscard]] std::uint32_t passed_to(std::uint32_t at) const noexcept {
    return (at - home(slots_[at].index)) & range_.last;
  }

  /// What `use(slot)` makes of the slot of the index, which may be free if no entity is in the table that has it;
  /// no_row if there is no such slot. Most are where their hash names, so only that is looked at in line.
  template <class Use>
  RowNumber at_slot_of(EntityIndex index, Use&& use) const noexcept {
    std::uint32_t at = home(index);
    if (slots_[at].index != index) [[unlikely]] {
      at = slot_behind(at, index);
      if (at == no_slot) return no_row;
    }
    return use(at);
  }
  STOWAGE_NOINLINE std::uint32_t slot_behind(std::uint32_t at, EntityIndex index) const noexcept {
    for (std::uint32_t passed = 0; !slots_[at].is_free() && passed_to(at) >= passed; ++passed) {
      at = after(at);
      if (slots_[at].index == index) return at;
    }
    return no_slot;
  }

  void enter(const Slot& entering) noexcept {
    const std::uint32_t at = home(entering.index);
    if (slots_[at].is_free()) [[likely]] {
      slots_[at] = entering;
    } else {
      enter_behind(at, entering);
    }
  }
  /// An entity that has passed fewer slots gives its own to one that has passed more.
  STOWAGE_NOINLINE void enter_behind(std::uint32_t at, Slot entering) noexcept {
    for (std::uint32_t passed = 0; !slots_[at].is_free(); ++passed, at = after(at)) {
      const std::uint32_t others = passed_to(at);
      if (others >= passed) continue;
      std::swap(entering, slots_[at]);
      passed = others;
    }
    slots_[at] = entering;
  }

  /// Frees a slot; those behind it move up as far as they are not where their hash names.
  void close(std::uint32_t hole) noexcept {
    for (std::uint32_t at = after(hole); !slots_[at].is_free() && home(slots_[at].index) != at; at = after(at)) {
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].number = 0;
    --size_;
  }

  STOWAGE_COLD void rebuild(std::size_t count) {
    if (count - 1 > (std::numeric_limits<std::uint32_t>::max)() / 2) STOWAGE_THROW(std::bad_alloc());
    std::unique_ptr<Slot[]> larger = std::make_unique<Slot[]>(count);
    const std::size_t before = held_ != nullptr ? range_.count() : 0;
    rehashes_ += held_ != nullptr ? 1U : 0U;
    const std::unique_ptr<Slot[]> smaller = std::exchange(held_, std::move(larger));
    slots_ = held_.get();
    range_ = {static_cast<std::uint32_t>(count - 1), 32 - static_cast<unsigned>(std::countr_zero(count))};
    limit_ = count / 4 * 3;
    for (std::size_t i = 0; i < before; ++i) {
      if (!smaller[i].is_free()) enter(smaller[i]);
    }
  }

  /// What a table without an array searches. Nothing is ever written to it.
  inline static std::array<Slot, 4> free_slots_{};

  Slot* slots_ = free_slots_.data();
  SlotRange range_;
  std::size_t size_ = 0;
  std::size_t limit_ = 0;
  std::unique_ptr<Slot[]> held_;
  std::uint64_t rehashes_ = 0;
};

}  // namespace stowage::parts
