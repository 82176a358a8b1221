#include "harness/cli/harness_main.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "harness/build/layout.hpp"
#include "harness/build_info.hpp"
#include "harness/cli/commands.hpp"
#include "harness/doctor/calibration.hpp"
#include "harness/errors.hpp"
#include "harness/measure/simulated/protocol.hpp"
#include "harness/recommend/measure_game.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

constexpr const char* description =
    "Measures how a game or simulation should stow its entities: every storage strategy through the same work.\n"
    "Exit codes: 0 done; 1 the answer is \"no\"; 2 wrong input; 3 the environment lacks something; 130 interrupted.";

/// What comes after the first `--` belongs to Google Benchmark.
CommandContext split_command_line(int argc, char** argv, const Catalogue& catalogue, Modules& modules) {
  CommandContext context{catalogue, modules, {argv + 1, argv + std::max(argc, 1)}, {}};
  const auto separator = std::ranges::find(context.arguments, "--");
  if (separator != context.arguments.end()) {
    context.benchmark_flags.assign(std::next(separator), context.arguments.end());
  }
  return context;
}

/// CLI11 takes arguments from the end of a vector.
std::vector<std::string> own_arguments_reversed(const CommandContext& context) {
  const auto separator = std::ranges::find(context.arguments, "--");
  return {std::make_reverse_iterator(separator), context.arguments.rend()};
}

void add_commands(CLI::App& app, const CommandContext& context) {
  add_list_command(app, context);
  add_run_command(app, context);
  add_cache_command(app, context);
  add_verify_command(app, context);
  add_report_command(app, context);
  add_claims_command(app, context);
  add_compare_command(app, context);
  add_recommend_command(app, context);
  add_adopt_command(app, context);
  add_merge_command(app, context);
  add_doctor_command(app, context);
  add_submit_command(app, context);
  add_gallery_command(app, context);
}

void run_command_line(CLI::App& app, const CommandContext& context) {
  try {
    app.parse(own_arguments_reversed(context));
  } catch (const CLI::Success&) {
    refuse_leftovers(app, app.remaining());  // help for a command that there is not is no success
    throw;
  }
  refuse_leftovers(app, app.remaining());
  if (app.get_subcommands().empty()) {
    std::cerr << app.help();
    throw UserError("no command; name one of those above");
  }
}

int fail(std::string_view message, ExitCode code) {
  std::cout.flush();
  if (!message.empty()) say(message);
  return static_cast<int>(code);
}

}  // namespace

int harness_main(int argc, char** argv, Catalogue catalogue) {
  explain_crashes();
  if (argc == 2 && argv[1] == simulated_argument) return serve_simulation(std::move(catalogue));
  Modules modules(catalogue);
  const CommandContext context = split_command_line(argc, argv, catalogue, modules);
  CLI::App app(description, "stowage");
  app.set_version_flag("--version", std::string(build_info::version));
  app.allow_extras();
  app.require_subcommand(0, 1);  // one at most: the directory in `stowage report run` is no second command
  add_commands(app, context);
  try {
    if (argc == 3 && argv[1] == measure_argument) {
      measure_game(argv[2]);
      return static_cast<int>(ExitCode::done);
    }
    if (argc >= 2 && argv[1] == modules_argument) {
      build_modules({argv + 2, argv + argc}, context);
      return static_cast<int>(ExitCode::done);
    }
    if (argc == 4 && argv[1] == layout_argument) {
      std::cout << layout_script(argv[2], parse_number<std::size_t>(argv[3]).value_or(0));
      return static_cast<int>(ExitCode::done);
    }
    if (argc == 8 && argv[1] == doctor::calibration_argument) {
      make_calibration_run({argv + 2, argv + argc}, context);
      return static_cast<int>(ExitCode::done);
    }
    run_command_line(app, context);
    if (!std::cout.flush()) {
      throw EnvironmentError("the answer cannot be written to standard output; free some space, or send it elsewhere");
    }
    return static_cast<int>(ExitCode::done);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return fail(message_for(app, error), ExitCode::wrong_input);
  } catch (const CommandError& error) {
    return fail(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return fail("out of memory; select fewer entities or strategies", ExitCode::environment_lacks);
  } catch (const std::exception& error) {
    return fail(fmt::format("unexpected: {}", error.what()), ExitCode::environment_lacks);
  }
}

}  // namespace stowage::harness
