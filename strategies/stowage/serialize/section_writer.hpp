#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <stowage/contract/row_table.hpp>
#include <stowage/serialize/format.hpp>
#include <stowage/serialize/row_size.hpp>
#include <stowage/serialize/section_sum.hpp>

namespace stowage::serialize {

/// Writes one section of a file from its start to its end, and sums it up on the way.
class SectionWriter {
 public:
  static constexpr std::size_t piece_bytes = SectionSum::piece_bytes;

  SectionWriter() = default;
  explicit SectionWriter(std::byte* start) noexcept : start_(start), sum_(start) {}

  void add(const void* bytes, std::size_t count) noexcept {
    if (count != 0) sum_.copy(static_cast<const std::byte*>(bytes), next(), count);
  }

  /// Adds number_of(0) to number_of(count - 1), 4 bytes each.
  template <class NumberOf>
  void add_numbers(std::size_t count, NumberOf&& number_of) {
    constexpr std::size_t piece = piece_bytes / sizeof(std::uint32_t);
    for (std::size_t done = 0; done < count;) {
      const std::size_t end = std::min(count, done + piece);
      std::byte* to = next();
      const std::size_t first = done;
      for (; done < end; ++done, to += sizeof(std::uint32_t)) {
        const std::uint32_t number = number_of(done);
        std::memcpy(to, &number, sizeof number);
      }
      advance((end - first) * sizeof(std::uint32_t));
    }
  }

  /// The next bytes of the section were written where next() said.
  [[nodiscard]] std::byte* next() const noexcept { return start_ + sum_.bytes(); }
  void advance(std::size_t bytes) noexcept { sum_.advance(bytes); }

  /// Fills what is left up to the next section with 0.
  [[nodiscard]] std::uint64_t finish() noexcept {
    std::memset(next(), 0, aligned(sum_.bytes(), section_alignment) - sum_.bytes());
    return sum_.finish();
  }

 private:
  std::byte* start_ = nullptr;
  SectionSum sum_;
};

/// Copies `rows` components of a column to where they lie side by side, from row `first` on.
inline void copy_rows_of(const TableColumn& column, std::size_t first, std::size_t rows, std::size_t bytes,
                         std::byte* to) {
  if (column.is_spread()) return column.gather(first, rows, to);
  if (column.lies_packed(bytes)) {
    std::memcpy(to, column.at(first), rows * bytes);
    return;
  }
  const TableColumn from = column;  // of its own, so that no byte that is written may be a part of it
  with_row_size(bytes, [&](auto size) {
    for (std::size_t row = 0; row < rows; ++row) std::memcpy(to + row * size, from.at(first + row), size);
  });
}

}  // namespace stowage::serialize
