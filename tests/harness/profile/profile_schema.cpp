#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/build_info.hpp"
#include "harness/profile/rules.hpp"
#include "tests/support/catch.hpp"

namespace stowage::harness {
namespace {

using Json = nlohmann::json;

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(build_info::source_dir) + "/" + path);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

Json number_schema(const KeyRule& rule, const char* type) {
  Json schema = {{"type", type}, {rule.above_least ? "exclusiveMinimum" : "minimum", rule.least}};
  if (!std::isinf(rule.most)) schema["maximum"] = rule.most;
  return schema;
}

Json word_schema() {
  return {{"type", "string"}, {"pattern", "^[A-Za-z][A-Za-z0-9_-]*$"}, {"maxLength", longest_word}};
}

Json spelled_schema(const KeyRule& rule, const char* pattern) {
  return {{"anyOf", {number_schema(rule, "integer"), {{"type", "string"}, {"pattern", pattern}}}}};
}

Json form_schema(const KeyRule& rule) {
  switch (rule.form) {
    case ValueForm::text:
      return {{"type", "string"}, {"minLength", 1}, {"maxLength", longest_text}};
    case ValueForm::word:
      return word_schema();
    case ValueForm::words:
      return {{"type", "array"}, {"items", word_schema()}, {"uniqueItems", true}};
    case ValueForm::choice:
      return {{"enum", rule.choices}};
    case ValueForm::whole:
      return number_schema(rule, "integer");
    case ValueForm::count:
      return spelled_schema(rule, "^[0-9]+[kKmM]?$");
    case ValueForm::size:
      return spelled_schema(rule, "^[0-9]+ *([kK]B|[MG]B|[KMG]iB|B)?$");
    case ValueForm::number:
      break;
  }
  return number_schema(rule, "number");
}

Json keys_schema(const TableRule& table) {
  Json keys = Json::object();
  for (const KeyRule& rule : table.keys) {
    keys[rule.key] = form_schema(rule);
    keys[rule.key]["description"] = rule.meaning;
  }
  return keys;
}

std::vector<std::string> required_keys(const TableRule& table) {
  std::vector<std::string> keys;
  for (const KeyRule& rule : table.keys) {
    if (rule.is_required) keys.emplace_back(rule.key);
  }
  return keys;
}

void check_list(const Json& schema, const TableRule& table) {
  CHECK(schema.at("type") == "array");
  CHECK(schema.at("maxItems") == table.most);
  CHECK(schema.value("minItems", 0) == (table.is_required ? 1 : 0));
}

TEST_CASE("the schema for editors says of every key what the reader says") {
  const Json schema = Json::parse(text_of("profiles/schema.json"));
  CHECK(schema.at("$schema") == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema.at("additionalProperties") == false);
  CHECK(schema.at("properties").size() == profile_rules().size());
  std::vector<std::string> required;
  for (const TableRule& table : profile_rules()) {
    CAPTURE(table.name);
    if (table.is_required) required.emplace_back(table.name);
    const Json& entry = schema.at("properties").at(std::string(table.name));
    CHECK(entry.at("description") == table.meaning);
    if (table.is_list) check_list(entry, table);
    const Json& one = table.is_list ? entry.at("items") : entry;
    CHECK(one.at("type") == "object");
    CHECK(one.at("additionalProperties") == false);
    CHECK(one.value("required", std::vector<std::string>{}) == required_keys(table));
    CHECK(one.at("properties") == keys_schema(table));
  }
  CHECK(schema.at("required") == required);
}

TEST_CASE("docs/profiles.md explains every key under its table, and no other") {
  const std::string text = text_of("docs/profiles.md");
  for (const TableRule& table : profile_rules()) {
    CAPTURE(table.name);
    const std::size_t start = text.find("\n### `" + table.header() + "`\n");
    REQUIRE(start != std::string::npos);
    const std::string section = text.substr(start, text.find("\n##", start + 1) - start);
    for (const KeyRule& rule : table.keys) {
      CAPTURE(rule.key);
      CHECK_THAT(section, ContainsSubstring("\n| `" + std::string(rule.key) + "` |"));
    }
    std::size_t rows = 0;
    for (std::size_t at = section.find("\n| `"); at != std::string::npos; at = section.find("\n| `", at + 1)) ++rows;
    CHECK(rows == table.keys.size());
  }
}

}  // namespace
}  // namespace stowage::harness
