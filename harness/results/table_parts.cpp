#include "harness/results/table_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace stowage::harness {

std::string table_title(const std::string& workload, std::string values) {
  std::ranges::replace(values, '/', ' ');
  return fmt::format("{}{}{}", workload, values.empty() ? "" : " ", values);
}

std::string three_digits(double value, int most_decimals) {
  const int magnitude = value > 0 ? static_cast<int>(std::floor(std::log10(value))) : 0;
  return fmt::format("{:.{}f}", value, std::clamp(2 - magnitude, 0, most_decimals));
}

std::string item_of(const Run& run, const std::string& workload) {
  const auto card = std::ranges::find(run.workload_cards, workload, &WorkloadRecord::name);
  return card == run.workload_cards.end() ? "item" : card->item;
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
