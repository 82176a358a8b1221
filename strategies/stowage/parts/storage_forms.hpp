#pragma once

#include <cstddef>

#include <stowage/contract/notifying_registry.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/contract/type_list.hpp>

namespace stowage::parts {

/// The operations that every storage over a registry has in the same words: those of the registry, which `Self` has as
/// `registry_`, and the forms of reserve(), which come down to `reserve_for(count, TypeList<Cs...>)`. `Self` makes this
/// a friend.
template <class Self, class SchemaType, class Registry>
class StorageForms {
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
  [[nodiscard]] const Self& self() const noexcept { return static_cast<const Self&>(*this); }

 public:
  [[nodiscard]] bool alive(typename Registry::entity_type entity) const noexcept {
    return self().registry_.alive(entity);
  }
  [[nodiscard]] std::size_t size() const noexcept { return self().registry_.size(); }

  void reserve(std::size_t count) { self().reserve_for(count, typename SchemaType::components{}); }
  template <class... Cs>
    requires(sizeof...(Cs) > 0 && ComponentsOf<SchemaType, Cs...>)
  void reserve(std::size_t count) {
    self().reserve_for(count, TypeList<Cs...>{});
  }

  /// Only over a registry with listeners, where it is their on_destroy().
  template <class Listener>
    requires Notifying<Registry>
  void on_destroy(Listener& listener) {
    self().registry_.on_destroy(listener);
  }
};

}  // namespace stowage::parts
