#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/events.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/contract/notifying_registry.hpp>
#include <stowage/parts/new_entities.hpp>

namespace stowage::parts {

/// A registry for storages in which the rows of an entity outlive it. Beside its generation an index has a note of the
/// pools in which it has rows, and whether these are those of a dead entity:
///
///     slots    [gen note][gen note][gen note] ...     4 bytes more per index (2 where the generation has 8 bits,
///                                                     12 from 32 pools on)
///                     \_ a bit per pool, and the highest one: dead
///
/// So destroying reads and writes one slot, in whatever pools the entity is; how many rows of the dead each pool holds
/// is known exactly at any time; and whether a row is one of them takes only the index of its owner.
template <class Registry, std::size_t Pools>
class LazyRegistry {
  static_assert(Pools < 64, "a note has a bit for each pool");
  using Bits =
      std::conditional_t<(Pools < 16), std::uint16_t, std::conditional_t<(Pools < 32), std::uint32_t, std::uint64_t>>;
  static constexpr Bits dead_bit = static_cast<Bits>(std::uint64_t{1} << (sizeof(Bits) * 8 - 1));
  [[nodiscard]] static constexpr Bits bit_of(std::size_t pool) noexcept {
    return static_cast<Bits>(std::uint64_t{1} << pool);
  }

  struct Note {
    Bits bits = 0;
  };

 public:
  using entity_type = typename Registry::entity_type;
  static constexpr bool leaves_rows = true;

  /// The new entity has the rows that left_pools() says until they are ended and begin() is called.
  [[nodiscard]] entity_type create() { return registry_.create(); }
  NewEntities<entity_type> create(std::span<entity_type> out) { return registry_.create(out); }

  /// The entity's rows are those of a dead entity from now on. O(its rows).
  bool destroy(entity_type entity) noexcept {
    if (!registry_.alive(entity)) return false;
    Note& note = registry_.data(entity.index());
    for (Bits rest = note.bits; rest != 0; rest &= static_cast<Bits>(rest - 1)) {
      ++left_[static_cast<std::size_t>(std::countr_zero(rest))];
      ++all_left_;
    }
    note.bits |= dead_bit;
    return registry_.destroy(entity);
  }

  [[nodiscard]] bool alive(entity_type entity) const noexcept { return registry_.alive(entity); }
  [[nodiscard]] entity_type entity_at(EntityIndex index) const noexcept { return registry_.entity_at(index); }
  [[nodiscard]] std::size_t size() const noexcept { return registry_.size(); }
  void reserve(std::size_t count) { registry_.reserve(count); }

  /// Every row is gone, too.
  void clear() {
    for (std::size_t index = 0; index < registry_.index_count(); ++index) {
      registry_.data(static_cast<EntityIndex>(index)) = {};
    }
    registry_.clear();
    left_ = {};
    all_left_ = 0;
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept { return registry_.memory(); }
  [[nodiscard]] StorageEvents events() const noexcept {
    return registry_.events() + StorageEvents{.collected_rows = collected_rows_};
  }

  // ---- listeners, see notifying_registry.hpp

  void announce(entity_type dying) const noexcept
    requires Notifying<Registry>
  {
    registry_.announce(dying);
  }
  void announce_all() const noexcept
    requires Notifying<Registry>
  {
    registry_.announce_all();
  }
  template <class Listener>
    requires Notifying<Registry>
  void on_destroy(Listener& listener) {
    registry_.on_destroy(listener);
  }

  // ---- rows

  /// The index begins its next life, without rows.
  void begin(EntityIndex index) noexcept { registry_.data(index) = {}; }

  template <std::size_t P>
  void note_row(EntityIndex index) noexcept {
    registry_.data(index).bits |= bit_of(P);
  }
  /// The row of this index in pool P has been ended, whether its entity is alive or dead.
  template <std::size_t P>
  void forget_row(EntityIndex index) noexcept {
    Note& note = registry_.data(index);
    if ((note.bits & dead_bit) != 0) {
      --left_[P];
      --all_left_;
    }
    note.bits &= static_cast<Bits>(~bit_of(P));
  }

  /// A row was ended by collection, and not because its index was given out again.
  void note_collected() noexcept { ++collected_rows_; }

  /// Whether the owner of a row is dead.
  [[nodiscard]] bool is_dead(EntityIndex index) const noexcept { return (registry_.data(index).bits & dead_bit) != 0; }
  /// Whether pool P has a row of the dead entity that had this index last.
  template <std::size_t P>
  [[nodiscard]] bool has_left_row(EntityIndex index) const noexcept {
    return (registry_.data(index).bits & (dead_bit | bit_of(P))) == (dead_bit | bit_of(P));
  }
  /// Rows of dead entities in pool P, and in all pools.
  [[nodiscard]] std::size_t left_rows(std::size_t pool) const noexcept { return left_[pool]; }
  [[nodiscard]] std::size_t left_rows() const noexcept { return all_left_; }

 private:
  typename Registry::template with_slot_data<Note> registry_;
  std::array<std::size_t, Pools> left_{};
  std::size_t all_left_ = 0;
  std::uint64_t collected_rows_ = 0;
};

/// True for a registry of this kind: rows are ended by collection, not with their entity.
template <class Registry>
inline constexpr bool leaves_rows = requires { requires Registry::leaves_rows; };

}  // namespace stowage::parts
