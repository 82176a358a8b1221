#include "harness/adopt/evidence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/results/metrics.hpp"
#include "harness/results/summary.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/text.hpp"
#include "harness/text_table.hpp"

namespace stowage::harness::adopt {
namespace {

struct MainWorkload {
  std::string_view workload;
  std::string_view values;  ///< all parameters but the number of entities
};

/// What most programs do most of the time, each in its usual form: visiting, joining, finding, changing.
constexpr auto main_workloads = std::to_array<MainWorkload>({{"point_mass", ""},
                                                             {"join", "order:unrelated/via:each"},
                                                             {"lookup", "components:4"},
                                                             {"create", "how:single/memory:growing/components:4"},
                                                             {"destroy", "how:each_shuffled"},
                                                             {"churn", "rate:1/payload:64"},
                                                             {"structural", "others:4/sets:1/grouped:no"}});

struct SplitParameters {
  std::size_t entities = 0;
  std::string values;
};

/// "entities:16384/via:each" -> 16384 and "via:each"
SplitParameters split_parameters(const std::string& parameters) {
  const std::string_view number = std::string_view(parameters).substr(parameters.find(':') + 1);
  SplitParameters split;
  std::from_chars(number.data(), number.data() + number.size(), split.entities);
  const std::size_t slash = parameters.find('/');
  if (slash != std::string::npos) split.values = parameters.substr(slash + 1);
  return split;
}

/// A strategy in one block, with what the block's other cells say about it.
struct Line {
  const BlockResult* block = nullptr;
  std::size_t entities = 0;
  CellSummary summary;
};

std::optional<double> counter_of(const Line& line, std::string_view name) {
  const auto counter = line.summary.cell->counters.find(std::string(name));
  return counter == line.summary.cell->counters.end() ? std::nullopt : std::optional(counter->second);
}

bool has_misses(const Line& line) { return counter_of(line, "l1d_misses_per_item").has_value(); }

/// The largest size, at which least fits the caches, and the largest at which misses were counted.
std::vector<Line> telling_sizes(std::map<std::size_t, Line> lines) {
  std::vector<Line> telling;
  bool misses_are_known = false;
  for (auto& [entities, line] : lines | std::views::reverse) {
    const bool tells = telling.empty() || (!misses_are_known && has_misses(line));
    misses_are_known = misses_are_known || has_misses(line);
    if (tells) telling.push_back(std::move(line));
  }
  std::ranges::reverse(telling);
  return telling;
}

std::vector<Line> lines_of(const Run& run, const MainWorkload& wanted, const std::string& strategy) {
  const RunScatter scatter = scatter_of(run);
  std::map<std::size_t, Line> lines;
  for (const BlockResult& block : run.blocks) {
    if (block.workload != wanted.workload) continue;
    const SplitParameters parameters = split_parameters(block.parameters);
    if (parameters.values != wanted.values) continue;
    for (CellSummary& summary : summarise(block, scatter)) {
      if (summary.strategy() != strategy || summary.standing == Standing::failed) continue;
      lines[parameters.entities] = {&block, parameters.entities, std::move(summary)};
    }
  }
  return telling_sizes(std::move(lines));
}

/// The ratio and its interval.
std::array<std::string, 2> ratio_texts(const std::optional<Estimate>& ratio) {
  std::array<std::string, 2> texts = {"-", "-"};
  if (!ratio) return texts;
  texts[0] = three_digits(ratio->median, 2);
  if (ratio->interval) {
    texts[1] = fmt::format("{} to {}", three_digits(ratio->interval->low, 2), three_digits(ratio->interval->high, 2));
  }
  return texts;
}

std::string count_text(std::optional<double> count) { return count ? three_digits(*count, 3) : "-"; }

std::string table_of(const std::vector<Line>& lines) {
  PageColumn labels{"per item"};
  std::vector<PageColumn> columns = {{"size"}, {"ns"}, {"x ref"}, {"95 %"}, {"L1d"}, {"LL"}, {"floor"}, {"bytes"}};
  for (const Line& line : lines) {
    const auto [ratio, range] = ratio_texts(line.summary.to_reference);
    const std::array<std::string, 8> texts = {entities_text(line.entities),
                                              three_digits(median(line.summary.ns_per_item), 3),
                                              ratio,
                                              range,
                                              count_text(counter_of(line, "l1d_misses_per_item")),
                                              count_text(counter_of(line, "ll_misses_per_item")),
                                              count_text(counter_of(line, "floor_lines_per_item")),
                                              count_text(counter_of(line, "bytes_per_entity"))};
    labels.push_back(table_title(line.block->workload, split_parameters(line.block->parameters).values));
    for (std::size_t column = 0; column < columns.size(); ++column) columns[column].push_back(texts[column]);
  }
  return page_table(labels, columns);
}

std::string caches_text(const std::vector<CacheLevel>& caches) {
  std::vector<std::string> texts;
  for (const CacheLevel& cache : caches) {
    if (cache.type == "Instruction") continue;
    texts.push_back(fmt::format("L{} {} KiB", cache.level, cache.size / 1024));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string misses_text(const Run& run) {
  const auto pass = std::ranges::find(run.passes, cache_pass, &PassRecord::pass);
  if (pass == run.passes.end()) return "Misses: not counted in this run.\n";
  const auto detail = [&pass](const char* key) {
    const auto found = pass->details.find(key);
    return found == pass->details.end() ? std::string("unknown") : found->second;
  };
  if (pass->source != "simulated") return fmt::format("Misses: {}.\n", pass->source);
  return fmt::format("Misses: simulated (Valgrind {}),\n        L1d {},\n        LL {}.\n", detail("valgrind"),
                     detail("l1d"), detail("ll"));
}

std::string origin_text(const Run& run, const std::string& commit) {
  const Environment& environment = run.environment;
  std::string text = fmt::format("Measured {} on {} ({} processors; {}),\nvirtualisation {}, {};\n{},\n{}.\n",
                                 environment.host.date, environment.machine.cpu_model, environment.host.num_cpus,
                                 caches_text(environment.host.caches), environment.machine.virtualisation,
                                 environment.machine.os, environment.build.compiler, environment.build.flags);
  if (environment.build.commit != commit) {
    text += fmt::format("The run is of stowage {}, this header of {}: measure again if that matters.\n",
                        environment.build.commit, commit);
  }
  return text;
}

constexpr std::string_view legend =
    "size: entities. ns: median over the repetitions. x ref: ratio to the hand-written loop, by rounds in\n"
    "which both were measured. L1d, LL: data misses. floor: cache lines that no layout can leave unfetched.\n"
    "bytes: the memory footprint, per entity.\n";

}  // namespace

std::string command_for_evidence(const std::string& strategy, const std::string& preset) {
  std::vector<std::string_view> names;
  std::ranges::transform(main_workloads, std::back_inserter(names), &MainWorkload::workload);
  return shell_line({"stowage", "run", "--preset", preset, "--strategies", strategy, "--workloads",
                     fmt::format("{}", fmt::join(names, ","))});
}

std::optional<std::string> evidence_text(const Run& run, const std::string& strategy, const std::string& commit) {
  std::vector<Line> lines;
  for (const MainWorkload& workload : main_workloads) {
    for (Line& line : lines_of(run, workload, strategy)) lines.push_back(std::move(line));
  }
  if (lines.empty()) return std::nullopt;
  return fmt::format("{}\n{}\n{}{}\nAgain: {}\n", table_of(lines), legend, origin_text(run, commit), misses_text(run),
                     command_for_evidence(strategy, run.options.preset));
}

}  // namespace stowage::harness::adopt
