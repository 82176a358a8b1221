#include "harness/recommend/answer.hpp"
#include "harness/system/document.hpp"
#include "harness/system/json.hpp"

namespace stowage::harness {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson or_null(const std::optional<double>& figure) {
  return figure ? OrderedJson(*figure) : OrderedJson(nullptr);
}

OrderedJson interval_of(const std::optional<Estimate>& estimate) {
  if (!estimate || !estimate->interval) return nullptr;
  return OrderedJson::array({estimate->interval->low, estimate->interval->high});
}

template <class Number>
void add(OrderedJson& object, const char* key, const std::optional<Number>& value) {
  if (value) object[key] = *value;
}

template <class Items, class JsonOf>
OrderedJson list_of(const Items& items, JsonOf json_of) {
  OrderedJson list = OrderedJson::array();
  for (const auto& item : items) list.push_back(json_of(item));
  return list;
}

OrderedJson ranked_json(const RankedStrategy& ranked) {
  OrderedJson entry{
      {"strategy", ranked.strategy},
      {"frame_ns", ranked.frame_ns.median},
      {"interval", interval_of(ranked.frame_ns)},
      {"frame_p99_ns", ranked.frame_p99_ns ? OrderedJson(ranked.frame_p99_ns->median) : OrderedJson(nullptr)},
      {"frame_p99_interval", interval_of(ranked.frame_p99_ns)},
      {"frame_max_ns", or_null(ranked.frame_worst_ns)},
      {"processes", ranked.processes},
      {"bytes_per_entity", or_null(ranked.bytes_per_entity)},
      {"broken_budgets", ranked.broken_budgets},
      {"tied", ranked.may_be_best()},
      {"ratio_to_winner", ranked.ratio_to_winner.median},
      {"ratio_interval", interval_of(ranked.ratio_to_winner)},
      {"parts", ranked.parts}};
  if (ranked.standing) entry["standing"] = name_of(*ranked.standing);
  add(entry, "save_ns", ranked.save_ns);
  add(entry, "l1d_misses_per_frame", ranked.l1d_misses);
  add(entry, "ll_misses_per_frame", ranked.ll_misses);
  add(entry, "instructions_per_frame", ranked.instructions);
  return entry;
}

OrderedJson variation_json(const Variation& variation) {
  return {{"what", variation.what},
          {"winner", variation.winner},
          {"tied", variation.tied},
          {"changes_the_winner", variation.changes_the_winner},
          {"former_winner_ratio", variation.former_winner_ratio}};
}

OrderedJson placements_json(const std::optional<Placements>& placements) {
  if (!placements) return nullptr;
  const auto component_json = [](const PlacedComponent& placed) {
    OrderedJson entry{{"name", placed.component}};
    if (placed.type.empty()) {
      entry["bytes"] = placed.bytes;
    } else {
      entry["type"] = placed.type;
      entry["header"] = placed.header;
    }
    if (placed.recorded) entry["recorded"] = true;
    entry["place"] = placed.place;
    entry["why"] = placed.why;
    if (placed.instead_ratio) {
      entry["elsewhere"] = {{"place", placed.instead},
                            {"ratio", placed.instead_ratio->median},
                            {"interval", interval_of(placed.instead_ratio)}};
    }
    return entry;
  };
  const auto entry_json = [](const PlacedEntry& entry) {
    return OrderedJson{{"mark", entry.mark}, {"components", entry.components}};
  };
  OrderedJson object{{"strategy", placements->strategy},
                     {"design", placements->name},
                     {"difference", placements->difference},
                     {"schema", list_of(placements->schema, entry_json)},
                     {"components", list_of(placements->components, component_json)},
                     {"trials", placements->trials},
                     {"confirmed", placements->is_confirmed}};
  if (placements->gain) {
    object["tried"] = placements->tried;
    object["ratio_to_winner"] = placements->gain->median;
    object["ratio_interval"] = interval_of(placements->gain);
  }
  if (placements->other_ratio) {
    object["other_kind"] = {{"design", placements->other_kind},
                            {"ratio", placements->other_ratio->median},
                            {"interval", interval_of(placements->other_ratio)}};
  }
  add(object, "bytes_per_entity", placements->bytes_per_entity);
  return object;
}

OrderedJson budget_json(const ProfileBudget& budget) {
  OrderedJson object = OrderedJson::object();
  add(object, "frame_ms", budget.frame_ms);
  add(object, "worst_frame_ms", budget.worst_frame_ms);
  add(object, "memory_bytes", budget.memory_bytes);
  return object;
}

}  // namespace

std::string answer_json(const Answer& answer) {
  const auto gap_json = [](const SemanticsGap& gap) { return OrderedJson{{"card", gap.card}, {"reason", gap.reason}}; };
  const auto not_ranked_json = [](const NotRanked& entry) {
    return OrderedJson{{"strategy", entry.strategy}, {"reason", entry.reason}};
  };
  OrderedJson root{{"winner", answer.winner},
                   {"tied", answer.tied},
                   {"ranking", list_of(answer.ranking, ranked_json)},
                   {"reasons", answer.reasons},
                   {"winner_does_not_promise", list_of(answer.winner_lacks, gap_json)},
                   {"sensitivity", list_of(answer.variations, variation_json)},
                   {"placements", placements_json(answer.placements)},
                   {"not_ranked", list_of(answer.not_ranked, not_ranked_json)},
                   {"left_out", answer.left_out},
                   {"profile", answer.profile},
                   {"entities", answer.entities},
                   {"budget", budget_json(answer.budget)},
                   {"processes", answer.processes},
                   {"frames_per_process", answer.frames_per_process},
                   {"waiting_share", answer.waiting_share},
                   {"compiled_s", answer.compiled_s},
                   {"measured_s", answer.measured_s},
                   {"compiled_files", answer.compiled_files}};
  clear_controls(root);
  return root.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace stowage::harness
