#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <stowage/contract/component.hpp>

namespace stowage {

/// The number of a component type in one storage: 0 for the one that was added first.
using TypeId = std::uint32_t;

/// A component type as a program describes it while it runs: that of a plugin, of a script, of a file. Storages that
/// take such types have add_type(). For a C++ type, component_type<C> is the description.
struct ComponentType {
  std::size_t size = 0;       ///< bytes in a row; 0 for a tag, of which only the presence counts
  std::size_t alignment = 1;  ///< a power of two
  /// Moves `count` components to uninitialised memory elsewhere, and ends the old ones.
  void (*relocate)(void* from, void* to, std::size_t count, std::size_t size) noexcept = &relocate_bytes;
  /// Ends `count` components; null if there is nothing to do.
  void (*destroy)(void* first, std::size_t count) noexcept = nullptr;

  /// For components that can be copied as bytes.
  static void relocate_bytes(void* from, void* to, std::size_t count, std::size_t size) noexcept {
    if (count != 0) std::memcpy(to, from, count * size);
  }
};

namespace detail {

template <class C>
void relocate_typed(void* from, void* to, std::size_t count, std::size_t /*size*/) noexcept {
  C* const old = static_cast<C*>(from);
  if constexpr (std::is_trivially_copyable_v<C>) {
    if (count == 1) {  // a copy of a known size is a few moves
      std::memcpy(to, from, sizeof(C));
    } else {
      ComponentType::relocate_bytes(from, to, count, sizeof(C));
    }
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      ::new (static_cast<void*>(static_cast<C*>(to) + i)) C(std::move(old[i]));
      old[i].~C();
    }
  }
}
template <class C>
void destroy_typed(void* first, std::size_t count) noexcept {
  std::destroy_n(static_cast<C*>(first), count);
}

}  // namespace detail

/// The description of a C++ type.
template <class C>
inline constexpr ComponentType component_type{
    .size = is_tag<C> ? 0 : sizeof(C),
    .alignment = alignof(C),
    .relocate = &detail::relocate_typed<C>,
    .destroy = std::is_trivially_destructible_v<C> ? nullptr : &detail::destroy_typed<C>};

}  // namespace stowage
