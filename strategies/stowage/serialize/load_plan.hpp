#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <stowage/parts/on_failure.hpp>
#include <stowage/serialize/codec.hpp>
#include <stowage/serialize/column_sums.hpp>
#include <stowage/serialize/component_format.hpp>
#include <stowage/serialize/file_contents.hpp>
#include <stowage/serialize/grouping.hpp>
#include <stowage/serialize/known_contents.hpp>
#include <stowage/serialize/row_size.hpp>
#include <stowage/serialize/seeded_ids.hpp>
#include <stowage/serialize/workspace.hpp>

namespace stowage {

namespace serialize {

/// Everything about a file that can be wrong is found out here, before the storage is touched, but for the checksums of
/// columns that the storage copies first of all: what is left is to create batch after batch. All that load() takes
/// from the heap is at most 16 times the file's bytes and 16 KiB, beside sizeof(C) per row of encoded components and
/// what the storage needs: 28 bytes for the 4 of an entity and, where tables are no runs, the components once more, and
/// up to 90 bytes for the 4 of a row.
class LoadPlan {
 public:
  /// `file` is at a multiple of 64 bytes. Throws a LoadError, std::bad_alloc, and what codecs throw.
  /// `copies_first`: the storage lets columns go through a copier.
  LoadPlan(std::span<const std::byte> file, std::span<const ComponentOperations> components, std::uint32_t seed,
           bool copies_first);
  LoadPlan(const LoadPlan&) = delete;
  LoadPlan& operator=(const LoadPlan&) = delete;
  ~LoadPlan();

  [[nodiscard]] const FileContents& contents() const noexcept { return contents_; }
  [[nodiscard]] const Grouping& grouping() const noexcept { return *grouping_; }
  [[nodiscard]] const std::vector<KnownTable>& tables() const noexcept { return known_.tables; }
  [[nodiscard]] std::vector<SkippedComponent>& skipped() noexcept { return known_.skipped; }

  /// What columns have to go through, or null.
  [[nodiscard]] ColumnCopier* copier() noexcept { return sums_late_ ? &sums_ : nullptr; }

  /// Calls `fn(component, column)` for the columns of a batch.
  template <class Fn>
  void for_each_column(const Batch& batch, Fn&& fn) const {
    grouping_->for_each_table(batch, [&](std::uint32_t t, std::uint32_t start) {
      for (std::size_t c = 0; c < known_.tables[t].columns.size(); ++c) {
        const std::uint32_t component = known_.tables[t].columns[c].component;
        const bool is_tag = components_[component].kind == ColumnKind::tag;
        fn(component, is_tag ? nullptr : sources_[t][c] + start * components_[component].bytes);
      }
    });
  }

 private:
  // ---- entities

  /// The list has no index twice. O(entities) where they ascend or are dense, as they do and are in most files.
  void check_entities() const {
    const std::size_t count = contents_.entities;
    const auto index = [this](std::size_t i) {
      std::uint32_t value;
      std::memcpy(&value, contents_.indices + i * sizeof value, sizeof value);
      return value;
    };
    std::size_t named = count;
    while (named != 0 && index(named - 1) == unnamed) --named;
    std::uint32_t falls = 0;  // as wide as an index, so that it is found out in vector registers
    for (std::size_t i = 1; i < named; ++i) falls |= index(i) <= index(i - 1) ? 1u : 0u;
    if (falls == 0) return;
    std::uint32_t highest = 0;
    for (std::size_t i = 0; i < count; ++i) highest = index(i) == unnamed ? highest : std::max(highest, index(i));
    const auto twice = [](std::uint32_t value) {
      return DuplicateEntity("entity " + std::to_string(value) + " is in the file twice");
    };
    if (highest / 32 < count) {
      std::vector<bool> seen(highest + std::size_t{1});
      for (std::size_t i = 0; i < count; ++i) {
        if (index(i) == unnamed) continue;
        if (seen[index(i)]) STOWAGE_THROW(twice(index(i)));
        seen[index(i)] = true;
      }
      return;
    }
    std::vector<std::uint32_t> sorted(count);
    for (std::size_t i = 0; i < count; ++i) sorted[i] = index(i);
    std::ranges::sort(sorted);
    const auto found = std::ranges::adjacent_find(sorted);
    if (found != sorted.end() && *found != unnamed) STOWAGE_THROW(twice(*found));
  }

  // ---- checksums of columns that are bytes; the others are checked as they are read

  /// Whether nothing has been created when the columns are copied, and nothing is copied twice.
  [[nodiscard]] bool is_one_batch() const noexcept {
    if (!grouping_->in_order()) return false;
    const auto has_rows = [](const Batch& batch) { return batch.rows != 0; };
    const auto has_columns = [](const Batch& batch) { return batch.rows != 0 && batch.depth != 0; };
    const std::vector<Batch>& batches = grouping_->batches();
    const auto first = std::ranges::find_if(batches, has_rows);
    return first != batches.end() && has_columns(*first) && std::ranges::count_if(batches, has_columns) == 1;
  }

  void check_columns() {
    for (const KnownTable& table : known_.tables) {
      for (const KnownColumn& column : table.columns) {
        const ComponentOperations& component = components_[column.component];
        if (component.kind != ColumnKind::raw) continue;
        if (sums_late_ && is_ready(component) && component.references.empty()) {
          sums_.expect(column, component.name);
        } else {
          check_sum(checksum_of(column.data, column.bytes), column.checksum, component.name);
        }
      }
    }
  }

  // ---- references of components that are bytes; those of the others are checked as they are read

  void check_references() const {
    if (contents_.keeps_handles) return;
    for (const KnownTable& table : known_.tables) {
      for (const KnownColumn& column : table.columns) {
        const ComponentOperations& component = components_[column.component];
        for (const Field& field : component.references) {
          const std::byte* const first = column.data + field.offset;
          const bool is_sound = field.bytes == sizeof(std::uint32_t)
                                    ? refers_within<std::uint32_t>(first, table.table->rows, component.bytes)
                                    : refers_within<std::uint64_t>(first, table.table->rows, component.bytes);
          if (!is_sound) {
            STOWAGE_THROW(DanglingReference("component " + std::string(component.name) +
                                            " refers to an entity that is not in the file"));
          }
        }
      }
    }
  }

  template <class Word>
  [[nodiscard]] bool refers_within(const std::byte* field, std::size_t rows, std::size_t stride) const noexcept {
    bool all = true;
    for (std::size_t row = 0; row < rows; ++row, field += stride) {
      Word word;
      std::memcpy(&word, field, sizeof word);
      all &= word < contents_.entities || word == static_cast<Word>(~Word{0});
    }
    return all;
  }

  // ---- components as create() takes them

  /// Whether a column is what create() takes, as it lies in the file.
  [[nodiscard]] bool is_ready(const ComponentOperations& component) const noexcept {
    const bool is_seeded = seed_ != 0 && !component.seeded_ids.empty();
    return component.kind == ColumnKind::tag || (component.kind == ColumnKind::raw && grouping_->in_order() &&
                                                 !is_seeded && component.alignment <= section_alignment);
  }

  void bring_in(std::uint32_t t) {
    const KnownTable& table = known_.tables[t];
    const std::uint32_t* order = grouping_->in_order() ? nullptr : grouping_->rows_in_order(t).data();
    std::vector<std::byte*>& sources = sources_.emplace_back();
    for (const KnownColumn& column : table.columns) {
      const ComponentOperations& component = components_[column.component];
      if (is_ready(component)) {
        sources.push_back(const_cast<std::byte*>(column.data));  // copied as bytes, never written to
        continue;
      }
      Workspace& space = workspaces_.emplace_back(component, table.table->rows);
      if (component.kind == ColumnKind::encoded) {
        decode(column, table.table->rows, order, space);
      } else {
        copy(column, table.table->rows, order, space);
        seed_ids(component.seeded_ids, seed_, space.data(), table.table->rows, component.bytes);
      }
      sources.push_back(space.data());
    }
  }

  void copy(const KnownColumn& column, std::size_t rows, const std::uint32_t* order, Workspace& space) const {
    const std::size_t bytes = components_[column.component].bytes;
    if (order == nullptr) {
      std::memcpy(space.data(), column.data, rows * bytes);
      return;
    }
    with_row_size(bytes, [&](auto size) {
      for (std::size_t row = 0; row < rows; ++row) {
        std::memcpy(space.data() + order[row] * std::size_t{size}, column.data + row * size, size);
      }
    });
  }

  void decode(const KnownColumn& column, std::size_t rows, const std::uint32_t* order, Workspace& space) const {
    const ComponentOperations& component = components_[column.component];
    ByteReader from({column.data, column.bytes}, contents_.entities, contents_.keeps_handles);
    const auto place = [&](std::size_t row) {
      return space.data() + (order != nullptr ? order[row] : row) * component.bytes;
    };
    std::size_t done = 0;
    parts::OnFailure undo([&] {
      while (done != 0) component.destroy(place(--done), 1);
    });
    for (; done < rows; ++done) component.decode(from, column.version, place(done));
    if (from.bytes_left() != 0) {
      STOWAGE_THROW(MalformedFile("the codec of component " + std::string(component.name) + " left bytes unread"));
    }
    undo.release();
    space.owns(rows);
  }

  std::span<const ComponentOperations> components_;
  std::uint32_t seed_;
  FileContents contents_;
  KnownContents known_;
  std::unique_ptr<Grouping> grouping_;
  std::vector<Workspace> workspaces_;
  std::vector<std::vector<std::byte*>> sources_;  // by table and column
  bool sums_late_ = false;
  ColumnSums sums_;
};

#ifdef STOWAGE_SERIALIZE_BODIES
STOWAGE_SERIALIZE_FUNCTION LoadPlan::LoadPlan(std::span<const std::byte> file,
                                              std::span<const ComponentOperations> components, std::uint32_t seed,
                                              bool copies_first)
    : components_(components), seed_(seed), contents_(FileReader::read(file)) {
  check_entities();
  known_ = ContentsMatcher::match(contents_, components_);
  grouping_ = std::make_unique<Grouping>(known_.tables, contents_.entities);
  sums_late_ = copies_first && is_one_batch();
  check_columns();
  check_references();
  for (std::uint32_t t = 0; t < known_.tables.size(); ++t) bring_in(t);
}

STOWAGE_SERIALIZE_FUNCTION LoadPlan::~LoadPlan() = default;
#endif

}  // namespace serialize
}  // namespace stowage
