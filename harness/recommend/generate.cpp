// Writes the C++ that measures a game: components, kinds, systems and rates of a profile, and a module per strategy.
#include "harness/recommend/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include "harness/recommend/world.hpp"
#include "harness/text.hpp"
#include "workloads/game/description.hpp"

namespace stowage::harness {
namespace {

using workloads::game::ComponentSet;
using workloads::game::Ownership;

constexpr std::string_view game_header_begin = "#pragma once\n\n// Generated from a profile.\n#include \"types.hpp\"\n";

/// `text` with _ for all that could end a comment or a string.
std::string harmless(std::string text) {
  for (char& letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) == 0 && letter != '_' && letter != '-' && letter != ' ' && letter != '.') letter = '_';
  }
  return text;
}

std::string alias_of(std::size_t component) { return fmt::format("C{}", component); }

std::string aliases_of(const std::vector<std::size_t>& components) {
  return fmt::format("{}", fmt::join(names_of(components, alias_of), ", "));
}

std::string components_text(const Profile& profile) {
  std::string text;
  for (std::size_t i = 0; i < profile.components.size(); ++i) {
    const ProfileComponent& component = profile.components[i];
    const std::string type = component.type.empty()
                                 ? fmt::format("stowage::workloads::game::Bytes<{}, {}>", i, component.bytes)
                                 : component.type;
    text += fmt::format("using {} = {};  // {}\n", alias_of(i), type, harmless(component.name));
  }
  if (profile.hierarchy) {
    text += fmt::format("using {} = stowage::LocalTransform;\nusing {} = stowage::WorldTransform;\n",
                        alias_of(profile.components.size()), alias_of(profile.components.size() + 1));
  }
  return text;
}

/// Components that are together as a group, in the order in which the first of each comes. Marked `Changed<>` if a
/// system asks for its changes, so that storages that can record them do.
std::string schema_text(const Design& design, const Profile& profile) {
  const auto marked = [&](std::size_t component) {
    const std::string alias = alias_of(component);
    return is_recorded(component, profile) ? fmt::format("stowage::Changed<{}>", alias) : alias;
  };
  std::vector<std::string> entries;
  for (const SchemaEntryOf& entry : entries_of(design)) {
    const std::string_view mark = mark_of(entry);
    const std::string names = fmt::format("{}", fmt::join(names_of(entry.components, marked), ", "));
    entries.push_back(mark.empty() ? names : fmt::format("stowage::{}<{}>", mark, names));
  }
  if (profile.hierarchy) {
    const std::size_t local = profile.components.size();
    entries.push_back(fmt::format("stowage::Group<{}>", aliases_of({local, local + 1})));
  }
  return fmt::format("stowage::Schema<{}>", fmt::join(entries, ", "));
}

std::string access_text(const std::vector<std::size_t>& reads, const std::vector<std::size_t>& writes,
                        const std::vector<std::string>& filters = {}) {
  const std::string more = filters.empty() ? "" : fmt::format(", {}", fmt::join(filters, ", "));
  return fmt::format("Access<TypeList<{}>, TypeList<{}>{}>", aliases_of(reads), aliases_of(writes), more);
}

/// The filters of a system, in the order of the profile.
std::vector<std::string> filters_of(const ProfileSystem& system) {
  std::vector<std::string> filters;
  for (const std::size_t one : system.without) filters.push_back(fmt::format("stowage::Without<{}>", alias_of(one)));
  for (const std::size_t one : system.optional) {
    filters.push_back(fmt::format("stowage::Optional<const {}>", alias_of(one)));
  }
  return filters;
}

template <class Items, class TextOf>
std::string type_list(const Items& items, TextOf text_of) {
  return fmt::format("TypeList<{}>", fmt::join(names_of(items, text_of), ",\n                           "));
}

template <class Items, class TextOf>
std::string array_text(std::string_view type, std::string_view name, const Items& items, TextOf text_of) {
  return fmt::format("  static constexpr std::array<{}, {}> {}{{{{{}}}}};\n", type, items.size(), name,
                     fmt::join(names_of(items, text_of), ", "));
}

/// What the entities of each kind have, by the index of a component: the transforms too, if they are in a tree.
std::vector<std::vector<std::size_t>> sets_of_kinds(const Profile& profile) {
  const std::vector<bool> is_node = nodes_among(profile.kinds);
  std::vector<std::vector<std::size_t>> sets;
  for (std::size_t kind = 0; kind < profile.kinds.size(); ++kind) {
    sets.push_back(profile.kinds[kind].components);
    if (!is_node[kind]) continue;
    const std::size_t local = profile.components.size();
    sets.back().insert(sets.back().end(), {local, local + 1});
  }
  return sets;
}

/// The kinds of entities.
std::string kinds_text(const Profile& profile) {
  const std::vector<std::vector<std::size_t>> sets = sets_of_kinds(profile);
  std::vector<ProfileKind::Children> children;
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < profile.kinds.size(); ++i) {
    const ProfileKind& kind = profile.kinds[i];
    kinds.push_back(fmt::format("{{{}, set_of<Components, most_components>(TypeList<{}>{{}}), {}, {}, {}}}",
                                static_cast<double>(kind.count) / static_cast<double>(profile.entities),
                                aliases_of(sets[i]), kind.created_per_frame, children.size(), kind.children.size()));
    children.insert(children.end(), kind.children.begin(), kind.children.end());
  }
  return array_text("Kind", "kinds", kinds, [](const std::string& kind) { return kind; }) +
         array_text("ChildKind", "children", children,
                    [](const ProfileKind::Children& each) { return fmt::format("{{{}, {}}}", each.kind, each.count); });
}

/// By the index of a component, transforms of a hierarchy last. What is together has one lot, the two transforms have
/// the last, and everything else has its own.
std::vector<Ownership> owners_of(const Profile& profile) {
  std::vector<Ownership> owners;
  std::map<std::string, std::size_t> lots;
  std::size_t next_lot = 0;
  for (const ProfileComponent& component : profile.components) {
    const bool is_alone = component.together.empty();
    const auto [lot, is_new] = is_alone ? std::pair(lots.end(), true) : lots.try_emplace(component.together, next_lot);
    owners.push_back({component.share, is_alone ? next_lot : lot->second});
    if (is_new) ++next_lot;
  }
  if (profile.hierarchy) owners.insert(owners.end(), 2, {profile.hierarchy->share, next_lot});
  return owners;
}

std::string numbers_text(const Profile& profile) {
  std::string text = array_text("Ownership", "owners", owners_of(profile), [](const Ownership& owner) {
    return fmt::format("{{{}, {}}}", owner.share, owner.lot);
  });
  text += kinds_text(profile);
  text += array_text("double", "runs_per_frame", profile.systems,
                     [](const ProfileSystem& system) { return fmt::to_string(system.runs_per_frame); });
  text += array_text("LookupRate", "lookups", profile.lookups, [](const ProfileLookup& lookup) {
    // what a profile does not say is not written: its world keeps its name and what was compiled for it
    const bool in_space = lookup.order == LookupOrder::space;
    const std::string hot = lookup.hot_share < 1 || in_space ? fmt::format(", {}", lookup.hot_share) : "";
    return fmt::format("{{{}, {}{}{}}}", lookup.per_frame, lookup.order == LookupOrder::local, hot,
                       in_space ? ", true" : "");
  });
  text += array_text("double", "changes_per_frame", profile.changes,
                     [](const ProfileChange& change) { return fmt::to_string(change.per_frame); });
  text += fmt::format("  static constexpr double creations_per_frame = {};\n", profile.creations_per_frame);
  const ProfileHierarchy tree = profile.hierarchy.value_or(ProfileHierarchy{});
  text += fmt::format("  static constexpr Tree tree{{{}, {}, {}, {}}};\n", profile.hierarchy.has_value(), tree.depth,
                      tree.fan_out, tree.dirty_share);
  text += fmt::format("  static constexpr bool saves = {};\n", profile.saves_per_minute > 0);
  if (profile.threads > 1) {
    text += fmt::format("  static constexpr std::size_t threads = {};\n", profile.threads);
    text += array_text("std::size_t", "stages", stages_of(profile.systems),
                       [](std::size_t stage) { return fmt::to_string(stage); });
  }
  return text;
}

/// The components with which each kind of work in a world is done.
std::string works_text(const Profile& profile) {
  const WorldPlan plan = plan_world(profile);
  const auto access_of = [&](std::optional<std::size_t> system) {
    if (!system) return std::string("void");
    return access_text(profile.systems[*system].reads, profile.systems[*system].writes);
  };
  std::vector<std::vector<std::size_t>> looked_up;
  for (const std::size_t count : {1, 2, 4}) {
    if (count > plan.looked_up.size()) break;
    looked_up.emplace_back(plan.looked_up.begin(), plan.looked_up.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return fmt::format(
      "  using Dense = {};\n  using Sparse = {};\n  using Joined = {};\n  using LookedUp = {};\n",
      access_of(plan.dense), access_of(plan.sparse), access_of(plan.joined),
      type_list(looked_up, [](const auto& components) { return fmt::format("TypeList<{}>", aliases_of(components)); }));
}

std::string types_text(const Profile& profile) {
  const auto all = std::views::iota(std::size_t{0}, profile.components.size() + (profile.hierarchy ? 2 : 0));
  std::string text = fmt::format("  using Components = TypeList<{}>;\n", fmt::join(names_of(all, alias_of), ", "));
  text += fmt::format("  using Storage = {};\n", schema_text(default_design("", profile), profile));
  text += fmt::format("  using Prefabs = {};\n", type_list(prefabs_of(profile), [](const auto& prefab) {
                        return fmt::format("TypeList<{}>", aliases_of(prefab));
                      }));
  text += fmt::format("  using Systems = {};\n", type_list(profile.systems, [](const ProfileSystem& system) {
                        if (system.changed_only) {
                          return fmt::format("Derivation<{}, TypeList<{}>>", alias_of(system.reads.front()),
                                             aliases_of(system.writes));
                        }
                        const std::string access = access_text(system.reads, system.writes, filters_of(system));
                        return system.parts > 1 ? fmt::format("InParts<{}, {}>", access, system.parts) : access;
                      }));
  text += fmt::format("  using Deferred = {};\n", type_list(profile.systems, [](const ProfileSystem& system) {
                        return fmt::format("TypeList<{}>", aliases_of(system.deferred));
                      }));
  text += fmt::format("  using Lookups = {};\n", type_list(profile.lookups, [](const ProfileLookup& lookup) {
                        return access_text(lookup.reads, lookup.writes);
                      }));
  text +=
      fmt::format("  using Changes = {};\n",
                  type_list(profile.changes, [](const ProfileChange& change) { return alias_of(change.component); }));
  return text + works_text(profile);
}

/// Assertions that name the component, the reason and the remedy. Every storage compiles with a type that passes.
std::string checks_of(const ProfileComponent& component) {
  struct Demand {
    std::string_view condition;
    std::string_view reason;
  };
  constexpr auto demands = std::to_array<Demand>(
      {{"std::is_object_v<{0}> && !std::is_const_v<{0}> && !std::is_volatile_v<{0}> && !std::is_array_v<{0}>",
        "is no plain object type; wrap it in a struct"},
       {"std::is_nothrow_destructible_v<{0}>", "has a destructor that may throw; make it noexcept"},
       {"std::is_nothrow_move_constructible_v<{0}>",
        "must be nothrow move constructible; give it a move constructor that is noexcept"},
       {"std::is_default_constructible_v<{0}>",
        "must be default constructible; give it a constructor without arguments"}});
  std::string checks;
  for (const Demand& demand : demands) {
    checks += fmt::format("static_assert({}, \"the type of component '{}' {}, or give its 'bytes' instead\");\n",
                          fmt::format(fmt::runtime(demand.condition), component.type), harmless(component.name),
                          demand.reason);
  }
  return checks;
}

/// `bind` has two placeholders: for the strategy as a template, and for its name.
std::string module_source(const Recipe& strategy, std::string_view bind) {
  // the components of the game as a design places them; what other schemas the harness tries stay as they are
  const std::string placed =
      strategy.schema.empty()
          ? "SchemaType"
          : "std::conditional_t<std::is_same_v<SchemaType, generated::Game::Storage>, generated::Placed, SchemaType>";
  const std::string schema =
      strategy.schema.empty() ? "" : fmt::format("namespace generated {{\nusing Placed = {};\n}}\n", strategy.schema);
  const std::string alias = "Strategy_" + cpp_name_of(strategy.name);
  return fmt::format(
      "// Generated from the list of strategies.\n#include <{header}>\n\n#include \"common.hpp\"\n\n{schema}namespace "
      "stowage::harness {{\n\ntemplate <class SchemaType>\nusing {alias} = {type}<{placed}>;\n\n"
      "static void add_to(Catalogue& catalogue) {{\n{bind}}}\n\n}}  // namespace stowage::harness\n\n"
      "STOWAGE_EXPORT_MODULE(&stowage::harness::add_to);\n",
      fmt::arg("header", strategy.header), fmt::arg("schema", schema), fmt::arg("alias", alias),
      fmt::arg("type", strategy.template_name), fmt::arg("placed", placed),
      fmt::arg("bind", fmt::format(fmt::runtime(bind), alias, strategy.name)));
}

}  // namespace

std::string types_header(const Profile& profile) {
  std::set<std::string> headers;
  std::string checks;
  std::vector<const ProfileComponent*> before;
  for (const ProfileComponent& component : profile.components) {
    if (component.type.empty()) continue;
    headers.insert(component.header.string());
    checks += checks_of(component);
    for (const ProfileComponent* other : before) {
      checks += fmt::format(
          "static_assert(!std::is_same_v<{}, {}>, \"the components '{}' and '{}' have one type; a storage tells "
          "components by their types: give each a struct of its own\");\n",
          other->type, component.type, harmless(other->name), harmless(component.name));
    }
    before.push_back(&component);
  }
  std::string text =
      "#pragma once\n\n// Generated from a profile.\n#include <type_traits>\n\n"
      "#include <stowage/contract/component.hpp>\n";
  for (const std::string& header : headers) text += fmt::format("#include \"{}\"\n", header);
  return text + "\n" + checks;
}

bool is_game_header(std::string_view text) { return text.starts_with(game_header_begin); }

std::string game_header(const Profile& profile) {
  return fmt::format(
      "{}#include \"workloads/game/game.hpp\"\n\n"
      "namespace generated {{\n\n{}\n"
      "using namespace stowage::workloads::game;\nusing stowage::TypeList;\n\n"
      "struct Game {{\n  static constexpr std::string_view title = \"{}\";\n"
      "  static constexpr std::size_t entities = {};\n{}{}}};\n\n}}  // namespace generated\n",
      game_header_begin, components_text(profile), harmless(profile.name), profile.entities, types_text(profile),
      numbers_text(profile));
}

Recipe recipe_of(const Design& design, const Profile& profile, const Recipe& strategy) {
  Recipe recipe = strategy;
  recipe.name = name_of(design, profile);
  if (recipe.name != strategy.name) recipe.schema = schema_text(design, profile);
  return recipe;
}

std::string common_source(std::string_view bind) {
  return fmt::format(
      "#pragma once\n\n// Generated.\n#include \"harness/build/module.hpp\"\n"
      "#include \"harness/recommend/{}.hpp\"\n#include \"game.hpp\"\n",
      bind);
}

std::string read_back_source() {
  return "// Generated.\n#include \"workloads/game/read_back.hpp\"\n#include \"common.hpp\"\n\n"
         "template std::uint64_t stowage::workloads::game::digest_of_save<generated::Game>(std::span<const "
         "std::byte>);\n";
}

std::string strategy_source(const Recipe& strategy) {
  return module_source(strategy, "  bind_game<{}, generated::Game>(catalogue, \"{}\");\n");
}

std::string works_source(const Recipe& strategy) {
  return module_source(strategy, "  bind_world<{}, generated::Game>(catalogue, \"{}\");\n");
}

namespace {

/// Each costs compile time in every strategy. A game has a prefab for each kind of entities, so there are more then;
/// the rarest kinds of many start from another prefab (docs/method.md says whom that favours).
constexpr std::size_t most_prefabs = 4;
constexpr std::size_t most_prefabs_of_kinds = 20;

struct LikelySet {
  double share = 1;
  ComponentSet components = {};
};

/// The sets that one lot may give to an entity, and how often.
std::vector<LikelySet> outcomes_of(const std::vector<Ownership>& owners, std::size_t lot) {
  std::set<double> shares{1.0};
  for (const Ownership& owner : owners) {
    if (owner.lot == lot) shares.insert(owner.share);
  }
  std::vector<LikelySet> outcomes;
  double before = 0;
  for (const double share : shares) {
    LikelySet outcome{share - before, {}};
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (owners[i].lot == lot && owners[i].share >= share) outcome.components = outcome.components.with(i);
    }
    outcomes.push_back(outcome);
    before = share;
  }
  return outcomes;
}

std::vector<LikelySet> sets_by_count(const Profile& profile) {
  std::vector<LikelySet> sets;
  const std::vector<std::vector<std::size_t>> components = sets_of_kinds(profile);
  for (std::size_t kind = 0; kind < profile.kinds.size(); ++kind) {
    LikelySet set{static_cast<double>(profile.kinds[kind].count), {}};
    for (const std::size_t component : components[kind]) set.components = set.components.with(component);
    sets.push_back(set);
  }
  std::ranges::stable_sort(sets, std::greater<>{}, &LikelySet::share);
  return sets;
}

/// The likeliest sets of all lots together.
std::vector<LikelySet> likely_sets(const std::vector<Ownership>& owners) {
  constexpr std::size_t kept = 64;
  std::size_t lots = 0;
  for (const Ownership& owner : owners) lots = std::max(lots, owner.lot + 1);
  std::vector<LikelySet> sets(1);
  for (std::size_t lot = 0; lot < lots; ++lot) {
    std::vector<LikelySet> longer;
    for (const LikelySet& outcome : outcomes_of(owners, lot)) {
      for (const LikelySet& set : sets) {
        longer.push_back({set.share * outcome.share, set.components | outcome.components});
      }
    }
    std::ranges::stable_sort(longer, std::greater<>{}, &LikelySet::share);
    if (longer.size() > kept) longer.resize(kept);
    sets = std::move(longer);
  }
  return sets;
}

std::vector<std::size_t> components_in(const ComponentSet& set) {
  std::vector<std::size_t> components;
  set.for_each([&](std::size_t component) { components.push_back(component); });
  return components;
}

}  // namespace

std::vector<std::vector<std::size_t>> prefabs_of(const Profile& profile) {
  const std::vector<Ownership> owners = owners_of(profile);
  ComponentSet of_all;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i].share >= 1) of_all = of_all.with(i);
  }
  const std::size_t most = profile.kinds.empty() ? most_prefabs : most_prefabs_of_kinds;
  std::vector<ComponentSet> chosen;
  for (const LikelySet& set : profile.kinds.empty() ? likely_sets(owners) : sets_by_count(profile)) {
    const bool is_known = std::ranges::find(chosen, set.components) != chosen.end();
    if (!is_known && set.components.count() != 0 && chosen.size() < most) chosen.push_back(set.components);
  }
  if (of_all.count() != 0 && std::ranges::find(chosen, of_all) == chosen.end()) chosen.push_back(of_all);
  std::ranges::stable_sort(chosen, std::greater<>{}, &ComponentSet::count);
  std::vector<std::vector<std::size_t>> prefabs;
  for (const ComponentSet& set : chosen) prefabs.push_back(components_in(set));
  return prefabs;
}

}  // namespace stowage::harness
