#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

#include "harness/profile/checks.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// Enough of C++ to tell a type from a slip: `game::Health`, `glm::vec<3, float>`. The compiler judges the rest.
bool looks_like_type(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_of_type = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || std::string_view(":<>, ").find(c) != std::string_view::npos;
  };
  return (is_letter(text.front()) || text.starts_with("::")) && std::ranges::all_of(text, is_of_type) &&
         std::ranges::count(text, '<') == std::ranges::count(text, '>');
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// The first of the components before `own` that has the same `what`; nothing where there is none.
template <class What>
std::optional<std::size_t> earlier(const Profile& profile, std::size_t own, What what) {
  for (std::size_t other = 0; other < own; ++other) {
    if (what(profile.components[other]) == what(profile.components[own])) return other;
  }
  return std::nullopt;
}

void check_size_or_type(const ProfileComponent& component, const ProfileTable& table) {
  const bool has_type = table.has("type");
  if (table.has("bytes") && has_type) {
    table.refuse("bytes", fmt::format("'{}' has 'bytes' and a 'type'; give one, a type has a size", component.name));
  }
  if (!table.has("bytes") && !has_type) {
    table.refuse(
        fmt::format("'{}' has no size; give 'bytes', or a 'type' and the 'header' that defines it", component.name));
  }
  if (has_type && !table.has("header")) {
    table.refuse("type", fmt::format("'{}' has a 'type' without 'header'; name the file that defines it, from the "
                                     "profile's directory",
                                     component.name));
  }
  if (table.has("header") && !has_type) {
    table.refuse("header", fmt::format("'{}' has a 'header' without 'type'; name the type in it", component.name));
  }
}

void check_type(const Profile& profile, std::size_t own, const std::vector<ProfileTable>& tables) {
  const ProfileComponent& component = profile.components[own];
  const ProfileTable& table = tables[own];
  if (!looks_like_type(component.type)) {
    table.refuse("type", fmt::format("'type' is {}; it is the name of a C++ type, such as game::Health",
                                     in_quotes(component.type)));
  }
  const auto type_of = [](const ProfileComponent& other) { return without_spaces(other.type); };
  if (const auto other = earlier(profile, own, type_of)) {
    table.refuse("type", fmt::format("'{}' has the type of '{}' in line {}; a storage tells components by their types, "
                                     "so give each a struct of its own",
                                     component.name, profile.components[*other].name, tables[*other].line()));
  }
}

void check_header(const ProfileComponent& component, const ProfileTable& table) {
  const std::string path = component.header.string();
  std::error_code unreadable;
  if (path.find('"') != std::string::npos) {
    table.refuse("header", fmt::format("'header' is {}; C++ includes no file with a quotation mark in its path",
                                       in_quotes(table.text("header"))));
  }
  if (!fs::is_regular_file(component.header, unreadable)) {
    table.refuse("header",
                 fmt::format("'header' is {}, but {} is no file; it is looked for from the profile's directory",
                             in_quotes(table.text("header")), path));
  }
}

void check_together(const Profile& profile, std::size_t own, const std::vector<ProfileTable>& tables) {
  const ProfileComponent& component = profile.components[own];
  if (component.together.empty()) return;
  const ProfileTable& table = tables[own];
  const auto is_of_group = [&](const ProfileComponent& other) { return other.together == component.together; };
  if (std::ranges::count_if(profile.components, is_of_group) == 1) {
    std::vector<std::string> words = names_of(profile.components, &ProfileComponent::together);
    std::erase_if(words, [&](const std::string& word) { return word.empty() || word == component.together; });
    table.refuse("together", fmt::format("no other component is together by '{}'{}", component.together,
                                         suggestion(component.together, words, "give a second one, or leave it out")));
  }
  const auto first = std::ranges::find_if(profile.components, is_of_group);
  if (first->share != component.share) {
    table.refuse("share", fmt::format("'{}' has share {}, but '{}', which it is together with, has {}; the same "
                                      "entities have both, so give the same share",
                                      component.name, component.share, first->name, first->share));
  }
}

}  // namespace

void check_components(const Profile& profile, const std::vector<ProfileTable>& tables) {
  for (std::size_t own = 0; own < tables.size(); ++own) {
    const ProfileComponent& component = profile.components[own];
    const ProfileTable& table = tables[own];
    if (const auto other = earlier(profile, own, [](const ProfileComponent& any) { return any.name; })) {
      table.refuse("name", fmt::format("'{}' is the name of the component in line {} too; give each its own",
                                       component.name, tables[*other].line()));
    }
    check_size_or_type(component, table);
    if (table.has("type")) {
      check_type(profile, own, tables);
      check_header(component, table);
    }
    const auto entities = static_cast<double>(profile.entities);
    if (component.share * entities < 1) {
      table.refuse("share", fmt::format("'share' is {}, less than one of {} entities; at least {:.3g} is one",
                                        component.share, profile.entities, 1 / entities));
    }
  }
  for (std::size_t own = 0; own < tables.size(); ++own) check_together(profile, own, tables);
}

}  // namespace stowage::harness
