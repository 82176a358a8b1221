#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#define FLECS_NO_CPP
#include <flecs.h>

#include <stowage/contract/component.hpp>
#include <stowage/contract/query.hpp>

// How component types and loops are told to flecs.
namespace stowage::peers {

/// Constructs `count` components from others, whether or not there are components, and ends the others or not.
template <class C, bool EndsOld, bool EndsSource>
void flecs_move(void* to, void* from, std::int32_t count, const ecs_type_info_t*) noexcept {
  auto* const target = static_cast<C*>(to);
  auto* const source = static_cast<C*>(from);
  for (std::int32_t i = 0; i < count; ++i) {
    if constexpr (EndsOld) std::destroy_at(target + i);
    ::new (static_cast<void*>(target + i)) C(std::move(source[i]));
    if constexpr (EndsSource) std::destroy_at(source + i);
  }
}
template <class C>
void flecs_end(void* first, std::int32_t count, const ecs_type_info_t*) noexcept {
  std::destroy_n(static_cast<C*>(first), count);
}

/// The id of a component type that was not known to this world. What is trivially copyable needs no hooks.
template <class C>
[[nodiscard]] ecs_id_t register_component(ecs_world_t* world) {
  static_assert(alignof(C) <= 16, "flecs aligns columns at 16 bytes: see its lack of over_alignment");
  if constexpr (is_tag<C>) return ecs_new_low_id(world);
  ecs_component_desc_t component{};
  component.type.size = sizeof(C);
  component.type.alignment = alignof(C);
  if constexpr (!std::is_trivially_copyable_v<C>) {
    component.type.hooks.dtor = &flecs_end<C>;
    component.type.hooks.move = &flecs_move<C, true, false>;
    component.type.hooks.move_ctor = &flecs_move<C, false, false>;
    component.type.hooks.ctor_move_dtor = &flecs_move<C, false, true>;
    component.type.hooks.move_dtor = &flecs_move<C, true, true>;
  }
  return ecs_component_init(world, &component);
}

/// A query that detects changes is told to read its first component alone: it monitors what it reads.
template <bool DetectsChanges, class... Qs>
[[nodiscard]] ecs_query_t* make_query(ecs_world_t* world, const std::array<ecs_id_t, sizeof...(Qs)>& ids, bool cached) {
  ecs_query_desc_t query{};
  query.cache_kind = cached ? EcsQueryCacheAuto : EcsQueryCacheNone;
  if constexpr (DetectsChanges) query.flags = EcsQueryDetectChanges;
  std::size_t number = 0;
  const auto add = [&]<class Q>(TypeList<Q>) {
    using Term = detail::Term<Q>;
    ecs_term_t& term = query.terms[number];
    term.id = ids[number++];
    term.oper = Term::is_required ? EcsAnd : Term::is_absent ? EcsNot : EcsOptional;
    term.inout = !Term::is_shown ? EcsInOutNone : detail::reads_only<Q> ? EcsIn : EcsInOut;
    if (DetectsChanges && number > 1) term.inout = term.inout == EcsInOut ? EcsOut : EcsInOutNone;
  };
  (add(TypeList<Qs>{}), ...);
  return ecs_query_init(world, &query);
}

}  // namespace stowage::peers
