#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <stowage/contract/assert.hpp>
#include <stowage/contract/component_type.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/growing_array.hpp>
#include <stowage/contract/memory.hpp>
#include <stowage/parts/layout/carve.hpp>

namespace stowage::parts {

/// Packed rows of components whose types are known at run time only, and the index of each row's owner, in one block
/// that grows. Tags have no column.
///
///     block  [ owner owner ... | A A ... | B B ... ]
class DynamicRows {
 public:
  struct Column {
    std::byte* start = nullptr;  ///< of row 0
    TypeId id = 0;
    ComponentType type;

    [[nodiscard]] std::byte* at(std::size_t row) const noexcept { return start + row * type.size; }
  };

  DynamicRows() = default;
  DynamicRows(const DynamicRows&) = delete;
  DynamicRows& operator=(const DynamicRows&) = delete;
  ~DynamicRows() { clear(); }

  /// Before there are rows. Throws std::bad_alloc; then nothing has changed.
  void add_column(TypeId id, const ComponentType& type) {
    if (type.size != 0) columns_.append({nullptr, id, type});
    row_bytes_ += type.size;
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool full() const noexcept { return size_ == capacity_; }
  [[nodiscard]] EntityIndex* owners() const noexcept { return reinterpret_cast<EntityIndex*>(block_.data()); }
  [[nodiscard]] std::span<const Column> columns() const noexcept { return {columns_.data(), columns_.size()}; }

  /// Room for `rows` rows in all; true if the columns lie elsewhere now. Throws std::bad_alloc, or
  /// std::length_error if no array can be so long; then nothing has changed.
  bool reserve(std::size_t rows) {
    if (rows <= capacity_) return false;
    reallocate(rows);
    return true;
  }
  /// The same for `more` rows beyond those in use, of an array that grows.
  bool make_room(std::size_t more) {
    return size_ + more > capacity_ && reserve(grown_capacity(capacity_, size_ + more));
  }

  /// The components of the next row are complete: it is this entity's. Needs room.
  std::size_t commit(EntityIndex owner) noexcept {
    owners()[size_] = owner;
    return size_++;
  }

  /// The components of the row are gone: the last row moves there, and `moved(owner, row)` hears of it.
  template <class Moved>
  void fill(std::size_t row, Moved&& moved) noexcept {
    const std::size_t last = --size_;
    if (row == last) return;
    for (const Column& column : columns()) column.type.relocate(column.at(last), column.at(row), 1, column.type.size);
    std::forward<Moved>(moved)(owners()[row] = owners()[last], row);
  }
  /// Ends the components of the row first.
  template <class Moved>
  void erase(std::size_t row, Moved&& moved) noexcept {
    for (const Column& column : columns()) {
      if (column.type.destroy != nullptr) column.type.destroy(column.at(row), 1);
    }
    fill(row, std::forward<Moved>(moved));
  }

  /// Keeps the memory.
  void clear() noexcept {
    for (const Column& column : columns()) {
      if (column.type.destroy != nullptr && size_ != 0) column.type.destroy(column.start, size_);
    }
    size_ = 0;
  }

  /// The rows of others with the same columns, as bytes, instead of those that are here; true if the columns lie
  /// elsewhere now. Throws std::bad_alloc; then there are no rows.
  bool copy_from(const DynamicRows& other) {
    clear();
    const bool moved = reserve(other.size_);
    size_ = other.size_;
    if (size_ == 0) return moved;
    std::memcpy(owners(), other.owners(), size_ * sizeof(EntityIndex));
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      std::memcpy(columns_[c].start, other.columns_[c].start, size_ * columns_[c].type.size);
    }
    return moved;
  }

  /// Components are payload, owners are index, rows not in use are slack; the list of columns is index.
  [[nodiscard]] MemoryBreakdown memory() const noexcept {
    const std::size_t payload = size_ * row_bytes_;
    const std::size_t owner_bytes = size_ * sizeof(EntityIndex);
    return {.payload_bytes = payload,
            .index_bytes = owner_bytes + columns_.held_bytes(),
            .slack_bytes = block_.bytes() - payload - owner_bytes,
            .allocations = (capacity_ != 0 ? std::size_t{1} : 0) + columns_.allocations()};
  }
  /// How often the rows moved to a larger block.
  [[nodiscard]] std::uint64_t growths() const noexcept { return growths_; }

 private:
  STOWAGE_COLD void reallocate(std::size_t capacity) {
    static_cast<void>(array_bytes(capacity, sizeof(EntityIndex) + row_bytes_));  // throws if that is too much
    std::vector<ColumnShape> shapes{shape_of_keys<EntityIndex>};
    for (const Column& column : columns()) shapes.push_back({column.type.size, column.type.alignment});
    std::vector<std::size_t> offsets(shapes.size());
    const std::size_t bytes = carve(capacity, shapes, offsets);
    Block larger(bytes, block_alignment(shapes));
    if (size_ != 0) std::memcpy(larger.data(), block_.data(), size_ * sizeof(EntityIndex));
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      Column& column = columns_[c];
      std::byte* const start = larger.data() + offsets[c + 1];
      if (size_ != 0) column.type.relocate(column.start, start, size_, column.type.size);
      column.start = start;
    }
    block_.swap(larger);
    growths_ += capacity_ != 0 ? 1U : 0U;
    capacity_ = capacity;
  }

  Block block_;
  GrowingArray<Column> columns_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::size_t row_bytes_ = 0;
  std::uint64_t growths_ = 0;
};

}  // namespace stowage::parts
