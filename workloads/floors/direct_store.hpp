#pragma once

// Direct rows as a careful engineer writes them: an entity's index is its row in every column, bits say what is there.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/memory.hpp>

#include "workloads/floors/array.hpp"
#include "workloads/floors/rows.hpp"
#include "workloads/floors/slot_table.hpp"

namespace stowage::workloads {

///     slots_     [handle^lacks] [handle^lacks] ...          slot -> a bit for each component that is not there
///     present_   A: [64 rows][64 rows] ... [0]              the same by component, for loops; an empty word behind
///                B: [64 rows][64 rows] ... [0]
///     columns_   [ A0 -- A2 ... | B0 B1 -- ... ]            row = index; one allocation
///
/// A lookup reads the slot alone: of a stale handle, and of an entity that lacks a component, the same bits are set.
/// The contract floor of direct rows (see packed_store.hpp). If `BitsTogether`, the words of the same rows lie side by
/// side: an entity that is created or destroyed needs all of them, and a loop or a change only a few.
template <bool BitsTogether, class... Cs>
class DirectRows {
  using Slots = SlotTable<>;
  using Word = std::uint64_t;
  using Words = std::array<Word, BitsTogether ? sizeof...(Cs) : 1>;  ///< of the same rows
  static constexpr std::size_t word_arrays = BitsTogether ? 1 : sizeof...(Cs);
  static constexpr std::size_t rows_per_word = 64;
  static_assert(sizeof...(Cs) < 32, "a slot has a bit for each");

  template <class Q>
  static constexpr std::size_t number = number_in<std::remove_const_t<Q>, Cs...>;
  template <class... Qs>
  static constexpr std::uint32_t bits_of = ((std::uint32_t{1} << number<Qs>) | ... | 0);
  /// What a lookup makes of a slot has one of these bits if the handle is stale or one of `Qs` is not there.
  template <class... Qs>
  static constexpr std::uint64_t unless_found = ~std::uint64_t{Slots::none} | bits_of<Qs...>;

 public:
  using entity_type = Entity;

  template <class... New>
  Entity create(const New&... components) {
    const Entity entity = slots_.add(bits_of<Cs...> & ~bits_of<New...>);
    if constexpr (sizeof...(Cs) > 0) {
      if (entity.index() >= columns_.capacity()) grow(entity.index() + std::size_t{1});
    }
    (put(entity.index(), components), ...);
    ++size_;
    return entity;
  }

  /// Rows that nobody has had are copied column by column.
  template <class... New>
  void create(std::span<Entity> out, std::span<const New>... columns) {
    constexpr std::uint32_t lacks = bits_of<Cs...> & ~bits_of<New...>;
    const std::size_t reused = slots_.add(out, [](std::uint32_t) { return lacks; });
    if constexpr (sizeof...(New) > 0) {
      if (slots_.used() > columns_.capacity()) reallocate(slots_.used());
      for (std::size_t i = 0; i < reused; ++i) (put(out[i].index(), columns[i]), ...);
      if (reused < out.size()) {
        const std::size_t first = out[reused].index();
        (std::copy(columns.begin() + reused, columns.end(), &column<New>()[first]), ...);
        set_bits<New...>(first, slots_.used());
      }
    }
    size_ += out.size();
  }

  bool destroy(Entity entity) {
    if (!slots_.alive(entity)) return false;
    (take_out<Cs>(entity.index()), ...);
    slots_.remove(entity);
    --size_;
    return true;
  }

  [[nodiscard]] bool alive(Entity entity) const noexcept { return slots_.alive(entity); }

  /// Throws std::out_of_range for a stale handle.
  template <class C, class... Arguments>
    requires(std::is_same_v<C, Cs> || ...)
  C& emplace(Entity entity, Arguments&&... arguments) {
    const std::uint64_t difference = slots_.difference(entity);
    if (difference > Slots::none) refuse_stale_handle();
    const std::uint32_t row = entity.index();
    const auto lacks = static_cast<std::uint32_t>(difference);
    const C made{std::forward<Arguments>(arguments)...};
    if ((lacks & bits_of<C>) == 0) return column<C>()[row] = made;
    slots_.set_place(row, lacks & ~bits_of<C>);
    return put(row, made);
  }

  template <class C>
  bool remove(Entity entity) {
    const std::uint32_t lacks = slots_.find(entity);
    if ((lacks & bits_of<C>) != 0) return false;
    slots_.set_place(entity.index(), lacks | bits_of<C>);
    take_out<C>(entity.index());
    return true;
  }

  template <class... Qs>
  [[nodiscard]] Found<Qs...> find(Entity entity) const noexcept {
    // before the test, so that a loop of lookups keeps it
    const auto at = [... columns = column<Qs>()](std::size_t row) { return Found<Qs...>{not_null(&columns[row])...}; };
    const std::uint64_t lacks = slots_.difference(entity);
    if ((lacks & unless_found<Qs...>) != 0) [[unlikely]] {
      return Found<Qs...>{((lacks & unless_found<Qs>) == 0 ? &column<Qs>()[entity.index()] : nullptr)...};
    }
    return at(entity.index());
  }

  /// Full words that follow each other are one loop, which can be vectorised; of others each bit is a step.
  template <class... Qs, class Visit>
  void each(Visit&& visit) const {
    const auto word_of = [... words = words_of<Qs>()](std::size_t block) {
      return (words[block][number_in_words<Qs>] & ...);
    };
    const auto entity_of = [this](std::size_t row) { return slots_.entity(static_cast<std::uint32_t>(row)); };
    const std::size_t blocks = (slots_.used() + rows_per_word - 1) / rows_per_word;
    for (std::size_t block = 0; block < blocks; ++block) {
      Word word = word_of(block);
      if (word == 0) continue;
      if (word == ~Word{0}) {
        const std::size_t first = block;
        while (word_of(++block) == ~Word{0}) {
        }
        visit_arrays(first * rows_per_word, block * rows_per_word, visit, entity_of, column<Qs>()...);
        word = word_of(block);
      }
      const std::size_t first = block * rows_per_word;
      const auto show_bits = [&](auto*... rows) {
        for (; word != 0; word &= word - 1) {
          const auto row = static_cast<std::size_t>(std::countr_zero(word));
          show(visit, [&] { return entity_of(first + row); }, rows[row]...);
        }
      };
      show_bits((column<Qs>() + first)...);
    }
  }

  /// See PackedStore.
  void end_all() noexcept {
    size_ = 0;
    for (StoredArray<Words>& words : present_) std::ranges::fill(words, Words{});
    slots_.end_all();
  }

  template <class C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t rows = 0;
    for (std::size_t block = 0; block * rows_per_word < slots_.used(); ++block) {
      rows += static_cast<std::size_t>(std::popcount(words_of<C>()[block][number_in_words<C>]));
    }
    return rows;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// All columns are as long as the longest.
  template <class... Reserved>
  void reserve(std::size_t count) {
    slots_.reserve(count);
    if constexpr (sizeof...(Cs) > 0) {
      if (count > columns_.capacity()) reallocate(count);
    }
  }

  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t payload = (0 + ... + (count<Cs>() * element_bytes<Cs>));
    const std::size_t blocks = columns_.capacity() == 0 ? 0 : (slots_.used() + rows_per_word - 1) / rows_per_word;
    const std::size_t index = slots_.used_bytes() + blocks * sizeof...(Cs) * sizeof(Word);
    std::size_t held = slots_.held_bytes() + columns_.held_bytes();
    for (const StoredArray<Words>& words : present_) held += words.capacity() * sizeof(Words);
    const std::size_t allocations = slots_.allocations() + columns_.allocations() * (1 + word_arrays);
    return {.payload_bytes = payload,
            .index_bytes = index,
            .slack_bytes = held - payload - index,
            .allocations = allocations};
  }

 private:
  /// All entities share the one object of a component without members.
  template <class C>
  struct OneForAll {
    C& operator[](std::size_t) const noexcept {
      static C object{};
      return object;
    }
  };
  template <class Q>
  [[nodiscard]] auto column() const noexcept {
    if constexpr (std::is_empty_v<Q>) {
      return OneForAll<Q>{};
    } else {
      Q* const first = columns_.template of<std::remove_const_t<Q>>();
      return first;
    }
  }
  template <class Q>
  static constexpr std::size_t number_in_words = BitsTogether ? number<Q> : 0;
  template <class Q>
  [[nodiscard]] const Words* words_of() const noexcept {
    return present_[BitsTogether ? 0 : number<Q>].data();
  }
  template <class C>
  [[nodiscard]] Word& word_of(std::size_t row) noexcept {
    return present_[BitsTogether ? 0 : number<C>][row / rows_per_word][number_in_words<C>];
  }

  template <class C>
  C& put(std::size_t row, const C& component) {
    word_of<C>(row) |= Word{1} << row % rows_per_word;
    return column<C>()[row] = component;
  }
  template <class C>
  void take_out(std::size_t row) noexcept {
    word_of<C>(row) &= ~(Word{1} << row % rows_per_word);
  }

  template <class... New>
  void set_bits(std::size_t first, std::size_t end) noexcept {
    while (first != end) {
      const std::size_t in_word = first % rows_per_word;
      const std::size_t rows = std::min(rows_per_word - in_word, end - first);
      const Word bits = ~Word{0} >> (rows_per_word - rows) << in_word;
      ((word_of<New>(first) |= bits), ...);
      first += rows;
    }
  }

  [[gnu::noinline, gnu::cold]] void grow(std::size_t rows) { reallocate(grown(columns_.capacity(), rows)); }
  /// Holes are copied as well.
  void reallocate(std::size_t rows) {
    columns_.reallocate(rows, columns_.capacity());
    for (StoredArray<Words>& words : present_) {
      words.reserve(rows / rows_per_word + 2);  // or it would double
      words.resize(rows / rows_per_word + 2);
    }
  }

  Slots slots_;
  std::array<StoredArray<Words>, word_arrays> present_;
  Columns<Cs...> columns_;
  std::size_t size_ = 0;
};

template <class... Cs>
using DirectStore = DirectRows<false, Cs...>;
template <class... Cs>
using DirectEntities = DirectRows<true, Cs...>;

}  // namespace stowage::workloads
