#pragma once

// Writes a storage as a file, in passes over its tables that count, give places, encode and copy.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stowage/contract/entity.hpp>
#include <stowage/contract/row_table.hpp>
#include <stowage/serialize/checksum.hpp>
#include <stowage/serialize/codec.hpp>
#include <stowage/serialize/component_format.hpp>
#include <stowage/serialize/format.hpp>
#include <stowage/serialize/source.hpp>

namespace stowage::serialize {

/// Writes one section of a file from its start to its end, and sums it up on the way.
class SectionWriter {
 public:
  static constexpr std::size_t piece_bytes = SectionSum::piece_bytes;

  SectionWriter() = default;
  explicit SectionWriter(std::byte* start) noexcept : start_(start), sum_(start) {}

  void add(const void* bytes, std::size_t count) noexcept {
    if (count != 0) sum_.copy(static_cast<const std::byte*>(bytes), next(), count);
  }

  /// Adds number_of(0) to number_of(count - 1), 4 bytes each.
  template <class NumberOf>
  void add_numbers(std::size_t count, NumberOf&& number_of) {
    constexpr std::size_t piece = piece_bytes / sizeof(std::uint32_t);
    for (std::size_t done = 0; done < count;) {
      const std::size_t end = (std::min)(count, done + piece);
      std::byte* to = next();
      const std::size_t first = done;
      for (; done < end; ++done, to += sizeof(std::uint32_t)) {
        const std::uint32_t number = number_of(done);
        std::memcpy(to, &number, sizeof number);
      }
      advance((end - first) * sizeof(std::uint32_t));
    }
  }

  /// The next bytes of the section were written to next().
  [[nodiscard]] std::byte* next() const noexcept { return start_ + sum_.bytes(); }
  void advance(std::size_t bytes) noexcept { sum_.advance(bytes); }

  /// Fills what is left up to the next section with 0.
  [[nodiscard]] std::uint64_t finish() noexcept {
    std::memset(next(), 0, aligned(sum_.bytes(), section_alignment) - sum_.bytes());
    return sum_.finish();
  }

 private:
  std::byte* start_ = nullptr;
  SectionSum sum_;
};

/// Copies `rows` components of a column to where they lie side by side, from row `first` on.
inline void copy_rows_of(const TableColumn& column, std::size_t first, std::size_t rows, std::size_t bytes,
                         std::byte* to) {
  if (column.is_spread()) return column.gather(first, rows, to);
  if (column.lies_packed(bytes)) {
    std::memcpy(to, column.at(first), rows * bytes);
    return;
  }
  with_row_size(bytes, [&](auto size) {
    const std::byte* const end = to + rows * size;
    if (column.is_strided()) {
      const std::byte* from = column.at(first);
      for (const std::size_t stride = column.stride_bytes(); to != end; from += stride, to += size) {
        std::memcpy(to, from, size);
      }
    } else {
      const TableColumn known = column;  // in registers: nothing that is written can change it
      for (std::size_t row = first; to != end; ++row, to += size) std::memcpy(to, known.at(row), size);
    }
  });
}

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
  std::span<const EntityIndex> owners;  ///< if its rows came as one, and the storage keeps their owners in a list
  const WrittenTable* twin = nullptr;   ///< one before it, whose rows belong to the same entities in the same order
  std::uint32_t first_place = 0;
  std::uint32_t next_place = 0;
  bool is_listed = false;
  std::uint64_t list_position = 0;
  SectionWriter list;
};

/// The tables of a file, in the order in which the first rows of each came.
class WrittenTables {
 public:
  /// The table of these rows, which is added if there is none yet. O(columns): rows with the same components follow
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

/// Passes over the tables of a source: one that counts, so that everything has its position before a byte is written;
/// one that gives places, if entities can be in several tables or are referred to; one in which codecs write, if there
/// are any; and one that copies.
class FileWriter {
 public:
  FileWriter(Source& source, bool keeps_handles);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  [[nodiscard]] std::size_t file_bytes() const noexcept { return file_bytes_; }

  /// `file` has file_bytes().
  void write(std::byte* file);

 private:
  using Column = WrittenTable::Column;

  [[nodiscard]] const ComponentOperations& operations(const Column& column) const noexcept {
    return source_.components()[column.component];
  }

  template <class Has>
  [[nodiscard]] bool any_column(Has&& has) const noexcept {
    return std::ranges::any_of(tables_.all(), [&](const WrittenTable& table) {
      return std::ranges::any_of(table.columns, [&](const Column& column) { return has(operations(column)); });
    });
  }

  // ---- places

  [[nodiscard]] bool needs_places() const noexcept {
    return tables_.all().size() > 1 || (!keeps_handles_ && any_column([](const ComponentOperations& component) {
             return component.kind == ColumnKind::encoded || !component.references.empty();
           }));
  }

  /// If two tables have either the same entities in the same order or none in common, the rows of each have places that
  /// follow each other, and need no list.
  void give_places() {
    if (number_rows() > source_.entities()) find_twins();
    if (number_rows() > source_.entities() || !give_places_in_order()) give_places_as_they_come();
  }

  /// Says where the places of each table begin. Returns how many there are.
  std::size_t number_rows() noexcept {
    std::size_t rows = 0;
    for (WrittenTable& table : tables_.all()) {
      const bool has_twin = table.twin != nullptr;
      table.first_place = table.next_place = has_twin ? table.twin->first_place : static_cast<std::uint32_t>(rows);
      if (!has_twin) rows += table.rows;
    }
    return rows;
  }

  void find_twins() noexcept {
    for (WrittenTable& table : tables_.all()) table.twin = twin_of(table);
  }

  [[nodiscard]] const WrittenTable* twin_of(const WrittenTable& table) const noexcept {
    if (table.owners.empty()) return nullptr;
    const WrittenTable* const all = tables_.all().data();
    const auto twin = std::find_if(all, &table, [&](const WrittenTable& other) {
      return other.twin == nullptr && std::ranges::equal(other.owners, table.owners);
    });
    return twin != &table ? twin : nullptr;
  }

  [[nodiscard]] bool give_places_in_order() {
    source_.reset(0);
    bool each_is_once = true;
    source_.each_table([&](const RowTable& rows) {
      WrittenTable& table = tables_.of(rows);
      if (!each_is_once || table.twin != nullptr) return;
      each_is_once = source_.place_all(rows, table.next_place);
      table.next_place += static_cast<std::uint32_t>(rows.rows);
    });
    return each_is_once;
  }

  void give_places_as_they_come() {
    in_order_ = false;
    source_.reset(source_.entities());
    for (WrittenTable& table : tables_.all()) table.first_place = null_place;
    source_.each_table([&](const RowTable& rows) {
      WrittenTable& table = tables_.of(rows);
      source_.cover_owners(rows);
      for (std::size_t row = 0; row < rows.rows; ++row) {
        const std::uint32_t place = source_.place_of_index(rows.owner(row));
        if (table.first_place == null_place) table.first_place = table.next_place = place;
        table.is_listed |= place != table.next_place++;
      }
    });
  }

  // ---- codecs

  void encode() {
    const auto has_codec = [](const ComponentOperations& component) { return component.kind == ColumnKind::encoded; };
    if (!any_column(has_codec)) return;
    source_.each_table([&](const RowTable& rows) {
      WrittenTable& table = tables_.of(rows);
      for (std::size_t c = 0; c < rows.columns.size(); ++c) {
        Column& column = table.columns[c];
        if (!has_codec(operations(column))) continue;
        ByteWriter to(column.encoded, keeps_handles_ ? nullptr : &source_);
        encode_rows(operations(column), rows.columns[c], rows.rows, to);
      }
    });
  }

  static void encode_rows(const ComponentOperations& component, const TableColumn& from, std::size_t rows,
                          ByteWriter& to) {
    ByteBuffer whole;  // of one that is spread
    for (std::size_t row = 0; row < rows; ++row) {
      if (from.is_spread()) from.gather(row, 1, whole.room(component.bytes));
      component.encode(from.is_spread() ? whole.data() : from.at(row), to);
    }
  }

  // ---- positions

  void arrange() {
    std::uint64_t end = sizeof(FileHeader) + directory_bytes();
    const auto place = [&](std::uint64_t bytes) {
      const std::uint64_t position = aligned(end, section_alignment);
      end = position + bytes;
      return position;
    };
    entities_position_ = place(source_.entities() * sizeof(std::uint32_t));
    for (WrittenTable& table : tables_.all()) {
      if (table.is_listed) table.list_position = place(table.rows * sizeof(std::uint32_t));
      for (Column& column : table.columns) {
        const ComponentOperations& component = operations(column);
        if (component.kind == ColumnKind::raw) column.bytes = table.rows * component.bytes;
        if (component.kind == ColumnKind::encoded) column.bytes = column.encoded.size();
        column.position = place(column.bytes);
      }
    }
    file_bytes_ = aligned(end, section_alignment);
  }

  [[nodiscard]] std::uint64_t directory_bytes() const noexcept {
    std::uint64_t bytes = 0;
    for (const ComponentOperations& component : source_.components()) {
      bytes += sizeof(FileComponent) + aligned(component.name.size(), 8);
    }
    for (const WrittenTable& table : tables_.all())
      bytes += sizeof(FileTable) + table.columns.size() * sizeof(FileColumn);
    return bytes;
  }

  // ---- sections

  void start(std::byte* file) {
    indices_ = file + entities_position_;
    entities_ = SectionWriter(indices_);
    owners_ = in_order_ ? number_rows() : 0;
    for (WrittenTable& table : tables_.all()) {
      table.list = SectionWriter(file + table.list_position);
      for (Column& column : table.columns) {
        column.section = SectionWriter(file + column.position);
        if (operations(column).kind == ColumnKind::encoded) {
          column.section.add(column.encoded.data(), column.encoded.size());
        }
      }
    }
  }

  /// Writes the owners of rows where the list of entities has their places.
  void write_owners(const RowTable& rows, WrittenTable& table) {
    std::byte* to = indices_ + table.next_place * sizeof(EntityIndex);
    table.next_place += static_cast<std::uint32_t>(rows.rows);
    if (to != entities_.next()) {  // the rows of several tables come by turns: they are summed up in the end
      for (std::size_t row = 0; row < rows.rows; ++row, to += sizeof(EntityIndex)) {
        const EntityIndex owner = rows.owner(row);
        std::memcpy(to, &owner, sizeof owner);
      }
    } else if (rows.owners.empty()) {
      entities_.add_numbers(
          rows.rows, [first = rows.first_owner](std::size_t row) { return first + static_cast<EntityIndex>(row); });
    } else {
      entities_.add(rows.owners.data(), rows.owners.size_bytes());
    }
  }

  /// The entities that got a place by a reference only, or row by row, and all that have none.
  void write_late_entities() {
    const std::span<const EntityIndex> late = source_.late();
    std::byte* const to = indices_ + owners_ * sizeof(EntityIndex);
    if (!late.empty()) std::memcpy(to, late.data(), late.size_bytes());
    static_assert(unnamed == 0xffff'ffff);
    std::memset(to + late.size_bytes(), 0xff, (source_.entities() - owners_ - late.size()) * sizeof(EntityIndex));
    entities_.advance(static_cast<std::size_t>(indices_ + source_.entities() * sizeof(EntityIndex) - entities_.next()));
  }

  void write_column(Column& column, const TableColumn& from, std::size_t rows) {
    const ComponentOperations& component = operations(column);
    const bool places_fields = !keeps_handles_ && !component.references.empty();
    if (!places_fields && from.lies_packed(component.bytes)) {
      return column.section.add(from.at(0), rows * component.bytes);
    }
    const std::size_t piece = std::max<std::size_t>(1, SectionWriter::piece_bytes / component.bytes);
    for (std::size_t row = 0; row < rows; row += piece) {
      const std::size_t count = (std::min)(piece, rows - row);
      std::byte* const to = column.section.next();
      if (places_fields && component.references[0].bytes == component.bytes && from.is_strided()) {  // and nothing else
        source_.place_fields(from.at(row), from.stride_bytes(), to, component.bytes, count);
      } else {
        copy_rows_of(from, row, count, component.bytes, to);
        if (places_fields) place_fields_of(component, to, count);
      }
      column.section.advance(count * component.bytes);
    }
  }

  void place_fields_of(const ComponentOperations& component, std::byte* rows, std::size_t count) {
    for (const Field& field : component.references) {
      std::byte* const first = rows + field.offset;
      source_.place_fields(first, component.bytes, first, component.bytes, count);
    }
  }

  // ---- directory, last because it has the checksums

  void write_directory(std::byte* file) {
    std::byte* to = file + sizeof(FileHeader);
    const auto put = [&](const void* bytes, std::size_t count) {
      std::memcpy(to, bytes, count);
      to += count;
    };
    for (const ComponentOperations& component : source_.components()) {
      const bool is_raw = component.kind == ColumnKind::raw;
      const FileComponent entry{is_raw ? static_cast<std::uint32_t>(component.bytes) : 0, component.version,
                                static_cast<std::uint32_t>(component.kind),
                                static_cast<std::uint32_t>(component.name.size())};
      put(&entry, sizeof entry);
      constexpr std::uint64_t zero = 0;
      put(component.name.data(), component.name.size());
      put(&zero, aligned(component.name.size(), 8) - component.name.size());
    }
    for (WrittenTable& table : tables_.all()) {
      const FileTable entry{static_cast<std::uint32_t>(table.rows), table.is_listed ? null_place : table.first_place,
                            static_cast<std::uint32_t>(table.columns.size()), 0,
                            table.is_listed ? table.list.finish() : 0};
      put(&entry, sizeof entry);
      for (Column& column : table.columns) {
        const FileColumn described{column.component, 0, column.bytes, column.section.finish()};
        put(&described, sizeof described);
      }
    }
    std::memset(to, 0, static_cast<std::size_t>(file + entities_position_ - to));
    write_header(file);
  }

  void write_header(std::byte* file) {
    write_late_entities();
    FileHeader header{magic,
                      format_version,
                      keeps_handles_ ? static_cast<std::uint32_t>(FileFlag::keeps_handles) : 0,
                      file_bytes_,
                      static_cast<std::uint32_t>(source_.entities()),
                      static_cast<std::uint32_t>(source_.components().size()),
                      static_cast<std::uint32_t>(tables_.all().size()),
                      0,
                      directory_bytes(),
                      entities_.finish(),
                      0};
    std::memcpy(file, &header, sizeof header);
    header.checksum = front_checksum(header, file + sizeof header);
    std::memcpy(file, &header, sizeof header);
  }

  Source& source_;
  bool keeps_handles_;
  bool in_order_ = true;  ///< places are given to the owners of table after table, and no table lists them
  WrittenTables tables_;
  std::uint64_t entities_position_ = 0;
  std::uint64_t file_bytes_ = 0;
  std::byte* indices_ = nullptr;  ///< where the list of entities begins
  SectionWriter entities_;
  std::size_t owners_ = 0;  ///< that have their places by a table
};

#ifdef STOWAGE_SERIALIZE_BODIES
STOWAGE_SERIALIZE_FUNCTION FileWriter::FileWriter(Source& source, bool keeps_handles)
    : source_(source), keeps_handles_(keeps_handles) {
  source_.each_table([this](const RowTable& rows) {
    WrittenTable& table = tables_.of(rows);
    table.owners = table.rows == 0 && rows.owners_stay ? rows.owners : std::span<const EntityIndex>();
    table.rows += rows.rows;
  });
  if (needs_places()) give_places();
  encode();
  arrange();
}

STOWAGE_SERIALIZE_FUNCTION FileWriter::~FileWriter() = default;

STOWAGE_SERIALIZE_FUNCTION void FileWriter::write(std::byte* file) {
  start(file);
  source_.each_table([this](const RowTable& rows) {
    WrittenTable& table = tables_.of(rows);
    if (in_order_ && table.twin == nullptr) write_owners(rows, table);
    if (table.is_listed) {
      table.list.add_numbers(rows.rows, [&](std::size_t row) { return source_.place_of_index(rows.owner(row)); });
    }
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
      Column& column = table.columns[c];
      if (operations(column).kind == ColumnKind::raw) write_column(column, rows.columns[c], rows.rows);
    }
  });
  write_directory(file);
}
#endif

}  // namespace stowage::serialize
