#include <fmt/format.h>

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/run_directory.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

struct CompareOptions {
  std::vector<std::string> runs;
  std::optional<std::string> fail_above;
  std::string format = "table";
};

/// The run before and the run after. If one is not named it is the newest; if none is, the two newest.
std::vector<std::string> runs_of(const std::vector<std::string>& named) {
  if (named.size() > 2) throw UserError(fmt::format("'{}' is a third run; compare takes two", named[2]));
  if (named.size() == 2) return named;
  std::error_code unreadable;
  // what is wrong with the one that is named, before what is wrong with those that are not
  if (!named.empty() && !fs::exists(named[0], unreadable)) return {named[0], named[0]};
  const fs::path newest = newest_run_directory();
  if (named.empty()) return {run_directory_before(newest).string(), newest.string()};
  if (fs::equivalent(named[0], newest, unreadable)) {
    throw UserError(fmt::format("{} is the newest run; name another one to compare it with", named[0]));
  }
  return {named[0], newest.string()};
}

void compare(const CompareOptions& options) {
  std::vector<std::string> arguments = runs_of(options.runs);
  arguments.insert(arguments.begin(), {"--format", options.format});
  if (options.fail_above) arguments.insert(arguments.begin(), "--fail-above=" + *options.fail_above);
  arguments.insert(arguments.end() - 2, "--");  // a run's name may begin with a dash
  run_python_tool({.module = "stowage_report.compare",
                   .what = "the comparison",
                   .needs = {},
                   .packages = "python3",
                   .may_answer_no = true},
                  arguments);
}

}  // namespace

void add_compare_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("compare", "Says what became slower, faster, larger or smaller between two runs");
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("runs", options->runs,
                      "RUN_A RUN_B: before and after, as run directories or JSON files of Google Benchmark; "
                      "the newest of results/ if one is left out");
  command->add_option("--fail-above", options->fail_above,
                      "P%: exit code 1 if a time or a count is certainly worse by more than this");
  add_format_option(*command, options->format, {"table", "markdown", "json"}, "table (the default), markdown or json");
  set_action(*command, [options, &context] {
    refuse_benchmark_flags(context);
    compare(*options);
  });
}

}  // namespace stowage::harness
