#include "harness/results/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "harness/errors.hpp"
#include "harness/results/json_fields.hpp"
#include "harness/results/metrics.hpp"

namespace stowage::harness {
namespace {

using Json = nlohmann::json;

constexpr std::string_view what_would_do = "give a directory that `stowage run` wrote";

std::string position(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t column = before.size() - (before.rfind('\n') + 1);
  return fmt::format("line {}, column {}", line, std::max<std::size_t>(1, column));
}

/// Without the library's own prefix, an id in brackets.
std::string_view message_of(const Json::exception& error) {
  const std::string_view what(error.what());
  const std::size_t prefix = what.find("] ");
  return prefix == std::string_view::npos ? what : what.substr(prefix + 2);
}

Json parse_json(std::string_view text, std::string_view where) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const bool looks_like_json = text.find_first_not_of(" \t\r\n") == text.find('{');
    if (looks_like_json && !text.empty() && error.byte > text.size()) {
      throw UserError(fmt::format("{} is truncated: it ends at {}; copy the file again, or repeat the run", where,
                                  position(text, text.size())));
    }
    throw UserError(fmt::format("{} is not JSON, see {}; {}", where, position(text, error.byte), what_would_do));
  } catch (const Json::exception& error) {  // a number beyond what a double can be
    throw UserError(fmt::format("{}: {}; {}", where, message_of(error), what_would_do));
  }
}

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
                    where, format.dump(), results_format));
  }
}

struct CellName {
  std::string workload;
  std::string strategy;
  std::string parameters;
};

/// `workload/strategy/entities:N[/key:value...]`
CellName split_cell_name(const std::string& name, std::string_view where) {
  const std::size_t first = name.find('/');
  const std::size_t second = first == std::string::npos ? first : name.find('/', first + 1);
  if (second == std::string::npos) {
    throw UserError(fmt::format("{} has a cell named '{}'; a name is workload/strategy/entities:N", where, name));
  }
  return {name.substr(0, first), name.substr(first + 1, second - first - 1), name.substr(second + 1)};
}

/// "0x0123456789abcdef"
std::uint64_t parse_checksum(std::string_view text, std::string_view where) {
  std::uint64_t checksum = 0;
  const char* const end = text.data() + text.size();
  if (!text.starts_with("0x") || std::from_chars(text.data() + 2, end, checksum, 16).ptr != end) {
    throw UserError(fmt::format("{} is damaged: '{}' is no checksum; repeat the run", where, text));
  }
  return checksum;
}

/// Puts the entries of `benchmarks`, one for each repetition and aggregate, back together into cells and blocks.
class BlockReader {
 public:
  explicit BlockReader(std::string_view where) : where_(where) {}

  void read(const Json& entry) {
    CellResult& cell = cell_named(entry.at("run_name").get<std::string>());
    if (entry.value("error_occurred", false)) {
      cell.error = entry.at("error_message").get<std::string>();
    } else if (entry.contains("items")) {
      read_counters(entry, cell);
      if (entry.contains("host")) block_named(split_cell_name(entry.at("run_name"), where_)).host = entry.at("host");
    } else if (entry.at("run_type") == "iteration") {
      cell.repetitions.push_back({.real_ns = entry.at("real_time").get<double>(),
                                  .cpu_ns = entry.at("cpu_time").get<double>(),
                                  .iterations = entry.at("iterations").get<std::size_t>(),
                                  .layout = entry.value("layout", std::size_t{0}),
                                  .visit = entry.value("visit", std::size_t{0})});
    }
  }

  [[nodiscard]] std::vector<BlockResult> take_blocks() { return std::move(blocks_); }

 private:
  void read_counters(const Json& entry, CellResult& cell) const {
    cell.items = entry.at("items").get<std::uint64_t>();
    if (entry.contains("checksum")) cell.checksum = parse_checksum(entry.at("checksum").get<std::string>(), where_);
    for (const Metric& metric : metrics) {
      const bool is_counter = metric.pass != time_pass;
      if (is_counter && entry.contains(metric.name)) cell.counters[std::string(metric.name)] = entry[metric.name];
    }
    if (const auto histogram = entry.find("frame_histogram"); histogram != entry.end()) {
      histogram->get_to(cell.frame_histogram);
    }
    if (const auto frames = entry.find("frames_ns"); frames != entry.end()) frames->get_to(cell.frames_ns);
  }

  CellResult& cell_named(const std::string& run_name) {
    const CellName name = split_cell_name(run_name, where_);
    BlockResult& block = block_named(name);
    auto cell = std::ranges::find(block.cells, name.strategy, &CellResult::strategy);
    if (cell == block.cells.end())
      cell = block.cells.insert(cell,
                                CellResult{.strategy = name.strategy, .repetitions = {}, .error = {}, .counters = {}});
    return *cell;
  }

  BlockResult& block_named(const CellName& name) {
    const auto [known, is_new] = block_indices_.try_emplace(name.workload + "/" + name.parameters, blocks_.size());
    if (is_new) blocks_.push_back({.workload = name.workload, .parameters = name.parameters, .cells = {}});
    return blocks_[known->second];
  }

  std::string_view where_;
  std::vector<BlockResult> blocks_;
  std::unordered_map<std::string, std::size_t> block_indices_;
};

Run read_run(const Json& root, std::string_view where) {
  const Json& context = member(root, "context", where);
  const Json& stowage = member(context, "stowage", where);
  check_format(stowage, where);
  Run run;
  context.get_to(run.environment.host);
  stowage.get_to(run.environment.machine);
  stowage.get_to(run.environment.build);
  stowage.get_to(run.options);
  run.options.storages = stowage.value("storages", std::vector<std::string>{});
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
  const Json root = parse_json(text, where);
  try {
    return read_run(root, where);
  } catch (const Json::exception& error) {
    throw UserError(fmt::format("{} is damaged: {}; repeat the run", where, message_of(error)));
  }
}

}  // namespace stowage::harness
