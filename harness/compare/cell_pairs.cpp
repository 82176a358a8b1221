#include "harness/compare/cell_pairs.hpp"

#include <unordered_map>

namespace stowage::harness {
namespace {

/// "workload/strategy/parameters"; other programs name their benchmarks as they like.
void split_name(CellPair& pair) {
  const std::string_view name = pair.name();
  const std::size_t first = name.find('/');
  const std::size_t second = first == std::string_view::npos ? first : name.find('/', first + 1);
  if (second == std::string_view::npos) return;
  pair.strategy = name.substr(first + 1, second - first - 1);
  pair.block = std::string(name.substr(0, first)) + std::string(name.substr(second));
}

using Index = std::unordered_map<std::string_view, const MeasuredCell*>;

Index index_of(const MeasuredFile& file) {
  Index index;
  for (const MeasuredCell& cell : file.cells) index.emplace(cell.name, &cell);
  return index;
}

}  // namespace

CellPairs pair_cells(const MeasuredFile& before, const MeasuredFile& after) {
  const bool are_of_stowage = before.is_of_stowage && after.is_of_stowage;
  const Index index_before = index_of(before);
  const Index index_after = index_of(after);
  CellPairs pairs;
  for (const MeasuredCell& cell : before.cells) {
    const auto partner = index_after.find(cell.name);
    if (!cell.error.empty()) pairs.failed_before.push_back(&cell);
    if (partner == index_after.end()) {
      pairs.only_before.push_back(&cell);
    } else if (cell.error.empty() && partner->second->error.empty()) {
      CellPair& pair = pairs.both.emplace_back(CellPair{&cell, partner->second, {}, {}});
      if (are_of_stowage) split_name(pair);
    }
  }
  for (const MeasuredCell& cell : after.cells) {
    const auto partner = index_before.find(cell.name);
    if (partner == index_before.end()) pairs.only_after.push_back(&cell);
    const bool was_measured = partner != index_before.end() && partner->second->error.empty();
    if (!cell.error.empty() && was_measured) pairs.failed_after.push_back(&cell);
  }
  return pairs;
}

}  // namespace stowage::harness
