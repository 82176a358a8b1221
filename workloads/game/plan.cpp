#include "workloads/game/plan.hpp"

#include <algorithm>
#include <cmath>
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

}  // namespace

Sets::Sets(std::span<const Ownership> owners, std::size_t entities, double share_scale, Random& random)
    : sets_(entities, 0) {
  std::size_t lots = 0;
  for (const Ownership& owner : owners) lots = std::max(lots, owner.lot + 1);
  for (std::size_t lot = 0; lot < lots; ++lot) {
    const Places order = random.permutation(entities);
    for (std::size_t component = 0; component < owners.size(); ++component) {
      if (owners[component].lot != lot) continue;
      const double share = owners[component].share;
      const std::size_t count = owners_of(share < 1 ? std::min(1.0, share * share_scale) : 1, entities);
      for (std::size_t i = 0; i < count; ++i) sets_[order[i]] |= 1U << component;
    }
  }
}

Places Sets::having(std::uint32_t components) const {
  Places places;
  for (std::uint32_t place = 0; place < sets_.size(); ++place) {
    if ((sets_[place] & components) == components) places.push_back(place);
  }
  return places.empty() ? in_order(sets_.size()) : places;
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
    ((sets.of(place) >> component & 1U) != 0 ? owners_ : others_).push_back(place);
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

}  // namespace stowage::workloads::game
