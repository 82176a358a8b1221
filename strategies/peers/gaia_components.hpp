#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

// As a program has them that uses nothing of these: "no addons", as `flecs` is measured, too.
#define GAIA_OBSERVERS_ENABLED 0
#define GAIA_SYSTEMS_ENABLED 0
#define GAIA_JSON_ENABLED 0
#include <gaia.h>

#include <stowage/contract/component.hpp>

// How component types and loops are told to gaia-ecs.
namespace stowage::peers {

/// What gaia-ecs does with the components of one type; what it finds nowhere it does as with bytes.
template <class C>
struct GaiaHooks {
  /// Into a row that has no component, or one that ends.
  template <bool EndsOld>
  static void move(void* to, void* from, std::uint32_t row, std::uint32_t from_row, std::uint32_t, std::uint32_t) {
    C* const target = static_cast<C*>(to) + row;
    if constexpr (EndsOld) std::destroy_at(target);
    ::new (static_cast<void*>(target)) C(std::move(static_cast<C*>(from)[from_row]));
  }
  static void swap(void* left, void* right, std::uint32_t row, std::uint32_t other, std::uint32_t, std::uint32_t) {
    C* const first = static_cast<C*>(left) + row;
    C* const second = static_cast<C*>(right) + other;
    C kept(std::move(*first));
    std::destroy_at(first);
    ::new (static_cast<void*>(first)) C(std::move(*second));
    std::destroy_at(second);
    ::new (static_cast<void*>(second)) C(std::move(kept));
  }
  static void end(void* first, std::uint32_t count) { std::destroy_n(static_cast<C*>(first), count); }
};

/// The entity of a component type that was not known to this world. By description, because the typed form wants a
/// component to be constructible without arguments, and copyable. There is no constructor: a new row is uninitialised
/// until its component is moved there.
template <class C>
[[nodiscard]] gaia::ecs::Entity register_component(gaia::ecs::World& world, std::size_t number) {
  static_assert(sizeof(C) <= gaia::ecs::Component::MaxComponentSizeInBytes, "a component of gaia-ecs is smaller");
  const std::string name = "Component" + std::to_string(number);
  gaia::ecs::ComponentDesc component{};
  component.name = gaia::util::str_view(name.data(), static_cast<std::uint32_t>(name.size()));
  if constexpr (!is_tag<C>) {
    component.size = sizeof(C);
    component.alig = alignof(C);
    component.funcMoveCtor = &GaiaHooks<C>::template move<false>;
    component.funcMove = &GaiaHooks<C>::template move<true>;
    component.funcSwap = &GaiaHooks<C>::swap;
    if constexpr (!std::is_trivially_destructible_v<C>) component.funcDtor = &GaiaHooks<C>::end;
  }
  return world.add(component).entity;
}

/// As many terms as a query can have.
template <class... Required, class... Absent>
[[nodiscard]] gaia::ecs::Query make_query(gaia::ecs::World& world,
                                          const std::array<gaia::ecs::Entity, sizeof...(Required)>& required,
                                          const std::array<gaia::ecs::Entity, sizeof...(Absent)>& absent,
                                          TypeList<Required...>, TypeList<Absent...>) {
  gaia::ecs::Query query = world.query();
  constexpr std::array read_only{std::is_const_v<Required>...};
  for (std::size_t i = 0; i < required.size() && i < gaia::ecs::MAX_ITEMS_IN_QUERY; ++i) {
    gaia::ecs::QueryTermOptions options;
    query.all(required[i], read_only[i] ? options.read() : options.write());
  }
  for (const gaia::ecs::Entity component : absent) query.no(component);
  return query;
}

}  // namespace stowage::peers
