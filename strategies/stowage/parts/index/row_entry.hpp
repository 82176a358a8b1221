#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <stowage/contract/entity.hpp>
#include <stowage/parts/row_number.hpp>

namespace stowage::parts {

/// Entity and row in 8 bytes: the handle of the owner, its generation above 32 bits of index, xor the row. Xor with the
/// handle that is looked up leaves the row where the two are the same, and something that no row is where they are not:
/// one xor, one comparison, and a stale handle is told apart without a second miss.
template <class EntityType>
struct RowEntry {
  using Word = std::uint64_t;

  /// For a 64-bit handle this is the handle's own word.
  [[nodiscard]] static constexpr Word key_of(EntityType entity) noexcept {
    return static_cast<Word>(entity.generation()) << 32 | entity.index();
  }
  [[nodiscard]] static constexpr Word of(EntityType entity, RowNumber row) noexcept { return key_of(entity) ^ row; }
  /// What no handle with this index makes a row of, whatever its generation.
  [[nodiscard]] static constexpr Word absent(std::size_t index) noexcept { return index ^ no_row; }

  /// The row where the entry is of this very entity, no_row otherwise.
  [[nodiscard]] static constexpr RowNumber row_of(Word entry, EntityType entity) noexcept {
    const Word difference = entry ^ key_of(entity);
    return difference <= last_row ? static_cast<RowNumber>(difference) : no_row;
  }
  /// The row in the entry of the living entity at `index`, no_row when it has none.
  [[nodiscard]] static constexpr RowNumber row_at(Word entry, EntityIndex index) noexcept {
    return static_cast<RowNumber>(entry) ^ index;
  }
  [[nodiscard]] static constexpr Word moved(Word entry, EntityIndex index, RowNumber row) noexcept {
    return (entry & ~Word{no_row}) | (index ^ row);
  }

  /// Entries of entities whose indices follow each other, from row `first_row` on. By value, so that no store of an
  /// entry can be a store to what the loop runs on, and it is vectorised.
  static void write_run(Word* run, std::span<const EntityType> entities, RowNumber first_row) noexcept {
    const std::size_t count = entities.size();
    for (std::size_t i = 0; i < count; ++i) run[i] = of(entities[i], first_row + static_cast<RowNumber>(i));
  }
  /// Entries without a row for the indices from `first` to `end`; `run` is where that of index 0 would be.
  static void write_absent(Word* run, std::size_t first, std::size_t end) noexcept {
    for (std::size_t index = first; index < end; ++index) run[index] = absent(index);
  }
};

}  // namespace stowage::parts
