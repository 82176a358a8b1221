#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "harness/errors.hpp"
#include "harness/selection/selection.hpp"

namespace stowage::harness {
namespace {

/// Google Benchmark's filter: a regular expression that is searched for, negated by a leading '-'; "all" is all.
class CellFilter {
 public:
  explicit CellFilter(const std::string& text) {
    if (text.empty() || text == "all") return;
    negated_ = text.starts_with('-');
    try {
      expression_ = std::regex(negated_ ? text.substr(1) : text, std::regex::extended);
    } catch (const std::regex_error&) {
      throw UserError(
          fmt::format("--benchmark_filter '{}' is not a regular expression; "
                      "it is searched for in names such as join/indirection_map/entities:1024",
                      text));
    }
    is_set_ = true;
  }

  [[nodiscard]] bool is_set() const noexcept { return is_set_; }
  [[nodiscard]] bool takes(const std::string& cell) const {
    return !is_set_ || std::regex_search(cell, expression_) != negated_;
  }

 private:
  std::regex expression_;
  bool is_set_ = false;
  bool negated_ = false;
};

/// Every combination of the axes' values; one empty combination where there are no axes.
std::vector<std::vector<workloads::Parameter>> combinations(const std::vector<workloads::Axis>& axes, bool quick) {
  std::vector<std::vector<workloads::Parameter>> all(1);
  for (const workloads::Axis& axis : axes) {
    std::vector<std::vector<workloads::Parameter>> longer;
    for (const std::vector<workloads::Parameter>& prefix : all) {
      for (const std::string_view value : quick ? axis.quick_values : axis.values) {
        longer.push_back(prefix);
        longer.back().push_back({std::string(axis.key), std::string(value)});
      }
    }
    all = std::move(longer);
  }
  return all;
}

/// The floor stays wherever a strategy does, so that a filter never takes the ratios away; it is measured alone only
/// where it is all that was asked for.
std::vector<const StrategyEntry*> participants(const Block& block, const Selection& selection, const CellFilter& filter,
                                               const Catalogue& catalogue) {
  std::vector<const StrategyEntry*> taking_part;
  bool any_wanted = false;
  for (const StrategyEntry* strategy : selection.strategies) {
    if (catalogue.maker(strategy->name, block.workload->card.name) == nullptr) continue;
    const bool wanted = filter.takes(block.cell_name(*strategy));
    const bool counts = !strategy->is_floor() || selection.strategies.size() == 1 || filter.is_set();
    any_wanted = any_wanted || (wanted && counts);
    if (wanted || strategy->is_floor()) taking_part.push_back(strategy);
  }
  if (!any_wanted) taking_part.clear();
  return taking_part;
}

/// All blocks of the selection, whatever its shard.
std::vector<Block> expand_all(const Selection& selection, const Catalogue& catalogue) {
  const CellFilter filter(selection.filter);
  std::vector<Block> blocks;
  for (const WorkloadEntry* workload : selection.workloads) {
    const auto values = combinations(workload->axes, selection.preset->quick_values_only);
    for (const std::size_t entities : selection.entities) {
      if (entities < workload->card.smallest_entities) continue;
      for (const std::vector<workloads::Parameter>& combination : values) {
        Block block{workload, {.entities = entities, .values = combination}, {}};
        block.strategies = participants(block, selection, filter, catalogue);
        if (!block.strategies.empty()) blocks.push_back(std::move(block));
      }
    }
  }
  return blocks;
}

}  // namespace

std::vector<Block> expand(const Selection& selection, const Catalogue& catalogue) {
  std::vector<Block> all = expand_all(selection, catalogue);
  if (all.empty()) {
    throw UserError(
        "nothing to measure: no selected strategy takes part in a selected workload at a selected size; "
        "`stowage list workloads` shows the smallest size of each");
  }
  std::vector<Block> blocks;
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (selection.shard.takes(index)) blocks.push_back(std::move(all[index]));
  }
  if (blocks.empty()) {
    throw UserError(fmt::format("--shard {} has nothing to do; the selection has {} blocks, so give I up to {}",
                                selection.shard.name(), all.size(), all.size()));
  }
  return blocks;
}

}  // namespace stowage::harness
