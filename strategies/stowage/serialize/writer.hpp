#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include <stowage/serialize/byte_buffer.hpp>
#include <stowage/serialize/codec.hpp>
#include <stowage/serialize/component_format.hpp>
#include <stowage/serialize/format.hpp>
#include <stowage/serialize/place_table.hpp>
#include <stowage/serialize/section_writer.hpp>
#include <stowage/serialize/source.hpp>
#include <stowage/serialize/written_tables.hpp>

namespace stowage::serialize {

/// Writes a file in passes over the tables of a source: one that counts, so that everything has its position before a
/// byte is written; one that gives places, where entities can be in several tables or are referred to; one that lets
/// codecs write, where there are any; and one that copies.
class FileWriter {
 public:
  FileWriter(const Source& source, bool keeps_handles);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  [[nodiscard]] std::size_t file_bytes() const noexcept { return file_bytes_; }

  /// `file` has file_bytes().
  void write(std::byte* file);

 private:
  using Column = WrittenTable::Column;

  template <class Fn>
  void each_table(Fn fn) {
    source_.each_table(source_.view, {&fn, [](void* it, const RowTable& table) { (*static_cast<Fn*>(it))(table); }});
  }

  [[nodiscard]] const ComponentOperations& operations(const Column& column) const noexcept {
    return source_.components[column.component];
  }

  // ---- places

  [[nodiscard]] bool needs_places() const noexcept {
    const auto refers = [this](const Column& column) {
      return operations(column).kind == ColumnKind::encoded || !operations(column).references.empty();
    };
    return tables_.all().size() > 1 || std::ranges::any_of(tables_.all(), [&](const WrittenTable& table) {
             return !keeps_handles_ && std::ranges::any_of(table.columns, refers);
           });
  }

  /// Where no entity is in two tables, rows have the places that follow each other, and no list says so.
  void give_places() {
    has_places_ = true;
    std::size_t rows = 0;
    for (WrittenTable& table : tables_.all()) {
      table.first_place = table.next_place = static_cast<std::uint32_t>(rows);
      rows += table.rows;
    }
    if (rows > source_.entities || !give_places_in_order()) give_places_as_they_come();
  }

  [[nodiscard]] bool give_places_in_order() {
    places_.reset(source_.entities);
    bool each_is_once = true;
    each_table([&](const RowTable& rows) {
      if (!each_is_once) return;
      WrittenTable& table = tables_.of(rows);
      each_is_once = places_.place_all(rows, table.next_place);
      table.next_place += static_cast<std::uint32_t>(rows.rows);
    });
    return each_is_once;
  }

  void give_places_as_they_come() {
    places_.reset(source_.entities);
    for (WrittenTable& table : tables_.all()) table.first_place = null_place;
    each_table([&](const RowTable& rows) {
      WrittenTable& table = tables_.of(rows);
      for (std::size_t row = 0; row < rows.rows; ++row) {
        const std::uint32_t place = places_.place_of(rows.owner(row));
        if (table.first_place == null_place) table.first_place = table.next_place = place;
        table.is_listed |= place != table.next_place++;
      }
    });
  }

  // ---- codecs

  void encode() {
    std::pair knowledge(&source_, &places_);
    PlaceOfWord places{&knowledge, nullptr};
    if (!keeps_handles_) {
      places.place_of = [](void* it, std::uint64_t word) {
        const auto& [source, table] = *static_cast<decltype(knowledge)*>(it);
        return source->place_of(source->view, *table, word);
      };
    }
    const auto has_codec = [this](const Column& column) { return operations(column).kind == ColumnKind::encoded; };
    if (std::ranges::none_of(tables_.all(),
                             [&](const WrittenTable& t) { return std::ranges::any_of(t.columns, has_codec); }))
      return;
    each_table([&](const RowTable& rows) {
      WrittenTable& table = tables_.of(rows);
      for (std::size_t c = 0; c < rows.columns.size(); ++c) {
        const TableColumn& from = rows.columns[c];
        if (!has_codec(table.columns[c])) continue;
        ByteWriter to(table.columns[c].encoded, places);
        encode_rows(operations(table.columns[c]), from, rows.rows, to);
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
    entities_position_ = place(source_.entities * sizeof(std::uint32_t));
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
    for (const ComponentOperations& component : source_.components) {
      bytes += sizeof(FileComponent) + aligned(component.name.size(), 8);
    }
    for (const WrittenTable& table : tables_.all())
      bytes += sizeof(FileTable) + table.columns.size() * sizeof(FileColumn);
    return bytes;
  }

  // ---- sections

  void start(std::byte* file) {
    entities_ = SectionWriter(file + entities_position_);
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

  void write_rows(const RowTable& rows) {
    WrittenTable& table = tables_.of(rows);
    if (!has_places_) write_indices(rows);
    if (table.is_listed) {
      table.list.add_numbers(rows.rows, [&](std::size_t row) { return places_.place_of(rows.owner(row)); });
    }
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
      if (operations(table.columns[c]).kind == ColumnKind::raw)
        write_column(table.columns[c], rows.columns[c], rows.rows);
    }
  }

  void write_indices(const RowTable& rows) {
    if (!rows.owners.empty()) return entities_.add(rows.owners.data(), rows.owners.size_bytes());
    entities_.add_numbers(rows.rows, [&](std::size_t row) { return rows.owner(row); });
  }

  void write_column(Column& column, const TableColumn& from, std::size_t rows) {
    const ComponentOperations& component = operations(column);
    const bool places_fields = !keeps_handles_ && !component.references.empty();
    if (!places_fields && from.lies_packed(component.bytes)) {
      return column.section.add(from.at(0), rows * component.bytes);
    }
    const std::size_t piece = std::max<std::size_t>(1, SectionWriter::piece_bytes / component.bytes);
    for (std::size_t row = 0; row < rows; row += piece) {
      const std::size_t count = std::min(piece, rows - row);
      std::byte* const to = column.section.next();
      copy_rows_of(from, row, count, component.bytes, to);
      if (places_fields) {
        for (const Field& field : component.references) {
          source_.place_fields(source_.view, places_, to + field.offset, count, component.bytes, field.bytes);
        }
      }
      column.section.advance(count * component.bytes);
    }
  }

  // ---- directory, last because it has the checksums

  void write_directory(std::byte* file) {
    std::byte* to = file + sizeof(FileHeader);
    const auto put = [&](const void* bytes, std::size_t count) {
      std::memcpy(to, bytes, count);
      to += count;
    };
    for (const ComponentOperations& component : source_.components) {
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
    if (has_places_) {
      entities_.add(places_.indices().data(), places_.indices().size() * sizeof(std::uint32_t));
    } else {
      const std::size_t listed = tables_.all().empty() ? 0 : tables_.all().front().rows;
      entities_.add_numbers(source_.entities - listed, [](std::size_t) { return unnamed; });
    }
    FileHeader header{magic,
                      format_version,
                      keeps_handles_ ? static_cast<std::uint32_t>(FileFlag::keeps_handles) : 0,
                      file_bytes_,
                      static_cast<std::uint32_t>(source_.entities),
                      static_cast<std::uint32_t>(source_.components.size()),
                      static_cast<std::uint32_t>(tables_.all().size()),
                      0,
                      directory_bytes(),
                      entities_.finish(),
                      0};
    std::memcpy(file, &header, sizeof header);
    header.checksum = front_checksum(header, file + sizeof header);
    std::memcpy(file, &header, sizeof header);
  }

  Source source_;
  bool keeps_handles_;
  bool has_places_ = false;
  WrittenTables tables_;
  PlaceTable places_;
  std::uint64_t entities_position_ = 0;
  std::uint64_t file_bytes_ = 0;
  SectionWriter entities_;
};

#ifdef STOWAGE_SERIALIZE_BODIES
STOWAGE_SERIALIZE_FUNCTION FileWriter::FileWriter(const Source& source, bool keeps_handles)
    : source_(source), keeps_handles_(keeps_handles) {
  each_table([this](const RowTable& table) { tables_.of(table).rows += table.rows; });
  if (needs_places()) give_places();
  encode();
  arrange();
}

STOWAGE_SERIALIZE_FUNCTION FileWriter::~FileWriter() = default;

STOWAGE_SERIALIZE_FUNCTION void FileWriter::write(std::byte* file) {
  start(file);
  each_table([this](const RowTable& table) { write_rows(table); });
  write_directory(file);
}
#endif

}  // namespace stowage::serialize
