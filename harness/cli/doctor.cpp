#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/build/layout.hpp"
#include "harness/cli/commands.hpp"
#include "harness/doctor/calibration.hpp"
#include "harness/doctor/examination.hpp"
#include "harness/doctor/examine.hpp"
#include "harness/errors.hpp"
#include "harness/locations.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"
#include "harness/system/lock.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

/// The cells by which the noise is measured.
void load_a_strategy(const CommandContext& context) {
  constexpr const char* plainest = "indirection_map";
  if (!context.catalogue.knows(plainest)) return;
  try {
    compile([&](const ModuleBench& bench) {
      context.modules.require({plainest}, doctor::noise_units(context.catalogue), bench);
    });
  } catch (const EnvironmentError& error) {
    say(error.what());  // noise is then said to be unknown
  }
}

doctor::Examination examine(const CommandContext& context) {
  load_a_strategy(context);
  const Catalogue& catalogue = context.catalogue;
  doctor::Examination examination{.environment = describe_environment(), .checks = {}, .floors = {}};
  SteadyTimer timer;
  Progress progress(std::cerr, stderr_is_terminal());
  const InterruptGuard guard;
  const Bench bench{catalogue, timer, progress, InterruptGuard::interrupted, steady_now_s};
  const doctor::Surroundings surroundings;
  const auto floors = doctor::measure_noise(doctor::noise_blocks(catalogue), bench);
  const auto company = surroundings.company();
  if (!floors) throw Interrupted("interrupted before the noise was known");
  examination.floors = *floors;
  // The tools are started last: nothing of theirs runs while something is measured.
  examination.checks = doctor::check_machine(examination.environment, company, catalogue);
  for (doctor::Check& check : doctor::check_tools()) examination.checks.push_back(std::move(check));
  examination.checks.push_back(doctor::judge_noise(examination.floors));
  if (InterruptGuard::interrupted()) throw Interrupted("interrupted before everything was looked at");
  return examination;
}

void examine_and_tell(const std::string& format, const CommandContext& context) {
  const doctor::Examination examination = examine(context);
  std::cout << (format == "json" ? doctor::examination_json(examination)
                                 : doctor::examination_text(examination, page_columns()))
            << std::flush;
  const doctor::Verdict verdict = doctor::verdict_of(examination.checks);
  if (verdict.exit_code != ExitCode::done) throw CommandError(verdict.exit_code, verdict.text);
}

struct DoctorRequest {
  std::string format = "table";
  bool calibrate = false;
  std::optional<double> hours;
};

/// Rates of right and wrong verdicts, in a process that starts this program again for each run.
void calibrate(double hours) {
  make_directory(runs_directory);
  const Lock lock(runs_directory, "wait until it has ended, or stop it");
  run_python_tool({.module = "stowage_report.calibrate", .what = "the calibration", .needs = {}, .packages = "python3"},
                  {std::filesystem::read_symlink("/proc/self/exe").string(), "--out", std::string(runs_directory),
                   "--minutes", fmt::to_string(60 * hours)});
}

void diagnose(const DoctorRequest& request, const CommandContext& context) {
  refuse_benchmark_flags(context);
  if (!request.calibrate) {
    if (request.hours) throw UserError("--hours is how long --calibrate measures; give both");
    return examine_and_tell(request.format, context);
  }
  if (request.format != "table") throw UserError("--calibrate prints a table, and stores JSON; remove --format");
  constexpr double ten_minutes_h = 1.0 / 6;
  const double hours = request.hours.value_or(ten_minutes_h);
  if (!(hours > 0 && hours <= 100)) throw UserError("--hours must be above 0 and at most 100");
  calibrate(hours);
}

}  // namespace

void make_calibration_run(const std::vector<std::string>& arguments, const CommandContext& context) {
  const auto number = [&](std::size_t place) { return parse_number<std::size_t>(arguments.at(place)).value_or(0); };
  const doctor::CalibrationRequest request{.directory = arguments.at(0),
                                           .preset = arguments.at(1),
                                           .strategies = split_list(arguments.at(2)),
                                           .first_layout = number(4),
                                           .layouts = std::max<std::size_t>(1, number(5)),
                                           .seed = number(3)};
  const std::size_t known = std::min(most_layouts, request.first_layout + request.layouts);
  std::vector<std::string> measured = request.strategies;
  measured.emplace_back("reference");
  compile([&](const ModuleBench& bench) {
    context.modules.require_layouts(measured, context.modules.units(), known, bench);
  });
  Progress progress(std::cerr, false);
  const InterruptGuard guard;
  SteadyTimer timer;
  doctor::make_calibration_run(request,
                               {context.catalogue, timer, progress, InterruptGuard::interrupted, steady_now_s});
}

void add_doctor_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("doctor", "Says whether this machine is fit to measure, and how large its noise is");
  const auto request = std::make_shared<DoctorRequest>();
  add_format_option(*command, request->format, {"table", "json"}, "table (the default) or json");
  command->add_flag("--calibrate", request->calibrate,
                    "Measures how often verdicts of run, compare and recommend are right on this machine");
  command->add_option("--hours", request->hours, "How long --calibrate measures; ten minutes by default");
  command->footer(
      "Takes some ten seconds, without --calibrate. Exit codes: 0 fit; 1 figures could not be trusted; 3 none can be "
      "had.");
  set_action(*command, [request, &context] { diagnose(*request, context); });
}

}  // namespace stowage::harness
