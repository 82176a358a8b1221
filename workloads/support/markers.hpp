#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <stowage/contract/schema.hpp>
#include <stowage/contract/type_list.hpp>

#include "workloads/support/capabilities.hpp"

namespace stowage::workloads {

/// A component without state: what makes the component sets of entities differ, and nothing else.
template <std::size_t Bit>
struct Marker {};

namespace detail {

template <template <class...> class Of, class Bits, class... Components>
struct WithMarkers;
template <template <class...> class Of, std::size_t... Bits, class... Components>
struct WithMarkers<Of, std::index_sequence<Bits...>, Components...> {
  using type = Of<Components..., Marker<Bits>...>;
};

}  // namespace detail

/// A schema, or a store, of `Components` and so many markers: 2 to the power of `Count` sets for each set of
/// components.
template <template <class...> class Of, std::size_t Count, class... Components>
using WithMarkers = typename detail::WithMarkers<Of, std::make_index_sequence<Count>, Components...>::type;
template <std::size_t Count, class... Components>
using SchemaWithMarkers = WithMarkers<Schema, Count, Components...>;

/// A strategy as a store, which is named by its components.
template <template <class> class Strategy>
struct OverSchema {
  template <class... Components>
  using Of = Strategy<Schema<Components...>>;
};

/// Room for so many entities with any of the markers, in a storage that does not grow.
template <std::size_t Count, class Storage>
void make_room_for_markers(Storage& storage, std::size_t entities) {
  stowage::detail::for_each_index<Count>([&](auto bit) { make_room<Marker<bit>>(storage, entities); });
}

/// Gives an entity the markers that `set` has bits for, the highest first: whatever the entity is between two of them
/// is a smaller set, so that with sets 0 .. n - 1 no others ever exist.
template <std::size_t Count, class Storage>
void mark(Storage& storage, typename Storage::entity_type entity, std::size_t set) {
  stowage::detail::for_each_index<Count>([&](auto from_above) {
    constexpr std::size_t bit = Count - 1 - decltype(from_above)::value;
    if ((set >> bit & 1) != 0) storage.template emplace<Marker<bit>>(entity);
  });
}

}  // namespace stowage::workloads
