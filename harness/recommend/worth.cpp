#include "harness/recommend/worth.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "harness/recommend/measure_game.hpp"
#include "harness/recommend/ranking.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

struct Nearest {
  std::string_view library;
  std::string_view strategy;
};
constexpr auto nearest = std::to_array<Nearest>({{"entt", "indirection_map"},
                                                 {"flecs", "archetype_sections"},
                                                 {"gaia", "archetype_sections"},
                                                 {"mustache", "archetype_sections"},
                                                 {"bevy", "archetype_sections"},
                                                 {"unity", "archetype_sections"},
                                                 {"objects", "naive_objects"}});

/// Of the frame, below which a change is not worth it for speed.
constexpr double worth_share = 0.05;
/// Machines on which the fixed loop takes so nearly the same time that milliseconds of one hold on the other.
constexpr double same_machine = 1.1;

const RankedStrategy* find_ranked(const Answer& answer, const std::string& strategy) {
  const auto found = std::ranges::find(answer.ranking, strategy, &RankedStrategy::strategy);
  return found == answer.ranking.end() ? nullptr : &*found;
}

std::string why_no_bound(const Profile& profile, const Answer& answer, const Worth& worth) {
  const ProfileRecording& recorded = profile.recorded;
  const std::string file = profile.file.string();
  if (recorded.is_debug_build) {
    return fmt::format("{}:{}: the times are of a debug build; record an optimised build", file,
                       recorded.debug_build_line);
  }
  if (!recorded.frame_ms || !recorded.yardstick_ms) {
    return fmt::format("{} has no '{}'; the recorder writes it", file,
                       recorded.frame_ms ? "yardstick_ms" : "frame_ms_measured");
  }
  if (worth.slower_there == 0) return "the fixed loop of the recorder was not timed here; repeat the command";
  if (find_ranked(answer, worth.measured_as) == nullptr) {
    return fmt::format("{} was not measured; name it with --strategies", worth.measured_as);
  }
  return {};
}

/// How many times as long as here the fixed loop took where the game was recorded; 0 if it was not timed.
double slowness(const Profile& profile, const std::vector<Run>& processes) {
  std::vector<double> here_ms;
  for (const Run& run : processes) {
    if (run.state.yardstick_ms) here_ms.push_back(*run.state.yardstick_ms);
  }
  return here_ms.empty() ? 0 : profile.recorded.yardstick_ms.value_or(0) / median(here_ms);
}

Estimate scaled(const Estimate& estimate, double by) {
  Estimate result{estimate.median * by, std::nullopt};
  if (estimate.interval) result.interval = Interval{estimate.interval->low * by, estimate.interval->high * by};
  return result;
}

Interval interval_or_median(const Estimate& estimate) {
  return estimate.interval.value_or(Interval{estimate.median, estimate.median});
}

/// Of the recorded frame: the part of the storage's share that a frame does not take in `best`, which takes `ratio` of
/// the time of the present one. Not less than nothing, because the present storage may stay; not more than all of it.
Estimate saving_of(const Estimate& share, const Estimate& ratio) {
  const Interval shares = interval_or_median(share);
  const Interval ratios = interval_or_median(ratio);
  const auto saved = [](double of, double by) { return std::clamp(of * (1 - by), 0.0, 1.0); };
  return {saved(share.median, ratio.median), Interval{saved(shares.low, ratios.high), saved(shares.high, ratios.low)}};
}

/// How many times as long as in `present` a frame takes in the best design: the winner, or what the search has found.
Estimate ratio_of_best(const Answer& answer, const RankedStrategy& present) {
  const Interval slower = interval_or_median(present.ratio_to_winner);
  const Estimate winner{1 / present.ratio_to_winner.median, Interval{1 / slower.high, 1 / slower.low}};
  const bool is_better_still = answer.placements && answer.placements->is_confirmed && answer.placements->gain;
  return is_better_still ? product(winner, *answer.placements->gain) : winner;
}

/// The mean over the processes in which the strategy took part; empty if there is none.
std::vector<double> system_times(const std::string& strategy, const std::vector<Run>& processes,
                                 const std::string& parameters) {
  std::vector<double> sums;
  double count = 0;
  for (const Run& run : processes) {
    const CellResult* const cell = find_cell(run, parameters, strategy);
    if (cell == nullptr || cell->systems_ns.empty()) continue;
    sums.resize(cell->systems_ns.size());
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += cell->systems_ns[i];
    ++count;
  }
  for (double& sum : sums) sum /= count;
  return sums;
}

void add_systems(Worth& worth, const Profile& profile, const std::vector<double>& here_ns) {
  for (std::size_t i = 0; i < profile.systems.size(); ++i) {
    const ProfileSystem& system = profile.systems[i];
    if (system.ms && i < here_ns.size()) {
      worth.systems.push_back({system.name, *system.ms, here_ns[i] * worth.slower_there / (*system.ms * 1e6)});
    } else {
      ++worth.untimed_systems;
    }
  }
  std::ranges::stable_sort(worth.systems, std::greater<>{}, &Worth::SystemShare::recorded_ms);
}

/// Whether recorded milliseconds hold here as well.
bool is_of_this_machine(const Worth& worth) {
  return worth.slower_there < same_machine && worth.slower_there > 1 / same_machine;
}

std::string percent(double share) {
  const double of_100 = 100 * share;
  return fmt::format("{:.{}f} %", of_100, of_100 < 9.95 ? 1 : 0);
}

/// "0.20 to 0.30 ms, 5 to 7 %", without the milliseconds if they are of another machine.
std::string range_text(const Worth& worth, const Interval& shares) {
  std::string text;
  if (is_of_this_machine(worth)) {
    const double frame_ns = worth.frame_ms * 1e6;
    text = fmt::format("{} to {}, ", time_text(shares.low * frame_ns), time_text(shares.high * frame_ns));
  }
  return fmt::format("{}{:.1f} to {:.1f} %", text, 100 * shares.low, 100 * shares.high);
}

/// "of a recorded frame of 4.10 ms, 0.60 ms (15 %) is the work of entt, measured as indirection_map"
std::string what_storage_takes(const Worth& worth) {
  const double share = worth.storage_share.median;
  const std::string frame = time_text(worth.frame_ms * 1e6);
  std::string text = is_of_this_machine(worth)
                         ? fmt::format("of a recorded frame of {}, {} ({})", frame,
                                       time_text(share * worth.frame_ms * 1e6), percent(share))
                         : fmt::format("of a frame of {}, recorded where a fixed loop takes {:.2f} times as long, {}",
                                       frame, worth.slower_there, percent(share));
  text += fmt::format(" is the work of {}", worth.storage);
  return worth.storage == worth.measured_as ? text : text + fmt::format(", measured as {}", worth.measured_as);
}

/// The work of the storage bounds what any design can save; that of a stand-in, only if the storage takes no longer.
std::string condition(const Worth& worth) {
  return worth.storage == worth.measured_as
             ? ""
             : fmt::format(", if {} is no slower than {}", worth.storage, worth.measured_as);
}
/// The work of the storage took longer than the recorded frame if stowage plays it more slowly than the game.
std::string bound_text(double most) {
  return most < 1 ? fmt::format("no design can save more than {}", percent(most)) : "there is no bound below 100 %";
}

std::string first_line(const Worth& worth) {
  if (!worth.no_bound.empty()) {
    return fmt::format("cannot say whether another storage is worth it for speed: {}", worth.no_bound);
  }
  const double most = interval_or_median(worth.storage_share).high;
  const Interval saving = interval_or_median(worth.saving_share);
  const std::string taken = what_storage_takes(worth);
  if (most < worth_share) {
    return fmt::format("not worth changing for speed{}: {}, so {}", condition(worth), taken, bound_text(most));
  }
  if (saving.high < worth_share) {
    const std::string what = worth.best == worth.measured_as
                                 ? "no design measured here is faster"
                                 : fmt::format("{} saves {} of the frame at most", worth.best, percent(saving.high));
    return fmt::format("not worth changing for speed{}: {}, and {}", condition(worth), taken, what);
  }
  return fmt::format("{}; {} saves {} of the frame; {}{}", taken, worth.best, range_text(worth, saving),
                     bound_text(most), condition(worth));
}

/// What a change would bring beside speed: bytes, and promises.
std::string what_else(const Answer& answer) {
  const RankedStrategy& present = *find_ranked(answer, answer.worth->measured_as);
  std::vector<std::string> gains;
  const RankedStrategy* smallest = &present;
  for (const RankedStrategy& ranked : answer.ranking) {
    if (ranked.bytes_per_entity && smallest->bytes_per_entity &&
        *ranked.bytes_per_entity < *smallest->bytes_per_entity) {
      smallest = &ranked;
    }
  }
  if (smallest != &present) {
    gains.push_back(fmt::format("{:.0f} instead of {:.0f} bytes per entity ({})", *smallest->bytes_per_entity,
                                *present.bytes_per_entity, smallest->strategy));
  }
  if (!answer.worth->gained_promises.empty()) {
    gains.push_back(
        fmt::format("what only {} promises ({})", answer.winner, fmt::join(answer.worth->gained_promises, ", ")));
  }
  if (gains.empty()) return "no other storage that was measured needs fewer bytes or promises more";
  return fmt::format("a change for other reasons may bring {}", fmt::join(gains, ", or "));
}

}  // namespace

std::string stand_in_for(const std::string& storage, const std::vector<std::string>& strategies) {
  if (std::ranges::find(strategies, storage) != strategies.end()) return storage;
  const auto found = std::ranges::find(nearest, storage, &Nearest::library);
  return found == nearest.end() ? "" : std::string(found->strategy);
}

std::vector<std::string> known_libraries() { return names_of(nearest, &Nearest::library); }

std::optional<Worth> worth_of(const Profile& profile, const Answer& answer, const std::vector<Run>& processes) {
  const ProfileRecording& recorded = profile.recorded;
  if (recorded.storage.empty() || !(recorded.frame_ms || recorded.is_debug_build)) return std::nullopt;
  Worth worth{.storage = recorded.storage,
              .measured_as = stand_in_for(recorded.storage, names_of(answer.ranking, &RankedStrategy::strategy)),
              .frame_ms = recorded.frame_ms.value_or(0),
              .slower_there = slowness(profile, processes)};
  worth.no_bound = why_no_bound(profile, answer, worth);
  if (!worth.no_bound.empty()) return worth;
  const RankedStrategy& present = *find_ranked(answer, worth.measured_as);
  worth.storage_share = scaled(present.frame_ns, worth.slower_there / (worth.frame_ms * 1e6));
  worth.saving_share = saving_of(worth.storage_share, ratio_of_best(answer, present));
  const bool is_better_still = answer.placements && answer.placements->is_confirmed;
  worth.best = is_better_still ? answer.placements->name : answer.winner;
  add_systems(worth, profile, system_times(worth.measured_as, processes, frame_cells(profile).parameters()));
  return worth;
}

std::vector<std::string> worth_reasons(const Answer& answer) {
  if (!answer.worth) return {};
  std::vector<std::string> reasons{first_line(*answer.worth)};
  if (reasons.front().starts_with("not worth")) reasons.push_back(what_else(answer));
  return reasons;
}

}  // namespace stowage::harness
