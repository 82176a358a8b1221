#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <stowage/contract/assert.hpp>
#include <stowage/parts/loop_slice.hpp>

namespace stowage::parts {

/// 64 rows, each there or not.
using PresenceWord = std::uint64_t;
inline constexpr std::size_t rows_per_word = 64;

[[nodiscard]] constexpr PresenceWord presence_bit(std::size_t row) noexcept {
  return PresenceWord{1} << row % rows_per_word;
}

/// Says of `count` rows from `first` on that they are there. `word_of(row)` is the word with the row's bit.
template <class WordOf>
void mark_rows(std::size_t first, std::size_t count, WordOf&& word_of) noexcept {
  const std::size_t end = first + count;
  for (; first < end && first % rows_per_word != 0; ++first) word_of(first) |= presence_bit(first);
  for (; end - first >= rows_per_word; first += rows_per_word) word_of(first) = ~PresenceWord{0};
  for (; first < end; ++first) word_of(first) |= presence_bit(first);
}

/// Calls `visit_run(first, count)` for rows that fill whole words, neighbours joined, and `visit_row(row)` for the
/// others: a loop that can be vectorised pays only where rows are dense. `word(block)` says which of 64 rows are there.
/// Each is called in one place, which is why a run that reaches the end has an empty word behind it: a function that is
/// called in two may be inlined in none, and then what it adds to stays in memory.
template <class Word, class VisitRun, class VisitRow>
STOWAGE_INLINE inline void for_each_present_run(RowRange blocks, Word&& word_of_block, VisitRun&& visit_run,
                                                VisitRow&& visit_row) {
  for (std::size_t block = blocks.first; block < blocks.end; ++block) {
    const std::size_t first = block;
    PresenceWord word = word_of_block(block);
    while (word == ~PresenceWord{0}) word = ++block < blocks.end ? word_of_block(block) : 0;
    if (block != first) visit_run(first * rows_per_word, (block - first) * rows_per_word);
    for (; word != 0; word &= word - 1) {
      visit_row(block * rows_per_word + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
}

/// The bits of a block's word whose rows are in the range.
[[nodiscard]] constexpr PresenceWord within(RowRange rows, std::size_t block, PresenceWord word) noexcept {
  const std::size_t begin = block * rows_per_word;
  if (begin < rows.first) word &= ~PresenceWord{0} << (rows.first - begin);
  if (begin + rows_per_word > rows.end) word &= ~PresenceWord{0} >> (begin + rows_per_word - rows.end);
  return word;
}

/// The same for those that are in a range of rows.
template <class Word, class VisitRun, class VisitRow>
STOWAGE_INLINE inline void for_each_present_run_in(RowRange rows, Word&& word_of_block, VisitRun&& visit_run,
                                                   VisitRow&& visit_row) {
  if (rows.first == rows.end) return;
  for_each_present_run(
      {rows.first / rows_per_word, (rows.end + rows_per_word - 1) / rows_per_word},
      [&](std::size_t block) { return within(rows, block, word_of_block(block)); }, visit_run, visit_row);
}

}  // namespace stowage::parts
