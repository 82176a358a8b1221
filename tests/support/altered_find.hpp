#pragma once

#include <stowage/indirection_map.hpp>

namespace stowage::testing {

/// indirection_map whose lookups `Self` makes: `look_up(entity, find)` in both forms of find(), where `find(entity)`
/// is the lookup as it should be. Everything else is what it was.
template <class Self, class SchemaType>
class AlteredFind : public IndirectionMap<SchemaType> {
  using Base = IndirectionMap<SchemaType>;

 public:
  using Handle = typename Base::entity_type;

  template <class... Cs>
  [[nodiscard]] auto find(Handle entity) noexcept {
    return static_cast<const Self&>(*this).look_up(entity,
                                                   [this](Handle known) { return Base::template find<Cs...>(known); });
  }
  template <class... Cs>
  [[nodiscard]] auto find(Handle entity) const noexcept {
    return static_cast<const Self&>(*this).look_up(entity,
                                                   [this](Handle known) { return Base::template find<Cs...>(known); });
  }
};

}  // namespace stowage::testing
