#include <fmt/format.h>

#include <CLI/App.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/doctor/examination.hpp"
#include "harness/doctor/examine.hpp"
#include "harness/errors.hpp"
#include "harness/system/progress.hpp"

namespace stowage::harness {
namespace {

/// The cells by which the noise is measured.
void load_a_strategy(const CommandContext& context) {
  constexpr const char* plainest = "indirection_map";
  if (!context.catalogue.knows(plainest)) return;
  try {
    compile([&](const ModuleBench& bench) { context.modules.require({plainest}, bench); });
  } catch (const EnvironmentError& error) {
    std::cerr << fmt::format("stowage: {}\n", error.what());  // noise is then said to be unknown
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

}  // namespace

void add_doctor_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("doctor", "Says whether this machine is fit to measure, and how large its noise is");
  const auto format = std::make_shared<std::string>("table");
  add_format_option(*command, *format, {"table", "json"}, "table (the default) or json");
  command->footer("Takes some ten seconds. Exit codes: 0 fit; 1 figures could not be trusted; 3 none can be had.");
  set_action(*command, [format, &context] {
    refuse_benchmark_flags(context);
    examine_and_tell(*format, context);
  });
}

}  // namespace stowage::harness
