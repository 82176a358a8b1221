// Parses JSON of files that may be damaged or hostile, and checks it against files.schema.json: what is wrong, where.
#include "harness/system/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/errors.hpp"
#include "harness/system/file_schema.hpp"
#include "harness/system/json.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

using Json = nlohmann::json;

/// THE schema. It is ours, so that what it lacks is a fault of ours.
const Json& file_schema() {
  static const Json parsed = Json::parse(file_schema_text);
  return parsed;
}

std::size_t limit(const char* name) { return file_schema().at("limits").at(name).get<std::size_t>(); }

// ---- text

/// Calls `visit` with each character of valid UTF-8.
template <class Visit>
void each_character(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    std::uint32_t code = bytes == 1 ? first : first & (0xFFU >> (bytes + 1));
    for (std::size_t next = 1; next < bytes && at + next < text.size(); ++next) {
      code = (code << 6U) | (static_cast<unsigned char>(text[at + next]) & 0x3FU);
    }
    visit(code, text.substr(at, bytes));
    at += bytes;
  }
}

/// True for control characters, for those that turn the direction of a line, and for separators of lines.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool has_controls(std::string_view text, std::string_view except = "") {
  bool has = false;
  each_character(text, [&](std::uint32_t code, std::string_view character) {
    has = has || (is_control(code) && except.find(character) == std::string_view::npos);
  });
  return has;
}

bool is_letter(char letter) { return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z'); }
bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool are_all(std::string_view text, std::string_view others) {
  return !text.empty() && std::ranges::all_of(text, [others](char letter) {
    return is_letter(letter) || is_digit(letter) || others.find(letter) != std::string_view::npos;
  });
}

constexpr std::string_view marks_in_names = "_.+=%-";

bool is_name(std::string_view text) {
  return are_all(text, marks_in_names) && (is_letter(text.front()) || is_digit(text.front()) || text.front() == '_');
}

/// "entities:16384"
bool is_entities(std::string_view text) {
  constexpr std::string_view key = "entities:";
  if (!text.starts_with(key)) return false;
  text.remove_prefix(key.size());
  return !text.empty() && text.size() <= 10 && text.front() != '0' && std::ranges::all_of(text, is_digit);
}

bool is_parameter(std::string_view text) {
  const std::size_t colon = text.find(':');
  return colon != std::string_view::npos && is_name(text.substr(0, colon)) &&
         are_all(text.substr(colon + 1), marks_in_names);
}

bool is_cell(std::string_view text) {
  const std::vector<std::string> parts = split_list(text, '/');
  return parts.size() >= 3 && is_name(parts[0]) && is_name(parts[1]) && is_entities(parts[2]) &&
         std::all_of(parts.begin() + 3, parts.end(), is_parameter);
}

bool is_checksum(std::string_view text) {
  return text.size() == 18 && text.starts_with("0x") &&
         text.substr(2).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Enough of C++ to tell a type from other code: what it opens it closes, and it is one. The compiler judges the rest.
bool is_type(std::string_view text) {
  int depth = 0;
  for (const char letter : text) {
    depth += static_cast<int>(letter == '<') - static_cast<int>(letter == '>');
    if (depth < 0 || (depth == 0 && letter == ',')) return false;
  }
  const std::string_view first = text.starts_with("::") ? text.substr(2) : text;
  return depth == 0 && are_all(text, "_:<>, ") && !first.empty() && (is_letter(first.front()) || first.front() == '_');
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return (byte & 0xC0) != 0x80; }));
}

// ---- the text of a file

std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t column = before.size() - (before.rfind('\n') + 1);
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(1, column));
}

/// The parser's memory is in proportion to the number of values, which this bounds; it is no recursion, whatever the
/// depth.
void check_limits(std::string_view text, std::string_view where, std::string_view remedy) {
  const std::size_t most_bytes = limit("bytes");
  if (text.size() > most_bytes) throw UserError("{} has more than {} bytes; {}", where, most_bytes, remedy);
  const auto values = std::ranges::count_if(text, [](char byte) { return byte == ',' || byte == '[' || byte == '{'; });
  const std::size_t most_values = limit("values");
  if (static_cast<std::size_t>(values) <= most_values) return;
  throw UserError("{} has more than {} values; {}", where, most_values, remedy);
}

// ---- the schema. Only those words of JSON Schema are understood that the file has.

/// What is wrong, and where: the innermost part of the place comes first.
struct Fault {
  std::string what;
  std::vector<std::string> place = {};
};

void check(const Json& value, const Json& schema, std::size_t depth);

const Json nothing = Json::object();

const Json& definition(std::string_view name) { return file_schema().at("$defs").at(std::string(name)); }

/// What a schema says of `key`, or else `otherwise`, which is nothing by default.
const Json& part_of(const Json& schema, const char* key, const Json& otherwise = nothing) {
  const auto part = schema.find(key);
  return part == schema.end() ? otherwise : *part;
}

const Json& resolved(const Json& part) {
  const auto reference = part.find("$ref");
  if (reference == part.end()) return part;
  const auto& path = reference->get_ref<const std::string&>();
  return definition(std::string_view(path).substr(path.rfind('/') + 1));
}

bool is_of(const Json& value, std::string_view type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == value.type_name();
}

std::string called(const std::string& type) {
  if (type == "integer") return "a whole number";
  if (type == "number") return "a number";
  if (type == "string") return "text";
  if (type == "array") return "a list";
  if (type == "object") return "an object";
  return type == "boolean" ? "true or false" : type;
}

void check_type(const Json& value, const Json& schema) {
  if (const auto words = schema.find("enum"); words != schema.end()) {
    const auto is_it = [&](const Json& one) {
      return one == value && one.is_number_float() == value.is_number_float();
    };
    if (std::ranges::any_of(*words, is_it)) return;
    throw Fault{
        fmt::format("must be {}", fmt::join(names_of(*words, [](const Json& one) { return one.dump(); }), " or "))};
  }
  const auto fits = [&value](const Json& type) { return is_of(value, type.get_ref<const std::string&>()); };
  const Json& type = schema.at("type");
  if (type.is_array() ? std::ranges::any_of(type, fits) : fits(type)) return;
  const std::vector<std::string> names =
      type.is_array() ? names_of(type, [](const Json& one) { return called(one.get<std::string>()); })
                      : std::vector{called(type.get<std::string>())};
  throw Fault{fmt::format("must be {}", fmt::join(names, " or "))};
}

void check_range(const Json& value, const Json& schema) {
  const auto least = schema.find("minimum");
  const auto most = schema.find("maximum");
  if ((least == schema.end() || value >= *least) && (most == schema.end() || value <= *most)) return;
  throw Fault{fmt::format("must be from {} to {}", least->dump(), most->dump())};
}

void check_text(std::string_view text, const Json& schema) {
  const auto most = schema.find("maxLength");
  if (most != schema.end() && characters_in(text) > *most) {
    throw Fault{fmt::format("is longer than {} characters", most->dump())};
  }
  const auto format = schema.find("format");
  if (format == schema.end() || has_format(text, format->get_ref<const std::string&>())) return;
  throw Fault{fmt::format("must be {}", file_schema().at("formats").at(*format).get<std::string>())};
}

void check_size(std::size_t size, const Json& schema, const char* least_key, const char* most_key, const char* parts) {
  const auto most = schema.find(most_key);
  if (most != schema.end() && size > *most) throw Fault{fmt::format("has more than {} {}", most->dump(), parts)};
  const auto least = schema.find(least_key);
  if (least != schema.end() && size < *least) throw Fault{fmt::format("has fewer than {} {}", least->dump(), parts)};
}

/// Checks a part of a value, and notes its place if it is wrong.
void check_part(const Json& value, const Json& schema, std::size_t depth, const auto& place) {
  try {
    check(value, schema, depth + 1);
  } catch (Fault& fault) {
    fault.place.push_back(place());
    throw;
  }
}

void check_items(const Json& list, const Json& schema, std::size_t depth) {
  check_size(list.size(), schema, "minItems", "maxItems", "items");
  const Json& of_each = part_of(schema, "items", definition("any"));
  for (std::size_t number = 0; const Json& item : list) {
    check_part(item, of_each, depth, [number] { return fmt::format("[{}]", number); });
    ++number;
  }
}

void check_required(const Json& object, const Json& schema) {
  for (const Json& key : part_of(schema, "required")) {
    if (!object.contains(key)) throw Fault{fmt::format("lacks `{}`", key.get<std::string>())};
  }
  for (const auto& [key, others] : part_of(schema, "dependentRequired").items()) {
    for (const Json& other : others) {
      if (!object.contains(key) || object.contains(other)) continue;
      throw Fault{fmt::format("has `{}` and lacks `{}`", key, other.get<std::string>())};
    }
  }
}

void check_members(const Json& object, const Json& schema, std::size_t depth) {
  check_size(object.size(), schema, "minProperties", "maxProperties", "members");
  check_required(object, schema);
  const Json& any = definition("any");
  const Json& properties = part_of(schema, "properties");
  for (const auto& [key, value] : object.items()) {
    const auto known = properties.find(key);
    if (known == properties.end()) {
      try {
        check_text(key, part_of(schema, "propertyNames", any.at("propertyNames")));
      } catch (const Fault& fault) {
        throw Fault{"has a key that " + fault.what};
      }
    }
    check_part(value, known == properties.end() ? part_of(schema, "additionalProperties", any) : *known, depth,
               [&key = key] { return "." + key; });
  }
}

void check(const Json& value, const Json& part, std::size_t depth) {
  const Json& schema = resolved(part);
  check_type(value, schema);
  if (depth > limit("depth")) throw Fault{fmt::format("is nested deeper than {} levels", limit("depth"))};
  if (value.is_number()) check_range(value, schema);
  if (value.is_string()) check_text(value.get_ref<const std::string&>(), schema);
  if (value.is_array()) check_items(value, schema, depth);
  if (value.is_object()) check_members(value, schema, depth);
}

}  // namespace

bool has_format(std::string_view text, std::string_view format) {
  if (format == "text") return !has_controls(text);
  if (format == "lines") return !has_controls(text, "\t\n");
  if (format == "name") return is_name(text);
  if (format == "cell") return is_cell(text);
  if (format == "checksum") return is_checksum(text);
  if (format == "component") return are_all(text, "_-") && is_letter(text.front());
  if (format == "type") return is_type(text);
  return !text.empty() && !has_controls(text) && text.find('"') == std::string_view::npos;  // "header"
}

void clear_controls(nlohmann::ordered_json& document) {
  if (document.is_structured()) {
    for (nlohmann::ordered_json& part : document) clear_controls(part);
  }
  if (!document.is_string()) return;
  std::string clean;
  each_character(document.get_ref<const std::string&>(), [&clean](std::uint32_t code, std::string_view character) {
    clean += is_control(code) ? " " : character;
  });
  document = clean;
}

nlohmann::json parse_document(std::string_view text, std::string_view where, std::string_view remedy) {
  check_limits(text, where, remedy);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const bool looks_like_json = text.find_first_not_of(" \t\r\n") == text.find('{');
    if (looks_like_json && !text.empty() && error.byte > text.size()) {
      throw UserError("{} is truncated: it ends at {}; copy the file again, or repeat the run", where,
                      position(text, text.size()));
    }
    throw UserError("{} is not JSON, see {}; {}", where, position(text, error.byte), remedy);
  } catch (const Json::exception&) {  // a number beyond what a double can be
    throw UserError("{} has a number that is too large; {}", where, remedy);
  }
}

void check_document(const nlohmann::json& document, std::string_view kind, std::string_view where,
                    std::string_view remedy) {
  try {
    check(document, definition(kind), 0);
  } catch (Fault& fault) {
    std::ranges::reverse(fault.place);
    std::string place = fmt::format("{}", fmt::join(fault.place, ""));
    if (place.starts_with('.')) place.erase(0, 1);
    throw UserError("{} is damaged: {} {}; {}", where, place.empty() ? "it" : place, fault.what, remedy);
  }
}

nlohmann::json read_document(std::string_view text, std::string_view kind, std::string_view where,
                             std::string_view remedy) {
  nlohmann::json document = parse_document(text, where, remedy);
  check_document(document, kind, where, remedy);
  return document;
}

}  // namespace stowage::harness
