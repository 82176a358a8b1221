#include "harness/results/write.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <string_view>

#include "harness/results/json_fields.hpp"
#include "harness/results/summary.hpp"
#include "harness/statistics/median.hpp"

namespace stowage::harness {
namespace {

/// Keeps the order of keys: people read these files too.
using OrderedJson = nlohmann::ordered_json;

void append(OrderedJson& object, const nlohmann::json& fields) {
  for (const auto& [key, value] : fields.items()) object[key] = value;
}

OrderedJson errors_of(const Run& run) {
  OrderedJson errors = OrderedJson::array();
  for (const BlockResult& block : run.blocks) {
    for (const CellResult& cell : block.cells) {
      if (!cell.error.empty()) errors.push_back({{"cell", block.cell_name(cell)}, {"message", cell.error}});
    }
  }
  return errors;
}

OrderedJson context_of(const Run& run) {
  OrderedJson stowage{{"format", results_format}};
  append(stowage, run.environment.build);
  append(stowage, run.environment.machine);
  append(stowage, run.options);
  if (!run.options.storages.empty()) stowage["storages"] = run.options.storages;
  append(stowage, run.state);
  if (run.state.other_programs) stowage["other_programs"] = *run.state.other_programs;
  stowage["blocks_done"] = run.blocks.size();
  stowage["strategy_cards"] = nlohmann::json(run.strategy_cards);
  stowage["workload_cards"] = nlohmann::json(run.workload_cards);
  stowage["passes"] = nlohmann::json(run.passes);
  stowage["omissions"] = nlohmann::json(run.omissions);
  stowage["errors"] = errors_of(run);
  OrderedJson context = OrderedJson::object();
  append(context, run.environment.host);
  context["stowage"] = std::move(stowage);
  return context;
}

/// What an exact figure depends on: the build, what was asked for, and how the pass was made.
OrderedJson exact_context_of(const Run& run) {
  OrderedJson stowage{{"format", results_format}};
  append(stowage, run.environment.build);
  append(stowage, run.options);
  if (!run.options.storages.empty()) stowage["storages"] = run.options.storages;
  for (const std::string_view of_times : {"repetitions", "min_time_s", "precision"})
    stowage.erase(std::string(of_times));
  stowage["passes"] = nlohmann::json(run.passes);
  stowage["omissions"] = nlohmann::json(run.omissions);
  stowage["errors"] = errors_of(run);
  return {{"stowage", std::move(stowage)}};
}

double mean(const std::vector<double>& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

/// Of a sample, as Google Benchmark computes it: divided by n - 1, and 0 for a single one.
double stddev(const std::vector<double>& samples) {
  if (samples.size() < 2) return 0;
  const double centre = mean(samples);
  const double squares = std::accumulate(samples.begin(), samples.end(), 0.0, [centre](double sum, double sample) {
    return sum + (sample - centre) * (sample - centre);
  });
  return std::sqrt(squares / static_cast<double>(samples.size() - 1));
}

double coefficient_of_variation(const std::vector<double>& samples) { return stddev(samples) / mean(samples); }

struct Aggregate {
  std::string_view name;
  std::string_view unit;
  double (*of)(const std::vector<double>&);
};

constexpr Aggregate aggregates[] = {
    {"mean", "time", mean},
    {"median", "time", [](const std::vector<double>& samples) { return median(samples); }},
    {"stddev", "time", stddev},
    {"cv", "percentage", coefficient_of_variation},
};

/// Writes the entries of one cell: the aggregates, of which the median has the repetitions; one for the error; or one for
/// the counters of a cell that was not timed.
class CellWriter {
 public:
  CellWriter(OrderedJson& benchmarks, std::size_t family, const BlockResult& block, const CellSummary& summary)
      : benchmarks_(benchmarks),
        family_(family),
        name_(block.cell_name(*summary.cell)),
        cell_(*summary.cell),
        summary_(summary) {}

  void write() {
    if (!cell_.error.empty()) {
      write_error();
      return;
    }
    if (cell_.repetitions.empty()) {
      write_untimed();
      return;
    }
    for (const Aggregate& aggregate : aggregates) write_aggregate(aggregate);
  }

 private:
  [[nodiscard]] OrderedJson entry(std::string name, std::string_view run_type) const {
    return {{"name", std::move(name)},        {"family_index", family_},
            {"per_family_instance_index", 0}, {"run_name", name_},
            {"run_type", run_type},           {"repetitions", std::max<std::size_t>(1, cell_.repetitions.size())}};
  }

  static void add_times(OrderedJson& entry, std::size_t iterations, double real_time, double cpu_time) {
    entry["iterations"] = iterations;
    entry["real_time"] = real_time;
    entry["cpu_time"] = cpu_time;
    entry["time_unit"] = "ns";
  }

  /// With times of 0, as Google Benchmark itself writes an error: its compare.py fails on an entry without them.
  void write_error() {
    OrderedJson error = entry(name_, "iteration");
    error["repetition_index"] = 0;
    error["threads"] = 1;
    error["error_occurred"] = true;
    error["error_message"] = cell_.error;
    add_times(error, 0, 0, 0);
    benchmarks_.push_back(std::move(error));
  }

  void write_untimed() {
    OrderedJson json = entry(name_, "iteration");
    json["repetition_index"] = 0;
    json["threads"] = 1;
    add_times(json, 0, 0, 0);
    add_counters(json);
    benchmarks_.push_back(std::move(json));
  }

  /// The repetitions in their order: an entry for each would be half of the file.
  [[nodiscard]] OrderedJson rounds() const {
    OrderedJson iterations = OrderedJson::array();
    for (const Repetition& repetition : cell_.repetitions) iterations.push_back(repetition.iterations);
    OrderedJson json{{"iterations", std::move(iterations)},
              {"real_time", times(&Repetition::real_ns)},
              {"cpu_time", times(&Repetition::cpu_ns)},
              {"ns_per_item", summary_.ns_per_item}};
    if (!summary_.ratio_to_reference.empty()) json["ratio_to_reference"] = summary_.ratio_to_reference;
    return json;
  }

  void write_aggregate(const Aggregate& aggregate) {
    OrderedJson json = entry(name_ + "_" + std::string(aggregate.name), "aggregate");
    json["threads"] = 1;
    json["aggregate_name"] = aggregate.name;
    json["aggregate_unit"] = aggregate.unit;
    add_times(json, cell_.repetitions.size(), aggregate.of(times(&Repetition::real_ns)),
              aggregate.of(times(&Repetition::cpu_ns)));
    if (aggregate.name == "median") add_figures(json);
    benchmarks_.push_back(std::move(json));
  }

  void add_figures(OrderedJson& json) const {
    add_estimate(json, "ns_per_item", summary_.ns_per_item);
    add_estimate(json, "ratio_to_reference", summary_.ratio_to_reference);
    add_counters(json);
    json["rounds"] = rounds();
  }

  void add_counters(OrderedJson& json) const {
    json["items"] = cell_.items;
    for (const auto& [name, value] : cell_.counters) json[name] = value;
    if (!cell_.frame_histogram.empty()) json["frame_histogram"] = cell_.frame_histogram;
    if (!cell_.frames_ns.empty()) json["frames_ns"] = cell_.frames_ns;
  }

  static void add_estimate(OrderedJson& json, const std::string& counter, const std::vector<double>& samples) {
    if (samples.empty()) return;
    const Estimate estimate = estimate_median(samples);
    json[counter] = estimate.median;
    if (!estimate.interval) return;
    json[counter + "_low"] = estimate.interval->low;
    json[counter + "_high"] = estimate.interval->high;
  }

  [[nodiscard]] std::vector<double> times(double Repetition::* member) const {
    std::vector<double> values;
    std::ranges::transform(cell_.repetitions, std::back_inserter(values), member);
    return values;
  }

  OrderedJson& benchmarks_;
  std::size_t family_;
  std::string name_;
  const CellResult& cell_;
  const CellSummary& summary_;
};

OrderedJson benchmarks_of(const Run& run) {
  OrderedJson benchmarks = OrderedJson::array();
  std::size_t family = 0;
  for (const BlockResult& block : run.blocks) {
    for (const CellSummary& summary : summarise(block)) {
      CellWriter(benchmarks, family++, block, summary).write();
    }
  }
  return benchmarks;
}

/// A line for each entry: over twelve lines each, spaces would be a third of the file.
std::string text_of(const OrderedJson& context, const Run& run) {
  // A host or a command line may be in any encoding; that is no reason to lose a run.
  const auto dump = [](const OrderedJson& json, int indent) {
    return json.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
  };
  std::string text = "{\n\"context\": " + dump(context, 2) + ",\n\"benchmarks\": [";
  const char* separator = "\n";
  for (const OrderedJson& entry : benchmarks_of(run)) {
    text += separator + dump(entry, -1);
    separator = ",\n";
  }
  return text + "\n]\n}\n";
}

}  // namespace

std::string to_json_text(const Run& run) { return text_of(context_of(run), run); }

std::string to_exact_json_text(const Run& run) { return text_of(exact_context_of(run), run); }

}  // namespace stowage::harness
