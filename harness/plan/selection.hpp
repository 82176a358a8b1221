#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue.hpp"
#include "harness/plan/preset.hpp"

namespace stowage::harness {

/// "1k,16384,1M" -> ascending numbers without repetition; `k` is 1024 and `M` is 1024 * 1024. Throws UserError for what
/// is no number, 0, negative, or more entities than a handle can number.
[[nodiscard]] std::vector<std::size_t> parse_entities(std::string_view text);

/// Part `index` of `count`, counted from 1: how one run is handed out to several machines or jobs.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;

  /// Blocks go round, so that each shard gets small and large ones of every workload.
  [[nodiscard]] bool takes(std::size_t block) const noexcept { return block % count == index - 1; }
  [[nodiscard]] std::string name() const { return std::to_string(index) + "/" + std::to_string(count); }
};

/// So that what is done for each part of a division ends, whatever a file says.
inline constexpr std::size_t most_shards = 10'000;

/// "2/4"; none for anything else.
[[nodiscard]] std::optional<Shard> find_shard(std::string_view text);

/// The same for what a user wrote. Throws UserError for anything else.
[[nodiscard]] Shard parse_shard(std::string_view text);

/// What the user wrote, unchecked; none if a flag was not given.
struct SelectionRequest {
  std::optional<std::string> preset;
  std::optional<std::string> strategies;
  std::vector<std::string> storages;       ///< FILE:TYPE, of the user
  std::vector<std::string> storage_names;  ///< the strategies that those became: selected whatever is named beside them
  std::optional<std::string> world;        ///< a profile: its kinds of work are measured, instead of those of the list
  std::optional<std::string> workloads;
  std::optional<std::string> entities;
  std::optional<std::string> shard;
  bool takes_variants = false;        ///< even if the preset has none
  std::optional<std::string> filter;  ///< of --cells, or of --benchmark_filter, which says the same
};

/// The request resolved against a catalogue, which must outlive it.
struct Selection {
  const Preset* preset = nullptr;
  std::vector<const StrategyEntry*> strategies;  ///< with `reference`, which is always part of it
  std::size_t most_entities_of_variants = 0;     ///< larger blocks are the base forms' alone
  bool takes_repetitions = false;                ///< base forms wherever they can, also where they repeat others
  std::vector<const WorkloadEntry*> workloads;
  std::vector<std::size_t> entities;
  Shard shard;
  std::string filter;

  /// The name of the world that they are measured in; empty if they are of the list.
  [[nodiscard]] std::string world() const;
};

/// What has to be compiled before a selection can be expanded, by names.
struct Needed {
  std::set<std::string> strategies;
  std::set<std::string> units;
};

/// Throws UserError for a name that the catalogue does not have, with the nearest one.
[[nodiscard]] Selection resolve(const SelectionRequest& request, const Catalogue& catalogue);

/// Cells whose names `--cells` does not take need nothing. Throws UserError if it takes none.
[[nodiscard]] Needed needed_for(const Selection& selection);

/// The strategy of that name: of those that are measured, references too. Throws EnvironmentError for one that this
/// binary was built without, with the reason, and UserError for a name of none, with the nearest one.
[[nodiscard]] const StrategyEntry& find_strategy(const std::string& name, const Catalogue& catalogue);

/// One workload, one parameter set, and every selected strategy that takes part in it.
struct Block {
  const WorkloadEntry* workload = nullptr;
  workloads::Parameters parameters;
  std::vector<const StrategyEntry*> strategies;

  [[nodiscard]] std::string name() const { return std::string(workload->card.name) + "/" + parameters.name(); }
  /// The shared library that has a strategy's cell of this block; empty if this program has it.
  [[nodiscard]] std::string module_of(const StrategyEntry& strategy) const {
    const auto module = strategy.modules.find(workload->unit);
    return module == strategy.modules.end() ? std::string() : module->second;
  }
  [[nodiscard]] std::string cell_name(const StrategyEntry& strategy) const {
    return std::string(workload->card.name) + "/" + strategy.name + "/" + parameters.name();
  }
  /// Why misses and instructions of a strategy's cell cannot be counted; empty if they can.
  [[nodiscard]] std::string reason_not_to_count(const StrategyEntry& strategy) const {
    return strategy.why_uncounted.empty() ? workload->reason_not_to_count(parameters) : strategy.why_uncounted;
  }
};

/// How many cells they have together.
[[nodiscard]] inline std::size_t cells_of(const std::vector<Block>& blocks) {
  std::size_t cells = 0;
  for (const Block& block : blocks) cells += block.strategies.size();
  return cells;
}

/// The blocks of a selection: workload by workload, smallest first within one. Throws UserError if there are none.
[[nodiscard]] std::vector<Block> expand(const Selection& selection, const Catalogue& catalogue);

/// A selected cell that cannot exist, such as one with more rows than the strategy can number.
struct MissingCell {
  const StrategyEntry* strategy = nullptr;
  std::string name;    ///< of the cell
  std::string reason;  ///< "it has at most 4096 rows of a component"
};

/// The cells of a selection that cannot exist, in the order of expand(). Its shard is ignored.
[[nodiscard]] std::vector<MissingCell> missing_cells(const Selection& selection, const Catalogue& catalogue);

}  // namespace stowage::harness
