#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/new_entities.hpp>
#include <stowage/parts/index/array.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// What a slot of the registry has beside the generation: the row of its entity in the first pool, or no_row,
/// exclusively ored with the index. With the generation that makes a RowEntry; of a waiting index it is the next one
/// that waits.
struct HomeRow {
  EntityIndex word = 0;

  [[nodiscard]] static constexpr HomeRow of_new(EntityIndex index) noexcept { return {index ^ no_row}; }
  constexpr void wait(EntityIndex next) noexcept { word = next; }
  [[nodiscard]] constexpr EntityIndex next() const noexcept { return word; }
};

/// Whether the first pool of `Index` may be indexed by a registry: one with a generation in 32 bits beside an index in
/// 32, whose indices need not wait in a queue.
template <class Index, class Registry>
concept HomedIn = std::endian::native == std::endian::little && requires {
  typename Registry::template with_slot_data<HomeRow>;
  requires Index::may_be_homed && Registry::minimum_free == 0;
  requires Registry::entity_type::index_bits == 32 && Registry::entity_type::generation_bits == 32;
};

/// The registry of a storage with this index: if it may, it has the rows of the first pool, too.
template <class Index, class Registry>
struct RegistryWith {
  using type = Registry;
};
template <class Index, class Registry>
  requires HomedIn<Index, Registry>
struct RegistryWith<Index, Registry> {
  using type = typename Registry::template with_slot_data<HomeRow>;
};

/// The index of a storage whose first pool is indexed by the registry itself, and all others by `Index`, an ArrayIndex.
/// One line tells whether an entity is alive and where its row is. A view of both.
///
///     registry  [row gen][row gen][next gen][row gen]        8 bytes an entry, see RowEntry
///                  ^ entity.index    ^ waits for its next life
template <class Registry, class Index>
class HomedIndex {
  using EntityType = typename Registry::entity_type;
  using Entries = RowEntry<EntityType>;
  using Slot = typename Registry::slot_type;
  static_assert(sizeof(Slot) == sizeof(typename Entries::Word));

 public:
  HomedIndex(Registry& registry, Index& index) noexcept : registry_(registry), index_(index) {}

  /// See ArrayIndex, here and below.
  template <std::size_t P>
  [[nodiscard]] RowNumber find(EntityType entity) const noexcept {
    if constexpr (P != 0) {
      return index_.template find<P>(entity);
    } else {
      const Slot* const all_slots = registry_.slot_data();
      if (entity.index() >= registry_.index_count()) return no_row;
      return Entries::row_of(std::bit_cast<typename Entries::Word>(all_slots[entity.index()]), entity);
    }
  }

  template <std::size_t P>
  void insert(EntityType entity, RowNumber row) const {
    if constexpr (P != 0) {
      index_.template insert<P>(entity, row);
    } else {
      write(registry_.slot_data() + entity.index(), Entries::of(entity, row));
    }
  }
  template <std::size_t P>
  void insert(const NewEntities<EntityType>& entities, RowNumber first_row) const {
    if constexpr (P != 0) {
      index_.template insert<P>(entities, first_row);
    } else if (entities.consecutive) {
      write_run(registry_.slot_data() + entities.first_index(), entities.handles, first_row);
    } else {
      for (const EntityType entity : entities.handles) insert<P>(entity, first_row++);
    }
  }

  class Reader {
   public:
    explicit Reader(const Slot* first) noexcept : slots_(first) {}
    [[nodiscard]] RowNumber operator()(EntityIndex index) const noexcept { return slots_[index].data.word ^ index; }

   private:
    const Slot* slots_;
  };
  template <std::size_t P>
  [[nodiscard]] auto reader() const noexcept {
    if constexpr (P != 0) {
      return index_.template reader<P>();
    } else {
      return Reader(registry_.slot_data());
    }
  }

  template <std::size_t P>
  void assign(EntityIndex index, RowNumber row) const noexcept {
    if constexpr (P != 0) {
      index_.template assign<P>(index, row);
    } else {
      registry_.slot_data()[index].data.word = index ^ row;
    }
  }
  template <std::size_t P>
  void erase(EntityType entity) const noexcept {
    if constexpr (P != 0) {
      index_.template erase<P>(entity);
    } else {
      assign<P>(entity.index(), no_row);
    }
  }

  template <std::size_t P>
  void reserve(std::size_t count) const {
    if constexpr (P != 0) {
      index_.template reserve<P>(count);
    } else {
      registry_.reserve(count);
    }
  }

 private:
  /// See RowEntry::write_run().
  static void write_run(Slot* run, std::span<const EntityType> entities, RowNumber first_row) noexcept {
    const std::size_t count = entities.size();
    for (std::size_t i = 0; i < count; ++i) {
      write(run + i, Entries::of(entities[i], first_row + static_cast<RowNumber>(i)));
    }
  }
  /// As a whole, and not the row alone: a lookup reads it as a whole, and would have to wait for the halves.
  static void write(Slot* slot, typename Entries::Word entry) noexcept {
    std::memcpy(static_cast<void*>(slot), &entry, sizeof entry);
  }

  Registry& registry_;
  Index& index_;
};

}  // namespace stowage::parts
