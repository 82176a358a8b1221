#include "harness/cli/run_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "harness/build/layout.hpp"
#include "harness/cli/commands.hpp"
#include "harness/doctor/calibration.hpp"
#include "harness/errors.hpp"
#include "harness/plan/new_run.hpp"
#include "harness/recommend/world.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/system/files.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

// ---- Google Benchmark's flags

struct Flag {
  std::string_view name;
  std::string_view instead;  ///< why the flag is refused, and what to do; empty if it is taken
};

constexpr Flag known_flags[] = {
    {"--benchmark_filter", ""},
    {"--benchmark_min_time", ""},
    {"--benchmark_repetitions", ""},
    {"--v", ""},
    {"--benchmark_list_tests", "use `stowage list`"},
    {"--benchmark_out", "use --out"},
    {"--benchmark_out_format", "results.json is always in Google Benchmark's JSON"},
    {"--benchmark_format", "use `stowage report --format`"},
    {"--benchmark_color", "tables have no colours"},
    {"--benchmark_counters_tabular", "tables are always tabular"},
    {"--benchmark_time_unit", "times are always nanoseconds"},
    {"--benchmark_context", "the environment is always recorded"},
    {"--benchmark_perf_counters", "the time pass counts nothing else, so that nothing disturbs it"},
    {"--benchmark_enable_random_interleaving", "repetitions are always interleaved at random"},
    {"--benchmark_min_warmup_time", "every repetition has its warm-up"},
    {"--benchmark_dry_run", "use `stowage verify`"},
    {"--benchmark_report_aggregates_only", "results.json always has repetitions and aggregates"},
    {"--benchmark_display_aggregates_only", "results.json always has repetitions and aggregates"},
};

const Flag& find_flag(std::string_view name) {
  const auto* const found = std::ranges::find(known_flags, name, &Flag::name);
  if (found != std::end(known_flags)) return *found;
  throw UserError(
      fmt::format("unknown Google Benchmark flag '{}' after --{}", name,
                  suggestion(name, names_of(known_flags, &Flag::name),
                             "--benchmark_filter, --benchmark_min_time and --benchmark_repetitions are understood")));
}

double parse_min_time(std::string_view value) {
  const std::string_view number = value.ends_with('s') ? value.substr(0, value.size() - 1) : value;
  const auto seconds = parse_number<double>(number);
  if (!seconds || !(*seconds > 0 && *seconds <= 3600)) {  // nor NaN
    throw UserError(fmt::format("--benchmark_min_time '{}' is not a time; give seconds, such as 0.05", value));
  }
  return *seconds;
}

std::size_t parse_repetitions(std::string_view value) {
  const auto count = parse_number<std::size_t>(value);
  if (!count || *count < fewest_samples || *count > 10'000) {
    throw UserError(
        fmt::format("--benchmark_repetitions '{}' must be a number from {}, because fewer give no 95 % interval, "
                    "to 10000",
                    value, fewest_samples));
  }
  return *count;
}

int parse_verbosity(std::string_view value) {
  const auto verbosity = parse_number<int>(value);
  if (!verbosity) throw UserError(fmt::format("--v '{}' is not a number; --v=2 logs each repetition", value));
  return *verbosity;
}

// ---- new runs and resumed ones

std::string entities_list(const std::vector<std::size_t>& entities) {
  return fmt::format("{}", fmt::join(entities, ","));
}

std::string name_list(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ",")); }

/// True if these are the preset's default strategies. Strategies that were named take part at every size, others not in
/// every preset.
bool are_of_preset(const std::vector<std::string>& recorded, SelectionRequest request, const Catalogue& catalogue) {
  request.strategies.reset();
  std::vector<std::string> names;
  for (const StrategyEntry* strategy : resolve(request, catalogue).strategies) names.push_back(strategy->name);
  return names == recorded;
}

/// What was not said again is as it was.
void fill_from(RunRequest& request, const RunOptions& recorded, const Catalogue& catalogue) {
  const auto keep = [](auto& wanted, auto value) {
    if (!wanted) wanted = std::move(value);
  };
  keep(request.selection.preset, recorded.preset);
  if (!are_of_preset(recorded.strategies, request.selection, catalogue)) {
    keep(request.selection.strategies, name_list(recorded.strategies));
  }
  keep(request.selection.workloads, name_list(recorded.workloads));
  keep(request.selection.entities, entities_list(recorded.entities));
  keep(request.selection.shard, recorded.shard);
  keep(request.layouts, recorded.layouts);
  keep(request.benchmark.repetitions, recorded.repetitions);
  keep(request.benchmark.min_time_s, recorded.min_time_s);
}

/// `--until-decided` looks so often again.
constexpr std::size_t looks_until_decided = 4;

/// There is no time budget if the user set the repetitions or their length: exactly those are wanted.
TimePlan time_plan_of(const RunOptions& options, const Preset& preset, std::optional<double> until_decided_minutes) {
  TimePlan plan = time_plan_of(preset, options.seed);
  plan.layouts = options.layouts;
  if (!times_as(preset, options)) {
    plan.repetitions = plan.fewest_repetitions = options.repetitions;
    plan.min_time_ns = options.min_time_s * 1e9;
    plan.budget_s = std::nullopt;
  }
  if (until_decided_minutes) {
    plan.more_looks_s.assign(looks_until_decided, 60 * *until_decided_minutes / looks_until_decided);
  }
  return plan;
}

/// In which workloads a strategy takes no part, or not in all blocks, because of what it lacks.
std::map<std::string, std::string> not_offered_in(const Selection& selection, const std::vector<Block>& blocks,
                                                  const StrategyRecord& strategy, const Catalogue& catalogue) {
  std::map<std::string, std::string> reasons;
  if (strategy.lacks.empty()) return reasons;
  const auto note = [&](const WorkloadEntry& workload, const workloads::Parameters& parameters) {
    std::string why = catalogue.obstacle(strategy.name, workload.card.name, parameters);
    if (!why.empty()) reasons.try_emplace(std::string(workload.card.name), std::move(why));
  };
  for (const WorkloadEntry* workload : selection.workloads) {
    // whatever the parameters; there need not be a block of it
    if (catalogue.maker(strategy.name, workload->card.name) == nullptr) note(*workload, {});
  }
  for (const Block& block : blocks) note(*block.workload, block.parameters);
  return reasons;
}

void check_same(const fs::path& directory, std::string_view what, const std::string& recorded,
                const std::string& wanted) {
  if (recorded == wanted) return;
  throw UserError(fmt::format("cannot resume {}: {} was {} and is now {}; start another run", directory.string(), what,
                              recorded, wanted));
}

/// `quick` is the usual world, unless workloads are named. A program that compiles nothing has none.
void take_usual_world(SelectionRequest& request, const CommandContext& context) {
  if (request.world || request.workloads || request.preset.value_or("quick") != "quick") return;
  if (context.modules.compiles()) request.world = usual_world().string();
}

/// A header that the results name may be anything, and a search by their regular expression may take for ever: neither
/// is used unless the user names it.
void check_is_named_again(const fs::path& directory, const RunOptions& recorded, const SelectionRequest& request) {
  if ((request.storages.empty() && !recorded.storages.empty()) || (!request.filter && !recorded.filter.empty()) ||
      (!request.world && !recorded.world.empty())) {
    throw UserError(
        fmt::format("cannot resume {}: --storage, --cells and --world are not taken from a file; if you trust these, "
                    "give them again: `{}`",
                    directory.string(), command_to_resume(directory, recorded)));
  }
  check_same(directory, "--storage", name_list(recorded.storages), name_list(request.storages));
}

/// Figures of two builds or two machines do not belong into one table.
void check_is_of_this_program(const fs::path& directory, const Environment& recorded) {
  const Environment now = describe_environment();
  check_same(directory, "the commit of the binary", recorded.build.commit, now.build.commit);
  check_same(directory, "the compiler", recorded.build.compiler, now.build.compiler);
  check_same(directory, "the compiler's flags", recorded.build.flags, now.build.flags);
  check_same(directory, "the host", recorded.host.host_name, now.host.host_name);
  check_same(directory, "the processor", recorded.machine.cpu_model, now.machine.cpu_model);
}

/// Nor do those of two selections or two precisions.
void check_is_same_work(const fs::path& directory, const Run& recorded, const RunOptions& options) {
  const RunOptions& former = recorded.options;
  check_same(directory, "--preset", former.preset, options.preset);
  check_same(directory, "--strategies", name_list(former.strategies), name_list(options.strategies));
  check_same(directory, "--world", former.world, options.world);
  check_same(directory, "--workloads", name_list(former.workloads), name_list(options.workloads));
  check_same(directory, "--entities", entities_list(former.entities), entities_list(options.entities));
  check_same(directory, "--shard", former.shard, options.shard);
  check_same(directory, "--cells", former.filter, options.filter);
  check_same(directory, "--benchmark_repetitions", fmt::to_string(former.repetitions),
             fmt::to_string(options.repetitions));
  check_same(directory, "--benchmark_min_time", fmt::to_string(former.min_time_s), fmt::to_string(options.min_time_s));
  check_same(directory, "--layouts", fmt::to_string(former.layouts), fmt::to_string(options.layouts));
  check_same(directory, "the seed", fmt::to_string(former.seed), fmt::to_string(options.seed));
}

/// All cases of a block are in memory together. What cannot fit would be killed by the system, without a word.
void check_memory(const std::vector<Block>& blocks, std::uint64_t memory_bytes) {
  for (const Block& block : blocks) {
    const double needed = block.workload->least_bytes_per_entity * static_cast<double>(block.parameters.entities) *
                          static_cast<double>(block.strategies.size());
    if (needed <= static_cast<double>(memory_bytes)) continue;
    throw UserError(
        fmt::format("{} needs {:.0f} GiB at least, and this machine has {}; give fewer --entities or --strategies",
                    block.name(), needed / (1U << 30U), memory_bytes >> 30U));
  }
}

fs::path directory_for_new_run(const RunRequest& request, const Run& run) {
  if (!request.out) return new_run_directory(run.environment, run.options.preset);
  make_directory(*request.out);
  return *request.out;
}

void check_is_new(const fs::path& directory) {
  if (!holds_results(directory)) return;
  throw UserError(
      fmt::format("--out {} holds the results of another run; name another directory, or go on with that "
                  "run by --resume {}",
                  directory.string(), shell_path(directory)));
}

/// What a request means, new or resumed.
struct Work {
  RunOptions options;
  Selection selection;
  std::vector<Block> blocks = {};
};

/// Has the copies of a calibration in the catalogue, from where they take part as all strategies do. Of a strategy that
/// takes part in `block`, whose entries are no longer valid.
void add_copies(std::size_t number, const Block& block, const CommandContext& context) {
  std::vector<const StrategyEntry*> strategies = block.strategies;
  std::erase_if(strategies, std::mem_fn(&StrategyEntry::is_company));
  const std::string original = strategies.at(number % strategies.size())->name;
  for (const int percent : doctor::slowdowns) {
    context.modules.add_copy(original, doctor::copy_name(original, percent));
  }
}

/// The same in a process that makes a visit.
void add_copies(const RunOptions& recorded, const CommandContext& context) {
  for (const std::string& name : recorded.strategies) {
    if (doctor::slowdown_of(name)) context.modules.add_copy(name.substr(0, name.rfind('+')), name);
  }
}

/// Copies take no time from the others.
void lengthen(TimePlan& time, const std::vector<Block>& blocks) {
  std::size_t copies = 0;
  for (const Block& block : blocks) {
    copies += static_cast<std::size_t>(
        std::ranges::count_if(block.strategies, [](const StrategyEntry* entry) { return entry->copy > 0; }));
  }
  const auto cells = static_cast<double>(cells_of(blocks));
  if (time.budget_s) *time.budget_s *= cells / (cells - static_cast<double>(copies));
}

/// Compiles nothing; blocks come with the strategies' cells.
Work work_of(const RunRequest& request, const CommandContext& context) {
  if (request.layouts && (*request.layouts < 1 || *request.layouts > most_layouts)) {
    throw UserError(fmt::format("--layouts must be a number from 1 to {}", most_layouts));
  }
  Selection selection = resolve(request.selection, context.catalogue);
  RunOptions options = options_of(selection, request.benchmark.repetitions, request.benchmark.min_time_s);
  options.storages = request.selection.storages;
  options.layouts = request.layouts.value_or(context.modules.compiles() ? selection.preset->layouts : 1);
  return {std::move(options), std::move(selection)};
}

void add_blocks(Work& work, const CommandContext& context) {
  add_cells(work.selection, context);
  add_layouts(work.selection, work.options.layouts, context);
  work.blocks = expand(work.selection, context.catalogue);
}

/// `is_visit`: for the process that planned the run, and has checked program and storages.
PlannedRun plan_resumed(RunRequest request, const CommandContext& context, bool is_visit) {
  const fs::path directory = *request.resume;
  Run recorded = load_run(directory);
  if (is_usual_world(recorded.options.world)) take_usual_world(request.selection, context);
  if (is_visit) {
    request.selection.filter = recorded.options.filter;  // the process that planned the run has written it
    add_storages(request.selection, context);
    add_copies(recorded.options, context);
  } else {
    check_is_named_again(directory, recorded.options, request.selection);
    check_is_of_this_program(directory, recorded.environment);
    add_checked_storages(request.selection, context);
  }
  fill_from(request, recorded.options, context.catalogue);
  Work work = work_of(request, context);
  check_is_same_work(directory, recorded, work.options);
  add_blocks(work, context);
  check_memory(work.blocks, recorded.environment.machine.memory_bytes);
  const TimePlan time = time_plan_of(work.options, *work.selection.preset, request.until_decided_minutes);
  return {directory, std::nullopt, std::move(recorded), std::move(work.blocks), time, request.selection.world};
}

}  // namespace

BenchmarkFlags parse_benchmark_flags(const std::vector<std::string>& flags) {
  BenchmarkFlags parsed;
  for (const std::string& flag : flags) {
    const std::size_t equals = flag.find('=');
    const std::string_view name = std::string_view(flag).substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : flag.substr(equals + 1);
    const Flag& known = find_flag(name);
    if (!known.instead.empty()) throw UserError(fmt::format("{} has no effect here; {}", name, known.instead));
    if (name == "--benchmark_filter") {
      parsed.filter = value;
    } else if (name == "--benchmark_min_time") {
      parsed.min_time_s = parse_min_time(value);
    } else if (name == "--benchmark_repetitions") {
      parsed.repetitions = parse_repetitions(value);
    } else {
      parsed.verbosity = parse_verbosity(value);
    }
  }
  return parsed;
}

PlannedRun plan_visit(RunRequest request, const CommandContext& context) {
  return plan_resumed(std::move(request), context, true);
}

PlannedRun plan_run(RunRequest request, const CommandContext& context) {
  if (request.resume) {
    if (request.out) throw UserError("--resume goes on in its own directory; remove --out");
    Lock lock(*request.resume, "wait until it has ended, or stop it");
    PlannedRun planned = plan_resumed(std::move(request), context, false);
    planned.lock.emplace(std::move(lock));
    return planned;
  }
  if (request.out) check_is_new(*request.out);  // and again when no other run can begin there
  take_usual_world(request.selection, context);
  add_checked_storages(request.selection, context);
  Work work = work_of(request, context);
  add_blocks(work, context);
  if (request.copied) {
    add_copies(*request.copied, work.blocks.front(), context);
    work = work_of(request, context);
    add_blocks(work, context);
  }
  Run run = new_run(work.options, work.selection, request.command);
  for (StrategyRecord& card : run.strategy_cards) {
    card.not_offered = not_offered_in(work.selection, work.blocks, card, context.catalogue);
  }
  check_memory(work.blocks, run.environment.machine.memory_bytes);
  TimePlan time = time_plan_of(work.options, *work.selection.preset, request.until_decided_minutes);
  lengthen(time, work.blocks);
  fs::path directory = directory_for_new_run(request, run);
  Lock lock(directory, "name another directory with --out");
  check_is_new(directory);
  return {std::move(directory), std::move(lock), std::move(run), std::move(work.blocks), time, request.selection.world};
}

}  // namespace stowage::harness
