// Designs: which component lies in a table, a group, apart or behind a bit, how that is named, and which step is next.
#include "harness/recommend/placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "harness/text.hpp"

namespace stowage::harness {
namespace {

constexpr std::string_view with_sparse = "hybrid";
constexpr std::string_view with_bits = "archetype_sections.enable_bits";
constexpr std::string_view alone = "alone";

std::string family_of(const std::string& strategy) { return strategy.substr(0, strategy.find('.')); }
bool has_tables(const std::string& strategy) {
  return family_of(strategy) == "archetype_sections" || strategy == with_sparse;
}
/// Whether a group lies together, and other components of a table, object or entity index do not.
bool has_groups(const std::string& strategy) {
  const std::string family = family_of(strategy);
  return strategy.find("mixed") != std::string::npos ||
         (!has_tables(strategy) && family != "naive_objects" && family != "sparse_direct");
}

/// Whether an enable bit may stand for having it. A save does not say which components are off.
bool may_be_off(std::size_t component, const Profile& profile) {
  return profile.components[component].toggled_per_frame > 0 && profile.saves_per_minute <= 0;
}

double changes_of(std::size_t component, const Profile& profile) {
  const auto found = std::ranges::find(profile.changes, component, &ProfileChange::component);
  return found == profile.changes.end() ? 0 : found->per_frame;
}

/// The word for a component in the name of a design; empty if it is placed as in the default.
std::string word_for(const Design& design, const Design& usual, std::size_t component) {
  if (design.places[component] != usual.places[component]) {
    if (design.places[component] == Place::sparse) return "sparse";
    return design.places[component] == Place::bit ? "bit" : "table";
  }
  if (design.together[component] == usual.together[component]) return {};
  const std::string& together = design.together[component];
  return together.empty() ? std::string(alone) : "with." + together;
}

std::vector<std::pair<std::size_t, std::string>> differences(const Design& design, const Profile& profile) {
  const Design usual = default_design(design.strategy, profile);
  std::vector<std::pair<std::size_t, std::string>> all;
  for (std::size_t i = 0; i < profile.components.size(); ++i) {
    std::string word = word_for(design, usual, i);
    if (!word.empty()) all.emplace_back(i, std::move(word));
  }
  return all;
}

bool apply(Design& design, std::string_view word, std::size_t component) {
  constexpr std::string_view with = "with.";
  if (word == "sparse") {
    design.places[component] = Place::sparse;
    design.together[component].clear();
  } else if (word == "bit") {
    design.places[component] = Place::bit;
  } else if (word == "table") {
    design.places[component] = Place::usual;
  } else if (word == alone) {
    design.together[component].clear();
  } else if (word.starts_with(with)) {
    design.together[component] = word.substr(with.size());
  } else {
    return false;
  }
  return true;
}

/// A step with its weight: heavier steps are tried first.
struct RankedStep {
  double weight;
  Design design;
};

/// A component of `hybrid` that goes apart from the others, or back. What changes weighs most, then what few have.
void add_sparse_steps(std::vector<RankedStep>& steps, const Design& design, const Profile& profile) {
  const double entities = static_cast<double>(profile.entities);
  for (std::size_t i = 0; i < profile.components.size(); ++i) {
    if (!design.together[i].empty()) continue;
    Design step = design;
    step.strategy = with_sparse;
    step.places[i] =
        design.places[i] == Place::sparse ? default_design(step.strategy, profile).places[i] : Place::sparse;
    const double changed = changes_of(i, profile) / entities;
    steps.push_back({2 * changed + (1 - profile.components[i].share) / 100, std::move(step)});
  }
}

void add_bit_steps(std::vector<RankedStep>& steps, const Design& design, const Profile& profile) {
  for (std::size_t i = 0; i < profile.components.size(); ++i) {
    if (!may_be_off(i, profile)) continue;
    Design step = design;
    step.places[i] = design.places[i] == Place::bit ? Place::usual : Place::bit;
    steps.push_back({2 * changes_of(i, profile) / static_cast<double>(profile.entities), std::move(step)});
  }
}

/// How often in a frame loops and lookups name both, times the smaller share of entities that have one of them. A
/// lookup counts as the part of a loop over all entities that it is.
double read_together(std::size_t one, std::size_t other, const Profile& profile) {
  double weight = 0;
  const auto add = [&](const auto& work, double times) {
    const auto names = [&](std::size_t component) {
      return std::ranges::find(work.reads, component) != work.reads.end() ||
             std::ranges::find(work.writes, component) != work.writes.end();
    };
    if (names(one) && names(other)) weight += times;
  };
  for (const ProfileSystem& system : profile.systems) add(system, system.runs_per_frame);
  for (const ProfileLookup& lookup : profile.lookups) {
    add(lookup, lookup.per_frame / static_cast<double>(profile.entities));
  }
  return weight * std::min(profile.components[one].share, profile.components[other].share);
}

/// Two components that are read together go to one group, with those that are in the group of either; a group falls
/// apart. What changes stays alone.
void add_group_steps(std::vector<RankedStep>& steps, const Design& design, const Profile& profile) {
  std::set<std::string> words(design.together.begin(), design.together.end());
  words.erase("");
  for (const std::string& word : words) {
    Design step = design;
    std::ranges::replace(step.together, word, std::string());
    steps.push_back({0.01, std::move(step)});
  }
  for (std::size_t one = 0; one < profile.components.size(); ++one) {
    for (std::size_t other = one + 1; other < profile.components.size(); ++other) {
      const double weight = read_together(one, other, profile);
      const bool changes = changes_of(one, profile) > 0 || changes_of(other, profile) > 0;
      const bool is_one = !design.together[one].empty() && design.together[one] == design.together[other];
      if (weight <= 0 || changes || is_one) continue;
      Design step = design;
      const std::string word = design.together[one].empty() ? profile.components[one].name : design.together[one];
      if (!design.together[other].empty()) std::ranges::replace(step.together, design.together[other], word);
      step.together[one] = word;
      step.together[other] = word;
      steps.push_back({0.1 * weight, std::move(step)});
    }
  }
}

}  // namespace

Design default_design(const std::string& strategy, const Profile& profile) {
  Design design{.strategy = strategy};
  for (std::size_t i = 0; i < profile.components.size(); ++i) {
    design.places.push_back(may_be_off(i, profile) ? Place::bit : Place::usual);
    design.together.push_back(profile.components[i].together);
  }
  return design;
}

std::string name_of(const Design& design, const Profile& profile) {
  std::string name = design.strategy;
  for (const auto& [component, word] : differences(design, profile)) {
    name += fmt::format("+{}={}", profile.components[component].name, word);
  }
  return name;
}

std::optional<Design> design_named(std::string_view name, const Profile& profile) {
  const std::vector<std::string> parts = split_list(name, '+');
  Design design = default_design(parts.front(), profile);
  for (std::size_t part = 1; part < parts.size(); ++part) {
    const std::size_t equals = parts[part].find('=');
    const auto component =
        std::ranges::find(profile.components, parts[part].substr(0, equals), &ProfileComponent::name);
    if (equals == std::string::npos || component == profile.components.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(component - profile.components.begin());
    if (!apply(design, std::string_view(parts[part]).substr(equals + 1), index)) return std::nullopt;
  }
  return design;
}

std::string difference_text(const Design& design, const Profile& profile) {
  std::vector<std::string> words;
  for (const auto& [component, word] : differences(design, profile)) {
    const std::string& name = profile.components[component].name;
    const std::string& group = design.together[component];
    if (word == "sparse" || word == alone) {
      words.push_back(fmt::format("{} {}", name, word));
    } else if (word == "bit") {
      words.push_back(fmt::format("{} with an enable bit", name));
    } else if (word == "table") {
      words.push_back(fmt::format("{} added and removed", name));
    } else if (group != name) {
      words.push_back(fmt::format("{} with {}", name, group));
    }
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<SchemaEntryOf> entries_of(const Design& design) {
  std::vector<SchemaEntryOf> entries;
  std::set<std::string> done;
  for (std::size_t i = 0; i < design.places.size(); ++i) {
    const std::string& together = design.together[i];
    if (together.empty()) {
      entries.push_back({{i}, design.places[i]});
    } else if (done.insert(together).second) {
      entries.push_back({});
      for (std::size_t other = i; other < design.places.size(); ++other) {
        if (design.together[other] == together) entries.back().components.push_back(other);
      }
    }
  }
  return entries;
}

std::string_view mark_of(const SchemaEntryOf& entry) {
  if (entry.components.size() > 1) return "Group";
  if (entry.place == Place::sparse) return "Sparse";
  return entry.place == Place::bit ? "Toggled" : "";
}

bool is_recorded(std::size_t component, const Profile& profile) {
  return std::ranges::any_of(profile.systems, [component](const ProfileSystem& system) {
    return system.changed_only && system.reads.front() == component;
  });
}

bool are_of_a_kind(const Design& one, const Design& other) {
  return one.strategy == other.strategy || (has_tables(one.strategy) && has_tables(other.strategy));
}

std::string place_text(const Design& design, std::size_t component) {
  if (design.places[component] == Place::sparse) return "sparse";
  if (design.strategy == with_bits && design.places[component] == Place::bit) return "enable bit";
  if (has_tables(design.strategy)) return "table";
  const std::string& together = design.together[component];
  return together.empty() ? std::string(alone) : "group " + together;
}

std::vector<Design> steps_from(const Design& design, const Profile& profile) {
  std::vector<RankedStep> ranked;
  if (has_tables(design.strategy)) add_sparse_steps(ranked, design, profile);
  if (design.strategy == with_bits) add_bit_steps(ranked, design, profile);
  if (has_groups(design.strategy)) add_group_steps(ranked, design, profile);
  std::ranges::stable_sort(ranked, std::greater<>{}, &RankedStep::weight);
  std::vector<Design> steps;
  for (RankedStep& step : ranked) {
    if (step.design != design) steps.push_back(std::move(step.design));
  }
  return steps;
}

std::optional<Design> all_changing_apart(const Profile& profile) {
  if (profile.changes.empty()) return std::nullopt;
  Design design = default_design(std::string(with_sparse), profile);
  for (const ProfileChange& change : profile.changes) design.places[change.component] = Place::sparse;
  return design;
}

Design joined(const Design& design, const std::vector<Design>& steps) {
  Design all = steps.empty() ? design : steps.front();
  for (const Design& step : steps) {
    if (step.strategy != all.strategy) continue;
    for (std::size_t i = 0; i < step.places.size(); ++i) {
      if (step.places[i] != design.places[i]) all.places[i] = step.places[i];
      if (step.together[i] != design.together[i]) all.together[i] = step.together[i];
    }
  }
  return all;
}

}  // namespace stowage::harness
