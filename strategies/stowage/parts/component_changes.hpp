#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include <stowage/contract/component.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/parts/sections/component_mask.hpp>

namespace stowage {

/// What one entity is to gain and lose at once: what a storage with `change(entity, changes)` takes, in which an entity
/// then moves once. Refers to the components that are gained, and does not own them.
template <class SchemaType>
class ComponentChanges {
  template <class C>
  static constexpr std::size_t id = detail::component_id<C, SchemaType>;

 public:
  using Mask = parts::ComponentMask<SchemaType::component_count>;

  /// It shall have the component with this id, moved out of `value`, in place of the one that it may have.
  void add(std::size_t component, void* value) noexcept {
    values_[component] = value;
    added_ = added_.with(component);
    removed_ = removed_.without(component);
  }
  /// It shall not have the component with this id.
  void remove(std::size_t component) noexcept {
    added_ = added_.without(component);
    removed_ = removed_.with(component);
  }

  /// It shall keep what it has of the component with this id.
  void leave_out(std::size_t component) noexcept {
    added_ = added_.without(component);
    removed_ = removed_.without(component);
  }

  [[nodiscard]] const Mask& added() const noexcept { return added_; }
  [[nodiscard]] const Mask& removed() const noexcept { return removed_; }
  /// What an entity has afterwards that has `before`.
  [[nodiscard]] Mask applied_to(const Mask& before) const noexcept { return (before | added_).minus(removed_); }
  /// The value of an added component.
  template <class C>
  [[nodiscard]] C* value() const noexcept {
    if constexpr (is_tag<C>) {
      return std::addressof(detail::tag_instance<C>);
    } else {
      return static_cast<C*>(values_[id<C>]);
    }
  }

 private:
  Mask added_;
  Mask removed_;
  std::array<void*, SchemaType::component_count> values_;  // of added ones
};

}  // namespace stowage
