#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/cli/run_plan.hpp"
#include "harness/doctor/calibration.hpp"
#include "harness/doctor/examine.hpp"
#include "harness/errors.hpp"
#include "harness/measure/frames.hpp"
#include "harness/measure/memory.hpp"
#include "harness/measure/simulated/pass.hpp"
#include "harness/plan/new_run.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/cache_tables.hpp"
#include "harness/results/metrics.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/results/summary.hpp"
#include "harness/results/tables.hpp"
#include "harness/system/files.hpp"
#include "harness/system/process.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

/// Before the profile of a visit: no argument may be empty.
constexpr std::string_view world_prefix = "world=";

/// The tables of a run as text, in its directory.
constexpr const char* tables_file = "tables.txt";

/// What `run` prints and writes beside the summary and the page.
struct Output {
  bool tables = false;
  bool plots = false;
};

void announce(const PlannedRun& planned) {
  say(fmt::format("cells of this run: {}; results go to {}", cells_of(planned.blocks), planned.directory.string()));
  say(fmt::format("{} is {}", planned.run.options.preset, planned.run.options.precision));
}

/// None, and a line that says why, if this machine lacks what it takes: all other figures can be had without.
std::unique_ptr<CallgrindSimulator> simulator_for(const CacheModel& model, std::size_t cells) {
  try {
    return std::make_unique<CallgrindSimulator>(model, std::min(cells, processors()));
  } catch (const EnvironmentError& error) {
    say(fmt::format("no cache figures: {}", error.what()));
    return nullptr;
  }
}

/// Simulates the caches of what was timed.
void add_cache_pass(PlannedRun& planned, const SaveRun& save) {
  Run& run = planned.run;
  const std::size_t cells = cells_to_simulate(run, planned.blocks);
  if (cells == 0) return;
  const Preset& preset = find_preset(run.options.preset);
  const CachePlan plan{.model = parse_cache_model("reference"),
                       .cold = false,
                       .takes_any_size = false,
                       .most_entities = preset.largest_simulated,
                       .budget_s = preset.cache_budget_s};
  const std::unique_ptr<CallgrindSimulator> simulator = simulator_for(plan.model, cells);
  if (simulator == nullptr) return;
  const double started_s = steady_now_s() - run.state.wall_s;
  const auto save_with_time = [&](const Run&) {
    run.state.wall_s = steady_now_s() - started_s;
    save(run);
  };
  run.state.interrupted = !simulate(run, planned.blocks, plan, *simulator, save_with_time);
  save_with_time(run);
  std::cerr << omissions_text(run, cache_pass);
}

/// Times the frames of what was timed as a whole.
void add_frames_pass(PlannedRun& planned, const Bench& bench, const SaveRun& save) {
  const Preset& preset = find_preset(planned.run.options.preset);
  const FramesPlan plan{.frames = preset.frames,
                        .fewest_frames = fewest_frames_for_p99,
                        .most_s_per_cell = preset.most_frames_s,
                        .seed = planned.run.options.seed};
  run_frames_pass(planned.run, planned.blocks, plan, bench, steady_now_ns, save);
}

/// Makes a visit in a process of its own, which lays out memory anew.
VisitApart visits_apart(const PlannedRun& planned, int verbosity) {
  return [&planned, verbosity](Run& run, std::size_t visit, std::optional<double> budget_s) {
    save_run(planned.directory, run);
    std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe").string(),
                                     std::string(visit_argument),
                                     planned.directory.string(),
                                     fmt::to_string(visit),
                                     budget_s ? fmt::to_string(*budget_s) : "none",
                                     fmt::to_string(verbosity),
                                     std::string(world_prefix) + planned.world.value_or("")};
    command.insert(command.end(), run.options.storages.begin(), run.options.storages.end());
    constexpr int interrupted = 130;
    const int code = run_until_stopped(command, InterruptGuard::interrupted).value_or(interrupted);
    run = load_run(planned.directory);
    run.state.interrupted = run.state.interrupted || code == interrupted;
    if (code == 0 || code == interrupted) return;
    if (code == static_cast<int>(ExitCode::environment_lacks)) throw CommandError(ExitCode::environment_lacks, "");
    throw EnvironmentError(fmt::format("the process that measured ended with {}", code));
  };
}

/// Whatever ends them, what was measured is saved.
void make_passes(PlannedRun& planned, const Bench& bench, SparingSave& sparing, int verbosity) {
  const SaveRun save = std::ref(sparing);
  try {
    doctor::time_blocks(planned.run, planned.blocks, planned.time, bench, save, visits_apart(planned, verbosity));
    if (!planned.run.state.interrupted) add_frames_pass(planned, bench, save);
    if (!planned.run.state.interrupted) run_memory_pass(planned.run, planned.blocks, bench, save);
    if (!planned.run.state.interrupted) add_cache_pass(planned, save);
  } catch (...) {
    sparing.finish(planned.run);
    throw;
  }
  sparing.finish(planned.run);
}

/// Stores what was measured; if the disk refuses it, prints it.
void measure(PlannedRun& planned, int verbosity, const Catalogue& catalogue) {
  SteadyTimer timer(verbosity);
  Progress progress(std::cerr, stderr_is_terminal());
  const InterruptGuard guard;
  const Bench bench{catalogue, timer, progress, InterruptGuard::interrupted, steady_now_s};
  SparingSave save([&planned](const Run& run) { save_run(planned.directory, run); }, steady_now_s);
  try {
    make_passes(planned, bench, save, verbosity);
    replace_file(planned.directory / tables_file, tables_text(planned.run));
  } catch (const CommandError& error) {
    progress.stop();
    if (*error.what() == '\0') throw;  // the process that measured has said it, and printed the tables
    std::cout << tables_text(planned.run);
    if (!holds_results(planned.directory)) throw;
    throw CommandError(error.exit_code(), fmt::format("{}; then go on with `{}`", error.what(),
                                                      command_to_resume(planned.directory, planned.run.options)));
  }
}

/// Ends with one screen: `print` prints the summary. Prints the tables before it if they are asked for, or in its place
/// if it cannot be made; returns why, or an empty text.
std::string print_results(const PlannedRun& planned, bool tables, const std::function<void()>& print) {
  if (tables) std::cout << tables_text(planned.run) << "\n" << std::flush;
  try {
    print();
    return "";
  } catch (const CommandError& error) {
    if (!tables) std::cout << tables_text(planned.run) << std::flush;
    return *error.what() != '\0' ? error.what() : "the report was not written, see above";
  }
}

void finish(const PlannedRun& planned, const Output& output) {
  const std::string directory = planned.directory.string();
  if (planned.run.state.interrupted) {
    if (!planned.run.blocks.empty()) print_results(planned, output.tables, [&] { print_summary({planned.directory}); });
    throw Interrupted(fmt::format("interrupted, {} of {} blocks are complete in {}; go on with `{}`",
                                  blocks_done(planned.run), planned.blocks.size(), directory,
                                  command_to_resume(planned.directory, planned.run.options)));
  }
  say("writing the report");
  const std::string no_report =
      print_results(planned, output.tables, [&] { write_report_with_summary(planned.directory, output.plots); });
  if (const std::size_t failed = failed_cells_of(planned.run); failed > 0) {
    if (!no_report.empty()) say(no_report);
    throw NegativeAnswer(fmt::format("{} cell{} failed verification, without figures: see ERROR in {}", failed,
                                     failed == 1 ? "" : "s", (planned.directory / tables_file).string()));
  }
  if (!no_report.empty()) throw EnvironmentError(fmt::format("{} (the results are in {})", no_report, directory));
}

void run(const RunRequest& request, const Output& output, const CommandContext& context) {
  PlannedRun planned = plan_run(request, context);
  announce(planned);
  measure(planned, request.benchmark.verbosity, context.catalogue);
  finish(planned, output);
}

/// What follows --until-decided, if anything does.
double minutes_of(const std::vector<std::string>& values) {
  constexpr double usual = 10;
  constexpr double most = 7 * 24 * 60;
  if (values.empty() || values[0].empty()) return usual;
  const auto minutes = parse_number<double>(values[0]);
  if (!minutes || !(*minutes > 0 && *minutes <= most)) {  // nor NaN
    throw UserError(
        fmt::format("--until-decided '{}' must be more than 0 minutes, and at most {:.0f}; without a number "
                    "it is {:.0f}",
                    values[0], most, usual));
  }
  return *minutes;
}

}  // namespace

void make_visit(const std::vector<std::string>& arguments, const CommandContext& context) {
  RunRequest request;
  request.resume = arguments.at(0);
  if (arguments.at(4) != world_prefix) request.selection.world = arguments[4].substr(world_prefix.size());
  request.selection.storages.assign(arguments.begin() + 5, arguments.end());
  PlannedRun planned = plan_visit(std::move(request), context);
  SteadyTimer steady(parse_number<int>(arguments.at(3)).value_or(0));
  doctor::SlowedTimer timer(steady);  // slows the copies of a calibration, if there are any
  Progress progress(std::cerr, stderr_is_terminal());
  const InterruptGuard guard;
  const Bench bench{context.catalogue, timer, progress, InterruptGuard::interrupted, steady_now_s};
  SparingSave save([&planned](const Run& run) { save_run(planned.directory, run); }, steady_now_s);
  try {
    run_visit(planned.run, planned.blocks, planned.time, parse_number<std::size_t>(arguments.at(1)).value(),
              parse_number<double>(arguments.at(2)), bench, std::ref(save));
    save.finish(planned.run);
  } catch (const CommandError& error) {
    progress.stop();
    std::cout << tables_text(planned.run);
    throw CommandError(error.exit_code(), fmt::format("{}; then go on with `{}`", error.what(),
                                                      command_to_resume(planned.directory, planned.run.options)));
  }
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
  Progress progress(std::cerr, stderr_is_terminal());
  const InterruptGuard guard;
  const Bench bench{context.catalogue, timer, progress, InterruptGuard::interrupted, steady_now_s};
  const SaveRun save = [&](const Run& state) { save_run(planned.directory, state); };
  const auto time = [&](const TimePlan& plan) {
    if (!run.state.interrupted) doctor::time_blocks(run, planned.blocks, plan, bench, save, visits_apart(planned, 0));
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
          ->add_option(
              "--until-decided", *minutes,
              "Goes on until every strategy is equal to the best or worse, for MINUTES at most; 10 if none are "
              "given")
          ->expected(0, 1)
          ->type_name("[MINUTES]");
  command->add_option(
      "--layouts", request->layouts,
      "How many places each strategy's code is measured at; 3 in standard, else 1, that of the compiler");
  const auto output = std::make_shared<Output>();
  command->add_flag("--tables", output->tables, "Prints all tables before the summary; DIR/tables.txt always has them");
  command->add_flag("--plots", output->plots, "Also writes each chart as SVG and PNG, and each table as CSV");
  command->footer(
      "Flags after -- are Google Benchmark's: --benchmark_filter, --benchmark_min_time, "
      "--benchmark_repetitions and --v.");
  set_action(*command, [request, output, minutes, until_decided, &context] {
    request->benchmark = parse_benchmark_flags(context.benchmark_flags);
    if (request->benchmark.filter && request->selection.filter) {
      throw UserError("--cells and --benchmark_filter both say which cells; give one of them");
    }
    if (request->benchmark.filter) request->selection.filter = request->benchmark.filter;
    if (until_decided->count() > 0) request->until_decided_minutes = minutes_of(*minutes);
    request->command = context.command();
    run(*request, *output, context);
  });
}

}  // namespace stowage::harness
