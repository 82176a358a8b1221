#include "harness/adopt/game_schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "harness/adopt/header.hpp"
#include "harness/errors.hpp"
#include "harness/system/files.hpp"
#include "harness/system/json.hpp"

namespace stowage::harness::adopt {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(GameSchema::Component, name, bytes, type, header, recorded)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GameSchema::Entry, mark, components)

namespace {

namespace fs = std::filesystem;

bool is_name_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0; }

/// "follow-path" -> "FollowPath".
std::string type_name(std::string_view name) {
  std::string type;
  bool starts_word = true;
  for (const char letter : name) {
    if (!is_name_letter(letter)) {
      starts_word = true;
      continue;
    }
    type += starts_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter))) : letter;
    starts_word = false;
  }
  return type.empty() || std::isdigit(static_cast<unsigned char>(type.front())) != 0 ? "C" + type : type;
}

/// "a small shooter" -> "a_small_shooter".
std::string namespace_name(std::string name) {
  std::ranges::replace_if(name, [](char letter) { return !is_name_letter(letter); }, '_');
  const bool is_one = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  return is_one ? name : "game_" + name;
}

/// How the schema calls each component: the user's type, or a struct of its own name.
std::map<std::string, std::string> types_of(const GameSchema& game) {
  std::map<std::string, std::string> types;
  std::set<std::string> taken{"Storage"};
  for (const GameSchema::Component& component : game.components) {
    std::string type = component.type.empty() ? type_name(component.name) : component.type;
    while (!taken.insert(type).second) type += "_";
    types[component.name] = type;
  }
  return types;
}

/// The widest alignment that fills them without padding, as the game was measured with.
std::size_t alignment_of(std::size_t bytes) { return bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1; }

}  // namespace

GameSchema read_game_schema(const fs::path& answer) {
  std::error_code error;
  const fs::path file = fs::is_directory(answer, error) ? answer / "recommendation.json" : answer;
  const auto remedy = [] {
    return std::string(
        "; give a directory that `stowage recommend PROFILE --out` has filled, or its "
        "recommendation.json");
  };
  const std::string text = read_text_file(file, remedy);
  try {
    const nlohmann::json root = nlohmann::json::parse(text);
    const nlohmann::json& placements = root.at("placements");
    if (placements.is_null()) {
      throw UserError(
          fmt::format("{} says nothing of single components; make it anew with `stowage recommend PROFILE "
                      "--out DIR`, without --quick, and with --search if there was no time",
                      file.string()));
    }
    return {.game = root.at("profile"),
            .strategy = placements.at("strategy"),
            .components = placements.at("components"),
            .schema = placements.at("schema")};
  } catch (const nlohmann::json::exception& problem) {
    throw UserError(
        fmt::format("{} is no answer of `stowage recommend`: {}{}", file.string(), problem.what(), remedy()));
  }
}

std::string game_schema_text(const GameSchema& game, std::string_view type) {
  const std::map<std::string, std::string> types = types_of(game);
  std::set<std::string> headers;
  std::string structs;
  for (const GameSchema::Component& component : game.components) {
    const std::string& name = types.at(component.name);
    if (!component.type.empty()) {
      headers.insert(fs::path(component.header).filename().string());
    } else if (component.bytes == 0) {
      structs += fmt::format("struct {} {{}};\n", name);
    } else {
      structs += fmt::format("struct {} {{\n  alignas({}) unsigned char bytes[{}];  // your fields\n}};\n", name,
                             alignment_of(component.bytes), component.bytes);
    }
  }
  std::vector<std::string> entries;
  for (const GameSchema::Entry& entry : game.schema) {
    std::vector<std::string> names;
    for (const std::string& component : entry.components) {
      const auto found = types.find(component);
      if (found == types.end()) throw UserError(fmt::format("the answer has a schema with an unknown '{}'", component));
      const auto its = std::ranges::find(game.components, component, &GameSchema::Component::name);
      names.push_back(its->recorded ? fmt::format("stowage::Changed<{}>", found->second) : found->second);
    }
    const std::string list = fmt::format("{}", fmt::join(names, ", "));
    entries.push_back(entry.mark.empty() ? list : fmt::format("stowage::{}<{}>", entry.mark, list));
  }
  std::string text =
      commented(fmt::format("The components of \"{}\", and where `stowage recommend` has found that each lies best.\n"
                            "Measured on one machine: change the structs, keep the marks.\n",
                            game.game));
  for (const std::string& header : headers) text += fmt::format("#include \"{}\"\n", header);
  return text + fmt::format(
                    "\nnamespace {} {{\n\n{}\nusing Storage = {}<stowage::Schema<\n    {}>>;\n\n}}  // namespace {}\n",
                    namespace_name(game.game), structs, type, fmt::join(entries, ",\n    "), namespace_name(game.game));
}

}  // namespace stowage::harness::adopt
