#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tests/support/altered_find.hpp"

namespace stowage::testing {

/// indirection_map with a pointer too many on the way to a row: right in every answer, and a line or two more for each
/// lookup. What a check of the misses must notice, because no checksum does.
template <class SchemaType>
class ExtraHop : public AlteredFind<ExtraHop<SchemaType>, SchemaType> {
  using Base = AlteredFind<ExtraHop, SchemaType>;
  using Handle = typename Base::Handle;
  friend Base;

  template <class Find>
  [[nodiscard]] auto look_up(Handle entity, Find&& find) const noexcept {
    return find(by_way_of_the_heap(entity));
  }

  /// A note of the handle is made when it is looked up first: in the pass that is not measured.
  [[nodiscard]] Handle by_way_of_the_heap(Handle entity) const {
    if (entity.index() >= notes_.size()) notes_.resize(entity.index() + std::size_t{1});
    std::unique_ptr<Handle>& note = notes_[entity.index()];
    if (note == nullptr) note = std::make_unique<Handle>(entity);
    return *note == entity ? *note : entity;
  }

  mutable std::vector<std::unique_ptr<Handle>> notes_;
};

}  // namespace stowage::testing
