// The program's entry: splits the command line, dispatches to a command, and turns exceptions into exit codes.
#include "harness/cli/harness_main.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
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
#include "harness/system/json.hpp"
#include "harness/system/platform.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace {

constexpr const char* description =
    "Measures how a game or simulation should store its entities: every storage strategy does equal work.\n"
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
  add_report_commands(app, context);
  add_recommend_command(app, context);
  add_adopt_command(app, context);
  add_doctor_command(app, context);
  add_submit_command(app, context);
  add_build_cost_command(app, context);
}

void run_command_line(CLI::App& app, const CommandContext& context) {
  try {
    app.parse(own_arguments_reversed(context));
  } catch (const CLI::Success&) {
    refuse_leftovers(app, app.remaining());  // help for an unknown command is an error
    throw;
  }
  refuse_leftovers(app, app.remaining());
  if (app.get_subcommands().empty()) {
    std::cerr << app.help();
    throw UserError("no command; name one of those above");
  }
}

/// True if text for JSON is not UTF-8: a path from the environment, because check_arguments() refuses such arguments.
bool is_about_encoding(const std::exception& error) {
  constexpr int not_utf_8 = 316;
  const auto* const of_json = dynamic_cast<const nlohmann::json::type_error*>(&error);
  return of_json != nullptr && of_json->id == not_utf_8;
}

/// Names and paths get into files that are UTF-8. An empty path would mean the working directory.
void check_arguments(const std::vector<std::string>& arguments) {
  const auto quoted = [](const std::string& text, nlohmann::json::error_handler_t handler) {
    return nlohmann::json(text).dump(-1, ' ', false, handler);
  };
  for (const std::string& argument : arguments) {
    if (argument.empty()) throw UserError("an argument is empty; leave it out, or set the variable that it comes from");
    try {
      static_cast<void>(quoted(argument, nlohmann::json::error_handler_t::strict));
    } catch (const nlohmann::json::type_error&) {
      throw UserError("the argument {} is not UTF-8; give another name, or rename the file",
                      quoted(argument, nlohmann::json::error_handler_t::replace));
    }
  }
}

/// Writes `message`, and ends with `code`; if what was printed before cannot be written, that comes first.
int end_with(std::string_view message, ExitCode code) {
  if (!std::cout.flush()) {
    message = "the answer cannot be written to standard output; free some space, or send it elsewhere";
    code = ExitCode::environment_lacks;
  }
  if (!message.empty()) say(message);
  return static_cast<int>(code);
}

/// Runs a command that stowage starts itself with, and no user types. Returns false if `arguments` has none.
bool run_hidden_command(const std::vector<std::string>& arguments, const CommandContext& context) {
  const std::string_view name = arguments.empty() ? "" : arguments.front();
  const std::size_t values = arguments.empty() ? 0 : arguments.size() - 1;
  if (name == measure_argument && values == 1) {
    measure_game(arguments[1]);
  } else if (name == visit_argument && values >= 6) {
    make_visit({arguments.begin() + 1, arguments.end()}, context);
  } else if (name == modules_argument) {
    build_modules({arguments.begin() + 1, arguments.end()}, context);
#ifdef __linux__
  } else if (name == layout_argument && values == 2) {
    std::cout << layout_script(arguments[1], parse_number<std::size_t>(arguments[2]).value_or(0));
#endif
  } else if (name == doctor::calibration_argument && values == 3) {
    make_calibration_run({arguments.begin() + 1, arguments.end()}, context);
  } else {
    return false;
  }
  return true;
}

}  // namespace

int harness_main(int argc, char** argv, Catalogue catalogue) {
  open_standard_streams();
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
    check_open_files();
    check_arguments(context.arguments);
    if (!run_hidden_command(context.arguments, context)) run_command_line(app, context);
    return end_with("", ExitCode::done);
  } catch (const CLI::Success& help_or_version) {
    return end_with("", static_cast<ExitCode>(app.exit(help_or_version)));
  } catch (const CLI::ParseError& error) {
    return end_with(message_for(app, error), ExitCode::wrong_input);
  } catch (const CommandError& error) {
    return end_with(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return end_with("out of memory; select fewer entities or strategies", ExitCode::environment_lacks);
  } catch (const std::filesystem::filesystem_error& error) {
    return end_with(
        fmt::format("cannot use {}: {}; name another place", error.path1().string(), error.code().message()),
        ExitCode::wrong_input);
  } catch (const std::exception& error) {
    if (is_about_encoding(error)) {
      return end_with("a path is not UTF-8: that of stowage, TMPDIR, STOWAGE_CACHE_DIR or HOME; choose another one",
                      ExitCode::environment_lacks);
    }
    return end_with(fmt::format("unexpected: {}", error.what()), ExitCode::environment_lacks);
  }
}

}  // namespace stowage::harness
