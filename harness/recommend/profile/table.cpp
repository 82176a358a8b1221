// Checks a table of a profile against profiles/schema.json, and refuses it with line, column and what is accepted.
#include "harness/recommend/profile/table.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <regex>

#include "harness/errors.hpp"
#include "harness/recommend/profile/embedded.hpp"
#include "harness/system/json.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

using Schema = nlohmann::ordered_json;
constexpr double unlimited = std::numeric_limits<double>::infinity();

std::string described(const toml::node& node) {
  if (const auto* text = node.as_string()) return in_quotes(text->get());
  if (const auto* whole = node.as_integer()) return fmt::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::to_string(number->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (node.is_array()) return "a list";
  if (node.is_table()) return "a table";
  if (node.is_date()) return "a date";
  return node.is_time() ? "a time" : "a date with a time";
}

// ---- what the schema says. Only those words of JSON Schema are understood that profiles/schema.json has.

const Schema& profile_schema() {
  static const Schema schema = Schema::parse(profile_schema_text);
  return schema;
}

bool is_list(const Schema& schema) { return schema.contains("items"); }

/// The schema of one table of that name.
const Schema& of_one(const Schema& schema) { return is_list(schema) ? schema["items"] : schema; }

std::vector<std::string> names_in(const Schema& properties) {
  std::vector<std::string> names;
  for (const auto& [name, schema] : properties.items()) names.push_back(name);
  return names;
}

bool is_one_of(const Schema& names, const std::string& name) {
  return std::ranges::any_of(names, [&](const Schema& one) { return one == name; });
}

bool is_required(const Schema& schema, const std::string& name) {
  return is_one_of(schema.value("required", Schema::array()), name);
}

/// The header of a table, as a profile has it.
std::string header_of(const std::string& name) {
  return is_list(profile_schema()["properties"][name]) ? fmt::format("[[{}]]", name) : fmt::format("[{}]", name);
}

std::string meaning_of(const Schema& schema) { return schema["description"].get<std::string>(); }

std::string range_text(const Schema& schema) {
  const std::string most = schema.contains("maximum") ? schema["maximum"].dump() : "";
  if (schema.contains("exclusiveMinimum")) {
    return fmt::format("above {}{}{}", schema["exclusiveMinimum"].dump(), most.empty() ? "" : ", at most ", most);
  }
  const std::string least = schema["minimum"].dump();
  return most.empty() ? fmt::format("of at least {}", least) : fmt::format("from {} to {}", least, most);
}

/// Compiles each pattern once: the schema has a dozen, and each name in a profile needs one.
const std::regex& compiled(const std::string& pattern) {
  static std::map<std::string, std::regex> expressions;
  const auto found = expressions.find(pattern);
  return found != expressions.end() ? found->second : expressions.emplace(pattern, pattern).first->second;
}

std::string form_text(const Schema& schema) {
  if (schema.contains("anyOf")) {
    const Schema& spelled = schema["anyOf"][1];
    return fmt::format("{} or a string such as {}", form_text(schema["anyOf"][0]), spelled["examples"][0].dump());
  }
  if (schema.contains("enum")) {
    return fmt::format(
        "{}", fmt::join(harness::names_of(schema["enum"], [](const Schema& word) { return word.dump(); }), " or "));
  }
  const std::string type = schema["type"];
  if (type == "array") return schema["items"]["type"] == "object" ? "a list of tables" : "a list of strings";
  if (type == "string") return "a string";
  if (type == "boolean") return "true or false";
  return fmt::format("a {} {}", type == "integer" ? "whole number" : "number", range_text(schema));
}

/// "how many are alive: a whole number from 1 to 9": what comes after the semicolon of a message.
std::string accepted(const Schema& schema) { return fmt::format("{}: {}", meaning_of(schema), form_text(schema)); }

/// The number that `node` is, or spells: "40k", "64MB".
std::optional<double> number_in(const toml::node& node) {
  if (const auto* whole = node.as_integer()) return static_cast<double>(whole->get());
  if (const auto* number = node.as_floating_point()) return number->get();
  const auto* text = node.as_string();
  if (text == nullptr) return std::nullopt;
  std::optional<std::uint64_t> spelled = parse_count(text->get());
  if (!spelled) spelled = parse_bytes(text->get());
  return spelled ? std::optional(static_cast<double>(*spelled)) : std::nullopt;
}

bool is_in_range(const toml::node& node, const Schema& schema) {
  const double number = number_in(node).value_or(std::nan(""));
  return std::isfinite(number) && number >= schema.value("minimum", -unlimited) &&
         number > schema.value("exclusiveMinimum", -unlimited) && number <= schema.value("maximum", unlimited);
}

bool fits(const toml::node& node, const Schema& schema) {
  if (schema.contains("anyOf")) {  // a whole number, and how else it may be spelled
    const Schema& number = schema["anyOf"][0];
    return fits(node, number) || (fits(node, schema["anyOf"][1]) && is_in_range(node, number));
  }
  const auto* text = node.as_string();
  if (schema.contains("enum")) return text != nullptr && is_one_of(schema["enum"], text->get());
  const std::string type = schema["type"];
  if (type == "array") return node.is_array();
  if (type == "boolean") return node.is_boolean();
  if (type == "string") {  // of a limited length, because std::regex goes as deep as a string is long
    return text != nullptr && text->get().size() <= schema["maxLength"].get<std::size_t>() &&
           std::regex_match(text->get(), compiled(schema["pattern"]));
  }
  return (node.is_integer() || (type == "number" && node.is_floating_point())) && is_in_range(node, schema);
}

// ---- what the file says

struct UnknownKey {
  std::string name;
  toml::source_position place;
  const toml::node* value;
};

/// The first one in the file.
std::optional<UnknownKey> find_unknown(const toml::table& table, const Schema& known) {
  std::optional<UnknownKey> first;
  const auto order = [](toml::source_position place) { return std::pair(place.line, place.column); };
  for (const auto& [key, value] : table) {
    const toml::source_position place = key.source().begin;
    const std::string name(key.str());
    if (known.contains(name) || (first && order(first->place) < order(place))) continue;
    first = UnknownKey{name, place, &value};
  }
  return first;
}

const toml::table& as_table(const toml::node& node, const std::string& name, const Schema& schema,
                            const fs::path& file) {
  if (const toml::table* table = node.as_table()) return *table;
  refuse_at(file, node.source().begin, "'{}' is {}; give a table {}, {}", name, described(node), header_of(name),
            meaning_of(schema));
}

std::vector<const toml::table*> raw_tables(const toml::node& node, const std::string& name, const Schema& schema,
                                           const fs::path& file) {
  const std::string header = header_of(name);
  if (!is_list(schema)) {
    if (node.is_array()) {
      refuse_at(file, node.source().begin, "'{}' is a list; give it once, as {}", name, header);
    }
    return {&as_table(node, name, schema, file)};
  }
  const toml::array* list = node.as_array();
  if (list == nullptr) {
    refuse_at(file, node.source().begin, "'{}' is {}; there may be several, so give each as {}", name, described(node),
              header);
  }
  const std::size_t most = schema["maxItems"];
  if (list->size() > most) {
    refuse_at(file, list->get(most)->source().begin, "this is number {} of {}; there may be {}", most + 1, header,
              most);
  }
  std::vector<const toml::table*> tables;
  for (const toml::node& item : *list) tables.push_back(&as_table(item, name, schema, file));
  return tables;
}

}  // namespace

void throw_at(const fs::path& file, toml::source_position place, std::string_view message) {
  throw UserError(on_terminal(fmt::format("{}:{}:{}: {}", file.string(), place.line, place.column, message)));
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return fmt::format("'{}'", text);
  std::size_t end = longest;
  const auto continues_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (end > 0 && continues_character(text[end])) --end;
  return fmt::format("'{}...'", text.substr(0, end));
}

ProfileTable::ProfileTable(const toml::table& table, const Schema& schema, std::string header, const fs::path& file)
    : table_(&table), schema_(&schema), file_(&file), header_(std::move(header)) {
  const Schema& keys = schema["properties"];
  check_known_keys(keys);
  for (const auto& [key, value] : keys.items()) {
    if (is_required(schema, key)) require(key);
  }
  for (const auto& [key, value] : keys.items()) check_value(key, value);
}

void ProfileTable::require(const std::string& key) const {
  if (has(key)) return;
  refuse_table("{} lacks '{}'; it says {}", header_, key, accepted((*schema_)["properties"][key]));
}

void ProfileTable::check_known_keys(const Schema& keys) const {
  const auto unknown = find_unknown(*table_, keys);
  if (!unknown) return;
  const auto names = names_in(keys);
  const std::string hint = suggestion(unknown->name, names, fmt::format("it has {}", fmt::join(names, ", ")));
  refuse_at(*file_, unknown->place, "{} has no key {}{}", header_, in_quotes(unknown->name), hint);
}

void ProfileTable::check_value(const std::string& key, const Schema& schema) const {
  const toml::node* value = table_->get(key);
  if (value == nullptr) return;
  if (!fits(*value, schema)) {
    refuse(key, "'{}' is {}; it says {}", key, described(*value), accepted(schema));
  }
  if (!value->is_array()) return;
  if (value->as_array()->empty() && schema.contains("minItems")) {
    refuse(key, "'{}' is empty; it says {}", key, accepted(schema));
  }
  const bool has_tables = schema["items"]["type"] == "object";
  for (std::size_t item = 0; const toml::node& word : *value->as_array()) {
    if (has_tables ? !word.is_table() : !word.is_string()) {  // whether it is the name of a component is asked later
      refuse_item(key, item, "'{}' contains {}; it says {}", key, described(word), accepted(schema));
    }
    ++item;
  }
}

std::string ProfileTable::text(std::string_view key) const { return (*table_)[key].value_or(std::string()); }

double ProfileTable::number(std::string_view key, double otherwise) const {
  const toml::node* value = table_->get(key);
  return value == nullptr ? otherwise : number_in(*value).value_or(otherwise);
}

std::size_t ProfileTable::count(std::string_view key, std::size_t otherwise) const {
  return has(key) ? static_cast<std::size_t>(number(key, 0)) : otherwise;
}

bool ProfileTable::flag(std::string_view key) const { return (*table_)[key].value_or(false); }

std::vector<std::string> ProfileTable::words(std::string_view key) const {
  std::vector<std::string> words;
  if (!has(key)) return words;
  for (const toml::node& word : *table_->get_as<toml::array>(key)) words.push_back(word.as_string()->get());
  return words;
}

std::vector<ProfileTable> ProfileTable::tables(const std::string& key) const {
  std::vector<ProfileTable> tables;
  if (!has(key)) return tables;
  const Schema& schema = (*schema_)["properties"][key]["items"];
  for (const toml::node& table : *table_->get_as<toml::array>(key)) {
    tables.emplace_back(*table.as_table(), schema, fmt::format("'{}' of {}", key, header_), *file_);
  }
  return tables;
}

std::vector<ProfileTable> tables_of(const toml::table& root, const std::string& name, const fs::path& file) {
  const Schema& schema = profile_schema()["properties"][name];
  const toml::node* node = root.get(name);
  std::vector<ProfileTable> tables;
  if (node != nullptr) {
    for (const toml::table* table : raw_tables(*node, name, schema, file)) {
      tables.emplace_back(*table, of_one(schema), header_of(name), file);
    }
  }
  if (tables.empty() && is_required(profile_schema(), name)) {
    const toml::source_position start{1, 1};
    refuse_at(file, node == nullptr ? start : node->source().begin, "there is no {}; give {}", header_of(name),
              meaning_of(schema));
  }
  return tables;
}

void check_known_tables(const toml::table& root, const fs::path& file) {
  const Schema& tables = profile_schema()["properties"];
  const auto unknown = find_unknown(root, tables);
  if (!unknown) return;
  const std::string name = in_quotes(unknown->name);
  const auto headers = harness::names_of(names_in(tables), header_of);
  if (unknown->value->is_table() || unknown->value->is_array_of_tables()) {
    const std::string others = fmt::format("there are {}", fmt::join(headers, ", "));
    refuse_at(file, unknown->place, "unknown table {}{}", name, suggestion(unknown->name, names_in(tables), others));
  }
  for (const auto& [table, schema] : tables.items()) {
    if (!of_one(schema)["properties"].contains(unknown->name)) continue;
    refuse_at(file, unknown->place, "key {} is outside all tables; move it below {}", name, header_of(table));
  }
  refuse_at(file, unknown->place, "unknown key {} outside all tables; there are {}", name, fmt::join(headers, ", "));
}

}  // namespace stowage::harness
