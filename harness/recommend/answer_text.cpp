#include "harness/recommend/answer_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "harness/cli/text_table.hpp"
#include "harness/recommend/wording.hpp"

namespace stowage::harness {
namespace {

std::string interval_text(const RankedStrategy& ranked) {
  if (!ranked.frame_ns.interval) return "-";
  return fmt::format("{} to {}", time_text(ranked.frame_ns.interval->low), time_text(ranked.frame_ns.interval->high));
}

std::string standing_text(const Answer& answer, const RankedStrategy& ranked) {
  if (ranked.strategy == answer.winner) return "winner";
  if (ranked.is_tied) return "tied";
  return fmt::format("{:.2f}", ranked.ratio_to_winner.median);
}

std::string ranking_text(const Answer& answer) {
  const bool has_budget = answer.budget.frame_ms || answer.budget.worst_frame_ms || answer.budget.memory_bytes;
  const bool has_misses =
      std::ranges::any_of(answer.ranking, [](const auto& ranked) { return ranked.ll_misses.has_value(); });
  TextRow headings{"strategy", "", "frame", "95 %", "p99", "worst", "B/entity"};
  if (has_misses) headings.insert(headings.end(), {"L1d", "LL"});
  if (has_budget) headings.emplace_back("breaks");
  std::vector<TextRow> rows;
  for (const RankedStrategy& ranked : answer.ranking) {
    TextRow row{ranked.strategy,
                standing_text(answer, ranked),
                time_text(ranked.frame_ns.median),
                interval_text(ranked),
                time_text(ranked.frame_p99_ns),
                time_text(ranked.frame_worst_ns),
                ranked.bytes_per_entity ? number_text(*ranked.bytes_per_entity) : "-"};
    if (has_misses) {
      row.push_back(ranked.l1d_misses ? number_text(*ranked.l1d_misses) : "-");
      row.push_back(ranked.ll_misses ? number_text(*ranked.ll_misses) : "-");
    }
    if (has_budget) row.push_back(fmt::format("{}", fmt::join(ranked.broken_budgets, ", ")));
    rows.push_back(std::move(row));
  }
  std::string text = text_table(headings, rows);
  if (has_misses) text += "L1d, LL: cache lines that a frame misses (simulated: 48 KiB, 2 MiB)\n";
  return text;
}

std::string sensitivity_text(const Answer& answer) {
  if (answer.variations.empty()) return {};
  std::vector<TextRow> rows;
  for (const Variation& variation : answer.variations) {
    rows.push_back({variation.what, variation.winner, fmt::format("{}", fmt::join(variation.tied, ", ")),
                    variation.changes_the_winner ? fmt::format("{:.2f}", variation.former_winner_ratio) : "-"});
  }
  return "\nAnother game:\n" + text_table({"with", "fastest", "tied", "the winner above"}, rows);
}

std::string semantics_text(const Answer& answer) {
  if (answer.winner_lacks.empty()) return {};
  std::vector<TextRow> rows;
  for (const SemanticsGap& gap : answer.winner_lacks) rows.push_back({gap.card, gap.reason});
  return fmt::format("\n{} does not promise:\n{}", answer.winner, text_table({"promise", "because"}, rows));
}

std::string rest_text(const Answer& answer) {
  std::string text;
  for (const NotRanked& entry : answer.not_ranked)
    text += fmt::format("not ranked: {}: {}\n", entry.strategy, entry.reason);
  for (const std::string& left_out : answer.left_out) text += fmt::format("left out: {}\n", left_out);
  return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string time_text(double ns) {
  constexpr std::array<std::pair<double, const char*>, 3> units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  for (const auto& [size, unit] : units) {
    if (ns >= 0.9995 * size) return fmt::format("{} {}", number_text(ns / size), unit);
  }
  return number_text(ns) + " ns";
}

std::string number_text(double number) {
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", number, digits);
}

std::string answer_text(const Answer& answer) {
  std::string text = fmt::format("{}: {} entities\n\n", answer.profile, answer.entities);
  for (const std::string& reason : answer.reasons) text += fmt::format("- {}\n", reason);
  text += fmt::format("\n{}{}{}{}", ranking_text(answer), sensitivity_text(answer), semantics_text(answer),
                      rest_text(answer));
  text += fmt::format("\nmeasured in {:.0f} s", answer.measured_s);
  if (answer.compiled_files > 0) {
    text += fmt::format(", after compiling {} {} in {:.0f} s", answer.compiled_files,
                        answer.compiled_files == 1 ? "file" : "files", answer.compiled_s);
  }
  text += "\n";
  return text;
}

}  // namespace stowage::harness
