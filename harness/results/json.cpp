// Writes a run as results.json, in the form of Google Benchmark, and reads it back; refuses what no run has written.
#include "harness/results/json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <tuple>
#include <unordered_map>

#include "harness/errors.hpp"
#include "harness/results/json_fields.hpp"
#include "harness/results/metrics.hpp"
#include "harness/results/summary.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/system/document.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

using Json = nlohmann::json;

constexpr double shortest_ns = 1e-3;  // no clock tells less
constexpr std::size_t most_blocks = 20'000;
constexpr std::size_t most_cells = 1'000;  // of a block
constexpr std::string_view a_run_directory = "give a directory that `stowage run` wrote";

const Json& member(const Json& object, const char* key, std::string_view where) {
  if (!object.contains(key)) {
    throw UserError("{} has no `{}`: it is not a results file of stowage; {}", where, key, a_run_directory);
  }
  return object.at(key);
}

void check_format(const Json& stowage, std::string_view where) {
  const Json& format = member(stowage, "format", where);
  if (format != results_format) {
    throw UserError(
        "{} has results of format {}, this version reads format {}; use the version of stowage that wrote it", where,
        format.is_number() ? format.dump() : "unknown", results_format);
  }
}

struct CellName {
  std::string workload;
  std::string strategy;
  std::string parameters;
};

/// `workload/strategy/entities:N[/key:value...]`
CellName split_cell_name(const std::string& name) {
  const std::size_t first = name.find('/');
  const std::size_t second = name.find('/', first + 1);
  return {name.substr(0, first), name.substr(first + 1, second - first - 1), name.substr(second + 1)};
}

/// Puts the entries of `benchmarks`, one for each repetition and aggregate, back together into cells and blocks.
class BlockReader {
 public:
  explicit BlockReader(std::string_view where) : where_(where) {}

  void read(const Json& entry) {
    const CellName name = split_cell_name(entry.at("run_name").get<std::string>());
    BlockResult& block = block_named(name);
    CellResult& cell = cell_named(block, name.strategy);
    const bool is_new = entries_
                            .emplace(entry.at("run_name"), entry.value("aggregate_name", ""),
                                     entry.value("repetition_index", entries_.size()))
                            .second;
    if (!is_new) refuse(block.cell_name(cell), "is there twice");
    if (entry.value("error_occurred", false)) {
      cell.error = entry.value("error_message", std::string("failed without a message"));
    } else if (entry.contains("items")) {
      read_counters(entry, cell);
      if (entry.contains("host")) block.host = entry.at("host");
    } else if (entry.at("run_type") == "iteration") {
      for (const char* time : {"real_time", "cpu_time", "iterations"}) {
        if (!entry.contains(time)) refuse(block.cell_name(cell), fmt::format("has a repetition without {}", time));
      }
      cell.repetitions.push_back({.real_ns = entry.at("real_time").get<double>(),
                                  .cpu_ns = entry.at("cpu_time").get<double>(),
                                  .iterations = entry.at("iterations").get<std::size_t>(),
                                  .layout = entry.value("layout", std::size_t{0}),
                                  .visit = entry.value("visit", std::size_t{0})});
    }
  }

  /// Throws UserError for cells that no run has but the schema allows: too many of them would take all memory and time,
  /// and figures divide by their items and times.
  [[nodiscard]] std::vector<BlockResult> take_blocks() {
    const auto lasts = [](const Repetition& repetition) { return repetition.real_ns >= shortest_ns; };
    if (blocks_.size() > most_blocks) refuse("it", fmt::format("has more than {} blocks", most_blocks));
    for (const BlockResult& block : blocks_) {
      for (const CellResult& cell : block.cells) {
        if (cell.repetitions.empty()) continue;
        if (cell.items == 0) refuse(block.cell_name(cell), "has repetitions and no items");
        if (!std::ranges::all_of(cell.repetitions, lasts)) refuse(block.cell_name(cell), "has a repetition of no time");
      }
    }
    return std::move(blocks_);
  }

 private:
  void refuse(const std::string& name, std::string_view what) const {
    throw UserError("{} is damaged: {} {}; repeat the run", where_, name, what);
  }

  void read_counters(const Json& entry, CellResult& cell) const {
    cell.items = entry.at("items").get<std::uint64_t>();
    if (entry.contains("checksum")) cell.checksum = std::stoull(entry.at("checksum").get<std::string>(), nullptr, 16);
    for (const Metric& metric : metrics) {
      const bool is_counter = metric.pass != time_pass;
      if (is_counter && entry.contains(metric.name)) cell.counters[std::string(metric.name)] = entry[metric.name];
    }
    cell.frame_histogram = entry.value("frame_histogram", cell.frame_histogram);
    cell.frames_ns = entry.value("frames_ns", cell.frames_ns);
    cell.systems_ns = entry.value("systems_ns", cell.systems_ns);
  }

  CellResult& cell_named(BlockResult& block, const std::string& strategy) {
    const auto cell = std::ranges::find(block.cells, strategy, &CellResult::strategy);
    if (cell != block.cells.end()) return *cell;
    if (block.cells.size() == most_cells) refuse(block.name(), fmt::format("has more than {} cells", most_cells));
    return block.cells.emplace_back(CellResult{.strategy = strategy});
  }

  BlockResult& block_named(const CellName& name) {
    const auto [known, is_new] = block_indices_.try_emplace(name.workload + "/" + name.parameters, blocks_.size());
    if (is_new) blocks_.push_back({.workload = name.workload, .parameters = name.parameters});
    return blocks_[known->second];
  }

  std::string_view where_;
  std::vector<BlockResult> blocks_;
  std::unordered_map<std::string, std::size_t> block_indices_;
  std::set<std::tuple<std::string, std::string, std::size_t>> entries_;
};

Run read_run(const Json& root, std::string_view where) {
  const Json& context = root.at("context");
  const Json& stowage = context.at("stowage");
  Run run;
  context.get_to(run.environment.host);
  stowage.get_to(run.environment.machine);
  stowage.get_to(run.environment.build);
  stowage.get_to(run.options);
  run.options.storages = stowage.value("storages", std::vector<std::string>{});
  run.options.world = stowage.value("world", "");
  run.options.layouts = stowage.value("layouts", std::size_t{1});
  run.options.timer = stowage.value("timer", std::string(our_timer));
  run.options.cpus = stowage.value("cpus", "");
  stowage.get_to(run.state);
  run.line_bytes = stowage.value("line_bytes", cache_line_bytes);
  run.state.visits = stowage.value("visits", std::size_t{1});
  run.state.doctor = stowage.value("doctor", std::string());
  run.state.time_pass_s.reset();
  if (stowage.contains("time_pass_s")) run.state.time_pass_s = stowage.at("time_pass_s").get<double>();
  if (stowage.contains("other_programs")) run.state.other_programs = stowage.at("other_programs").get<double>();
  if (stowage.contains("yardstick_ms")) run.state.yardstick_ms = stowage.at("yardstick_ms").get<double>();
  stowage.at("strategy_cards").get_to(run.strategy_cards);
  stowage.at("workload_cards").get_to(run.workload_cards);
  stowage.at("passes").get_to(run.passes);
  stowage.at("omissions").get_to(run.omissions);
  BlockReader reader(where);
  for (const Json& entry : root.at("benchmarks")) reader.read(entry);
  run.blocks = reader.take_blocks();
  return run;
}

}  // namespace

Run parse_run(std::string_view text, std::string_view where) {
  const Json root = parse_document(text, where, a_run_directory);
  check_format(member(member(root, "context", where), "stowage", where), where);
  check_document(root, "results", where, "repeat the run");
  return read_run(root, where);
}

namespace {

/// Keeps the order of keys: people read these files too.
void append(OrderedJson& object, const nlohmann::json& fields) {
  for (const auto& [key, value] : fields.items()) object[key] = value;
}

/// To seven digits, more than a clock has: that halves the file.
double rounded(double value) { return std::stod(fmt::format("{:.7g}", value)); }

OrderedJson errors_of(const Run& run) {
  OrderedJson errors = OrderedJson::array();
  for (const BlockResult& block : run.blocks) {
    for (const CellResult& cell : block.cells) {
      if (!cell.error.empty()) errors.push_back({{"cell", block.cell_name(cell)}, {"message", cell.error}});
    }
  }
  return errors;
}

/// The names of the counters of each pass.
OrderedJson figures_by_pass() {
  OrderedJson figures;
  for (const Metric& metric : metrics) figures[std::string(metric.pass)].push_back(metric.name);
  return figures;
}

/// What a reader needs for intervals of its own: of the ratio of any two cells, or of a figure over all blocks.
OrderedJson interval_samples_of(const Run& run) {
  std::size_t most_samples = run.blocks.size();
  std::set<std::string_view> strategies;
  for (const BlockResult& block : run.blocks) {
    for (const CellResult& cell : block.cells) {
      most_samples = std::max(most_samples, cell.repetitions.size());
      strategies.insert(cell.strategy);
    }
  }
  return interval_samples(most_samples, strategies.size());
}

/// If it `is_exact`, only what exact figures depend on: the build, what was asked for, and how the pass was made.
OrderedJson context_of(const Run& run, bool is_exact) {
  OrderedJson stowage{{"format", results_format}};
  append(stowage, run.environment.build);
  if (!is_exact) append(stowage, run.environment.machine);
  append(stowage, run.options);
  if (!run.options.storages.empty()) stowage["storages"] = run.options.storages;
  if (!run.options.world.empty()) stowage["world"] = run.options.world;
  if (is_exact) {
    for (const std::string of_times : {"repetitions", "min_time_s", "precision"}) stowage.erase(of_times);
  } else {
    if (run.options.layouts != 1) stowage["layouts"] = run.options.layouts;
    if (run.options.timer != our_timer) stowage["timer"] = run.options.timer;
    if (!run.options.cpus.empty()) stowage["cpus"] = run.options.cpus;
    append(stowage, run.state);
    if (run.state.time_pass_s) stowage["time_pass_s"] = *run.state.time_pass_s;
    if (run.state.other_programs) stowage["other_programs"] = *run.state.other_programs;
    if (run.state.yardstick_ms) stowage["yardstick_ms"] = *run.state.yardstick_ms;
    if (!run.state.doctor.empty()) stowage["doctor"] = run.state.doctor;
    if (run.state.visits != 1) stowage["visits"] = run.state.visits;
    stowage["blocks_done"] = blocks_done(run);
    stowage["strategy_cards"] = nlohmann::json(run.strategy_cards);
    stowage["workload_cards"] = nlohmann::json(run.workload_cards);
  }
  if (run.line_bytes != 0) stowage["line_bytes"] = run.line_bytes;
  stowage["passes"] = nlohmann::json(run.passes);
  stowage["omissions"] = nlohmann::json(run.omissions);
  stowage["errors"] = errors_of(run);
  stowage["figures"] = figures_by_pass();
  OrderedJson context = OrderedJson::object();
  if (!is_exact) {
    stowage["interval_samples"] = interval_samples_of(run);
    append(context, run.environment.host);
  }
  context["stowage"] = std::move(stowage);
  return context;
}

/// Writes the entries of one cell: one for each repetition, then their median; one for the error; or one for the
/// counters of a cell that was not timed.
class CellWriter {
 public:
  CellWriter(OrderedJson& benchmarks, std::size_t family, const BlockResult& block, const CellSummary& summary)
      : benchmarks_(benchmarks),
        family_(family),
        name_(block.cell_name(*summary.cell)),
        host_(block.host),
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
    for (std::size_t index = 0; index < cell_.repetitions.size(); ++index) write_repetition(index);
    write_median();
  }

 private:
  [[nodiscard]] OrderedJson entry(std::string name, std::string_view run_type,
                                  std::optional<std::size_t> repetition) const {
    OrderedJson json{{"name", std::move(name)},
                     {"family_index", family_},
                     {"run_name", name_},
                     {"run_type", run_type},
                     {"repetitions", std::max<std::size_t>(1, cell_.repetitions.size())}};
    if (repetition) json["repetition_index"] = *repetition;
    json["threads"] = 1;
    return json;
  }

  [[nodiscard]] OrderedJson iteration(std::size_t repetition) const { return entry(name_, "iteration", repetition); }

  static void add_times(OrderedJson& entry, std::size_t iterations, double real_time, double cpu_time) {
    entry["iterations"] = iterations;
    entry["real_time"] = real_time;
    entry["cpu_time"] = cpu_time;
    entry["time_unit"] = "ns";
  }

  /// With times of 0, as Google Benchmark itself writes an error: its compare.py fails on an entry without them.
  void write_error() {
    OrderedJson error = iteration(0);
    error["error_occurred"] = true;
    error["error_message"] = cell_.error;
    clear_controls(error);
    add_times(error, 0, 0, 0);
    benchmarks_.push_back(std::move(error));
  }

  void write_untimed() {
    OrderedJson json = iteration(0);
    add_times(json, 0, 0, 0);
    if (summary_.contract_floor != nullptr) json["contract_floor"] = summary_.contract_floor->strategy;
    add_counters(json);
    benchmarks_.push_back(std::move(json));
  }

  void write_repetition(std::size_t index) {
    const Repetition& repetition = cell_.repetitions[index];
    OrderedJson json = iteration(index);
    add_times(json, repetition.iterations, repetition.real_ns, repetition.cpu_ns);
    if (repetition.layout != 0) json["layout"] = repetition.layout;
    if (repetition.visit != 0) json["visit"] = repetition.visit;
    add_sample(json, "ns_per_item", summary_.ns_per_item, index);
    add_sample(json, "ratio_to_reference", summary_.ratio_to_reference, index);
    add_sample(json, "ratio_to_contract", summary_.ratio_to_contract, index);
    benchmarks_.push_back(std::move(json));
  }

  void write_median() {
    OrderedJson json = entry(name_ + "_median", "aggregate", {});
    json["aggregate_name"] = "median";
    json["aggregate_unit"] = "time";
    add_times(json, cell_.repetitions.size(), median(times(&Repetition::real_ns)), median(times(&Repetition::cpu_ns)));
    add_figures(json);
    benchmarks_.push_back(std::move(json));
  }

  void add_figures(OrderedJson& json) const {
    add_estimate(json, "ns_per_item", summary_.ns);
    if (summary_.to_reference) add_estimate(json, "ratio_to_reference", *summary_.to_reference);
    if (summary_.to_contract) {
      add_estimate(json, "ratio_to_contract", *summary_.to_contract);
      json["contract_floor"] = summary_.contract_floor->strategy;
    }
    if (summary_.ratio_to_best) add_estimate(json, "ratio_to_best", *summary_.ratio_to_best);
    json["standing"] = name_of(summary_.standing);
    add_counters(json);
  }

  void add_counters(OrderedJson& json) const {
    json["items"] = cell_.items;
    if (cell_.checksum) json["checksum"] = fmt::format("{:#018x}", *cell_.checksum);
    if (!host_.empty()) json["host"] = host_;
    for (const auto& [name, value] : cell_.counters) json[name] = value;
    if (!cell_.frame_histogram.empty()) json["frame_histogram"] = cell_.frame_histogram;
    if (!cell_.frames_ns.empty()) json["frames_ns"] = cell_.frames_ns;
    if (!cell_.systems_ns.empty()) json["systems_ns"] = cell_.systems_ns;
  }

  static void add_sample(OrderedJson& json, const char* name, const std::vector<double>& all, std::size_t index) {
    if (index < all.size()) json[name] = rounded(all[index]);
  }

  static void add_estimate(OrderedJson& json, const std::string& counter, const Estimate& estimate) {
    json[counter] = rounded(estimate.median);
    if (!estimate.interval) return;
    json[counter + "_low"] = rounded(estimate.interval->low);
    json[counter + "_high"] = rounded(estimate.interval->high);
  }

  [[nodiscard]] std::vector<double> times(double Repetition::* member) const {
    std::vector<double> values;
    std::ranges::transform(cell_.repetitions, std::back_inserter(values), member);
    return values;
  }

  OrderedJson& benchmarks_;
  std::size_t family_;
  std::string name_;
  std::string host_;
  const CellResult& cell_;
  const CellSummary& summary_;
};

/// The blocks with the times as they will be read again, so that the figures of a resumed run follow from the same
/// times.
Run as_stored(const Run& run) {
  Run stored;
  stored.state.visits = run.state.visits;
  stored.blocks = run.blocks;
  for (BlockResult& block : stored.blocks) {
    for (CellResult& cell : block.cells) {
      for (Repetition& repetition : cell.repetitions) {
        repetition.real_ns = rounded(repetition.real_ns);
        repetition.cpu_ns = rounded(repetition.cpu_ns);
      }
    }
  }
  return stored;
}

OrderedJson benchmarks_of(const Run& stored, const RunScatter& scatter) {
  OrderedJson benchmarks = OrderedJson::array();
  std::size_t family = 0;
  for (const BlockResult& block : stored.blocks) {
    for (const CellSummary& summary : summarise(block, scatter)) {
      CellWriter(benchmarks, family++, block, summary).write();
    }
  }
  return benchmarks;
}

/// A host or a command line may be in any encoding; that is no reason to lose a run.
std::string dump(const OrderedJson& json) { return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace); }

/// A line for each member, for people: fewer bytes than an indented text has spaces.
std::string lines_of(const OrderedJson& object) {
  std::vector<std::string> lines;
  for (const auto& [key, value] : object.items()) {
    lines.push_back(fmt::format("{}: {}", dump(key), key == "stowage" ? lines_of(value) : dump(value)));
  }
  return fmt::format("{{\n{}\n}}", fmt::join(lines, ",\n"));
}

std::string text_of(OrderedJson context, const Run& run) {
  const Run stored = as_stored(run);
  const RunScatter scatter = scatter_of(stored);
  // for readers that compare other pairs of cells
  if (scatter.ratios) context["stowage"]["process_scatter"] = rounded(scatter.ratios->deviation);
  clear_controls(context);
  return fmt::format("{{\n\"context\": {},\n\"benchmarks\": [\n{}\n]\n}}\n", lines_of(context),
                     fmt::join(names_of(benchmarks_of(stored, scatter), dump), ",\n"));
}

}  // namespace

std::string to_json_text(const Run& run) { return text_of(context_of(run, false), run); }

std::string to_exact_json_text(const Run& run) { return text_of(context_of(run, true), run); }

}  // namespace stowage::harness
