#pragma once

#include <cstddef>
#include <utility>

namespace stowage::parts {

template <std::size_t N, class T>
struct FlatElement {
  T value{};
};
template <class Numbers, class... Ts>
struct FlatElements;
template <std::size_t... Is, class... Ts>
struct FlatElements<std::index_sequence<Is...>, Ts...> : FlatElement<Is, Ts>... {};

/// One object of each type. Where there are hundreds, a std::tuple takes a compiler time in proportion to the square of
/// their number, and more with warnings.
template <class... Ts>
struct FlatTuple : FlatElements<std::index_sequence_for<Ts...>, Ts...> {};

template <std::size_t N, class T>
[[nodiscard]] constexpr T& element(FlatElement<N, T>& held) noexcept {
  return held.value;
}
template <std::size_t N, class T>
[[nodiscard]] constexpr const T& element(const FlatElement<N, T>& held) noexcept {
  return held.value;
}

}  // namespace stowage::parts
