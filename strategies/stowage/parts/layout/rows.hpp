#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/component.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/lines.hpp>
#include <stowage/parts/on_failure.hpp>

namespace stowage::parts {

/// Moves `count` components to uninitialised memory elsewhere and ends the old ones.
template <class C>
void relocate_rows(C* from, C* to, std::size_t count) noexcept {
  if constexpr (std::is_trivially_copyable_v<C>) {
    if (count != 0) std::memcpy(static_cast<void*>(to), static_cast<const void*>(from), count * sizeof(C));
  } else {
    for (std::size_t row = 0; row < count; ++row) {
      ::new (static_cast<void*>(to + row)) C(std::move(from[row]));
      from[row].~C();
    }
  }
}

template <class C>
void destroy_rows(C* first, std::size_t count) noexcept {
  if constexpr (!std::is_trivially_destructible_v<C>) std::destroy_n(first, count);
}

// One component by its address, which may be something that stands for one: see layout/spread.hpp. The overloads are
// declared here, so that callers can name the namespace: a user's type may have functions of these names beside it.
template <class Q>
class SpreadPointer;
template <class C, class... Arguments>
void construct_component(const SpreadPointer<C>& place, Arguments&&... arguments);
template <class C>
void destroy_component(const SpreadPointer<C>& place) noexcept;
template <class C>
void relocate_component(const SpreadPointer<C>& from, const SpreadPointer<C>& to) noexcept;

/// In uninitialised memory.
template <class C, class... Arguments>
void construct_component(C* place, Arguments&&... arguments) {
  stowage::detail::construct<C>(place, std::forward<Arguments>(arguments)...);
}
template <class C>
void destroy_component(C* component) noexcept {
  destroy_rows(component, 1);
}
/// As a C and not as bytes: to a compiler, a copy of bytes may write to any object, so it would read again where the
/// columns begin after each component.
template <class C>
void relocate_component(C* from, C* to) noexcept {
  parts::construct_component(to, std::move(*from));
  parts::destroy_component(from);
}

/// Copies components to uninitialised memory, one by one through `place_of(i)`; where a copy throws, those before it
/// are destroyed again.
template <class C, class PlaceOf>
void copy_rows(std::span<const C> from, PlaceOf&& place_of) {
  std::size_t done = 0;
  OnFailure undo([&] {
    while (done != 0) parts::destroy_component(place_of(--done));
  });
  for (; done < from.size(); ++done) parts::construct_component(place_of(done), stowage::detail::copy_of(from[done]));
  undo.release();
}

/// Bytes that a component takes in a row: none for a tag.
template <class C>
inline constexpr std::size_t row_bytes = is_tag<C> ? 0 : sizeof(C);

/// Copies components to uninitialised memory side by side, all or none.
template <class C>
void copy_column(std::span<const C> from, C* to) {
  if constexpr (is_tag<C>) {
    // no bytes to copy
  } else if constexpr (std::is_trivially_copyable_v<C>) {
    if (!from.empty()) std::memcpy(static_cast<void*>(to), from.data(), from.size_bytes());
  } else {
    copy_rows(from, [to](std::size_t i) { return to + i; });
  }
}

/// What a loop over rows indexes: the address of row 0, fixed before the loop. All rows of a tag are one object.
template <class C>
struct TagCursor {
  C& operator[](std::size_t) const noexcept { return stowage::detail::tag_instance<std::remove_const_t<C>>; }
};
template <class C>
using ColumnCursor = std::conditional_t<is_tag<std::remove_const_t<C>>, TagCursor<C>, C*>;

/// What a loop over rows at a constant distance indexes: the address of one component of row 0. `Stride` is
/// std::size_t, or a constant of the type where it is known when compiling.
template <class C, class Stride>
struct StridedCursor {
  using Byte = std::conditional_t<std::is_const_v<C>, const std::byte, std::byte>;

  Byte* first;
  STOWAGE_NO_UNIQUE_ADDRESS Stride stride;

  C& operator[](std::size_t row) const noexcept {
    return *reinterpret_cast<C*>(first + row * static_cast<std::size_t>(stride));
  }
};

/// The address of a row that exists. A caller's test for null, which lookups must answer, folds away behind it.
template <class Cursor>
[[nodiscard]] auto* address_of(const Cursor& cursor, std::size_t row) noexcept {
  auto* const component = std::addressof(cursor[row]);
  STOWAGE_ASSUME(component != nullptr);
  return component;
}

/// What was found of several components of an entity that does not have them all. The last is written as null if all
/// before it are there, which it is: so a caller's test that all are there folds away, and its loop keeps no addresses
/// for this case.
template <class... Pointers>
[[nodiscard]] STOWAGE_INLINE inline std::tuple<Pointers...> incomplete(const std::tuple<Pointers...>& found) noexcept {
  return [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    bool has_all = true;  // before this one
    const auto next = [&](auto component, bool is_last) -> decltype(component) {
      if (is_last && has_all) return nullptr;
      has_all = has_all && component != nullptr;
      return component;
    };
    return std::tuple<Pointers...>{next(std::get<Is>(found), Is + 1 == sizeof...(Is))...};
  }(std::index_sequence_for<Pointers...>{});
}

/// Of rows side by side that may have a component: its pointer for each row, or null for all.
template <class Pointer, class Cursor>
class OptionalCursor {
 public:
  /// `make()` gives the cursor. It is not called if the component is not there.
  template <class Make>
  OptionalCursor(bool is_there, Make&& make) : cursor_(is_there ? std::optional(make()) : std::nullopt) {}

  [[nodiscard]] Pointer operator[](std::size_t row) const noexcept {
    return cursor_.has_value() ? Pointer(address_of(*cursor_, row)) : Pointer{};
  }

 private:
  std::optional<Cursor> cursor_;
};

}  // namespace stowage::parts
