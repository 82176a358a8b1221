#pragma once

// Puts rows in the order of a key that changes a little at a time.

#include <cstddef>

namespace stowage::parts {

/// An insertion sort in both directions: rows that are equal keep their order. `comes_before(row, other)` compares two
/// rows, and `move(from, to)` moves one past all in between. O(rows + places that rows move by).
template <class ComesBefore, class Move>
void sort_rows(std::size_t rows, ComesBefore comes_before, Move move) {
  for (std::size_t row = 1; row < rows;) {  // those before are in order
    if (!comes_before(row, row - 1)) {
      ++row;
    } else if (row == 1 || !comes_before(row, row - 2)) {  // the one before has to go back
      std::size_t to = row;
      while (to + 1 < rows && comes_before(to + 1, row - 1)) ++to;
      move(row - 1, to);
    } else {
      std::size_t to = row - 2;
      while (to != 0 && comes_before(row, to - 1)) --to;
      move(row, to);
      ++row;
    }
  }
}

}  // namespace stowage::parts
