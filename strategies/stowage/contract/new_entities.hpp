#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <stowage/contract/entity.hpp>

namespace stowage::parts {

/// The handles that a bulk creation has just made, and whether their indices follow each other upwards, as they do
/// while none is reused: then whatever is indexed by entity is written as one vectorised run, without reading the
/// handles back.
template <class EntityType>
struct NewEntities {
  std::span<const EntityType> handles;
  bool consecutive = false;

  [[nodiscard]] std::size_t size() const noexcept { return handles.size(); }
  [[nodiscard]] EntityIndex first_index() const noexcept { return handles.empty() ? 0 : handles.front().index(); }

  /// One past the highest index.
  [[nodiscard]] std::size_t index_end() const noexcept {
    if (consecutive) return first_index() + handles.size();
    std::size_t end = 0;
    for (const EntityType handle : handles) end = (std::max)(end, handle.index() + std::size_t{1});
    return end;
  }

  /// Writes the indices of `count` entities from position `from` on.
  void copy_indices(std::size_t from, std::size_t count, EntityIndex* to) const noexcept {
    if (consecutive) {
      const EntityIndex first = first_index() + static_cast<EntityIndex>(from);
      for (std::size_t i = 0; i < count; ++i) to[i] = first + static_cast<EntityIndex>(i);
    } else {
      for (std::size_t i = 0; i < count; ++i) to[i] = handles[from + i].index();
    }
  }
};

}  // namespace stowage::parts
