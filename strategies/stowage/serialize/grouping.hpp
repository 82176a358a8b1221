#pragma once

// In which order load() creates the entities of a file: batch after batch of those that have the same components.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <stowage/serialize/file_contents.hpp>
#include <stowage/serialize/format.hpp>

namespace stowage::serialize {

/// Entities that have the same components, because they are in the same tables: those of `parent`, and `table`.
struct Batch {
  static constexpr std::uint32_t none = null_place;

  std::uint32_t rows = 0;
  std::uint32_t parent = none;  ///< none for those in no table
  std::uint32_t table = none;
  std::uint32_t depth = 0;  ///< tables that they are in
  std::size_t first_start = 0;
};

class Grouping {
 public:
  /// Throws DuplicateEntity, DanglingReference, std::bad_alloc. O(rows + tables log tables). If the tables are runs of
  /// places, as those of storages that keep every entity in one place are, nothing is kept per entity. Otherwise that
  /// takes 8 bytes for each entity, and up to 90 for each batch.
  Grouping(const std::vector<FileContents::Table>& tables, std::uint32_t entities)
      : tables_(tables), entities_(entities) {
    if (group_runs()) return;
    batches_.clear();
    group_all();
  }

  [[nodiscard]] const std::vector<Batch>& batches() const noexcept { return batches_; }
  /// Whether entities are created in the order of places, and the rows of tables follow each other in that order.
  [[nodiscard]] bool in_order() const noexcept { return batch_of_.empty(); }

  /// Calls `fn(table, start)` for the tables that a batch is in: their rows of it begin at row `start` once
  /// rows_in_order() has brought these together.
  template <class Fn>
  void for_each_table(const Batch& batch, Fn&& fn) const {
    const Batch* at = &batch;
    for (std::size_t depth = batch.depth; depth-- != 0; at = &batches_[at->parent]) {
      fn(at->table, starts_.empty() ? 0 : starts_[batch.first_start + depth]);
    }
  }

  /// Where each row of a table goes so that those of a batch lie side by side. To be called for one table after the
  /// other, in their order, and only if they are not in_order().
  [[nodiscard]] const std::vector<std::uint32_t>& rows_in_order(std::uint32_t t) {
    const FileContents::Table& table = tables_[t];
    order_.resize(table.rows);
    std::uint32_t next = 0;
    for (std::size_t row = 0; row < table.rows; ++row) {
      const std::uint32_t place = table.place(row);
      const std::uint32_t batch = batch_of_[place];
      auto& [seen_by, start] = seen_[batch];
      if (seen_by != t) {
        seen_by = t;
        start = std::exchange(next, next + batches_[batch].rows);
        starts_[batches_[batch].first_start + filled_[batch]++] = start;
      }
      order_[row] = start + row_of_[place];
    }
    return order_;
  }

  /// Puts in the order of places what is in the order of creation, if that is not the same.
  template <class T>
  [[nodiscard]] std::vector<T> by_place(const std::vector<T>& created) const {
    std::vector<std::uint32_t> firsts;
    std::uint32_t first = 0;
    for (const Batch& batch : batches_) firsts.push_back(std::exchange(first, first + batch.rows));
    std::vector<T> placed(created.size());
    for (std::size_t place = 0; place < placed.size(); ++place) {
      placed[place] = created[firsts[batch_of_[place]] + row_of_[place]];
    }
    return placed;
  }

 private:
  // ---- runs

  /// False if tables are not runs of places of which two are the same or have none in common.
  [[nodiscard]] bool group_runs() {
    std::vector<std::uint32_t> order(tables_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::sort(order, {}, [&](std::uint32_t t) { return std::pair(tables_[t].first_place, t); });
    const FileContents::Table* last = nullptr;
    std::uint32_t next = 0;  // the first place that is in no run so far
    for (const std::uint32_t t : order) {
      const FileContents::Table& table = tables_[t];
      if (table.list != nullptr) return false;
      const bool shares = last != nullptr && last->first_place == table.first_place && last->rows == table.rows;
      if (!shares) {
        if (table.first_place < next) return false;
        if (table.first_place > next) batches_.push_back({.rows = table.first_place - next});
        batches_.push_back({});
        next = table.first_place + table.rows;
      }
      last = &table;
      const std::uint32_t larger = extended(static_cast<std::uint32_t>(batches_.size() - 1), t);
      batches_[larger].rows = table.rows;
      batches_[larger - 1].rows = 0;
    }
    if (next < entities_) batches_.push_back({.rows = entities_ - next});
    return true;
  }

  // ---- any tables

  /// Table after table takes every entity from the batch of those that were in the same tables so far to the batch of
  /// those that are in this one too.
  void group_all() {
    batches_.push_back({.rows = entities_});
    batch_of_.assign(entities_, 0);
    row_of_.assign(entities_, Batch::none);  // until rows are numbered: the table that an entity was in last
    for (std::uint32_t t = 0; t < tables_.size(); ++t) add_table(t);
    number_rows();
  }

  void add_table(std::uint32_t t) {
    const FileContents::Table& table = tables_[t];
    for (std::size_t row = 0; row < table.rows; ++row) {
      const std::uint32_t place = table.place(row);
      if (place >= entities_) STOWAGE_THROW(DanglingReference("a table has an entity that is not in the file"));
      if (row_of_[place] == t) STOWAGE_THROW(DuplicateEntity("an entity is in the same table of the file twice"));
      row_of_[place] = t;
      std::uint32_t& batch = batch_of_[place];
      --batches_[batch].rows;
      batch = batch_with(batch, t);
      ++batches_[batch].rows;
    }
  }

  /// The batch of those that come from `batch` and are in table `t` too.
  [[nodiscard]] std::uint32_t batch_with(std::uint32_t batch, std::uint32_t t) {
    seen_.resize(batches_.size(), {Batch::none, 0});
    if (seen_[batch].first != t) seen_[batch] = {t, extended(batch, t)};
    return seen_[batch].second;
  }

  /// A new batch, without rows.
  [[nodiscard]] std::uint32_t extended(std::uint32_t batch, std::uint32_t t) {
    for_each_table(batches_[batch], [&](std::uint32_t other, std::uint32_t) {
      const auto is_known = [&](const FileContents::Column& column) {
        return std::ranges::find(tables_[other].columns, column.component, &FileContents::Column::component) !=
               tables_[other].columns.end();
      };
      if (std::ranges::any_of(tables_[t].columns, is_known)) {
        STOWAGE_THROW(DuplicateEntity("an entity of the file has the same component twice"));
      }
    });
    batches_.push_back({.rows = 0, .parent = batch, .table = t, .depth = batches_[batch].depth + 1});
    return static_cast<std::uint32_t>(batches_.size() - 1);
  }

  void number_rows() {
    std::size_t starts = 0;
    for (Batch& batch : batches_) {
      if (batch.rows != 0) batch.first_start = std::exchange(starts, starts + batch.depth);
    }
    starts_.resize(starts);
    filled_.resize(batches_.size());
    seen_.assign(batches_.size(), {Batch::none, 0});
    std::vector<std::uint32_t> next(batches_.size());
    for (std::size_t place = 0; place < batch_of_.size(); ++place) row_of_[place] = next[batch_of_[place]]++;
  }

  const std::vector<FileContents::Table>& tables_;
  std::uint32_t entities_;
  std::vector<Batch> batches_;
  // by place, if the tables are no runs
  std::vector<std::uint32_t> batch_of_;
  std::vector<std::uint32_t> row_of_;
  // by batch: the last table that was asked for, and the batch that it leads to, or where its rows begin
  std::vector<std::pair<std::uint32_t, std::uint32_t>> seen_;
  std::vector<std::uint32_t> starts_;  // `depth` of each batch from its first_start on
  std::vector<std::uint32_t> filled_;
  std::vector<std::uint32_t> order_;
};

}  // namespace stowage::serialize
