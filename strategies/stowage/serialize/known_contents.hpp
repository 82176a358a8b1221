#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stowage/serialize/checksum.hpp>
#include <stowage/serialize/component_format.hpp>
#include <stowage/serialize/errors.hpp>
#include <stowage/serialize/file_contents.hpp>
#include <stowage/serialize/format.hpp>
#include <stowage/serialize/grouping.hpp>

namespace stowage {

/// A component of a file that the program does not know: it was left out.
struct SkippedComponent {
  std::string name;
  std::uint32_t version = 0;
  std::uint64_t entities = 0;  ///< that have it
};

namespace serialize {

/// What of a file a program knows: the columns of its components, and what is left out because it is none of them.
struct KnownContents {
  std::vector<KnownTable> tables;
  std::vector<SkippedComponent> skipped;
};

/// Finds the components of a file among those of a program, by their names, and checks that they were written as this
/// program reads them, and that what is left out is not damaged.
class ContentsMatcher {
 public:
  /// `contents` has to outlive what is returned. Throws a LoadError, std::bad_alloc. O(columns), and the bytes of the
  /// columns that are left out.
  [[nodiscard]] static KnownContents match(const FileContents& contents,
                                           std::span<const ComponentOperations> components) {
    ContentsMatcher matcher(contents, components);
    matcher.match_components();
    for (const FileContents::Table& table : contents.tables) matcher.match_table(table);
    matcher.note_skipped();
    return std::move(matcher.known_);
  }

 private:
  static constexpr std::uint32_t unknown = null_place;

  ContentsMatcher(const FileContents& contents, std::span<const ComponentOperations> components)
      : contents_(contents), components_(components), owners_(contents.components.size()) {}

  void match_components() {
    std::unordered_map<std::string_view, std::uint32_t> known;
    for (std::uint32_t c = 0; c < components_.size(); ++c) known.emplace(components_[c].name, c);
    std::unordered_map<std::string_view, std::uint32_t> named;
    for (const FileContents::Component& component : contents_.components) {
      if (!named.emplace(component.name, 0).second) {
        STOWAGE_THROW(MalformedFile("the file has two components named " + std::string(component.name)));
      }
      const auto found = known.find(component.name);
      matches_.push_back(found != known.end() ? found->second : unknown);
    }
  }

  /// A component that nobody in the file has may be as different as it likes.
  static void check_component(const FileContents::Component& file, const ComponentOperations& program) {
    const std::string name = "component " + std::string(file.name);
    if (file.entry.kind != static_cast<std::uint32_t>(program.kind)) {
      STOWAGE_THROW(
          ComponentMismatch(name + " was written in another way than this program reads it (bytes, codec or tag)"));
    }
    if (program.kind == ColumnKind::encoded) return;  // its codec is told the version
    if (file.entry.version != program.version) {
      STOWAGE_THROW(ComponentMismatch(name + " has version " + std::to_string(file.entry.version) +
                                      " in the file and " + std::to_string(program.version) + " in this program"));
    }
    if (program.kind == ColumnKind::raw && file.entry.bytes != program.bytes) {
      STOWAGE_THROW(ComponentMismatch(name + " has " + std::to_string(file.entry.bytes) + " bytes in the file and " +
                                      std::to_string(program.bytes) + " in this program"));
    }
  }

  void match_table(const FileContents::Table& table) {
    KnownTable known{&table, {}};
    for (const FileContents::Column& column : table.columns) {
      owners_[column.component] += table.rows;
      const std::uint32_t component = matches_[column.component];
      const FileContents::Component& described = contents_.components[column.component];
      if (component == unknown) {
        check_sum(checksum_of(column.data, column.bytes), column.checksum, described.name);
        continue;
      }
      check_component(described, components_[component]);
      for (const KnownColumn& other : known.columns) {
        if (other.component == component) STOWAGE_THROW(DuplicateEntity("a table of the file has a component twice"));
      }
      known.columns.push_back({component, described.entry.version, column.bytes, column.checksum, column.data});
    }
    if (!known.columns.empty()) known_.tables.push_back(std::move(known));
  }

  void note_skipped() {
    for (std::size_t c = 0; c < matches_.size(); ++c) {
      if (matches_[c] != unknown || owners_[c] == 0) continue;
      const FileContents::Component& left_out = contents_.components[c];
      known_.skipped.push_back({std::string(left_out.name), left_out.entry.version, owners_[c]});
    }
  }

  const FileContents& contents_;
  std::span<const ComponentOperations> components_;
  std::vector<std::uint32_t> matches_;  // by component of the file: its position in the schema, or `unknown`
  std::vector<std::uint64_t> owners_;   // by component of the file: rows that have it
  KnownContents known_;
};

}  // namespace serialize
}  // namespace stowage
