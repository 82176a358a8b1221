// The commands on stored results: `merge`, and `report`, `claims`, `compare` and `gallery`, which Python carries out.

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/plan/merge.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"
#include "harness/system/lock.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  std::optional<std::string> out;
  std::string format;
  bool plots = false;
  std::optional<std::string> only;        ///< of claims
  std::optional<std::string> fail_above;  ///< of a comparison
};

void report(const ReportOptions& options) {
  if ((options.out || options.plots) && options.format != "html") {
    throw UserError("--format {} writes no files, so {} has no effect; remove one of them", options.format,
                    options.out ? "--out" : "--plots");
  }
  std::vector<std::string> arguments = options.runs;
  if (arguments.empty()) arguments.push_back(newest_run_directory().string());
  // Read first: a file that cannot be used is reported whether or not there is a Python.
  for (const std::string& directory : arguments) static_cast<void>(load_run(directory));
  if (options.format != "html") arguments.insert(arguments.end(), {"--format", options.format});
  if (options.out) arguments.insert(arguments.end(), {"--out", *options.out});
  if (options.plots) arguments.emplace_back("--plots");
  run_python_tool(options.format == "html" ? report_tool() : text_tool(), arguments);
}

void claims(const ReportOptions& options) {
  std::vector<std::string> arguments = options.runs;
  if (arguments.empty()) {
    // no error here if there is no run: some claims need none, and an unknown claim id is reported first
    if (const auto newest = find_newest_run_directory()) arguments.push_back(newest->string());
  }
  arguments.insert(arguments.end(), {"--format", options.format});
  if (options.only) arguments.insert(arguments.end(), {"--only", *options.only});
  run_python_tool({.module = "stowage_report.claims", .what = "the claims"}, arguments);
}

/// The run before and the run after. If one is not named it is the newest; if none is, the two newest.
std::vector<std::string> two_runs_of(const std::vector<std::string>& named) {
  if (named.size() > 2) throw UserError("'{}' is a third run; compare takes two", named[2]);
  if (named.size() == 2) return named;
  std::error_code unreadable;
  // a mistake in the named run is reported before one in the newest
  if (!named.empty() && !fs::exists(named[0], unreadable)) return {named[0], named[0]};
  const fs::path newest = newest_run_directory();
  if (named.empty()) return {run_directory_before(newest).string(), newest.string()};
  if (fs::equivalent(named[0], newest, unreadable)) {
    throw UserError("{} is the newest run; name another one to compare it with", named[0]);
  }
  return {named[0], newest.string()};
}

void compare(const ReportOptions& options) {
  const std::vector<std::string> runs = two_runs_of(options.runs);
  std::vector<std::string> arguments{"--format", options.format};
  if (options.fail_above) arguments.insert(arguments.begin(), "--fail-above=" + *options.fail_above);
  arguments.insert(arguments.end(), {"--", runs[0], runs[1]});  // a run's name may begin with a dash
  run_python_tool({.module = "stowage_report.compare", .what = "the comparison", .may_answer_no = true}, arguments);
}

void gallery(const ReportOptions& options) {
  if (options.runs.empty()) {
    throw UserError("name the runs: `stowage gallery RUN_DIR_OR_SUBMISSION... --out SITE`");
  }
  if (!options.out) throw UserError("--out SITE is missing: the directory that the site is written to");
  for (const std::string& run : options.runs) {
    if (!run.ends_with(".json.xz")) check_is_whole(run, load_run(run));  // `submit` has checked those
  }
  PythonTool tool = report_tool();
  tool.module = "stowage_report.gallery";
  tool.what = "the gallery";
  std::vector<std::string> arguments = options.runs;
  arguments.insert(arguments.end(), {"--out", *options.out});
  run_python_tool(tool, arguments);
}

void check_is_empty(const fs::path& out) {
  std::error_code error;
  if (!fs::exists(out, error) || fs::is_empty(out, error)) return;
  throw UserError("--out {} is not empty; name a new directory", out.string());
}

void merge(const ReportOptions& options) {
  if (options.runs.empty()) throw UserError("name the shards: `stowage merge RUN_DIR... --out DIR`");
  if (!options.out) throw UserError("--out DIR is missing: where the merged run goes");
  check_is_empty(*options.out);
  std::vector<MergedPart> parts;
  for (const std::string& directory : options.runs) parts.push_back({directory, load_run(directory)});
  const Run run = merge_shards(std::move(parts));
  make_directory(*options.out);
  const Lock lock(*options.out, "name another directory with --out");
  check_is_empty(*options.out);
  save_run(*options.out, run);
  say("{} has {} blocks of {} shards; `stowage report {}` shows them", *options.out, run.blocks.size(),
      options.runs.size(), shell_path(*options.out));
}

struct Command {
  CLI::App& app;
  std::shared_ptr<ReportOptions> options;
};

Command add(CLI::App& app, const CommandContext& context, const std::string& name, const std::string& what,
            const std::string& runs, void (*carry_out)(const ReportOptions&)) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* const command = app.add_subcommand(name, what);
  command->add_option("runs", options->runs, runs);
  set_action(*command, context, [options, carry_out] { carry_out(*options); });
  return {*command, options};
}

void add_format(const Command& command, const std::vector<std::string>& formats, const std::string& description) {
  command.options->format = formats.front();
  add_choice_option(command.app, "--format", command.options->format, formats, description);
}

}  // namespace

void add_report_commands(CLI::App& app, const CommandContext& context) {
  const std::string newest = "Run directories; the newest one in results/ by default";
  const Command to_report =
      add(app, context, "report", "Writes report.html and data.csv of runs, or prints their summary or tables", newest,
          report);
  to_report.app.add_option("--out", to_report.options->out, "Where the report goes; RUN_DIR/report by default");
  to_report.app.add_flag("--plots", to_report.options->plots,
                         "Also writes each chart as SVG and PNG, and each table as CSV");
  add_format(to_report, {"html", "terminal", "tables"},
             "html (the default), terminal (the summary that `run` ends with) or tables (all figures)");

  const Command to_claims =
      add(app, context, "claims", "Tests published claims against stored results", newest, claims);
  add_format(to_claims, {"table", "json"}, "table (the default) or json");
  to_claims.app.add_option("--only", to_claims.options->only, "Only these claims: C10,C12");

  const Command to_compare =
      add(app, context, "compare", "Says what became slower, faster, larger or smaller between two runs",
          "RUN_A RUN_B: before and after, as run directories or JSON files of Google Benchmark; the newest of results/ "
          "if one is left out",
          compare);
  to_compare.app.add_option(
      "--fail-above", to_compare.options->fail_above,
      "P%: exit code 1 if a time is certainly slower, by more than this as estimated, or a count grew by more");
  add_format(to_compare, {"table", "markdown", "json"}, "table (the default), markdown or json");

  const Command to_gallery =
      add(app, context, "gallery", "Writes a site that shows which storage wins on which machine",
          "Run directories, and files that `stowage submit` wrote", gallery);
  to_gallery.app.add_option("--out", to_gallery.options->out,
                            "The directory of the site: new, empty, or with an earlier gallery");

  const Command to_merge = add(app, context, "merge", "Puts the shards of one selection together as one run",
                               "The directories of all shards: of `stowage run --shard I/N`", merge);
  to_merge.app.add_option("--out", to_merge.options->out, "The directory of the merged run");
}

}  // namespace stowage::harness
