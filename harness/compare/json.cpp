#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/compare/formats.hpp"
#include "harness/compare/wording.hpp"
#include "harness/statistics/change.hpp"

namespace stowage::harness {
namespace {

using OrderedJson = nlohmann::ordered_json;

template <class Entries, class ToJson>
OrderedJson array_of(const Entries& entries, ToJson to_json) {
  OrderedJson array = OrderedJson::array();
  for (const auto& entry : entries) array += to_json(entry);
  return array;
}

OrderedJson names_of(const std::vector<const MeasuredCell*>& cells) {
  return array_of(cells, [](const MeasuredCell* cell) { return OrderedJson(cell->name); });
}

/// What is not known is absent.
void add_change(OrderedJson& json, const TimeChange& change) {
  json["ratio"] = change.ratio;
  if (change.interval) {
    json["ratio_low"] = change.interval->low;
    json["ratio_high"] = change.interval->high;
  }
  json["verdict"] = name_of(change.verdict);
}

OrderedJson cell_json(const CellTimeChange& change) {
  OrderedJson json{{"cell", change.pair->name()},
            {"of", change.is_of_ratios ? "ratio_to_reference" : "real_time_ns"},
            {"before", change.before},
            {"after", change.after}};
  add_change(json, change);
  if (change.chance) json["p"] = *change.chance;
  if (!change.reason.empty()) json["reason"] = change.reason;
  return json;
}

OrderedJson strategy_json(const StrategyTimeChange& change) {
  OrderedJson json{{"strategy", change.strategy},
            {"cells", change.cells},
            {"slower", change.slower},
            {"faster", change.faster},
            {"undecided", change.undecided}};
  add_change(json, change);
  return json;
}

OrderedJson count_json(const ExactChange& change) {
  OrderedJson json{
      {"cell", change.pair->name()}, {"figure", change.figure}, {"before", change.before}, {"after", change.after}};
  if (change.growth) json["growth"] = *change.growth;
  return json;
}

OrderedJson time_json(const TimeComparison& time) {
  OrderedJson json{{"confidence", confidence}, {"false_discovery_rate", false_discovery_rate}};
  json["run_scatter"] = time.run_scatter;
  if (time.references) json["references_ratio"] = time.references->median;
  for (const Verdict verdict : {Verdict::slower, Verdict::faster, Verdict::unchanged, Verdict::undecided}) {
    json[std::string(name_of(verdict))] = time.count(verdict);
  }
  json["strategies"] = array_of(time.strategies, strategy_json);
  json["cells"] = array_of(time.cells, cell_json);
  return json;
}

OrderedJson counts_json(const ExactComparison& counts) {
  return {{"cells", counts.cells},
          {"figures", counts.figures},
          {"only_one_has", counts.only_one_has},
          {"differ", counts.changes.size()},
          {"changes", array_of(counts.changes, count_json)}};
}

OrderedJson excess_json(const Excess& excess) {
  const auto cell_of = [](const auto* change) { return OrderedJson(change->pair->name()); };
  const auto count_of = [](const ExactChange* change) { return count_json(*change); };
  const auto strategy_of = [](const StrategyTimeChange* change) { return OrderedJson(change->strategy); };
  return {{"limit", excess.limit},
          {"exceeded", excess.any()},
          {"strategies", array_of(excess.strategies, strategy_of)},
          {"cells", array_of(excess.cells, cell_of)},
          {"counts", array_of(excess.counts, count_of)},
          {"failures", names_of(excess.failures)}};
}

}  // namespace

std::string comparison_json(const RunComparison& comparison, const std::optional<Excess>& excess) {
  const auto difference_json = [](const ContextDifference& difference) {
    return OrderedJson{{"what", difference.what}, {"before", difference.before}, {"after", difference.after}};
  };
  const CellPairs& pairs = comparison.pairs;
  OrderedJson json{{"before", comparison.before.path.string()}, {"after", comparison.after.path.string()}};
  json["differences"] = array_of(comparison.differences, difference_json);
  json["notes"] = notes_of(comparison);
  json["only_before"] = names_of(pairs.only_before);
  json["only_after"] = names_of(pairs.only_after);
  json["failed_before"] = names_of(pairs.failed_before);
  json["failed_after"] = names_of(pairs.failed_after);
  json["time"] = time_json(comparison.time);
  json["counts"] = counts_json(comparison.counts);
  if (excess) json["fail_above"] = excess_json(*excess);
  // A path may be in any encoding.
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace stowage::harness
