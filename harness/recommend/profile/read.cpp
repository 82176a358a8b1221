// Reads a profile table by table. The schema checks each value; what must hold of several together is checked here.
#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/recommend/profile/profile.hpp"
#include "harness/recommend/profile/table.hpp"
#include "harness/system/document.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

constexpr double most_lookups_per_entity = 100;

/// Shares are typed with three digits: 0.0204 of 49 entities is one.
constexpr double almost_one = 0.99;

/// The owners of a share, as the game rounds them (workloads/game/course.cpp).
double owners_of(double share, double entities) { return std::round(share * entities); }

bool has(const std::vector<std::size_t>& places, std::size_t place) {
  return std::ranges::find(places, place) != places.end();
}

/// The position of the first of `items` whose `member` is `value`.
template <class Item, class Member, class Value>
std::optional<std::size_t> place_of(const std::vector<Item>& items, Member Item::* member, const Value& value) {
  const auto found = std::ranges::find(items, value, member);
  if (found == items.end()) return std::nullopt;
  return static_cast<std::size_t>(found - items.begin());
}

/// Refuses `table` if one of `items`, which were read from the first of `list`, has its name.
template <class Item>
void check_name(const ProfileTable& table, const std::vector<ProfileTable>& list, const std::vector<Item>& items,
                std::string_view what) {
  const std::string name = table.text("name");
  const auto other = place_of(items, &Item::name, name);
  if (!other) return;
  table.refuse("name", "'{}' is the name of the {} in line {} too; give each its own", name, what, list[*other].line());
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// Nodes of a tree of `depth` levels in which each node above the last has `fan_out` children; any number above `most`
/// if there are more.
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

class ProfileReader {
 public:
  ProfileReader(const toml::table& root, const fs::path& file) : root_(root), file_(file) {}

  Profile read() {
    check_known_tables(root_, file_);
    const ProfileTable game = tables("profile").front();
    profile_.file = file_;
    profile_.name = game.text("name");
    profile_.entities = game.count("entities", 0);
    profile_.entities_line = game.line("entities");
    profile_.frames_per_second = game.number("frames_per_second", profile_.frames_per_second);
    profile_.threads = game.count("threads", profile_.threads);
    entities_ = static_cast<double>(profile_.entities);
    const Tables components = tables("component");
    read_components(components);
    read_kinds(tables("entity_kind"), components);
    for (std::size_t own = 0; own < components.size(); ++own) check_together(own, components[own]);
    find_states(components);
    for (std::size_t own = 0; own < components.size(); ++own) {
      if (components[own].has("toggled_per_frame")) add_change(own, components[own], "toggled_per_frame");
    }
    read_systems(tables("system"));
    read_recording(game);
    for (const ProfileTable& table : tables("lookup")) read_lookup(table);
    for (const ProfileTable& table : tables("change")) read_change(table);
    if (!profile_.kinds.empty()) check_number_of_sets(tables("entity_kind"));
    check_deferred(tables("system"));
    check_changed_only(tables("system"));
    for (const ProfileTable& table : tables("turnover")) read_turnover(table);
    for (const ProfileTable& table : tables("saves")) read_saves(table);
    for (const ProfileTable& table : tables("hierarchy")) read_hierarchy(table);
    for (const ProfileTable& table : tables("budget")) read_budget(table);
    const bool has_work = !profile_.systems.empty() || !profile_.lookups.empty() || !profile_.changes.empty() ||
                          profile_.creations_per_frame > 0 || profile_.hierarchy || profile_.saves_per_minute > 0;
    if (!has_work) game.refuse_table("nothing happens in a frame of this game; give it a [[system]], at least");
    return std::move(profile_);
  }

 private:
  using Tables = std::vector<ProfileTable>;

  [[nodiscard]] Tables tables(const std::string& name) const { return tables_of(root_, name, file_); }

  // ---- components

  void read_components(const Tables& list) {
    for (const ProfileTable& table : list) {
      check_size_or_type(table);
      check_name(table, list, profile_.components, "component");
      const fs::path header = table.text("header");
      profile_.components.push_back(
          {.name = table.text("name"),
           .bytes = table.count("bytes", 0),
           .type = table.text("type"),
           .header = header.empty() ? header : (fs::absolute(file_).parent_path() / header).lexically_normal(),
           .share = table.number("share", 1),
           .together = table.text("together"),
           .toggled_per_frame = table.number("toggled_per_frame", 0)});
      check_component(list);
    }
  }

  static void check_size_or_type(const ProfileTable& table) {
    const std::string name = in_quotes(table.text("name"));
    const bool has_type = table.has("type");
    if (table.has("bytes") && has_type) {
      table.refuse("bytes", "{} has 'bytes' and a 'type'; give one, a type has a size", name);
    }
    if (!table.has("bytes") && !has_type) {
      table.refuse_table("{} has no size; give 'bytes', or a 'type' and the 'header' that defines it", name);
    }
    if (has_type && !table.has("header")) {
      table.refuse("type",
                   "{} has a 'type' without 'header'; name the file that defines it, from the profile's directory",
                   name);
    }
    if (table.has("header") && !has_type) {
      table.refuse("header", "{} has a 'header' without 'type'; name the type in it", name);
    }
  }

  /// Checks the component that was read last.
  void check_component(const Tables& list) const {
    const ProfileComponent& component = profile_.components.back();
    const ProfileTable& table = list[profile_.components.size() - 1];
    if (!component.type.empty()) check_type(component, table, list);
    if (component.share * entities_ < almost_one) {
      table.refuse("share", "'share' is {}, less than one of {} entities; at least {:.3g} is one", component.share,
                   profile_.entities, 1 / entities_);
    }
  }

  void check_type(const ProfileComponent& component, const ProfileTable& table, const Tables& list) const {
    if (!has_format(component.type, "type")) {
      table.refuse("type", "'type' is {}; it is the name of a C++ type, such as game::Health",
                   in_quotes(component.type));
    }
    const auto other = std::ranges::find(profile_.components, without_spaces(component.type),
                                         [](const ProfileComponent& any) { return without_spaces(any.type); });
    if (&*other != &component) {
      const std::size_t line = list[static_cast<std::size_t>(other - profile_.components.begin())].line();
      table.refuse("type",
                   "'{}' has the type of '{}' in line {}; a storage tells components by their types, so give each a "
                   "struct of its own",
                   component.name, other->name, line);
    }
    const std::string header = in_quotes(table.text("header"));
    if (!has_format(component.header.string(), "header")) {
      table.refuse("header",
                   "'header' is {}; C++ includes no file with a quotation mark or a control character in its path",
                   header);
    }
    std::error_code unreadable;
    if (!fs::is_regular_file(component.header, unreadable)) {
      table.refuse("header", "'header' is {}, but {} is no file; it is looked for from the profile's directory", header,
                   component.header.string());
    }
  }

  void check_together(std::size_t place, const ProfileTable& table) const {
    const ProfileComponent& component = profile_.components[place];
    if (component.together.empty()) return;
    const auto is_of_group = [&](const ProfileComponent& other) { return other.together == component.together; };
    if (std::ranges::count_if(profile_.components, is_of_group) == 1) {
      std::vector<std::string> words = names_of(profile_.components, &ProfileComponent::together);
      std::erase_if(words, [&](const std::string& word) { return word.empty() || word == component.together; });
      table.refuse("together", "no other component is together by '{}'{}", component.together,
                   suggestion(component.together, words, "give a second one, or remove it"));
    }
    const auto first_place = place_of(profile_.components, &ProfileComponent::together, component.together);
    const ProfileComponent* const first = &profile_.components[*first_place];
    for (const ProfileKind& kind : profile_.kinds) {
      if (has(kind.components, place) == has(kind.components, *first_place)) continue;
      table.refuse("together",
                   "the entities of kind '{}' have '{}' or '{}', and not both, so the two are not 'together'",
                   kind.name, component.name, first->name);
    }
    if (first->share != component.share) {
      table.refuse("share",
                   "'{}' has share {}, but '{}', which it is together with, has {}; the same entities have both, so "
                   "give the same share",
                   component.name, component.share, first->name, first->share);
    }
  }

  [[nodiscard]] std::optional<std::size_t> find_component(const std::string& name) const {
    return place_of(profile_.components, &ProfileComponent::name, name);
  }

  [[nodiscard]] std::string unknown_component(const std::string& name) const {
    const auto names = names_of(profile_.components, &ProfileComponent::name);
    return fmt::format("unknown component {}{}", in_quotes(name),
                       suggestion(name, names, "name one of a [[component]]"));
  }

  /// The components that a list names, none of which may come twice.
  [[nodiscard]] std::vector<std::size_t> components_in(const ProfileTable& table, std::string_view key) const {
    std::vector<std::size_t> components;
    for (const std::string& name : table.words(key)) {
      const auto component = find_component(name);
      const std::size_t item = components.size();
      if (!component) table.refuse_item(key, item, "{}", unknown_component(name));
      if (has(components, *component)) {
        table.refuse_item(key, item, "'{}' names '{}' twice; once says it", key, name);
      }
      components.push_back(*component);
    }
    return components;
  }

  // ---- kinds of entities

  void read_kinds(const Tables& list, const Tables& components) {
    for (const ProfileTable& table : list) read_kind(table, list);
    if (list.empty()) return;
    check_counts(list);
    for (std::size_t own = 0; own < components.size(); ++own) {
      if (components[own].has("share")) {
        components[own].refuse("share",
                               "the [[entity_kind]] tables say which entities have a component; remove 'share'");
      }
      ProfileComponent& component = profile_.components[own];
      component.share = entities_with(profile_, {own}) / entities_;
      if (component.share > 0) continue;
      components[own].refuse_table("no [[entity_kind]] has '{}'; name it in the 'components' of one, or remove it",
                                   component.name);
    }
    read_children(list);
  }

  void read_kind(const ProfileTable& table, const Tables& list) {
    ProfileKind kind{.name = table.text("name"), .components = components_in(table, "components")};
    check_name(table, list, profile_.kinds, "kind");
    if (table.has("count") == table.has("share")) {
      table.refuse_table("'{}' has {}; give one of the two", kind.name,
                         table.has("count") ? "'count' and 'share'" : "neither 'count' nor 'share'");
    }
    kind.count = table.count("count", 0);
    if (table.has("share")) kind.count = static_cast<std::size_t>(std::llround(table.number("share", 0) * entities_));
    if (kind.count == 0) {
      table.refuse("share", "'share' is {}, less than one of {} entities; at least {:.3g} is one",
                   table.number("share", 0), profile_.entities, 1 / entities_);
    }
    std::ranges::sort(kind.components);
    kind.created_per_frame = table.number("created_per_frame", 0);
    if (kind.created_per_frame > static_cast<double>(kind.count)) {
      table.refuse("created_per_frame",
                   "'created_per_frame' is {}, but as many are destroyed, and there are {} of '{}'",
                   kind.created_per_frame, kind.count, kind.name);
    }
    profile_.kinds.push_back(std::move(kind));
  }

  /// Shares are rounded: the commonest kind that has a share takes up the difference.
  void check_counts(const Tables& list) {
    std::size_t sum = 0;
    std::size_t shares = 0;
    std::optional<std::size_t> commonest;
    for (std::size_t i = 0; i < list.size(); ++i) {
      sum += profile_.kinds[i].count;
      if (!list[i].has("share")) continue;
      ++shares;
      if (!commonest || profile_.kinds[i].count > profile_.kinds[*commonest].count) commonest = i;
    }
    const std::size_t apart = sum > profile_.entities ? sum - profile_.entities : profile_.entities - sum;
    const bool leaves_none = commonest && profile_.kinds[*commonest].count + profile_.entities <= sum;
    if (apart > shares || leaves_none) {
      list.back().refuse_table(
          "the kinds have {} entities together, but 'entities' of [profile] is {}; change a 'count' or a 'share' by "
          "{}, or 'entities'",
          sum, profile_.entities, apart);
    }
    if (commonest) profile_.kinds[*commonest].count += profile_.entities - sum;  // may wrap round, and back
  }

  void read_children(const Tables& list) {
    for (std::size_t own = 0; own < list.size(); ++own) {
      for (const ProfileTable& table : list[own].tables("children")) read_child(own, table);
    }
    const std::vector<std::size_t> places = put_parents_first(list);
    std::vector<double> hanging(list.size(), 0);
    for (std::size_t own = 0; own < list.size(); ++own) {
      const ProfileKind& kind = profile_.kinds[places[own]];
      const Tables tables = list[own].tables("children");
      for (std::size_t item = 0; item < tables.size(); ++item) {
        const auto [place, count] = kind.children[item];
        const ProfileKind& child = profile_.kinds[place];
        hanging[place] += count * static_cast<double>(kind.count);
        constexpr double rounding = 1.01;  // of means in a recording
        if (hanging[place] <= rounding * static_cast<double>(child.count) + 1) continue;
        tables[item].refuse(
            "count", "parents need {:.0f} of '{}' as children, but there are {}; give more of it, or fewer parents",
            hanging[place], child.name, child.count);
      }
    }
    count_nodes();
  }

  void read_child(std::size_t own, const ProfileTable& table) {
    const std::string name = table.text("kind");
    const auto place = place_of(profile_.kinds, &ProfileKind::name, name);
    if (!place) {
      table.refuse("kind", "unknown kind {}{}", in_quotes(name),
                   suggestion(name, names_of(profile_.kinds, &ProfileKind::name), "name one of an [[entity_kind]]"));
    }
    std::vector<ProfileKind::Children>& children = profile_.kinds[own].children;
    if (place_of(children, &ProfileKind::Children::kind, *place)) {
      table.refuse("kind", "'children' names '{}' twice; give the sum of their counts once", name);
    }
    children.push_back({*place, table.number("count", 1)});
  }

  /// Each kind that is not `done` hangs on another such kind, so some of them are in a circle.
  [[noreturn]] void refuse_circle(const Tables& list, const std::vector<bool>& done) const {
    const auto parent_of = [&](std::size_t kind) {
      std::size_t parent = 0;
      while (done[parent] || !place_of(profile_.kinds[parent].children, &ProfileKind::Children::kind, kind)) ++parent;
      return parent;
    };
    auto kind = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
    for (std::size_t step = 0; step < list.size(); ++step) kind = parent_of(kind);  // which ends in a circle
    for (std::size_t other = parent_of(kind), end = kind; other != end; other = parent_of(other)) {
      kind = std::min(kind, other);
    }
    list[kind].refuse("children", "'{}' would be its own descendant, through its 'children'; remove one of these",
                      profile_.kinds[kind].name);
  }

  /// A kind comes behind all kinds on which it hangs; the others stay in their order. Returns the new place of each.
  [[nodiscard]] std::vector<std::size_t> put_parents_first(const Tables& list) {
    std::vector<std::size_t> parents(list.size(), 0);
    for (const ProfileKind& kind : profile_.kinds) {
      for (const ProfileKind::Children& below : kind.children) ++parents[below.kind];
    }
    std::vector<std::size_t> order;
    std::vector<std::size_t> place(list.size());
    std::vector<bool> done(list.size(), false);
    while (order.size() < list.size()) {
      std::size_t next = 0;
      while (next < list.size() && (done[next] || parents[next] > 0)) ++next;
      if (next == list.size()) refuse_circle(list, done);
      done[next] = true;
      place[next] = order.size();
      order.push_back(next);
      for (const ProfileKind::Children& below : profile_.kinds[next].children) --parents[below.kind];
    }
    std::vector<ProfileKind> sorted;
    for (const std::size_t kind : order) sorted.push_back(std::move(profile_.kinds[kind]));
    for (ProfileKind& kind : sorted) {
      for (ProfileKind::Children& below : kind.children) below.kind = place[below.kind];
    }
    profile_.kinds = std::move(sorted);
    return place;
  }

  /// How many entities are in trees, how many levels these have, and what is created with all that hangs on it.
  void count_nodes() {
    std::vector<double> in_tree(profile_.kinds.size(), 0);  // of one entity, with all that hangs on it
    std::vector<std::size_t> levels(profile_.kinds.size(), 1);
    for (std::size_t own = profile_.kinds.size(); own-- > 0;) {
      in_tree[own] = 1;
      for (const ProfileKind::Children& below : profile_.kinds[own].children) {
        in_tree[own] += below.count * in_tree[below.kind];
        levels[own] = std::max(levels[own], 1 + levels[below.kind]);
      }
      profile_.creations_per_frame += profile_.kinds[own].created_per_frame * in_tree[own];
    }
    const std::vector<bool> is_node = nodes_among(profile_.kinds);
    double nodes = 0;
    for (std::size_t own = 0; own < profile_.kinds.size(); ++own) {
      if (is_node[own]) nodes += static_cast<double>(profile_.kinds[own].count);
    }
    if (nodes == 0) return;
    profile_.hierarchy = ProfileHierarchy{.share = nodes / entities_, .depth = std::ranges::max(levels)};
  }

  /// How many entities may gain the state `component`: they have all that some owner of it has, but for states.
  [[nodiscard]] std::size_t candidates_for(std::size_t component) const {
    std::set<std::vector<std::size_t>> bases;
    for (const ProfileKind& kind : profile_.kinds) {
      if (has(kind.components, component)) bases.insert(without_states(kind.components));
    }
    std::size_t count = 0;
    for (const ProfileKind& kind : profile_.kinds) {
      if (!has(kind.components, component) && bases.contains(without_states(kind.components))) count += kind.count;
    }
    return count;
  }
  [[nodiscard]] bool is_state(std::size_t component) const { return states_.contains(component); }
  [[nodiscard]] std::vector<std::size_t> without_states(std::vector<std::size_t> components) const {
    std::erase_if(components, [&](std::size_t one) { return is_state(one); });
    return components;
  }
  /// Notes the components that entities gain and lose. An unknown name is refused where it is read.
  void find_states(const Tables& components) {
    for (std::size_t own = 0; own < components.size(); ++own) {
      if (components[own].has("toggled_per_frame")) states_.insert(own);
    }
    for (const ProfileTable& table : tables("change")) {
      if (const auto component = find_component(table.text("component"))) states_.insert(*component);
    }
  }

  /// Each state that entities of a set may have or lack doubles the number of their sets.
  void check_number_of_sets(const Tables& kinds) const {
    constexpr double most = 10'000;
    std::map<std::vector<std::size_t>, std::pair<std::set<std::size_t>, std::size_t>> bases;  // states, entities
    const std::vector<bool> is_node = nodes_among(profile_.kinds);
    for (std::size_t own = 0; own < profile_.kinds.size(); ++own) {
      const ProfileKind& kind = profile_.kinds[own];
      std::vector<std::size_t> base = without_states(kind.components);
      if (is_node[own]) base.push_back(profile_.components.size());  // for its transforms
      auto& [states, entities] = bases[base];
      entities += kind.count;
      std::ranges::copy_if(kind.components, std::inserter(states, states.end()),
                           [&](std::size_t one) { return is_state(one); });
    }
    double sets = 0;
    for (const auto& [base, of_base] : bases) {
      sets += std::min(std::pow(2.0, static_cast<double>(of_base.first.size())), static_cast<double>(of_base.second));
    }
    if (sets <= most) return;
    kinds.back().refuse_table(
        "the kinds and the states of their entities make {:.0f} component sets; at most {} can be measured, so leave "
        "out a [[change]] or some kinds",
        sets, most);
  }

  // ---- what happens in a frame

  /// What a system or a lookup reads and writes. A component in both lists counts as written only.
  template <class Work>
  void read_touched(Work& work, const ProfileTable& table) const {
    work.reads = components_in(table, "reads");
    work.writes = components_in(table, "writes");
    std::erase_if(work.reads, [&](std::size_t one) { return has(work.writes, one); });
    if (work.reads.empty() && work.writes.empty()) {
      table.refuse_table("{} touches nothing; name components in 'reads' or 'writes'", table.header());
    }
    for (std::size_t item = 0; item < work.writes.size(); ++item) {
      const ProfileComponent& component = profile_.components[work.writes[item]];
      if (component.type.empty() && component.bytes == 0) {
        table.refuse_item("writes", item, "'{}' is a tag, it has no bytes to write; name it in 'reads'",
                          component.name);
      }
    }
    const double owners = entities_with(profile_, touched_by(work));
    if (owners < almost_one) {
      table.refuse_table("{:.2g} of {} entities have all of these components; {}", owners, profile_.entities,
                         profile_.kinds.empty() ? "raise their shares, or say which are 'together'"
                                                : "give an [[entity_kind]] all of them");
    }
  }

  /// What a system says of other components than it reads and writes.
  void read_filters(ProfileSystem& system, const ProfileTable& table) {
    system.without = components_in(table, "without");
    system.optional = components_in(table, "optional");
    system.deferred = components_in(table, "deferred");
    std::vector<std::size_t> named = touched_by(system);
    for (const auto& [key, components] :
         {std::pair("without", &system.without), std::pair("optional", &system.optional)}) {
      for (std::size_t item = 0; item < components->size(); ++item) {
        const std::size_t component = (*components)[item];
        if (has(named, component)) {
          table.refuse_item(key, item,
                            "'{}' names '{}', which this system names elsewhere; say of each component one thing", key,
                            profile_.components[component].name);
        }
        named.push_back(component);
      }
    }
    const double left = entities_with(profile_, touched_by(system), system.without);
    if (system.without.empty() || left >= almost_one) return;
    table.refuse("without",
                 "only {:.2g} of {} entities have all that the system reads and writes, and none of 'without'; remove "
                 "from 'without' the components that all entities have",
                 left, profile_.entities);
  }

  void read_systems(const Tables& list) {
    for (const ProfileTable& table : list) {
      ProfileSystem system{.name = table.text("name"), .runs_per_frame = table.number("runs_per_frame", 1)};
      check_name(table, list, profile_.systems, "system");
      read_touched(system, table);
      read_filters(system, table);
      system.changed_only = table.flag("changed_only");
      if (table.has("part")) read_part(system, table);
      if (table.has("ms")) system.ms = table.number("ms", 0);
      profile_.systems.push_back(std::move(system));
    }
  }

  static void read_part(ProfileSystem& system, const ProfileTable& table) {
    const double part = table.number("part", 1);
    if (system.writes.empty()) {
      table.refuse("part",
                   "'part' is the share of its entities that a system writes, and this one only reads; take it out");
    }
    if (system.changed_only) {
      table.refuse("part", "'changed_only' says which entities the system writes; take out 'part'");
    }
    system.parts = static_cast<std::size_t>(std::llround(1 / part));
  }

  void read_recording(const ProfileTable& game) {
    ProfileRecording& recorded = profile_.recorded;
    recorded.storage = game.text("storage");
    if (game.has("storage")) recorded.storage_line = game.line("storage");
    if (game.has("frame_ms_measured")) recorded.frame_ms = game.number("frame_ms_measured", 0);
    if (game.has("yardstick_ms")) recorded.yardstick_ms = game.number("yardstick_ms", 0);
    recorded.is_debug_build = game.flag("debug_build");
    if (recorded.is_debug_build) recorded.debug_build_line = game.line("debug_build");
    double sum_ms = 0;
    for (std::size_t own = 0; own < profile_.systems.size(); ++own) {
      const std::optional<double> ms = profile_.systems[own].ms;
      if (!ms) continue;
      const ProfileTable system = tables("system")[own];
      if (!recorded.frame_ms) {
        system.refuse("ms", "the system has a time, but the frame has none; give 'frame_ms_measured' in [profile]");
      }
      sum_ms += *ms;
      constexpr double rounding = 1.002;
      if (sum_ms <= rounding * *recorded.frame_ms) continue;
      system.refuse("ms",
                    "the systems up to this one take {:g} ms, longer than the whole frame, {:g} ms "
                    "('frame_ms_measured' in line {}); give times of the same recording",
                    sum_ms, *recorded.frame_ms, game.line("frame_ms_measured"));
    }
  }

  /// Such a system may skip unchanged entities only if what it writes follows from the one component that it reads.
  void check_changed_only(const Tables& list) const {
    for (std::size_t number = 0; number < list.size(); ++number) {
      const ProfileSystem& system = profile_.systems[number];
      if (!system.changed_only) continue;
      if (system.reads.size() != 1 || system.writes.empty() || !system.without.empty() || !system.optional.empty()) {
        list[number].refuse("changed_only",
                            "'changed_only' is for a system that makes what it writes anew from one component; name "
                            "one in 'reads', some in 'writes', and none in 'without' and 'optional'");
      }
      for (const std::size_t written : system.writes) {
        const auto writes_it = [written](const auto& work) { return has(work.writes, written); };
        const bool also_elsewhere =
            std::ranges::count_if(profile_.systems, writes_it) + std::ranges::count_if(profile_.lookups, writes_it) > 1;
        if (!also_elsewhere && !changes(written)) continue;
        list[number].refuse("changed_only", "'{}' {}, so it does not follow from '{}' alone; take out 'changed_only'",
                            profile_.components[written].name,
                            also_elsewhere ? "is written elsewhere too" : "is added and removed",
                            profile_.components[system.reads.front()].name);
      }
    }
  }

  /// What a system defers must be a component that changes, and only one system may defer it.
  void check_deferred(const Tables& list) const {
    std::vector<std::size_t> before;
    for (std::size_t number = 0; number < list.size(); ++number) {
      const std::vector<std::size_t>& deferred = profile_.systems[number].deferred;
      for (std::size_t item = 0; item < deferred.size(); ++item) {
        const std::size_t component = deferred[item];
        const std::string& name = profile_.components[component].name;
        if (!changes(component)) {
          list[number].refuse_item("deferred", item,
                                   "'{}' does not change; give it a [[change]], or 'toggled_per_frame'", name);
        }
        if (has(before, component)) {
          list[number].refuse_item("deferred", item, "another system defers the changes of '{}'; name it in one", name);
        }
        before.push_back(component);
      }
    }
  }

  [[nodiscard]] bool changes(std::size_t component) const {
    return place_of(profile_.changes, &ProfileChange::component, component).has_value();
  }

  [[nodiscard]] static LookupOrder order_of(const std::string& word) {
    if (word == "local") return LookupOrder::local;
    return word == "space" ? LookupOrder::space : LookupOrder::random;
  }

  void read_lookup(const ProfileTable& table) {
    ProfileLookup lookup{.per_frame = table.number("per_frame", 0),
                         .order = order_of(table.text("order")),
                         .hot_share = table.number("hot_share", 1)};
    read_touched(lookup, table);
    if (lookup.order != LookupOrder::random && table.has("hot_share")) {
      table.refuse("hot_share", "'hot_share' is for lookups in random order; take out one of the two");
    }
    const double most = most_lookups_per_entity * entities_;
    if (lookup.per_frame > most) {
      table.refuse("per_frame", "'per_frame' is {}, more than {} for each of {} entities; at most {}", lookup.per_frame,
                   most_lookups_per_entity, profile_.entities, most);
    }
    profile_.lookups.push_back(std::move(lookup));
  }

  void read_change(const ProfileTable& table) {
    const std::string name = table.text("component");
    const auto index = find_component(name);
    if (!index) table.refuse("component", "{}", unknown_component(name));
    if (changes(*index)) {
      if (profile_.components[*index].toggled_per_frame > 0) {
        table.refuse("component", "'{}' has 'toggled_per_frame', which adds and removes it, too; remove one of the two",
                     name);
      }
      table.refuse("component", "'{}' has a [[change]] already; give their sum once", name);
    }
    add_change(*index, table, "per_frame");
  }

  /// The rate is at `key` of `table`.
  void add_change(std::size_t index, const ProfileTable& table, std::string_view key) {
    const ProfileComponent& component = profile_.components[index];
    const std::string& name = component.name;
    if (!component.together.empty()) {
      table.refuse(key == "per_frame" ? "component" : key,
                   "'{}' is together with others, so it cannot be added and removed alone; take 'together' out of its "
                   "[[component]]",
                   name);
    }
    const double per_frame = table.number(key, 0);
    const double owners = owners_of(component.share, entities_);
    const double others = profile_.kinds.empty() ? entities_ - owners : static_cast<double>(candidates_for(index));
    if (per_frame > std::min(owners, others)) {
      const bool has_kinds = !profile_.kinds.empty();
      table.refuse(key, "'{}' is {}, but {} entities have '{}' and {} {}; at most {}{}", key, per_frame, owners, name,
                   others, has_kinds ? "are of a kind that differs in that alone" : "do not", std::min(owners, others),
                   has_kinds && others == 0 ? ": add such an [[entity_kind]]" : "");
    }
    profile_.changes.push_back({.component = index, .per_frame = per_frame});
  }

  void read_turnover(const ProfileTable& table) {
    if (!profile_.kinds.empty()) {
      table.refuse_table(
          "each [[entity_kind]] says how many of it are created in a frame; remove [turnover], and give "
          "'created_per_frame' there");
    }
    profile_.creations_per_frame = table.number("creations_per_frame", 0);
    if (profile_.creations_per_frame <= entities_) return;
    table.refuse("creations_per_frame",
                 "'creations_per_frame' is {}, but as many are destroyed, and there are {} entities; at most {}",
                 profile_.creations_per_frame, profile_.entities, profile_.entities);
  }

  void read_saves(const ProfileTable& table) {
    constexpr double seconds = 60;
    profile_.saves_per_minute = table.number("per_minute", 0);
    const double frames = seconds * profile_.frames_per_second;
    if (profile_.saves_per_minute <= frames) return;
    table.refuse("per_minute", "'per_minute' is {}, but a minute has {} frames; at most one save in each",
                 profile_.saves_per_minute, frames);
  }

  void read_hierarchy(const ProfileTable& table) {
    if (!profile_.kinds.empty()) return read_hierarchy_of_kinds(table);
    table.require("depth");
    table.require("fan_out");
    profile_.hierarchy = ProfileHierarchy{.share = table.number("share", 1),
                                          .depth = table.count("depth", 1),
                                          .fan_out = table.count("fan_out", 1),
                                          .dirty_share = table.number("dirty_share", 1)};
    const auto [share, depth, fan_out, dirty_share] = *profile_.hierarchy;
    const auto nodes = static_cast<std::size_t>(owners_of(share, entities_));
    if (tree_nodes(depth, fan_out, nodes) > nodes) {
      std::size_t enough = 1;
      while (tree_nodes(enough + 1, fan_out, nodes) <= nodes) ++enough;
      table.refuse("depth", "a tree with 'depth' {} and 'fan_out' {} has more than the {} nodes there are; {}", depth,
                   fan_out, nodes, enough == 1 ? "lower 'fan_out'" : fmt::format("there are enough for {}", enough));
    }
    const std::size_t childless = childless_entities(profile_, nodes);
    if (profile_.creations_per_frame > static_cast<double>(childless)) {
      table.refuse("fan_out",
                   "only {} entities would have no children, and no others can be destroyed, but 'creations_per_frame' "
                   "of [turnover] is {}; raise 'fan_out' or lower 'depth'",
                   childless, profile_.creations_per_frame);
    }
  }

  void read_hierarchy_of_kinds(const ProfileTable& table) {
    for (const char* key : {"share", "depth", "fan_out"}) {
      if (table.has(key)) {
        table.refuse(key, "the 'children' of each [[entity_kind]] define the trees; remove '{}'", key);
      }
    }
    if (!profile_.hierarchy)
      table.refuse_table("no [[entity_kind]] has 'children'; give one some, or remove [hierarchy]");
    profile_.hierarchy->dirty_share = table.number("dirty_share", 1);
  }

  void read_budget(const ProfileTable& table) {
    ProfileBudget& budget = profile_.budget;
    if (table.has("frame_ms")) budget.frame_ms = table.number("frame_ms", 0);
    if (table.has("worst_frame_ms")) budget.worst_frame_ms = table.number("worst_frame_ms", 0);
    if (table.has("memory")) budget.memory_bytes = table.count("memory", 0);
    if (budget.frame_ms && budget.worst_frame_ms && *budget.worst_frame_ms < *budget.frame_ms) {
      table.refuse("worst_frame_ms", "'worst_frame_ms' is {}, less than 'frame_ms', {}; give it at least as much",
                   *budget.worst_frame_ms, *budget.frame_ms);
    }
    const double payload = component_bytes(profile_);
    if (budget.memory_bytes && static_cast<double>(*budget.memory_bytes) < payload) {
      table.refuse(
          "memory",
          "'memory' is {} bytes, but the components themselves take {:.0f}; give more, or a unit, such as \"64MB\"",
          *budget.memory_bytes, payload);
    }
  }

  const toml::table& root_;
  const fs::path& file_;
  Profile profile_;
  std::set<std::size_t> states_;  ///< components that change
  double entities_ = 0;
};

}  // namespace

double entities_with(const Profile& profile, const std::vector<std::size_t>& components,
                     const std::vector<std::size_t>& without) {
  if (!profile.kinds.empty()) {
    std::size_t count = 0;
    for (const ProfileKind& kind : profile.kinds) {
      const auto has_it = [&](std::size_t place) { return has(kind.components, place); };
      if (std::ranges::all_of(components, has_it) && std::ranges::none_of(without, has_it)) count += kind.count;
    }
    return static_cast<double>(count);
  }
  auto entities = static_cast<double>(profile.entities);
  std::set<std::string> groups;
  std::set<std::string> left_out;
  for (const std::size_t place : components) {
    const ProfileComponent& component = profile.components[place];
    const bool is_new = component.together.empty() || groups.insert(component.together).second;
    if (is_new) entities *= component.share;
  }
  for (const std::size_t place : without) {
    const ProfileComponent& component = profile.components[place];
    const bool is_new = component.together.empty() || left_out.insert(component.together).second;
    if (groups.contains(component.together)) return 0;
    if (is_new) entities *= 1 - component.share;
  }
  return entities;
}

std::vector<std::size_t> stages_of(const std::vector<ProfileSystem>& systems) {
  const auto needs_all = [](const ProfileSystem& system) { return system.changed_only || !system.deferred.empty(); };
  const auto touches = [](const ProfileSystem& system, const std::vector<std::size_t>& written) {
    return std::ranges::any_of(written, [&](std::size_t one) {
      return has(system.reads, one) || has(system.writes, one) || has(system.optional, one);
    });
  };
  std::vector<std::size_t> stages;
  std::size_t first = 0;  // of the stage
  for (std::size_t own = 0; own < systems.size(); ++own) {
    const bool may_join = std::all_of(systems.begin() + first, systems.begin() + own, [&](const ProfileSystem& other) {
      return !needs_all(other) && !touches(other, systems[own].writes) && !touches(systems[own], other.writes);
    });
    const bool is_new = needs_all(systems[own]) || !may_join;
    if (is_new) first = own;
    stages.push_back(own == 0 ? 0 : stages.back() + (is_new ? 1 : 0));
  }
  return stages;
}

std::vector<bool> nodes_among(const std::vector<ProfileKind>& kinds) {
  std::vector<bool> is_node(kinds.size(), false);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const ProfileKind::Children& below : kinds[kind].children) is_node[kind] = is_node[below.kind] = true;
  }
  return is_node;
}

double component_bytes(const Profile& profile) {
  constexpr double transforms = 128;
  double bytes = profile.hierarchy ? transforms * profile.hierarchy->share : 0;
  for (const ProfileComponent& component : profile.components) {
    bytes += static_cast<double>(component.bytes) * component.share;
  }
  return bytes * static_cast<double>(profile.entities);
}

Profile read_tables(const toml::table& root, const fs::path& file) { return ProfileReader(root, file).read(); }

}  // namespace stowage::harness
