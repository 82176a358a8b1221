#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stowage/contract/row_table.hpp>
#include <stowage/serialize/byte_buffer.hpp>
#include <stowage/serialize/section_writer.hpp>

namespace stowage::serialize {

/// A table of a file that is being written: all rows that have the same components.
struct WrittenTable {
  struct Column {
    std::uint32_t component;
    std::uint64_t bytes = 0;
    std::uint64_t position = 0;
    ByteBuffer encoded;
    SectionWriter section;
  };

  std::vector<Column> columns;
  std::size_t rows = 0;
  std::uint32_t first_place = 0;
  std::uint32_t next_place = 0;
  bool is_listed = false;
  std::uint64_t list_position = 0;
  SectionWriter list;
};

/// The tables of a file, in the order in which the first rows of each came.
class WrittenTables {
 public:
  /// The table of these rows, which is added where there is none yet. O(columns): rows with the same components follow
  /// each other in most storages, so the last table is asked first. Adding moves the others.
  [[nodiscard]] WrittenTable& of(const RowTable& rows) {
    if (last_ < tables_.size() && has_columns_of(tables_[last_], rows)) return tables_[last_];
    std::uint64_t key = 0;
    for (const TableColumn& column : rows.columns) key = (key + column.component() + 1) * 0x9e3779b97f4a7c15u;
    const auto [first, end] = by_components_.equal_range(key);
    for (auto known = first; known != end; ++known) {
      if (has_columns_of(tables_[known->second], rows)) return tables_[last_ = known->second];
    }
    WrittenTable table;
    for (const TableColumn& column : rows.columns) {
      table.columns.emplace_back().component = static_cast<std::uint32_t>(column.component());
    }
    last_ = tables_.size();
    tables_.push_back(std::move(table));
    by_components_.emplace(key, last_);
    return tables_[last_];
  }

  [[nodiscard]] std::vector<WrittenTable>& all() noexcept { return tables_; }
  [[nodiscard]] const std::vector<WrittenTable>& all() const noexcept { return tables_; }

 private:
  [[nodiscard]] static bool has_columns_of(const WrittenTable& table, const RowTable& rows) noexcept {
    return std::ranges::equal(table.columns, rows.columns, {}, &WrittenTable::Column::component,
                              [](const TableColumn& column) { return column.component(); });
  }

  std::vector<WrittenTable> tables_;
  std::unordered_multimap<std::uint64_t, std::size_t> by_components_;
  std::size_t last_ = 0;
};

}  // namespace stowage::serialize
