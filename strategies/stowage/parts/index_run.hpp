#pragma once

#include <cstddef>
#include <span>

#include <stowage/contract/entity.hpp>

namespace stowage::parts {

/// True when the indices of `entities` follow each other upwards, as those of new entities do while none is reused:
/// then whatever is indexed by entity is written in one vectorised run. Branch-free, so that it is one itself.
template <class EntityType>
[[nodiscard]] bool is_index_run(std::span<const EntityType> entities) noexcept {
  if (entities.empty()) return true;
  const EntityIndex first = entities.front().index();
  EntityIndex different = 0;
  for (std::size_t i = 0; i < entities.size(); ++i) {
    different |= entities[i].index() ^ (first + static_cast<EntityIndex>(i));
  }
  return different == 0;
}

}  // namespace stowage::parts
