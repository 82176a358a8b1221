#include <CLI/App.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/run_directory.hpp"

namespace stowage::harness {
namespace {

struct ClaimsOptions {
  std::vector<std::string> runs;
  std::string format = "table";
  std::optional<std::string> only;
};

void claims(const ClaimsOptions& options) {
  std::vector<std::string> arguments = options.runs;
  if (arguments.empty()) {
    // no error here if there is no run: some claims need none, and an unknown claim id is reported first
    if (const auto newest = find_newest_run_directory()) arguments.push_back(newest->string());
  }
  arguments.insert(arguments.end(), {"--format", options.format});
  if (options.only) arguments.insert(arguments.end(), {"--only", *options.only});
  run_python_tool({.module = "stowage_report.claims", .what = "the claims", .needs = {}, .packages = "python3"},
                  arguments);
}

}  // namespace

void add_claims_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand("claims", "Puts each published claim to the test of stored results");
  const auto options = std::make_shared<ClaimsOptions>();
  command->add_option("run_dir", options->runs, "Run directories; the newest one in results/ by default");
  add_format_option(*command, options->format, {"table", "json"}, "table (the default) or json");
  command->add_option("--only", options->only, "Only these claims: C10,C12");
  set_action(*command, [options, &context] {
    refuse_benchmark_flags(context);
    claims(*options);
  });
}

}  // namespace stowage::harness
