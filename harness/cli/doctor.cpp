#include <fmt/format.h>

#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "harness/cli/commands.hpp"
#include "harness/doctor/calibration.hpp"
#include "harness/doctor/examination.hpp"
#include "harness/doctor/examine.hpp"
#include "harness/errors.hpp"
#include "harness/recommend/world.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/cores.hpp"
#include "harness/system/files.hpp"
#include "harness/system/lock.hpp"
#include "harness/system/platform.hpp"
#include "harness/system/progress.hpp"

namespace stowage::harness {
namespace {

struct DoctorRequest {
  std::string format = "table";
  std::optional<std::string> cpus;
  bool calibrate = false;
  std::optional<double> hours;
  std::optional<double> until_decided_minutes;
};

/// The cells by which the noise is measured.
void load_a_strategy(const CommandContext& context) {
  constexpr const char* plainest = "indirection_map";
  if (!context.catalogue.knows(plainest)) return;
  try {
    if (context.modules.compiles()) {
      SelectionRequest request;
      request.world = usual_world().string();
      add_storages(request, context);
      context.modules.add_copy(plainest, doctor::copy_name(plainest, 0));
    }
    context.modules.require({plainest}, doctor::noise_units(context.catalogue));
  } catch (const EnvironmentError& error) {
    say(error.what());  // noise is then said to be unknown
  }
}

doctor::Examination examine(const std::string& cpus, const CommandContext& context) {
  const bool is_timed = !is_emulated(describe_environment().machine);
  pin_to_cpus(cpus);
  if (is_timed) load_a_strategy(context);
  const Catalogue& catalogue = context.catalogue;
  doctor::Examination examination{.environment = describe_environment()};
  SteadyTimer timer;
  Progress progress(std::cerr, stderr_is_terminal());
  const InterruptGuard guard;
  const Bench bench{catalogue, timer, progress, InterruptGuard::interrupted, steady_now_s};
  const doctor::Surroundings surroundings;
  const auto floors =
      is_timed ? doctor::measure_noise(doctor::noise_blocks(catalogue), bench) : std::vector<doctor::NoiseFloor>();
  const auto company = surroundings.company();
  if (!floors) throw Interrupted("interrupted before the noise was known");
  examination.floors = *floors;
  // The tools are started last: nothing of theirs runs while something is measured.
  examination.checks = doctor::check_machine(examination.environment, company, catalogue);
  for (doctor::Check& check : doctor::check_tools()) examination.checks.push_back(std::move(check));
  if (is_timed) examination.checks.push_back(doctor::judge_noise(examination.floors));
  if (InterruptGuard::interrupted()) throw Interrupted("interrupted before everything was looked at");
  return examination;
}

void examine_and_tell(const DoctorRequest& request, const CommandContext& context) {
  const doctor::Examination examination = examine(request.cpus.value_or(""), context);
  std::cout << (request.format == "json" ? doctor::examination_json(examination)
                                         : doctor::examination_text(examination, page_columns()))
            << std::flush;
  const doctor::Verdict verdict = doctor::verdict_of(examination.checks);
  if (verdict.exit_code != ExitCode::done) throw CommandError(verdict.exit_code, verdict.text);
}

/// Rates of right and wrong verdicts, in a process that starts this program again for each run.
void calibrate(double hours, const std::optional<double>& until_decided_minutes) {
  require_real_processor("calibrate on a real one");
  make_directory(runs_directory);
  const Lock lock(runs_directory, "wait until it has ended, or stop it");
  run_python_tool(
      {.module = "stowage_report.calibrate", .what = "the calibration"},
      {own_executable().string(), "--out", std::string(runs_directory), "--minutes", fmt::to_string(60 * hours),
       "--until-decided", until_decided_minutes ? fmt::to_string(*until_decided_minutes) : "none"});
}

void diagnose(const DoctorRequest& request, const CommandContext& context) {
  if (!request.calibrate) {
    if (request.hours || request.until_decided_minutes) {
      throw UserError("--hours and --until-decided say how long --calibrate measures; give it too");
    }
    return examine_and_tell(request, context);
  }
  if (request.format != "table") throw UserError("--calibrate prints a table, and stores JSON; remove --format");
  constexpr double ten_minutes_h = 1.0 / 6;
  const double hours = request.hours.value_or(ten_minutes_h);
  if (!(hours > 0 && hours <= 100)) throw UserError("--hours must be above 0 and at most 100");
  if (request.until_decided_minutes && !(*request.until_decided_minutes > 0 && *request.until_decided_minutes <= 60)) {
    throw UserError("--until-decided must be above 0 and at most 60 minutes");
  }
  pin_to_cpus(request.cpus.value_or(""));
  calibrate(hours, request.until_decided_minutes);
}

}  // namespace

void add_doctor_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("doctor", "Says whether this machine is fit to measure, and how large its noise is");
  const auto request = std::make_shared<DoctorRequest>();
  add_choice_option(*command, "--format", request->format, {"table", "json"}, "table (the default) or json");
  add_cpus_option(*command, request->cpus);
  command->add_flag("--calibrate", request->calibrate,
                    "Measures how often verdicts of run, compare and recommend are right on this machine");
  command->add_option("--hours", request->hours, "How long --calibrate measures; ten minutes by default");
  command->add_option("--until-decided", request->until_decided_minutes,
                      "MINUTES: each run of --calibrate goes on as `run --until-decided` does");
  command->footer(
      "Takes about ten seconds without --calibrate. Exit codes: 0 fit to measure; 1 figures could not be trusted; "
      "3 this machine cannot measure.");
  set_action(*command, context, [request, &context] { diagnose(*request, context); });
}

}  // namespace stowage::harness
