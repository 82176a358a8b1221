#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

#include <stowage/contract/component.hpp>
#include <stowage/contract/entity.hpp>
#include <stowage/contract/strided_span.hpp>

namespace stowage {

/// One component of the rows of a table, wherever its layout has put it. Valid until the function returns that is given
/// the table.
class TableColumn {
 public:
  TableColumn() = default;
  /// `block` is what each_block would hand out for these rows.
  template <class C>
  TableColumn(std::size_t component, std::span<C> block) noexcept : component_(component) {
    if constexpr (is_tag<std::remove_const_t<C>>) return;
    first_ = block.data();
    stride_bytes_ = sizeof(C);
  }
  template <class C>
  TableColumn(std::size_t component, StridedSpan<C> block) noexcept : component_(component) {
    if constexpr (is_tag<std::remove_const_t<C>>) return;
    first_ = std::addressof(block[0]);
    stride_bytes_ = block.stride_bytes();
  }
  /// Components that lie one by one, each where `places` says; null for a tag.
  TableColumn(std::size_t component, const void* const* places) noexcept : component_(component), places_(places) {}
  /// A block of components that do not lie in memory as a whole, and are trivially copyable: they are put together.
  template <class Block>
    requires(!std::is_pointer_v<Block>)
  TableColumn(std::size_t component, const Block& block) noexcept
      : component_(component), gather_(&gather_from<Block>) {
    static_assert(std::is_trivially_copyable_v<Block> && sizeof(Block) <= sizeof(block_));
    ::new (static_cast<void*>(block_.data())) Block(block);
  }

  /// Its position in the schema.
  [[nodiscard]] std::size_t component() const noexcept { return component_; }
  /// The component of a row; null for a tag, and if is_spread().
  [[nodiscard]] const std::byte* at(std::size_t row) const noexcept {
    if (places_ != nullptr) return static_cast<const std::byte*>(places_[row]);
    return static_cast<const std::byte*>(first_) + row * stride_bytes_;
  }
  /// Whether they lie side by side, `bytes` each.
  [[nodiscard]] bool lies_packed(std::size_t bytes) const noexcept { return is_strided() && stride_bytes_ == bytes; }
  /// Whether all are equally far apart.
  [[nodiscard]] bool is_strided() const noexcept { return !is_spread() && places_ == nullptr; }
  [[nodiscard]] std::size_t stride_bytes() const noexcept { return stride_bytes_; }
  [[nodiscard]] bool is_spread() const noexcept { return gather_ != nullptr; }
  /// Puts `count` components of a spread column together, from row `row` on.
  void gather(std::size_t row, std::size_t count, std::byte* to) const { gather_(block_.data(), row, count, to); }

 private:
  using Gather = void (*)(const std::byte* block, std::size_t first, std::size_t count, std::byte* to);

  template <class Block>
  static void gather_from(const std::byte* held, std::size_t first, std::size_t count, std::byte* to) {
    using C = std::remove_const_t<typename Block::element_type>;
    const Block& components = *std::launder(reinterpret_cast<const Block*>(held));
    for (std::size_t i = 0; i < count; ++i) {
      const C whole = components[first + i];
      std::memcpy(to + i * sizeof(C), std::addressof(whole), sizeof(C));
    }
  }

  std::size_t component_ = 0;
  const void* first_ = nullptr;
  std::size_t stride_bytes_ = 0;
  const void* const* places_ = nullptr;  // by row, where they are scattered
  Gather gather_ = nullptr;
  alignas(std::size_t) std::array<std::byte, 4 * sizeof(std::size_t)> block_{};
};

/// Rows of a storage as they lie: all have the same components, and each belongs to another entity.
struct RowTable {
  std::span<const EntityIndex> owners;  ///< one per row; empty where they follow each other from `first_owner` on
  EntityIndex first_owner = 0;
  std::size_t rows = 0;
  std::span<const TableColumn> columns;  ///< in the order of the schema
  /// The owners are a list of the storage itself, and stay where they are until it changes; else they are valid until
  /// the function returns that is given the table.
  bool owners_stay = false;

  [[nodiscard]] EntityIndex owner(std::size_t row) const noexcept {
    return owners.empty() ? first_owner + static_cast<EntityIndex>(row) : owners[row];
  }
};

/// The columns of a table that is being put together.
template <std::size_t Components>
class TableColumns {
 public:
  template <class Block>
  void add(std::size_t component, const Block& block) noexcept {
    add(TableColumn(component, block));
  }
  void add(const TableColumn& column) noexcept { columns_[count_++] = column; }
  [[nodiscard]] std::span<const TableColumn> all() const noexcept { return {columns_.data(), count_}; }

 private:
  std::array<TableColumn, Components> columns_;
  std::size_t count_ = 0;
};

}  // namespace stowage
