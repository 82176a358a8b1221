#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/recommend/answer.hpp"
#include "harness/statistics/estimates.hpp"

namespace stowage::harness {
namespace {

/// The first in the ranking that is certainly slower than the best and than the winner, and keeps as many budgets.
const RankedStrategy* next_behind(const Answer& answer) {
  const bool winner_keeps_all = answer.ranking.front().broken_budgets.empty();
  const auto found = std::ranges::find_if(answer.ranking, [&](const RankedStrategy& ranked) {
    const bool is_slower = !ranked.may_be_best() && standing_beside_best(ranked.ratio_to_winner) == Standing::worse;
    return is_slower && (!winner_keeps_all || ranked.broken_budgets.empty());
  });
  return found == answer.ranking.end() ? nullptr : &*found;
}

std::vector<std::string> names_with(const Answer& answer, Standing standing) {
  std::vector<std::string> names;
  for (const RankedStrategy& ranked : answer.ranking) {
    if (ranked.standing == standing) names.push_back(ranked.strategy);
  }
  return names;
}

/// The best and its equals, of which the winner is one; then what may be the best as well.
std::string which_wins(const Answer& answer) {
  const RankedStrategy& winner = answer.ranking.front();
  const auto best = std::ranges::find(answer.ranking, Standing::best, &RankedStrategy::standing);
  const bool is_fastest_of_all = std::ranges::none_of(
      answer.ranking, [&](const RankedStrategy& ranked) { return ranked.frame_ns.median < best->frame_ns.median; });
  const std::string of_all = is_fastest_of_all ? "" : " that keeps the budgets";
  std::string text = fmt::format("{} takes {} a frame", winner.strategy, time_text(winner.frame_ns.median));
  if (answer.tied.empty()) return text + fmt::format(", certainly less than any other{}", of_all);
  if (&*best != &winner) {
    text += fmt::format("; the fastest{}, {}, takes {}", of_all, best->strategy, time_text(best->frame_ns.median));
  }
  std::vector<std::string> equal = names_with(answer, Standing::equal);
  if (!equal.empty()) {
    equal.insert(equal.begin(), best->strategy);
    text += fmt::format("; any of {} (equal within {:.0f} %)", fmt::join(equal, ", "), 100 * (equal_within - 1));
  }
  if (const auto open = names_with(answer, Standing::open); !open.empty()) {
    text += fmt::format("; open: {}", fmt::join(open, ", "));
  }
  const auto close = std::ranges::count_if(answer.ranking, [&](const auto& one) { return one.is_close_to(*best); });
  if (close > 1 && winner.bytes_per_entity) {
    text += fmt::format("; of those within {:.0f} % of the fastest it has the fewest bytes, {} per entity",
                        100 * (equal_within - 1), number_text(*winner.bytes_per_entity));
  }
  return text;
}

/// `frame_lookups_ns` -> `lookups`
std::string part_label(const std::string& metric) {
  static const std::map<std::string, std::string> labels = {
      {"frame_systems_ns", "systems"},     {"frame_lookups_ns", "lookups"}, {"frame_changes_ns", "changes"},
      {"frame_hierarchy_ns", "hierarchy"}, {"frame_turnover_ns", "churn"},  {"frame_saves_ns", "saves"}};
  const auto found = labels.find(metric);
  return found == labels.end() ? metric : found->second;
}

/// By how much each part of the frame is longer in `other`, longest difference first.
std::vector<std::pair<std::string, double>> differences(const RankedStrategy& winner, const RankedStrategy& other) {
  std::vector<std::pair<std::string, double>> all;
  for (const auto& [part, ns] : other.parts) {
    const auto own = winner.parts.find(part);
    if (own != winner.parts.end()) all.emplace_back(part, ns - own->second);
  }
  std::ranges::stable_sort(all, std::greater<>{}, [](const auto& entry) { return std::abs(entry.second); });
  return all;
}

/// Parts that make less than this share of the whole difference explain nothing.
constexpr double worth_saying = 0.1;

std::string where_it_wins(const RankedStrategy& winner, const RankedStrategy& other) {
  const double whole = other.frame_ns.median - winner.frame_ns.median;
  std::vector<std::string> gains;
  std::vector<std::string> losses;
  for (const auto& [part, ns] : differences(winner, other)) {
    if (std::abs(ns) < worth_saying * std::abs(whole)) continue;
    (ns > 0 ? gains : losses).push_back(fmt::format("{} in {}", time_text(std::abs(ns)), part_label(part)));
  }
  std::string text = fmt::format("the next that is certainly slower is {} with {} ({:.2f} times)", other.strategy,
                                 time_text(other.frame_ns.median), other.ratio_to_winner.median);
  if (!gains.empty()) text += fmt::format(": {} saves {}", winner.strategy, fmt::join(gains, ", "));
  if (!losses.empty()) {
    text += gains.empty() ? fmt::format(": {} loses", winner.strategy) : std::string(", and loses");
    text += fmt::format(" {}", fmt::join(losses, ", "));
  }
  return text;
}

std::string what_a_frame_is(const RankedStrategy& winner) {
  double whole = 0;
  for (const auto& [part, ns] : winner.parts) whole += ns;
  std::vector<std::pair<std::string, double>> parts(winner.parts.begin(), winner.parts.end());
  std::ranges::stable_sort(parts, std::greater<>{}, &std::pair<std::string, double>::second);
  std::vector<std::string> texts;
  for (const auto& [part, ns] : parts) {
    if (ns >= 0.01 * whole) texts.push_back(fmt::format("{:.0f} % {}", 100 * ns / whole, part_label(part)));
  }
  return fmt::format("its frame is {}", fmt::join(texts, ", "));
}

std::string how_long_at_worst(const Answer& answer) {
  const RankedStrategy& winner = answer.ranking.front();
  if (!winner.frame_p99_ns || !winner.frame_worst_ns) return {};
  const std::optional<Interval>& interval = winner.frame_p99_ns->interval;
  return fmt::format(
      "99 of 100 of its frames take {} or less{}; the worst of {}{} took {}", time_text(winner.frame_p99_ns->median),
      interval ? fmt::format(" (95 %: {} to {})", time_text(interval->low), time_text(interval->high)) : "",
      answer.frames_per_process, winner.save_ns ? ", or a usual one with a save in it," : "",
      time_text(*winner.frame_worst_ns));
}

std::string budgets_broken(const Answer& answer) {
  const RankedStrategy& winner = answer.ranking.front();
  if (winner.broken_budgets.empty()) return {};
  return fmt::format("no strategy keeps all budgets; {} breaks {}", winner.strategy,
                     fmt::join(winner.broken_budgets, ", "));
}

std::string faster_but_too_much(const Answer& answer) {
  const RankedStrategy& winner = answer.ranking.front();
  if (!winner.broken_budgets.empty()) return {};
  std::vector<std::string> faster;
  for (const RankedStrategy& ranked : answer.ranking) {
    if (is_certainly_faster(ranked.ratio_to_winner) && !ranked.broken_budgets.empty()) {
      faster.push_back(fmt::format("{} ({}, breaks {})", ranked.strategy, time_text(ranked.frame_ns.median),
                                   fmt::join(ranked.broken_budgets, ", ")));
    }
  }
  if (faster.empty()) return {};
  return fmt::format("faster in the median, but over a budget: {}", fmt::join(faster, "; "));
}

std::string how_sensitive(const Answer& answer) {
  if (answer.variations.empty()) return {};
  std::vector<std::string> others;
  for (const Variation& variation : answer.variations) {
    if (!variation.changes_the_winner) continue;
    others.push_back(fmt::format("with {} {} wins, and {} takes {:.2f} times as long", variation.what, variation.winner,
                                 answer.winner, variation.former_winner_ratio));
  }
  if (others.empty()) return "neither halving nor doubling what was tried makes another strategy win";
  return fmt::format("another game, another winner: {}", fmt::join(others, "; "));
}

/// What is better than any strategy with the components as the profile groups them.
std::string better_still(const Answer& answer) {
  if (!answer.placements || !answer.placements->is_confirmed) return {};
  return fmt::format("better still is {} with {}: {} times as long a frame; `stowage adopt --from` writes it",
                     answer.placements->strategy, answer.placements->difference, ratio_text(*answer.placements->gain));
}

/// Above this share of waiting small differences are not reliable.
constexpr double busy = 0.1;

std::string how_busy(const Answer& answer) {
  if (answer.waiting_share < busy) return {};
  return fmt::format(
      "this machine was busy: {:.0f} % of the repetitions had to wait for a processor, and others used its "
      "caches; repeat this on a quiet one",
      100 * answer.waiting_share);
}

}  // namespace

void add_reasons(Answer& answer) {
  if (answer.ranking.empty()) return;
  const RankedStrategy& winner = answer.ranking.front();
  std::vector<std::string> reasons{which_wins(answer)};
  if (std::string better = better_still(answer); !better.empty()) reasons.push_back(std::move(better));
  if (const RankedStrategy* other = next_behind(answer)) reasons.push_back(where_it_wins(winner, *other));
  if (!winner.parts.empty()) reasons.push_back(what_a_frame_is(winner));
  for (std::string reason : {how_long_at_worst(answer), budgets_broken(answer), faster_but_too_much(answer),
                             how_sensitive(answer), how_busy(answer)}) {
    if (!reason.empty()) reasons.push_back(std::move(reason));
  }
  answer.reasons = std::move(reasons);
}

}  // namespace stowage::harness
