// The answer of `stowage recommend` as JSON, with its reasons in words. stowage_report.pages.answer prints it as
// tables.
#include "harness/recommend/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/recommend/worth.hpp"
#include "harness/system/document.hpp"
#include "harness/system/json.hpp"

namespace stowage::harness {
namespace {

/// Three digits, without an exponent: "56.2", "1240".
std::string number_text(double number) {
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", number, digits);
}

/// "0.84 (0.81 to 0.87)"; an end that is not 1 does not read as 1.
std::string ratio_text(const Estimate& ratio) {
  if (!ratio.interval) return fmt::format("{:.2f}", ratio.median);
  const auto end_text = [](double end) {
    std::string text = fmt::format("{:.2f}", end);
    return text == "1.00" && end != 1 ? fmt::format("{:.4g}", end) : text;
  };
  return fmt::format("{:.2f} ({} to {})", ratio.median, end_text(ratio.interval->low), end_text(ratio.interval->high));
}

bool keeps_as_many_budgets(const RankedStrategy& ranked, const RankedStrategy& winner) {
  return !winner.broken_budgets.empty() || ranked.broken_budgets.empty();
}

bool is_certainly_slower_than_winner(const RankedStrategy& ranked) {
  return standing_beside_best(ranked.ratio_to_winner) == Standing::worse;
}

/// The first in the ranking that is certainly slower than the best and than the winner, and keeps as many budgets.
const RankedStrategy* next_behind(const Answer& answer) {
  const auto found = std::ranges::find_if(answer.ranking, [&](const RankedStrategy& ranked) {
    return !ranked.may_be_best() && is_certainly_slower_than_winner(ranked) &&
           keeps_as_many_budgets(ranked, answer.ranking.front());
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
  std::vector<std::string> unsure;  // of those that were too slow for further processes
  for (const RankedStrategy& ranked : answer.ranking) {
    const bool is_sure = ranked.standing || is_certainly_slower_than_winner(ranked);
    if (!is_sure && keeps_as_many_budgets(ranked, winner)) unsure.push_back(ranked.strategy);
  }
  if (answer.tied.empty() && unsure.empty()) return text + fmt::format(", certainly less than any other{}", of_all);
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
  if (!unsure.empty())
    text += fmt::format("; measured too briefly to be certainly slower: {}", fmt::join(unsure, ", "));
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

std::string where_it_wins(const Answer& answer) {
  const RankedStrategy& winner = answer.ranking.front();
  const RankedStrategy* const next = next_behind(answer);
  if (next == nullptr) return {};
  const RankedStrategy& other = *next;
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

std::string what_a_frame_is(const Answer& answer) {
  const FrameParts& all = answer.ranking.front().parts;
  if (all.empty()) return {};
  double whole = 0;
  for (const auto& [part, ns] : all) whole += ns;
  std::vector<std::pair<std::string, double>> parts(all.begin(), all.end());
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
  return fmt::format("certainly faster, but over a budget: {}", fmt::join(faster, "; "));
}

std::string how_sensitive(const Answer& answer) {
  if (answer.variations.empty()) return {};
  std::vector<std::string> others;
  std::vector<std::string> faster;  // by the median alone
  for (const Variation& variation : answer.variations) {
    if (variation.changes_the_winner) {
      others.push_back(fmt::format("with {} {} wins, and {} takes {:.2f} times as long", variation.what,
                                   variation.winner, answer.winner, variation.former_winner_ratio));
    } else if (variation.winner != answer.winner) {
      faster.push_back(fmt::format("{} with {}", variation.winner, variation.what));
    }
  }
  if (others.empty()) {
    return fmt::format(
        "no other strategy certainly wins with half or twice the entities, churn and shares, as far as measured{}{}",
        faster.empty() ? "" : "; faster by the median: ", fmt::join(faster, ", "));
  }
  return fmt::format("another game, another winner: {}", fmt::join(others, "; "));
}

/// A design that is better than any strategy with the profile's own groups, if one was confirmed.
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
      "this machine was busy: {:.0f} % of the repetitions had to wait for a processor, and others used its caches; "
      "repeat this on a quiet one",
      100 * answer.waiting_share);
}

// ---- JSON

OrderedJson or_null(const std::optional<double>& figure) {
  return figure ? OrderedJson(*figure) : OrderedJson(nullptr);
}

OrderedJson interval_of(const std::optional<Estimate>& estimate) {
  if (!estimate || !estimate->interval) return nullptr;
  return OrderedJson::array({estimate->interval->low, estimate->interval->high});
}

template <class Number>
void add(OrderedJson& object, const char* key, const std::optional<Number>& value) {
  if (value) object[key] = *value;
}

OrderedJson ranked_json(const RankedStrategy& ranked) {
  OrderedJson entry{
      {"strategy", ranked.strategy},
      {"frame_ns", ranked.frame_ns.median},
      {"interval", interval_of(ranked.frame_ns)},
      {"frame_p99_ns", ranked.frame_p99_ns ? OrderedJson(ranked.frame_p99_ns->median) : OrderedJson(nullptr)},
      {"frame_p99_interval", interval_of(ranked.frame_p99_ns)},
      {"frame_max_ns", or_null(ranked.frame_worst_ns)},
      {"processes", ranked.processes},
      {"bytes_per_entity", or_null(ranked.bytes_per_entity)},
      {"broken_budgets", ranked.broken_budgets},
      {"tied", ranked.may_be_best()},
      {"ratio_to_winner", ranked.ratio_to_winner.median},
      {"ratio_interval", interval_of(ranked.ratio_to_winner)},
      {"parts", ranked.parts}};
  if (ranked.standing) entry["standing"] = name_of(*ranked.standing);
  add(entry, "save_ns", ranked.save_ns);
  add(entry, "l1d_misses_per_frame", ranked.l1d_misses);
  add(entry, "ll_misses_per_frame", ranked.ll_misses);
  add(entry, "instructions_per_frame", ranked.instructions);
  return entry;
}

OrderedJson variation_json(const Variation& variation) {
  return {{"what", variation.what},
          {"winner", variation.winner},
          {"tied", variation.tied},
          {"changes_the_winner", variation.changes_the_winner},
          {"former_winner_ratio", variation.former_winner_ratio}};
}

OrderedJson worth_json(const Worth& worth) {
  OrderedJson object{{"storage", worth.storage}, {"measured_as", worth.measured_as}, {"frame_ms", worth.frame_ms}};
  if (!worth.no_bound.empty()) {
    object["no_bound"] = worth.no_bound;
    return object;
  }
  object["slower_there"] = worth.slower_there;
  object["storage_share"] = worth.storage_share.median;
  object["storage_share_interval"] = interval_of(worth.storage_share);
  object["best"] = worth.best;
  object["saving_share"] = worth.saving_share.median;
  object["saving_share_interval"] = interval_of(worth.saving_share);
  object["systems"] = list_of(worth.systems, [](const Worth::SystemShare& one) {
    return OrderedJson{{"system", one.system}, {"recorded_ms", one.recorded_ms}, {"storage_share", one.share}};
  });
  object["untimed_systems"] = worth.untimed_systems;
  return object;
}

OrderedJson placements_json(const std::optional<Placements>& placements) {
  if (!placements) return nullptr;
  const auto component_json = [](const PlacedComponent& placed) {
    OrderedJson entry{{"name", placed.component}};
    if (placed.type.empty()) {
      entry["bytes"] = placed.bytes;
    } else {
      entry["type"] = placed.type;
      entry["header"] = placed.header;
    }
    if (placed.recorded) entry["recorded"] = true;
    entry["place"] = placed.place;
    entry["why"] = placed.why;
    if (placed.instead_ratio) {
      entry["elsewhere"] = {{"place", placed.instead},
                            {"ratio", placed.instead_ratio->median},
                            {"interval", interval_of(placed.instead_ratio)}};
    }
    return entry;
  };
  const auto entry_json = [](const PlacedEntry& entry) {
    return OrderedJson{{"mark", entry.mark}, {"components", entry.components}};
  };
  OrderedJson object{{"strategy", placements->strategy},
                     {"design", placements->name},
                     {"difference", placements->difference},
                     {"schema", list_of(placements->schema, entry_json)},
                     {"components", list_of(placements->components, component_json)},
                     {"trials", placements->trials},
                     {"confirmed", placements->is_confirmed}};
  if (placements->gain) {
    object["tried"] = placements->tried;
    object["ratio_to_winner"] = placements->gain->median;
    object["ratio_interval"] = interval_of(placements->gain);
  }
  if (placements->other_ratio) {
    object["other_kind"] = {{"design", placements->other_kind},
                            {"ratio", placements->other_ratio->median},
                            {"interval", interval_of(placements->other_ratio)}};
  }
  add(object, "bytes_per_entity", placements->bytes_per_entity);
  return object;
}

OrderedJson budget_json(const ProfileBudget& budget) {
  OrderedJson object = OrderedJson::object();
  add(object, "frame_ms", budget.frame_ms);
  add(object, "worst_frame_ms", budget.worst_frame_ms);
  add(object, "memory_bytes", budget.memory_bytes);
  return object;
}

}  // namespace

std::string time_text(double ns) {
  for (const auto& [size, name] : {std::pair(1e9, "s"), std::pair(1e6, "ms"), std::pair(1e3, "us")}) {
    if (ns >= 0.9995 * size) return fmt::format("{} {}", number_text(ns / size), name);
  }
  return fmt::format("{} ns", number_text(ns));
}

void add_reasons(Answer& answer) {
  if (answer.ranking.empty()) return;
  answer.reasons = worth_reasons(answer);
  for (std::string reason : {which_wins(answer), better_still(answer), where_it_wins(answer), what_a_frame_is(answer),
                             how_long_at_worst(answer), budgets_broken(answer), faster_but_too_much(answer),
                             how_sensitive(answer), how_busy(answer)}) {
    if (!reason.empty()) answer.reasons.push_back(std::move(reason));
  }
}

std::string answer_json(const Answer& answer) {
  const auto gap_json = [](const SemanticsGap& gap) { return OrderedJson{{"card", gap.card}, {"reason", gap.reason}}; };
  const auto not_ranked_json = [](const NotRanked& entry) {
    return OrderedJson{{"strategy", entry.strategy}, {"reason", entry.reason}};
  };
  OrderedJson root{{"winner", answer.winner},
                   {"tied", answer.tied},
                   {"ranking", list_of(answer.ranking, ranked_json)},
                   {"reasons", answer.reasons},
                   {"winner_does_not_promise", list_of(answer.winner_lacks, gap_json)},
                   {"sensitivity", list_of(answer.variations, variation_json)},
                   {"placements", placements_json(answer.placements)},
                   {"not_ranked", list_of(answer.not_ranked, not_ranked_json)},
                   {"left_out", answer.left_out},
                   {"profile", answer.profile},
                   {"entities", answer.entities},
                   {"budget", budget_json(answer.budget)},
                   {"processes", answer.processes},
                   {"frames_per_process", answer.frames_per_process},
                   {"waiting_share", answer.waiting_share},
                   {"commit", answer.commit},
                   {"compiler", answer.compiler},
                   {"processor", answer.processor},
                   {"compiled_s", answer.compiled_s},
                   {"measured_s", answer.measured_s},
                   {"compiled_files", answer.compiled_files}};
  if (answer.worth) root["worth"] = worth_json(*answer.worth);
  clear_controls(root);
  return root.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace stowage::harness
