// The search for placements: takes in what each process tried, says what to try next, and describes what was found.
#include "harness/recommend/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/recommend/ranking.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

/// The components that the two designs place differently.
std::vector<std::size_t> moved(const Design& one, const Design& other) {
  std::vector<std::size_t> components;
  for (std::size_t i = 0; i < one.places.size(); ++i) {
    if (one.places[i] != other.places[i] || one.together[i] != other.together[i]) components.push_back(i);
  }
  return components;
}

/// Without saves, which differ by nothing that a design decides.
GameBlocks frames_of(const Profile& profile) { return {.frame_parameters = frame_cells(profile).parameters()}; }

/// Takes in one process of the search: keeps the fastest of the designs that are certainly faster.
void take_process(Search& search, const Profile& profile, const Answer& ranked, const Run& run) {
  const GameBlocks frames = frames_of(profile);
  const BlockResult* const block = find_frames(run, frames.frame_parameters);
  search.faster.clear();
  if (block == nullptr || block->cells.empty()) return;
  const std::vector<Run> alone{run};
  const GameSamples best = samples_of(name_of(search.found, profile), alone, frames);
  if (!best.error.empty()) return;
  std::vector<std::pair<double, Design>> faster;
  for (const CellResult& cell : block->cells) {
    const std::optional<Design> design = design_named(cell.strategy, profile);
    if (!design || *design == search.found) continue;
    const GameSamples samples = samples_of(cell.strategy, alone, frames);
    if (!samples.error.empty()) continue;
    const Estimate ratio = times_as_long(samples, best, block->cells.size() - 1, ranked.scatter);
    if (is_certainly_faster(ratio)) faster.emplace_back(ratio.median, *design);
    search.trials.push_back({*design, search.found, ratio});
  }
  std::ranges::stable_sort(faster, {}, &std::pair<double, Design>::first);
  for (auto& [ratio, design] : faster) search.faster.push_back(std::move(design));
  if (!search.faster.empty()) search.found = search.faster.front();
}

/// Whether a trial has told how the one component by which `step` differs lies best.
bool is_answered(const Search& search, const Design& step) {
  return std::ranges::any_of(search.trials, [&](const Trial& trial) {
    const bool is_its =
        are_of_a_kind(trial.design, trial.beside) && moved(trial.design, trial.beside) == moved(step, search.found);
    return trial.design == step || is_its;
  });
}

// ---- what is said of each component

Estimate inverted(const Estimate& ratio) {
  Estimate inverse{1 / ratio.median, std::nullopt};
  if (ratio.interval) inverse.interval = Interval{1 / ratio.interval->high, 1 / ratio.interval->low};
  return inverse;
}

/// What was seen of the component elsewhere. The last trial in which it alone lay elsewhere says it best.
void add_instead(PlacedComponent& placed, std::size_t component, const Design& found, const Search& search) {
  for (auto trial = search.trials.rbegin(); trial != search.trials.rend(); ++trial) {
    const std::vector<std::size_t> components = moved(trial->design, trial->beside);
    const bool is_of_group = components.size() == 2 && trial->design.places == trial->beside.places;
    const bool is_its =
        are_of_a_kind(trial->design, trial->beside) && std::ranges::find(components, component) != components.end();
    if (!is_its || (components.size() > 1 && !is_of_group)) continue;
    const std::string is_there = place_text(found, component);
    const bool was_found = place_text(trial->design, component) == is_there;
    const Design& other = was_found ? trial->beside : trial->design;
    if (place_text(other, component) == is_there) continue;
    placed.instead = place_text(other, component);
    placed.instead_ratio = was_found ? inverted(trial->ratio) : trial->ratio;
    return;
  }
}

std::string why_of(std::size_t component, const Profile& profile) {
  const ProfileComponent& its = profile.components[component];
  std::string why = its.share < 1 ? fmt::format("{:.3g} % have it", 100 * its.share) : "all have it";
  const auto change = std::ranges::find(profile.changes, component, &ProfileChange::component);
  if (change != profile.changes.end()) why += fmt::format(", {:g} a frame gain or lose it", change->per_frame);
  return why;
}

}  // namespace

Search search_of(const Profile& profile, const Answer& ranked, const std::vector<Run>& processes) {
  const Design start = default_design(ranked.winner, profile);
  Search search{.start = start, .found = start};
  for (const Run& run : processes) take_process(search, profile, ranked, run);
  return search;
}

std::vector<Design> next_designs(const Search& search, const Profile& profile, const std::vector<Design>& offered) {
  std::vector<Design> next;
  const auto add = [&](const Design& design) {
    const bool is_known = design == search.found || std::ranges::find(next, design) != next.end() ||
                          std::ranges::find(offered, design) != offered.end() ||
                          std::ranges::find(search.trials, design, &Trial::design) != search.trials.end();
    if (!is_known) next.push_back(design);
  };
  if (search.faster.size() > 1) {
    const auto kept = std::ranges::find(search.trials, search.found, &Trial::design);
    add(joined(kept->beside, search.faster));
  }
  const std::optional<Design> apart = all_changing_apart(profile);
  if (apart && search.trials.empty()) add(*apart);
  for (const Design& step : steps_from(search.found, profile)) {
    if (!is_answered(search, step)) add(step);
  }
  return next;
}

Placements placements_of(const Profile& profile, const Answer& ranked, const Search& search,
                         const std::vector<Run>& confirmed) {
  Placements placements;
  Design found = search.found;
  if (found != search.start) {
    const Answer again = rank_game(profile, confirmed);
    const GameBlocks frames = frames_of(profile);
    const std::string name = name_of(found, profile);
    const auto ranks = std::ranges::find(again.ranking, name, &RankedStrategy::strategy);
    const auto winner = std::ranges::find(again.ranking, ranked.winner, &RankedStrategy::strategy);
    if (ranks != again.ranking.end() && winner != again.ranking.end()) {
      placements.gain = times_as_long(samples_of(name, confirmed, frames), samples_of(ranked.winner, confirmed, frames),
                                      1, ranked.scatter);
      placements.bytes_per_entity = ranks->bytes_per_entity;
      const auto is_kept_now = [&](const std::string& budget) {
        return std::ranges::find(winner->broken_budgets, budget) == winner->broken_budgets.end();
      };
      placements.is_confirmed =
          is_certainly_faster(*placements.gain) && std::ranges::none_of(ranks->broken_budgets, is_kept_now);
    }
    placements.tried = name;
    if (!placements.is_confirmed) found = search.start;
  }
  placements.strategy = found.strategy;
  placements.name = name_of(found, profile);
  placements.difference = difference_text(found, profile);
  for (const SchemaEntryOf& entry : entries_of(found)) {
    const auto name_of_its = [&](std::size_t component) { return profile.components[component].name; };
    placements.schema.push_back({std::string(mark_of(entry)), names_of(entry.components, name_of_its)});
  }
  for (std::size_t i = 0; i < profile.components.size(); ++i) {
    const ProfileComponent& its = profile.components[i];
    PlacedComponent placed{.component = its.name,
                           .bytes = its.bytes,
                           .type = its.type,
                           .header = its.header.string(),
                           .recorded = is_recorded(i, profile),
                           .place = place_text(found, i),
                           .why = why_of(i, profile)};
    add_instead(placed, i, found, search);
    placements.components.push_back(std::move(placed));
  }
  placements.trials = search.trials.size();
  for (const Trial& trial : search.trials) {
    if (are_of_a_kind(trial.design, trial.beside)) continue;
    placements.other_kind = fmt::format("{} with {}", trial.design.strategy, difference_text(trial.design, profile));
    placements.other_ratio = trial.ratio;
  }
  return placements;
}

}  // namespace stowage::harness
