#pragma once

// Direct rows as a careful engineer writes them: an entity's index is its row in every column, bits say what is there.

#include <stowage/contract/memory.hpp>

#include "workloads/floors/rows.hpp"
#include "workloads/floors/slot_table.hpp"

namespace stowage::workloads {

/// A bit for each of 64 rows: what a loop over direct rows reads of them.
using RowBits = std::uint64_t;
inline constexpr std::size_t rows_per_word = 64;

/// What rows have, by component: a loop or a change needs the words of a few.
///
///     A: [64 rows][64 rows] ... [0]      an empty word behind
///     B: [64 rows][64 rows] ... [0]
template <class... Cs>
class BitsByComponent {
 public:
  template <class... Qs>
  [[nodiscard]] auto reader() const noexcept {
    return [... words = words_of<Qs>().data()](std::size_t block) { return (words[block] & ...); };
  }
  /// For a row that has none, here; below for any.
  template <class... New>
  void begin(std::size_t row) noexcept {
    (add<New>(row), ...);
  }
  template <class... New>
  void begin(std::size_t first, std::size_t end) noexcept {
    while (first != end) {
      const std::size_t in_word = first % rows_per_word;
      const std::size_t rows = std::min(rows_per_word - in_word, end - first);
      ((words_of<New>()[first / rows_per_word] |= ~RowBits{0} >> (rows_per_word - rows) << in_word), ...);
      first += rows;
    }
  }
  template <class C>
  void add(std::size_t row) noexcept {
    words_of<C>()[row / rows_per_word] |= RowBits{1} << row % rows_per_word;
  }
  template <class C>
  void remove(std::size_t row) noexcept {
    words_of<C>()[row / rows_per_word] &= ~(RowBits{1} << row % rows_per_word);
  }
  void remove_all([[maybe_unused]] std::size_t row) noexcept { (remove<Cs>(row), ...); }
  void clear() noexcept {
    for (StoredArray<RowBits>& words : words_) std::ranges::fill(words, 0);
  }
  void resize(std::size_t rows) {
    for (StoredArray<RowBits>& words : words_) {
      words.reserve(rows / rows_per_word + 2);  // or it would double
      words.resize(rows / rows_per_word + 2);
    }
  }
  static constexpr std::size_t bytes_per_word = sizeof...(Cs) * sizeof(RowBits);  ///< for the rows of a word
  static constexpr std::size_t allocations = sizeof...(Cs);
  [[nodiscard]] std::size_t held_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const StoredArray<RowBits>& words : words_) bytes += words.capacity() * sizeof(RowBits);
    return bytes;
  }

 private:
  template <class Q>
  [[nodiscard]] auto& words_of() noexcept {
    return words_[number_in<std::remove_const_t<Q>, Cs...>];
  }
  template <class Q>
  [[nodiscard]] const auto& words_of() const noexcept {
    return words_[number_in<std::remove_const_t<Q>, Cs...>];
  }

  std::array<StoredArray<RowBits>, sizeof...(Cs)> words_;
};

/// What rows have, by row: the begin and the end of an entity are a store that waits for nothing.
///
///     [A B -][- - -][A - -] ... [0] x 64      a bit for each component; empty ones behind
template <class... Cs>
class BitsByRow {
  using Mask = std::conditional_t<(sizeof...(Cs) <= 8), std::uint8_t, std::uint32_t>;
  template <class... Qs>
  static constexpr auto mask = static_cast<Mask>(((1u << number_in<std::remove_const_t<Qs>, Cs...>) | ... | 0u));

 public:
  template <class... Qs>
  [[nodiscard]] auto reader() const noexcept {
    return [masks = masks_.data()](std::size_t block) {
      RowBits word = 0;
      for (std::size_t row = 0; row < rows_per_word; ++row) {
        word |= RowBits{(masks[block * rows_per_word + row] & mask<Qs...>) == mask<Qs...>} << row;
      }
      return word;
    };
  }
  template <class... New>
  void begin(std::size_t row) noexcept {
    masks_[row] = mask<New...>;
  }
  template <class... New>
  void begin(std::size_t first, std::size_t end) noexcept {
    std::fill(masks_.data() + first, masks_.data() + end, mask<New...>);
  }
  template <class C>
  void add(std::size_t row) noexcept {
    masks_[row] |= mask<C>;
  }
  template <class C>
  void remove(std::size_t row) noexcept {
    masks_[row] &= static_cast<Mask>(~mask<C>);
  }
  void remove_all(std::size_t row) noexcept {
    if constexpr (sizeof...(Cs) > 0) masks_[row] = 0;
  }
  void clear() noexcept { std::ranges::fill(masks_, 0); }
  void resize(std::size_t rows) {
    masks_.reserve((rows / rows_per_word + 2) * rows_per_word);
    masks_.resize((rows / rows_per_word + 2) * rows_per_word);
  }
  static constexpr std::size_t bytes_per_word = rows_per_word * sizeof(Mask);
  static constexpr std::size_t allocations = 1;
  [[nodiscard]] std::size_t held_bytes() const noexcept { return masks_.capacity() * sizeof(Mask); }

 private:
  StoredArray<Mask> masks_;
};

///     slots_     [handle^lacks] [handle^lacks] ...          slot -> a bit for each component that is not there
///     present_   see `Bits`                                 the same, for loops
///     columns_   [ A0 -- A2 ... | B0 B1 -- ... ]            row = index; one allocation
///
/// A lookup reads the slot alone: of a stale handle, and of an entity that lacks a component, the same bits are set.
/// The contract floor of direct rows (see packed_store.hpp).
template <std::size_t FreeLists, template <class...> class Bits, class... Cs>
class DirectRows {
  using Slots = SlotTable<1, FreeLists>;
  using Present = Bits<Cs...>;
  static_assert(sizeof...(Cs) < 32, "a slot has a bit for each");

  template <class... Qs>
  static constexpr std::uint32_t bits_of = ((std::uint32_t{1} << number_in<std::remove_const_t<Qs>, Cs...>) | ... | 0);
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
    put(entity.index(), components...);
    ++size_;
    return entity;
  }

  /// Rows that no entity has had are copied column by column.
  template <class... New>
  void create(std::span<Entity> out, std::span<const New>... columns) {
    constexpr std::uint32_t lacks = bits_of<Cs...> & ~bits_of<New...>;
    const std::size_t reused = slots_.add(out, [](std::uint32_t) { return lacks; });
    if constexpr (sizeof...(New) > 0) {
      if (slots_.used() > columns_.capacity()) reallocate(slots_.used());
      for (std::size_t i = 0; i < reused; ++i) put(out[i].index(), columns[i]...);
      if (reused < out.size()) {
        const std::size_t first = out[reused].index();
        (std::copy(columns.begin() + reused, columns.end(), &column<New>()[first]), ...);
        present_.template begin<New...>(first, slots_.used());
      }
    }
    size_ += out.size();
  }

  bool destroy(Entity entity) {
    if (!slots_.alive(entity)) return false;
    present_.remove_all(entity.index());
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
    present_.template add<C>(row);
    return column<C>()[row] = made;
  }

  template <class C>
  bool remove(Entity entity) {
    const std::uint32_t lacks = slots_.find(entity);
    if ((lacks & bits_of<C>) != 0) return false;
    slots_.set_place(entity.index(), lacks | bits_of<C>);
    present_.template remove<C>(entity.index());
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
    const auto word_of = present_.template reader<Qs...>();
    const auto entity_of = [this](std::size_t row) { return slots_.entity(static_cast<std::uint32_t>(row)); };
    const std::size_t blocks = (slots_.used() + rows_per_word - 1) / rows_per_word;
    for (std::size_t block = 0; block < blocks; ++block) {
      RowBits word = word_of(block);
      if (word == 0) continue;
      if (word == ~RowBits{0}) {
        const std::size_t first = block;
        while (word_of(++block) == ~RowBits{0}) {
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
    present_.clear();
    slots_.end_all();
  }

  template <class C>
  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t rows = 0;
    const auto word_of = present_.template reader<C>();
    for (std::size_t block = 0; block * rows_per_word < slots_.used(); ++block) {
      rows += static_cast<std::size_t>(std::popcount(word_of(block)));
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
    const std::size_t index = slots_.used_bytes() + blocks * Present::bytes_per_word;
    const std::size_t held = slots_.held_bytes() + columns_.held_bytes() + present_.held_bytes();
    const std::size_t allocations = slots_.allocations() + columns_.allocations() * (1 + Present::allocations);
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

  template <class... New>
  void put([[maybe_unused]] std::size_t row, const New&... components) {
    if constexpr (sizeof...(New) > 0) present_.template begin<New...>(row);
    ((column<New>()[row] = components), ...);
  }

  [[gnu::noinline, gnu::cold]] void grow(std::size_t rows) { reallocate(grown(columns_.capacity(), rows)); }
  /// Holes are copied as well.
  void reallocate(std::size_t rows) {
    columns_.reallocate(rows, columns_.capacity());
    present_.resize(rows);
  }

  Slots slots_;
  Present present_;
  Columns<Cs...> columns_;
  std::size_t size_ = 0;
};

template <class... Cs>
using DirectStore = DirectRows<1, BitsByComponent, Cs...>;
template <class... Cs>
using DirectByRow = DirectRows<1, BitsByRow, Cs...>;
/// The same for work in which most entities are created in the place of another.
template <class... Cs>
using DirectReusing = DirectRows<churn_lists, BitsByRow, Cs...>;

}  // namespace stowage::workloads
