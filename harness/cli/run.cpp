// `stowage run`: reads its flags, plans a new or resumed run, makes the passes, and ends with the report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/build/layout.hpp"
#include "harness/cli/commands.hpp"
#include "harness/doctor/calibration.hpp"
#include "harness/doctor/examine.hpp"
#include "harness/errors.hpp"
#include "harness/measure/frames.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/rounds.hpp"
#include "harness/measure/simulated/pass.hpp"
#include "harness/plan/new_run.hpp"
#include "harness/plan/selection.hpp"
#include "harness/recommend/world.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/metrics.hpp"
#include "harness/results/run.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/results/summary.hpp"
#include "harness/statistics/estimates.hpp"
#include "harness/system/cores.hpp"
#include "harness/system/files.hpp"
#include "harness/system/lock.hpp"
#include "harness/system/platform.hpp"
#include "harness/system/process.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// Google Benchmark's flags, honoured by our rounds in its place.
struct BenchmarkFlags {
  std::optional<std::string> filter;
  std::optional<double> min_time_s;
  std::optional<std::size_t> repetitions;
  int verbosity = 0;
};

struct RunRequest {
  SelectionRequest selection;
  BenchmarkFlags benchmark;
  std::optional<std::string> out;
  std::optional<std::string> resume;
  std::optional<std::size_t> layouts;
  std::optional<std::string> timer;
  std::optional<std::string> cpus;
  std::optional<double> until_decided_minutes;  ///< to go on after the preset's time
  std::optional<std::size_t> copied;            ///< of a calibration: which strategy, counted round, has copies
  std::string command;                          ///< the line that was typed
};

/// A run that is ready to go on: new, or read from the directory that is resumed.
struct PlannedRun {
  std::filesystem::path directory;
  std::optional<Lock> lock;  ///< of the directory: no other command writes there meanwhile; a visit apart has none
  Run run;
  std::vector<Block> blocks;
  TimePlan time;
  std::optional<std::string> world = {};  ///< the profile that was named
};

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
  throw UserError("unknown Google Benchmark flag '{}' after --{}", name,
                  suggestion(name, names_of(known_flags, &Flag::name),
                             "--benchmark_filter, --benchmark_min_time and --benchmark_repetitions are understood"));
}

double parse_min_time(std::string_view value) {
  const std::string_view number = value.ends_with('s') ? value.substr(0, value.size() - 1) : value;
  const auto seconds = parse_number<double>(number);
  if (!seconds || !(*seconds > 0 && *seconds <= 3600)) {  // nor NaN
    throw UserError("--benchmark_min_time '{}' is not a time; give seconds, such as 0.05", value);
  }
  return *seconds;
}

std::size_t parse_repetitions(std::string_view value) {
  const auto count = parse_number<std::size_t>(value);
  if (!count || *count < fewest_samples || *count > 10'000) {
    throw UserError(
        "--benchmark_repetitions '{}' must be a number from {}, because fewer give no 95 % interval, to 10000", value,
        fewest_samples);
  }
  return *count;
}

int parse_verbosity(std::string_view value) {
  const auto verbosity = parse_number<int>(value);
  if (!verbosity) throw UserError("--v '{}' is not a number; --v=2 logs each repetition", value);
  return *verbosity;
}

/// Reads what came after `--`. Throws UserError for a flag that Google Benchmark does not have, and for one that says
/// how to run or report what our rounds run and report.
BenchmarkFlags parse_benchmark_flags(const std::vector<std::string>& flags) {
  BenchmarkFlags parsed;
  for (const std::string& flag : flags) {
    const std::size_t equals = flag.find('=');
    const std::string_view name = std::string_view(flag).substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : flag.substr(equals + 1);
    const Flag& known = find_flag(name);
    if (!known.instead.empty()) throw UserError("{} has no effect here; {}", name, known.instead);
    if (value.empty()) throw UserError("{} needs a value, as {}=VALUE", name, name);
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

// ---- new runs and resumed ones

std::string entities_list(const std::vector<std::size_t>& entities) {
  return fmt::format("{}", fmt::join(entities, ","));
}

std::string name_list(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ",")); }

/// True if these are the preset's default strategies. Strategies that were named take part at every size, others not in
/// every preset.
bool are_of_preset(const std::vector<std::string>& recorded, SelectionRequest request, const Catalogue& catalogue) {
  request.strategies.reset();
  return names_of(resolve(request, catalogue).strategies, &StrategyEntry::name) == recorded;
}

/// Options that are not repeated keep their recorded value.
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
  keep(request.timer, recorded.timer);
  keep(request.cpus, recorded.cpus);
  keep(request.benchmark.repetitions, recorded.repetitions);
  keep(request.benchmark.min_time_s, recorded.min_time_s);
}

/// The further looks that `--until-decided` takes.
constexpr std::size_t looks_until_decided = 4;

/// There is no time budget if the user set the repetitions or their length: exactly those are wanted.
TimePlan time_plan_of(const Run& run, const RunOptions& options, const Preset& preset,
                      std::optional<double> until_decided_minutes) {
  TimePlan plan = time_plan_of(preset, order_seed(run));
  plan.layouts = options.layouts;
  plan.by_google_benchmark = options.timer == google_timer;
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

/// The workloads in which a strategy has no cells, or not in all blocks, because of what it lacks; and why.
std::map<std::string, std::string> not_offered_in(const Selection& selection, const std::vector<Block>& blocks,
                                                  const StrategyRecord& strategy, const Catalogue& catalogue) {
  std::map<std::string, std::string> reasons;
  if (strategy.lacks.empty()) return reasons;
  const auto note = [&](const WorkloadEntry& workload, const workloads::Parameters& parameters) {
    std::string why = catalogue.obstacle(strategy.name, workload.card.name, parameters);
    if (!why.empty()) reasons.try_emplace(std::string(workload.card.name), std::move(why));
  };
  for (const WorkloadEntry* workload : selection.workloads) {
    // whatever the parameters: there may be no block of it
    if (catalogue.maker(strategy.name, workload->card.name) == nullptr) note(*workload, {});
  }
  for (const Block& block : blocks) note(*block.workload, block.parameters);
  return reasons;
}

void check_same(const fs::path& directory, std::string_view what, const std::string& recorded,
                const std::string& wanted) {
  if (recorded == wanted) return;
  throw UserError("cannot resume {}: {} was {} and is now {}; start another run", directory.string(), what, recorded,
                  wanted);
}

/// `quick` measures the usual world, unless workloads are named. If this program compiles nothing, it does so only if
/// its package has that world.
void take_usual_world(SelectionRequest& request, const CommandContext& context) {
  if (request.world || request.workloads || request.preset.value_or("quick") != "quick") return;
  const auto is_packaged = [&] {
    return context.modules.has_toolchain() &&
           fs::is_directory(packaged_world(read_profile(usual_world()), context.modules.toolchain()));
  };
  if (context.modules.compiles() || is_packaged()) request.world = usual_world().string();
}

/// Results are not trusted: a header that they name may be any code, and their regular expression may run for ever.
/// Neither is used unless the user names it again.
void check_is_named_again(const fs::path& directory, const Run& run, const SelectionRequest& request) {
  const RunOptions& recorded = run.options;
  if ((request.storages.empty() && !recorded.storages.empty()) || (!request.filter && !recorded.filter.empty()) ||
      (!request.world && !recorded.world.empty())) {
    throw UserError(
        "cannot resume {}: --storage, --cells and --world are not taken from a file; if you trust these, give them "
        "again: `{}`",
        directory.string(), command_to_resume(directory, run));
  }
  check_same(directory, "--storage", name_list(recorded.storages), name_list(request.storages));
}

/// Figures of two builds or two machines do not belong in one table.
void check_is_of_this_program(const fs::path& directory, const Environment& recorded) {
  const Environment now = describe_environment();
  check_same(directory, "the commit of the binary", recorded.build.commit, now.build.commit);
  check_same(directory, "the compiler", recorded.build.compiler, now.build.compiler);
  check_same(directory, "the compiler's flags", recorded.build.flags, now.build.flags);
  check_same(directory, "the host", recorded.host.host_name, now.host.host_name);
  check_same(directory, "the processor", recorded.machine.cpu_model, now.machine.cpu_model);
}

/// Figures of two selections or two precisions do not belong in one table, either.
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
  check_same(directory, "--timer", former.timer, options.timer);
  check_same(directory, "the seed", fmt::to_string(former.seed), fmt::to_string(options.seed));
}

/// All cases of a block are in memory together. If they do not fit, the system kills the process without a message.
void check_memory(const std::vector<Block>& blocks, std::uint64_t memory_bytes) {
  for (const Block& block : blocks) {
    const double needed = block.workload->least_bytes_per_entity * static_cast<double>(block.parameters.entities) *
                          static_cast<double>(block.strategies.size());
    if (needed <= static_cast<double>(memory_bytes)) continue;
    throw UserError("{} needs {:.0f} GiB at least, and this machine has {}; give fewer --entities or --strategies",
                    block.name(), needed / (1U << 30U), memory_bytes >> 30U);
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
      "--out {} holds the results of another run; name another directory, or go on with that run by --resume {}",
      directory.string(), shell_path(directory));
}

/// What a request means, new or resumed.
struct RequestedWork {
  RunOptions options;
  Selection selection;
  std::vector<Block> blocks = {};
};

/// Adds the copies of a calibration to the catalogue, so that they take part as all strategies do. The original is
/// strategy `number`, counted round, of `block`, whose entries are no longer valid.
void add_copies(std::size_t number, const Block& block, const CommandContext& context) {
  std::vector<const StrategyEntry*> strategies = block.strategies;
  std::erase_if(strategies, std::mem_fn(&StrategyEntry::is_company));
  const std::string original = strategies.at(number % strategies.size())->name;
  for (const int percent : doctor::slowdowns) {
    context.modules.add_copy(original, doctor::copy_name(original, percent));
  }
}

/// The same in a process that makes a visit, by the recorded names.
void add_copies(const RunOptions& recorded, const CommandContext& context) {
  for (const std::string& name : recorded.strategies) {
    if (doctor::slowdown_of(name)) context.modules.add_copy(name.substr(0, name.rfind('+')), name);
  }
}

/// Adds time for the copies, so that they take none from the others.
void lengthen(TimePlan& time, const std::vector<Block>& blocks) {
  std::size_t copies = 0;
  for (const Block& block : blocks) {
    copies += static_cast<std::size_t>(
        std::ranges::count_if(block.strategies, [](const StrategyEntry* entry) { return entry->copy > 0; }));
  }
  const auto cells = static_cast<double>(cells_of(blocks));
  if (time.budget_s) *time.budget_s *= cells / (cells - static_cast<double>(copies));
}

/// Compiles nothing; add_blocks() compiles the cells, and adds their blocks.
RequestedWork work_of(const RunRequest& request, const CommandContext& context) {
  constexpr std::array timers{our_timer, google_timer};
  if (request.timer) {
    static_cast<void>(
        find_named(timers, *request.timer, std::identity(), "timer", "there are rounds and google-benchmark"));
  }
  if (request.layouts && (*request.layouts < 1 || *request.layouts > most_layouts)) {
    throw UserError("--layouts must be a number from 1 to {}", most_layouts);
  }
  Selection selection = resolve(request.selection, context.catalogue);
  RunOptions options = options_of(selection, request.benchmark.repetitions, request.benchmark.min_time_s);
  options.storages = request.selection.storages;
  options.timer = request.timer.value_or(options.timer);
  options.cpus = request.cpus.value_or("");
  const bool is_ours = options.timer == our_timer;
  const bool has_layouts = context.modules.compiles() && is_ours && !is_emulated(describe_environment().machine);
  options.layouts = request.layouts.value_or(has_layouts ? selection.preset->layouts : 1);
  if (!is_ours && options.layouts != 1) {
    throw UserError("--timer {} measures one layout; remove --layouts", options.timer);
  }
  return {std::move(options), std::move(selection)};
}

void add_blocks(RequestedWork& work, const CommandContext& context) {
  add_cells(work.selection, context);
  add_layouts(work.selection, work.options.layouts, context);
  work.blocks = expand(work.selection, context.catalogue);
}

/// `is_visit`: started by the process that planned the run, which has checked program and storages, and has compiled.
PlannedRun plan_resumed(RunRequest request, const CommandContext& context, bool is_visit) {
  const fs::path directory = *request.resume;
  Run recorded = load_run(directory);
  if (!request.selection.world && is_usual_world(recorded.options.world)) {
    request.selection.world = usual_world().string();
  }
  if (is_visit) {
    request.selection.filter = recorded.options.filter;  // the process that planned the run has written it
    add_storages(request.selection, context);
    add_copies(recorded.options, context);
  } else {
    check_is_named_again(directory, recorded, request.selection);
    check_same(directory, "--cpus", recorded.options.cpus, request.cpus.value_or(recorded.options.cpus));
    pin_to_cpus(recorded.options.cpus);
    check_is_of_this_program(directory, recorded.environment);
    add_checked_storages(request.selection, context);
  }
  fill_from(request, recorded.options, context.catalogue);
  RequestedWork work = work_of(request, context);
  check_is_same_work(directory, recorded, work.options);
  add_blocks(work, context);
  if (!is_visit && context.modules.newest() > written_at(directory)) {
    say("modules were compiled since {} was measured; if their code has changed, start another run",
        directory.string());
  }
  check_memory(work.blocks, recorded.environment.machine.memory_bytes);
  TimePlan time = time_plan_of(recorded, work.options, *work.selection.preset, request.until_decided_minutes);
  if (!time.more_looks_s.empty()) {
    time.more_looks_s.insert(time.more_looks_s.begin(), whole_looks_at(recorded) - 1, 0.0);
  }
  return {directory, std::nullopt, std::move(recorded), std::move(work.blocks), time, request.selection.world};
}

/// Compiles and loads what the selection needs, and makes the directory.
/// Throws UserError if the request makes no sense, if `--out` has results already, if another process writes there, and
/// if `--resume` has results of other options, of another build or of another machine, or of storages or `--cells` that
/// the user does not name again.
PlannedRun plan_run(RunRequest request, const CommandContext& context) {
  if (request.resume) {
    if (request.out) throw UserError("--resume goes on in its own directory; remove --out");
    Lock lock(*request.resume, "wait until it has ended, or stop it");
    PlannedRun planned = plan_resumed(std::move(request), context, false);
    planned.lock.emplace(std::move(lock));
    return planned;
  }
  if (!request.copied) pin_to_cpus(request.cpus.value_or(""));  // `doctor` has pinned what it calibrates
  if (request.out) check_is_new(*request.out);                  // and again when no other run can begin there
  check_writable(request.out.value_or(std::string(runs_directory)));
  take_usual_world(request.selection, context);
  add_checked_storages(request.selection, context);
  RequestedWork work = work_of(request, context);
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
  say_left_out(work.selection, work.blocks, context.catalogue);
  TimePlan time = time_plan_of(run, work.options, *work.selection.preset, request.until_decided_minutes);
  lengthen(time, work.blocks);
  fs::path directory = directory_for_new_run(request, run);
  Lock lock(directory, "name another directory with --out");
  check_is_new(directory);
  return {std::move(directory), std::move(lock), std::move(run), std::move(work.blocks), time, request.selection.world};
}

// ---- what is measured, and its passes

/// Comes before the profile in the arguments of a visit, because none may be empty.
constexpr std::string_view world_prefix = "world=";

void announce(const PlannedRun& planned) {
  say("cells of this run: {}; results go to {}", cells_of(planned.blocks), planned.directory.string());
  say("{} is {}", planned.run.options.preset, planned.run.options.precision);
}

/// Null if this machine cannot simulate, and a line that says why: the other figures do not need it.
std::unique_ptr<CallgrindSimulator> simulator_for(const CacheModel& model, std::size_t cells) {
  try {
    return std::make_unique<CallgrindSimulator>(model, std::min(cells, processors()));
  } catch (const EnvironmentError& error) {
    say("no cache figures: {}", error.what());
    return nullptr;
  }
}

/// Simulates the caches of what was timed.
void add_cache_pass(PlannedRun& planned, const Bench& bench, const SaveRun& save) {
  Run& run = planned.run;
  const std::size_t cells = cells_to_simulate(run, planned.blocks);
  if (cells == 0) return;
  const Preset& preset = find_preset(run.options.preset);
  const CachePlan plan{.model = parse_cache_model("reference"),
                       .most_entities = preset.largest_simulated,
                       .budget_s = preset.cache_budget_s};
  const std::unique_ptr<CallgrindSimulator> simulator = simulator_for(plan.model, cells);
  if (simulator == nullptr) return;
  const double started_s = steady_now_s() - run.state.wall_s;
  const auto save_with_time = [&](const Run&) {
    run.state.wall_s = steady_now_s() - started_s;
    save(run);
  };
  run.state.interrupted = !simulate(run, planned.blocks, plan, *simulator, bench, save_with_time);
  save_with_time(run);
  std::cerr << omissions_text(run, cache_pass);
}

/// Times single frames of the cells that were timed.
void add_frames_pass(PlannedRun& planned, const Bench& bench, const SaveRun& save) {
  const Preset& preset = find_preset(planned.run.options.preset);
  const FramesPlan plan{.frames = preset.frames,
                        .fewest_frames = fewest_frames_for_p99,
                        .most_s_per_cell = preset.most_frames_s,
                        .seed = order_seed(planned.run)};
  run_frames_pass(planned.run, planned.blocks, plan, bench, steady_now_ns, save);
}

/// Makes a visit in a process of its own, which lays out memory anew.
VisitApart visits_apart(const PlannedRun& planned, int verbosity, const Modules& modules) {
  return [&planned, verbosity, &modules](Run& run, std::size_t visit, std::optional<double> budget_s) {
    save_run(planned.directory, run);
    std::vector<std::string> command{
        own_command(),
        std::string(visit_argument),
        planned.directory.string(),
        fmt::to_string(visit),
        budget_s ? fmt::to_string(*budget_s) : "none",
        fmt::to_string(verbosity),
        fmt::to_string(static_cast<std::int64_t>(modules.newest().time_since_epoch().count())),
        std::string(world_prefix) + planned.world.value_or("")};
    command.insert(command.end(), run.options.storages.begin(), run.options.storages.end());
    constexpr int interrupted = static_cast<int>(ExitCode::interrupted);
    const int code = run_until_stopped(command, InterruptGuard::interrupted).value_or(interrupted);
    run = load_run(planned.directory);
    run.state.interrupted = run.state.interrupted || code == interrupted;
    if (code == 0 || code == interrupted) return;
    if (code == static_cast<int>(ExitCode::environment_lacks)) throw CommandError(ExitCode::environment_lacks, "");
    throw EnvironmentError("the process that measured ended with {}", code);
  };
}

std::string command_to_resume(const PlannedRun& planned) {
  const std::vector<double>& looks_s = planned.time.more_looks_s;
  return command_to_resume(planned.directory, planned.run, planned.world.value_or("")) +
         (looks_s.empty() ? "" : fmt::format(" --until-decided {:g}", looks_s.back() * looks_until_decided / 60));
}

/// Makes `passes`, and stores what was measured, whatever ends them; if the disk refuses it, prints it.
void measure(PlannedRun& planned, const Catalogue& catalogue, Timer& timer,
             const std::function<void(const Bench&, const SaveRun&)>& passes) {
  Progress progress(std::cerr, stderr_is_terminal());
  const InterruptGuard guard;
  const Bench bench{catalogue, timer, progress, InterruptGuard::interrupted, steady_now_s};
  SparingSave sparing([&planned](const Run& run) { save_run(planned.directory, run); }, steady_now_s);
  try {
    try {
      passes(bench, std::ref(sparing));
    } catch (...) {
      sparing.finish(planned.run);
      throw;
    }
    sparing.finish(planned.run);
  } catch (const CommandError& error) {
    progress.stop();
    if (*error.what() == '\0') throw;  // the process that measured has said it, and printed the figures
    print_unsaved(planned.run);
    if (!holds_results(planned.directory)) throw;
    throw CommandError(error.exit_code(),
                       fmt::format("{}; then go on with `{}`", error.what(), command_to_resume(planned)));
  }
}

/// Prints the summary, or nothing if there is no Python: the message that follows matters more.
void print_summary(const std::filesystem::path& run) try {
  run_python_tool(text_tool(), {run.string(), "--format", "terminal"});
} catch (const CommandError&) {
}

/// Writes the report and ends with the summary, which also is printed if there is no report; returns why there is none,
/// or an empty text.
std::string write_results(const std::filesystem::path& run, bool plots) {
  std::vector<std::string> arguments{run.string(), "--screen"};
  if (plots) arguments.emplace_back("--plots");
  try {
    run_python_tool(report_tool(), arguments);
    return "";
  } catch (const CommandError& error) {
    print_summary(run);
    return *error.what() != '\0' ? error.what() : "the report was not written, see above";
  }
}

void finish(const PlannedRun& planned, bool plots) {
  const std::string directory = planned.directory.string();
  if (planned.run.state.interrupted) {
    if (!planned.run.blocks.empty()) print_summary(planned.directory);
    throw Interrupted("interrupted, {} of {} blocks are complete in {}; go on with `{}`", blocks_done(planned.run),
                      planned.blocks.size(), directory, command_to_resume(planned));
  }
  say("writing the report");
  const std::string no_report = write_results(planned.directory, plots);
  if (const std::size_t failed = failed_cells_of(planned.run); failed > 0) {
    if (!no_report.empty()) say(no_report);
    std::cerr << failures_text(planned.run);
    throw NegativeAnswer("{} cell{} failed verification, without figures: see above", failed, failed == 1 ? "" : "s");
  }
  if (!no_report.empty()) {
    throw EnvironmentError("{}; the results are in {}, and `stowage report {}` shows them then", no_report, directory,
                           shell_path(directory));
  }
}

void run(const RunRequest& request, bool plots, const CommandContext& context) {
  PlannedRun planned = plan_run(request, context);
  const Machine& machine = planned.run.environment.machine;
  const bool is_timed = !is_emulated(machine);
  if (!is_timed) {
    planned.time.repetitions = 0;
    planned.time.more_looks_s.clear();
    planned.run.options.precision =
        fmt::format("without times, because this processor is {}: cells are verified and their bytes are counted",
                    machine.virtualisation);
  }
  announce(planned);
  const int verbosity = request.benchmark.verbosity;
  SteadyTimer timer(verbosity);
  measure(planned, context.catalogue, timer, [&](const Bench& bench, const SaveRun& save) {
    Run& run = planned.run;
    const VisitApart apart = is_timed ? visits_apart(planned, verbosity, context.modules) : nullptr;
    doctor::time_blocks(run, planned.blocks, planned.time, bench, save, apart);
    if (is_timed && !run.state.interrupted) add_frames_pass(planned, bench, save);
    if (!run.state.interrupted) run_memory_pass(run, planned.blocks, bench, save);
    if (is_timed && !run.state.interrupted) add_cache_pass(planned, bench, save);
  });
  finish(planned, plots);
}

/// What follows --until-decided, if anything does.
double minutes_of(const std::vector<std::string>& values) {
  constexpr double usual = 10;
  constexpr double most = 7 * 24 * 60;
  if (values.empty() || values[0].empty()) return usual;
  const auto minutes = parse_number<double>(values[0]);
  if (!minutes || !(*minutes > 0 && *minutes <= most)) {  // nor NaN
    throw UserError(
        "--until-decided '{}' must be more than 0 minutes, and at most {:.0f}; without a number it is {:.0f}",
        values[0], most, usual);
  }
  return *minutes;
}

}  // namespace

void make_visit(const std::vector<std::string>& arguments, const CommandContext& context) {
  RunRequest request;
  request.resume = arguments.at(0);
  const auto newest = parse_number<std::int64_t>(arguments.at(4)).value();
  context.modules.freeze_at(fs::file_time_type(fs::file_time_type::duration(newest)));
  if (arguments.at(5) != world_prefix) request.selection.world = arguments[5].substr(world_prefix.size());
  request.selection.storages.assign(arguments.begin() + 6, arguments.end());
  PlannedRun planned = plan_resumed(std::move(request), context, true);
  SteadyTimer steady(parse_number<int>(arguments.at(3)).value_or(0));
  doctor::SlowedTimer timer(steady);  // slows the copies of a calibration, if there are any
  measure(planned, context.catalogue, timer, [&](const Bench& bench, const SaveRun& save) {
    run_visit(planned.run, planned.blocks, planned.time, parse_number<std::size_t>(arguments.at(1)).value(),
              parse_number<double>(arguments.at(2)), bench, save);
  });
  if (planned.run.state.interrupted) throw Interrupted("");
}

void make_calibration_run(const std::vector<std::string>& arguments, const CommandContext& context) {
  RunRequest request;
  request.out = arguments.at(0);
  request.copied = parse_number<std::size_t>(arguments.at(1)).value_or(0);
  request.until_decided_minutes = parse_number<double>(arguments.at(2));
  request.command = "stowage doctor --calibrate";
  PlannedRun planned = plan_run(request, context);
  Run& run = planned.run;
  SteadyTimer timer;
  measure(planned, context.catalogue, timer, [&](const Bench& bench, const SaveRun& save) {
    const auto time = [&](const TimePlan& plan) {
      if (run.state.interrupted) return;
      doctor::time_blocks(run, planned.blocks, plan, bench, save, visits_apart(planned, 0, context.modules));
    };
    TimePlan first_look = planned.time;
    first_look.more_looks_s.clear();
    time(first_look);
    Run as_if_without = doctor::without_copies(run);
    if (!planned.time.more_looks_s.empty()) time(planned.time);
    make_directory(planned.directory / doctor::copies_directory);
    save_run(planned.directory / doctor::copies_directory, run);
    as_if_without.state.interrupted = run.state.interrupted;
    run = std::move(as_if_without);
    if (!run.state.interrupted) add_frames_pass(planned, bench, save);
    if (!run.state.interrupted) run_memory_pass(run, planned.blocks, bench, save);
    save(run);
  });
  if (run.state.interrupted) throw Interrupted("interrupted");
}

void add_run_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand("run", "Measures the selected cells, writes results.json and the report");
  const auto request = std::make_shared<RunRequest>();
  add_selection_options(*command, request->selection);
  command->add_option("--out", request->out, "Where results go; results/<date>-<host>-<preset> by default");
  command->add_option("--resume", request->resume, "Goes on with the run in this directory");
  const auto minutes = std::make_shared<std::vector<std::string>>();
  CLI::Option* const until_decided =
      command
          ->add_option("--until-decided", *minutes,
                       "Looks at what is open once more, and up to three times again within MINUTES (10 by default)")
          ->expected(0, 1)
          ->type_name("[MINUTES]");
  command->add_option(
      "--layouts", request->layouts,
      "In how many code layouts each strategy is measured; by default 3 with standard in a source tree, else 1");
  command->add_option("--timer", request->timer,
                      "What times the cells: `rounds` (the default), or `google-benchmark`, whose runner is a second "
                      "opinion");
  add_cpus_option(*command, request->cpus);
  const auto plots = std::make_shared<bool>(false);
  command->add_flag("--plots", *plots, "Also writes each chart as SVG and PNG, and each table as CSV");
  command->footer(
      "Flags after -- are Google Benchmark's: --benchmark_filter, --benchmark_min_time, --benchmark_repetitions and "
      "--v.");
  set_action(*command, context, [request, plots, minutes, until_decided, &context] {
    request->benchmark = parse_benchmark_flags(context.benchmark_flags);
    if (request->benchmark.filter && request->selection.filter) {
      throw UserError("--cells and --benchmark_filter both say which cells; give one of them");
    }
    if (request->benchmark.filter) request->selection.filter = request->benchmark.filter;
    if (until_decided->count() > 0) request->until_decided_minutes = minutes_of(*minutes);
    request->command = context.command();
    run(*request, *plots, context);
  });
}

}  // namespace stowage::harness
