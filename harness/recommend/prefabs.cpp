#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/recommend/generate.hpp"
#include "workloads/game/description.hpp"

namespace stowage::harness {
namespace {

/// Each costs compile time in every strategy. A kind of entities is what a game has a prefab for.
constexpr std::size_t most_prefabs = 4;
constexpr std::size_t most_prefabs_of_kinds = 20;

using workloads::game::ComponentSet;

struct LikelySet {
  double share = 1;
  ComponentSet components = {};
};

/// The sets that one lot may give to an entity, and how often.
std::vector<LikelySet> outcomes_of(const std::vector<Owner>& owners, std::size_t lot) {
  std::set<double> shares{1.0};
  for (const Owner& owner : owners) {
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
std::vector<LikelySet> likely_sets(const std::vector<Owner>& owners) {
  constexpr std::size_t kept = 64;
  std::size_t lots = 0;
  for (const Owner& owner : owners) lots = std::max(lots, owner.lot + 1);
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

// What is together by one lot, everything else by its own, the two transforms by the last.
std::vector<Owner> owners_of(const Profile& profile) {
  std::vector<Owner> owners;
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

std::vector<std::vector<std::size_t>> prefabs_of(const Profile& profile) {
  const std::vector<Owner> owners = owners_of(profile);
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
