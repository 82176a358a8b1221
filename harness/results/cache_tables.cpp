#include "harness/results/cache_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "harness/results/metrics.hpp"
#include "harness/results/names.hpp"
#include "harness/results/table_parts.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

struct Figure {
  std::string_view counter;
  std::string_view heading;
  std::size_t width;
  int most_decimals;
};

using Figures = std::span<const Figure>;

constexpr Figure simulated_figures[] = {{"instructions_per_item", "instr", 5, 2},
                                        {"l1d_misses_per_item", "L1d", 5, 3},
                                        {"ll_misses_per_item", "LL", 5, 3},
                                        {"line_use_share", "use", 4, 2}};
constexpr Figure hardware_figures[] = {
    {"cycles_per_item", "cycles", 6, 2},    {"instructions_per_item", "instr", 6, 2},
    {"l1d_misses_per_item", "L1d", 6, 3},   {"ll_misses_per_item", "LL", 6, 3},
    {"dtlb_misses_per_item", "dTLB", 6, 3}, {"branch_misses_per_item", "branch", 6, 3},
    {"counted_time_share", "counted", 7, 2}};

std::optional<double> counter_of(const CellResult& cell, std::string_view name) {
  const auto counter = cell.counters.find(std::string(name));
  return counter == cell.counters.end() ? std::nullopt : std::optional(counter->second);
}

std::string number_text(double value, const Figure& figure) {
  return value < 0.0005 ? "0" : three_digits(value, figure.most_decimals);
}

std::string figures_text(Figures figures, const CellResult& cell) {
  if (!cell.error.empty()) return "ERROR";
  std::string text;
  for (const Figure& figure : figures) {
    const std::optional<double> value = counter_of(cell, figure.counter);
    text += fmt::format(" {:>{}}", value ? number_text(*value, figure) : "-", figure.width);
  }
  return text;
}

/// The floor of the misses, in the columns of the strategies' misses.
std::string floor_text(Figures figures, const CellResult& cell) {
  std::string text;
  for (const Figure& figure : figures) {
    const std::optional<double> floor =
        figure.counter == "l1d_misses_per_item" ? counter_of(cell, "floor_lines_per_item") : std::nullopt;
    text += fmt::format(" {:>{}}", floor ? number_text(*floor, figure) : "", figure.width);
  }
  return text;
}

std::string headings_text(Figures figures) {
  std::string text;
  for (const Figure& figure : figures) text += fmt::format(" {:>{}}", figure.heading, figure.width);
  return text;
}

/// The blocks of one workload that differ in the number of entities alone.
struct Table {
  std::string workload;
  std::string values;
  std::map<std::size_t, const BlockResult*> blocks;  ///< by entities
};

std::vector<Table> tables_of(const Run& run) {
  std::vector<Table> tables;
  for (const BlockResult& block : run.blocks) {
    auto [entities, values] = split_parameters(block.parameters);
    const auto is_it = [&block, &values = values](const Table& table) {
      return table.workload == block.workload && table.values == values;
    };
    auto table = std::ranges::find_if(tables, is_it);
    if (table == tables.end()) table = tables.insert(table, Table{block.workload, std::move(values), {}});
    table->blocks[entities] = &block;
  }
  return tables;
}

const CellResult* cell_of(const BlockResult& block, const std::string& strategy) {
  const auto cell = std::ranges::find(block.cells, strategy, &CellResult::strategy);
  return cell == block.cells.end() ? nullptr : &*cell;
}

/// At the largest size at which there is a figure: small ones fit the cache, so their figures hardly differ.
double misses_of(const Table& table, const std::string& strategy) {
  double misses = std::numeric_limits<double>::infinity();
  for (const auto& [entities, block] : table.blocks) {
    const CellResult* const cell = cell_of(*block, strategy);
    if (cell != nullptr) misses = counter_of(*cell, "l1d_misses_per_item").value_or(misses);
  }
  return misses;
}

std::vector<std::string> fewest_misses_first(const Table& table) {
  std::vector<std::string> strategies;
  for (const auto& [entities, block] : table.blocks) {
    for (const CellResult& cell : block->cells) {
      if (std::ranges::find(strategies, cell.strategy) == strategies.end()) strategies.push_back(cell.strategy);
    }
  }
  std::ranges::sort(strategies, {}, [&table](const std::string& strategy) {
    return std::tuple(rank_of(strategy), misses_of(table, strategy), strategy);
  });
  return strategies;
}

std::string table_text(const Table& table, Figures figures, const std::string& item) {
  const std::vector<std::string> strategies = fewest_misses_first(table);
  std::vector<std::string> labels = {"", "", "floor"};
  labels.insert(labels.end(), strategies.begin(), strategies.end());
  std::vector<PageColumn> columns;
  for (const auto& [entities, block] : table.blocks) {
    PageColumn& column = columns.emplace_back(
        PageColumn{entities_text(entities), headings_text(figures), floor_text(figures, block->cells.front())});
    for (const std::string& strategy : strategies) {
      const CellResult* const cell = cell_of(*block, strategy);
      column.push_back(cell == nullptr ? "-" : figures_text(figures, *cell));
    }
  }
  return fmt::format("{}: per {}\n{}", table_title(table.workload, table.values), item, page_table(labels, columns));
}

constexpr std::string_view simulated_legend =
    "instr: instructions   L1d, LL: data misses of the first and of the last level\n"
    "use: share of the fetched lines' bytes that the work needs\n"
    "floor: the least lines that any layout must fetch while nothing is cached yet\n";
constexpr std::string_view hardware_legend =
    "instr: instructions   L1d, LL, dTLB: misses of loads in the first level, the last, and the page table's cache\n"
    "branch: mispredicted branches   counted: least share of the time that events which took turns were counted for\n"
    "floor: the least lines that any layout must fetch, by prefetching or not\n";

bool is_hardware(const Run& run) {
  return std::ranges::any_of(
      run.passes, [](const PassRecord& record) { return record.pass == cache_pass && record.source == "hardware"; });
}

}  // namespace

std::string cache_tables_text(const Run& run) {
  const bool hardware = is_hardware(run);
  const Figures figures = hardware ? Figures(hardware_figures) : Figures(simulated_figures);
  std::string text;
  for (const Table& table : tables_of(run)) text += table_text(table, figures, item_of(run, table.workload)) + "\n";
  if (!text.empty()) text += hardware ? hardware_legend : simulated_legend;
  return text + failures_text(run);
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

}  // namespace stowage::harness
