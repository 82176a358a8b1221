#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>

#include "harness/profile/checks.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

constexpr double most_lookups_per_entity = 100;

std::optional<std::size_t> find_component(const Profile& profile, const std::string& name) {
  const auto found = std::ranges::find(profile.components, name, &ProfileComponent::name);
  if (found == profile.components.end()) return std::nullopt;
  return static_cast<std::size_t>(std::distance(profile.components.begin(), found));
}

std::string unknown_component(const Profile& profile, const std::string& name) {
  const auto names = names_of(profile.components, &ProfileComponent::name);
  return fmt::format("unknown component {}{}", in_quotes(name), suggestion(name, names, "name one of a [[component]]"));
}

/// The share of the entities that have all of `components`: those together come as one, others independently.
double share_of_all(const Profile& profile, const std::vector<std::size_t>& components) {
  double share = 1;
  std::set<std::string> groups;
  for (const std::size_t place : components) {
    const ProfileComponent& component = profile.components[place];
    const bool is_new = component.together.empty() || groups.insert(component.together).second;
    if (is_new) share *= component.share;
  }
  return share;
}

template <class Work>
void check_touched(const Profile& profile, const Work& work, const ProfileTable& table) {
  if (work.reads.empty() && work.writes.empty()) {
    table.refuse(fmt::format("{} touches nothing; name components in 'reads' or 'writes'", table.header()));
  }
  for (std::size_t item = 0; item < work.writes.size(); ++item) {
    const ProfileComponent& component = profile.components[work.writes[item]];
    if (component.type.empty() && component.bytes == 0) {
      table.refuse_item("writes", item,
                        fmt::format("'{}' is a tag, it has no bytes to write; name it in 'reads'", component.name));
    }
  }
  std::vector<std::size_t> touched = work.reads;
  touched.insert(touched.end(), work.writes.begin(), work.writes.end());
  const double owners = share_of_all(profile, touched) * static_cast<double>(profile.entities);
  if (owners < 1) {
    table.refuse(
        fmt::format("{:.2g} of {} entities have all of these components; raise their shares, or say which are "
                    "'together'",
                    owners, profile.entities));
  }
}

/// Nodes of a tree of so many levels in which everybody above the last has so many children; beyond `most` no more than
/// that there are more.
std::size_t tree_nodes(std::size_t depth, std::size_t fan_out, std::size_t most) {
  std::size_t nodes = 1;
  std::size_t level = 1;
  for (std::size_t below = 1; below < depth && nodes <= most; ++below) {
    level *= fan_out;
    nodes += level;
  }
  return nodes;
}

/// Entities that are no node, or a node without children. Trees are filled by breadth, the last one as far as it goes.
std::size_t childless_entities(const Profile& profile, std::size_t nodes) {
  const ProfileHierarchy& hierarchy = *profile.hierarchy;
  const std::size_t inner = tree_nodes(hierarchy.depth - 1, hierarchy.fan_out, nodes);
  const std::size_t whole = tree_nodes(hierarchy.depth, hierarchy.fan_out, nodes);
  const std::size_t rest = nodes % whole;
  const std::size_t parents_in_rest = rest == 0 ? 0 : (rest - 1 + hierarchy.fan_out - 1) / hierarchy.fan_out;
  return profile.entities - nodes / whole * inner - parents_in_rest;
}

void check_who_may_die(const Profile& profile, std::size_t nodes, const ProfileTable& table) {
  const std::size_t childless = childless_entities(profile, nodes);
  if (profile.creations_per_frame <= static_cast<double>(childless)) return;
  table.refuse("fan_out", fmt::format("only {} entities would have no children, and none else may die, but "
                                      "'creations_per_frame' of [turnover] is {}; raise 'fan_out' or lower 'depth'",
                                      childless, profile.creations_per_frame));
}

}  // namespace

std::size_t component_in(const Profile& profile, const ProfileTable& table, std::string_view key) {
  const std::string name = table.text(key);
  const auto component = find_component(profile, name);
  if (!component) table.refuse(key, unknown_component(profile, name));
  return *component;
}

std::vector<std::size_t> components_in(const Profile& profile, const ProfileTable& table, std::string_view key) {
  std::vector<std::size_t> components;
  for (const std::string& name : table.words(key)) {
    const auto component = find_component(profile, name);
    const std::size_t item = components.size();
    if (!component) table.refuse_item(key, item, unknown_component(profile, name));
    if (std::ranges::find(components, *component) != components.end()) {
      table.refuse_item(key, item, fmt::format("'{}' names '{}' twice; once says it", key, name));
    }
    components.push_back(*component);
  }
  return components;
}

void check_systems(const Profile& profile, const std::vector<ProfileTable>& tables) {
  for (std::size_t own = 0; own < tables.size(); ++own) {
    const ProfileSystem& system = profile.systems[own];
    const auto first = std::ranges::find(profile.systems, system.name, &ProfileSystem::name);
    const auto other = static_cast<std::size_t>(std::distance(profile.systems.begin(), first));
    if (other != own) {
      tables[own].refuse("name", fmt::format("'{}' is the name of the system in line {} too; give each its own",
                                             system.name, tables[other].line()));
    }
    check_touched(profile, system, tables[own]);
  }
}

void check_lookups(const Profile& profile, const std::vector<ProfileTable>& tables) {
  for (std::size_t own = 0; own < tables.size(); ++own) {
    const ProfileLookup& lookup = profile.lookups[own];
    check_touched(profile, lookup, tables[own]);
    const double most = most_lookups_per_entity * static_cast<double>(profile.entities);
    if (lookup.per_frame > most) {
      tables[own].refuse("per_frame", fmt::format("'per_frame' is {}, more than {} for each of {} entities; at most {}",
                                                  lookup.per_frame, most_lookups_per_entity, profile.entities, most));
    }
  }
}

void check_changes(const Profile& profile, const std::vector<ProfileTable>& tables) {
  std::set<std::size_t> changing;
  for (std::size_t own = 0; own < tables.size(); ++own) {
    const ProfileChange& change = profile.changes[own];
    const ProfileComponent& component = profile.components[change.component];
    if (!changing.insert(change.component).second) {
      tables[own].refuse("component", fmt::format("'{}' has a [[change]] already; add the two up", component.name));
    }
    if (!component.together.empty()) {
      tables[own].refuse("component",
                         fmt::format("'{}' is together with others, so it cannot come and go alone; take 'together' "
                                     "out of its [[component]]",
                                     component.name));
    }
    const double owners = std::floor(component.share * static_cast<double>(profile.entities));
    const double others = static_cast<double>(profile.entities) - owners;
    const double most = std::min(owners, others);
    if (change.additions_per_frame > most) {
      tables[own].refuse("per_frame",
                         fmt::format("'per_frame' is {}, but {} entities have '{}' and {} do not; at most {}",
                                     change.additions_per_frame, owners, component.name, others, most));
    }
  }
}

void check_turnover(const Profile& profile, const ProfileTable& table) {
  if (profile.creations_per_frame <= static_cast<double>(profile.entities)) return;
  table.refuse("creations_per_frame",
               fmt::format("'creations_per_frame' is {}, but as many die, and there are {} entities; at most {}",
                           profile.creations_per_frame, profile.entities, profile.entities));
}

void check_saves(const Profile& profile, const ProfileTable& table) {
  constexpr double seconds = 60;
  const double frames = seconds * profile.frames_per_second;
  if (profile.saves_per_minute <= frames) return;
  table.refuse("per_minute", fmt::format("'per_minute' is {}, but a minute has {} frames; at most one save in each",
                                         profile.saves_per_minute, frames));
}

void check_hierarchy(const Profile& profile, const ProfileTable& table) {
  const ProfileHierarchy& hierarchy = *profile.hierarchy;
  const auto nodes = static_cast<std::size_t>(hierarchy.share * static_cast<double>(profile.entities));
  if (tree_nodes(hierarchy.depth, hierarchy.fan_out, nodes) <= nodes) {
    check_who_may_die(profile, nodes, table);
    return;
  }
  std::size_t depth = 1;
  while (tree_nodes(depth + 1, hierarchy.fan_out, nodes) <= nodes) ++depth;
  table.refuse("depth", fmt::format("a tree with 'depth' {} and 'fan_out' {} has more than the {} nodes there are; {}",
                                    hierarchy.depth, hierarchy.fan_out, nodes,
                                    depth == 1 ? "lower 'fan_out'" : fmt::format("there are enough for {}", depth)));
}

void check_budget(const Profile& profile, const ProfileTable& table) {
  const ProfileBudget& budget = profile.budget;
  if (budget.frame_ms && budget.worst_frame_ms && *budget.worst_frame_ms < *budget.frame_ms) {
    table.refuse("worst_frame_ms", fmt::format("'worst_frame_ms' is {}, less than 'frame_ms', {}; the worst frame is "
                                               "given at least as much",
                                               *budget.worst_frame_ms, *budget.frame_ms));
  }
  double payload = 0;
  for (const ProfileComponent& component : profile.components) {
    payload += static_cast<double>(component.bytes) * component.share * static_cast<double>(profile.entities);
  }
  if (budget.memory_bytes && static_cast<double>(*budget.memory_bytes) < payload) {
    table.refuse("memory", fmt::format("'memory' is {} bytes, but the components themselves take {:.0f}; give more, or "
                                       "a unit, such as \"64MB\"",
                                       *budget.memory_bytes, payload));
  }
}

void check_work(const Profile& profile, const ProfileTable& table) {
  const bool has_work = !profile.systems.empty() || !profile.lookups.empty() || !profile.changes.empty() ||
                        profile.creations_per_frame > 0 || profile.hierarchy || profile.saves_per_minute > 0;
  if (!has_work) table.refuse("nothing happens in a frame of this game; give it a [[system]], at least");
}

}  // namespace stowage::harness
