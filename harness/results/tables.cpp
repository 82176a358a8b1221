#include "harness/results/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <ranges>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <stowage/contract/events.hpp>

#include "harness/results/metrics.hpp"
#include "harness/results/names.hpp"
#include "harness/results/summary.hpp"
#include "harness/results/table_parts.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

// Times

/// Half the interval relative to the median, rounded up: "±2%".
std::string uncertainty_text(const Estimate& estimate) {
  if (!estimate.interval) return "±?";
  const double reach = std::max(estimate.interval->high - estimate.median, estimate.median - estimate.interval->low);
  return fmt::format("±{:.0f}%", std::ceil(100 * reach / estimate.median));
}

std::string_view mark_of(Standing standing) {
  switch (standing) {
    case Standing::best:
      return "*";
    case Standing::equal:
      return "=";
    case Standing::open:
      return "?";
    default:
      return " ";
  }
}

std::string ratio_text(const std::vector<double>& ratios) {
  return ratios.empty() ? "" : fmt::format(" {:>4}", three_digits(median(ratios), 2));
}

std::string cell_text(const CellSummary& summary, bool has_contract_floor) {
  if (summary.standing == Standing::failed) return "ERROR ";
  const Estimate& ns = summary.ns;
  return fmt::format("{:>5} {:>3}{}{}{}", three_digits(ns.median, 4), uncertainty_text(ns),
                     ratio_text(summary.ratio_to_reference),
                     has_contract_floor ? ratio_text(summary.ratio_to_contract) : "", mark_of(summary.standing));
}

/// One line of a table: a strategy at each size.
struct Row {
  std::string strategy;
  std::map<std::size_t, CellSummary> cells;  ///< by entities
};

/// The blocks of one workload that differ in the number of entities alone.
struct TimeTable {
  std::string workload;
  std::string values;  ///< the other parameters: "order:same/via:each"
  std::vector<std::size_t> sizes;
  std::vector<Row> rows;
};

Row& row_of(TimeTable& table, const std::string& strategy) {
  const auto row = std::ranges::find(table.rows, strategy, &Row::strategy);
  return row != table.rows.end() ? *row : table.rows.emplace_back(Row{strategy, {}});
}

TimeTable& table_of(std::vector<TimeTable>& tables, const std::string& workload, const std::string& values) {
  const auto is_it = [&](const TimeTable& table) { return table.workload == workload && table.values == values; };
  const auto table = std::ranges::find_if(tables, is_it);
  return table != tables.end() ? *table : tables.emplace_back(TimeTable{workload, values, {}, {}});
}

/// How much slower than the best a strategy is over all sizes: the mean of the logarithms of the ratios. What failed
/// somewhere comes last.
double distance_from_best(const Row& row, const std::map<std::size_t, double>& best_cost) {
  double sum = 0;
  for (const auto& [entities, summary] : row.cells) {
    if (summary.standing == Standing::failed) return std::numeric_limits<double>::infinity();
    sum += std::log(cost(summary) / best_cost.at(entities));
  }
  return sum / static_cast<double>(row.cells.size());
}

void sort_best_first(TimeTable& table) {
  std::map<std::size_t, double> best_cost;
  for (const Row& row : table.rows) {
    for (const auto& [entities, summary] : row.cells) {
      if (summary.standing == Standing::failed) continue;
      const auto [best, is_first] = best_cost.try_emplace(entities, cost(summary));
      best->second = std::min(best->second, cost(summary));
    }
  }
  std::ranges::sort(table.rows, {}, [&](const Row& row) {
    return std::tuple(rank_of(row.strategy), distance_from_best(row, best_cost), row.strategy);
  });
}

std::vector<TimeTable> time_tables_of(const Run& run) {
  const RunScatter scatter = scatter_of(run);
  std::vector<TimeTable> tables;
  for (const BlockResult& block : run.blocks) {
    const auto [entities, values] = split_parameters(block.parameters);
    TimeTable& table = table_of(tables, block.workload, values);
    table.sizes.push_back(entities);
    for (CellSummary& summary : summarise(block, scatter)) {
      row_of(table, summary.strategy()).cells.emplace(entities, std::move(summary));
    }
  }
  for (TimeTable& table : tables) {
    std::ranges::sort(table.sizes);
    sort_best_first(table);
  }
  return tables;
}

std::string text_at(const Row& row, std::size_t entities, bool has_contract_floor) {
  const auto cell = row.cells.find(entities);
  return cell == row.cells.end() ? "- " : cell_text(cell->second, has_contract_floor);
}

std::string time_table(const TimeTable& table, const std::string& item) {
  const bool has_contract_floor =
      std::ranges::any_of(table.rows, [](const Row& row) { return rank_of(row.strategy) == 1; });
  PageColumn labels{""};
  for (const Row& row : table.rows) labels.push_back(label_of(row.strategy));
  std::vector<PageColumn> columns;
  for (const std::size_t size : table.sizes) {
    PageColumn& column = columns.emplace_back(PageColumn{entities_text(size) + " "});
    for (const Row& row : table.rows) column.push_back(text_at(row, size, has_contract_floor));
  }
  return fmt::format("{}: ns per {}, × floor{}\n", table_title(table.workload, table.values), item,
                     has_contract_floor ? ", × code" : "") +
         page_table(labels, columns);
}

/// The strategies that lack a workload or some of its cells, and why.
std::string not_offered_text(const Run& run) {
  std::string text;
  for (const StrategyRecord& card : run.strategy_cards) {
    for (const auto& [workload, why] : card.not_offered)
      text += fmt::format("no {} of {}: {}\n", workload, card.name, why);
  }
  return text;
}

constexpr std::string_view legend =
    "±: the 95 % interval   × floor: relative to the reference, in the same rounds\n"
    "× code: relative to hand-written code that keeps the storage contract, `reference.store` or that of\n"
    "the family or of the world, such as `reference.sections`; near 1.00 is as good as code gets\n"
    "* best of its column   = equal to it, within 5 %   ? open: neither equal nor worse for certain\n";

// Frames

struct FramesColumn {
  std::string_view heading;
  std::string_view counter;
};
constexpr FramesColumn frames_columns[] = {
    {"p50", "frame_p50_ns"}, {"p99", "frame_p99_ns"}, {"p99.9", "frame_p999_ns"}, {"worst", "frame_max_ns"}};

std::string microseconds_text(const CellResult& cell, std::string_view counter) {
  const auto ns = cell.counters.find(std::string(counter));
  return ns == cell.counters.end() ? "-" : three_digits(ns->second / 1000, 2);
}

/// "2 growths, 1 sections"
std::string events_text(const CellResult& cell) {
  std::vector<std::string> texts;
  for (const auto& [name, unused] : StorageEvents{}.lines()) {
    const auto count = cell.counters.find("worst_frame_" + std::string(name));
    if (count == cell.counters.end()) return "-";
    if (count->second > 0) texts.push_back(fmt::format("{:.0f} {}", count->second, name));
  }
  return texts.empty() ? "nothing" : fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<const CellResult*> framed_cells(const BlockResult& block) {
  std::vector<const CellResult*> cells;
  for (const CellResult& cell : block.cells) {
    if (cell.counters.contains("frame_p50_ns")) cells.push_back(&cell);
  }
  std::ranges::stable_sort(cells, {}, [](const CellResult* cell) {
    return std::pair(rank_of(cell->strategy), cell->counters.at("frame_max_ns"));
  });
  return cells;
}

/// "of 1000 frames each"; results of older versions may have more of one strategy than of another.
std::string count_text(const std::vector<const CellResult*>& cells) {
  const auto frames_of = [](const CellResult* cell) { return cell->counters.at("frames"); };
  const auto [fewest, most] = std::ranges::minmax(cells | std::views::transform(frames_of));
  return fewest == most ? fmt::format("of {:.0f} frames each", most)
                        : fmt::format("of {:.0f} to {:.0f} frames", fewest, most);
}

std::string frames_table(const BlockResult& block, const std::vector<const CellResult*>& cells) {
  PageColumn labels{""};
  for (const CellResult* cell : cells) labels.push_back(label_of(cell->strategy));
  std::vector<PageColumn> page;
  for (const FramesColumn& column : frames_columns) {
    PageColumn& texts = page.emplace_back(PageColumn{std::string(column.heading)});
    for (const CellResult* cell : cells) texts.push_back(microseconds_text(*cell, column.counter));
  }
  PageColumn& events = page.emplace_back(PageColumn{"in the worst"});
  for (const CellResult* cell : cells) events.push_back(events_text(*cell));
  const auto [entities, values] = split_parameters(block.parameters);
  return fmt::format("\n{} at {} entities: us per frame, {}\n", table_title(block.workload, values),
                     entities_text(entities), count_text(cells)) +
         page_table(labels, page);
}

// Bytes

/// Figures by strategy, of the parameter set in which a strategy holds the most.
using MemoryColumn = std::map<std::string, double>;

struct MemoryColumns {
  std::vector<std::string> strategies, workloads;                   ///< in the order of the run
  std::map<std::string, std::map<std::size_t, MemoryColumn>> held;  ///< by workload and entities
};

void note(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

MemoryColumns memory_columns_of(const Run& run) {
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
  const auto commonest =
      std::ranges::max_element(workloads_at, {}, [](const auto& size) { return std::pair(size.second, size.first); });
  return commonest == workloads_at.end() ? std::nullopt : std::optional(commonest->first);
}

std::string memory_table(const MemoryColumns& columns, std::size_t entities) {
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
  return fmt::format("\nmemory footprint at {} entities: bytes per entity, the most over a workload's parameters\n",
                     entities_text(entities)) +
         page_table(labels, page) +
         (elsewhere.empty() ? "" : fmt::format("not counted at this size: {}\n", fmt::join(elsewhere, ", ")));
}

/// A line for each reason: a storage without an account has the same one in every cell.
std::string uncounted_text(const Run& run) {
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

std::string frames_text(const Run& run) {
  std::string text;
  for (const BlockResult& block : run.blocks) {
    const std::vector<const CellResult*> cells = framed_cells(block);
    if (!cells.empty()) text += frames_table(block, cells);
  }
  for (const Omission& omission : run.omissions) {
    if (omission.pass == frames_pass) text += fmt::format("no frames of {}: {}\n", omission.cell, omission.reason);
  }
  return text;
}

std::string memory_text(const Run& run) {
  const MemoryColumns columns = memory_columns_of(run);
  const std::optional<std::size_t> entities = commonest_size(columns);
  return (entities ? memory_table(columns, *entities) : "") + uncounted_text(run);
}

std::string tables_text(const Run& run) {
  std::string text;
  for (const TimeTable& table : time_tables_of(run)) text += time_table(table, item_of(run, table.workload)) + "\n";
  if (!text.empty()) text += legend;
  return text + frames_text(run) + memory_text(run) + failures_text(run) + not_offered_text(run);
}

}  // namespace stowage::harness
