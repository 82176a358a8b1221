#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace stowage {

/// What entities remember of their place has no number for another section, or for another row of a section. Nothing
/// that a program can observe has changed.
class PlaceExhausted : public std::length_error {
 public:
  PlaceExhausted(const std::string& what, std::uint64_t most)
      : std::length_error("no " + what + " number is left: an entity can name " + std::to_string(most)) {}
};

namespace parts {

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
  [[nodiscard]] constexpr std::uint32_t number() const noexcept {
    return section / words_of<Record>;
  }
  template <class Record>
  [[nodiscard]] const Record& record(const Record* first) const noexcept {
    static_assert(sizeof(Record) % sizeof(std::uint64_t) == 0);
    const auto* const words = reinterpret_cast<const std::byte*>(first);
    return *reinterpret_cast<const Record*>(words + std::size_t{section} * sizeof(std::uint64_t));
  }
};

}  // namespace parts
}  // namespace stowage
