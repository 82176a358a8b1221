#include "harness/profile/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace stowage::harness {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
/// A profile's work is compiled for every strategy, and sets of components are noted in 32 bits. Two of these are for
/// the transforms of a hierarchy, two are spare.
constexpr std::size_t most_components = 28;
constexpr std::size_t most_loops = 32;
/// A row of more has no business in a storage: it would be a handle to something elsewhere.
constexpr double most_component_bytes = 4096;
/// What is rarer comes up in some of the passes that are timed only, which are 16 frames at most.
constexpr double fewest_runs_per_frame = 1.0 / 16;
constexpr double most_memory_bytes = 1ULL << 50U;

KeyRule word_key(std::string_view key, bool is_required, std::string_view meaning) {
  return {.key = key, .form = ValueForm::word, .is_required = is_required, .meaning = meaning, .choices = {}};
}

KeyRule text_key(std::string_view key, bool is_required, std::string_view meaning) {
  return {.key = key, .form = ValueForm::text, .is_required = is_required, .meaning = meaning, .choices = {}};
}

KeyRule words_key(std::string_view key, std::string_view meaning) {
  return {.key = key, .form = ValueForm::words, .meaning = meaning, .choices = {}};
}

KeyRule at_least(std::string_view key, double least, double most, std::string_view meaning) {
  return {.key = key, .meaning = meaning, .least = least, .most = most, .choices = {}};
}

KeyRule above(std::string_view key, double least, double most, std::string_view meaning) {
  return {.key = key, .meaning = meaning, .least = least, .above_least = true, .most = most, .choices = {}};
}

KeyRule in_form(ValueForm form, KeyRule rule) {
  rule.form = form;
  return rule;
}

KeyRule required(KeyRule rule) {
  rule.is_required = true;
  return rule;
}

TableRule profile_table() {
  return {.name = "profile",
          .is_required = true,
          .meaning = "the game",
          .keys = {text_key("name", true, "what the game is called in headings"),
                   required(in_form(ValueForm::count, at_least("entities", 1, most_profile_entities,
                                                               "how many entities are alive in a frame"))),
                   above("frames_per_second", 0, 1000, "how often there is a frame")}};
}

TableRule budget_table() {
  return {.name = "budget",
          .meaning = "what a storage may take; a strategy that takes more is ranked behind those that do not",
          .keys = {above("frame_ms", 0, 10'000, "how long the storage may keep a usual frame, in milliseconds"),
                   above("worst_frame_ms", 0, 10'000, "how long it may keep the worst frame, in milliseconds"),
                   in_form(ValueForm::size,
                           at_least("memory", 1, most_memory_bytes, "how many bytes the storage may hold"))}};
}

TableRule component_table() {
  return {.name = "component",
          .is_list = true,
          .most = most_components,
          .is_required = true,
          .meaning = "a plain struct that entities have",
          .keys = {word_key("name", true, "what the other tables call it by"),
                   in_form(ValueForm::whole, at_least("bytes", 0, most_component_bytes, "how large it is; 0: a tag")),
                   text_key("type", false, "its C++ type, such as game::Health"),
                   text_key("header", false, "the file that defines the type, from the profile's directory"),
                   above("share", 0, 1, "the share of the entities that have it"),
                   word_key("together", false,
                            "a word that is the same in components which the same entities have and which are used "
                            "together")}};
}

TableRule system_table() {
  return {.name = "system",
          .is_list = true,
          .most = most_loops,
          .meaning = "a loop over all entities that have certain components",
          .keys = {word_key("name", true, "what the answer calls it by"), words_key("reads", "the components it reads"),
                   words_key("writes", "the components it changes, which it reads too"),
                   at_least("runs_per_frame", fewest_runs_per_frame, 100,
                            "how often it runs; below 1: in some frames only")}};
}

TableRule lookup_table() {
  return {.name = "lookup",
          .is_list = true,
          .most = most_loops,
          .meaning = "components of single entities that something else names: targets, owners, hits",
          .keys = {words_key("reads", "the components that are read"),
                   words_key("writes", "the components that are changed, which are read too"),
                   required(above("per_frame", 0, unlimited, "how many entities are looked up in a frame")),
                   {.key = "order",
                    .form = ValueForm::choice,
                    .meaning = "whether they are scattered, or were created one after the other",
                    .choices = {"random", "local"}}}};
}

TableRule change_table() {
  return {.name = "change",
          .is_list = true,
          .most = most_components,
          .meaning = "a component that entities get and lose while they live",
          .keys = {word_key("component", true, "the component"),
                   required(above("per_frame", 0, unlimited,
                                  "how many entities get it in a frame, and how many others lose it"))}};
}

TableRule turnover_table() {
  return {.name = "turnover",
          .meaning = "entities that come and go",
          .keys = {required(
              at_least("creations_per_frame", 0, unlimited, "how many entities are created in a frame; as many die"))}};
}

TableRule hierarchy_table() {
  return {
      .name = "hierarchy",
      .meaning = "entities that hang on others, with a transform each",
      .keys = {above("share", 0, 1, "the share of the entities that are nodes"),
               required(in_form(ValueForm::whole,
                                at_least("depth", 2, 10'000, "how many levels a tree has, its root included"))),
               required(in_form(ValueForm::whole, at_least("fan_out", 1, 1'000'000, "how many children a parent has"))),
               at_least("dirty_share", 0, 1, "the share of the nodes that are moved in a frame")}};
}

TableRule saves_table() {
  return {.name = "saves",
          .meaning = "saving all entities",
          .keys = {required(at_least("per_minute", 0, 60'000, "how often the whole storage is saved"))}};
}

std::string range_of(const KeyRule& rule) {
  const std::string most = std::isinf(rule.most) ? "" : fmt::format("at most {}", rule.most);
  if (rule.above_least) return fmt::format("above {}{}{}", rule.least, most.empty() ? "" : ", ", most);
  return most.empty() ? fmt::format("of at least {}", rule.least) : fmt::format("from {} to {}", rule.least, rule.most);
}

std::string form_of(const KeyRule& rule) {
  switch (rule.form) {
    case ValueForm::text:
      return fmt::format("a string on one line, of at most {} bytes", longest_text);
    case ValueForm::word:
      return fmt::format("a string of letters, digits, _ and -, a letter first, at most {}", longest_word);
    case ValueForm::words:
      return "a list of strings";
    case ValueForm::choice:
      return fmt::format("\"{}\"", fmt::join(rule.choices, "\" or \""));
    case ValueForm::whole:
      return "a whole number " + range_of(rule);
    case ValueForm::count:
      return fmt::format("a whole number {} or a string such as \"40k\" (k is 1024, M is 1048576)", range_of(rule));
    case ValueForm::size:
      return fmt::format("a whole number {} or a string such as \"64MB\" (a kB is 1024 bytes)", range_of(rule));
    case ValueForm::number:
      break;
  }
  return "a number " + range_of(rule);
}

}  // namespace

std::string KeyRule::accepted() const { return fmt::format("{}: {}", meaning, form_of(*this)); }

std::string TableRule::header() const { return is_list ? fmt::format("[[{}]]", name) : fmt::format("[{}]", name); }

const KeyRule& TableRule::rule_of(std::string_view key) const { return *std::ranges::find(keys, key, &KeyRule::key); }

std::span<const TableRule> profile_rules() {
  static const std::vector<TableRule> rules = {profile_table(),  budget_table(),    component_table(),
                                               system_table(),   lookup_table(),    change_table(),
                                               turnover_table(), hierarchy_table(), saves_table()};
  return rules;
}

const TableRule& profile_rule(std::string_view table) {
  return *std::ranges::find(profile_rules(), table, &TableRule::name);
}

}  // namespace stowage::harness
