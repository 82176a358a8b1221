#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/commands.hpp"
#include "harness/compare/formats.hpp"
#include "harness/compare/run_comparison.hpp"
#include "harness/errors.hpp"
#include "harness/results/measured_file.hpp"
#include "harness/results/run_directory.hpp"
#include "harness/statistics/median.hpp"

namespace stowage::harness {
namespace fs = std::filesystem;
namespace {

struct CompareOptions {
  std::vector<std::string> runs;
  std::optional<std::string> fail_above;
  std::string format = "table";
};

/// The run before and the run after. Where one is not named it is the newest; where none is, the two newest.
std::pair<fs::path, fs::path> runs_of(const std::vector<std::string>& named) {
  if (named.size() > 2) throw UserError(fmt::format("'{}' is a third run; compare takes two", named[2]));
  if (named.size() == 2) return {named[0], named[1]};
  std::error_code unreadable;
  // what is wrong with the one that is named, before what is wrong with those that are not
  if (!named.empty() && !fs::exists(named[0], unreadable)) static_cast<void>(load_measured_file(named[0]));
  const fs::path newest = newest_run_directory();
  if (named.empty()) return {run_directory_before(newest), newest};
  if (fs::equivalent(named[0], newest, unreadable)) {
    throw UserError(fmt::format("{} is the newest run; name another one to compare it with", named[0]));
  }
  return {named[0], newest};
}

std::string text_in(const std::string& format, const RunComparison& comparison, const std::optional<Excess>& excess) {
  if (format == "json") return comparison_json(comparison, excess);
  if (format == "markdown") return comparison_markdown(comparison, excess);
  return comparison_text(comparison, excess);
}

/// A check that cannot fail is worse than none.
void refuse_nothing_to_judge(const RunComparison& comparison) {
  if (!comparison.pairs.failed_after.empty()) return;
  const std::string files = fmt::format("{} and {}", comparison.before.path.string(), comparison.after.path.string());
  if (comparison.pairs.both.empty()) {
    throw UserError(files + " have no cell in common that was measured, so --fail-above has nothing to judge");
  }
  const auto is_undecided = [](const CellTimeChange& change) { return change.verdict == Verdict::undecided; };
  if (comparison.counts.figures == 0 && std::ranges::all_of(comparison.time.cells, is_undecided)) {
    throw UserError(
        fmt::format("{} have no cell with {} repetitions in both, so --fail-above has nothing to judge; "
                    "measure more",
                    files, fewest_samples));
  }
}

void compare(const CompareOptions& options) {
  std::optional<double> limit;
  if (options.fail_above) limit = parse_limit(*options.fail_above);
  const auto [before, after] = runs_of(options.runs);
  const RunComparison comparison(load_measured_file(before), load_measured_file(after));
  std::optional<Excess> excess;
  if (limit) {
    refuse_nothing_to_judge(comparison);
    excess = excess_of(comparison, *limit);
  }
  std::cout << text_in(options.format, comparison, excess);
  if (excess && excess->any()) {
    throw NegativeAnswer(fmt::format("worse by more than {}: {}", *options.fail_above, excess->summary()));
  }
}

}  // namespace

void add_compare_command(CLI::App& app, const CommandContext& context) {
  CLI::App* command =
      app.add_subcommand("compare", "Says what became slower, faster, larger or smaller between two runs");
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("runs", options->runs,
                      "RUN_A RUN_B: before and after, as run directories or JSON files of Google Benchmark; "
                      "the newest of results/ where one is left out");
  command->add_option("--fail-above", options->fail_above,
                      "P%: exit code 1 where a time is certainly worse, or a count is, and by more than this");
  add_format_option(*command, options->format, {"table", "markdown", "json"}, "table (the default), markdown or json");
  set_action(*command, [options, &context] {
    refuse_benchmark_flags(context);
    compare(*options);
  });
}

}  // namespace stowage::harness
