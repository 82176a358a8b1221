#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/sections/component_mask.hpp>

namespace stowage::parts {

/// Calls `function(TypeList<C>{})` for every component of a schema, in its order.
template <class SchemaType, class Function>
void for_each_component_of(Function&& function) {
  [&]<class... Cs>(TypeList<Cs...>) { (function(TypeList<Cs>{}), ...); }(typename SchemaType::components{});
}

template <class List>
struct ShapesOf;
template <class... Cs>
struct ShapesOf<TypeList<Cs...>> {
  static constexpr std::array<ColumnShape, sizeof...(Cs)> shapes{shape_of<Cs>...};
  static constexpr bool trivially_copyable = (std::is_trivially_copyable_v<Cs> && ...);
};

/// How a block of rows of one component set is laid out: its columns, owners first, and where in the rows of which
/// column each component lies. Made where a section is added or grows, which is rare.
template <class SchemaType>
class SectionPlan {
 public:
  static constexpr std::size_t component_count = SchemaType::component_count;
  static constexpr const std::array<ColumnShape, component_count>& shapes =
      ShapesOf<typename SchemaType::components>::shapes;
  using Mask = ComponentMask<component_count>;

  /// A plan that has only the owners yet.
  explicit SectionPlan(const Mask& mask) noexcept : mask_(mask) { columns_[0] = shape_of<EntityIndex>; }

  [[nodiscard]] const Mask& mask() const noexcept { return mask_; }
  [[nodiscard]] std::size_t payload_row_bytes() const noexcept {
    std::size_t bytes = 0;
    for (std::size_t c = 0; c < component_count; ++c) bytes += mask_.has(c) ? shapes[c].row_bytes : 0;
    return bytes;
  }
  /// Bytes of one row of all columns.
  [[nodiscard]] std::size_t row_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const ColumnShape& column : columns()) bytes += column.row_bytes;
    return bytes;
  }

  // ---- making it

  void add_column(ColumnShape shape) noexcept { columns_[count_++] = shape; }

  /// A column in whose rows these components lie side by side, widest alignment first, so that no gap is wider than
  /// needed: as RowPlan of layout/interleaved.hpp has it.
  void add_column_of(const Mask& together) noexcept {
    ColumnShape column;
    for (std::size_t c = 0; c < component_count; ++c) {
      if (together.has(c)) column.alignment = std::max(column.alignment, shapes[c].alignment);
    }
    for (std::size_t wanted = column.alignment; wanted >= 1; wanted /= 2) {
      for (std::size_t c = 0; c < component_count; ++c) {
        if (!together.has(c) || shapes[c].alignment != wanted) continue;
        places_[c] = {count_, column.row_bytes};
        column.row_bytes += shapes[c].row_bytes;
      }
    }
    column.row_bytes = detail::align_up(column.row_bytes, column.alignment);
    add_column(column);
  }

  // ---- using it

  [[nodiscard]] std::span<const ColumnShape> columns() const noexcept { return {columns_.data(), count_}; }
  [[nodiscard]] std::size_t alignment() const noexcept { return block_alignment(columns()); }
  /// Bytes of a block of `rows` rows. The starts below are those of the block asked for last.
  std::size_t carve(std::size_t rows) noexcept {
    return parts::carve(rows, columns(), std::span(starts_).first(count_));
  }
  [[nodiscard]] std::size_t column_start(std::size_t column) const noexcept { return starts_[column]; }
  /// Of a component in row 0, and from there to the one in row 1.
  [[nodiscard]] std::size_t start(std::size_t component) const noexcept {
    return starts_[places_[component].column] + places_[component].offset;
  }
  [[nodiscard]] std::size_t stride(std::size_t component) const noexcept {
    return columns_[places_[component].column].row_bytes;
  }

 private:
  struct Place {
    std::size_t column = 0;
    std::size_t offset = 0;
  };

  Mask mask_;
  std::array<ColumnShape, component_count + 1> columns_{};
  std::array<std::size_t, component_count + 1> starts_{};
  std::array<Place, component_count> places_{};
  std::size_t count_ = 1;
};

}  // namespace stowage::parts
