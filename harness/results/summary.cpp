// The figures of a block: ratios to the floors, the best strategy, what is equal to it or worse, and what is open.
#include "harness/results/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>

namespace stowage::harness {
namespace {

/// The hand-written floor: measured in every block, and never a candidate for the best strategy.
constexpr std::string_view reference_name = "reference";
/// The contract floors: the fastest hand-written code that keeps the storage contract, for a family of strategies each.
/// The two without a family are for all others: one in the workloads of the list, one in a world. Not all workloads
/// have them.
struct ContractFloorName {
  std::string_view floor;
  std::string_view family;
};
constexpr std::array<ContractFloorName, 5> contract_floors{{{"reference.store", ""},
                                                            {"reference.contract", ""},
                                                            {"reference.sections", "archetype_sections"},
                                                            {"reference.direct", "sparse_direct"},
                                                            {"reference.interleaved", "interleaved_pairs"}}};

/// The floor, the other hand-written loops `reference.*`, and the forms of a hierarchy by themselves, `form.*`: none is
/// a storage that one could choose.
constexpr bool is_hand_written(std::string_view strategy) noexcept {
  return strategy == reference_name || strategy.starts_with("reference.") || strategy.starts_with("form.");
}

Standing standing_before_ranking(const CellResult& cell) {
  if (cell.repetitions.empty()) return Standing::failed;
  return is_hand_written(cell.strategy) ? Standing::hand_written : Standing::open;
}

std::vector<double> ns_per_item(const CellResult& cell) {
  std::vector<double> samples;
  const auto items = static_cast<double>(cell.items);
  std::ranges::transform(cell.repetitions, std::back_inserter(samples),
                         [items](const Repetition& repetition) { return repetition.real_ns / items; });
  return samples;
}

const CellSummary* find_in(const std::vector<CellSummary>& summaries, std::string_view strategy) {
  const auto found = std::ranges::find(summaries, strategy, &CellSummary::strategy);
  return found == summaries.end() ? nullptr : &*found;
}

/// THE rule which hand-written row is the contract floor of a strategy: that of its family, or else that of pools. A
/// workload that has neither needs no handle, so that its reference keeps the contract.
const CellSummary* contract_floor_of(std::string_view strategy, const std::vector<CellSummary>& summaries) {
  const std::string_view family = strategy.substr(0, strategy.find('.'));
  const CellSummary* floor = nullptr;
  for (const ContractFloorName& name : contract_floors) {
    if (family == name.family || strategy == name.floor) floor = find_in(summaries, name.floor);
  }
  for (const ContractFloorName& name : contract_floors) {
    if (floor == nullptr && name.family.empty()) floor = find_in(summaries, name.floor);
  }
  return floor != nullptr ? floor : find_in(summaries, reference_name);
}

void compare_with_floors(std::vector<CellSummary>& summaries) {
  const CellSummary* const reference = find_in(summaries, reference_name);
  for (CellSummary& summary : summaries) {
    const CellSummary* const contract = contract_floor_of(summary.strategy(), summaries);
    if (reference != nullptr)
      summary.ratio_to_reference = ratios_per_round(summary.ns_per_item, reference->ns_per_item);
    if (contract == nullptr) continue;
    summary.contract_floor = contract->cell;
    summary.ratio_to_contract = ratios_per_round(summary.ns_per_item, contract->ns_per_item);
  }
}

/// The medians of `figures`, one for each repetition of `cell`, in each of its visits.
std::vector<double> medians_of_visits(const CellResult& cell, std::span<const double> figures) {
  std::map<std::size_t, std::vector<double>> visits;
  for (std::size_t i = 0; i < figures.size(); ++i) visits[cell.repetitions[i].visit].push_back(figures[i]);
  std::vector<double> medians;
  for (const auto& [visit, its] : visits) medians.push_back(median(its));
  return medians;
}

std::size_t visits_of(const CellResult& cell) { return medians_of_visits(cell, ns_per_item(cell)).size(); }

Estimate estimate(const CellResult& cell, std::span<const double> figures, const std::optional<ProcessScatter>& scatter,
                  std::size_t comparisons = 1) {
  const std::vector<double> medians = medians_of_visits(cell, figures);
  if (!scatter || medians.size() < 2) return estimate_median(figures, comparisons);
  return across_processes(estimate_median(figures), medians, *scatter, comparisons);
}

void estimate_all(std::vector<CellSummary>& summaries, const RunScatter& scatter) {
  for (CellSummary& summary : summaries) {
    if (summary.ns_per_item.empty()) continue;
    const auto of_ratios = [&](const std::vector<double>& ratios) {
      return ratios.empty() ? std::nullopt : std::optional(estimate(*summary.cell, ratios, scatter.ratios));
    };
    summary.ns =
        estimate(*summary.cell, summary.ns_per_item, scatter.ratios ? std::optional(scatter.times) : std::nullopt);
    summary.to_reference = of_ratios(summary.ratio_to_reference);
    summary.to_contract = of_ratios(summary.ratio_to_contract);
  }
}

CellSummary* best_of(std::vector<CellSummary>& summaries) {
  CellSummary* best = nullptr;
  for (CellSummary& summary : summaries) {
    if (summary.standing != Standing::open) continue;
    if (best == nullptr || cost(summary) < cost(*best)) best = &summary;
  }
  return best;
}

void rank(std::vector<CellSummary>& summaries, const BlockResult& block, const RunScatter& scatter) {
  CellSummary* best = best_of(summaries);
  if (best == nullptr) return;
  best->standing = Standing::best;
  best->ratio_to_best = Estimate{1, std::nullopt};
  const auto rivals = std::ranges::count(summaries, Standing::open, &CellSummary::standing);
  const auto compared = std::max<std::size_t>(1, static_cast<std::size_t>(rivals));
  const std::size_t comparisons = scatter.ratios && visits_of(*best->cell) > 1
                                      ? judged_together(compared, looks_at(block, scatter.visits))
                                      : compared;
  for (CellSummary& summary : summaries) {
    if (summary.standing == Standing::best || summary.standing == Standing::failed) continue;
    summary.ratio_to_best =
        estimate(*summary.cell, ratios_per_round(summary.ns_per_item, best->ns_per_item), scatter.ratios, comparisons);
    if (summary.standing == Standing::open) summary.standing = standing_beside_best(*summary.ratio_to_best);
  }
}

}  // namespace

double cost(const CellSummary& summary) {
  return median(summary.ratio_to_reference.empty() ? summary.ns_per_item : summary.ratio_to_reference);
}

RunScatter scatter_of(const Run& run) {
  std::vector<std::vector<double>> ratios;
  std::vector<std::vector<double>> times;
  for (const BlockResult& block : run.blocks) {
    const auto first =
        std::ranges::find_if(block.cells, [](const CellResult& cell) { return !cell.repetitions.empty(); });
    for (const CellResult& cell : block.cells) {
      if (cell.repetitions.empty() || visits_of(cell) < 2) continue;
      times.push_back(medians_of_visits(cell, ns_per_item(cell)));
      if (&cell != &*first) {
        ratios.push_back(medians_of_visits(cell, ratios_per_round(ns_per_item(cell), ns_per_item(*first))));
      }
    }
  }
  if (ratios.empty()) return {.visits = run.state.visits};
  return {.visits = run.state.visits, .ratios = process_scatter_of(ratios), .times = shared_scatter_of(times)};
}

std::vector<CellSummary> summarise(const BlockResult& block, const RunScatter& scatter) {
  std::vector<CellSummary> summaries;
  summaries.reserve(block.cells.size());
  for (const CellResult& cell : block.cells) {
    summaries.push_back({.cell = &cell, .standing = standing_before_ranking(cell), .ns_per_item = ns_per_item(cell)});
  }
  compare_with_floors(summaries);
  estimate_all(summaries, scatter);
  rank(summaries, block, scatter);
  return summaries;
}

std::size_t failed_cells_of(const Run& run) {
  std::size_t failed = 0;
  for (const BlockResult& block : run.blocks) {
    for (const CellResult& cell : block.cells) failed += cell.error.empty() ? 0 : 1;
  }
  return failed;
}

std::string omissions_text(const Run& run, std::string_view pass) {
  std::map<std::string, std::vector<std::string>> cells_by_reason;
  for (const Omission& omission : run.omissions) {
    if (omission.pass == pass) cells_by_reason[omission.reason].push_back(omission.cell);
  }
  std::string text;
  for (const auto& [reason, cells] : cells_by_reason) {
    const std::string which = cells.size() == 1 ? cells.front() : fmt::format("{} cells", cells.size());
    text += fmt::format("stowage: {} left out of the {} pass: {}\n", which, pass, reason);
  }
  return text;
}

std::string failures_text(const Run& run) {
  std::string text;
  for (const BlockResult& block : run.blocks) {
    for (const CellResult& cell : block.cells) {
      if (!cell.error.empty()) text += fmt::format("ERROR {}: {}\n", block.cell_name(cell), cell.error);
    }
  }
  return text;
}

}  // namespace stowage::harness
