#include "harness/selection/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "harness/errors.hpp"
#include "harness/selection/nearest_name.hpp"

namespace stowage::harness {
namespace {

std::string name_of(const StrategyEntry& entry) { return entry.name; }
std::string name_of(const WorkloadEntry& entry) { return std::string(entry.card.name); }

template <class Entry>
const Entry& find_entry(const std::string& name, const std::vector<Entry>& entries, std::string_view kind,
                        std::string_view plural) {
  const auto name_in = [](const Entry& entry) { return name_of(entry); };
  const auto found = std::ranges::find(entries, name, name_in);
  if (found != entries.end()) return *found;
  const std::string hint =
      suggestion(name, names_of(entries, name_in), fmt::format("`stowage list {}` shows what there is", plural));
  throw UserError(fmt::format("unknown {} '{}'{}", kind, name, hint));
}

void refuse_not_built(const std::string& name, const Catalogue& catalogue) {
  const auto known = std::ranges::find(catalogue.not_built(), name, &NotBuilt::name);
  if (known == catalogue.not_built().end()) return;
  throw EnvironmentError(
      fmt::format("strategy '{}' is not in this binary: {}; install it and build again, where it is installed in a "
                  "PREFIX of its own with CMAKE_PREFIX_PATH=PREFIX in the environment",
                  name, known->reason));
}

/// In the order of the catalogue, whatever the order of the user: a block is the same work either way.
std::vector<const StrategyEntry*> resolve_strategies(const SelectionRequest& request, bool takes_variants,
                                                     const Catalogue& catalogue) {
  const std::optional<std::string>& list = request.strategies;
  std::set<const StrategyEntry*> named;
  for (const std::string& name : request.storage_names) named.insert(&find_strategy(name, catalogue));
  for (const std::string& name : list ? split_list(*list) : std::vector<std::string>{}) {
    named.insert(&find_strategy(name, catalogue));
  }
  std::vector<const StrategyEntry*> selected;
  for (const StrategyEntry& entry : catalogue.strategies()) {
    const bool wanted =
        named.contains(&entry) || (!list && (takes_variants || !(entry.is_variant() || entry.is_yardstick())));
    if (wanted || entry.is_company()) selected.push_back(&entry);
  }
  return selected;
}

std::vector<const WorkloadEntry*> resolve_workloads(const std::optional<std::string>& list,
                                                    const Catalogue& catalogue) {
  std::set<const WorkloadEntry*> named;
  for (const std::string& name : list ? split_list(*list) : std::vector<std::string>{}) {
    named.insert(&find_entry(name, catalogue.workloads(), "workload", "workloads"));
  }
  std::vector<const WorkloadEntry*> selected;
  for (const WorkloadEntry& entry : catalogue.workloads()) {
    if (!list || named.contains(&entry)) selected.push_back(&entry);
  }
  return selected;
}

}  // namespace

const StrategyEntry& find_strategy(const std::string& name, const Catalogue& catalogue) {
  refuse_not_built(name, catalogue);
  return find_entry(name, catalogue.strategies(), "strategy", "strategies");
}

Selection resolve(const SelectionRequest& request, const Catalogue& catalogue) {
  const Preset& preset = find_preset(request.preset.value_or("quick"));
  const std::size_t most_entities_of_variants = request.strategies || request.takes_variants
                                                    ? std::numeric_limits<std::size_t>::max()
                                                    : preset.most_entities_of_variants;
  return {.preset = &preset,
          .strategies = resolve_strategies(request, most_entities_of_variants > 0, catalogue),
          .most_entities_of_variants = most_entities_of_variants,
          .workloads = resolve_workloads(request.workloads, catalogue),
          .entities = request.entities ? parse_entities(*request.entities) : preset.entities,
          .shard = request.shard ? parse_shard(*request.shard) : Shard{},
          .filter = request.filter.value_or("")};
}

}  // namespace stowage::harness
