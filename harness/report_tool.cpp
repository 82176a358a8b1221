// Finds a Python that has the needed packages, and runs the report and the other tools of reports/ with it.
#include "harness/report_tool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>

#include "harness/errors.hpp"
#include "harness/locations.hpp"
#include "harness/results/json.hpp"
#include "harness/system/platform.hpp"
#include "harness/system/process.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

/// Prints which of the modules in its arguments cannot be imported. Looks for none in the working directory, see
/// reports/start.py.
constexpr std::string_view probe =
    "import sys\n"
    "sys.path[:] = [place for place in sys.path if place]\n"
    "import importlib\n"
    "for name in sys.argv[1:]:\n"
    "    try:\n"
    "        importlib.import_module(name)\n"
    "    except Exception:\n"
    "        print(name)\n";
constexpr int newest_minor = 20;
constexpr int oldest_minor = 9;

/// python3 and python3.N of every directory of PATH: the modules may belong to any of them.
std::vector<fs::path> interpreters() {
  if (const char* chosen = std::getenv("STOWAGE_PYTHON"); chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> names = {"python3"};
  for (int minor = newest_minor; minor >= oldest_minor; --minor) names.push_back(fmt::format("python3.{}", minor));
  std::vector<fs::path> directories = search_path();
  directories.emplace_back("/usr/bin");
  std::vector<fs::path> found;
  for (const fs::path& directory : directories) {
    for (const std::string& name : names) {
      const fs::path path = directory / (name + program_suffix);
      if (is_executable(path) && std::ranges::find(found, path) == found.end()) found.push_back(path);
    }
  }
  return found;
}

/// PYTHONPATH begins with `directory`, if that is not empty, and keeps the absolute places of the inherited one: empty
/// and relative places are searched from the working directory. Processes that Python starts inherit it.
ExtraEnvironment python_environment(const std::string& directory) {
  const char* inherited = std::getenv("PYTHONPATH");
  std::vector<std::string> places = split_list(inherited == nullptr ? "" : inherited, path_separator);
  std::erase_if(places, [](const std::string& place) { return !fs::path(place).is_absolute(); });
  if (!directory.empty()) places.insert(places.begin(), directory);
  return {fmt::format("PYTHONPATH={}", fmt::join(places, std::string_view(&path_separator, 1))), "PYTHONSAFEPATH=1"};
}

/// Nothing if `python` has all modules that the tool needs; else what it lacks, in words.
std::optional<std::string> shortcoming_of(const fs::path& python, const PythonTool& tool) {
  std::vector<std::string> command = {python.string(), "-c", std::string(probe)};
  command.insert(command.end(), tool.needs.begin(), tool.needs.end());
  const ProcessResult result = capture_process(command, python_environment(""));
  if (result.exit_code != 0) return fmt::format("{} does not run", python.string());
  if (result.output.empty()) return std::nullopt;
  std::istringstream names(result.output);
  const std::vector<std::string> missing{std::istream_iterator<std::string>(names), {}};
  return fmt::format("{} lacks {}", python.string(), fmt::join(missing, ", "));
}

struct PythonCall {
  std::vector<std::string> command;
  ExtraEnvironment environment;
};

/// The package that belongs to this binary comes before any other of that name.
PythonCall call_of(const PythonTool& tool, const std::vector<std::string>& arguments) {
  const fs::path reports = shared_files() / "reports";
  std::vector<std::string> command = {find_python(tool).string(), (reports / "start.py").string(), tool.module};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return {std::move(command), python_environment(reports.string())};
}

}  // namespace

std::string PythonTool::packages() const {
  return needs.empty() ? "python3" : fmt::format("python3-{}", fmt::join(needs, " python3-"));
}

PythonTool report_tool() { return {.what = "the report", .needs = {"matplotlib", "numpy", "jinja2"}}; }

PythonTool text_tool() { return {.what = "the figures"}; }

fs::path find_python(const PythonTool& tool) {
  std::vector<std::string> shortcomings;
  for (const fs::path& python : interpreters()) {
    std::optional<std::string> shortcoming = shortcoming_of(python, tool);
    if (!shortcoming) return python;
    shortcomings.push_back(std::move(*shortcoming));
  }
  const std::string tried =
      shortcomings.empty() ? "there is no python3" : fmt::format("{}", fmt::join(shortcomings, ", "));
  throw EnvironmentError("no Python for {}: {}; install {}, or name an interpreter by STOWAGE_PYTHON", tool.what, tried,
                         tool.packages());
}

std::string answer_of_python_tool(const PythonTool& tool, const std::vector<std::string>& arguments) {
  const PythonCall call = call_of(tool, arguments);
  ProcessResult result = capture_process(call.command, call.environment);
  if (result.exit_code == 0) return std::move(result.output);
  throw EnvironmentError("{} could not be made: `{}` ended with {}", tool.what, shell_line(call.command),
                         result.exit_code);
}

void run_python_tool(const PythonTool& tool, const std::vector<std::string>& arguments) {
  const auto [command, environment] = call_of(tool, arguments);
  const std::optional<int> ended = tool.stop
                                       ? run_until_stopped(command, tool.stop, {}, AtOurDeath::killed, environment)
                                       : run_process(command, environment);
  if (!ended) throw Interrupted("interrupted; nothing was written");
  const auto code = static_cast<ExitCode>(*ended);
  if (code == ExitCode::done) return;
  const bool is_told = code == ExitCode::wrong_input || code == ExitCode::environment_lacks ||
                       code == ExitCode::interrupted || (code == ExitCode::answer_is_no && tool.may_answer_no);
  if (is_told) throw CommandError(code, "");
  throw EnvironmentError("{} could not be made: `{}` ended with {}; its message is above", tool.what,
                         shell_line(command), *ended);
}

void print_by_python(const PythonTool& tool, std::string_view text, std::vector<std::string> options,
                     std::string_view known_as) {
  try {
    options.insert(options.begin(), file_for_children(text).string());
    run_python_tool(tool, options);
  } catch (const CommandError& error) {
    say("{}{}{} are printed as {}", error.what(), *error.what() == '\0' ? "" : "; ", tool.what, known_as);
    std::cout << text << std::flush;
  }
}

void print_unsaved(const Run& run) {
  if (run.blocks.empty()) return;
  print_by_python(text_tool(), to_json_text(run), {"--format", "tables"}, "the text of a results.json");
}

}  // namespace stowage::harness
