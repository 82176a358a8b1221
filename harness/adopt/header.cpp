// Merges a strategy and all that it includes into one header: how adopted headers are laid out, guarded and documented.
#include "harness/adopt/header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>

#include "harness/text.hpp"

namespace stowage::harness::adopt {
namespace {

constexpr std::string_view library_prefix = "stowage/";

/// Takes the first line, without its end, from `text`.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// What follows the `#` of a directive; nothing if the line is none.
std::optional<std::string_view> directive_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return std::nullopt;
  return trimmed(line.substr(1));
}

/// `include <vector>` -> `vector`. Throws if the name is relative: which file it means depends on where it stands.
std::optional<std::string> included_by(std::string_view directive, const std::string& path) {
  if (!directive.starts_with("include")) return std::nullopt;
  const std::size_t open = directive.find('<');
  const std::size_t close = directive.find('>');
  if (open == std::string_view::npos || close == std::string_view::npos) {
    throw AmalgamationError(fmt::format("{} includes by a relative name: #{}", path, directive));
  }
  return std::string(directive.substr(open + 1, close - open - 1));
}

/// Reads one header line by line: what it includes, what it says of itself, and the rest.
class PartReader {
 public:
  explicit PartReader(const LibraryFile& file) {
    part_.path = file.path;
    part_.digest = digest_of(file.text);
    std::string_view rest = file.text;
    while (!rest.empty()) read(take_line(rest));
    split_comment();
  }

  /// In the order of the source.
  [[nodiscard]] const std::vector<std::string>& includes() const { return includes_; }
  [[nodiscard]] Part take_part() { return std::move(part_); }

 private:
  void read(std::string_view line) {
    const std::optional<std::string_view> directive = directive_of(line);
    if (directive && is_taken_out(*directive)) return;
    const bool would_be_second_blank = line.empty() && (part_.code.empty() || part_.code.ends_with("\n\n"));
    if (!would_be_second_blank) part_.code.append(line).append("\n");
  }

  bool is_taken_out(std::string_view directive) {
    if (directive.starts_with("if")) ++conditions_;
    if (directive.starts_with("endif")) --conditions_;
    if (directive.starts_with("pragma once")) return true;
    std::optional<std::string> included = included_by(directive, part_.path);
    if (!included) return false;
    if (conditions_ == 0) {
      includes_.push_back(std::move(*included));
      return true;
    }
    if (included->starts_with(library_prefix)) {
      throw AmalgamationError(fmt::format("{} includes {} under a condition", part_.path, *included));
    }
    return false;
  }

  /// Comment lines at the top document the file if a blank line follows them.
  void split_comment() {
    std::string_view rest = part_.code;
    while (rest.starts_with("//") && !rest.starts_with("///")) take_line(rest);
    const std::size_t size = part_.code.size() - rest.size();
    if (size == 0 || !rest.starts_with("\n")) return;
    part_.comment = part_.code.substr(0, size);
    part_.code.erase(0, size + 1);
  }

  Part part_;
  std::vector<std::string> includes_;
  int conditions_ = 0;
};

/// Adds `path` to `result`, after all that it includes, unless it is there.
void add(const std::string& path, std::string_view wanted_by, std::span<const LibraryFile> files,
         std::set<std::string>& known, Amalgamation& result) {
  if (!known.insert(path).second) return;
  const auto file = std::ranges::find(files, std::string_view(path), &LibraryFile::path);
  if (file == files.end()) throw AmalgamationError(fmt::format("{}, wanted by {}, is not there", path, wanted_by));
  PartReader reader(*file);
  for (const std::string& included : reader.includes()) {
    if (included.starts_with(library_prefix)) {
      add(included, path, files, known, result);
    } else {
      // The headers of the standard library are those without a directory or an ending.
      const bool is_standard = included.find_first_of("/.") == std::string::npos;
      (is_standard ? result.standard : result.third_party).insert(included);
    }
  }
  result.parts.push_back(reader.take_part());
}

// ---- what stands above the code

/// How adopted headers begin, whatever version wrote them.
constexpr std::string_view first_words = "// Adopted from stowage ";

constexpr auto all_companions = std::to_array<Companion>({
    {"serialize", "stowage/serialize/serialize.hpp", "save() and load()"},
    {"hierarchy", "stowage/hierarchy/hierarchy.hpp", "parents and children with transforms; needs GLM"},
    {"each_divided", "stowage/parallel/each_divided.hpp", "loops that a job system of your own divides"},
    {"each_parallel", "stowage/parallel/each_parallel.hpp", "loops divided by oneTBB"},
    {"commands", "stowage/commands/commands.hpp", "changes recorded in a loop and applied after it"},
    {"multi_instance_pool", "stowage/multi_instance/multi_instance_pool.hpp",
     "several components of one type per entity"},
});

std::string library_of(const std::string& header) {
  if (header.starts_with("boost/")) return "Boost 1.81 or newer, headers only";
  if (header.starts_with("glm/")) return "GLM";
  return header.starts_with("tbb/") ? "oneTBB, to be linked" : "others";
}

std::string needs_text(const std::set<std::string>& third_party) {
  if (third_party.empty()) return "Needs C++20 and its standard library, nothing else.\n";
  std::map<std::string, std::vector<std::string>> by_library;
  for (const std::string& header : third_party) by_library[library_of(header)].push_back("<" + header + ">");
  std::string text = "Needs C++20, its standard library, and\n";
  for (const auto& [library, headers] : by_library) {
    text += fmt::format("    {}: {}\n", library, fmt::join(headers, ", "));
  }
  return text;
}

std::string title_text(const Adoption& adoption) {
  const std::vector<std::string> names = names_of(adoption.with, &Companion::name);
  const std::string with = names.empty() ? "" : fmt::format(" --with {}", fmt::join(names, ","));
  std::string text = fmt::format(
      "Adopted from stowage {}\n"
      "The strategy {} in one header, which needs nothing else of stowage. Written by\n"
      "`stowage adopt {}{} --out FILE`, which also replaces it: changes made here are lost then.\n\n"
      "    {}<Schema>    {}\n",
      adoption.version, adoption.strategy, adoption.request, with, adoption.type, adoption.summary);
  for (const Companion& companion : adoption.with) {
    text += fmt::format("    with {}: {}\n", companion.name, companion.what);
  }
  return text;
}

/// A test compiles and runs this for every strategy.
std::string example_text(const std::string& type) {
  return fmt::format(
      "In use:\n\n"
      "    struct Position {{ float x, y, z; }};\n"
      "    struct Velocity {{ float x, y, z; }};\n"
      "    struct Health {{ int points; }};\n"
      "    using Scene = stowage::Schema<stowage::Group<Position, Velocity>, Health>;  // a group is placed "
      "together\n\n"
      "    {}<Scene> scene;\n"
      "    const stowage::Entity hero = scene.create(Position{{0, 0, 0}}, Velocity{{1, 0, 0}});\n"
      "    scene.emplace<Health>(hero, 100);\n"
      "    scene.each<Position, const Velocity>([](Position& p, const Velocity& v) {{ p.x += v.x; }});\n"
      "    if (const auto health = scene.find<Health>(hero)) --health->points;\n"
      "    scene.destroy(hero);  // from now on scene.alive(hero) is false\n\n"
      "\"The storage contract\" below lists every operation: what it means, throws and invalidates. Errors are\n"
      "std::bad_alloc and those of stowage/contract/errors.hpp below; after one nothing has changed. Compiled without\n"
      "exceptions, it says on stderr what it would throw, and ends the program.\n",
      type);
}

std::string semantics_text(const SemanticsCard& card) {
  std::string text = "What it promises beyond the contract (`semantics`, tested):\n";
  for (const auto& [name, promise] : card.lines()) {
    text += fmt::format("    {:<33}  {}\n", name, promise.kept ? "yes" : fmt::format("no: {}", promise.reason));
  }
  return text;
}

/// Sections of documentation, an empty comment line between them.
std::string documentation(const Adoption& adoption, const Amalgamation& all) {
  const auto own = std::ranges::find(all.parts, adoption.header, &Part::path);
  std::vector<std::string> sections = {commented(title_text(adoption)), commented(example_text(adoption.type)),
                                       commented(needs_text(all.third_party))};
  if (own != all.parts.end() && !own->comment.empty()) sections.push_back(own->comment);
  if (adoption.semantics) sections.push_back(commented(semantics_text(*adoption.semantics)));
  sections.push_back(commented(adoption.evidence));
  sections.push_back(commented(licence_text()));
  return fmt::format("{}", fmt::join(sections, "//\n"));
}

/// The include guard of a part: `stowage/contract/entity.hpp` -> `STOWAGE_PART_CONTRACT_ENTITY_HPP`.
std::string guard_of(const std::string& path) {
  std::string name = path.starts_with(library_prefix) ? path.substr(library_prefix.size()) : path;
  std::ranges::transform(name, name.begin(), [](unsigned char character) {
    return std::isalnum(character) != 0 ? static_cast<char>(std::toupper(character)) : '_';
  });
  return "STOWAGE_PART_" + name;
}

/// The library's own headers have no part guards: their macro without the guard shows that they are included.
constexpr std::string_view library_check =
    "#if defined(STOWAGE_ASSERTS) && !defined(STOWAGE_PART_CONTRACT_ASSERT_HPP)\n"
    "#error \"the stowage library is included too: take the library or adopted headers\"\n"
    "#endif\n";

/// Comes before the headers of the standard library, some of which older compilers lack.
constexpr std::string_view compiler_check = "stowage/contract/compiler.hpp";

constexpr std::string_view macros_away =
    "// libstdc++ cannot be read beside macros of these names, which windows.h and others define.\n"
    "#pragma push_macro(\"min\")\n#pragma push_macro(\"max\")\n#undef min\n#undef max\n";
constexpr std::string_view macros_back = "#pragma pop_macro(\"max\")\n#pragma pop_macro(\"min\")\n";

std::string includes_text(const std::set<std::string>& headers) {
  std::string text;
  for (const std::string& header : headers) text += fmt::format("#include <{}>\n", header);
  return text;
}

constexpr std::size_t page_width = 120;

/// A comment line as wide as the page, above each part.
std::string rule_for(const Part& part) {
  const std::string name = fmt::format("// {} ", part.path);
  return name + std::string(page_width - std::min(name.size(), page_width), '-') + "\n";
}

}  // namespace

Amalgamation amalgamate(std::span<const LibraryFile> files, std::span<const std::string> roots) {
  Amalgamation result;
  std::set<std::string> known;
  for (const std::string& root : roots) add(root, "the list of strategies", files, known, result);
  return result;
}

std::string guarded(const Part& part) {
  const std::string guard = guard_of(part.path);
  const std::string digest = fmt::format("{:#018x}ULL", part.digest);
  std::string text = fmt::format("#ifndef {}\n#define {} {}\n\n", guard, guard, digest);
  if (!part.comment.empty()) text += part.comment + "\n";
  text += fmt::format(
      "{}\n#elif {} != {}\n#error \"two adopted headers have different versions of {}: adopt both anew, with one "
      "stowage\"\n#endif\n",
      part.code, guard, digest, part.path);
  return text;
}

std::span<const Companion> companions() noexcept { return all_companions; }

std::string header_text(const Adoption& adoption, std::span<const LibraryFile> files) {
  std::vector<std::string> roots = {adoption.header};
  for (const Companion& companion : adoption.with) roots.emplace_back(companion.header);
  Amalgamation all = amalgamate(files, roots);
  std::vector<std::string> blocks = {documentation(adoption, all) + "\n#pragma once\n", std::string(library_check)};
  const auto of_compiler = std::ranges::find(all.parts, compiler_check, &Part::path);
  if (of_compiler != all.parts.end()) {
    blocks.push_back(rule_for(*of_compiler) + guarded(*of_compiler));
    all.parts.erase(of_compiler);
  }
  blocks.push_back(std::string(macros_away) + includes_text(all.standard) + includes_text(all.third_party) +
                   std::string(macros_back));
  for (Part& part : all.parts) {
    if (part.path == adoption.header) part.comment.clear();  // it stands at the top
    blocks.push_back(rule_for(part) + guarded(part));
  }
  return fmt::format("{}", fmt::join(blocks, "\n"));
}

bool is_adopted_header(std::string_view text) noexcept { return text.starts_with(first_words); }

std::string commented(std::string_view text) {
  std::string comment;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::ranges::replace_if(line, [](unsigned char character) { return character < ' ' || character > '~'; }, '?');
    line.erase(line.find_last_not_of(' ') + 1);
    if (line.ends_with('\\')) line.back() = '?';
    comment += line.empty() ? "//\n" : "// " + line + "\n";
  }
  return comment;
}

}  // namespace stowage::harness::adopt
