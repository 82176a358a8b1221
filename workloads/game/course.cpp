#include "workloads/game/course.hpp"

#include <algorithm>
#include <numbers>
#include <utility>

namespace stowage::workloads::game {
namespace {

double growth_of(const GameNumbers& game, std::size_t entities) {
  return static_cast<double>(entities) / static_cast<double>(game.entities);
}

/// Who is drawn may have been drawn before, so that half of n take n ln 2 draws.
std::size_t frames_for_half(std::size_t count, double per_frame) {
  constexpr double most = 2000;
  if (per_frame <= 0) return 0;
  return static_cast<std::size_t>(std::min(most, std::numbers::ln2 * static_cast<double>(count) / per_frame));
}

/// The place of the rarest of these components that comes and goes in the list of changes; none where none does.
std::size_t change_among(const GameNumbers& game, std::uint32_t named, std::size_t none) {
  std::size_t rarest = none;
  double share = 2;
  for (std::size_t change = 0; change < game.changing.size(); ++change) {
    const std::uint32_t component = game.changing[change];
    if ((named >> component & 1U) == 0 || game.owners[component].share >= share) continue;
    rarest = change;
    share = game.owners[component].share;
  }
  return rarest;
}

bool has_everybody(const GameNumbers& game, std::uint32_t components) {
  for (std::size_t i = 0; i < game.owners.size(); ++i) {
    if ((components >> i & 1U) != 0 && game.owners[i].share < 1) return false;
  }
  return true;
}

}  // namespace

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
    const std::uint32_t named = game.looked_up[i];
    const std::size_t change = change_among(game, named, no_change);
    LookupRate rate = game.lookups[i];
    if (change == no_change) {
      lookups_.push_back({change, 0, Walk(sets_.having(named), rate, growth, random)});
    } else {
      rate.local = false;  // owners change places: their numbers say nothing about when they were created
      const std::uint32_t others = named & ~(1U << game.changing[change]);
      lookups_.push_back({change, has_everybody(game, others) ? 0 : named,
                          Walk(in_order(changes_[change].owners()), rate, growth, random)});
    }
  }
}

std::uint32_t Course::owner_with(std::uint32_t components, const Swaps& swaps, std::size_t number) const noexcept {
  constexpr std::size_t most_asked = 256;  // it may be that nobody has all of them
  const std::size_t drawn = number;
  for (std::size_t asked = 0; asked < most_asked; ++asked) {
    const std::uint32_t place = swaps.owner(number);
    if ((sets_.of(place) & components) == components) return place;
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
