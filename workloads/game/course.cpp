// Draws what happens in a game from the numbers of its profile: sets, trees, deaths, swaps and lookups (course.hpp).

#include "workloads/game/course.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace stowage::workloads::game {
namespace {

/// Lists longer than this would take the cache from what is measured.
constexpr std::size_t most_drawn = 1 << 18;

std::size_t whole(double number) { return static_cast<std::size_t>(std::llround(std::max(0.0, number))); }

/// As many as that, or all; at least one, so that what a profile names exists.
std::size_t owners_of(double share, std::size_t entities) {
  return std::clamp<std::size_t>(whole(share * static_cast<double>(entities)), 1, entities);
}

double growth_of(const GameNumbers& game, std::size_t entities) {
  return static_cast<double>(entities) / static_cast<double>(game.entities);
}

/// A place may be drawn again, so half of n take n ln 2 draws.
double draws_for_half(std::size_t count) { return std::numbers::ln2 * static_cast<double>(count); }

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

/// A sum of fractions may be a little less than the whole number that it stands for.
constexpr double rounding = 1e-9;

/// How many entities of each kind. The commonest kind takes what rounding adds or takes away.
std::vector<std::size_t> counts_of(std::span<const Kind> kinds, std::size_t entities) {
  std::vector<std::size_t> counts;
  std::size_t sum = 0;
  std::size_t commonest = 0;
  for (const Kind& kind : kinds) {
    counts.push_back(std::min(owners_of(kind.share, entities), entities - sum));
    sum += counts.back();
    if (counts.back() > counts[commonest]) commonest = counts.size() - 1;
  }
  counts[commonest] += entities - sum;
  return counts;
}

/// How many of each kind have a parent: as many as the parents ask for, if there are so many. A kind is listed after
/// all kinds that may be its parents.
std::vector<std::size_t> hanging_of(std::span<const Kind> kinds, std::span<const ChildKind> children,
                                    const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> hanging(kinds.size(), 0);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (const ChildKind& below : children.subspan(kinds[kind].first_child, kinds[kind].children)) {
      const double wanted = below.count * static_cast<double>(counts[kind]) + rounding;
      hanging[below.kind] = std::min(counts[below.kind], hanging[below.kind] + static_cast<std::size_t>(wanted));
    }
  }
  return hanging;
}

Population populate(const GameNumbers& game, std::size_t entities, const Scale& scale, Random& random) {
  if (game.kinds.empty()) {
    Sets sets(game.owners, entities, scale.shares, random);
    Forest forest(game.tree, game.tree.exists ? sets.having(game.of_nodes) : Places(), entities);
    return {std::move(sets), std::move(forest), {}};
  }
  Settlement settled(game.kinds, game.children, entities, random);
  return {Sets(game.kinds, game.owners.size(), settled.kinds), Forest(std::move(settled.parents)),
          std::move(settled.kinds)};
}

/// `per_frame` of so many candidates, which die at the second rate in the game.
template <class PerFrame>
AllDraws draws_of_deaths(const GameNumbers& game, const Forest& forest, const Places& kinds, PerFrame per_frame,
                         Random& random, std::size_t fewest_frames = 1) {
  AllDraws draws;
  const auto draw = [&](Places places, double rate) {
    const double deaths = rate > 0 ? per_frame(places.size(), rate) : 0;
    draws.emplace_back(std::move(places), deaths, random, fewest_frames);
  };
  if (kinds.empty()) {
    draw(forest.childless(), game.creations_per_frame);
    return draws;
  }
  for (std::uint32_t kind = 0; kind < game.kinds.size(); ++kind) {
    if (game.kinds[kind].created_per_frame <= 0) continue;
    Places places;
    for (std::uint32_t place = 0; place < kinds.size(); ++place) {
      if (kinds[place] == kind) places.push_back(place);
    }
    draw(std::move(places), game.kinds[kind].created_per_frame);
  }
  return draws;
}

/// What an entity has whatever its state is, and whether it is in a tree or not.
ComponentSet without_states(const GameNumbers& game, ComponentSet set) {
  set = set.minus(game.of_nodes);
  for (const std::uint32_t state : game.changing) set = set.without(state);
  return set;
}

/// Whether entities of a kind may get a component that changes: those may that have, states apart, what one of its
/// owners has.
std::vector<bool> may_get(const GameNumbers& game, std::size_t component) {
  std::vector<bool> may(game.kinds.size(), false);
  for (std::size_t kind = 0; kind < may.size(); ++kind) {
    const ComponentSet base = without_states(game, game.kinds[kind].components);
    may[kind] = std::ranges::any_of(game.kinds, [&](const Kind& owner) {
      return owner.components.has(component) && without_states(game, owner.components) == base;
    });
  }
  return may;
}

Swaps swaps_of(const GameNumbers& game, std::size_t change, const Sets& sets, const Places& kinds, double growth,
               Random& random) {
  const std::vector<bool> may = may_get(game, game.changing[change]);
  Places owners;
  Places others;
  for (std::uint32_t place = 0; place < sets.size(); ++place) {
    if (sets.has(place, game.changing[change])) {
      owners.push_back(place);
    } else if (kinds.empty() || may[kinds[place]]) {
      others.push_back(place);
    }
  }
  return {std::move(owners), std::move(others), game.changes_per_frame[change] * growth, random};
}

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

Sets::Sets(std::span<const Kind> kinds, std::size_t components, const Places& kinds_of_places)
    : stride_(components / word_bits + 1), words_(kinds_of_places.size() * stride_, 0) {
  for (std::size_t place = 0; place < kinds_of_places.size(); ++place) {
    const ComponentSet& set = kinds[kinds_of_places[place]].components;
    for (std::size_t i = 0; i < stride_; ++i) words_[place * stride_ + i] = set.word(i);
  }
}

Places Sets::having(const ComponentSet& components) const {
  Places places;
  for (std::uint32_t place = 0; place < size(); ++place) {
    if (has_all(place, components)) places.push_back(place);
  }
  return places.empty() ? in_order(size()) : places;
}

Draws::Draws(Places candidates, double per_frame, Random& random, std::size_t fewest_frames)
    : candidates_(candidates.size()),
      rate_(std::min(per_frame, static_cast<double>(candidates.size()))),
      most_(whole(std::ceil(rate_.per_frame()))) {
  if (most_ == 0) return;
  const std::size_t wanted = std::min(2 * candidates.size(), std::max(most_drawn, fewest_frames * most_));
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
  constexpr std::size_t frames = 4;  // after which the same are looked up again
  constexpr std::size_t cell = 8;
  const std::size_t count = std::clamp<std::size_t>(whole(frames * rate_.per_frame()),
                                                    std::min<std::size_t>(places_.size(), 1024), most_drawn);
  std::size_t hot = places_.size();
  if (rate.hot_share < 1 && !places_.empty()) {
    random.shuffle(places_);
    hot = std::max<std::size_t>(1, whole(rate.hot_share * static_cast<double>(places_.size())));
  }
  Places drawn(count);
  if (rate.in_space) {
    random.shuffle(places_);
    for (std::size_t i = 0; i < count; ++i) drawn[i] = places_[(i / (cell * cell) * cell + i % cell) % places_.size()];
    places_ = std::move(drawn);
    return;
  }
  for (std::uint32_t& place : drawn) {
    const bool is_hot = hot < places_.size() && random.below(10) > 0;
    place = places_[random.below(is_hot ? hot : places_.size())];
  }
  places_ = std::move(drawn);
}

Swaps::Swaps(Places owners, Places others, double per_frame, Random& random)
    : rate_(per_frame), owners_(std::move(owners)), others_(std::move(others)) {
  if (!exists() || per_frame <= 0) {
    draws_.assign(1, 0);
    return;
  }
  // As many as the world ages by, at least: a pair that comes again changes back.
  const std::size_t pairs = std::max(std::clamp<std::size_t>(whole(per_frame * 64), 1024, most_drawn / 2),
                                     whole(draws_for_half(owners_.size())));
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

Settlement::Settlement(std::span<const Kind> all, std::span<const ChildKind> children, std::size_t entities,
                       Random& random) {
  const std::vector<std::size_t> counts = counts_of(all, entities);
  std::vector<std::size_t> left = hanging_of(all, children, counts);  // what may still hang on something
  Places roots;
  for (std::uint32_t kind = 0; kind < all.size(); ++kind) roots.insert(roots.end(), counts[kind] - left[kind], kind);
  random.shuffle(roots);
  std::vector<double> due(children.size(), 0);
  kinds.reserve(entities);
  parents.reserve(entities);
  const auto add = [&](const auto& self, std::uint32_t kind, std::uint32_t parent) -> void {
    const auto place = static_cast<std::uint32_t>(kinds.size());
    kinds.push_back(kind);
    parents.push_back(parent);
    for (std::size_t i = all[kind].first_child; i < all[kind].first_child + all[kind].children; ++i) {
      for (due[i] += children[i].count; due[i] >= 1 - rounding; --due[i]) {
        if (left[children[i].kind] == 0) continue;
        --left[children[i].kind];
        self(self, static_cast<std::uint32_t>(children[i].kind), place);
      }
    }
  };
  for (const std::uint32_t kind : roots) add(add, kind, no_parent);
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

Forest::Forest(Places parents)
    : parents_(std::move(parents)), is_node_(parents_.size(), 0), has_children_(parents_.size(), 0) {
  for (std::uint32_t place = 0; place < parents_.size(); ++place) {
    if (parents_[place] == no_parent) continue;
    is_node_[place] = is_node_[parents_[place]] = has_children_[parents_[place]] = 1;
  }
  for (std::uint32_t place = 0; place < parents_.size(); ++place) {
    if (is_node_[place] != 0) nodes_.push_back(place);
  }
}

std::uint32_t Forest::end_of(std::uint32_t place) const noexcept {
  if (has_children_[place] == 0) return place + 1;
  std::uint32_t end = place + 1;
  while (end < parents_.size() && parents_[end] != no_parent && parents_[end] >= place) ++end;
  return end;
}

Places Forest::childless() const {
  Places places;
  for (std::uint32_t place = 0; place < has_children_.size(); ++place) {
    if (has_children_[place] == 0) places.push_back(place);
  }
  return places;
}

Deaths::Deaths(AllDraws draws, const Forest& forest, std::size_t fewest_frames) : draws_(std::move(draws)) {
  double per_frame = 0;
  std::size_t frames = Course::ageing_frames;
  for (const Draws& of_kind : draws_) {
    per_frame += of_kind.per_frame();
    frames = std::max(frames, of_kind.frames());
  }
  frames = std::min(frames, std::max(fewest_frames, whole(most_drawn / std::max(1.0, per_frame))));
  std::vector<std::size_t> last_death(forest.places(), frames);
  for (std::size_t frame = 0; frame < frames; ++frame) {
    for (Draws& of_kind : draws_) {
      for (const std::uint32_t first : of_kind.next()) {
        for (std::uint32_t place = forest.end_of(first); place-- > first;) {
          if (std::exchange(last_death[place], frame) != frame) places_.push_back(place);
        }
      }
    }
    ends_.push_back(static_cast<std::uint32_t>(places_.size()));
  }
}

std::span<const std::uint32_t> Deaths::next() noexcept {
  const std::size_t frame = std::exchange(frame_, frame_ + 1 == ends_.size() ? 0 : frame_ + 1);
  const std::size_t first = frame == 0 ? 0 : ends_[frame - 1];
  return std::span(places_).subspan(first, ends_[frame] - first);
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
    : Course(game, scale, growth_of(game, entities), populate(game, entities, scale, random), random) {}

Course::Course(const GameNumbers& game, const Scale& scale, double growth, Population population, Random& random)
    : sets_(std::move(population.sets)),
      forest_(std::move(population.forest)),
      all_nodes_move_(game.tree.dirty_share >= 1),
      moving_(all_nodes_move_ ? Places() : forest_.nodes(),
              game.tree.dirty_share * static_cast<double>(forest_.nodes().size()), random),
      deaths_(draws_of_deaths(
                  game, forest_, population.kinds,
                  [&](std::size_t, double per_frame) { return per_frame * growth * scale.rates; }, random),
              forest_),
      ageing_(draws_of_deaths(
                  game, forest_, population.kinds,
                  [](std::size_t count, double) { return draws_for_half(count) / double{ageing_frames}; }, random,
                  ageing_frames),
              forest_, ageing_frames) {
  for (std::size_t change = 0; change < game.changing.size(); ++change) {
    changes_.push_back(swaps_of(game, change, sets_, population.kinds, growth * scale.rates, random));
  }
  draw_lookups(game, growth, random);
  for (const double runs : game.runs_per_frame) runs_.emplace_back(runs);
  count_frames_in_a_pass();
}

void Course::draw_lookups(const GameNumbers& game, double growth, Random& random) {
  for (std::size_t i = 0; i < game.lookups.size(); ++i) {
    const ComponentSet& named = game.looked_up[i];
    std::size_t change = change_among(game, named, no_change);
    if (change != no_change && changes_[change].owners() == 0) change = no_change;  // a world too small for that kind
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

std::size_t Course::changes_of_age(std::size_t change) const noexcept {
  const Swaps& swaps = changes_[change];
  return swaps.per_frame() > 0 ? whole(draws_for_half(swaps.owners())) : 0;
}

/// Each system by itself, because one run of it may be most of a frame; of deaths and changes, which are much the same
/// work one by one, how many there are in all.
void Course::count_frames_in_a_pass() {
  std::vector<double> rates{0, 0};
  for (const Draws& draws : deaths_.draws()) rates[0] += draws.per_frame();
  for (const Swaps& swaps : changes_) rates[1] += swaps.per_frame();
  for (const Rate& runs : runs_) rates.push_back(runs.per_frame());
  frames_in_a_pass_ = game::frames_in_a_pass(rates);
}

}  // namespace stowage::workloads::game
