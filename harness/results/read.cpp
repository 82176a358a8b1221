#include "harness/results/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "harness/errors.hpp"
#include "harness/results/json_fields.hpp"
#include "harness/results/metrics.hpp"
#include "harness/system/document.hpp"

namespace stowage::harness {
namespace {

using Json = nlohmann::json;

constexpr double shortest_ns = 1e-3;  // no clock tells less
constexpr std::size_t most_blocks = 20'000;
constexpr std::size_t most_cells = 1'000;  // of a block
constexpr std::string_view what_would_do = "give a directory that `stowage run` wrote";

const Json& member(const Json& object, const char* key, std::string_view where) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end()) {
    throw UserError(fmt::format("{} has no `{}`: it is not a results file of stowage; {}", where, key, what_would_do));
  }
  return *found;
}

void check_format(const Json& stowage, std::string_view where) {
  const Json& format = member(stowage, "format", where);
  if (format != results_format) {
    throw UserError(
        fmt::format("{} has results of format {}, this version reads format {}; "
                    "use the version of stowage that wrote it",
                    where, format.is_number() ? format.dump() : "unknown", results_format));
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

  /// Throws UserError for cells that no run has, which no schema can say: what is made of them takes memory and time by
  /// their numbers, and divides by what they took.
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
    throw UserError(fmt::format("{} is damaged: {} {}; repeat the run", where_, name, what));
  }

  void read_counters(const Json& entry, CellResult& cell) const {
    cell.items = entry.at("items").get<std::uint64_t>();
    if (entry.contains("checksum")) cell.checksum = std::stoull(entry.at("checksum").get<std::string>(), nullptr, 16);
    for (const Metric& metric : metrics) {
      const bool is_counter = metric.pass != time_pass;
      if (is_counter && entry.contains(metric.name)) cell.counters[std::string(metric.name)] = entry[metric.name];
    }
    if (const auto histogram = entry.find("frame_histogram"); histogram != entry.end()) {
      histogram->get_to(cell.frame_histogram);
    }
    if (const auto frames = entry.find("frames_ns"); frames != entry.end()) frames->get_to(cell.frames_ns);
  }

  CellResult& cell_named(BlockResult& block, const std::string& strategy) {
    const auto cell = std::ranges::find(block.cells, strategy, &CellResult::strategy);
    if (cell != block.cells.end()) return *cell;
    if (block.cells.size() == most_cells) refuse(block.name(), fmt::format("has more than {} cells", most_cells));
    return block.cells.emplace_back(CellResult{.strategy = strategy, .repetitions = {}, .error = {}, .counters = {}});
  }

  BlockResult& block_named(const CellName& name) {
    const auto [known, is_new] = block_indices_.try_emplace(name.workload + "/" + name.parameters, blocks_.size());
    if (is_new) blocks_.push_back({.workload = name.workload, .parameters = name.parameters, .cells = {}});
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
  stowage.get_to(run.state);
  run.state.visits = stowage.value("visits", std::size_t{1});
  run.state.doctor = stowage.value("doctor", std::string());
  if (stowage.contains("other_programs")) run.state.other_programs = stowage.at("other_programs").get<double>();
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
  const Json root = parse_document(text, where, what_would_do);
  check_format(member(member(root, "context", where), "stowage", where), where);
  check_document(root, "results", where, "repeat the run");
  return read_run(root, where);
}

}  // namespace stowage::harness
