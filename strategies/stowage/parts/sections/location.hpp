#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace stowage::parts {

/// Where an entity's row is, in 32 + 32 bits. The section is known by the distance of its record from the first one, in
/// words, which makes an address of it in one instruction.
struct WideLocation {
  std::uint32_t section = 0;
  std::uint32_t row = 0;

  static constexpr std::uint64_t most_rows = std::numeric_limits<std::uint32_t>::max();
  template <class Record>
  static constexpr std::uint32_t words_of = sizeof(Record) / sizeof(std::uint64_t);
  template <class Record>
  static constexpr std::uint64_t most_sections = std::numeric_limits<std::uint32_t>::max() / words_of<Record>;

  template <class Record>
  [[nodiscard]] static constexpr WideLocation of(std::uint32_t number, std::uint32_t row) noexcept {
    return {number * words_of<Record>, row};
  }
  template <class Record>
  [[nodiscard]] Record& record(Record* first) const noexcept {
    static_assert(sizeof(Record) % sizeof(std::uint64_t) == 0);
    using Byte = std::conditional_t<std::is_const_v<Record>, const std::byte, std::byte>;
    return *reinterpret_cast<Record*>(reinterpret_cast<Byte*>(first) + std::size_t{section} * sizeof(std::uint64_t));
  }
};

/// The same in 16 + 16 bits, as Cerulean Skies published it: 4 bytes less per entity and at most 65,536 sections of at
/// most 65,536 rows each; the next one is a PlaceExhausted.
struct CompactLocation {
  std::uint16_t section = 0;
  std::uint16_t row = 0;

  static constexpr std::uint64_t most_rows = std::uint64_t{1} << 16;
  template <class Record>
  static constexpr std::uint64_t most_sections = std::uint64_t{1} << 16;

  template <class Record>
  [[nodiscard]] static constexpr CompactLocation of(std::uint32_t number, std::uint32_t row) noexcept {
    return {static_cast<std::uint16_t>(number), static_cast<std::uint16_t>(row)};
  }
  template <class Record>
  [[nodiscard]] Record& record(Record* first) const noexcept {
    return first[section];
  }
};

}  // namespace stowage::parts
