#pragma once

// Reads and checks what a saved file says of itself, and finds its components among those of the program.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stowage/serialize/checksum.hpp>
#include <stowage/serialize/component_format.hpp>
#include <stowage/serialize/format.hpp>

namespace stowage {

/// A component of a file that the program does not have: it was left out.
struct SkippedComponent {
  std::string name;
  std::uint32_t version = 0;
  std::uint64_t entities = 0;  ///< that have it
};

namespace serialize {

/// Throws DamagedFile if a section does not have the checksum that it should have.
inline void check_sum(std::uint64_t sum, std::uint64_t expected, std::string_view what) {
  if (sum != expected) STOWAGE_THROW(DamagedFile("the file is damaged where it has " + std::string(what)));
}

/// What a file says of itself, with pointers to its sections. Reading it checks that every section lies within the file
/// and has its checksum, and what lies between them is 0. It leaves out the checksums of raw columns, which can be
/// summed up while they are copied. What the sections mean is checked where they are used.
struct FileContents {
  struct Component {
    std::string_view name;
    FileComponent entry;
  };
  struct Column {
    std::uint32_t component;  ///< its number in the file; after match_components() its position in the schema
    std::uint32_t version;
    std::uint64_t bytes;
    std::uint64_t checksum;
    const std::byte* data;
  };
  struct Table {
    std::uint32_t rows;
    std::uint32_t first_place;
    std::uint64_t list_checksum;
    const std::byte* list = nullptr;  ///< null if the places follow each other
    std::vector<Column> columns;

    [[nodiscard]] std::uint32_t place(std::size_t row) const noexcept {
      if (list == nullptr) return first_place + static_cast<std::uint32_t>(row);
      std::uint32_t place;
      std::memcpy(&place, list + row * sizeof place, sizeof place);
      return place;
    }
  };

  bool keeps_handles = false;
  std::uint32_t entities = 0;
  const std::byte* indices = nullptr;
  std::vector<Component> components;
  std::vector<Table> tables;
};

/// Reads the front of a file. Whatever it takes from the heap is less than the directory's bytes three times over.
class FileReader {
 public:
  /// Throws a LoadError, std::bad_alloc.
  [[nodiscard]] static FileContents read(std::span<const std::byte> file) {
    FileReader reader(file);
    return reader.read_all();
  }

 private:
  explicit FileReader(std::span<const std::byte> file) : file_(file) {}

  [[nodiscard]] FileContents read_all() {
    read_header();
    contents_.keeps_handles = (header_.flags & static_cast<std::uint32_t>(FileFlag::keeps_handles)) != 0;
    contents_.entities = header_.entities;
    rest_ = file_.subspan(sizeof header_, header_.directory_bytes);
    for (std::uint32_t i = 0; i < header_.components; ++i) read_component();
    for (std::uint32_t i = 0; i < header_.tables; ++i) read_table();
    demand(rest_.empty(), "its directory is longer than what it lists");
    read_sections();
    check_entities();
    return std::move(contents_);
  }

  static void demand(bool condition, const char* what) {
    if (!condition) STOWAGE_THROW(MalformedFile(std::string("no sound file: ") + what));
  }

  void read_header() {
    if (file_.size() < sizeof header_) {
      const std::size_t known = (std::min)(file_.size(), magic.size());
      if (known != 0 && std::memcmp(file_.data(), magic.data(), known) != 0) STOWAGE_THROW(not_ours());
      STOWAGE_THROW(WrongFileSize("the file ends within its header"));
    }
    std::memcpy(&header_, file_.data(), sizeof header_);
    if (header_.magic != magic) STOWAGE_THROW(not_ours());
    if (header_.version != format_version) {
      STOWAGE_THROW(UnknownFormatVersion("the file has format " + std::to_string(header_.version) +
                                         ", and this library reads " + std::to_string(format_version)));
    }
    if (header_.file_bytes != file_.size()) {
      STOWAGE_THROW(WrongFileSize("the file says that it has " + std::to_string(header_.file_bytes) +
                                  " bytes, and has " + std::to_string(file_.size())));
    }
    if (header_.directory_bytes > file_.size() - sizeof header_ ||
        front_checksum(header_, file_.data() + sizeof header_) != header_.checksum) {
      STOWAGE_THROW(DamagedFile("the header or the directory of the file is damaged"));
    }
    demand(header_.reserved == 0 && (header_.flags & ~static_cast<std::uint32_t>(FileFlag::keeps_handles)) == 0,
           "it has flags that this format does not have");
    demand(header_.entities != null_place, "it has more entities than places");
    demand(header_.components <= header_.directory_bytes / sizeof(FileComponent) &&
               header_.tables <= header_.directory_bytes / sizeof(FileTable),
           "its directory is shorter than what it lists");
  }
  [[nodiscard]] static NotAStowageFile not_ours() {
    return NotAStowageFile("the file does not begin like a stowage file");
  }

  template <class Entry>
  [[nodiscard]] Entry next_entry() {
    demand(rest_.size() >= sizeof(Entry), "its directory is shorter than what it lists");
    Entry entry;
    std::memcpy(&entry, rest_.data(), sizeof entry);
    rest_ = rest_.subspan(sizeof entry);
    return entry;
  }

  void read_component() {
    const auto entry = next_entry<FileComponent>();
    const std::uint64_t held = aligned(entry.name_bytes, 8);
    demand(held <= rest_.size(), "its directory is shorter than what it lists");
    demand(entry.kind <= static_cast<std::uint32_t>(ColumnKind::tag), "a component is of a kind that there is not");
    demand((entry.bytes != 0) == (entry.kind == static_cast<std::uint32_t>(ColumnKind::raw)),
           "a component has a size that its kind does not have");
    const std::string_view name(reinterpret_cast<const char*>(rest_.data()), entry.name_bytes);
    require_zero(rest_.data() + entry.name_bytes, held - entry.name_bytes);
    rest_ = rest_.subspan(held);
    contents_.components.push_back({name, entry});
  }

  void read_table() {
    const auto entry = next_entry<FileTable>();
    demand(entry.reserved == 0 && entry.rows != 0 && entry.rows <= header_.entities, "a table has an impossible size");
    demand(entry.first_place == null_place || entry.first_place <= header_.entities - entry.rows,
           "a table has entities beyond those of the file");
    demand(entry.columns != 0 && entry.columns <= rest_.size() / sizeof(FileColumn),
           "a table has an impossible number of columns");
    FileContents::Table table{entry.rows, entry.first_place, entry.list_checksum, nullptr, {}};
    table.columns.reserve(entry.columns);
    for (std::uint32_t i = 0; i < entry.columns; ++i) {
      const auto column = next_entry<FileColumn>();
      demand(column.reserved == 0 && column.component < header_.components, "a column is of no component");
      const FileComponent& component = contents_.components[column.component].entry;
      const bool is_encoded = component.kind == static_cast<std::uint32_t>(ColumnKind::encoded);
      demand(is_encoded || column.bytes == std::uint64_t{entry.rows} * component.bytes, "a column has a wrong size");
      table.columns.push_back({column.component, component.version, column.bytes, column.checksum, nullptr});
    }
    contents_.tables.push_back(std::move(table));
  }

  // ---- sections, in the order of the directory

  void read_sections() {
    position_ = sizeof header_ + header_.directory_bytes;
    contents_.indices = next_numbers(header_.entities, header_.entities_checksum, "the list of entities");
    for (FileContents::Table& table : contents_.tables) {
      if (table.first_place == null_place) {
        table.list = next_numbers(table.rows, table.list_checksum, "a list of places");
      } else {
        demand(table.list_checksum == 0, "a table has a checksum and no list");
      }
      for (FileContents::Column& column : table.columns) {
        const FileContents::Component& component = contents_.components[column.component];
        column.data = next_section(column.bytes);
        if (component.entry.kind == static_cast<std::uint32_t>(ColumnKind::raw)) continue;
        check_sum(checksum_of(column.data, column.bytes), column.checksum, component.name);
      }
    }
    demand(file_.size() == aligned(position_, section_alignment), "it does not end with its sections");
    skip_gap(file_.size() - position_);
  }

  [[nodiscard]] const std::byte* next_numbers(std::uint64_t count, std::uint64_t sum, std::string_view what) {
    const std::byte* const numbers = next_section(count * sizeof(std::uint32_t));
    check_sum(checksum_of(numbers, count * sizeof(std::uint32_t)), sum, what);
    return numbers;
  }
  [[nodiscard]] const std::byte* next_section(std::uint64_t bytes) {
    const std::uint64_t start = aligned(position_, section_alignment);
    demand(start <= file_.size() && bytes <= file_.size() - start, "a section goes beyond its end");
    skip_gap(start - position_);
    position_ = start + bytes;
    return file_.data() + start;
  }
  void skip_gap(std::uint64_t bytes) {
    demand(bytes < section_alignment, "it is longer than its sections");
    if (bytes != 0) require_zero(file_.data() + position_, bytes);
    position_ += bytes;
  }
  static void require_zero(const std::byte* bytes, std::size_t count) {
    if (!std::all_of(bytes, bytes + count, [](std::byte byte) { return byte == std::byte{0}; })) {
      STOWAGE_THROW(DamagedFile("the file is damaged between its sections"));
    }
  }

  /// The list has no index twice. O(entities) if they ascend or are dense, as in most files.
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
    for (std::size_t i = 0; i < count; ++i) highest = index(i) == unnamed ? highest : (std::max)(highest, index(i));
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

  std::span<const std::byte> file_;
  FileHeader header_{};
  std::span<const std::byte> rest_;  // of the directory
  std::uint64_t position_ = 0;
  FileContents contents_;
};

/// Throws if a component that entities of the file have was written in another way than the program reads it.
inline void check_component(const FileContents::Component& file, const ComponentOperations& program) {
  const std::string name = "component " + std::string(file.name);
  if (file.entry.kind != static_cast<std::uint32_t>(program.kind)) {
    STOWAGE_THROW(
        ComponentMismatch(name + " was written in another way than this program reads it (bytes, codec or tag)"));
  }
  if (program.kind == ColumnKind::encoded) return;  // its codec is told the version
  if (file.entry.version != program.version) {
    STOWAGE_THROW(ComponentMismatch(name + " has version " + std::to_string(file.entry.version) + " in the file and " +
                                    std::to_string(program.version) + " in this program"));
  }
  if (program.kind == ColumnKind::raw && file.entry.bytes != program.bytes) {
    STOWAGE_THROW(ComponentMismatch(name + " has " + std::to_string(file.entry.bytes) + " bytes in the file and " +
                                    std::to_string(program.bytes) + " in this program"));
  }
}

/// Finds the components of a file among those of a program, by their names, and leaves columns of no other component in
/// `contents`. Says what was left out, which must not be damaged either. Throws a LoadError, std::bad_alloc.
/// O(columns), and the bytes of the columns that are left out.
[[nodiscard]] inline std::vector<SkippedComponent> match_components(FileContents& contents,
                                                                    std::span<const ComponentOperations> components) {
  constexpr std::uint32_t unknown = null_place;
  std::unordered_map<std::string_view, std::uint32_t> positions;
  for (std::uint32_t c = 0; c < components.size(); ++c) positions.emplace(components[c].name, c);
  std::unordered_map<std::string_view, std::uint32_t> named;
  std::vector<std::uint32_t> matches;  // by component of the file: its position in the schema, or `unknown`
  for (const FileContents::Component& component : contents.components) {
    if (!named.emplace(component.name, 0).second) {
      STOWAGE_THROW(MalformedFile("the file has two components named " + std::string(component.name)));
    }
    const auto found = positions.find(component.name);
    matches.push_back(found != positions.end() ? found->second : unknown);
  }
  std::vector<std::uint64_t> owners(matches.size());  // by component of the file: rows that have it
  for (FileContents::Table& table : contents.tables) {
    auto kept = table.columns.begin();
    for (FileContents::Column column : table.columns) {
      const FileContents::Component& described = contents.components[column.component];
      owners[column.component] += table.rows;
      column.component = matches[column.component];
      if (column.component == unknown) {
        check_sum(checksum_of(column.data, column.bytes), column.checksum, described.name);
        continue;
      }
      check_component(described, components[column.component]);
      if (std::ranges::find(table.columns.begin(), kept, column.component, &FileContents::Column::component) != kept) {
        STOWAGE_THROW(DuplicateEntity("a table of the file has a component twice"));
      }
      *kept++ = column;
    }
    table.columns.erase(kept, table.columns.end());
  }
  std::erase_if(contents.tables, [](const FileContents::Table& table) { return table.columns.empty(); });
  std::vector<SkippedComponent> skipped;
  for (std::size_t c = 0; c < matches.size(); ++c) {
    if (matches[c] != unknown || owners[c] == 0) continue;
    const FileContents::Component& left_out = contents.components[c];
    skipped.push_back({std::string(left_out.name), left_out.entry.version, owners[c]});
  }
  return skipped;
}

}  // namespace serialize
}  // namespace stowage
