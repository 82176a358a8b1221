#include "harness/recommend/game/course.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace stowage::workloads::game {
namespace {

/// Lists longer than this would take the cache from what is measured.
constexpr std::size_t most_drawn = 1 << 20;

std::size_t whole(double number) { return static_cast<std::size_t>(std::llround(std::max(0.0, number))); }

/// As many as that, or all; at least one, so that what a profile names exists.
std::size_t owners_of(double share, std::size_t entities) {
  return std::clamp<std::size_t>(whole(share * static_cast<double>(entities)), 1, entities);
}

double growth_of(const GameNumbers& game, std::size_t entities) {
  return static_cast<double>(entities) / static_cast<double>(game.entities);
}

/// A place may be drawn again, so half of n take n ln 2 draws.
std::size_t frames_for_half(std::size_t count, double per_frame) {
  constexpr double most = 2000;
  if (per_frame <= 0) return 0;
  return static_cast<std::size_t>(std::min(most, std::numbers::ln2 * static_cast<double>(count) / per_frame));
}

/// The index in the list of changes of the rarest of these components that is added and removed; `none` if none is.
std::size_t change_among(const GameNumbers& game, const ComponentSet& named, std::size_t none) {
  std::size_t rarest = none;
  double share = 2;
  for (std::size_t change = 0; change < game.changing.size(); ++change) {
    const std::uint32_t component = game.changing[change];
    if (!named.has(component) || game.owners[component].share >= share) continue;
    rarest = change;
    share = game.owners[component].share;
  }
  return rarest;
}

/// Whether all entities have these components.
bool have_all(const GameNumbers& game, const ComponentSet& components) {
  for (std::size_t i = 0; i < game.owners.size(); ++i) {
    if (components.has(i) && game.owners[i].share < 1) return false;
  }
  return true;
}

}  // namespace

Sets::Sets(std::span<const Ownership> owners, std::size_t entities, double share_scale, Random& random)
    : stride_(owners.size() / word_bits + 1), words_(entities * stride_, 0) {
  std::size_t lots = 0;
  for (const Ownership& owner : owners) lots = std::max(lots, owner.lot + 1);
  for (std::size_t lot = 0; lot < lots; ++lot) {
    const Places order = random.permutation(entities);
    for (std::size_t component = 0; component < owners.size(); ++component) {
      if (owners[component].lot != lot) continue;
      const double share = owners[component].share;
      const std::size_t count = owners_of(share < 1 ? std::min(1.0, share * share_scale) : 1, entities);
      for (std::size_t i = 0; i < count; ++i) flip(order[i], component);
    }
  }
}

Places Sets::having(const ComponentSet& components) const {
  Places places;
  for (std::uint32_t place = 0; place < size(); ++place) {
    if (has_all(place, components)) places.push_back(place);
  }
  return places.empty() ? in_order(size()) : places;
}

Draws::Draws(Places candidates, double per_frame, Random& random)
    : candidates_(candidates.size()),
      rate_(std::min(per_frame, static_cast<double>(candidates.size()))),
      most_(whole(std::ceil(rate_.per_frame()))) {
  if (most_ == 0) return;
  const std::size_t wanted = std::min(2 * candidates.size(), most_drawn);
  const std::size_t frames = std::max<std::size_t>(1, wanted / most_);
  drawn_.reserve(frames * most_);
  for (std::size_t frame = 0; frame < frames; ++frame) {
    for (std::size_t i = 0; i < most_; ++i) {
      std::swap(candidates[i], candidates[i + random.below(candidates.size() - i)]);
      drawn_.push_back(candidates[i]);
    }
  }
}

std::span<const std::uint32_t> Draws::next() noexcept {
  if (most_ == 0) return {};
  const std::size_t first = frame_++ % (drawn_.size() / most_) * most_;
  return std::span(drawn_).subspan(first, rate_.next());
}

Walk::Walk(Places places, const LookupRate& rate, double scale, Random& random)
    : rate_(rate.per_frame * scale), places_(std::move(places)) {
  if (rate.local) return;
  const std::size_t frames = 4;  // after which the same are looked up again
  const std::size_t count = std::clamp<std::size_t>(whole(frames * rate_.per_frame()),
                                                    std::min<std::size_t>(places_.size(), 1024), most_drawn);
  Places drawn(count);
  for (std::uint32_t& place : drawn) place = places_[random.below(places_.size())];
  places_ = std::move(drawn);
}

Swaps::Swaps(const Sets& sets, std::size_t component, double per_frame, Random& random) : rate_(per_frame) {
  for (std::uint32_t place = 0; place < sets.size(); ++place) {
    (sets.has(place, component) ? owners_ : others_).push_back(place);
  }
  if (!exists() || per_frame <= 0) {
    draws_.assign(1, 0);
    return;
  }
  const std::size_t pairs = std::clamp<std::size_t>(whole(per_frame * 64), 1024, most_drawn / 2);
  for (std::size_t i = 0; i < pairs; ++i) {
    draws_.push_back(static_cast<std::uint32_t>(random.below(std::max<std::size_t>(1, owners_.size()))));
    draws_.push_back(static_cast<std::uint32_t>(random.below(std::max<std::size_t>(1, others_.size()))));
  }
}

Swaps::Pair Swaps::next_pair() noexcept {
  const std::uint32_t of_owners = next_draw();
  const std::uint32_t of_others = next_draw();
  if (others_.empty()) return {owners_[of_owners], owners_[of_owners]};
  if (owners_.empty()) return {others_[of_others], others_[of_others]};
  std::swap(owners_[of_owners], others_[of_others]);
  return {others_[of_others], owners_[of_owners]};
}

Forest::Forest(const Tree& tree, Places nodes, std::size_t entities)
    : nodes_(tree.exists ? std::move(nodes) : Places()),
      parents_(tree.exists ? entities : 0, no_parent),
      is_node_(entities, 0),
      has_children_(entities, 0) {
  std::size_t size = 1;
  for (std::size_t level = 1, width = 1; level < tree.depth && size < nodes_.size(); ++level) {
    width *= tree.fan_out;
    size += width;
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::size_t in_tree = i % size;
    is_node_[nodes_[i]] = 1;
    if (in_tree == 0) continue;
    const std::uint32_t parent = nodes_[i - in_tree + (in_tree - 1) / tree.fan_out];
    parents_[nodes_[i]] = parent;
    has_children_[parent] = 1;
  }
}

Places Forest::childless() const {
  Places places;
  for (std::uint32_t place = 0; place < has_children_.size(); ++place) {
    if (has_children_[place] == 0) places.push_back(place);
  }
  return places;
}

std::size_t frames_in_a_pass(std::span<const double> rates) {
  constexpr std::size_t most = 16;
  constexpr double tolerance = 0.02;
  const auto all_whole = [&](std::size_t frames) {
    return std::ranges::all_of(rates, [&](double rate) {
      const double runs = rate * static_cast<double>(frames);
      return std::abs(runs - std::round(runs)) <= tolerance * runs;
    });
  };
  for (std::size_t frames = 1; frames < most; ++frames) {
    if (all_whole(frames)) return frames;
  }
  return most;
}

Course::Course(const GameNumbers& game, std::size_t entities, const Scale& scale, Random random)
    : sets_(game.owners, entities, scale.shares, random),
      forest_(game.tree, game.tree.exists ? sets_.having(game.of_nodes) : Places(), entities),
      all_nodes_move_(game.tree.dirty_share >= 1),
      moving_(all_nodes_move_ ? Places() : forest_.nodes(),
              game.tree.dirty_share * static_cast<double>(forest_.nodes().size()), random),
      deaths_(forest_.childless(), game.creations_per_frame * growth_of(game, entities) * scale.rates, random) {
  const double growth = growth_of(game, entities);
  for (std::size_t change = 0; change < game.changing.size(); ++change) {
    changes_.emplace_back(sets_, game.changing[change], game.changes_per_frame[change] * growth * scale.rates, random);
  }
  draw_lookups(game, growth, random);
  for (const double runs : game.runs_per_frame) runs_.emplace_back(runs);
  count_frames_in_a_pass();
}

void Course::draw_lookups(const GameNumbers& game, double growth, Random& random) {
  for (std::size_t i = 0; i < game.lookups.size(); ++i) {
    const ComponentSet& named = game.looked_up[i];
    const std::size_t change = change_among(game, named, no_change);
    LookupRate rate = game.lookups[i];
    if (change == no_change) {
      lookups_.push_back({change, named, false, Walk(sets_.having(named), rate, growth, random)});
    } else {
      rate.local = false;  // numbers of owners do not follow the order of creation
      lookups_.push_back({change, named, !have_all(game, named.without(game.changing[change])),
                          Walk(in_order(changes_[change].owners()), rate, growth, random)});
    }
  }
}

std::uint32_t Course::owner_with(const ComponentSet& components, const Swaps& swaps,
                                 std::size_t number) const noexcept {
  constexpr std::size_t most_asked = 256;  // it may be that no place has all of them
  const std::size_t drawn = number;
  for (std::size_t asked = 0; asked < most_asked; ++asked) {
    const std::uint32_t place = swaps.owner(number);
    if (sets_.has_all(place, components)) return place;
    number = number + 1 == swaps.owners() ? 0 : number + 1;
  }
  return swaps.owner(drawn);
}

std::size_t Course::frames_of_deaths() const { return frames_for_half(deaths_.candidates(), deaths_.per_frame()); }

std::size_t Course::frames_of_changes() const {
  std::size_t longest = 0;
  for (const Swaps& swaps : changes_) longest = std::max(longest, frames_for_half(swaps.owners(), swaps.per_frame()));
  return longest;
}

void Course::count_frames_in_a_pass() {
  std::vector<double> rates{deaths_.per_frame()};
  for (const Rate& runs : runs_) rates.push_back(runs.per_frame());
  for (const Swaps& swaps : changes_) rates.push_back(swaps.per_frame());
  frames_in_a_pass_ = game::frames_in_a_pass(rates);
}

}  // namespace stowage::workloads::game
