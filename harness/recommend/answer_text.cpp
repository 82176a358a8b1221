#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/recommend/answer.hpp"
#include "harness/results/table_parts.hpp"
#include "harness/text_table.hpp"

namespace stowage::harness {
namespace {

struct Unit {
  double ns;
  const char* name;
};
constexpr std::array<Unit, 4> units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};

const Unit& unit_of(double ns) {
  const auto fits = [ns](const Unit& unit) { return ns >= 0.9995 * unit.ns; };
  const auto found = std::ranges::find_if(units, fits);
  return found == units.end() ? units.back() : *found;
}

std::string standing_text(const Answer& answer, const RankedStrategy& ranked) {
  if (ranked.strategy == answer.winner) return "winner";
  if (ranked.standing == Standing::best) return "fastest";
  if (ranked.may_be_best()) return std::string(name_of(*ranked.standing));
  return fmt::format("{:.2f}", ranked.ratio_to_winner.median);
}

/// A figure, and a mark if it breaks that budget.
std::string figure_text(const RankedStrategy& ranked, const std::optional<double>& figure, std::string_view budget) {
  const bool is_broken = std::ranges::find(ranked.broken_budgets, budget) != ranked.broken_budgets.end();
  return (figure ? number_text(*figure) : "-") + (is_broken ? "!" : " ");
}

std::string interval_text(const Estimate& estimate, double unit) {
  if (!estimate.interval) return "-";
  return fmt::format("{} to {}", number_text(estimate.interval->low / unit),
                     number_text(estimate.interval->high / unit));
}

template <class TextOf>
PageColumn column_of(const Answer& answer, std::string heading, const TextOf& text_of) {
  PageColumn column{std::move(heading)};
  for (const RankedStrategy& ranked : answer.ranking) column.push_back(text_of(ranked));
  return column;
}

/// In one unit of time, that of the winner. The most important columns come first, because a narrow page has the others
/// below.
std::string ranking_text(const Answer& answer, std::size_t width) {
  const Unit& unit = unit_of(answer.ranking.front().frame_ns.median);
  const auto in_unit = [&](const std::optional<double>& ns) {
    return ns ? std::optional(*ns / unit.ns) : std::nullopt;
  };
  const auto p99_of = [](const RankedStrategy& ranked) {
    return ranked.frame_p99_ns ? std::optional(ranked.frame_p99_ns->median) : std::nullopt;
  };
  const auto heading = [&unit](std::string_view what) { return fmt::format("{}, {} ", what, unit.name); };
  const PageColumn labels = column_of(answer, "strategy", [](const auto& ranked) { return ranked.strategy; });
  return page_table(
      labels,
      {column_of(answer, "", [&](const auto& ranked) { return standing_text(answer, ranked); }),
       column_of(answer, heading("frame"),
                 [&](const auto& ranked) { return figure_text(ranked, in_unit(ranked.frame_ns.median), "frame_ms"); }),
       column_of(answer, "95 %", [&](const auto& ranked) { return interval_text(ranked.frame_ns, unit.ns); }),
       column_of(answer, "p99 ", [&](const auto& ranked) { return figure_text(ranked, in_unit(p99_of(ranked)), ""); }),
       column_of(
           answer, "worst ",
           [&](const auto& ranked) { return figure_text(ranked, in_unit(ranked.frame_worst_ns), "worst_frame_ms"); }),
       column_of(answer, "B/entity ",
                 [&](const auto& ranked) { return figure_text(ranked, ranked.bytes_per_entity, "memory"); })},
      width);
}

/// What the figures of the ranking are of.
std::string legend_text(const Answer& answer) {
  std::string text;
  if (answer.frames_per_process > 0) {
    text += fmt::format("p99, worst: of {} frames in each process; of {} processes the {} of their worst\n",
                        answer.frames_per_process, answer.processes, answer.processes == 2 ? "smaller" : "median");
  }
  const auto left = std::ranges::count_if(
      answer.ranking, [&](const RankedStrategy& ranked) { return ranked.processes < answer.processes; });
  if (left > 0) text += fmt::format("too slow, so measured in the first process only: {} strategies\n", left);
  const ProfileBudget& budget = answer.budget;
  std::vector<std::string> budgets;
  if (budget.frame_ms) budgets.push_back(fmt::format("frame {} ms", *budget.frame_ms));
  if (budget.worst_frame_ms) budgets.push_back(fmt::format("worst {} ms", *budget.worst_frame_ms));
  if (budget.memory_bytes) {
    const double bytes = static_cast<double>(*budget.memory_bytes) / static_cast<double>(answer.entities);
    budgets.push_back(fmt::format("{} B/entity", number_text(bytes)));
  }
  if (!budgets.empty()) text += fmt::format("!: over the budget of {}\n", fmt::join(budgets, ", "));
  return text;
}

std::string misses_text(const Answer& answer, std::size_t width) {
  Answer counted;
  std::ranges::copy_if(answer.ranking, std::back_inserter(counted.ranking),
                       [](const RankedStrategy& ranked) { return ranked.ll_misses || ranked.l1d_misses; });
  if (counted.ranking.empty()) return {};
  const auto column = [&](std::string heading, std::optional<double> RankedStrategy::* figure) {
    return column_of(counted, std::move(heading), [&](const RankedStrategy& ranked) {
      return ranked.*figure ? number_text(*(ranked.*figure)) : std::string("-");
    });
  };
  const PageColumn labels = column_of(counted, "a frame's", [](const auto& ranked) { return ranked.strategy; });
  const std::string table =
      page_table(labels,
                 {column("L1d misses", &RankedStrategy::l1d_misses), column("LL misses", &RankedStrategy::ll_misses),
                  column("instructions", &RankedStrategy::instructions)},
                 width);
  return fmt::format("\n{}simulated: 48 KiB, 2 MiB\n", table);
}

/// What a component elsewhere costs, or that it was not seen to cost anything.
std::string elsewhere_text(const PlacedComponent& placed) {
  if (!placed.instead_ratio) return "not tried";
  const Estimate& ratio = *placed.instead_ratio;
  const Standing standing = standing_beside_best(ratio);
  const bool says_itself = standing == Standing::worse || (standing == Standing::open && is_certainly_faster(ratio));
  return fmt::format("{}: {}{}", placed.instead, says_itself ? "" : fmt::format("{}, ", name_of(standing)),
                     ratio_text(ratio));
}

std::string placements_text(const Answer& answer, std::size_t width) {
  if (!answer.placements) return {};
  const Placements& placements = *answer.placements;
  std::string text = fmt::format("Component by component, on {}: {} design{} tried", placements.strategy,
                                 placements.trials, placements.trials == 1 ? "" : "s");
  if (placements.is_confirmed) {
    text +=
        fmt::format("; {}: {} times as long as {}", placements.difference, ratio_text(*placements.gain), answer.winner);
  } else if (placements.gain) {
    text += fmt::format("; {} seemed faster, but {}", placements.tried,
                        !is_certainly_faster(*placements.gain)
                            ? fmt::format("was {} times as long measured again", ratio_text(*placements.gain))
                            : "breaks a budget");
  } else {
    text += ", none certainly faster";
  }
  if (placements.other_ratio) {
    text += fmt::format("; {}: {} times as long", placements.other_kind, ratio_text(*placements.other_ratio));
  }
  std::vector<TextRow> rows;
  for (const PlacedComponent& placed : placements.components) {
    rows.push_back({placed.component, placed.place, elsewhere_text(placed), placed.why});
  }
  return "\n" + text_table({text}, {}, width) +
         text_table({"component", "place", "elsewhere, times as long", "because"}, rows, width);
}

std::string sensitivity_text(const Answer& answer, std::size_t width) {
  if (answer.variations.empty()) return {};
  std::vector<TextRow> rows;
  for (const Variation& variation : answer.variations) {
    rows.push_back({variation.what, variation.winner,
                    variation.changes_the_winner ? fmt::format("{:.2f}", variation.former_winner_ratio) : "-",
                    fmt::format("{}", fmt::join(variation.tied, ", "))});
  }
  return "\nAnother game:\n" + text_table({"with", "fastest", "winner", "equal or open"}, rows, width);
}

std::string semantics_text(const Answer& answer, std::size_t width) {
  if (answer.winner_lacks.empty()) return {};
  std::vector<TextRow> rows;
  for (const SemanticsGap& gap : answer.winner_lacks) rows.push_back({gap.card, gap.reason});
  return fmt::format("\n{} does not promise:\n{}", answer.winner, text_table({"promise", "because"}, rows, width));
}

std::string rest_text(const Answer& answer) {
  std::string text;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
  for (const NotRanked& entry : answer.not_ranked) {
    auto same = std::ranges::find(by_reason, entry.reason, &decltype(by_reason)::value_type::first);
    if (same == by_reason.end()) same = by_reason.insert(same, {entry.reason, {}});
    same->second.push_back(entry.strategy);
  }
  for (const auto& [reason, strategies] : by_reason) {
    text += fmt::format("not ranked: {}: {}\n", fmt::join(strategies, ", "), reason);
  }
  for (const std::string& left_out : answer.left_out) text += fmt::format("left out: {}\n", left_out);
  return text.empty() ? text : "\n" + text;
}

std::string effort_text(const Answer& answer) {
  if (answer.measured_s <= 0) return {};
  std::string text = fmt::format("\nmeasured in {:.0f} s", answer.measured_s);
  if (answer.compiled_files > 0) {
    text += fmt::format(", after compiling {} {} in {:.0f} s", answer.compiled_files,
                        answer.compiled_files == 1 ? "file" : "files", answer.compiled_s);
  }
  return text + "\n";
}

}  // namespace

std::string time_text(double ns) {
  const Unit& unit = unit_of(ns);
  return fmt::format("{} {}", number_text(ns / unit.ns), unit.name);
}

std::string ratio_text(const Estimate& ratio) {
  if (!ratio.interval) return fmt::format("{:.2f}", ratio.median);
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio.median, ratio.interval->low, ratio.interval->high);
}

std::string number_text(double number) {
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", number, digits);
}

std::string answer_text(const Answer& answer, std::size_t width) {
  std::string text = fmt::format("{}: {} entities\n\n", answer.profile, answer.entities);
  for (const std::string& reason : answer.reasons) text += text_table({"-", reason}, {}, width);
  return text + "\n" + ranking_text(answer, width) + legend_text(answer) + placements_text(answer, width) +
         misses_text(answer, width) + sensitivity_text(answer, width) + semantics_text(answer, width) +
         rest_text(answer) + effort_text(answer);
}

}  // namespace stowage::harness
