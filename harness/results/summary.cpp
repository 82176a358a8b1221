#include "harness/results/summary.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "harness/results/names.hpp"
#include "harness/statistics/estimates.hpp"

namespace stowage::harness {
namespace {

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
  if (floor == nullptr) floor = find_in(summaries, contract_floors.front().floor);
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

CellSummary* best_of(std::vector<CellSummary>& summaries) {
  CellSummary* best = nullptr;
  for (CellSummary& summary : summaries) {
    if (summary.standing != Standing::open) continue;
    if (best == nullptr || cost(summary) < cost(*best)) best = &summary;
  }
  return best;
}

void rank(std::vector<CellSummary>& summaries) {
  CellSummary* best = best_of(summaries);
  if (best == nullptr) return;
  best->standing = Standing::best;
  best->ratio_to_best = Estimate{1, std::nullopt};
  const auto rivals = std::ranges::count(summaries, Standing::open, &CellSummary::standing);
  const auto comparisons = std::max<std::size_t>(1, static_cast<std::size_t>(rivals));
  for (CellSummary& summary : summaries) {
    if (summary.standing == Standing::best || summary.standing == Standing::failed) continue;
    summary.ratio_to_best = estimate_median(ratios_per_round(summary.ns_per_item, best->ns_per_item), comparisons);
    if (summary.standing == Standing::open) summary.standing = standing_beside_best(*summary.ratio_to_best);
  }
}

}  // namespace

double cost(const CellSummary& summary) {
  return median(summary.ratio_to_reference.empty() ? summary.ns_per_item : summary.ratio_to_reference);
}

std::vector<CellSummary> summarise(const BlockResult& block) {
  std::vector<CellSummary> summaries;
  summaries.reserve(block.cells.size());
  for (const CellResult& cell : block.cells) {
    summaries.push_back({.cell = &cell,
                         .standing = standing_before_ranking(cell),
                         .ns_per_item = ns_per_item(cell),
                         .ratio_to_reference = {},
                         .contract_floor = nullptr,
                         .ratio_to_contract = {},
                         .ratio_to_best = std::nullopt});
  }
  compare_with_floors(summaries);
  rank(summaries);
  return summaries;
}

std::size_t failed_cells_of(const Run& run) {
  std::size_t failed = 0;
  for (const BlockResult& block : run.blocks) {
    for (const CellResult& cell : block.cells) failed += cell.error.empty() ? 0 : 1;
  }
  return failed;
}

}  // namespace stowage::harness
