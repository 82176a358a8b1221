#pragma once

#include <cstddef>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/entity.hpp>

namespace stowage {

/// The owners of the rows of a block: entity `i` has component `i` of every span that each_block passes with this. A
/// view, valid as long as those spans. An index takes a read of 4 bytes, or none if rows are in the order of their
/// indices; a handle takes a read of the registry, too.
template <class Registry>
class BlockEntities {
 public:
  using entity_type = typename Registry::entity_type;

  /// Row `i` belongs to the entity with index `owners[i]`.
  [[nodiscard]] static BlockEntities of(const Registry& registry, const EntityIndex* owners,
                                        std::size_t size) noexcept {
    return {registry, owners, 0, size};
  }
  /// Row `i` belongs to the entity with index `first + i`.
  [[nodiscard]] static BlockEntities from(const Registry& registry, std::size_t first, std::size_t size) noexcept {
    return {registry, nullptr, static_cast<EntityIndex>(first), size};
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] EntityIndex index(std::size_t position) const noexcept {
    STOWAGE_ASSERT(position < size_, "a block has one entity per row");
    return owners_ != nullptr ? owners_[position] : first_ + static_cast<EntityIndex>(position);
  }
  [[nodiscard]] entity_type operator[](std::size_t position) const noexcept {
    return registry_->entity_at(index(position));
  }

 private:
  BlockEntities(const Registry& registry, const EntityIndex* owners, EntityIndex first, std::size_t size) noexcept
      : registry_(&registry), owners_(owners), size_(size), first_(first) {}

  const Registry* registry_;
  const EntityIndex* owners_;
  std::size_t size_;
  EntityIndex first_;
};

}  // namespace stowage
