#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/recommend/generate.hpp"

namespace stowage::harness {
namespace {

/// Each costs compile time in every strategy.
constexpr std::size_t most_prefabs = 4;

struct LikelySet {
  double share = 1;
  std::uint32_t components = 0;
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
    LikelySet outcome{share - before, 0};
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (owners[i].lot == lot && owners[i].share >= share) outcome.components |= 1U << i;
    }
    outcomes.push_back(outcome);
    before = share;
  }
  return outcomes;
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

std::vector<std::size_t> components_in(std::uint32_t set) {
  std::vector<std::size_t> components;
  for (std::size_t i = 0; i < 32; ++i) {
    if ((set >> i & 1U) != 0) components.push_back(i);
  }
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

std::vector<std::vector<std::size_t>> prefabs_of(const Profile& profile) {
  const std::vector<Owner> owners = owners_of(profile);
  std::uint32_t of_all = 0;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i].share >= 1) of_all |= 1U << i;
  }
  std::vector<std::uint32_t> chosen;
  for (const LikelySet& set : likely_sets(owners)) {
    const bool is_known = std::ranges::find(chosen, set.components) != chosen.end();
    if (!is_known && set.components != 0 && chosen.size() < most_prefabs) chosen.push_back(set.components);
  }
  if (of_all != 0 && std::ranges::find(chosen, of_all) == chosen.end()) chosen.push_back(of_all);
  std::ranges::stable_sort(chosen, std::greater<>{}, [](std::uint32_t set) { return std::popcount(set); });
  std::vector<std::vector<std::size_t>> prefabs;
  for (const std::uint32_t set : chosen) prefabs.push_back(components_in(set));
  return prefabs;
}

}  // namespace stowage::harness
