#include "harness/results/frames_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <string_view>
#include <vector>

#include <stowage/contract/events.hpp>

#include "harness/results/metrics.hpp"
#include "harness/results/names.hpp"
#include "harness/results/page_table.hpp"
#include "harness/results/table_parts.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

struct Column {
  std::string_view heading;
  std::string_view counter;
};
constexpr Column columns[] = {
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
    return cell->strategy == reference_name ? 0.0 : cell->counters.at("frame_max_ns");
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

std::string table_text(const BlockResult& block, const std::vector<const CellResult*>& cells) {
  PageColumn labels{""};
  for (const CellResult* cell : cells) labels.push_back(label_of(cell->strategy));
  std::vector<PageColumn> page;
  for (const Column& column : columns) {
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

}  // namespace

std::string frames_text(const Run& run) {
  std::string text;
  for (const BlockResult& block : run.blocks) {
    const std::vector<const CellResult*> cells = framed_cells(block);
    if (!cells.empty()) text += table_text(block, cells);
  }
  for (const Omission& omission : run.omissions) {
    if (omission.pass == frames_pass) text += fmt::format("no frames of {}: {}\n", omission.cell, omission.reason);
  }
  return text;
}

}  // namespace stowage::harness
