#include "harness/compare/exact_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "harness/results/metrics.hpp"

namespace stowage::harness {
namespace {

/// A figure that should be small, and the least amount of it that matters.
struct Cost {
  std::string_view figure;
  double grain;
};

/// In the order in which they are shown.
constexpr Cost costs[] = {
    {"instructions_per_item", 1}, {"l1d_misses_per_item", 1.0 / 16}, {"ll_misses_per_item", 1.0 / 16},
    {"bytes_per_entity", 1},      {"peak_bytes_per_entity", 1},      {"allocations", 1},
};

/// How a heap rounds depends on all that went through it before: no two runs agree to the byte.
constexpr std::string_view not_exact = "allocator_overhead_bytes_per_entity";

std::size_t rank_of(std::string_view figure) {
  return static_cast<std::size_t>(std::ranges::find(costs, figure, &Cost::figure) - std::begin(costs));
}

std::optional<double> growth_of(std::string_view figure, double before, double after) {
  const std::size_t rank = rank_of(figure);
  if (rank == std::size(costs)) return std::nullopt;
  return (after - before) / std::max(before, costs[rank].grain);
}

bool has_figures_of(const MeasuredFile& file, std::string_view pass) {
  return std::ranges::any_of(file.cells, [pass](const MeasuredCell& cell) {
    return std::ranges::any_of(metrics, [&](const Metric& metric) {
      return metric.pass == pass && cell.figures.contains(std::string(metric.name));
    });
  });
}

/// Why the figures of `pass`, which one of them has at least, cannot be compared; empty where they can.
std::string obstacle(const MeasuredFile& before, const MeasuredFile& after, std::string_view pass) {
  const bool has_before = has_figures_of(before, pass);
  if (has_before != has_figures_of(after, pass)) {
    return fmt::format("only {} has figures of the {} pass", has_before ? "before" : "after", pass);
  }
  const auto made_before = before.exact_passes.find(std::string(pass));
  const auto made_after = after.exact_passes.find(std::string(pass));
  if (made_before == before.exact_passes.end() || made_after == after.exact_passes.end()) {
    return fmt::format("the figures of the {} pass are not exact counts in both", pass);
  }
  if (made_before->second == made_after->second) return "";
  return fmt::format("the figures of the {} pass are of different things: {} | {}", pass, made_before->second,
                     made_after->second);
}

/// Passes whose figures can be compared; of the others the reason goes to `comparison`.
std::set<std::string_view> passes_to_compare(const MeasuredFile& before, const MeasuredFile& after,
                                             ExactComparison& comparison) {
  std::set<std::string_view> passes;
  if (before.fact("seed") != after.fact("seed")) {
    comparison.not_compared.emplace_back("counts are not compared: the seeds differ, so the inputs do");
    return passes;
  }
  passes.insert(floor_pass);
  for (const std::string_view pass : {cache_pass, memory_pass}) {
    if (!has_figures_of(before, pass) && !has_figures_of(after, pass)) continue;
    const std::string why = obstacle(before, after, pass);
    if (why.empty()) {
      passes.insert(pass);
    } else {
      comparison.not_compared.push_back(why);
    }
  }
  return passes;
}

void compare_cell(const CellPair& pair, const std::set<std::string_view>& passes, ExactComparison& comparison) {
  const std::size_t figures_before = comparison.figures;
  for (const Metric& metric : metrics) {
    if (!passes.contains(metric.pass) || metric.name == not_exact) continue;
    const auto before = pair.before->figures.find(std::string(metric.name));
    const auto after = pair.after->figures.find(std::string(metric.name));
    const bool has_before = before != pair.before->figures.end();
    const bool has_after = after != pair.after->figures.end();
    if (has_before != has_after) ++comparison.only_one_has;
    if (!has_before || !has_after) continue;
    ++comparison.figures;
    if (before->second == after->second) continue;
    comparison.changes.push_back({.pair = &pair,
                                  .figure = metric.name,
                                  .before = before->second,
                                  .after = after->second,
                                  .growth = growth_of(metric.name, before->second, after->second)});
  }
  comparison.cells += comparison.figures > figures_before ? 1 : 0;
}

}  // namespace

ExactComparison compare_counts(const MeasuredFile& before, const MeasuredFile& after,
                               const std::vector<CellPair>& pairs) {
  ExactComparison comparison;
  const std::set<std::string_view> passes = passes_to_compare(before, after, comparison);
  for (const CellPair& pair : pairs) compare_cell(pair, passes, comparison);
  std::ranges::stable_sort(comparison.changes, {}, [](const ExactChange& change) {
    return std::tuple(rank_of(change.figure), change.figure, -change.growth.value_or(0));
  });
  return comparison;
}

}  // namespace stowage::harness
