#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/serialize/format.hpp>

namespace stowage::serialize {

/// Which place in the file an entity has, by its index, and the other way round.
class PlaceTable {
 public:
  /// Nobody has a place any more; there are `entities` of them.
  void reset(std::size_t entities) {
    place_of_index_.clear();
    index_of_place_.assign(entities, unnamed);
    placed_ = 0;
  }

  /// Gives the owners of a table the places from `first` on; false where one of them has a place already.
  [[nodiscard]] bool place_all(const RowTable& table, std::uint32_t first) {
    for (std::size_t row = 0; row < table.rows; ++row) {
      const EntityIndex owner = table.owner(row);
      std::uint32_t& place = slot(owner);
      if (place != null_place) return false;
      place = first + static_cast<std::uint32_t>(row);
      index_of_place_[place] = owner;
    }
    placed_ += static_cast<std::uint32_t>(table.rows);
    return true;
  }

  /// The place of an entity that is part of what is saved; one that has none gets the next. So does whoever has no
  /// component and is in no table: it needs a place only when a component refers to it.
  std::uint32_t place_of(EntityIndex owner) {
    std::uint32_t& place = slot(owner);
    if (place == null_place) {
      place = placed_++;
      index_of_place_[place] = owner;
    }
    return place;
  }

  [[nodiscard]] const std::vector<std::uint32_t>& indices() const noexcept { return index_of_place_; }

 private:
  [[nodiscard]] std::uint32_t& slot(EntityIndex index) {
    if (index >= place_of_index_.size()) [[unlikely]] {
      place_of_index_.resize(index + std::size_t{1} + index / 2, null_place);
    }
    return place_of_index_[index];
  }

  std::vector<std::uint32_t> place_of_index_;
  std::vector<std::uint32_t> index_of_place_;
  std::uint32_t placed_ = 0;
};

}  // namespace stowage::serialize
