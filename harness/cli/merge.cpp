
#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/plan/merge.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/system/files.hpp"
#include "harness/system/lock.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

struct MergeOptions {
  std::vector<std::string> runs;
  std::string out;
};

void check_is_empty(const fs::path& out) {
  std::error_code error;
  if (!fs::exists(out, error) || fs::is_empty(out, error)) return;
  throw UserError("--out {} holds something; name a directory that is new", out.string());
}

void merge(const MergeOptions& options) {
  if (options.runs.empty()) throw UserError("name the shards: `stowage merge RUN_DIR... --out DIR`");
  if (options.out.empty()) throw UserError("--out DIR is missing: where the merged run goes");
  check_is_empty(options.out);
  std::vector<MergedPart> parts;
  for (const std::string& directory : options.runs) parts.push_back({directory, load_run(directory)});
  const Run run = merge_shards(std::move(parts));
  make_directory(options.out);
  const Lock lock(options.out, "name another directory with --out");
  check_is_empty(options.out);
  save_run(options.out, run);
  say("{} has {} blocks of {} shards; `stowage report {}` shows them", options.out, run.blocks.size(),
      options.runs.size(), shell_path(options.out));
}

}  // namespace

void add_merge_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand("merge", "Puts the shards of one selection together as one run");
  const auto options = std::make_shared<MergeOptions>();
  command->add_option("run_dir", options->runs, "The directories of all shards: of `stowage run --shard I/N`");
  command->add_option("--out", options->out, "The directory of the merged run");
  set_action(*command, context, [options] { merge(*options); });
}

}  // namespace stowage::harness
