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

struct ReportOptions {
  std::vector<std::string> runs;
  std::optional<std::string> out;
  std::string format = "html";
  bool plots = false;
};

void report(const ReportOptions& options) {
  if ((options.out || options.plots) && options.format != "html") {
    throw UserError(fmt::format("--format {} writes no files, so {} has no effect; remove one of them", options.format,
                                options.out ? "--out" : "--plots"));
  }
  std::vector<fs::path> directories(options.runs.begin(), options.runs.end());
  if (directories.empty()) directories.push_back(newest_run_directory());
  // Read before anything else is started: a file that cannot be used is the user's to mend, whatever Python there is.
  for (const fs::path& directory : directories) static_cast<void>(load_run(directory));
  if (options.format == "html") return write_report(directories, options.out, options.plots);
  print_report(directories, options.format);
}

}  // namespace

void add_report_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("report", "Writes report.html and data.csv of runs, or prints their summary or tables");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("run_dir", options->runs, "Run directories; the newest one in results/ by default");
  command->add_option("--out", options->out, "Where the report goes; RUN_DIR/report by default");
  command->add_flag("--plots", options->plots, "Also writes each chart as SVG and PNG, and each table as CSV");
  add_format_option(*command, options->format, {"html", "terminal", "tables"},
                    "html (the default), terminal (the summary that `run` ends with) or tables (all figures)");
  set_action(*command, [options, &context] {
    refuse_benchmark_flags(context);
    report(*options);
  });
}

}  // namespace stowage::harness
