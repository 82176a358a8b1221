#pragma once

#include <tuple>

#include <stowage/contract/schema.hpp>

namespace stowage::parts {

/// The forms of find(): one component or several, through a storage that may change them or not. All come down to one
/// private function of the strategy, `look_up<Qs...>(entity)`, which returns a tuple of pointers; `const Q` asks for a
/// pointer to const.
template <class Self, class SchemaType, class EntityType>
class FindForms {
 public:
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] auto find(EntityType entity) noexcept {
    return std::get<0>(static_cast<const Self&>(*this).template look_up<C>(entity));
  }
  template <class C>
    requires ComponentsOf<SchemaType, C>
  [[nodiscard]] auto find(EntityType entity) const noexcept {
    return std::get<0>(static_cast<const Self&>(*this).template look_up<const C>(entity));
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 1 && ComponentsOf<SchemaType, Cs...>)
  [[nodiscard]] auto find(EntityType entity) noexcept {
    return static_cast<const Self&>(*this).template look_up<Cs...>(entity);
  }
  template <class... Cs>
    requires(sizeof...(Cs) > 1 && ComponentsOf<SchemaType, Cs...>)
  [[nodiscard]] auto find(EntityType entity) const noexcept {
    return static_cast<const Self&>(*this).template look_up<const Cs...>(entity);
  }
};

}  // namespace stowage::parts
