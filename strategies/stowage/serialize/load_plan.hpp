#pragma once

// What load() does before it touches the storage: checks the file, decodes, and brings columns into their order.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stowage/contract/component_columns.hpp>
#include <stowage/parts/on_failure.hpp>
#include <stowage/serialize/checksum.hpp>
#include <stowage/serialize/codec.hpp>
#include <stowage/serialize/component_format.hpp>
#include <stowage/serialize/file_contents.hpp>
#include <stowage/serialize/format.hpp>
#include <stowage/serialize/grouping.hpp>

namespace stowage {

/// The older way to load a file twice, as a rival of places: entities are known by random numbers of 31 bits that the
/// program keeps in components of its own, and a seed per load makes others of all of them. Nothing is looked up, and
/// nothing says that the new numbers are free: two of n numbers that were drawn at random are equal in
/// n (n - 1) / 2^32 pairs, 16 of 262,144, and so are those of two loads. 0 is no entity, and stays 0; that another
/// number becomes 0 is one of the collisions. Source: Wicked Engine, "Entity-component system" (2019).
[[nodiscard]] constexpr std::uint32_t seeded_id(std::uint32_t id, std::uint32_t seed) noexcept {
  return id != 0 && seed != 0 ? ((id << 1) ^ seed) >> 1 : id;
}

namespace serialize {

/// Changes the ids in a column of `rows` components by seeded_id().
inline void seed_ids(std::span<const Field> fields, std::uint32_t seed, std::byte* column, std::size_t rows,
                     std::size_t stride) noexcept {
  for (const Field& field : fields) {
    std::byte* at = column + field.offset;
    for (std::size_t row = 0; row < rows; ++row, at += stride) {
      std::uint32_t id;
      std::memcpy(&id, at, sizeof id);
      id = seeded_id(id, seed);
      std::memcpy(at, &id, sizeof id);
    }
  }
}

/// Sums columns of a file up while they are copied to a storage. Storages that do not keep components side by side copy
/// columns in a way of their own: those are summed up in the end.
class ColumnSums final : public ColumnCopier {
 public:
  void expect(const FileContents::Column& column, std::string_view name) {
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
  void check_copies() override {
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

/// Components on their way from a file to a storage: copied or decoded, and ended when they have been moved out.
struct EndColumn {
  const ComponentOperations* component;
  std::size_t constructed = 0;  ///< rows that are objects which have to be ended

  [[nodiscard]] std::align_val_t alignment() const noexcept {
    return std::align_val_t{(std::max)(component->alignment, ByteBuffer::alignment)};
  }
  void operator()(std::byte* column) const noexcept {
    if (constructed != 0) component->destroy(column, constructed);
    ::operator delete(column, alignment());
  }
};
using MadeColumn = std::unique_ptr<std::byte, EndColumn>;

/// Checks everything about a file before the storage is touched, except the checksums of columns that the storage
/// copies first of all. What is left is to create batch after batch. load() takes at most 16 times the file's bytes and
/// 16 KiB from the heap, beside sizeof(C) per row of encoded components and what the storage needs: 28 bytes for the 4
/// of an entity and, if tables are no runs, the components once more, and up to 90 bytes for the 4 of a row.
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
  [[nodiscard]] const std::vector<FileContents::Table>& tables() const noexcept { return contents_.tables; }
  [[nodiscard]] std::vector<SkippedComponent>& skipped() noexcept { return skipped_; }

  /// What columns have to go through, or null.
  [[nodiscard]] ColumnCopier* copier() noexcept { return sums_late_ ? &sums_ : nullptr; }

  /// Calls `fn(component, column)` for the columns of a batch.
  template <class Fn>
  void for_each_column(const Batch& batch, Fn&& fn) const {
    grouping_->for_each_table(batch, [&](std::uint32_t t, std::uint32_t start) {
      for (std::size_t c = 0; c < contents_.tables[t].columns.size(); ++c) {
        const std::uint32_t component = contents_.tables[t].columns[c].component;
        const bool is_tag = components_[component].kind == ColumnKind::tag;
        fn(component, is_tag ? nullptr : sources_[t][c] + start * components_[component].bytes);
      }
    });
  }

 private:
  // ---- checksums and references of columns that are bytes; the others are checked as they are read

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
    for (const FileContents::Table& table : contents_.tables) {
      for (const FileContents::Column& column : table.columns) {
        const ComponentOperations& component = components_[column.component];
        if (component.kind != ColumnKind::raw) continue;
        if (sums_late_ && is_ready(component) && component.references.empty() && component.first_invalid == nullptr) {
          sums_.expect(column, component.name);
        } else {
          check_sum(checksum_of(column.data, column.bytes), column.checksum, component.name);
        }
        if (!contents_.keeps_handles) check_references(column, table.rows);
        if (component.first_invalid != nullptr) {
          const std::size_t row = component.first_invalid(column.data, table.rows);
          if (row != table.rows) STOWAGE_THROW(invalid(component, row));
        }
      }
    }
  }

  [[nodiscard]] static InvalidValue invalid(const ComponentOperations& component, std::size_t row) {
    return InvalidValue("component " + std::string(component.name) + " has a value in row " + std::to_string(row) +
                        " of a table that its type does not have");
  }

  void check_references(const FileContents::Column& column, std::size_t rows) const {
    const ComponentOperations& component = components_[column.component];
    for (const Field& field : component.references) {
      const std::byte* const first = column.data + field.offset;
      const auto is_sound = [&](auto stride) {
        switch (field.bytes) {
          case sizeof(std::uint8_t):
            return refers_within<std::uint8_t>(first, rows, stride);
          case sizeof(std::uint16_t):
            return refers_within<std::uint16_t>(first, rows, stride);
          case sizeof(std::uint32_t):
            return refers_within<std::uint32_t>(first, rows, stride);
          default:
            return refers_within<std::uint64_t>(first, rows, stride);
        }
      };
      if (!with_row_size(component.bytes, is_sound)) {
        STOWAGE_THROW(DanglingReference("component " + std::string(component.name) +
                                        " refers to an entity that is not in the file"));
      }
    }
  }

  template <class Word, class Stride>
  [[nodiscard]] bool refers_within(const std::byte* field, std::size_t rows, Stride stride) const noexcept {
    Word highest = 0;
    for (std::size_t row = 0; row < rows; ++row, field += stride) {
      Word word;
      std::memcpy(&word, field, sizeof word);
      highest = (std::max)(highest, static_cast<Word>(word + 1));  // 0 if it is null
    }
    return highest <= contents_.entities;
  }

  // ---- components as create() takes them

  /// Whether a column is what create() takes, as it lies in the file.
  [[nodiscard]] bool is_ready(const ComponentOperations& component) const noexcept {
    const bool is_seeded = seed_ != 0 && !component.seeded_ids.empty();
    return component.kind == ColumnKind::tag || (component.kind == ColumnKind::raw && grouping_->in_order() &&
                                                 !is_seeded && component.alignment <= section_alignment);
  }

  void bring_in(std::uint32_t t) {
    const FileContents::Table& table = contents_.tables[t];
    const std::uint32_t* order = grouping_->in_order() ? nullptr : grouping_->rows_in_order(t).data();
    std::vector<std::byte*>& sources = sources_.emplace_back();
    for (const FileContents::Column& column : table.columns) {
      const ComponentOperations& component = components_[column.component];
      if (is_ready(component)) {
        sources.push_back(const_cast<std::byte*>(column.data));  // copied as bytes, never written to
        continue;
      }
      const std::size_t rows = table.rows;
      const EndColumn end{&component};
      const std::size_t bytes = rows * component.bytes;
      MadeColumn made(static_cast<std::byte*>(::operator new(bytes, end.alignment())), end);
      if (component.kind == ColumnKind::encoded) {
        decode(column, rows, order, made);
      } else {
        copy(column, rows, order, made.get());
        seed_ids(component.seeded_ids, seed_, made.get(), rows, component.bytes);
      }
      sources.push_back(made.get());
      made_.push_back(std::move(made));
    }
  }

  void copy(const FileContents::Column& column, std::size_t rows, const std::uint32_t* order, std::byte* to) const {
    const std::size_t bytes = components_[column.component].bytes;
    if (order == nullptr) {
      std::memcpy(to, column.data, rows * bytes);
      return;
    }
    with_row_size(bytes, [&](auto size) {
      for (std::size_t row = 0; row < rows; ++row) {
        std::memcpy(to + order[row] * std::size_t{size}, column.data + row * size, size);
      }
    });
  }

  void decode(const FileContents::Column& column, std::size_t rows, const std::uint32_t* order,
              MadeColumn& made) const {
    const ComponentOperations& component = components_[column.component];
    ByteReader from({column.data, column.bytes}, contents_.entities, contents_.keeps_handles);
    const auto place = [&](std::size_t row) {
      return made.get() + (order != nullptr ? order[row] : row) * component.bytes;
    };
    std::size_t done = 0;
    parts::OnFailure undo([&] {
      while (done != 0) component.destroy(place(--done), 1);
    });
    while (done < rows) {
      component.decode(from, column.version, place(done));
      ++done;
      if (component.first_invalid != nullptr && component.first_invalid(place(done - 1), 1) == 0) {
        STOWAGE_THROW(invalid(component, done - 1));
      }
    }
    if (from.bytes_left() != 0) {
      STOWAGE_THROW(MalformedFile("the codec of component " + std::string(component.name) + " left bytes unread"));
    }
    undo.release();
    made.get_deleter().constructed = rows;
  }

  std::span<const ComponentOperations> components_;
  std::uint32_t seed_;
  FileContents contents_;
  std::vector<SkippedComponent> skipped_;
  std::unique_ptr<Grouping> grouping_;
  std::vector<MadeColumn> made_;
  std::vector<std::vector<std::byte*>> sources_;  // by table and column
  bool sums_late_ = false;
  ColumnSums sums_;
};

#ifdef STOWAGE_SERIALIZE_BODIES
STOWAGE_SERIALIZE_FUNCTION LoadPlan::LoadPlan(std::span<const std::byte> file,
                                              std::span<const ComponentOperations> components, std::uint32_t seed,
                                              bool copies_first)
    : components_(components), seed_(seed), contents_(FileReader::read(file)) {
  skipped_ = match_components(contents_, components_);
  grouping_ = std::make_unique<Grouping>(contents_.tables, contents_.entities);
  sums_late_ = copies_first && is_one_batch();
  check_columns();
  for (std::uint32_t t = 0; t < contents_.tables.size(); ++t) bring_in(t);
}

STOWAGE_SERIALIZE_FUNCTION LoadPlan::~LoadPlan() = default;
#endif

}  // namespace serialize
}  // namespace stowage
