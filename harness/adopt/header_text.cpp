#include "harness/adopt/header_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "harness/adopt/amalgamation.hpp"
#include "harness/selection/nearest_name.hpp"

namespace stowage::harness::adopt {
namespace {

/// How adopted headers begin, whatever version wrote them.
constexpr std::string_view first_words = "// Adopted from stowage ";

constexpr auto all_companions = std::to_array<Companion>({
    {"serialize", "stowage/serialize/serialize.hpp", "save() and load()"},
    {"hierarchy", "stowage/hierarchy/hierarchy.hpp", "parents and children with transforms; needs GLM"},
    {"each_divided", "stowage/parallel/each_divided.hpp", "loops that a job system of your own divides"},
    {"each_parallel", "stowage/parallel/each_parallel.hpp", "loops divided by oneTBB"},
    {"multi_instance_pool", "stowage/multi_instance/multi_instance_pool.hpp",
     "several components of one type per entity"},
});

struct Library {
  std::string_view prefix;
  std::string_view name;
};

/// Whose headers begin how.
constexpr auto third_parties = std::to_array<Library>(
    {{"boost/", "Boost 1.81 or newer, headers only"}, {"glm/", "GLM"}, {"tbb/", "oneTBB, to be linked"}});

std::string library_of(const std::string& header) {
  for (const Library& library : third_parties) {
    if (header.starts_with(library.prefix)) return std::string(library.name);
  }
  return "others";
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
      "`stowage adopt {}{} --out FILE`, which also replaces it: what is changed here is lost then.\n\n"
      "    {}<Schema>    {}\n",
      adoption.version, adoption.strategy, adoption.strategy, with, adoption.type, adoption.summary);
  for (const Companion& companion : adoption.with) {
    text += fmt::format("    with {}: {}\n", companion.name, companion.what);
  }
  return text;
}

/// Compiled and run, for every strategy, by a test.
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

/// The library's own headers cannot know what is here already; what they define shows that they have been.
constexpr std::string_view library_check =
    "#if defined(STOWAGE_ASSERTS) && !defined(STOWAGE_PART_CONTRACT_ASSERT_HPP)\n"
    "#error \"the stowage library is included too: take the library or adopted headers\"\n"
    "#endif\n";

std::string includes_text(const std::set<std::string>& headers) {
  std::string text;
  for (const std::string& header : headers) text += fmt::format("#include <{}>\n", header);
  return text;
}

constexpr std::size_t page_width = 120;

/// A comment line that is found at a glance.
std::string rule_for(const Part& part) {
  const std::string name = fmt::format("// {} ", part.path);
  return name + std::string(page_width - std::min(name.size(), page_width), '-') + "\n";
}

}  // namespace

std::span<const Companion> companions() noexcept { return all_companions; }

std::string header_text(const Adoption& adoption, std::span<const LibraryFile> files) {
  std::vector<std::string> roots = {adoption.header};
  for (const Companion& companion : adoption.with) roots.emplace_back(companion.header);
  Amalgamation all = amalgamate(files, roots);
  std::vector<std::string> blocks = {documentation(adoption, all) + "\n#pragma once\n", std::string(library_check)};
  for (const std::set<std::string>* headers : {&all.standard, &all.third_party}) {
    if (!headers->empty()) blocks.push_back(includes_text(*headers));
  }
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
