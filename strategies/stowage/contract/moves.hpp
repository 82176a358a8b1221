#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include <stowage/contract/type_list.hpp>

// Beyond the contract: what a storage offers to code that keeps pointers to components, as hierarchies do.

namespace stowage {

/// Whether storages count how often the address of a component of type C may have changed. To be specialised as true
/// beside the component, before any storage has it. Storages without such a component count nothing.
template <class C>
inline constexpr bool tracks_moves = false;

namespace detail {
template <class List>
inline constexpr bool tracks_any = false;
template <class... Cs>
inline constexpr bool tracks_any<TypeList<Cs...>> = any_of<tracks_moves<Cs>...>();
}  // namespace detail

/// Whether storages over this schema count.
template <class SchemaType>
inline constexpr bool counts_moves = detail::tracks_any<typename SchemaType::components>;

/// The storage counts: while moves() is what it was, every tracked component that existed then is where it was, and no
/// entity of that time has gained one. It may change if nothing has moved. Creating entities changes it only if the
/// rows have moved to a larger allocation.
template <class S>
concept CountsMoves = requires(const S& storage) {
  { storage.moves() } -> std::same_as<std::uint64_t>;
};

/// The storage can put rows in the order of a list: order_rows<Cs...>(entities). The rows of the listed entities that
/// have some of Cs come first, in the order of the list; nothing that a program can observe changes but the order of
/// loops. Invalidates pointers to all components of these rows and of those that made way.
template <class S, class... Cs>
concept OrdersRows = requires(S& storage, std::span<const typename S::entity_type> entities) {
  storage.template order_rows<Cs...>(entities);
};

namespace parts {

/// Takes no room and no time if nothing is to be counted.
template <bool Counts>
class MoveCounter {
 public:
  void note() noexcept {}
  [[nodiscard]] std::uint64_t value() const noexcept { return 0; }
};
template <>
class MoveCounter<true> {
 public:
  void note() noexcept { ++value_; }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace parts
}  // namespace stowage
