#include "harness/profile/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "harness/errors.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// Control characters would break the line that a message is.
std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < ' ' || code == 0x7F) {
      line += fmt::format("\\x{:02x}", code);
    } else {
      line += c;
    }
  }
  return line;
}

bool is_printable(std::string_view text) { return on_one_line(text) == text; }

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

bool is_word(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_of_word = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= longest_word && is_letter(text.front()) &&
         std::ranges::all_of(text, is_of_word);
}

bool is_text(std::string_view text) {
  return text.find_first_not_of(' ') != std::string_view::npos && text.size() <= longest_text && is_printable(text);
}

/// The number that `node` is or, where the form allows that, spells.
std::optional<double> number_in(const toml::node& node, ValueForm form) {
  if (const auto* whole = node.as_integer()) return static_cast<double>(whole->get());
  if (const auto* number = node.as_floating_point(); number != nullptr && form == ValueForm::number) {
    return number->get();
  }
  const auto* text = node.as_string();
  if (text == nullptr || (form != ValueForm::count && form != ValueForm::size)) return std::nullopt;
  const auto spelled = form == ValueForm::count ? parse_count(text->get()) : parse_bytes(text->get());
  return spelled ? std::optional(static_cast<double>(*spelled)) : std::nullopt;
}

bool fits(const toml::node& node, const KeyRule& rule) {
  const auto* text = node.as_string();
  switch (rule.form) {
    case ValueForm::text:
      return text != nullptr && is_text(text->get());
    case ValueForm::word:
      return text != nullptr && is_word(text->get());
    case ValueForm::words:
      return node.is_array();
    case ValueForm::choice:
      return text != nullptr && std::ranges::find(rule.choices, text->get()) != rule.choices.end();
    default:
      break;
  }
  const std::optional<double> number = number_in(node, rule.form);
  return number && std::isfinite(*number) && rule.admits(*number);
}

struct UnknownKey {
  std::string name;
  toml::source_position place;
};

/// The first one in the file.
template <class IsKnown>
std::optional<UnknownKey> find_unknown(const toml::table& table, IsKnown is_known) {
  std::optional<UnknownKey> first;
  const auto order = [](toml::source_position place) { return std::pair(place.line, place.column); };
  for (const auto& [key, value] : table) {
    const toml::source_position place = key.source().begin;
    if (is_known(key.str()) || (first && order(first->place) < order(place))) continue;
    first = UnknownKey{std::string(key.str()), place};
  }
  return first;
}

const toml::table& as_table(const toml::node& node, const TableRule& rule, const fs::path& file) {
  if (const toml::table* table = node.as_table()) return *table;
  refuse_at(file, node.source().begin,
            fmt::format("'{}' is {}; give a table {}, {}", rule.name, described(node), rule.header(), rule.meaning));
}

std::vector<const toml::table*> raw_tables(const toml::node& node, const TableRule& rule, const fs::path& file) {
  if (!rule.is_list && node.is_array()) {
    refuse_at(file, node.source().begin, fmt::format("'{}' is a list; give it once, as {}", rule.name, rule.header()));
  }
  if (!rule.is_list) return {&as_table(node, rule, file)};
  const toml::array* list = node.as_array();
  if (list == nullptr) {
    refuse_at(
        file, node.source().begin,
        fmt::format("'{}' is {}; there may be several, so give each as {}", rule.name, described(node), rule.header()));
  }
  if (list->size() > rule.most) {
    refuse_at(file, list->get(rule.most)->source().begin,
              fmt::format("this is number {} of {}; there may be {}", rule.most + 1, rule.header(), rule.most));
  }
  std::vector<const toml::table*> tables;
  for (const toml::node& item : *list) tables.push_back(&as_table(item, rule, file));
  return tables;
}

/// Says of a key that stands outside all tables where it belongs.
std::string hint_at_table(const std::string& name) {
  for (const TableRule& rule : profile_rules()) {
    if (std::ranges::find(rule.keys, name, &KeyRule::key) != rule.keys.end()) {
      return fmt::format("; it is a key of {}", rule.header());
    }
  }
  const auto headers = names_of(profile_rules(), &TableRule::header);
  return suggestion(name, names_of(profile_rules(), &TableRule::name),
                    fmt::format("there are {}", fmt::join(headers, ", ")));
}

}  // namespace

void refuse_at(const fs::path& file, toml::source_position place, std::string_view message) {
  throw UserError(on_one_line(fmt::format("{}:{}:{}: {}", file.string(), place.line, place.column, message)));
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  if (text.size() <= longest) return fmt::format("'{}'", text);
  std::size_t end = longest;
  const auto continues_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (end > 0 && continues_character(text[end])) --end;
  return fmt::format("'{}...'", text.substr(0, end));
}

ProfileTable::ProfileTable(const toml::table& table, const TableRule& rule, const fs::path& file)
    : table_(&table), rule_(&rule), file_(&file) {
  check_known_keys();
  check_required_keys();
  check_values();
}

void ProfileTable::check_known_keys() const {
  const auto keys = names_of(rule_->keys, &KeyRule::key);
  const auto unknown =
      find_unknown(*table_, [&](std::string_view key) { return std::ranges::find(keys, key) != keys.end(); });
  if (!unknown) return;
  const std::string hint = suggestion(unknown->name, keys, fmt::format("it has {}", fmt::join(keys, ", ")));
  refuse_at(*file_, unknown->place, fmt::format("{} has no key {}{}", header(), in_quotes(unknown->name), hint));
}

void ProfileTable::check_required_keys() const {
  for (const KeyRule& rule : rule_->keys) {
    if (rule.is_required && !has(rule.key)) {
      refuse(fmt::format("{} lacks '{}'; it says {}", header(), rule.key, rule.accepted()));
    }
  }
}

void ProfileTable::check_values() const {
  for (const KeyRule& rule : rule_->keys) {
    const toml::node* value = table_->get(rule.key);
    if (value == nullptr) continue;
    if (!fits(*value, rule)) {
      refuse(rule.key, fmt::format("'{}' is {}; it says {}", rule.key, described(*value), rule.accepted()));
    }
    if (rule.form != ValueForm::words) continue;
    for (std::size_t item = 0; const toml::node& word : *value->as_array()) {
      if (!word.is_string()) {
        refuse_item(rule.key, item,
                    fmt::format("'{}' contains {}; it says {}", rule.key, described(word), rule.accepted()));
      }
      ++item;
    }
  }
}

std::string ProfileTable::text(std::string_view key) const {
  const toml::node* value = table_->get(key);
  return value == nullptr ? "" : value->as_string()->get();
}

double ProfileTable::number(std::string_view key, double otherwise) const {
  const toml::node* value = table_->get(key);
  return value == nullptr ? otherwise : number_in(*value, rule_->rule_of(key).form).value_or(otherwise);
}

std::size_t ProfileTable::count(std::string_view key, std::size_t otherwise) const {
  return has(key) ? static_cast<std::size_t>(number(key, 0)) : otherwise;
}

std::vector<std::string> ProfileTable::words(std::string_view key) const {
  const toml::node* value = table_->get(key);
  std::vector<std::string> words;
  if (value == nullptr) return words;
  for (const toml::node& word : *value->as_array()) words.push_back(word.as_string()->get());
  return words;
}

void ProfileTable::refuse(std::string_view key, std::string_view message) const {
  const toml::node* value = table_->get(key);
  refuse_at(*file_, (value == nullptr ? *table_ : *value).source().begin, message);
}

void ProfileTable::refuse_item(std::string_view key, std::size_t item, std::string_view message) const {
  refuse_at(*file_, table_->get(key)->as_array()->get(item)->source().begin, message);
}

std::vector<ProfileTable> tables_of(const toml::table& root, const TableRule& rule, const fs::path& file) {
  const toml::node* node = root.get(rule.name);
  std::vector<ProfileTable> tables;
  if (node != nullptr) {
    for (const toml::table* table : raw_tables(*node, rule, file)) tables.emplace_back(*table, rule, file);
  }
  if (tables.empty() && rule.is_required) {
    const toml::source_position start{1, 1};
    refuse_at(file, node == nullptr ? start : node->source().begin,
              fmt::format("there is no {}; give {}", rule.header(), rule.meaning));
  }
  return tables;
}

void check_known_tables(const toml::table& root, const fs::path& file) {
  const auto is_known = [](std::string_view name) {
    return std::ranges::find(profile_rules(), name, &TableRule::name) != profile_rules().end();
  };
  const auto unknown = find_unknown(root, is_known);
  if (!unknown) return;
  refuse_at(file, unknown->place,
            fmt::format("unknown table {}{}", in_quotes(unknown->name), hint_at_table(unknown->name)));
}

}  // namespace stowage::harness
