#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/schema.hpp>
#include <stowage/parts/layout/carve.hpp>
#include <stowage/parts/layout/whole_column.hpp>
#include <stowage/parts/sections/component_mask.hpp>

namespace stowage::parts {

template <template <class> class Column, class List>
struct ShapesOf;
template <template <class> class Column, class... Cs>
struct ShapesOf<Column, TypeList<Cs...>> {
  static constexpr std::array<ColumnShape, sizeof...(Cs)> shapes{Column<Cs>::shape...};
  static constexpr std::array<std::size_t, sizeof...(Cs)> component_bytes{Column<Cs>::component_bytes...};
};

/// How a block of rows of one component set is laid out: its columns, owners first, and where in the rows of which
/// column each component lies. Made where a section is added or grows, which is rare. `Column` is how a column holds a
/// component (layout/whole_column.hpp, layout/spread.hpp).
template <class SchemaType, template <class> class Column = WholeColumn>
class SectionPlan {
  using Shapes = ShapesOf<Column, typename SchemaType::components>;

 public:
  static constexpr std::size_t component_count = SchemaType::component_count;
  static constexpr const std::array<ColumnShape, component_count>& shapes = Shapes::shapes;
  using Mask = ComponentMask<component_count>;

  /// A plan that has only the owners yet.
  explicit SectionPlan(const Mask& mask) noexcept : mask_(mask) { columns_[0] = shape_of_keys<EntityIndex>; }

  [[nodiscard]] const Mask& mask() const noexcept { return mask_; }
  [[nodiscard]] std::size_t payload_row_bytes() const noexcept {
    std::size_t bytes = 0;
    for (std::size_t c = 0; c < component_count; ++c) bytes += mask_.has(c) ? Shapes::component_bytes[c] : 0;
    return bytes;
  }
  /// Bytes of one row of all columns.
  [[nodiscard]] std::size_t row_bytes() const noexcept {
    std::size_t bytes = 0;
    for (const ColumnShape& column : columns()) bytes += column.row_bytes * column.lanes;
    return bytes;
  }

  // ---- making it

  void add_column(ColumnShape shape) noexcept { columns_[count_++] = shape; }

  /// A column in whose rows these components lie side by side, widest alignment first, so that no gap is wider than
  /// needed: as RowPlan of layout/interleaved.hpp has it. A component in lanes is alone.
  void add_column_of(const Mask& together) noexcept {
    ColumnShape column;
    for (std::size_t c = 0; c < component_count; ++c) {
      if (!together.has(c)) continue;
      column.alignment = (std::max)(column.alignment, shapes[c].alignment);
      column.lanes = (std::max)(column.lanes, shapes[c].lanes);
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
    rows_ = rows;
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
  /// From one lane of a column to the next, and of the column that has a component.
  [[nodiscard]] std::size_t pitch_of_column(std::size_t column) const noexcept {
    return lane_pitch(rows_, columns_[column]);
  }
  [[nodiscard]] std::size_t pitch(std::size_t component) const noexcept {
    return pitch_of_column(places_[component].column);
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
  std::size_t rows_ = 0;  // that it was carved for last
};

}  // namespace stowage::parts
