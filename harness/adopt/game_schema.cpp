#include "harness/adopt/game_schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "harness/adopt/header.hpp"
#include "harness/errors.hpp"
#include "harness/system/document.hpp"
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

/// "a small shooter" -> "game_a_small_shooter". No keyword and no namespace of others, whatever the game is called.
std::string namespace_name(std::string name) {
  std::ranges::replace_if(name, [](char letter) { return !is_name_letter(letter); }, '_');
  return "game_" + name;
}

/// How the schema calls each component: the user's type, or a struct of its own name.
std::map<std::string, std::string> types_of(const GameSchema& game) {
  std::map<std::string, std::string> types;
  std::set<std::string> taken{"Storage"};
  for (const GameSchema::Component& component : game.components) taken.insert(component.type);
  for (const GameSchema::Component& component : game.components) {
    std::string& type = types[component.name] = component.type;
    if (!type.empty()) continue;
    type = type_name(component.name);
    while (!taken.insert(type).second) type += "_";
  }
  return types;
}

/// The widest alignment that fills them without padding, as the game was measured with.
std::size_t alignment_of(std::size_t bytes) { return bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1; }

/// A storage tells components by their types, and has each of them once.
void check_components(const GameSchema& game, const std::string& where, const std::string& remedy) {
  const auto refuse = [&](const std::string& component, std::string_view what) {
    throw UserError("{} is damaged: component '{}' {}; {}", where, component, what, remedy);
  };
  std::set<std::string> known, types, placed;
  for (const GameSchema::Component& component : game.components) {
    if (!known.insert(component.name).second) refuse(component.name, "is there twice");
    if (component.type.empty()) continue;
    std::string type = component.type;
    std::erase(type, ' ');
    if (!types.insert(type).second) refuse(component.name, "has the type of another");
  }
  for (const GameSchema::Entry& entry : game.schema) {
    for (const std::string& component : entry.components) {
      if (!known.contains(component)) refuse(component, "is in the schema, and is none of the components");
      if (!placed.insert(component).second) refuse(component, "is in the schema twice");
    }
  }
}

}  // namespace

GameSchema read_game_schema(const fs::path& answer) {
  std::error_code error;
  const fs::path file = fs::is_directory(answer, error) ? answer / "recommendation.json" : answer;
  const std::string remedy =
      "give a directory that `stowage recommend PROFILE --out` has filled, or its recommendation.json";
  return parse_game_schema(read_text_file(file, [&] { return "; " + remedy; }), file.string(), remedy);
}

GameSchema parse_game_schema(std::string_view text, const std::string& where, const std::string& remedy) {
  const nlohmann::json root = read_document(text, "game", where, remedy);
  if (!root.contains("placements") || root.at("placements").is_null()) {
    throw UserError(
        "{} says nothing of single components; make it anew with `stowage recommend PROFILE --out DIR`, without "
        "--quick, and with --search if there was no time, or adopt its winner by name",
        where);
  }
  const nlohmann::json& placements = root.at("placements");
  GameSchema game{.game = root.at("profile"),
                  .strategy = placements.at("strategy"),
                  .components = placements.at("components"),
                  .schema = placements.at("schema")};
  check_components(game, where, remedy);
  return game;
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
      const std::string& its_type = types.at(component);
      const auto its = std::ranges::find(game.components, component, &GameSchema::Component::name);
      names.push_back(its->recorded ? fmt::format("stowage::Changed<{}>", its_type) : its_type);
    }
    const std::string list = fmt::format("{}", fmt::join(names, ", "));
    entries.push_back(entry.mark.empty() ? list : fmt::format("stowage::{}<{}>", entry.mark, list));
  }
  std::string text =
      commented(fmt::format("The components of \"{}\", and the best place of each, found by `stowage recommend`.\n"
                            "Measured on one machine: change the structs, keep the marks.\n",
                            game.game));
  for (const std::string& header : headers) text += fmt::format("#include \"{}\"\n", header);
  return text + fmt::format(
                    "\nnamespace {} {{\n\n{}\nusing Storage = {}<stowage::Schema<\n    {}>>;\n\n}}  // namespace {}\n",
                    namespace_name(game.game), structs, type, fmt::join(entries, ",\n    "), namespace_name(game.game));
}

}  // namespace stowage::harness::adopt
