#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>

namespace stowage {

/// The position of an entity in the registry; the same width for every handle, so that rows can name their owner in
/// 4 bytes.
using EntityIndex = std::uint32_t;

/// A weak reference to an entity: its index in the registry and the generation that the index had when the entity was
/// created. A handle never owns anything and never dangles: once its entity is destroyed it is merely not alive.
///
/// `Word` is the integer it is stored in; bits of it that neither part uses stay 0 (the 22 + 8 preset leaves two for a
/// scripting language's pointer tag). The idea and the 22 + 8 split are Bitsquid's.
template <std::unsigned_integral Word, unsigned IndexBits, unsigned GenerationBits>
class BasicEntity {
  static_assert(IndexBits >= 1 && IndexBits <= 32, "an index has 1 to 32 bits");
  static_assert(GenerationBits >= 1 && GenerationBits <= 32, "a generation has 1 to 32 bits");
  static_assert(IndexBits + GenerationBits <= std::numeric_limits<Word>::digits, "the handle does not fit its word");

 public:
  using word_type = Word;
  /// The narrowest integer that holds a generation.
  using generation_type = std::conditional_t<(GenerationBits <= 8), std::uint8_t,
                                             std::conditional_t<(GenerationBits <= 16), std::uint16_t, std::uint32_t>>;

  static constexpr unsigned index_bits = IndexBits;
  static constexpr unsigned generation_bits = GenerationBits;
  static constexpr std::uint32_t index_mask = static_cast<std::uint32_t>((std::uint64_t{1} << IndexBits) - 1);
  static constexpr generation_type generation_mask =
      static_cast<generation_type>((std::uint64_t{1} << GenerationBits) - 1);
  /// How many entities can be alive at once: the last index is given up, because the null handle has it.
  static constexpr std::uint64_t max_entities = (std::uint64_t{1} << IndexBits) - 1;

  /// The null handle: never alive.
  constexpr BasicEntity() noexcept = default;

  constexpr BasicEntity(EntityIndex index, generation_type generation) noexcept
      : word_(static_cast<Word>(static_cast<Word>(index) |
                                static_cast<Word>(static_cast<Word>(generation) << IndexBits))) {}

  /// The handle that word() once returned.
  [[nodiscard]] static constexpr BasicEntity from_word(Word word) noexcept {
    BasicEntity entity;
    entity.word_ = word;
    return entity;
  }

  [[nodiscard]] constexpr EntityIndex index() const noexcept { return static_cast<EntityIndex>(word_ & index_mask); }
  [[nodiscard]] constexpr generation_type generation() const noexcept {
    return static_cast<generation_type>((word_ >> IndexBits) & generation_mask);
  }
  [[nodiscard]] constexpr Word word() const noexcept { return word_; }
  [[nodiscard]] constexpr bool is_null() const noexcept { return word_ == (std::numeric_limits<Word>::max)(); }

  friend constexpr bool operator==(BasicEntity, BasicEntity) noexcept = default;
  friend constexpr auto operator<=>(BasicEntity, BasicEntity) noexcept = default;

 private:
  Word word_ = (std::numeric_limits<Word>::max)();
};

/// The default for new users: 2^32 - 1 indices and 2^31 generations of each, because the registry keeps one bit for
/// itself. No handle comes back in practice, so freed indices need not wait before they are used again. What it costs
/// against the 30-bit preset is 4 more bytes per stored handle and 2 more per registry slot; docs/decisions.md has the
/// measured difference.
using Entity = BasicEntity<std::uint64_t, 32, 32>;

/// Bitsquid's handle: 4 Mi indices and 256 generations in 30 bits, 2 bytes per registry slot. A generation wraps after
/// 256 lives of an index, so it wants a registry in which freed indices wait: see `QueuedRegistry`.
using Entity30 = BasicEntity<std::uint32_t, 22, 8>;

}  // namespace stowage

template <std::unsigned_integral Word, unsigned IndexBits, unsigned GenerationBits>
struct std::hash<stowage::BasicEntity<Word, IndexBits, GenerationBits>> {
  [[nodiscard]] std::size_t operator()(stowage::BasicEntity<Word, IndexBits, GenerationBits> entity) const noexcept {
    return std::hash<Word>{}(entity.word());
  }
};
