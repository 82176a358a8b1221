#pragma once

// sparse_direct.bitset: direct rows, of which a second level of bits says where there are any.
//
//     presence   [64 bits of A][64 bits of B] [64 of A][64 of B] ...   1 bit per index and component
//     summary    [64 bits of A][64 bits of B] ...   1 bit per word of presence: has it a row at all?
//
//     each<A, B>(fn)   for each 4096 rows: words = summary[A] & summary[B]      // 64 words of presence at a time
//                          for each set bit: bits = presence[A] & presence[B]; then as in sparse_direct
//     emplace, remove  set a bit and its summary; clear a bit, and the summary if its word is 0 now
//
// The code: LayeredBits below; all else is sparse_direct.hpp.
//
// By: hibitset of specs, which has four levels. A second one is enough for the 16 million entities that are measured
//     here: their summary has 32 KiB for each component.
// Pick it when a loop asks for components that few entities have. An entity that gets or loses one pays for two words.
// Misses: as sparse_direct; a loop reads no presence of 64 rows of which none has a component.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <stowage/sparse_direct.hpp>

namespace stowage {

namespace parts {

/// PresenceBits, and for each of its words a bit that says whether any is set.
template <std::size_t Components>
class LayeredBits : private PresenceBits<Components> {
  using Rows = PresenceBits<Components>;

 public:
  using typename Rows::Word;

  using Rows::blocks, Rows::count, Rows::covered, Rows::for_each_change, Rows::rows, Rows::view;

  /// The bits of a block's rows that have all of `Ids` and none of `Absent`.
  template <class Ids, class Absent>
  class WordOf;
  template <std::size_t... Ids, std::size_t... Absent>
  class WordOf<std::index_sequence<Ids...>, std::index_sequence<Absent...>> {
   public:
    explicit WordOf(const LayeredBits& bits) noexcept : bits_(bits) {}
    [[nodiscard]] Word operator()(std::size_t block) const noexcept {
      return bits_.Rows::word_of(std::index_sequence<Ids...>{}, std::index_sequence<Absent...>{})(block);
    }
    /// The first block from this one on of which each of `Ids` has rows; one behind all if there is none.
    [[nodiscard]] std::size_t next(std::size_t block) const noexcept {
      const std::size_t end = bits_.words_.rows() / rows_per_word;
      std::size_t group = block / rows_per_word;
      if (group >= end) return block;
      const auto words_of = bits_.words_.template word_of_all<Ids...>();
      Word words = words_of(group) >> block % rows_per_word << block % rows_per_word;
      while (words == 0) {
        if (++group == end) return end * rows_per_word;
        words = words_of(group);
      }
      return group * rows_per_word + static_cast<std::size_t>(std::countr_zero(words));
    }

   private:
    const LayeredBits& bits_;
  };
  template <std::size_t... Ids>
  [[nodiscard]] auto word_of_all() const noexcept {
    return word_of(std::index_sequence<Ids...>{}, std::index_sequence<>{});
  }
  template <class Ids, class Absent>
  [[nodiscard]] WordOf<Ids, Absent> word_of(Ids /*have*/, Absent /*have_not*/) const noexcept {
    return WordOf<Ids, Absent>(*this);
  }

  /// The row must be below rows().
  void set(std::size_t row, std::size_t component) noexcept {
    Rows::set(row, component);
    words_.set(row / rows_per_word, component);
  }
  void reset(std::size_t row, std::size_t component) noexcept {
    Rows::reset(row, component);
    if (Rows::word(row / rows_per_word, component) == 0) words_.reset(row / rows_per_word, component);
  }
  void reset_all(std::size_t row) noexcept {
    for (std::size_t c = 0; c < Components; ++c) reset(row, c);
  }
  void set_run(std::size_t first, std::size_t length, std::size_t component) noexcept {
    if (length == 0) return;
    Rows::set_run(first, length, component);
    const std::size_t word = first / rows_per_word;
    words_.set_run(word, (first + length - 1) / rows_per_word - word + 1, component);
  }

  /// Bits for rows below `end`, the new ones unset. Throws std::bad_alloc; then no row has bits that had none.
  void extend(std::size_t end) {
    words_.extend(presence_words(end));
    Rows::extend(end);
  }
  void clear() noexcept {
    Rows::clear();
    words_.clear();
  }
  void copy_from(const LayeredBits& other) {
    words_.copy_from(other.words_);
    Rows::copy_from(other);
  }
  [[nodiscard]] std::size_t used_bytes(std::size_t end) const noexcept {
    return Rows::used_bytes(end) + words_.used_bytes(blocks(end));
  }
  [[nodiscard]] std::size_t held_bytes() const noexcept { return Rows::held_bytes() + words_.held_bytes(); }
  [[nodiscard]] std::size_t allocations() const noexcept { return Rows::allocations() + words_.allocations(); }
  [[nodiscard]] std::uint64_t growths() const noexcept { return Rows::growths() + words_.growths(); }

 private:
  PresenceBits<Components> words_;  // a row of these is a word of 64 rows
};

}  // namespace parts

template <class SchemaType, class Registry = EntityRegistry<>>
using SparseDirectBitset = SparseDirect<SchemaType, Registry, parts::LayeredBits>;

static_assert(assert_storage<SparseDirectBitset<ProbeSchema>>());

}  // namespace stowage
