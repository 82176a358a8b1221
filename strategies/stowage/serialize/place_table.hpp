#pragma once

#include <algorithm>
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
    if (table.owners.empty()) {
      return place_each(table.rows, first, [&](std::size_t row) { return table.first_owner + row; });
    }
    return place_each(table.rows, first, [owners = table.owners.data()](std::size_t row) { return owners[row]; });
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
  template <class OwnerOf>
  [[nodiscard]] bool place_each(std::size_t rows, std::uint32_t first, OwnerOf owner_of) {
    std::size_t highest = 0;
    for (std::size_t row = 0; row < rows; ++row) highest = std::max<std::size_t>(highest, owner_of(row));
    static_cast<void>(slot(static_cast<EntityIndex>(highest)));
    std::uint32_t* const places = place_of_index_.data();
    std::uint32_t* const indices = index_of_place_.data() + first;
    bool each_is_new = true;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto owner = static_cast<EntityIndex>(owner_of(row));
      each_is_new &= places[owner] == null_place;
      places[owner] = first + static_cast<std::uint32_t>(row);
      indices[row] = owner;
    }
    placed_ += static_cast<std::uint32_t>(rows);
    return each_is_new;
  }

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
