#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include <stowage/contract/component_columns.hpp>
#include <stowage/serialize/file_contents.hpp>
#include <stowage/serialize/grouping.hpp>
#include <stowage/serialize/section_sum.hpp>

namespace stowage::serialize {

/// Sums columns of a file up while they are copied to a storage; what a storage copies in a way of its own, because it
/// does not keep components side by side, is summed up in the end.
class ColumnSums final : public ColumnCopier {
 public:
  void expect(const KnownColumn& column, std::string_view name) {
    columns_.push_back({column.component, column.bytes, column.checksum, name, SectionSum(column.data)});
  }

  void copy(std::size_t component, const void* from, std::size_t bytes, void* to) noexcept override {
    const auto column = std::ranges::find(columns_, component, &Column::component);
    if (column == columns_.end()) {  // summed up already
      std::memcpy(to, from, bytes);
    } else {
      column->sum.copy(static_cast<const std::byte*>(from), static_cast<std::byte*>(to), bytes);
    }
  }
  void check() override {
    for (Column& column : columns_) {
      column.sum.advance(column.bytes - column.sum.bytes());
      check_sum(column.sum.finish(), column.checksum, column.name);
    }
  }

 private:
  struct Column {
    std::size_t component;
    std::size_t bytes;
    std::uint64_t checksum;
    std::string_view name;
    SectionSum sum;
  };
  std::vector<Column> columns_;
};

}  // namespace stowage::serialize
