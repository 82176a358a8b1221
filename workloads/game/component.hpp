#pragma once

// What systems and lookups of a game do with a component of which only the type is known: read or change all of it.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/component.hpp>
#include <stowage/parts/layout/scalars.hpp>

#include "workloads/support/keep.hpp"
#include "workloads/support/random.hpp"

namespace stowage::workloads::game {

namespace detail {

template <std::size_t Size>
using WordOf =
    std::conditional_t<Size % 4 == 0, std::uint32_t, std::conditional_t<Size % 2 == 0, std::uint16_t, std::uint8_t>>;

}  // namespace detail

/// A component that a profile describes by its size alone; `Which` tells those of the same size apart. Made of the
/// widest words up to 32 bits that fill it without padding, as most components of games are.
template <int Which, std::size_t Size>
struct Bytes {
  std::array<detail::WordOf<Size>, Size / sizeof(detail::WordOf<Size>)> words;
};
/// A tag: it has no data.
template <int Which>
struct Bytes<Which, 0> {};

template <class C>
inline constexpr bool is_bytes = false;
template <int Which, std::size_t Size>
inline constexpr bool is_bytes<Bytes<Which, Size>> = Size != 0;

/// Whether layouts and loops may take it for the sum of its arithmetic members. More of them than this would take
/// minutes to compile.
template <class C>
inline constexpr bool has_scalars = parts::detail::scalar_count<C>() - 1 < 64;

namespace detail {

template <class Scalar>
[[nodiscard]] std::uint32_t bits_of(Scalar value) noexcept {
  if constexpr (std::is_same_v<Scalar, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<Scalar, double>) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    return static_cast<std::uint32_t>(bits ^ (bits >> 32));
  } else if constexpr (std::is_integral_v<Scalar>) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) ^ (static_cast<std::uint64_t>(value) >> 32));
  } else {
    return static_cast<std::uint32_t>(static_cast<float>(value));  // long double, of which not all bytes count
  }
}

/// Floats stay within [-4, 4]: neither infinities nor denormals, which would cost more than a game's numbers do.
template <class Scalar>
void change(Scalar& value, std::uint32_t by) noexcept {
  if constexpr (std::is_same_v<Scalar, bool>) {
    value = value != ((by & 1U) != 0);
  } else if constexpr (std::is_floating_point_v<Scalar>) {
    value = value * Scalar(0.5) + static_cast<Scalar>(static_cast<std::int32_t>(by) >> 16) * Scalar(1.0 / 32768) +
            Scalar(1);
  } else {
    value = static_cast<Scalar>(static_cast<std::make_unsigned_t<Scalar>>(value) +
                                static_cast<std::make_unsigned_t<Scalar>>(by));
  }
}

/// Reads one byte of every line, and of the last, without saying what they mean.
template <class C>
void visit_lines(const C& component) noexcept {
  const auto* const first = reinterpret_cast<const volatile unsigned char*>(std::addressof(component));
  for (std::size_t at = 0; at < sizeof(C); at += 64) static_cast<void>(first[at]);
  static_cast<void>(first[sizeof(C) - 1]);
}

}  // namespace detail

/// Reads all of `component`; a number that depends on what it says, and on nothing else: of a type that is not made of
/// arithmetic members and has padding, or an owner of something, on nothing at all.
template <class C>
[[nodiscard]] std::uint32_t read_all(const C& component) noexcept {
  if constexpr (is_tag<C>) {
    return 1;
  } else if constexpr (is_bytes<C>) {
    std::uint32_t sum = 0;
    for (const auto word : component.words) sum += word;
    return sum;
  } else if constexpr (has_scalars<C>) {
    return std::apply([](const auto&... scalars) { return (0U + ... + detail::bits_of(scalars)); },
                      parts::scalars_of(component));
  } else if constexpr (std::is_trivially_copyable_v<C> && std::has_unique_object_representations_v<C>) {
    const auto bytes = std::bit_cast<std::array<unsigned char, sizeof(C)>>(component);
    std::uint32_t sum = 0;
    for (const unsigned char byte : bytes) sum += byte;
    return sum;
  } else {
    detail::visit_lines(component);
    return 0;
  }
}

/// A digest of `component`, if its type can be read. Unlike the sum of read_all(), it depends on the position of each
/// word. For checks, not for timed code.
template <class C>
[[nodiscard]] std::uint64_t hash_all(const C& component) noexcept {
  std::uint64_t bits = 0;
  const auto add = [&bits](std::uint32_t value) { bits = mixed(bits, value); };
  if constexpr (is_tag<C>) {
    return 1;
  } else if constexpr (is_bytes<C>) {
    for (const auto word : component.words) add(word);
  } else if constexpr (has_scalars<C>) {
    std::apply([&](const auto&... scalars) { (add(detail::bits_of(scalars)), ...); }, parts::scalars_of(component));
  } else if constexpr (std::is_trivially_copyable_v<C> && std::has_unique_object_representations_v<C>) {
    for (const unsigned char byte : std::bit_cast<std::array<unsigned char, sizeof(C)>>(component)) add(byte);
  }
  return bits;
}

/// Writes all of `component`: other values if its type is known to allow them, else the same ones.
template <class C>
void change_all(C& component, std::uint32_t by) noexcept {
  if constexpr (is_tag<C>) {
    keep(component);
  } else if constexpr (is_bytes<C>) {
    for (auto& word : component.words) word = static_cast<std::remove_reference_t<decltype(word)>>(word + by);
  } else if constexpr (has_scalars<C>) {
    std::apply([by](auto&... scalars) { (detail::change(scalars, by), ...); }, parts::scalars_of(component));
  } else if constexpr (std::is_nothrow_move_assignable_v<C>) {
    C moved(std::move(component));
    keep(moved);
    component = std::move(moved);
  } else {
    detail::visit_lines(component);
  }
}

#if defined(__GNUC__)
namespace detail {

using Vector [[gnu::vector_size(32)]] = std::uint32_t;

}  // namespace detail
#endif

/// change_all() in a loop over `Storage`. g++ 12 would collect the words of several rows by permutations, which takes
/// up to 4 times as long as one row after the other. So a component that is made of whole vectors changes by vectors,
/// unless the storage spreads it: then find() gives no pointer.
template <class Storage, class C>
void change_in_loop(C& component, std::uint32_t by) noexcept {
#if defined(__GNUC__)
  using Found = decltype(std::declval<Storage&>().template find<C>(typename Storage::entity_type()));
  if constexpr (is_bytes<C> && sizeof(C) % sizeof(detail::Vector) == 0 && std::is_pointer_v<Found>) {
    detail::Vector vector;
    for (std::size_t i = 0; i < component.words.size(); i += sizeof vector / sizeof by) {
      std::memcpy(&vector, &component.words[i], sizeof vector);
      vector += by;
      std::memcpy(&component.words[i], &vector, sizeof vector);
    }
    return;
  }
#endif
  change_all(component, by);
}

/// Writes all of `component`, whatever it was before, as far as its type is known to allow that; else the same values.
template <class C>
void set_all(C& component, std::uint32_t by) noexcept {
  if constexpr (is_bytes<C>) {
    for (auto& word : component.words) word = static_cast<std::remove_reference_t<decltype(word)>>(by);
  } else if constexpr (has_scalars<C> && !is_tag<C>) {
    const auto set = [by]<class Scalar>(Scalar& scalar) {
      scalar = Scalar{};
      detail::change(scalar, by);
    };
    std::apply([set](auto&... scalars) { (set(scalars), ...); }, parts::scalars_of(component));
  } else {
    change_all(component, by);
  }
}

/// A component with values decided by `bits`, if its type is known to allow them; otherwise as its author initialises
/// it.
template <class C>
[[nodiscard]] C make_component([[maybe_unused]] std::uint64_t bits) {
  static_assert(std::is_default_constructible_v<C>,
                "a component of a game profile must be default constructible, because the profile cannot say how it is "
                "made");
  C made{};
  if constexpr (is_bytes<C>) {
    for (auto& word : made.words) {
      bits = mixed(bits);  // each word its own, so that none can stand for another
      word = static_cast<std::remove_reference_t<decltype(word)>>(bits);
    }
  } else if constexpr (has_scalars<C> && !is_tag<C>) {
    change_all(made, static_cast<std::uint32_t>(bits));
  }
  return made;
}

}  // namespace stowage::workloads::game
