#include "harness/results/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "harness/results/frames_table.hpp"
#include "harness/results/memory_table.hpp"
#include "harness/results/names.hpp"
#include "harness/results/page_table.hpp"
#include "harness/results/summary.hpp"
#include "harness/results/table_parts.hpp"
#include "harness/statistics/median.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

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
    case Standing::tied:
      return "=";
    default:
      return " ";
  }
}

std::string ratio_text(const CellSummary& summary) {
  if (summary.ratio_to_reference.empty()) return "";
  return fmt::format(" {:>4}", three_digits(median(summary.ratio_to_reference), 2));
}

std::string cell_text(const CellSummary& summary) {
  if (summary.standing == Standing::failed) return "ERROR ";
  const Estimate ns = estimate_median(summary.ns_per_item);
  return fmt::format("{:>5} {:>3}{}{}", three_digits(ns.median, 4), uncertainty_text(ns), ratio_text(summary),
                     mark_of(summary.standing));
}

/// One line of a table: a strategy at each size.
struct Row {
  std::string strategy;
  std::map<std::size_t, CellSummary> cells;  ///< by entities
};

/// The blocks of one workload that differ in the number of entities alone.
struct Table {
  std::string workload;
  std::string values;  ///< the other parameters: "order:same/via:each"
  std::vector<std::size_t> sizes;
  std::vector<Row> rows;
};

Row& row_of(Table& table, const std::string& strategy) {
  const auto row = std::ranges::find(table.rows, strategy, &Row::strategy);
  return row != table.rows.end() ? *row : table.rows.emplace_back(Row{strategy, {}});
}

Table& table_of(std::vector<Table>& tables, const std::string& workload, const std::string& values) {
  const auto is_it = [&](const Table& table) { return table.workload == workload && table.values == values; };
  const auto table = std::ranges::find_if(tables, is_it);
  return table != tables.end() ? *table : tables.emplace_back(Table{workload, values, {}, {}});
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

void sort_best_first(Table& table) {
  std::map<std::size_t, double> best_cost;
  for (const Row& row : table.rows) {
    for (const auto& [entities, summary] : row.cells) {
      if (summary.standing == Standing::failed) continue;
      const auto [best, is_first] = best_cost.try_emplace(entities, cost(summary));
      best->second = std::min(best->second, cost(summary));
    }
  }
  std::ranges::sort(table.rows, {}, [&](const Row& row) {
    return std::tuple(row.strategy != reference_name, distance_from_best(row, best_cost), row.strategy);
  });
}

std::vector<Table> tables_of(const Run& run) {
  std::vector<Table> tables;
  for (const BlockResult& block : run.blocks) {
    const auto [entities, values] = split_parameters(block.parameters);
    Table& table = table_of(tables, block.workload, values);
    table.sizes.push_back(entities);
    for (CellSummary& summary : summarise(block)) {
      row_of(table, summary.strategy()).cells.emplace(entities, std::move(summary));
    }
  }
  for (Table& table : tables) {
    std::ranges::sort(table.sizes);
    sort_best_first(table);
  }
  return tables;
}

std::string text_at(const Row& row, std::size_t entities) {
  const auto cell = row.cells.find(entities);
  return cell == row.cells.end() ? "- " : cell_text(cell->second);
}

std::string table_text(const Table& table, const std::string& item) {
  PageColumn labels{""};
  for (const Row& row : table.rows) labels.push_back(label_of(row.strategy));
  std::vector<PageColumn> columns;
  for (const std::size_t size : table.sizes) {
    PageColumn& column = columns.emplace_back(PageColumn{entities_text(size) + " "});
    for (const Row& row : table.rows) column.push_back(text_at(row, size));
  }
  return fmt::format("{}: ns per {}\n", table_title(table.workload, table.values), item) + page_table(labels, columns);
}

/// Who takes no part in what, or not in all of it, for what reason.
std::string not_offered_text(const Run& run) {
  std::string text;
  for (const StrategyRecord& card : run.strategy_cards) {
    for (const auto& [workload, why] : card.not_offered)
      text += fmt::format("no {} of {}: {}\n", workload, card.name, why);
  }
  return text;
}

constexpr std::string_view legend =
    "± is the 95 % interval; then the ratio to the reference, measured in the same rounds\n"
    "* best of its column   = tied with it: the interval of their ratio includes 1\n";

}  // namespace

std::string tables_text(const Run& run) {
  std::string text;
  for (const Table& table : tables_of(run)) text += table_text(table, item_of(run, table.workload)) + "\n";
  if (!text.empty()) text += legend;
  return text + frames_text(run) + memory_text(run) + failures_text(run) + not_offered_text(run);
}

}  // namespace stowage::harness
