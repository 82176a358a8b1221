#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/plan/merge.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/run_directory.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

struct GalleryOptions {
  std::vector<std::string> runs;
  std::string out;
};

void gallery(const GalleryOptions& options) {
  if (options.runs.empty()) {
    throw UserError("name the runs: `stowage gallery RUN_DIR_OR_SUBMISSION... --out SITE`");
  }
  if (options.out.empty()) throw UserError("--out SITE is missing: the directory that the site is written to");
  for (const std::string& run : options.runs) {
    std::error_code error;
    if (!fs::is_regular_file(run, error)) check_is_whole(run, load_run(run));  // a file is what `submit` has checked
  }
  PythonTool tool = report_tool();
  tool.module = "stowage_report.gallery";
  tool.what = "the gallery";
  std::vector<std::string> arguments = options.runs;
  arguments.insert(arguments.end(), {"--out", options.out});
  run_python_tool(tool, arguments);
}

}  // namespace

void add_gallery_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand("gallery", "Writes a site that shows which storage wins on which machine");
  const auto options = std::make_shared<GalleryOptions>();
  command->add_option("run", options->runs, "Run directories, and files that `stowage submit` wrote");
  command->add_option("--out", options->out, "The directory of the site: new, empty, or with an earlier gallery");
  set_action(*command, [options, &context] {
    refuse_benchmark_flags(context);
    gallery(*options);
  });
}

}  // namespace stowage::harness
