#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <stowage/contract/schema.hpp>
#include <stowage/contract/type_list.hpp>

namespace stowage::parts {

/// A set of components of a schema of `Components` types: one bit each.
template <std::size_t Components>
class ComponentMask {
  static constexpr std::size_t word_bits = 64;
  static constexpr std::size_t word_count = (Components + word_bits - 1) / word_bits;

 public:
  ComponentMask() = default;
  /// Of so many words, the first components in the first.
  [[nodiscard]] static constexpr ComponentMask of_words(const std::uint64_t* words) noexcept {
    ComponentMask mask;
    for (std::size_t i = 0; i < word_count; ++i) mask.words_[i] = words[i];
    return mask;
  }
  [[nodiscard]] constexpr std::uint64_t word(std::size_t number) const noexcept { return words_[number]; }

  [[nodiscard]] constexpr std::size_t count() const noexcept {
    std::size_t bits = 0;
    for (const std::uint64_t word : words_) bits += static_cast<std::size_t>(std::popcount(word));
    return bits;
  }
  [[nodiscard]] constexpr bool has(std::size_t component) const noexcept {
    return ((words_[component / word_bits] >> component % word_bits) & 1) != 0;
  }
  /// Calls `visit(component)` for each of them, in order.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < word_count; ++i) {
      for (std::uint64_t left = words_[i]; left != 0; left &= left - 1) {
        visit(i * word_bits + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }
  /// True when every component of `other` is in this set.
  [[nodiscard]] constexpr bool includes(const ComponentMask& other) const noexcept {
    bool all = true;
    for (std::size_t i = 0; i < word_count; ++i) all &= (words_[i] & other.words_[i]) == other.words_[i];
    return all;
  }
  /// True when no component of `other` is in this set: for a mask known when compiling one instruction and its branch.
  [[nodiscard]] constexpr bool disjoint(const ComponentMask& other) const noexcept {
    std::uint64_t shared = 0;
    for (std::size_t i = 0; i < word_count; ++i) shared |= words_[i] & other.words_[i];
    return shared == 0;
  }
  /// Every component that this set lacks.
  [[nodiscard]] constexpr ComponentMask complement() const noexcept {
    ComponentMask other;
    for (std::size_t i = 0; i < word_count; ++i) other.words_[i] = ~words_[i];
    return other;
  }
  /// The set with this component added or, where it was in it, removed.
  [[nodiscard]] constexpr ComponentMask toggled(std::size_t component) const noexcept {
    ComponentMask other = *this;
    other.words_[component / word_bits] ^= std::uint64_t{1} << component % word_bits;
    return other;
  }
  [[nodiscard]] constexpr ComponentMask with(std::size_t component) const noexcept {
    ComponentMask other = *this;
    other.words_[component / word_bits] |= std::uint64_t{1} << component % word_bits;
    return other;
  }
  [[nodiscard]] constexpr ComponentMask without(std::size_t component) const noexcept {
    ComponentMask other = *this;
    other.words_[component / word_bits] &= ~(std::uint64_t{1} << component % word_bits);
    return other;
  }
  /// Every component of this set that `other` lacks.
  [[nodiscard]] constexpr ComponentMask minus(const ComponentMask& other) const noexcept {
    ComponentMask rest = *this;
    for (std::size_t i = 0; i < word_count; ++i) rest.words_[i] &= ~other.words_[i];
    return rest;
  }
  friend constexpr ComponentMask operator|(ComponentMask left, const ComponentMask& right) noexcept {
    for (std::size_t i = 0; i < word_count; ++i) left.words_[i] |= right.words_[i];
    return left;
  }

  /// Word by word: the array's own operator calls memcmp.
  friend constexpr bool operator==(const ComponentMask& left, const ComponentMask& right) noexcept {
    std::uint64_t different = 0;
    for (std::size_t i = 0; i < word_count; ++i) different |= left.words_[i] ^ right.words_[i];
    return different == 0;
  }
  /// A few bits that tell most sets apart, in two instructions for a schema of up to 64 components.
  [[nodiscard]] constexpr std::size_t short_hash(unsigned bits) const noexcept {
    std::uint64_t folded = 0;
    for (const std::uint64_t word : words_) folded = folded * 31 + word;
    return static_cast<std::size_t>((folded * 0x9e3779b97f4a7c15u) >> (word_bits - bits));
  }

 private:
  std::array<std::uint64_t, word_count> words_{};
};

/// These components of a schema.
template <class SchemaType, class... Cs>
inline constexpr ComponentMask<SchemaType::component_count> mask_of = [] {
  ComponentMask<SchemaType::component_count> mask;
  ((mask = mask.with(stowage::detail::component_id<Cs, SchemaType>)), ...);
  return mask;
}();

/// Calls `visit(TypeList<C>{})` for each component of a list that is in the mask, through a table: for lists so long
/// that asking one by one takes longer.
template <class... Cs, class Visit>
void for_each_component_in(const ComponentMask<sizeof...(Cs)>& mask, TypeList<Cs...>, Visit&& visit) {
  using Function = std::remove_reference_t<Visit>;
  static constexpr std::array calls{+[](Function& function) { function(TypeList<Cs>{}); }...};
  mask.for_each([&](std::size_t component) { calls[component](visit); });
}
/// A list of more is long.
inline constexpr std::size_t few_components = 32;

}  // namespace stowage::parts
