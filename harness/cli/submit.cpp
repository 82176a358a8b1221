// `stowage submit`: refuses runs that others could not reproduce, runs a sample of cells again, and packs the run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/errors.hpp"
#include "harness/plan/merge.hpp"
#include "harness/random_order.hpp"
#include "harness/report_tool.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/results/summary.hpp"
#include "harness/system/progress.hpp"
#include "harness/text.hpp"
#include "harness/verify/cells.hpp"

namespace stowage::harness {
namespace {

/// How many cells are run again. If one cell in ten differs, a sample of this size finds one nine times in ten.
constexpr std::size_t sample_size = 24;

struct SubmitOptions {
  std::string run;
  std::optional<std::string> out;
};

/// A cell of the run, whose checksum is compared.
struct SampledCell {
  const BlockResult* block = nullptr;
  const CellResult* cell = nullptr;

  [[nodiscard]] std::string name() const { return block->cell_name(*cell); }
};

void check_build(const std::string& directory, const Build& build, const Host& host) {
  if (host.library_build_type == "debug" || build.flags.find("-O") == std::string::npos ||
      build.flags.find("-O0") != std::string::npos) {
    throw UserError(
        "{} was measured by a build that is not optimised ({}); build with `./scripts/build release stowage` and "
        "repeat the run",
        directory, build.flags);
  }
  if (build.version.empty() || build.commit.empty() || build.commit == "unknown") {
    throw UserError("{} does not say which commit measured it; build in a clone of the repository and repeat the run",
                    directory);
  }
  if (build.commit.find("local changes") != std::string::npos) {
    throw UserError(
        "{} was measured by {}, which the commit alone does not reproduce; commit them with `git commit`, build, and "
        "repeat the run",
        directory, build.commit);
  }
}

/// Throws UserError with the first reason to refuse a run, and what to type instead.
void check_run(const std::string& directory, const Run& run) {
  check_is_whole(directory, run);
  check_build(directory, run.environment.build, run.environment.host);
  if (const Machine& machine = run.environment.machine; is_emulated(machine)) {
    throw UserError("{} has no times, because its processor was {}; submit a run of a real one", directory,
                    machine.virtualisation);
  }
  if (!run.options.storages.empty()) {
    throw UserError(
        "{} has storages of your own ({}), which the repository does not have; repeat the run without --storage",
        directory, fmt::join(run.options.storages, ", "));
  }
  if (!run.options.world.empty()) {
    throw UserError("{} was measured in the world {}, whose profile it does not hold; submit a `run --preset standard`",
                    directory, run.options.world);
  }
  if (const std::size_t failed = failed_cells_of(run); failed > 0) {
    throw UserError("{} has {} cell{} that failed verification; `stowage verify` says why", directory, failed,
                    failed == 1 ? "" : "s");
  }
  const auto lacks_checksum = [](const CellResult& cell) { return !cell.checksum; };
  const auto lacks_checksums = [&](const BlockResult& block) {
    return std::ranges::any_of(block.cells, lacks_checksum);
  };
  if (run.state.doctor.empty() || std::ranges::any_of(run.blocks, lacks_checksums)) {
    throw UserError(
        "{} has no verdict of `doctor` or no checksums: an older version or another command measured it; repeat it "
        "with `stowage run --preset {}`",
        directory, shell_word(run.options.preset));
  }
}

/// A random sample, drawn by the seed of the run: the same cells each time.
std::vector<SampledCell> sample_of(const Run& run) {
  std::vector<SampledCell> cells;
  for (const BlockResult& block : run.blocks) {
    for (const CellResult& cell : block.cells) {
      if (!cell.strategy.starts_with("reference")) cells.push_back({&block, &cell});
    }
  }
  std::mt19937_64 generator = generator_for(run.options.seed, "submission");
  shuffle(cells, generator);
  cells.resize(std::min(cells.size(), sample_size));
  return cells;
}

/// The blocks of `sample`, with the strategies that are in it.
std::vector<Block> blocks_of(const Run& run, const std::vector<SampledCell>& sample, const CommandContext& context) {
  std::set<std::string> strategies;
  std::set<std::string> workloads;
  for (const SampledCell& sampled : sample) {
    strategies.insert(sampled.cell->strategy);
    workloads.insert(sampled.block->workload);
  }
  SelectionRequest request;
  request.preset = run.options.preset;
  request.strategies = fmt::format("{}", fmt::join(strategies, ","));
  request.workloads = fmt::format("{}", fmt::join(workloads, ","));
  request.entities = fmt::format("{}", fmt::join(run.options.entities, ","));
  return expand(select_cells(request, context), context.catalogue);
}

/// Runs `sampled` again. Throws NegativeAnswer if it does other work than in the run.
void check_again(const SampledCell& sampled, const std::vector<Block>& blocks, const Run& run,
                 const CommandContext& context) {
  const std::string another_version =
      fmt::format("the run is of commit {}, this binary of {}", run.environment.build.commit, describe_build().commit);
  const auto block = std::ranges::find(blocks, sampled.block->name(), &Block::name);
  if (block == blocks.end()) {
    throw UserError("this binary has no cell {}; {}: build that commit and submit with it", sampled.name(),
                    another_version);
  }
  const CellCheck check =
      verify_case(*block, find_strategy(sampled.cell->strategy, context.catalogue), context.catalogue).check;
  if (!check.error.empty()) throw NegativeAnswer("{} fails now: {}", sampled.name(), check.error);
  if (check.items == sampled.cell->items && check.checksum == *sampled.cell->checksum) return;
  throw NegativeAnswer(
      "{} has checksum {:#018x} of {} items in the run, and {:#018x} of {} now, so its figures are not submitted; {}: "
      "build that commit and submit with it, or repeat the run",
      sampled.name(), *sampled.cell->checksum, sampled.cell->items, check.checksum, check.items, another_version);
}

void submit(const SubmitOptions& options, const CommandContext& context) {
  if (options.run.empty()) throw UserError("name the run: `stowage submit RUN_DIR [--out FILE]`");
  const Run run = load_run(options.run);
  check_run(options.run, run);
  const std::vector<SampledCell> sample = sample_of(run);
  if (sample.empty()) throw UserError("{} has no strategies; repeat it with some", options.run);
  say("running {} cells of {} again", sample.size(), options.run);
  const std::vector<Block> blocks = blocks_of(run, sample, context);
  const InterruptGuard guard;
  for (const SampledCell& sampled : sample) {
    if (InterruptGuard::interrupted()) throw Interrupted("interrupted, nothing was written");
    note_work(fmt::format("{}, run again", sampled.name()));
    check_again(sampled, blocks, run, context);
  }
  note_work("");
  std::vector<std::string> arguments = {options.run, "--again", fmt::to_string(sample.size())};
  if (options.out) arguments.insert(arguments.end(), {"--out", *options.out});
  run_python_tool({.module = "stowage_report.gallery.submission", .what = "the submission"}, arguments);
}

}  // namespace

void add_submit_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command = app.add_subcommand("submit", "Checks a run and packs it as one file for the gallery");
  const auto options = std::make_shared<SubmitOptions>();
  command->add_option("run_dir", options->run, "The directory of a whole run");
  command->add_option("--out", options->out, "The file; named after the run, in this directory, by default");
  command->footer(
      "Runs a sample of the cells again and compares their checksums. Host names and paths do not get into the file.");
  set_action(*command, context, [options, &context] { submit(*options, context); });
}

}  // namespace stowage::harness
