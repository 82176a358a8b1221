#pragma once

#include <cstdint>
#include <limits>
#include <utility>

namespace stowage::parts {

inline constexpr std::uint32_t no_section = (std::numeric_limits<std::uint32_t>::max)();

/// What the record of a section holds of the list that it is in.
struct RoomLinks {
  std::uint32_t before = no_section;
  std::uint32_t after = no_section;
};

/// The sections of one set that are not full, in the order in which they are to be filled. Linked through the records,
/// because sections come at both ends and go from the middle, on paths that must not fail. All operations are O(1).
/// `sections` are all records of the storage, by number.
class RoomList {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == no_section; }
  /// no_section where it is empty.
  [[nodiscard]] std::uint32_t front() const noexcept { return first_; }
  [[nodiscard]] std::uint32_t back() const noexcept { return last_; }

  template <class Section>
  void push_front(Section* sections, std::uint32_t number) noexcept {
    sections[number].links = {no_section, first_};
    (first_ == no_section ? last_ : sections[first_].links.before) = number;
    first_ = number;
  }
  template <class Section>
  void push_back(Section* sections, std::uint32_t number) noexcept {
    sections[number].links = {last_, no_section};
    (last_ == no_section ? first_ : sections[last_].links.after) = number;
    last_ = number;
  }
  template <class Section>
  void remove(Section* sections, std::uint32_t number) noexcept {
    const auto [before, after] = sections[number].links;
    (before == no_section ? first_ : sections[before].links.after) = after;
    (after == no_section ? last_ : sections[after].links.before) = before;
  }
  /// Takes over all of `other`, behind those that are here.
  template <class Section>
  void append(Section* sections, RoomList& other) noexcept {
    if (other.empty()) return;
    sections[other.first_].links.before = last_;
    (last_ == no_section ? first_ : sections[last_].links.after) = other.first_;
    last_ = other.last_;
    other = {};
  }

 private:
  std::uint32_t first_ = no_section;
  std::uint32_t last_ = no_section;
};

}  // namespace stowage::parts
