// `stowage list`: strategies, workloads and metrics, as a table for people and as JSON for programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/results/metrics.hpp"
#include "harness/system/json.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

struct ListOptions {
  std::string topic = "strategies";
  std::string format = "table";
};

OrderedJson strategy_json(const StrategyEntry& entry) {
  OrderedJson json{{"name", entry.name},        {"family", entry.family},        {"source", entry.source},
                   {"semantics", nullptr},      {"summary", entry.summary},      {"form", entry.form},
                   {"floor", entry.is_floor()}, {"lacks", OrderedJson::object()}};
  for (const Lack& lack : entry.lacks) json["lacks"][std::string(name_of(lack.capability))] = lack.reason;
  if (!entry.semantics) return json;
  OrderedJson kept = OrderedJson::object();
  OrderedJson reasons = OrderedJson::object();
  for (const auto& [line, promise] : entry.semantics->lines()) {
    kept[std::string(line)] = promise.kept;
    if (!promise.kept) reasons[std::string(line)] = promise.reason;
  }
  json["semantics"] = std::move(kept);
  json["semantics_reasons"] = std::move(reasons);
  return json;
}

OrderedJson workload_json(const WorkloadEntry& entry) {
  const workloads::WorkloadCard& card = entry.card;
  OrderedJson axes = OrderedJson::object();
  for (const workloads::Axis& axis : entry.axes) axes[std::string(axis.key)] = axis.values;
  OrderedJson sizes = OrderedJson::array();
  for (const std::size_t size : card.sizes) {
    if (size != 0) sizes += size;
  }
  return {{"name", card.name},
          {"item", card.item},
          {"setup", card.setup},
          {"measured", card.measured},
          {"checksum", card.checksum},
          {"favours", card.favours},
          {"disadvantages", card.disadvantages},
          {"floor", card.floor},
          {"smallest_entities", card.smallest_entities},
          {"sizes", std::move(sizes)},
          {"axes", std::move(axes)}};
}

OrderedJson metric_json(const Metric& metric) {
  return {{"name", metric.name}, {"unit", metric.unit}, {"pass", metric.pass}, {"description", metric.description}};
}

/// A line of the table for every entry, in order.
template <class Entries, class ToRow>
std::string table_of(const TextRow& headings, const Entries& entries, ToRow to_row) {
  std::vector<TextRow> rows;
  rows.reserve(std::size(entries));
  for (const auto& entry : entries) rows.push_back(to_row(entry));
  return text_table(headings, rows);
}

/// One line for each strategy, then one for each hand-written loop.
std::string strategies_text(const Catalogue& catalogue) {
  std::vector<TextRow> strategies;
  std::vector<TextRow> references;
  for (const StrategyEntry& entry : catalogue.strategies()) {
    (entry.is_floor() || entry.is_yardstick() ? references : strategies)
        .push_back({entry.name, entry.form, entry.summary});
  }
  return lines_table({"STRATEGY", "FORM", "WHEN TO PICK IT"}, strategies) + "\n" +
         lines_table({"REFERENCE", "FORM", "HAND-WRITTEN, FOR COMPARISON"}, references) +
         "\nFORM: exact as its article or documentation has it; near: with the differences that docs/fairness.md\n"
         "names; tuned: its idea in a faster form; ours: no source.\n";
}

/// A table of the parts of the contract that strategies lack.
std::string missing_text(const Catalogue& catalogue) {
  std::vector<TextRow> rows;
  for (const StrategyEntry& entry : catalogue.strategies()) {
    for (const Lack& lack : entry.lacks) {
      rows.push_back({entry.name, std::string(name_of(lack.capability)),
                      fmt::format("{}: {}", meaning_of(lack.capability), lack.reason)});
    }
  }
  return rows.empty() ? "" : "\n" + text_table({"STRATEGY", "LACKS", "WHAT IS NOT OFFERED, AND WHY"}, rows);
}

/// The strategies of the list that this binary does not have.
std::string not_built_text(const Catalogue& catalogue) {
  std::string text;
  for (const NotBuilt& entry : catalogue.not_built())
    text += fmt::format("not built: {} ({})\n", entry.name, entry.reason);
  return text;
}

std::string axes_text(const WorkloadEntry& entry) {
  const auto text_of = [](const workloads::Axis& axis) {
    return fmt::format("{}:{}", axis.key, fmt::join(axis.values, "|"));
  };
  return fmt::format("{}", fmt::join(names_of(entry.axes, text_of), " "));
}

TextRow workload_row(const WorkloadEntry& entry) {
  return {std::string(entry.card.name), axes_text(entry),
          fmt::format("{} (per item: {})", entry.card.measured, entry.card.item)};
}

TextRow metric_row(const Metric& metric) {
  return {std::string(metric.name), std::string(metric.unit), std::string(metric.pass),
          std::string(metric.description)};
}

/// Something that can be listed, in both forms.
struct Topic {
  std::string name;
  std::string (*table)(const Catalogue&);
  OrderedJson (*json)(const Catalogue&);
};

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all = {
      {"strategies",
       [](const Catalogue& catalogue) {
         return strategies_text(catalogue) + missing_text(catalogue) + not_built_text(catalogue);
       },
       [](const Catalogue& catalogue) { return list_of(catalogue.strategies(), strategy_json); }},
      {"workloads",
       [](const Catalogue& catalogue) {
         return table_of({"NAME", "PARAMETERS", "MEASURED"}, catalogue.workloads(), workload_row);
       },
       [](const Catalogue& catalogue) { return list_of(catalogue.workloads(), workload_json); }},
      {"metrics", [](const Catalogue&) { return table_of({"NAME", "UNIT", "PASS", "MEANING"}, metrics, metric_row); },
       [](const Catalogue&) { return list_of(metrics, metric_json); }}};
  return all;
}

void list(const ListOptions& options, const Catalogue& catalogue) {
  const Topic& topic =
      find_named(topics(), options.topic, &Topic::name, "list", "there are strategies, workloads and metrics");
  const bool json = options.format == "json";
  if (json && topic.name == "strategies") std::cerr << not_built_text(catalogue);
  std::cout << (json ? topic.json(catalogue).dump(2) + "\n" : topic.table(catalogue));
}

}  // namespace

void add_list_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand("list", "Shows what there is: strategies, workloads or metrics");
  const auto options = std::make_shared<ListOptions>();
  command->add_option("topic", options->topic, "strategies (the default), workloads or metrics");
  add_choice_option(*command, "--format", options->format, {"table", "json"}, "table (the default) or json");
  set_action(*command, context, [options, &context] {
    context.modules.load_ready();
    list(*options, context.catalogue);
  });
}

}  // namespace stowage::harness
