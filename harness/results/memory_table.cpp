#include "harness/results/memory_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/results/metrics.hpp"
#include "harness/results/names.hpp"
#include "harness/results/page_table.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

/// Figures by strategy, of the parameter set in which a strategy holds the most.
using MemoryColumn = std::map<std::string, double>;

struct MemoryColumns {
  std::vector<std::string> strategies, workloads;             ///< in the order of the run
  std::map<std::string, std::map<std::size_t, MemoryColumn>> held;  ///< by workload and entities
};

void note(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

MemoryColumns columns_of(const Run& run) {
  MemoryColumns columns;
  for (const BlockResult& block : run.blocks) {
    for (const CellResult& cell : block.cells) {
      const auto figure = cell.counters.find("bytes_per_entity");
      if (figure == cell.counters.end()) continue;
      note(columns.strategies, cell.strategy);
      note(columns.workloads, block.workload);
      double& held = columns.held[block.workload][split_parameters(block.parameters).entities][cell.strategy];
      held = std::max(held, figure->second);
    }
  }
  return columns;
}

/// That most workloads have; the largest of those.
std::optional<std::size_t> commonest_size(const MemoryColumns& columns) {
  std::map<std::size_t, std::size_t> workloads_at;
  for (const auto& [workload, sizes] : columns.held) {
    for (const auto& [entities, column] : sizes) ++workloads_at[entities];
  }
  const auto commonest = std::ranges::max_element(
      workloads_at, {}, [](const auto& size) { return std::pair(size.second, size.first); });
  return commonest == workloads_at.end() ? std::nullopt : std::optional(commonest->first);
}

std::string table_at(const MemoryColumns& columns, std::size_t entities) {
  PageColumn labels{""};
  for (const std::string& strategy : columns.strategies) labels.push_back(label_of(strategy));
  std::vector<PageColumn> page;
  std::vector<std::string> elsewhere;
  for (const std::string& workload : columns.workloads) {
    const auto& sizes = columns.held.at(workload);
    if (!sizes.contains(entities)) {
      elsewhere.push_back(workload);
      continue;
    }
    const MemoryColumn& held = sizes.at(entities);
    PageColumn& column = page.emplace_back(PageColumn{workload});
    for (const std::string& strategy : columns.strategies) {
      const auto figure = held.find(strategy);
      column.push_back(figure == held.end() ? "-" : fmt::format("{:.1f}", figure->second));
    }
  }
  return fmt::format("\nbytes held per entity at {} entities, the most over a workload's parameters\n",
                     entities_text(entities)) +
         page_table(labels, page) +
         (elsewhere.empty() ? "" : fmt::format("not counted at this size: {}\n", fmt::join(elsewhere, ", ")));
}

/// A line for each reason: a storage without an account has the same one in every cell.
std::string omissions_text(const Run& run) {
  std::map<std::string, std::vector<std::string>> cells_by_reason;
  for (const Omission& omission : run.omissions) {
    if (omission.pass == memory_pass) cells_by_reason[omission.reason].push_back(omission.cell);
  }
  std::string text;
  for (const auto& [reason, cells] : cells_by_reason) {
    const std::string which =
        cells.size() == 1 ? cells.front() : fmt::format("{} cells, {} among them", cells.size(), cells.front());
    text += fmt::format("no bytes of {}: {}\n", which, reason);
  }
  return text;
}

}  // namespace

std::string memory_text(const Run& run) {
  const MemoryColumns columns = columns_of(run);
  const std::optional<std::size_t> entities = commonest_size(columns);
  return (entities ? table_at(columns, *entities) : "") + omissions_text(run);
}

}  // namespace stowage::harness
