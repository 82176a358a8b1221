#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <stowage/contract/component.hpp>
#include <stowage/contract/schema.hpp>

namespace stowage {

/// What one entity is to gain and lose at once: what a storage with `change(entity, changes)` takes, in which an entity
/// then moves once. Refers to the components that are gained, and does not own them.
template <class SchemaType>
class ComponentChanges {
  template <class C>
  static constexpr std::size_t id = detail::component_id<C, SchemaType>;
  enum class Wish : std::uint8_t { none, add, remove };

 public:
  /// It shall have C, moved out of `component`, in place of the one that it may have.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  void add(C* component) noexcept {
    wishes_[id<C>] = {component, Wish::add};
  }
  /// It shall have no C.
  template <class C>
    requires ComponentsOf<SchemaType, C>
  void remove() noexcept {
    wishes_[id<C>] = {nullptr, Wish::remove};
  }

  template <class C>
  [[nodiscard]] bool adds() const noexcept {
    return wishes_[id<C>].wish == Wish::add;
  }
  template <class C>
  [[nodiscard]] bool removes() const noexcept {
    return wishes_[id<C>].wish == Wish::remove;
  }
  /// What is added.
  template <class C>
  [[nodiscard]] C* component() const noexcept {
    if constexpr (is_tag<C>) {
      return std::addressof(detail::tag_instance<C>);
    } else {
      return static_cast<C*>(wishes_[id<C>].component);
    }
  }

 private:
  struct Component {
    void* component = nullptr;
    Wish wish = Wish::none;
  };

  std::array<Component, SchemaType::component_count> wishes_{};
};

}  // namespace stowage
